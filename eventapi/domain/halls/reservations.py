"""Booth reservations as they are stored, journalled and read."""
import json

from eventapi import journal, money, times
from eventapi.domain.records import entities
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("booth_reservations")

TRANSITIONS = Transitions("booth reservation", {
    "confirm": (("pending",), "confirmed"),
    "cancel": (("pending", "confirmed", "waitlisted"), "cancelled"),
    "extend": (("pending",), None),
    "move": (("pending", "confirmed"), None),
})
HELD_AS = {"pending": "reserved", "confirmed": "sold"}      # what a reservation makes of its booth


# Reading

def row(db, id):
    """The reservation as stored, or None."""
    return db.one(sql.get, id=id)


def represent(db, row):
    """A row as it is answered now: a hold that has run out is over, though nobody has written so yet."""
    return as_stored(db, {**row, "status": "expired" if has_run_out(db, row) else row["status"]})


def as_stored(db, row):
    return {**row, "final_price": money.major(row["final_price"], db.config.currency), "is_negotiated": bool(row["is_negotiated"]),
            "tax_rate": money.unscaled(row["tax_rate"], 2),
            "price_breakdown": row["price_breakdown"] and json.loads(row["price_breakdown"])}


def has_run_out(db, row):
    return row["status"] == "pending" and row["expires_at"] <= (db.now or times.now())


def store(db, old, action, **changes):
    """Writes and journals a changed reservation; gives its row."""
    if all(old[name] == value for name, value in changes.items()):
        return old
    db.run(sql.change, **{**old, **changes, "now": db.now})
    new = row(db, old["id"])
    journal.updated(db, entities.BOOTH_RESERVATION, as_stored(db, old), as_stored(db, new), action=action)
    return new
