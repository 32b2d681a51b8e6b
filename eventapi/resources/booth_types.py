"""Booth types: the kinds of booths and their prices."""

from eventapi.domain.halls import booth_types
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("booth-types", "booth_type", scope="booths", flag="booths")
sql = statements("booth_types")


@routes.list("/booths/types", query="booth_type.query")
def list_booth_types(db, query):
    return page(db, sql.list, query, lambda row: booth_types.represent(db, row))


@routes.post("/booths/types", schema="booth_type")
def create_booth_type(db, body):
    return created(booth_types.create(db, body), "/booths/types")


@routes.get("/booths/types/<id>")
def get_booth_type(db, id):
    return get(db, id)


@routes.update("/booths/types/<id>", schema="booth_type")
def update_booth_type(db, id, body):
    """Change a booth type, and with it the prices of its booths."""
    return booth_types.update(db, require_match(get(db, id)), body)


@routes.delete("/booths/types/<id>")
def delete_booth_type(db, id):
    booth_types.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(booth_types.get(db, id), "booth_type", id)
