"""Booth types: the kinds of booths and their prices."""
from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import pricing
from eventapi.domain.records import slugs
from eventapi.domain.records.amounts import whole
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("booth_types", "booth_type", scope="booths", flag="booths")
sql = statements("booth_types")


@routes.list("/booths/types", query="booth_type.query")
def list_booth_types(db, query):
    return page(db, sql.list, query, lambda row: represent(db, row))


@routes.post("/booths/types", schema="booth_type")
def create_booth_type(db, body):
    body["booth_type_key"] = body["booth_type_key"] or free_key(db, body["booth_type_name"])
    values = columns(db, body)
    claim_key(db, body["booth_type_key"])
    booth_type = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, "booth_type", booth_type, title=booth_type["booth_type_name"], scope="booths")
    return created(booth_type, f"/booths/types/{booth_type['id']}")


@routes.get("/booths/types/<id>")
def get_booth_type(db, id):
    return get(db, id)


@routes.update("/booths/types/<id>", schema="booth_type")
def update_booth_type(db, id, body):
    """Changes a booth type, and with it the price of all its booths."""
    old = unchanged(get(db, id))
    values = columns(db, {**old, **body})
    claim_key(db, values["booth_type_key"], but=id)
    if values != columns(db, old):
        db.run(sql.change, **values, now=db.now)
    new = get(db, id)
    journal.updated(db, "booth_type", old, new, title=new["booth_type_name"], scope="booths")
    changed = [name for name in ("price", "price_model", "open_sides") if new[name] != old[name]]
    if changed:
        pricing.reprice(db, db.values(sql.booths, id=id), f"/{changed[0]}")
    return new


@routes.delete("/booths/types/<id>")
def delete_booth_type(db, id):
    booth_type = unchanged(get(db, id))
    users = db.values(sql.booths, id=id)
    if users:
        raise Problem("in_use", f"The type has {len(users)} booths; it cannot be deleted.", used_by=["booths"])
    cascade.delete_with(db, "booth_type", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "booth_type", booth_type, title=booth_type["booth_type_name"], scope="booths")
    return deleted()


def get(db, id):
    return represent(db, found(db.one(sql.get, id=id), "booth_type", id))


def represent(db, row):
    row["price"] = money.major(row["price"], db.config.currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    return row


def columns(db, booth_type):
    """The type as columns: money and percent as whole numbers."""
    faults = Faults()
    values = {**booth_type, "price": whole(booth_type, "price", money.decimals(db.config.currency), faults),
              "tax_rate": whole(booth_type, "tax_rate", 2, faults)}
    faults.raise_any()
    return values


def claim_key(db, booth_type_key, but=None):
    if db.value(sql.key_taken, booth_type_key=booth_type_key) not in (None, but):
        raise Problem("duplicate", f"There is a booth type with the key {booth_type_key}.", member="booth_type_key")


def free_key(db, name):
    return slugs.free(slugs.slug(name), lambda key: db.value(sql.key_taken, booth_type_key=key))
