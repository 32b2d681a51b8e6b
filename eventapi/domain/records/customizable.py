"""Customizable: the kinds of record that carry custom fields, and their values changed without the rest of the record."""
from typing import Callable, NamedTuple

from eventapi import journal
from eventapi.domain.events import events
from eventapi.domain.halls import booths
from eventapi.domain.people import applications, contacts, participants
from eventapi.domain.records import anonymity, custom_fields, entities
from eventapi.domain.submissions import submissions
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("customizable")


class Access(NamedTuple):
    """`get(db, id)` returns the record as the journal receives it, or None; the statement `touch` sets `updated_at`."""
    get: Callable
    touch: object


KINDS = {
    "contact": Access(contacts.state, sql.touch_contact),
    "application": Access(applications.get, sql.touch_application),
    "event_participant": Access(participants.get, sql.touch_participant),
    "event": Access(events.get, sql.touch_event),
    "booth": Access(booths.stored, sql.touch_booth),
    "submission": Access(submissions.get, sql.touch_submission),
}


def get(db, entity_type, id):
    return KINDS[entity_type].get(db, id)


def replace(db, entity_type, old, values):
    """Replace all values of the record `old` and return the record. Raise 422 for values that its custom fields do not allow."""
    faults = Faults()
    after = custom_fields.replaced(db, entity_type, values, old["custom_fields"], faults)
    faults.raise_any()
    return change(db, entity_type, old, after)


def merge(db, entity_type, old, values):
    """Change some values of the record `old` and return the record; None removes one. Raise 422 as `replace` does."""
    faults, stored = Faults(), old["custom_fields"]
    after = custom_fields.merged(db, entity_type, values, stored, stored, faults, "")
    faults.raise_any()
    return change(db, entity_type, old, after)


def change(db, entity_type, old, values):
    """Gives a record these values and no others; it is journalled as a change of the record."""
    kind, id = KINDS[entity_type], old["id"]
    if values == old["custom_fields"]:
        return old
    anonymity.refuse(db, entity_type, id)
    custom_fields.store(db, entity_type, id, old["custom_fields"], values)
    db.run(kind.touch, id=id, now=db.now)
    new = kind.get(db, id)
    journal.updated(db, entities.KINDS[entity_type], old, new)
    return new
