"""Due dates: a date, a timestamp, or a number of days before or after a date of the event.

A due date is stored twice: as given, in JSON text (`stored`, `given`), and as the UTC timestamp
that it means (`timestamp`). Its schema is `due` of schemas/submission_type.json. When the dates or
the time zone of an event change, events.py computes the timestamps of its tasks and submission
types again.
"""

import json

from eventapi import times
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("due_dates")

FALLBACKS = {"date_to": "date_from"}  # an event without an end ends on its first day


def event_of(db, event_id):
    """Return the dates and the time zone of an event, which `timestamp` needs, or None if there is
    no such event.
    """
    return event_id and db.one(sql.event, id=event_id)


def stored(due):
    """Return a due date as its column stores it: as JSON text, or None."""
    return None if due is None else as_json(due)


def given(text):
    """Return the due date of a column as it was given."""
    return text and json.loads(text)


def timestamp(db, due, event, zone=None):
    """Return the last UTC timestamp that is in time, or None if nothing is due or the event has no
    such date yet.

    A date means the end of that day in `zone`. The default is the time zone of the event, or of the
    tenant if there is no event. Raise OverflowError for a timestamp outside the years 2 to 9998.
    """
    zone = zone or (event["timezone"] if event else db.config.timezone)
    return times.end(_absolute(due, event, zone), zone)


def _absolute(due, event, zone):
    """Return the date or timestamp that a due date means, or None."""
    if not isinstance(due, dict):
        return due
    name = due.get("before") or due["after"]
    known = event and (event[name] or event[FALLBACKS.get(name, name)])
    return times.shifted(known, -due["days"] if "before" in due else due["days"], zone)


def resolve(db, due, event, faults, at="/due"):
    """Return the `timestamp` of the due date of a body, or None.

    Add a fault at the pointer `at` for a relative due date without an event, and for one outside
    the calendar.
    """
    if isinstance(due, dict) and event is None:
        faults.add(
            at,
            "no_event",
            "is relative to an event, but the record belongs to no event. "
            "Send a date or a date-time",
        )
        return None
    try:
        return timestamp(db, due, event)
    except OverflowError:
        faults.add(
            at, "date", "results in a date that is out of range: the year must be from 2 to 9998"
        )
        return None


def copied(due, days, zone):
    """Return the due date for a copy of the event that is `days` days later.

    A relative one stays as it is.
    """
    return due if due is None or isinstance(due, dict) else times.shifted(due, days, zone)
