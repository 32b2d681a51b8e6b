"""The calendar feed: its entries, which triggers of the database maintain, and the subscriptions to
it.
"""

import json
import secrets
from datetime import datetime, timedelta, timezone

from eventapi import journal, times
from eventapi.domain.access.api_keys import key_hash
from eventapi.domain.events import icalendar
from eventapi.domain.records import entities, references
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("calendar_feed")

FORM = "text/calendar"
HEADER = "text/calendar; charset=utf-8; method=PUBLISH"  # with the method of the calendar (RFC 5545, 3.7.2)
CANCELLED = timedelta(days=365)  # how long the feed contains a cancelled entry
OVER = timedelta(days=365)  # how long the feed of all events contains an entry after its end
# filters that limit the feed, so that it may contain older entries
WINDOW = (
    "from",
    "to",
    "event_id",
)


def entries(db, kinds, **filters):
    """Return the rows of the entries of these kinds, filtered by `event_id`, `visible`, `from` and
    `to`.

    Entries that were cancelled less than a year ago are included. Without `event_id`, `from` and
    `to`, those that ended more than a year ago are not: the calendar of all events would grow for
    ever.
    """
    values = {name: value for name, value in filters.items() if value is not None}
    now = datetime.now(timezone.utc)
    since = times.text(now - CANCELLED)
    if not any(name in values for name in WINDOW):
        values["from"] = times.text(now - OVER)
    found = db.all(
        sql.entries, frozenset(values), **values, kinds=as_json(kinds), cancelled_since=since
    )
    _add_speakers(db, found)
    return found


def _add_speakers(db, found):
    """Replace `speakers` of each entry, ids of participants as JSON, by their names.

    Anonymised people have none.
    """
    for entry in found:
        entry["speakers"] = json.loads(entry["speakers"] or "[]")
    ids = as_json(sorted({id for entry in found for id in entry["speakers"]}))
    people = {row["id"]: _name(row) for row in db.all(sql.speakers, ids=ids)}
    for entry in found:
        entry["speakers"] = [people[id] for id in entry["speakers"] if people.get(id)]


def _name(row):
    """Return a person with the company in brackets, or what is known of both."""
    person = full_name(row)
    company = row["company_name"]
    return f"{person} ({company})" if person and company else person or company


def state(db, name, found):
    """Return what the bytes of the calendar depend on, as JSON data: the same state means the same
    bytes.
    """
    return [
        name,
        db.config.timezone,
        db.config.language,
        db.value(sql.identity),
        [(entry["id"], entry["sequence"], entry["speakers"]) for entry in found],
    ]


def write(db, name, found):
    """Return the calendar with the entries `found` as bytes."""
    return icalendar.calendar(
        name, found, db.value(sql.identity), db.config.timezone, db.config.language
    )


def delete_old_entries(db, size):
    """Delete at most `size` entries that were cancelled a year ago, in a transaction.

    Calendar programs have read them by then. Return their number.
    """
    with db.write():
        before = times.after(db.now, -CANCELLED)
        return db.run(sql.delete_old_calendar_entries, before=before, size=size)


# Subscriptions


def new_token():
    """Return a random token and its hash. Only the hash is stored."""
    token = secrets.token_urlsafe(24)
    return token, key_hash(token)


def subscribed(db, token):
    """Return the active subscription with this token, or None."""
    row = db.one(sql.subscribed, token_hash=key_hash(token))
    return row and {
        **row,
        "kinds": json.loads(row["kinds"]),
        "visible": 1 if row["visible"] else None,
    }


def get(db, id):
    """Return the subscription, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object and return it.

    Its `url` is null, because the token is not stored.
    """
    row["kinds"] = json.loads(row["kinds"])
    row["visible"], row["is_active"] = bool(row["visible"]), bool(row["is_active"])
    return {**row, "url": None}


def create(db, fields):
    """Create a subscription.

    Return it and its token, which is secret and never stored. `fields` is a complete validated
    body.

    Raise 422 for an unknown event.
    """
    values, (token, token_hash) = _columns(db, fields), new_token()
    subscription = get(db, db.insert(sql.add, **values, token_hash=token_hash, now=db.now))
    journal.created(db, entities.CALENDAR_SUBSCRIPTION, subscription)
    return subscription, token


def update(db, old, fields):
    """Change a subscription and return it.

    `fields` holds the changed fields. Raise 422 for an unknown event.
    """
    values = _columns(db, fields, old)
    if values != _columns(db, {}, old):
        db.run(sql.change, **values, now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.CALENDAR_SUBSCRIPTION, old, new)
    return new


def rotate(db, old):
    """Replace the token.

    Return the subscription and the new token; the old address stops working at once.
    """
    token, token_hash = new_token()
    db.run(sql.rotate, id=old["id"], token_hash=token_hash, now=db.now)
    new = get(db, old["id"])
    journal.acted(db, entities.CALENDAR_SUBSCRIPTION, "rotated", new)
    return new, token


def _columns(db, fields, old=None):
    """Return the columns of a subscription.

    Its event changes only if `fields` names one by id or key. Raise 422 for an unknown event.
    """
    faults = Faults()
    values = {**(old or {}), **fields}
    if any(member in fields for member, _ in EVENT[1]):
        values["event_id"] = references.resolve(db, fields, EVENT, faults)
    faults.raise_any()
    return {**values, "kinds": as_json(values["kinds"])}


def delete(db, subscription):
    """Delete and journal a subscription. Its address stops working."""
    db.run(sql.remove, id=subscription["id"])
    journal.deleted(db, entities.CALENDAR_SUBSCRIPTION, subscription)


def delete_with(db, event_id):
    """Delete the subscriptions to an event that is about to be deleted."""
    for id in db.values(sql.of_event, event_id=event_id):
        delete(db, get(db, id))
