"""The roster of the page at the door: all badges of an event in 6 bytes each, without numbers and
names.

A device with the roster knows offline whether a badge may enter. All integers are big-endian:

    "EVR1", or "EVD1" with changes only             4 bytes
    event_id                                        u32
    salt                                            16 bytes
    revision, which changes with each badge         u64
    time of the server in seconds since 1970        u64
    colours of categories, red, green, blue         8 × 3 bytes; the first one means none
    number of entries                               u32
    entries, sorted                                 5 bytes of SHA-256(salt + badge number), 1 byte of flags

Flags: bits 0 and 1 the status (0 admit, 1 cancelled, 2 replaced), bits 2 to 4 the role (index in
ROLES), bits 5 to 7 the colour. The hashes reveal no number: each of the 2^40 values belongs to
about 870 possible numbers.
"""

import secrets
import struct
import time
from datetime import datetime, timezone
from hashlib import sha256
from itertools import pairwise

from eventapi import times
from eventapi.domain.entrance.check_ins import OVERLAP
from eventapi.storage.statements import statements

sql = statements("door")

HEAD = struct.Struct(">4sI16sQQ24sI")
TIME = slice(32, 40)  # of the time of the server in a roster
STATUS = {"registered": 0, "confirmed": 0, "cancelled": 1, "replaced": 2}
ROLES = ("exhibitor", "co_exhibitor", "sponsor", "speaker", "visitor", "press", "staff")
HASH, STATUS_BITS = 5, 3  # bytes of a hash; mask of the status in the flags
DRAWS = 5  # at 150,000 badges, 1 of 100 salts makes two of them alike


def state(db, event_id):
    """Return `{door_salt, revision, colours}`: what the head of the roster of an event contains.

    `door_salt` is 16 bytes, or None before the first device has asked. `colours` is a list of at
    most seven `#rrggbb`.
    """
    row = db.one(sql.roster, event_id=event_id)
    return {**row, "colours": db.values(sql.colours, event_id=event_id)}


def whole(db, event_id, kept):
    """Return the roster with all badges of an event, as bytes.

    Forty phones ask for it in a morning, and a large event takes 0.3 s. So `kept`, a `Kept`, has
    the bytes for each state of the event; only the time of the server is new each time.
    """
    seconds = int(time.time())  # before the state is read: later changes are not in the roster
    now = state(db, event_id)
    if now["door_salt"] is None:
        _renew_salt(db, event_id, None)
        now = state(db, event_id)
    colours = tuple(db.tuples(sql.colours_of_categories))
    key = (
        str(db.config.database),
        event_id,
        now["door_salt"],
        now["revision"],
        tuple(now["colours"]),
        colours,
    )
    roster = bytearray(kept.get(key, lambda: _made(db, event_id)))
    roster[TIME] = seconds.to_bytes(8, "big")
    return bytes(roster)


def _made(db, event_id):
    """Return the roster of this moment, with another salt if a badge has been added whose hash
    equals another one's.
    """
    seconds, now, entries = _read(db, event_id)
    if _are_alike(entries):
        _renew_salt(db, event_id, now["door_salt"])
        seconds, now, entries = _read(db, event_id)
    return _packed(b"EVR1", event_id, now, seconds, entries)


def _renew_salt(db, event_id, old):
    """Draw a salt and store it in a transaction of its own, unless another process has replaced
    `old` meanwhile.
    """
    salt = _draw(db, event_id)
    with db.write():
        db.run(sql.set_salt, event_id=event_id, salt=salt, old=old)


def changes(db, event_id, since):
    """Return the badges that changed at or after `since` (UTC text), and in the minute before it,
    as bytes.

    Return None if the event has no roster yet. A device whose salt or colours differ needs the
    whole roster.
    """
    since = times.text(datetime.fromisoformat(since).astimezone(timezone.utc) - OVERLAP)
    seconds, now, entries = _read(db, event_id, since)
    return now["door_salt"] and _packed(b"EVD1", event_id, now, seconds, entries)


def _read(db, event_id, since=None):
    """Return (time of the server in seconds, state, sorted entries), all of one moment."""
    seconds = int(time.time())
    with db.snapshot():
        now = state(db, event_id)
        return (
            seconds,
            now,
            sorted(_entries(db, event_id, now["door_salt"] or b"", now["colours"], since)),
        )


def _entries(db, event_id, salt, colours, since=None):
    """Yield the entry of each badge, or of each that changed since a time."""
    start, places = sha256(salt), {colour: place for place, colour in enumerate(colours, 1)}
    roles = {role: place for place, role in enumerate(ROLES)}
    values = {"event_id": event_id, "since": since} if since else {"event_id": event_id}
    for statement in (
        (sql.changed_badges, sql.changed_aliases) if since else (sql.badges, sql.aliases)
    ):
        for number, status, role, colour in db.tuples(statement, **values):
            salted = start.copy()
            salted.update(number.encode())
            flags = STATUS[status] | roles[role] << 2 | places.get(colour, 0) << 5
            yield salted.digest()[:HASH] + bytes((flags,))


def _are_alike(entries):
    """Return whether two of these sorted entries have the same hash."""
    return any(one[:HASH] == other[:HASH] for one, other in pairwise(entries))


def _draw(db, event_id):
    """Return a new salt, with which no two badges of the event are alike."""
    for _ in range(DRAWS):
        salt = secrets.token_bytes(16)
        with db.snapshot():
            if not _are_alike(sorted(_entries(db, event_id, salt, ()))):
                break
    return salt


def _packed(kind, event_id, now, seconds, entries):
    """Return a roster as bytes. Of entries that are alike, the one with the strictest status stays."""
    stricter = (
        sorted(entries, key=lambda entry: entry[HASH] & STATUS_BITS)
        if _are_alike(entries)
        else entries
    )
    entries = sorted({entry[:HASH]: entry for entry in stricter}.values())
    colours = b"".join(bytes.fromhex(colour[1:]) for colour in ("#000000", *now["colours"])).ljust(
        24, b"\0"
    )
    head = HEAD.pack(
        kind, event_id, now["door_salt"], now["revision"], seconds, colours, len(entries)
    )
    return head + b"".join(entries)
