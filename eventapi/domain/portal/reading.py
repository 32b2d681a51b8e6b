"""The records of one participant.

Its page reads nothing but by these functions, so it never shows those of others.

`participant` is the result of `participant`. An id that belongs to another participant is not
found.
"""

import json

from eventapi import times
from eventapi.domain.attachments import document_rows
from eventapi.domain.billing import invoices, service_days
from eventapi.domain.orders import offers, orders
from eventapi.domain.submissions import submissions
from eventapi.names import display_name
from eventapi.storage.statements import statements

sql = statements("portal")


def participant(db, id):
    """Return the participant with its contact and the title of its category, or None."""
    return db.one(sql.participant, participant_id=id)


def last_day(db, participant):
    """Return the last day of the event, which decides whether its prices have VAT; today without dates."""
    _, last = service_days.of_event(db, participant["event_id"])
    return last or times.today(db.config.timezone, db.now)


def is_untaxed(db, participant):
    """Return whether the organiser is a small business at the event, so that its prices have no VAT."""
    return db.config.is_small_business(last_day(db, participant))


def name_of(row):
    """Return the company or the person that takes part."""
    return display_name(row)


def types(db, participant):
    """Return the submission types for the participant, each with the state of its submission.

    `state` is missing, draft, submitted, revision_requested, rejected or approved.
    """
    return [_type(row) for row in db.all(sql.types, participant_id=participant["id"])]


def state_of(status):
    """Return the state of what is asked for, by the status of its submission, or None without one."""
    return {None: "missing", "pending": "draft"}.get(status, status)


def _type(row):
    return {
        **row,
        "value": row["value"] and json.loads(row["value"]),
        "allowed_extensions": json.loads(row["allowed_extensions"]),
        "state": state_of(row["status"]),
    }


def type_by_key(db, participant, key):
    """Return the submission type with this key, as `types` does, or None."""
    return next((kind for kind in types(db, participant) if kind["key"] == key), None)


def submission(db, kind):
    """Return the submission of a row of `types`, or None."""
    return kind["submission_id"] and submissions.get(db, kind["submission_id"])


def revisions(db, kind):
    """Return the revisions of the submission of a row of `types`, the last one first, without names
    of the office.
    """
    if not kind["submission_id"]:
        return []
    return [
        {
            name: row[name]
            for name in ("revision", "status", "value", "filename", "submitted_at", "feedback")
        }
        for row in reversed(submissions.revisions(db, kind["submission_id"]))
    ]


def file_of(db, participant, submission_id, revision=None):
    """Return {sha256, filename} of the file of a submission, or of a revision, or None."""
    if revision is None:
        return db.one(sql.file, participant_id=participant["id"], id=submission_id)
    return db.one(
        sql.revision_file, participant_id=participant["id"], id=submission_id, revision=revision
    )


def catalogue(db, participant):
    """Return the services that can be ordered, with their terms at the event: texts and a row of
    `offers.at_event`.
    """
    texts = db.all(sql.offers, participant_id=participant["id"])
    known = offers.at_event(db, participant["event_id"], [row["id"] for row in texts])
    return [{**known[row["id"]], **row} for row in texts]


def orders_of(db, participant):
    """Return the rows of the orders, the last one first."""
    return [orders.row(db, id) for id in db.values(sql.orders, participant_id=participant["id"])]


def contracts(db, participant):
    """Return the rows of the contracts that were sent to be signed."""
    return [
        document_rows.row(db, id)
        for id in db.values(sql.contracts, participant_id=participant["id"])
    ]


def contract(db, participant, id):
    """Return the row of a contract that was sent to be signed, or None."""
    return _one(contracts(db, participant), id)


def invoices_of(db, participant):
    """Return the rows of the invoices and credit notes that were sent, the last one first."""
    return [
        invoices.row(db, id) for id in db.values(sql.invoices, participant_id=participant["id"])
    ]


def owed(rows):
    """Return {invoice id: what is to be paid of it, in minor units} for rows of `invoices_of`.

    Credit of the exhibitor in the same currency counts first for what is due first, as an offset would.
    """
    credit = {}
    for row in rows:
        if row["open_amount"] < 0:
            credit[row["currency"]] = credit.get(row["currency"], 0) - row["open_amount"]

    left = {}
    is_open = [row for row in rows if row["status"] in invoices.OPEN and row["open_amount"] > 0]
    for row in sorted(is_open, key=lambda row: (row["due_date"], row["id"])):
        currency = row["currency"]
        counted = min(credit.get(currency, 0), row["open_amount"])
        if counted:
            credit[currency] -= counted
        left[row["id"]] = row["open_amount"] - counted
    return left


def invoice(db, participant, id):
    """Return the row of an invoice that was sent, or None."""
    return _one(invoices_of(db, participant), id)


def slots(db, participant):
    """Return the sessions of the participant by time."""
    return db.all(sql.slots, participant_id=participant["id"])


def _one(rows, id):
    return next((row for row in rows if row["id"] == id), None)
