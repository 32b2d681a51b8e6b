"""Check-ins: the stored visits, and the roster of an event.

admission.py makes the visits from scans. A visit without a check-out ends with the day.
"""

from datetime import timedelta
from hashlib import sha256

from eventapi import journal, times
from eventapi.domain.entrance import badges
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("check_ins")

# field of the contact in the API object -> column of the row
CONTACT = {
    "id": "contact_id",
    "customer_number": "customer_number",
    "company_name": "company_name",
    "first_name": "first_name",
    "last_name": "last_name",
}
CATEGORY = {"id": "category_id", "category_key": "category_key", "title": "category_title"}
# What the API object says about the participant, for the staff and the displays at the entrance.
OF_PARTICIPANT = ("contact", "role", "badge_name", "category")


def get(db, id):
    """Return the check-in, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row, db.now)


def represent(row, now=None):
    """Turn a row into the API object at the time `now` (UTC text), in place, and return it.

    A visit whose day is over has ended.
    """
    ends_at = row.pop("ends_at")
    is_in = ends_at > (now or times.now())
    row["contact"] = {member: row.pop(column) for member, column in CONTACT.items()}
    category = {member: row.pop(column) for member, column in CATEGORY.items()}
    row["category"] = category if category["id"] else None
    row["checked_out_at"] = None if is_in else ends_at
    row["is_checked_in"] = is_in
    row["closed_by"] = row["closed_by"] or (None if is_in else "day_end")
    return row


def stored(record):
    """Return the record as the journal stores it, without what belongs to the participant."""
    return {member: value for member, value in record.items() if member not in OF_PARTICIPANT}


def title(record):
    """Return the title of a check-in in the audit log."""
    return f"{record['contact']['customer_number']} at {record['event_key']}"


def update(db, old, fields):
    """Change station and notes of a check-in and return it.

    `fields` holds the changed fields. Call this inside a write transaction.

    Raise 422 for another value of any other field: those record the scan. Raise 409 `anonymized`
    for new notes on an anonymised contact.
    """
    _check_fixed(old, fields)
    anonymity.refuse_text(db, entities.CHECK_IN, old, fields)
    changes = {name: fields.get(name, old[name]) for name in ("station", "notes")}
    if any(old[name] != value for name, value in changes.items()):
        db.run(sql.correct, **changes, id=old["id"], now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.CHECK_IN, stored(old), stored(new), title=title(new))
    return new


def _check_fixed(record, fields):
    """Raise 422 if `fields` changes more than station and notes.

    The present values may be sent again.
    """
    present = {
        **record,
        "participant_id": record["event_participant_id"],
        "scanned_at": record["checked_in_at"],
        "action": "check_in",
        "force": False,
    }
    sent = {
        name: badges.normal(value) if name == "badge_number" and value else value
        for name, value in fields.items()
    }
    faults = Faults()
    for name in sent.keys() - {"station", "notes"}:
        if sent[name] != present[name]:
            faults.add(
                f"/{name}",
                "fixed",
                "cannot change. Delete the check-in and send a new scan instead",
            )
    faults.raise_any()


def stats(db, event, day=None):
    """Count the visitors, check-ins and check-outs of an event, or of one day of it, in total, by
    station and by hour.

    A visit counts on the day of its check-in. `event` has `id`, `timezone` and `day_ends_at`; `day`
    is a date in that zone. The result is the `stats` of schemas/check_in.json.
    """
    _, day_end = times.day_around(times.now(), event["day_ends_at"], event["timezone"])
    values = {"event_id": event["id"], "date": day, "day_end": day_end}
    given = frozenset(("date",) if day else ())
    with db.snapshot():
        stations, hours = db.all(sql.stations, given, **values), db.all(sql.hours, given, **values)
        visitors = db.value(sql.visitors, event_id=event["id"], day=day or "")
    stations = [{**row, "station": row["station"] or None} for row in stations if row["check_ins"]]
    return {
        "present": sum(row["present"] for row in stations),
        "visitors": visitors or 0,
        "check_ins": sum(row["check_ins"] for row in stations),
        "check_outs": sum(row["check_outs"] for row in hours),
        "stations": stations,
        "hours": hours,
    }


# The roster: the data with which a device checks badges offline. It holds salted hashes instead of
# badge numbers

# A change has the timestamp at which its transaction began, but is visible only after the commit.
# So each response covers the last minute before the previous one again.
OVERLAP = timedelta(minutes=1)
CHUNK = 2000  # badges that are read and written at once, which limits memory


def roster(db, event_id):
    """Return `{salt, revision}` of an event's roster.

    The revision changes with each change of a participant and of a badge number.
    """
    return db.one(sql.roster, event_id=event_id)


def roster_badges(db, event_id, salt, updated_since):
    """Yield pieces of a JSON array with `{hash, status}` of each badge, without the brackets of the
    array.

    `hash` is the hexadecimal SHA-256 of salt and badge number. `status` is that of the participant,
    or `replaced`. `updated_since` may be None.
    """
    given = frozenset(("updated_since",) if updated_since else ())
    start = sha256(salt.encode())
    comma = ""
    for statement in (sql.badges, sql.aliases):
        last = 0
        while rows := db.all(
            statement, given, event_id=event_id, updated_since=updated_since, last=last, limit=CHUNK
        ):
            yield comma + ",".join(_badge(start, row) for row in rows)
            last, comma = rows[-1]["id"], ","


def _badge(start, row):
    salted = start.copy()
    salted.update(row["badge_number"].encode())
    # Neither value contains a character that JSON escapes.
    return f'{{"hash":"{salted.hexdigest()}","status":"{row["status"]}"}}'
