"""What is attached to a record, its notes and tasks, goes with it."""
from eventapi.services import notes, tasks


def delete_with(db, entity_type, entity_id):
    """Deletes and journals what is attached to a record that is about to be deleted."""
    notes.delete_with(db, entity_type, entity_id)
    tasks.delete_with(db, entity_type, entity_id)
