"""Rows of booth reservations: reading and storing them, and finding those that prevent another
reservation.

Rows hold prices in minor units and tax rates in hundredths of a percent. API objects (see
`represent`) hold major units and percent.
"""

import json

from eventapi import geometry, journal, money, times
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("booth_reservations")

TRANSITIONS = Transitions(
    "booth reservation",
    {
        "confirm": (("pending",), "confirmed"),
        "cancel": (("pending", "confirmed", "waitlisted"), "cancelled"),
        "extend": (("pending",), None),
        "move": (("pending", "confirmed"), None),
        "swap": (("confirmed",), None),
    },
)
CHOICE = "Choose another booth, or send `waitlist` as true."  # the remedy if a booth is taken
# status of the reservation -> status of its booth
HELD_AS = {
    "pending": "reserved",
    "confirmed": "sold",
}


# Reading


def row(db, id):
    """Return the row of the reservation, or None."""
    return db.one(sql.get, id=id)


def represent(db, row):
    """Return the API object of a row.

    An expired hold is shown as expired even before that is stored.
    """
    return as_stored(db, {**row, "status": "expired" if has_expired(db, row) else row["status"]})


def as_stored(db, row):
    """Return the API object of a row with the status that is stored, as the journal keeps it."""
    return {
        **row,
        "final_price": money.major(row["final_price"], db.config.currency),
        "is_negotiated": bool(row["is_negotiated"]),
        "tax_rate": money.unscaled(row["tax_rate"], 2),
        "price_breakdown": row["price_breakdown"] and json.loads(row["price_breakdown"]),
    }


def has_expired(db, row):
    """Return whether the reservation is a hold that has expired."""
    return row["status"] == "pending" and row["expires_at"] <= (db.now or times.now())


def store(db, old, action, **changes):
    """Store and journal the changed columns of a reservation, and return its row.

    Call this inside a write transaction.
    """
    if all(old[name] == value for name, value in changes.items()):
        return old
    db.run(sql.change, **{**old, **changes, "now": db.now})
    new = row(db, old["id"])
    journal.updated(
        db, entities.BOOTH_RESERVATION, as_stored(db, old), as_stored(db, new), action=action
    )
    return new


# Availability


def blockers(db, booth, but=None):
    """Return the reservations that prevent a booth from being reserved: its own, then those of
    booths that it overlaps.

    Each square metre is sold once, so overlapping booths count. Leave out the reservation with the
    id `but`.
    """
    found = db.all(sql.live, booth_id=booth["id"])
    found += overlapping(booth, db.all(sql.live_nearby, **reach(booth)))
    return [live for live in found if live["id"] != but]


def reach(booth):
    """Return the parameters by which a statement finds the booths that may overlap this one.

    They are null for a booth without a position, and comparisons with null find nothing.
    """
    placed = booth["pos_x"] is not None
    return {
        "plan_id": booth["plan_id"],
        "booth_id": booth["id"],
        "reach": booth["width"] + booth["depth"],
        "middle_x": 2 * booth["pos_x"] + booth["width"] if placed else None,
        "middle_y": 2 * booth["pos_y"] + booth["depth"] if placed else None,
    }


def overlapping(booth, others):
    """Return those of `others`, rows with a position, that overlap the booth."""
    shape = others and geometry.corners(booth)
    return [other for other in others if geometry.overlap(shape, geometry.corners(other))]


def refuse_taken(db, booth, but=None):
    """Raise 409 `booth_unavailable` if the booth is blocked, or reservations prevent another one.

    `but` is the id of the reservation that moves to the booth. The error commits the transaction,
    so that the end of expired holds is stored.
    """
    remedy = "Choose another booth." if but else CHOICE
    if booth["status"] == "blocked":
        raise unavailable(booth, None, remedy)
    live = blockers(db, booth, but)
    if live:
        raise unavailable(booth, live[0], remedy)


def unavailable(booth, live, remedy=CHOICE):
    """Return the 409 Problem for a booth that the reservation `live` prevents, or that is blocked
    if it is None.
    """
    number = booth["booth_number"]
    if live is None:
        blocked_by = {
            "reservation_id": None,
            "status": "blocked",
            "expires_at": None,
            "booth_id": booth["id"],
            "booth_number": number,
        }
        return Problem(
            "booth_unavailable",
            f"Booth {number} is blocked. {remedy}",
            blocked_by=blocked_by,
            keeps=True,
        )
    state = HELD_AS[live["status"]] + (f" until {live['expires_at']}" if live["expires_at"] else "")
    fact = f"is {state}"
    if live["booth_id"] != booth["id"]:
        fact = f"overlaps booth {live['booth_number']}, which is {state}"
    detail = f"Booth {number} {fact}. {remedy}"
    blocked_by = {
        "reservation_id": live["id"],
        **{name: live[name] for name in ("status", "expires_at", "booth_id", "booth_number")},
    }
    return Problem("booth_unavailable", detail, blocked_by=blocked_by, keeps=True)
