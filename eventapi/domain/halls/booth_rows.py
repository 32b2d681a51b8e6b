"""Rows of booths: reading them, and setting the status that results from reservations.

Rows hold lengths in millimetres, areas in square millimetres, prices in minor units and tax rates
in hundredths of a percent. API objects (see `represent`) hold metres, square metres, major units
and percent.
"""

import json

from eventapi import journal, money, times
from eventapi.domain.records import entities
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("booths")

AS_STORED = (
    "id",
    "plan_id",
    "plan_name",
    "event_id",
    "event_key",
    "event_title",
    "booth_type_id",
    "booth_type_key",
    "booth_type_name",
    "color",
    "booth_number",
    "booth_name",
    "description",
    "formula_id",
    "status",
    "event_participant_id",
    "blocked_reason",
    "amenities",
    "notes",
    "created_at",
    "updated_at",
)


def row(db, id):
    """Return the row of the booth with the columns that its price depends on, or None."""
    found = db.one(sql.get, id=id)
    return found and {**found, "custom_fields": json.loads(found["custom_fields"])}


def rows(db, ids):
    """Return the rows of several booths."""
    return [
        {**found, "custom_fields": json.loads(found["custom_fields"])}
        for found in db.all(sql.some, ids=as_json(ids))
    ]


def get(db, id):
    """Return the API object of the booth, or None."""
    found = row(db, id)
    return found and represent(db, found)


def represent(db, row):
    """Return the API object of a row.

    A booth whose hold has expired is available, unless it has a waiting list.
    """
    booth = record(db, row)
    if (
        row["status"] == "reserved"
        and row["held_until"]
        and row["held_until"] <= (db.now or times.now())
    ):
        booth["event_participant_id"] = None
        booth["status"] = "reserved" if row["is_awaited"] else "available"
    return booth


def record(db, row):
    """Return the API object as the journal keeps it: with the stored status."""
    currency, placed = db.config.currency, row["pos_x"] is not None
    return {
        **{name: row[name] for name in AS_STORED},
        **({"custom_fields": row["custom_fields"]} if "custom_fields" in row else {}),
        "dimensions": {
            "width": metres(row["width"]),
            "depth": metres(row["depth"]),
            "area": money.unscaled(row["area"], 6),
        },
        "position": (
            {"x": metres(row["pos_x"]), "y": metres(row["pos_y"]), "rotation": row["rotation"]}
            if placed
            else None
        ),
        "fixed_price": money.major(row["fixed_price"], currency),
        "tax_rate": money.unscaled(tax_rate(db, row), 2),
        "price": money.major(row["price"], currency),
        "price_breakdown": row["price_breakdown"] and json.loads(row["price_breakdown"]),
    }


def stored(db, id):
    """Return the booth as the journal keeps it, or None."""
    found = row(db, id)
    return found and record(db, found)


def tax_rate(db, row):
    """Return the tax rate of the booth, else of its type, else of the tenant, in hundredths of a
    percent.
    """
    return next(
        rate
        for rate in (row["tax_rate"], row["type_tax_rate"], db.config.tax_rate)
        if rate is not None
    )


def metres(millimetres):
    """Return a length in metres, or None."""
    return money.unscaled(millimetres, 3)


def set_status(db, booth_id, status, held_until=None):
    """Set the status of a booth: `available`, `reserved` (until `held_until`) or `sold`.

    Call this inside a write transaction. It journals the change.
    """
    old = row(db, booth_id)
    if (old["status"], old["held_until"]) == (status, held_until):
        return
    db.run(sql.set_status, id=booth_id, status=status, held_until=held_until, now=db.now)
    journal_update(db, old)


def journal_update(db, old):
    """Journal the changes of a booth since it was read as the row `old`."""
    new = record(db, row(db, old["id"]))
    journal.updated(db, entities.BOOTH, record(db, old), new)
