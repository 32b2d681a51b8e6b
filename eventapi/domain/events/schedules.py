"""Schedule slots as they are stored and journalled: none clashes with another, none holds more than its capacity."""
import json

from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.records import entities, normalising
from eventapi.errors import Problem, fault, invalid
from eventapi.storage.statements import statements

sql = statements("schedules")

# What may make a slot clash with another, or hold too many.
WEIGHING = ("event_id", "starts_at", "ends_at", "location", "allow_overlap", "capacity", "assignments")


def get(db, id):
    """The slot as it is answered, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    row["is_public"], row["allow_overlap"] = bool(row["is_public"]), bool(row["allow_overlap"])
    if "assignments" in row:
        row["assignments"] = json.loads(row["assignments"])
    return row


def add(db, slot):
    """Adds a slot that was checked; 409 where it clashes."""
    id = db.insert(sql.add, **columns(slot), now=db.now)
    _assign(db, id, slot["assignments"])
    refuse_clash(db, get(db, id))
    new = get(db, id)
    journal.created(db, entities.SCHEDULE, new)
    return new


def change(db, old, slot):
    """The slot with what was changed and checked; 409 where it clashes now."""
    if slot == old:
        return old
    db.run(sql.change, **columns(slot), now=db.now)
    if slot["assignments"] != old["assignments"]:
        db.run(sql.unassign, id=old["id"])
        _assign(db, old["id"], slot["assignments"])
    new = get(db, old["id"])
    if any(new[name] != old[name] for name in WEIGHING):
        refuse_clash(db, new)
    return tell(db, old)


def columns(slot):
    return {**slot, "location_folded": slot["location"] and normalising.place(slot["location"])}


def _assign(db, id, assignments):
    db.run_many(sql.assign, [{"id": id, **assignment} for assignment in assignments])


def refuse_clash(db, slot):
    """409 when the slot, as it was just written, takes more than its capacity, or a place or person that another has."""
    attendees = db.value(sql.attendees, id=slot["id"])
    if slot["capacity"] is not None and attendees > slot["capacity"]:
        raise Problem("capacity_reached", f"{attendees} attendees are more than the {slot['capacity']} that the slot takes.",
                      capacity=slot["capacity"], attendees=attendees)
    other = db.one(sql.clash, id=slot["id"])
    if other:
        what = "is there" if other["reason"] == "location" else f"has the participant {other['event_participant_id']}"
        raise Problem("schedule_conflict", f"“{other['title']}” {what} from {other['start_time']} to {other['end_time']} "
                      f"on {other['slot_date']} (slot {other['id']}).", conflict=other)


def touch(db, old):
    """After who is assigned was changed from outside."""
    db.run(sql.touch, id=old["id"], now=db.now)
    tell(db, old)


def tell(db, old):
    """Journals a slot that was changed; gives it."""
    new = get(db, old["id"])
    journal.updated(db, entities.SCHEDULE, old, new)
    return new


def remove(db, slot):
    cascade.delete_with(db, "schedule", slot["id"])
    db.run(sql.remove, id=slot["id"])
    journal.deleted(db, entities.SCHEDULE, slot)


def delete_with(db, event_id):
    """Deletes and journals the slots of an event that is about to be deleted."""
    for id in db.values(sql.of_event, event_id=event_id):
        remove(db, get(db, id))


def release(db, participant_id):
    """Takes a participant that has cancelled out of every slot."""
    for id in db.values(sql.of_participant, event_participant_id=participant_id):
        old = get(db, id)
        db.run(sql.release, id=id, event_participant_id=participant_id)
        touch(db, old)


def follow(db, event_id, zone_name):
    """After an event moved to another zone: its slots keep their time of day, and begin and end at other moments."""
    for id in db.values(sql.of_event, event_id=event_id):
        old = get(db, id)
        moved = {**old, **instants(old, zone_name)}
        if moved["starts_at"] is None or moved["ends_at"] is None:
            raise invalid([fault("no_such_time", f"has no such time as that of “{old['title']}” on {old['slot_date']} (slot {id})",
                                 pointer="/timezone")])
        db.run(sql.move, **moved, now=db.now)
        tell(db, old)


def instants(slot, zone_name):
    """When the slot begins and ends; None where the clocks go forward over that time."""
    return {"starts_at": times.at(slot["slot_date"], slot["start_time"], zone_name),
            "ends_at": times.at(slot["slot_date"], slot["end_time"], zone_name)}
