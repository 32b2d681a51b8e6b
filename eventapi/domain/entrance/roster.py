"""The roster: the data with which a device checks badges offline. It holds salted hashes instead of badge numbers."""
from datetime import timedelta
from hashlib import sha256

from eventapi.storage.statements import statements

sql = statements("check_ins")

# A change has the timestamp at which its transaction began, but is visible only after the commit. So each response
# covers the last minute before the previous one again.
OVERLAP = timedelta(minutes=1)
CHUNK = 2000                # badges that are read and written at once, which limits memory


def state(db, event_id):
    """Return `{salt, revision}` of an event's roster.

    The revision changes with each change of a participant and of a badge number.
    """
    return db.one(sql.roster, event_id=event_id)


def badges(db, event_id, salt, updated_since):
    """Yield pieces of a JSON array with `{hash, status}` of each badge, without the brackets of the array.

    `hash` is the hexadecimal SHA-256 of salt and badge number. `status` is that of the participant, or `replaced`.
    `updated_since` may be None.
    """
    given, start, comma = frozenset(("updated_since",) if updated_since else ()), sha256(salt.encode()), ""
    for statement in (sql.badges, sql.aliases):
        last = 0
        while rows := db.all(statement, given, event_id=event_id, updated_since=updated_since, last=last, limit=CHUNK):
            yield comma + ",".join(_badge(start, row) for row in rows)
            last, comma = rows[-1]["id"], ","


def _badge(start, row):
    salted = start.copy()
    salted.update(row["badge_number"].encode())
    # Neither value contains a character that JSON escapes.
    return f'{{"hash":"{salted.hexdigest()}","status":"{row["status"]}"}}'
