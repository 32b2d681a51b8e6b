"""Schedule slots: the sessions of an event. No slot clashes with another or exceeds its capacity.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.records import anonymity, entities, normalising, references
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults, Problem, invalid_at
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("schedules")

# Fields whose change may make a slot clash with another, or exceed its capacity.
CLASH_FIELDS = (
    "event_id",
    "starts_at",
    "ends_at",
    "location",
    "allow_overlap",
    "capacity",
    "assignments",
)

MIDNIGHT = "24:00"  # end_time of a slot that ends with its day


def get(db, id):
    """Return the slot, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["is_public"], row["allow_overlap"] = bool(row["is_public"]), bool(row["allow_overlap"])
    if "assignments" in row:
        row["assignments"] = json.loads(row["assignments"])
    return row


def create(db, fields):
    """Create a slot and return it.

    `fields` is a complete validated body.

    Raise 422 for what contradicts other records; 409 `participant_cancelled`, `capacity_reached`,
    or `schedule_conflict` if the location is taken at that time or a speaker or host is busy.
    """
    slot = _checked(db, {"assignments": []}, fields)
    id = db.insert(sql.add, **_columns(slot), now=db.now)
    _assign(db, id, slot["assignments"])
    refuse_clash(db, get(db, id))
    new = get(db, id)
    journal.created(db, entities.SCHEDULE, new)
    return new


def update(db, old, fields):
    """Change a slot and return it.

    `fields` holds the changed fields. Raise 422 and 409 as `create` does.
    """
    slot = _checked(db, old, fields)
    if slot == old:
        return old
    db.run(sql.change, **_columns(slot), now=db.now)
    if slot["assignments"] != old["assignments"]:
        db.run(sql.unassign, id=old["id"])
        _assign(db, old["id"], slot["assignments"])
    new = get(db, old["id"])
    if any(new[name] != old[name] for name in CLASH_FIELDS):
        refuse_clash(db, new)
    return _journal_update(db, old)


def _columns(slot):
    """Return the slot as columns, with the normal form of its location, by which clashes are found."""
    return {**slot, "location_folded": slot["location"] and normalising.place(slot["location"])}


def _assign(db, id, assignments):
    db.run_many(sql.assign, [{"id": id, **assignment} for assignment in assignments])


def _checked(db, old, fields):
    """Return the slot `old` with the changed fields.

    Raise 422 for what contradicts other records, and 409 `participant_cancelled`.
    """
    faults, slot = Faults(), {**old, **fields}
    event = db.one(
        sql.event, id=references.resolve(db, fields, EVENT, faults) or old.get("event_id")
    )
    if event:
        slot.update(
            event_id=event["id"],
            event_key=event["event_key"],
            **_period(slot, event["timezone"], faults),
        )
        people = _assigned(db, event, slot["assignments"], faults)
    faults.raise_any()
    before = [entry["event_participant_id"] for entry in old["assignments"]]
    cancelled = [
        person["id"]
        for person in people.values()
        if person["status"] == "cancelled" and person["id"] not in before
    ]
    if cancelled:
        raise anonymity.cancelled(cancelled[0], event_participant_id=cancelled[0])
    return {
        **slot,
        "assignments": [
            {"event_participant_id": _participant_id(entry), "role": entry["role"]}
            for entry in slot["assignments"]
        ],
    }


def _period(slot, zone_name, faults):
    """Return `starts_at` and `ends_at` of a slot, in UTC. Add what is wrong to `faults`."""
    if not times.is_date_or_timestamp(slot["slot_date"]):
        faults.add("/slot_date", "format", "must be a date in the years 2 to 9998")
        return {}
    period = utc_times(slot, zone_name)
    for field, day, timestamp in (
        ("start_time", slot["slot_date"], period["starts_at"]),
        ("end_time", _end(slot)[0], period["ends_at"]),
    ):
        if timestamp is None:
            faults.add(
                f"/{field}",
                "no_such_time",
                f"does not exist on {day}: the clocks are set forward past it",
            )
    if slot["end_time"] == slot["start_time"]:
        faults.add(
            "/end_time",
            "same_time",
            "must differ from `start_time`. An earlier time is on the next day, and 24:00 is the end of "
            "`slot_date`",
        )
    return period


def _end(slot):
    """Return `(date, time)` of the end: an `end_time` before `start_time` is on the next day, as is
    24:00.
    """
    if slot["end_time"] == MIDNIGHT:
        return times.add_days(slot["slot_date"], 1), "00:00"
    return times.add_days(slot["slot_date"], int(slot["end_time"] < slot["start_time"])), slot[
        "end_time"
    ]


def _assigned(db, event, assignments, faults):
    """Return {id: participant} of the assignments.

    Add those that are unknown, of another event or repeated to `faults`.
    """
    rows = db.all(
        sql.participants,
        ids=as_json([_participant_id(entry) for entry in assignments if _participant_id(entry)]),
    )
    people, seen = {row["id"]: row for row in rows}, set()
    for place, entry in enumerate(assignments):
        at, id = f"/assignments/{place}", _participant_id(entry)
        if id is None:
            faults.add(f"{at}/event_participant_id", "required", "is required, or `participant_id`")
        elif entry.get("participant_id", id) != id:
            faults.add(
                f"{at}/participant_id", "disagrees", references.disagrees("event_participant_id")
            )
        elif id not in people:
            faults.add(
                f"{at}/event_participant_id",
                "unknown",
                references.unknown("event_participant_id", id),
            )
        elif people[id]["event_id"] != event["id"]:
            faults.add(
                f"{at}/event_participant_id",
                "other_event",
                f"is not a participant of the event {event['event_key']}",
            )
        elif (id, entry["role"]) in seen:
            faults.add(
                at, "repeated", "repeats another assignment of the same participant and role"
            )
        seen.add((id, entry["role"]))
    return people


def _participant_id(entry):
    return entry.get("event_participant_id") or entry.get("participant_id")


def refuse_clash(db, slot):
    """Raise 409 `capacity_reached` or `schedule_conflict` if the stored slot has too many attendees
    or clashes.
    """
    attendees = db.value(sql.attendees, id=slot["id"])
    if slot["capacity"] is not None and attendees > slot["capacity"]:
        raise Problem(
            "capacity_reached",
            f"The slot would have {attendees} attendees, but its `capacity` is {slot['capacity']}. Raise "
            "`capacity`, or remove attendees.",
            capacity=slot["capacity"],
            attendees=attendees,
        )
    other = db.one(sql.clash, id=slot["id"])
    if other:
        reason = (
            f"The location {slot['location']} is taken"
            if other["reason"] == "location"
            else f"The participant {other['event_participant_id']} is busy"
        )
        raise Problem(
            "schedule_conflict",
            f"{reason} on {other['slot_date']} from {other['start_time']} to {other['end_time']}"
            f"{' the next day' if other['end_time'] < other['start_time'] else ''}, by “{other['title']}” "
            f"(slot {other['id']}). Choose another time, or send `allow_overlap` as true.",
            conflict=other,
        )


def touch(db, old):
    """Set `updated_at` and journal the slot after its assignments were changed."""
    db.run(sql.touch, id=old["id"], now=db.now)
    _journal_update(db, old)


def _journal_update(db, old):
    """Journal what differs between `old` and the stored slot, and return the stored one."""
    new = get(db, old["id"])
    journal.updated(db, entities.SCHEDULE, old, new)
    return new


def delete(db, slot):
    """Delete a slot with its documents, notes and tasks."""
    cascade.delete_with(db, "schedule", slot["id"])
    db.run(sql.remove, id=slot["id"])
    journal.deleted(db, entities.SCHEDULE, slot)


def delete_with(db, event_id):
    """Delete and journal the slots of an event that is about to be deleted."""
    for id in db.values(sql.of_event, event_id=event_id):
        delete(db, get(db, id))


def release(db, participant_id):
    """Remove a cancelled participant from all slots, and journal the change of each slot."""
    for id in db.values(sql.of_participant, event_participant_id=participant_id):
        old = get(db, id)
        db.run(sql.release, id=id, event_participant_id=participant_id)
        touch(db, old)


def hand_over(db, kept_id, other_id):
    """Move the assignments of the participant `other_id` to `kept_id`, with which it is merged.

    Delete one if `kept_id` has the same role in the slot.
    """
    ids = db.values(sql.of_participant, event_participant_id=other_id)
    slots = [get(db, id) for id in ids]
    db.run(sql.drop_second_assignments, id=other_id, participant_id=kept_id)
    db.run(sql.hand_over_assignments, id=other_id, participant_id=kept_id)
    for slot in slots:
        touch(db, slot)


def recompute_times(db, event_id, zone_name):
    """Recompute the UTC times of all slots of an event after its zone changed.

    They keep their local time.

    Raise 422 if a slot has no such local time in the new zone.
    """
    for id in db.values(sql.of_event, event_id=event_id):
        old = get(db, id)
        moved = {**old, **utc_times(old, zone_name)}
        if moved["starts_at"] is None or moved["ends_at"] is None:
            raise invalid_at(
                "/timezone",
                "no_such_time",
                f"lacks the local time of “{old['title']}” on {old['slot_date']} (slot {id}), because the "
                "clocks are set forward past it. Move that slot first",
            )
        db.run(sql.move, **moved, now=db.now)
        _journal_update(db, old)


def utc_times(slot, zone_name):
    """Return the UTC times `starts_at` and `ends_at`; None for a local time that the clocks skip."""
    return {
        "starts_at": times.at(slot["slot_date"], slot["start_time"], zone_name),
        "ends_at": times.at(*_end(slot), zone_name),
    }
