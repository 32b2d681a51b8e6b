"""Customizable: the kinds of record that carry custom fields, and their values changed without the rest of the record."""
from typing import Callable, NamedTuple

from eventapi import journal
from eventapi.domain.events import events
from eventapi.domain.halls import booths
from eventapi.domain.people import applications, contacts, participants
from eventapi.domain.records import anonymity, custom_fields
from eventapi.domain.submissions import submissions
from eventapi.storage.statements import statements

sql = statements("customizable")


class Kind(NamedTuple):
    """`get(db, id)` is the record as the journal tells it, or None; `touch` stamps it as changed."""
    get: Callable
    touch: object
    title: Callable
    scope: str


KINDS = {
    "contact": Kind(contacts.state, sql.touch_contact, contacts.title, "contacts"),
    "application": Kind(applications.get, sql.touch_application, contacts.title, "applications"),
    "event_participant": Kind(participants.get, sql.touch_participant, participants.title, "participants"),
    "event": Kind(events.get, sql.touch_event, lambda event: event["title"], "events"),
    "booth": Kind(booths.stored, sql.touch_booth, lambda booth: booth["booth_number"], "booths"),
    "submission": Kind(submissions.get, sql.touch_submission, submissions.title, "submissions"),
}


def get(db, entity_type, id):
    return KINDS[entity_type].get(db, id)


def change(db, entity_type, old, values):
    """Gives a record these values and no others; it is journalled as a change of the record."""
    kind, id = KINDS[entity_type], old["id"]
    if values == old["custom_fields"]:
        return old
    anonymity.refuse(db, entity_type, id)
    custom_fields.store(db, entity_type, id, old["custom_fields"], values)
    db.run(kind.touch, id=id, now=db.now)
    new = kind.get(db, id)
    journal.updated(db, entity_type, old, new, title=kind.title(new), scope=kind.scope)
    return new
