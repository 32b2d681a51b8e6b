"""The event feed: the events that webhooks deliver, for clients that cannot receive requests."""

import json
import re

from eventapi import times
from eventapi.domain.webhooks.subscriptions import message_id
from eventapi.errors import invalid_parameter
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("webhooks")

CURSOR = re.compile(r"evt_([1-9]\d{0,17})_(\d{1,12})", re.ASCII)
WINDOW = 20_000  # events that one request examines to find those that the key may read


def read(db, after, size, scopes):
    """Return the events that a key with these scopes may read, after the cursor `after`, at most
    `size`.

    The result is `(events, cursor to continue with, whether more follow, whether some were
    missed)`.
    """
    kept = db.one(sql.kept)
    start, is_missed = _start(db, after, kept)
    newest = kept["newest"] or 0
    until = min(start + WINDOW, newest)
    readable = as_json(sorted({scope.removesuffix(":read") for scope in scopes}))
    rows = db.all(sql.feed, after=start, until=until, scopes=readable, size=size)
    last = rows[-1]["id"] if len(rows) == size else until
    return [represent(row) for row in rows], _cursor(db, last, after), last < newest, is_missed


def represent(row):
    """Return the API object of a row: the message that webhooks deliver, with its id."""
    return {
        "id": message_id(row["id"], row["created_at"]),
        "type": row["name"],
        "timestamp": row["created_at"],
        "data": row["data"] and json.loads(row["data"]),
    }


def _cursor(db, last, after):
    """Return the cursor of the last event that was examined, readable or not.

    Return the cursor that was sent if there is none.
    """
    event = db.one(sql.event, id=last)
    return message_id(event["id"], event["created_at"]) if event else after


def _start(db, after, kept):
    """Return `(id after which to read, whether events after the cursor have been deleted)`."""
    oldest = kept["oldest"] or kept["given"] + 1
    if not after:
        return oldest - 1, False
    found = CURSOR.fullmatch(after)
    id = int(found[1]) if found else 0
    if found and id < oldest:
        return oldest - 1, id < oldest - 1
    event = found and db.one(sql.event, id=id)
    if not event or times.unix(event["created_at"]) != int(found[2]):
        raise invalid_parameter(
            "after",
            "cursor",
            "is not an event of this feed, which may have been restored from a backup. "
            "Start again with an empty after",
        )
    return id, False
