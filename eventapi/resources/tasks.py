"""Tasks: to-do items for admins, with a due date and the record that they are about."""

from eventapi import times
from eventapi.domain.attachments import cascade, tasks
from eventapi.domain.attachments.tasks import TRANSITIONS, represent
from eventapi.domain.records import entities, references
from eventapi.domain.records.references import EVENT
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.includes import allowed_actions
from eventapi.web.lists import one, page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("tasks", "task", scope="tasks", flag="tasks", states=(TRANSITIONS,))
sql = statements("tasks")


@routes.list("/tasks", query="task.query")
def list_tasks(db, query):
    query = {**references.filters(db, query, EVENT), "now": times.now()}
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post(
    "/tasks",
    schema="task",
    desk=Desk(
        fields=("title", "description", "due_date", "priority"), fixed=("entity_type", "entity_id")
    ),
)
def create_task(db, who, body):
    return created(tasks.create(db, body, who.admin_id), "/tasks")


@routes.get("/tasks/<id>", query="task.one")
def get_task(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/tasks/<id>", schema="task")
def update_task(db, id, body):
    """Change a task. Another `status` requests the action that leads to it."""
    return tasks.update(db, require_match(get(db, id)), body)


@routes.delete("/tasks/<id>")
def delete_task(db, id):
    cascade.delete_task(db, require_match(get(db, id)))


@routes.post("/tasks/<id>/start", desk=Desk())
def start_task(db, id):
    """Start a task."""
    return tasks.move(db, get(db, id), "start")


@routes.post("/tasks/<id>/complete", desk=Desk())
def complete_task(db, id):
    """Complete a task. Stores the time and the admin."""
    return tasks.move(db, get(db, id), "complete")


@routes.post("/tasks/<id>/cancel", desk=Desk())
def cancel_task(db, id):
    """Cancel a task."""
    return tasks.move(db, get(db, id), "cancel")


@routes.post("/tasks/<id>/reopen", desk=Desk(unless=("in_progress",)))
def reopen_task(db, id):
    """Reopen a task: its status is pending again."""
    return tasks.move(db, get(db, id), "reopen")


def get(db, id):
    return found(tasks.get(db, id), "task", id)


def include_entity(db, records):
    """Add a summary of the record that each task is about; null if there is none."""
    shorts = entities.short(
        db,
        {(record["entity_type"], record["entity_id"]) for record in records if record["entity_id"]},
    )
    for record in records:
        record["entity"] = shorts.get((record["entity_type"], record["entity_id"]))


INCLUDES = {"entity": include_entity, "allowed_actions": allowed_actions(TRANSITIONS.of)}
