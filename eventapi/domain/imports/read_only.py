"""Read-only fields in the records of an import (validation/read_only.py).

A record is refused for them as an update is, and `details` names those that had no effect. The columns of our own list
refuse nothing: a list that is exported, changed and imported again contains states that nobody asks for, and which may
have changed meanwhile.
"""

from eventapi.domain.imports import fields
from eventapi.domain.imports.known import Record
from eventapi.domain.newsletter import subscriptions
from eventapi.errors import Problem
from eventapi.storage.database import Database


def compare(read: "fields.Reader", record: Record, before: dict | None, after: dict) -> None:
    """Set `ignored` of a record that has changed `before` to `after`.

    `before` is None for a new contact or participant. Raise 422 `read_only`.
    """
    record.ignored = read.read_only.compared(
        record.read_only, before, after, refuses=not read.is_own_list
    )


def compare_new_contact(db: Database, read: "fields.Reader", record: Record) -> bool:
    """Compare a record with the contact that it will create. Return whether it is accepted;
    otherwise the record is rejected.
    """
    email = record.body.get("email")
    subscriber = email and subscriptions.by_email(db, email)
    contact = {
        "has_account": False,
        "newsletter_status": subscriber["status"] if subscriber else "none",
        "anonymized_at": None,
    }
    try:
        compare(read, record, None, contact)
    except Problem as problem:
        record.reject(fields.as_faults(problem))
        return False
    return True
