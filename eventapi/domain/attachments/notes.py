"""Notes: texts of admins about other records.

Every function that writes is called inside a write transaction and journals the change.
`cascade.delete_note` deletes a note with what is attached to it.
"""

from eventapi import journal
from eventapi.domain.records import anonymity, entities
from eventapi.errors import invalid_at
from eventapi.storage.statements import statements

sql = statements("notes")


# Reading


def get(db, id):
    """Return the note, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["is_pinned"] = bool(row["is_pinned"])
    return row


# Writing


def create(db, fields, admin_id):
    """Create a note and return it. `fields` is a complete validated body; `admin_id` is its author.

    Raise 422 for an unknown record; 409 `anonymized` if that is one of an anonymised contact.
    """
    _check_entity(db, fields)
    anonymity.refuse(db, fields["entity_type"], fields["entity_id"])
    note = represent(db.one(sql.add, **fields, admin_id=admin_id, now=db.now, stamp=db.stamp))
    journal.created(db, entities.NOTE, note)
    return note


def update(db, old, fields):
    """Change a note and return it.

    `fields` holds the changed fields. Raise 422 and 409 as `create` does.
    """
    merged = {**old, **fields}
    if any(merged[name] != old[name] for name in ("entity_type", "entity_id")):
        _check_entity(db, merged)
    if merged == old:
        return old
    anonymity.refuse(db, merged["entity_type"], merged["entity_id"])
    db.run(sql.change, **merged, now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.NOTE, old, new)
    return new


def remove(db, note):
    """Delete a note, but not what is attached to it."""
    db.run(sql.remove, id=note["id"])
    journal.deleted(db, entities.NOTE, note)


def move_to(db, entity_type, old_id, new_id):
    """Attach the notes of a record to the record of its kind that it is merged into."""
    for row in db.all(sql.of_entity, entity_type=entity_type, entity_id=old_id):
        old = represent(row)
        db.run(sql.move, id=old["id"], entity_id=new_id, now=db.now)
        journal.updated(
            db, entities.NOTE, old, {**old, "entity_id": new_id, "updated_at": db.stamp}
        )


def delete_with(db, entity_type, entity_id):
    """Delete the notes about a record that is about to be deleted. Return their ids."""
    notes = [
        represent(row)
        for row in db.all(sql.of_entity, entity_type=entity_type, entity_id=entity_id)
    ]
    for note in notes:
        remove(db, note)
    return [note["id"] for note in notes]


def _check_entity(db, note):
    """Raise 422 unless `entity_type` and `entity_id` refer to a record."""
    if not db.value(
        sql.entity_exists, entity_type=note["entity_type"], entity_id=note["entity_id"]
    ):
        raise invalid_at(
            "/entity_id",
            "unknown",
            f"is unknown: no {note['entity_type']} has the id {note['entity_id']}",
        )
