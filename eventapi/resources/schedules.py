"""Schedules: what happens when and where at an event, and who speaks, hosts or attends."""
from eventapi import times
from eventapi.domain.events import schedules
from eventapi.domain.events.schedules import represent
from eventapi.domain.records import normalising, references
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("schedules", "schedule", scope="schedules", flag="schedules")
sql = statements("schedules")

IN_SHORT = ("contact_id", "customer_number", "company_name", "first_name", "last_name", "status")


@routes.list("/schedules", query="schedule.query")
def list_schedules(db, query):
    """What happens at an event, which event_key or event_id names."""
    query = references.filters(db, query, EVENT)
    if "location" in query:
        query["location"] = normalising.place(query["location"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/schedules", schema="schedule")
def create_schedule(db, body):
    """Creates a schedule slot.

    Refused as schedule_conflict where the location is taken at that time, or a speaker or host is busy; `conflict` names the other slot.
    """
    slot = schedules.add(db, checked(db, {"assignments": []}, body))
    return created(slot, f"/schedules/{slot['id']}")


@routes.get("/schedules/<id>", query="schedule.one")
def get_schedule(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/schedules/<id>", schema="schedule")
def update_schedule(db, id, body):
    old = unchanged(get(db, id))
    return schedules.change(db, old, checked(db, old, body))


@routes.delete("/schedules/<id>")
def delete_schedule(db, id):
    schedules.remove(db, unchanged(get(db, id)))
    return deleted()


def get(db, id):
    return found(schedules.get(db, id), "schedule", id)


def checked(db, old, body):
    """The slot as the body wants it; 422 for what the records say against it, 409 for who has cancelled."""
    faults, slot = Faults(), {**old, **body}
    event = db.one(sql.event, id=references.resolve(db, body, EVENT, faults) or old.get("event_id"))
    if event:
        slot.update(event_id=event["id"], event_key=event["event_key"], **when(slot, event["timezone"], faults))
        people = assigned(db, event, slot["assignments"], faults)
    faults.raise_any()
    before = [entry["event_participant_id"] for entry in old["assignments"]]
    cancelled = [person["id"] for person in people.values() if person["status"] == "cancelled" and person["id"] not in before]
    if cancelled:
        raise Problem("participant_cancelled", f"The participant {cancelled[0]} has cancelled.", event_participant_id=cancelled[0])
    return {**slot, "assignments": [{"event_participant_id": named(entry), "role": entry["role"]} for entry in slot["assignments"]]}


def when(slot, zone_name, faults):
    """The instants at which a slot begins and ends."""
    if not times.is_day_or_moment(slot["slot_date"]):
        faults.add("/slot_date", "format", "is out of the calendar")
        return {}
    moments = schedules.instants(slot, zone_name)
    for member, moment in (("start_time", moments["starts_at"]), ("end_time", moments["ends_at"])):
        if moment is None:
            faults.add(f"/{member}", "no_such_time", "does not exist on that day: the clocks go forward over it")
    if slot["end_time"] <= slot["start_time"]:
        faults.add("/end_time", "before_start", "must be after start_time")
    return moments


def assigned(db, event, assignments, faults):
    """id -> participant of all that are assigned; who is unknown, of another event or named twice goes to `faults`."""
    rows = db.all(sql.participants, ids=as_json([named(entry) for entry in assignments if named(entry)]))
    people, seen = {row["id"]: row for row in rows}, set()
    for place, entry in enumerate(assignments):
        at, id = f"/assignments/{place}", named(entry)
        if id is None:
            faults.add(f"{at}/event_participant_id", "required", "is required, or participant_id")
        elif entry.get("participant_id", id) != id:
            faults.add(f"{at}/participant_id", "disagrees", "names another record than event_participant_id")
        elif id not in people:
            faults.add(f"{at}/event_participant_id", "unknown", "names no record")
        elif people[id]["event_id"] != event["id"]:
            faults.add(f"{at}/event_participant_id", "other_event", f"does not take part in {event['event_key']}")
        elif (id, entry["role"]) in seen:
            faults.add(at, "repeated", "is there already")
        seen.add((id, entry["role"]))
    return people


def named(entry):
    return entry.get("event_participant_id") or entry.get("participant_id")


def include_assignments(db, slots):
    """Who is assigned, each with the participant in short, which the slot alone does not tell."""
    by_slot = {slot["id"]: [] for slot in slots}
    for row in db.all(sql.assignments_of, ids=as_json(list(by_slot))):
        by_slot[row["schedule_slot_id"]].append({
            "event_participant_id": row["event_participant_id"], "role": row["role"],
            "participant": {**{name: row[name] for name in IN_SHORT}, "role": row["participant_role"]}})
    for slot in slots:
        slot["assignments"] = by_slot[slot["id"]]


INCLUDES = {"assignments": include_assignments}
