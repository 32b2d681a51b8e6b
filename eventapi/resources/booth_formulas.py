"""Booth formulas: expressions that compute the price of a booth without a fixed price."""

from eventapi.domain.halls import booth_formulas
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("booth-formulas", "booth_formula", scope="booths", flag="booths")
sql = statements("booth_formulas")


@routes.list("/booths/formulas", query="booth_formula.query")
def list_booth_formulas(db, query):
    return page(db, sql.list, query)


@routes.post("/booths/formulas", schema="booth_formula")
def create_booth_formula(db, body):
    return created(booth_formulas.create(db, body), "/booths/formulas")


@routes.get("/booths/formulas/<id>")
def get_booth_formula(db, id):
    return get(db, id)


@routes.update("/booths/formulas/<id>", schema="booth_formula")
def update_booth_formula(db, id, body):
    """Change a formula, and with it the prices of all booths that use it."""
    return booth_formulas.update(db, require_match(get(db, id)), body)


@routes.delete("/booths/formulas/<id>")
def delete_booth_formula(db, id):
    booth_formulas.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(booth_formulas.get(db, id), "booth_formula", id)
