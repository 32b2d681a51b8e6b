"""Dunning levels: after how many days, with which fee, interest and text overdue invoices are
dunned.
"""

from functools import partial

from eventapi.domain.dunning import levels
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("dunning-levels", "dunning_level", scope="invoices", flag="invoices")
sql = statements("dunning_levels")


@routes.list("/invoices/dunning-levels", query="dunning_level.query")
def list_dunning_levels(db, query):
    return page(db, sql.list, query, partial(levels.represent, db))


@routes.post("/invoices/dunning-levels", schema="dunning_level")
def create_dunning_level(db, body):
    return created(levels.create(db, body), "/invoices/dunning-levels")


@routes.get("/invoices/dunning-levels/<id>")
def get_dunning_level(db, id):
    return get(db, id)


@routes.update("/invoices/dunning-levels/<id>", schema="dunning_level")
def update_dunning_level(db, id, body):
    """Change a dunning level. Letters that were sent stay as they are."""
    return levels.update(db, require_match(get(db, id)), body)


@routes.delete("/invoices/dunning-levels/<id>")
def delete_dunning_level(db, id):
    """Delete a dunning level. Letters that were sent stay in the history of their invoices."""
    levels.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(levels.get(db, id), "dunning_level", id)
