"""Tasks: to-do items for admins, which may be about a record. They are deleted with that record.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal
from eventapi.domain.records import anonymity, due_dates, entities
from eventapi.errors import Faults
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("tasks")

TRANSITIONS = Transitions(
    "task",
    {
        "start": (("pending",), "in_progress"),
        "complete": (("pending", "in_progress"), "completed"),
        "cancel": (("pending", "in_progress"), "cancelled"),
        "reopen": (("in_progress", "completed", "cancelled"), "pending"),
    },
    {"start": "started", "reopen": "reopened"},
)


def get(db, id):
    """Return the task, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["due_date"] = due_dates.given(row["due_date"])
    return row


def create(db, fields, admin_id):
    """Create a task and return it.

    `fields` is a complete validated body; `admin_id` creates the task.

    Raise 422 for an unknown record or an inactive admin, 409 `anonymized` if the task is about an
    anonymised contact.
    """
    task = with_status(db, {**fields, "created_by": admin_id}, fields["status"])
    return add(db, _checked(db, None, task))


def update(db, old, fields):
    """Change a task and return it.

    `fields` holds the changed fields; another `status` requests the action that leads to it.

    Raise 422 and 409 as `create` does, and 409 `invalid_transition`.
    """
    task = _checked(db, old, {**old, **fields})
    if task["status"] == old["status"]:
        return change(db, old, task)
    action = TRANSITIONS.action_to(old["status"], task["status"])
    return change(db, old, with_status(db, task, task["status"]), TRANSITIONS.past(action))


def _checked(db, old, task):
    """Return the task with its event and due timestamp (see `with_due_at`).

    Raise 422 and 409 `anonymized`.

    `old` is None for a new task.
    """
    faults = Faults()
    for member, other in (("entity_type", "entity_id"), ("entity_id", "entity_type")):
        if task[member] is None and task[other] is not None:
            faults.add(f"/{member}", "required", f"is required together with `{other}`")
    if task["assigned_to"] is not None and (
        old is None or task["assigned_to"] != old["assigned_to"]
    ):
        if not db.value(sql.is_active, id=task["assigned_to"]):
            faults.add(
                "/assigned_to",
                "unknown",
                f"is unknown: no active admin has the id {task['assigned_to']}",
            )
    task = with_due_at(db, task, faults)
    faults.raise_any()
    if task["entity_id"] is not None and task != old:
        anonymity.refuse(db, task["entity_type"], task["entity_id"])
    return task


def with_due_at(db, task, faults):
    """Return the task with its event and the UTC timestamp at which it is due.

    Add what is wrong with these to `faults`.
    """
    event_id = None
    if task["entity_type"] and task["entity_id"]:
        entity = entities.short(db, [(task["entity_type"], task["entity_id"])])
        if not entity:
            faults.add(
                "/entity_id",
                "unknown",
                f"is unknown: no {task['entity_type']} has the id {task['entity_id']}",
            )
        event_id = next((short["event_id"] for short in entity.values()), None)
    due_at = due_dates.resolve(
        db, task["due_date"], due_dates.event_of(db, event_id), faults, "/due_date"
    )
    return {**task, "event_id": event_id, "due_at": due_at}


def with_status(db, task, status):
    """Return the task with this status, and with the time and the admin of its completion if it is
    completed.
    """
    done = status == "completed"
    return {
        **task,
        "status": status,
        "completed_at": db.now if done else None,
        "completed_by": db.actor.admin_id if done else None,
    }


def add(db, task):
    """Store a new task that has been checked and has `due_at`, journal it and return it."""
    new = get(db, db.insert(sql.add, **columns(task), now=db.now))
    journal.created(db, entities.TASK, new)
    return new


def change(db, old, task, action="updated"):
    """Store and journal what differs between `old` and the checked `task`. Return the task."""
    if task == old:
        return old
    db.run(sql.change, **columns(task), now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.TASK, old, new, action=action)
    return new


def columns(task):
    """Return the task as columns, with its due date as JSON text."""
    return {**task, "due_date": due_dates.stored(task["due_date"])}


def move(db, task, action):
    """Apply an action of TRANSITIONS and return the task. Raise 409 `invalid_transition`."""
    status = TRANSITIONS.move(action, task["status"])
    return (
        task
        if status is None
        else change(db, task, with_status(db, task, status), TRANSITIONS.past(action))
    )


def remove(db, task):
    """Delete and journal a task, but not what is attached to it (see cascade.delete_task)."""
    db.run(sql.remove, id=task["id"])
    journal.deleted(db, entities.TASK, task)


def delete_with(db, entity_type, entity_id):
    """Delete and journal the tasks about a record that is about to be deleted. Return their ids."""
    ids = db.values(sql.of_entity, entity_type=entity_type, entity_id=entity_id)
    for id in ids:
        remove(db, get(db, id))
    return ids


def move_to(db, entity_type, old_id, new_id):
    """Move the tasks of a record to the record that it is merged into."""
    for id in db.values(sql.of_entity, entity_type=entity_type, entity_id=old_id):
        old = get(db, id)
        change(db, old, {**old, "entity_id": new_id})


def move_due_dates(db, event):
    """Compute `due_at` of all tasks about an event again, after its dates or its time zone changed.

    Raise OverflowError for a timestamp out of range.
    """
    for id in db.values(sql.due_with_event, event_id=event["id"]):
        old = get(db, id)
        change(db, old, {**old, "due_at": due_dates.timestamp(db, old["due_date"], event)})


def copy_tasks(db, old_id, new_id, days):
    """Copy the tasks about an event to its copy, which takes place `days` days later.

    The copies are pending.
    """
    event = due_dates.event_of(db, new_id)
    for id in db.values(sql.of_entity, entity_type="event", entity_id=old_id):
        old, faults = get(db, id), Faults()
        due = due_dates.copied(old["due_date"], days, event["timezone"])
        new = {
            **with_status(db, old, "pending"),
            "entity_id": new_id,
            "due_date": due,
            "created_by": db.actor.admin_id,
        }
        new = with_due_at(db, new, faults)
        faults.raise_any()
        add(db, new)
