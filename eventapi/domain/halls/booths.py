"""Booths as stored, as answered, and the status that their reservations give them."""
import json

from eventapi import journal, money, times
from eventapi.domain.records import entities
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("booths")

AS_STORED = ("id", "plan_id", "plan_name", "event_id", "event_key", "event_title", "booth_type_id", "booth_type_key", "booth_type_name",
             "color", "booth_number", "booth_name", "description", "formula_id", "status", "event_participant_id", "blocked_reason",
             "amenities", "notes", "created_at", "updated_at")


def row(db, id):
    """The booth as it is stored, with what its price depends on; None when there is none."""
    found = db.one(sql.get, id=id)
    return found and {**found, "custom_fields": json.loads(found["custom_fields"])}


def rows(db, ids):
    """The same of several."""
    return [{**found, "custom_fields": json.loads(found["custom_fields"])} for found in db.all(sql.some, ids=as_json(ids))]


def get(db, id):
    """The booth as it is answered, or None."""
    found = row(db, id)
    return found and represent(db, found)


def represent(db, row):
    """As it is answered: a hold that has run out is over, unless somebody waits in line, whom it is offered to next."""
    booth = record(db, row)
    if row["status"] == "reserved" and row["held_until"] and row["held_until"] <= (db.now or times.now()):
        booth["event_participant_id"] = None
        booth["status"] = "reserved" if row["is_awaited"] else "available"
    return booth


def record(db, row):
    """As the journal keeps it: with the status that is stored."""
    currency, placed = db.config.currency, row["pos_x"] is not None
    return {
        **{name: row[name] for name in AS_STORED}, **({"custom_fields": row["custom_fields"]} if "custom_fields" in row else {}),
        "dimensions": {"width": metres(row["width"]), "depth": metres(row["depth"]), "area": money.unscaled(row["area"], 6)},
        "position": {"x": metres(row["pos_x"]), "y": metres(row["pos_y"]), "rotation": row["rotation"]} if placed else None,
        "fixed_price": money.major(row["fixed_price"], currency), "tax_rate": money.unscaled(tax_rate(db, row), 2),
        "price": money.major(row["price"], currency),
        "price_breakdown": row["price_breakdown"] and json.loads(row["price_breakdown"]),
    }


def stored(db, id):
    """The booth as the journal keeps it, or None."""
    found = row(db, id)
    return found and record(db, found)


def tax_rate(db, row):
    """In hundredths of a percent: the booth's own, else that of its type, else the tenant's."""
    return next(rate for rate in (row["tax_rate"], row["type_tax_rate"], db.config.tax_rate) if rate is not None)


def metres(millimetres):
    return money.unscaled(millimetres, 3)


def set_status(db, booth_id, status, held_until=None):
    """What a reservation makes of its booth: `available`, `reserved` (until a moment) or `sold`."""
    old = row(db, booth_id)
    if (old["status"], old["held_until"]) == (status, held_until):
        return
    db.run(sql.set_status, id=booth_id, status=status, held_until=held_until, now=db.now)
    tell(db, old)


def tell(db, old):
    """Journals what has changed in a booth since it was read as `old`."""
    new = record(db, row(db, old["id"]))
    journal.updated(db, entities.BOOTH, record(db, old), new)
