"""Booth formulas: how the price of a booth is computed where neither it nor its type says a plain one."""
from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import formulas, pricing
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("booth_formulas", "booth_formula", scope="booths", flag="booths")
sql = statements("booth_formulas")


@routes.list("/booths/formulas", query="booth_formula.query")
def list_booth_formulas(db, query):
    return page(db, sql.list, query)


@routes.post("/booths/formulas", schema="booth_formula")
def create_booth_formula(db, body):
    check(body["expression"])
    claim_name(db, body["name"])
    formula = get(db, db.insert(sql.add, **body, now=db.now))
    journal.created(db, "booth_formula", formula, title=formula["name"], scope="booths")
    return created(formula, f"/booths/formulas/{formula['id']}")


@routes.get("/booths/formulas/<id>")
def get_booth_formula(db, id):
    return get(db, id)


@routes.update("/booths/formulas/<id>", schema="booth_formula")
def update_booth_formula(db, id, body):
    """Changes a formula, and with it the price of all booths that have it."""
    old = unchanged(get(db, id))
    merged = {**old, **body}
    check(merged["expression"])
    claim_name(db, merged["name"], but=id)
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, "booth_formula", old, new, title=new["name"], scope="booths")
    changed = [name for name in ("expression", "result_type", "name") if new[name] != old[name]]
    if changed:
        pricing.reprice(db, db.values(sql.booths, id=id), f"/{changed[0]}")
    return new


@routes.delete("/booths/formulas/<id>")
def delete_booth_formula(db, id):
    formula = unchanged(get(db, id))
    users = db.values(sql.booths, id=id)
    if users:
        raise Problem("in_use", f"The formula prices {len(users)} booths; it cannot be deleted.", used_by=["booths"])
    cascade.delete_with(db, "booth_formula", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "booth_formula", formula, title=formula["name"], scope="booths")
    return deleted()


def get(db, id):
    return found(db.one(sql.get, id=id), "booth_formula", id)


def check(expression):
    faults = Faults()
    try:
        formulas.parse(expression)
    except formulas.FormulaError as error:
        faults.add("/expression", "formula", str(error))
    faults.raise_any()


def claim_name(db, name, but=None):
    if db.value(sql.name_taken, name=name) not in (None, but):
        raise Problem("duplicate", f"There is a formula with the name {name}.", member="name")
