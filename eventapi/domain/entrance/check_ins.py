"""Check-ins as they are answered and journalled: visits, which end with their day where nobody scanned out."""
from eventapi import times
from eventapi.storage.statements import statements

sql = statements("check_ins")

CONTACT = {"id": "contact_id", "customer_number": "customer_number", "company_name": "company_name", "first_name": "first_name",
           "last_name": "last_name"}


def get(db, id):
    """The check-in, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row, db.now)


def represent(row, now=None):
    """A row as it is answered now: a visit whose day is over has ended, though nobody has written so."""
    ends_at = row.pop("ends_at")
    is_in = ends_at > (now or times.now())
    row["contact"] = {member: row.pop(column) for member, column in CONTACT.items()}
    row["checked_out_at"] = None if is_in else ends_at
    row["is_checked_in"] = is_in
    row["closed_by"] = row["closed_by"] or (None if is_in else "day_end")
    return row


def stored(record):
    """What the journal keeps: who the contact is stands there already."""
    return {member: value for member, value in record.items() if member != "contact"}


def title(record):
    """What the audit log calls a check-in."""
    return f"{record['contact']['customer_number']} at {record['event_key']}"
