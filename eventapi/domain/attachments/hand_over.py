"""Merging: tasks, documents and notes of a record go to the one that it is merged into.

Every function is called inside a write transaction.
"""

from eventapi.domain.attachments import document_rows, notes, tasks


def of_record(db, entity_type, old_id, new_id):
    """Move what is attached to a record to another one of its kind, and journal each change."""
    tasks.move_to(db, entity_type, old_id, new_id)
    document_rows.move_to(db, entity_type, old_id, new_id)
    notes.move_to(db, entity_type, old_id, new_id)


def of_contact(db, contact_id, duplicate_id):
    """Move what is attached to the duplicate to the contact."""
    of_record(db, "contact", duplicate_id, contact_id)


def of_participant(db, kept_id, other_id):
    """Move what is attached to the participant `other_id` to `kept_id`."""
    of_record(db, "event_participant", other_id, kept_id)
