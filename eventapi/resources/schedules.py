"""Schedules: sessions of an event with time, location, speakers, hosts and attendees."""

from eventapi.domain.events import schedules
from eventapi.domain.events.schedules import represent
from eventapi.domain.records import normalising, references
from eventapi.domain.records.references import EVENT
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.lists import one, page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("schedules", "schedule", scope="schedules", flag="schedules")
sql = statements("schedules")

IN_SHORT = ("contact_id", "customer_number", "company_name", "first_name", "last_name", "status")


@routes.list("/schedules", query="schedule.query")
def list_schedules(db, query):
    """List the slots of an event, which `event_key` or `event_id` names."""
    query = references.filters(db, query, EVENT)
    if "location" in query:
        query["location"] = normalising.place(query["location"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/schedules", schema="schedule")
def create_schedule(db, body):
    """Create a schedule slot.

    Returns `schedule_conflict` if the location is taken at that time, or if a speaker or host is
    busy; `conflict` names the other slot.
    """
    return created(schedules.create(db, body), "/schedules")


@routes.get("/schedules/<id>", query="schedule.one")
def get_schedule(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/schedules/<id>", schema="schedule")
def update_schedule(db, id, body):
    return schedules.update(db, require_match(get(db, id)), body)


@routes.delete("/schedules/<id>")
def delete_schedule(db, id):
    schedules.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(schedules.get(db, id), "schedule", id)


def include_assignments(db, slots):
    """Add the assignments of each slot, each with a summary of the participant."""
    by_slot = {slot["id"]: [] for slot in slots}
    for row in db.all(sql.assignments_of, ids=as_json(list(by_slot))):
        by_slot[row["schedule_slot_id"]].append(
            {
                "event_participant_id": row["event_participant_id"],
                "role": row["role"],
                "participant": {
                    **{name: row[name] for name in IN_SHORT},
                    "role": row["participant_role"],
                },
            }
        )
    for slot in slots:
        slot["assignments"] = by_slot[slot["id"]]


INCLUDES = {"assignments": include_assignments}
