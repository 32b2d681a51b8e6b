"""What is attached to a record, its notes, tasks and documents, goes with it."""
from eventapi.services import documents, notes, tasks


def delete_with(db, entity_type, entity_id):
    """Deletes and journals what is attached to a record that is about to be deleted."""
    documents.delete_with(db, entity_type, entity_id)
    notes.delete_with(db, entity_type, entity_id)
    tasks.delete_with(db, entity_type, entity_id)
