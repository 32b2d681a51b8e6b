"""Plans: creating, changing and deleting the halls of an event, with the objects in them.

Rows hold lengths in millimetres, API objects (see `represent`) in metres. Every function that
writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import booth_rows
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("plans")

PLACES = 3  # decimals of a length
DEFAULT_SIZE = 1  # metres: width and depth of an object that is sent without them
LENGTHS = ("x", "y", "width", "depth")


# Reading


def get(db, id):
    """Return the plan without the address of its picture, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    for field in ("width", "height", "scale_factor"):
        row[field] = money.unscaled(row[field], PLACES)
    row["floor_plan_width"], row["floor_plan_height"] = row["width"], row["height"]
    row["is_active"] = bool(row["is_active"])
    if "objects" in row:
        row["objects"] = objects(row["objects"])
    return row


def objects(text):
    """Return the objects of a plan, lengths in metres. `text` is the column."""
    return [
        {**thing, **{field: money.unscaled(thing[field], PLACES) for field in LENGTHS}}
        for thing in json.loads(text)
    ]


def booths_of(db, plan_ids):
    """Return the rows of the booths of several plans (see `booth_rows.row`)."""
    return booth_rows.rows(db, db.values(sql.booths_of, ids=as_json(plan_ids)))


# Writing


def create(db, fields):
    """Create a plan and return it.

    `fields` is a complete validated body; a missing `plan_key` is made from the name.

    Raise 422 for an unknown event or too many decimals; 409 `duplicate` for a key that another plan
    of the event has.
    """
    values = _checked(db, fields)
    values["plan_key"] = values["plan_key"] or slugs.free_key(
        db, sql.key_taken, "plan_key", values["plan_name"], event_id=values["event_id"]
    )
    _claim_key(db, values)
    plan = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.PLAN, plan)
    return plan


def update(db, old, fields):
    """Change a plan and return it. `fields` holds the changed fields.

    Raise 422 and 409 as `create` does, and 409 `in_use` for another event while the plan has
    booths.
    """
    id, values = old["id"], _checked(db, fields, old)
    if values["event_id"] != old["event_id"] and db.value(sql.has_booths, id=id):
        raise Problem(
            "in_use",
            "`event_id` cannot change because the plan has booths. Create another plan for the "
            "other event.",
            used_by=["booths"],
        )
    _claim_key(db, values, but=id)
    if values != _checked(db, {}, old):
        db.run(sql.change, **values, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.PLAN, old, new)
    return new


def delete(db, plan):
    """Delete a plan with its booths.

    Raise 409 `in_use` if one of them was ever reserved or ordered for.
    """
    references.refuse_in_use(
        db,
        sql.users,
        plan["id"],
        "The plan cannot be deleted because its booths have {}. Set `is_active` to false instead.",
    )
    remove(db, plan)


def remove(db, plan):
    """Delete a plan with its booths. The caller has checked that no booth is in use."""
    for booth in [booth_rows.record(db, row) for row in booths_of(db, [plan["id"]])]:
        cascade.delete_with(db, "booth", booth["id"])
        journal.deleted(db, entities.BOOTH, booth)
    db.run(sql.remove_booths, id=plan["id"])
    cascade.delete_with(db, "plan", plan["id"])
    db.run(sql.remove, id=plan["id"])
    journal.deleted(db, entities.PLAN, plan)


def delete_with(db, event_id):
    """Delete the plans of an event that is about to be deleted.

    The caller has checked that no booth is in use.
    """
    for id in db.values(sql.of_event, event_id=event_id):
        remove(db, get(db, id))


def _checked(db, fields, old=None):
    """Return the plan `old`, or a new one, with the changed fields as columns.

    Raise 422 for faults in the fields.
    """
    faults = Faults()
    event_id = references.resolve(db, fields, EVENT, faults)
    values = _columns({**(old or {}), **fields}, faults)
    faults.raise_any()
    return {**values, "event_id": event_id or old["event_id"]}


def _columns(plan, faults):
    """Return the plan as columns, lengths in millimetres. Add too many decimals to `faults`."""
    lengths = {
        field: whole(plan, field, PLACES, faults) for field in ("width", "height", "scale_factor")
    }
    things = [
        _object(thing, f"/objects/{place}", faults) for place, thing in enumerate(plan["objects"])
    ]
    return {**plan, **lengths, "objects": as_json(things)}


def _object(thing, at, faults):
    """Return an object of a plan, lengths in millimetres. `at` is its JSON pointer in the body."""
    thing = {"width": DEFAULT_SIZE, "depth": DEFAULT_SIZE, "label": None, **thing}
    return {
        "kind": thing["kind"],
        **{field: whole(thing, field, PLACES, faults, at) for field in LENGTHS},
        "label": thing["label"],
    }


def _claim_key(db, plan, but=None):
    """Raise 409 `duplicate` if another plan of the event has the key."""
    slugs.claim_key(
        db,
        sql.key_taken,
        "plan of the event",
        "plan_key",
        plan["plan_key"],
        but,
        event_id=plan["event_id"],
    )
