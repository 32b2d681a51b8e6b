"""Submission types: the values and files that an event requests from its participants, with due
dates.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal
from eventapi.domain.records import due_dates, entities, references, slugs
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults, Problem, quoted
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("submission_types")

SWITCHES = ("needs_approval", "is_required", "is_active")
FIXED = ("event_id", "input")  # these cannot change once there are submissions


def get(db, id):
    """Return the type, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row.update({name: bool(row[name]) for name in SWITCHES})
    row["allowed_extensions"] = json.loads(row["allowed_extensions"])
    row["roles"] = json.loads(row["roles"])
    row["due"] = due_dates.given(row["due"])
    return row


def create(db, fields):
    """Create a submission type and return it.

    `fields` is a complete validated body; a missing `key` is made from the title.

    Raise 422 for everything that is wrong with the fields, 409 `duplicate` for a taken key.
    """
    values = _checked(db, fields, fields)
    values["key"] = values["key"] or slugs.free_key(
        db, sql.key_taken, "key", values["title"], event_id=values["event_id"]
    )
    _claim_key(db, values)
    return add(db, values)


def update(db, old, fields):
    """Change a submission type and return it.

    `fields` holds the changed fields. A new due date applies to existing submissions, too.

    Raise 422 as `create` does; 409 `duplicate`, or `in_use` for another event or input after
    something was submitted.
    """
    before, values = columns(db, old, Faults()), _checked(db, fields, {**old, **fields})
    _claim_key(db, values, but=old["id"])
    changed = [name for name in FIXED if values[name] != old[name]]
    if changed:
        _refuse_used(db, old["id"], f"{quoted(changed)} cannot change. Create another type instead")
    return old if all(values[name] == before[name] for name in before) else change(db, old, values)


def delete(db, kind):
    """Delete a submission type. Raise 409 `in_use` if it has submissions."""
    _refuse_used(db, kind["id"], "it cannot be deleted. Set `is_active` to false instead")
    remove(db, kind)


def _checked(db, fields, kind):
    """Return the columns of the type `kind`, which holds these fields.

    Raise 422 for everything that is wrong with it.
    """
    faults = Faults()
    event_id = references.resolve(db, fields, EVENT, faults) or kind.get("event_id")
    faults.raise_any()
    values = columns(db, {**kind, "event_id": event_id}, faults)
    faults.raise_any()
    return values


def _refuse_used(db, id, consequence):
    """Raise 409 `in_use` if the type has submissions."""
    if db.value(sql.has_submissions, id=id):
        raise Problem(
            "in_use",
            f"The submission type has submissions, so {consequence}.",
            used_by=["submissions"],
        )


def _claim_key(db, kind, but=None):
    slugs.claim_key(
        db,
        sql.key_taken,
        "submission type of the event",
        "key",
        kind["key"],
        but,
        event_id=kind["event_id"],
    )


def columns(db, kind, faults):
    """Return the type as columns.

    Add a fault for each field that contradicts another one or the upload limit.
    """
    extensions = list(dict.fromkeys(name.lower() for name in kind["allowed_extensions"]))
    if kind["input"] != "file":
        for name in ("allowed_extensions", "max_size_mb"):
            if kind[name]:
                faults.add(
                    f"/{name}",
                    "not_for_input",
                    f"is allowed only if `input` is file, but is {kind['input']}",
                )
    if kind["max_length"] and kind["input"] not in ("text", "textarea"):
        faults.add(
            "/max_length",
            "not_for_input",
            f"is allowed only if `input` is text or textarea, but is {kind['input']}",
        )
    if (kind["max_size_mb"] or 0) > db.config.max_upload_mb:
        faults.add(
            "/max_size_mb",
            "maximum",
            f"must be at most {db.config.max_upload_mb}, the upload limit of this server",
        )
    event = due_dates.event_of(db, kind["event_id"])
    due_at = due_dates.resolve(db, kind["due"], event, faults) if event else None
    return {
        **kind,
        "allowed_extensions": as_json(extensions),
        "roles": as_json(list(dict.fromkeys(kind["roles"]))),
        "due": due_dates.stored(kind["due"]),
        "due_at": due_at,
    }


def add(db, values):
    """Store a new type from its columns, journal it and return it."""
    new = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.SUBMISSION_TYPE, new)
    return new


def change(db, old, values):
    """Store other columns of a type, journal them and return the type.

    Its submissions get the same `due_at`, which needs no audit entry of its own.
    """
    db.run(sql.change, **values, now=db.now)
    db.run(sql.move_submissions, id=old["id"], due_at=values["due_at"], now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.SUBMISSION_TYPE, old, new)
    return new


def move_due_dates(db, event):
    """Compute `due_at` of all types of an event again, after its dates or its time zone changed.

    Raise OverflowError for a timestamp out of range.
    """
    for kind in of_event(db, event["id"]):
        due_at = due_dates.timestamp(db, kind["due"], event)
        if due_at != kind["due_at"]:
            change(db, kind, columns(db, kind, Faults()))


def of_event(db, event_id):
    """Return the types of an event as API objects."""
    return [represent(row) for row in db.all(sql.of_event, event_id=event_id)]


def copy_types(db, old_id, new_id, days):
    """Copy the types of an event to its copy, which takes place `days` days later.

    They have no submissions.
    """
    event = due_dates.event_of(db, new_id)
    for kind in of_event(db, old_id):
        due = due_dates.copied(kind["due"], days, event["timezone"])
        faults = Faults()
        values = columns(db, {**kind, "event_id": new_id, "due": due}, faults)
        faults.raise_any()
        add(db, values)


def remove(db, kind):
    """Delete and journal a type that has no submissions."""
    db.run(sql.remove, id=kind["id"])
    journal.deleted(db, entities.SUBMISSION_TYPE, kind)


def delete_with(db, event_id):
    """Delete and journal the types of an event that is about to be deleted.

    The caller makes sure that they have no submissions.
    """
    for kind in of_event(db, event_id):
        remove(db, kind)
