"""Deletion of what is attached to a record: documents, notes and tasks, and what is attached to
these in turn.
"""

from eventapi.domain.attachments import document_rows, notes, tasks


def delete_task(db, task):
    """Delete and journal a task and what is attached to it. Call this inside a write transaction."""
    tasks.remove(db, task)
    delete_with(db, "task", task["id"])


def delete_note(db, note):
    """Delete and journal a note and what is attached to it. Call this inside a write transaction."""
    notes.remove(db, note)
    delete_with(db, "note", note["id"])


def delete_with(db, entity_type, entity_id):
    """Delete and journal what is attached to a record that is deleted.

    Call this inside a write transaction.

    Each record is deleted before what is attached to it, so that a task about a document about that
    task ends the loop.
    """
    todo = [(entity_type, entity_id)]
    for kind, id in todo:  # the loop appends to the list that it reads
        todo += [("document", id) for id in document_rows.delete_with(db, kind, id)]
        todo += [("note", id) for id in notes.delete_with(db, kind, id)]
        todo += [("task", id) for id in tasks.delete_with(db, kind, id)]
