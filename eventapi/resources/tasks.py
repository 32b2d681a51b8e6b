"""Tasks: what the staff has to do, by when, and about which record."""
from eventapi import times
from eventapi.domain.attachments import cascade, tasks
from eventapi.domain.attachments.tasks import TRANSITIONS, represent
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults
from eventapi.storage import search
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("tasks", "task", scope="tasks", flag="tasks", states=(TRANSITIONS,))
sql = statements("tasks")


@routes.list("/tasks", query="task.query")
def list_tasks(db, query):
    query = {**references.filters(db, query, EVENT), "now": times.now()}
    if "search" in query:
        query["search"] = search.expression(query["search"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/tasks", schema="task")
def create_task(db, who, body):
    task = tasks.in_state(db, {**body, "created_by": who.admin_id}, body["status"])
    new = tasks.add(db, settled(db, None, task))
    return created(new, f"/tasks/{new['id']}")


@routes.get("/tasks/<id>", query="task.one")
def get_task(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/tasks/<id>", schema="task")
def update_task(db, id, body):
    """Changes a task. Another `status` asks for the action that leads there."""
    old = unchanged(get(db, id))
    task = settled(db, old, {**old, **body})
    if task["status"] == old["status"]:
        return tasks.change(db, old, task)
    action = TRANSITIONS.action_to(old["status"], task["status"])
    return tasks.change(db, old, tasks.in_state(db, task, task["status"]), tasks.PAST[action])


@routes.delete("/tasks/<id>")
def delete_task(db, id):
    tasks.remove(db, unchanged(get(db, id)))
    cascade.delete_with(db, "task", id)
    return deleted()


@routes.post("/tasks/<id>/start")
def start_task(db, id):
    """Work on it has begun."""
    return tasks.move(db, get(db, id), "start")


@routes.post("/tasks/<id>/complete")
def complete_task(db, id):
    """It is done: by whom and when is noted."""
    return tasks.move(db, get(db, id), "complete")


@routes.post("/tasks/<id>/cancel")
def cancel_task(db, id):
    """It need not be done any more."""
    return tasks.move(db, get(db, id), "cancel")


@routes.post("/tasks/<id>/reopen")
def reopen_task(db, id):
    """It is pending again."""
    return tasks.move(db, get(db, id), "reopen")


def get(db, id):
    return found(tasks.get(db, id), "task", id)


def settled(db, old, task):
    """The task with what follows from its members; 422 for what the records say against them."""
    faults = Faults()
    for member, other in (("entity_type", "entity_id"), ("entity_id", "entity_type")):
        if task[member] is None and task[other] is not None:
            faults.add(f"/{member}", "required", f"goes with {other}")
    if task["assigned_to"] is not None and (old is None or task["assigned_to"] != old["assigned_to"]):
        if not db.value(sql.is_active, id=task["assigned_to"]):
            faults.add("/assigned_to", "unknown", "names no admin who is active")
    task = tasks.settled(db, task, faults)
    faults.raise_any()
    if task["entity_id"] is not None and task != old:
        anonymity.refuse(db, task["entity_type"], task["entity_id"])
    return task


def include_entity(db, records):
    """What each task is about, in short; null where it is about nothing."""
    shorts = entities.short(db, {(record["entity_type"], record["entity_id"]) for record in records if record["entity_id"]})
    for record in records:
        record["entity"] = shorts.get((record["entity_type"], record["entity_id"]))


def include_allowed_actions(_, records):
    for record in records:
        record["allowed_actions"] = TRANSITIONS.actions(record["status"])


INCLUDES = {"entity": include_entity, "allowed_actions": include_allowed_actions}
