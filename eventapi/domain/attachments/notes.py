"""Notes go with the record they are about."""
from eventapi import journal
from eventapi.domain.records import entities
from eventapi.storage.statements import statements

sql = statements("notes")


def delete_with(db, entity_type, entity_id):
    """Deletes and journals the notes of a record that is about to be deleted; gives their ids."""
    found = db.all(sql.of_entity, entity_type=entity_type, entity_id=entity_id)
    for note in found:
        db.run(sql.remove, id=note["id"])
        journal.deleted(db, entities.NOTE, represent(note))
    return [note["id"] for note in found]


def represent(row):
    row["is_pinned"] = bool(row["is_pinned"])
    return row
