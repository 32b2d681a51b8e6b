"""Due dates: a day, a moment, or so many days before or after a date of the event; kept as given and as the UTC instant it means.

A schema has them as `due` of schemas/submission_type.json, a column holds the given one as JSON text (`stored`, `given`).
When the dates or the zone of an event change, events.py moves the instants of the tasks and submission types that are due with it.
"""
import json

from eventapi import times
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("due_dates")

INSTEAD = {"date_to": "date_from"}          # an event without an end ends on its first day


def event_of(db, event_id):
    """What `instant` has to know of an event; None where there is none."""
    return event_id and db.one(sql.event, id=event_id)


def stored(due):
    """The given due date as a column holds it."""
    return None if due is None else as_json(due)


def given(text):
    """The due date of a column as it was given."""
    return text and json.loads(text)


def instant(db, due, event, zone=None):
    """The last UTC instant that is in time, or None: nothing is due, or the event has no such date yet.

    A day means all of it, in the zone: the event's, or the tenant's where there is no event. OverflowError outside of the calendar.
    """
    zone = zone or (event["timezone"] if event else db.config.timezone)
    return times.end(_resolved(due, event, zone), zone)


def _resolved(due, event, zone):
    """The day or moment that a due date means."""
    if not isinstance(due, dict):
        return due
    name = due.get("before") or due["after"]
    known = event and (event[name] or event[INSTEAD.get(name, name)])
    return times.shifted(known, -due["days"] if "before" in due else due["days"], zone)


def settled(db, due, event, faults, at="/due"):
    """`instant` of a body: a relative one needs an event, and one outside of the calendar is a fault."""
    if isinstance(due, dict) and event is None:
        faults.add(at, "no_event", "is relative to an event, and none is named: give a day or a moment")
        return None
    try:
        return instant(db, due, event)
    except OverflowError:
        faults.add(at, "date", "lies outside of the calendar")
        return None


def copied(due, days, zone):
    """The due date in a copy of the event that takes place so many days later: a relative one moves by itself."""
    return due if due is None or isinstance(due, dict) else times.shifted(due, days, zone)
