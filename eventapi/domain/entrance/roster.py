"""The roster: what a device needs to check badges without a connection. It holds no badge number, only salted hashes of them."""
from datetime import timedelta
from hashlib import sha256

from eventapi.storage.statements import statements

sql = statements("check_ins")

OVERLAP = timedelta(minutes=1)          # a change is stamped when its write begins, and seen when that ends
PIECE = 2000                # badges read and written at once: as much as is in memory


def state(db, event_id):
    """The salt of the event's roster, and its revision: another one as soon as a participant of the event is."""
    return db.one(sql.roster, event_id=event_id)


def badges(db, event_id, salt, updated_since):
    """Pieces of a JSON array: {hash, status} of each badge, hash being the hex SHA-256 of salt and badge number."""
    given, start, last = frozenset(("updated_since",) if updated_since else ()), sha256(salt.encode()), 0
    comma = ""
    while rows := db.all(sql.badges, given, event_id=event_id, updated_since=updated_since, last=last, limit=PIECE):
        yield comma + ",".join(_badge(start, row) for row in rows)
        last, comma = rows[-1]["id"], ","


def _badge(start, row):
    salted = start.copy()
    salted.update(row["badge_number"].encode())
    return f'{{"hash":"{salted.hexdigest()}","status":"{row["status"]}"}}'          # there is nothing to escape in them
