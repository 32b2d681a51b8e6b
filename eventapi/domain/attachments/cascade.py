"""What is attached to a record, its documents, notes and tasks, goes with it, and what is attached to these in turn."""
from eventapi.domain.attachments import documents, notes, tasks


def delete_task(db, task):
    """Delete and journal a task and what is attached to it. Call this inside a write transaction."""
    tasks.remove(db, task)
    delete_with(db, "task", task["id"])


def delete_note(db, note):
    """Delete and journal a note and what is attached to it. Call this inside a write transaction."""
    notes.remove(db, note)
    delete_with(db, "note", note["id"])


def delete_with(db, entity_type, entity_id):
    """Deletes and journals what is attached to a record that is deleted.

    Each goes before what is attached to it, so that a task about a document about that task comes to an end.
    """
    todo = [(entity_type, entity_id)]
    for kind, id in todo:                       # grows while it is walked
        todo += [("document", id) for id in documents.delete_with(db, kind, id)]
        todo += [("note", id) for id in notes.delete_with(db, kind, id)]
        todo += [("task", id) for id in tasks.delete_with(db, kind, id)]
