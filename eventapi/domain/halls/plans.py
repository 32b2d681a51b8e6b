"""Plans: what resources, the copy of an event and the end of one do with them. Lengths are metres outside, millimetres inside."""
import json

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import booths
from eventapi.domain.records import entities
from eventapi.domain.records.amounts import whole
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("plans")

PLACES = 3                  # decimals of a length
DEFAULT_SIZE = 1            # metres, of an object that comes without
LENGTHS = ("x", "y", "width", "depth")


def get(db, id):
    """The plan as it is journalled: all but its address, which depends on who asks. None where there is none."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    for member in ("width", "height", "scale_factor"):
        row[member] = money.unscaled(row[member], PLACES)
    row["floor_plan_width"], row["floor_plan_height"] = row["width"], row["height"]
    row["is_active"] = bool(row["is_active"])
    if "objects" in row:
        row["objects"] = objects(row["objects"])
    return row


def objects(text):
    """The objects as answered, of the column."""
    return [{**thing, **{member: money.unscaled(thing[member], PLACES) for member in LENGTHS}} for thing in json.loads(text)]


def columns(plan, faults):
    """The plan as columns: lengths as whole millimetres; too many decimals go to `faults`."""
    lengths = {member: whole(plan, member, PLACES, faults) for member in ("width", "height", "scale_factor")}
    things = [_object(thing, f"/objects/{place}", faults) for place, thing in enumerate(plan["objects"])]
    return {**plan, **lengths, "objects": as_json(things)}


def _object(thing, at, faults):
    thing = {"width": DEFAULT_SIZE, "depth": DEFAULT_SIZE, "label": None, **thing}
    return {"kind": thing["kind"], **{member: whole(thing, member, PLACES, faults, at) for member in LENGTHS},
            "label": thing["label"]}


def booths_of(db, plan_ids):
    """The booths of all these plans, as stored."""
    return booths.rows(db, db.values(sql.booths_of, ids=as_json(plan_ids)))


def remove(db, plan):
    """Deletes a plan and its booths, each journalled; that none of these is in use is the caller's to know."""
    for booth in [booths.record(db, row) for row in booths_of(db, [plan["id"]])]:
        cascade.delete_with(db, "booth", booth["id"])
        journal.deleted(db, entities.BOOTH, booth)
    db.run(sql.remove_booths, id=plan["id"])
    cascade.delete_with(db, "plan", plan["id"])
    db.run(sql.remove, id=plan["id"])
    journal.deleted(db, entities.PLAN, plan)


def delete_with(db, event_id):
    """Deletes and journals the plans of an event that is about to be deleted."""
    for id in db.values(sql.of_event, event_id=event_id):
        remove(db, get(db, id))
