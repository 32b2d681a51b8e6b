"""Erase the data about a contact, as article 17 of the GDPR requires.

Erasure removes personal data from all records, the audit log, outgoing events and stored responses.
What is left in search indexes and in unused parts of the database file is erased in the following
night (remnants.py). Invoices and signed contracts stay until their retention period ends.

The records are found here. Which columns of them are erased is declared by their subjects
(`domain/SUBJECT/subject.py`).
"""

from eventapi import journal, money, times
from eventapi.domain.bank import transactions
from eventapi.domain.people import contacts
from eventapi.domain.privacy import remnants
from eventapi.domain.records import entities, slugs
from eventapi.domain.subjects import SUBJECTS
from eventapi.errors import Problem, listed
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("privacy")

MOST_NAMED = 10  # invoices that the text of an error names
BATCH = 100  # contacts that one call of end_retention handles


def records(db, contact_id):
    """Return sorted pairs `(entity_type, id)` of all records about the contact, deleted and merged
    ones included.
    """
    found = _pairs(db.all(sql.own_records, id=contact_id))
    found |= _pairs(db.all(sql.attached_records, pairs=as_json(sorted(found))))
    new = found
    while new:  # a document may be about a task that is about a document
        pairs = as_json(sorted(new))
        about = db.all(sql.documents_about, pairs=pairs) + db.all(sql.tasks_about, pairs=pairs)
        new = _pairs(about) - found
        found = found | new
    return sorted(found)


def _pairs(rows):
    """Return the set of `(entity_type, id)` of rows with these two columns."""
    return {(row["entity_type"], row["entity_id"]) for row in rows}


def anonymize(db, contact, *, force):
    """Remove the personal data of a contact permanently, and return the contact.

    Do nothing if this was done before. Raise 409 `open_invoices` while the contact owes or is owed money, unless
    `force` is true.

    Call this inside a write transaction. Six steps, in this order: the journal and what is found by
    the e-mail address or a number of the contact, before the contact itself is erased; all other
    records of the contact; the note that it was anonymised; and what is no longer kept by law.
    """
    if contact["anonymized_at"]:
        return contact
    id = contact["id"]
    if not force:
        _refuse_open_invoices(db, id)
    found = records(db, id)
    pairs = as_json(found)
    erased = []

    with remnants.overwriting(db):
        _blank_journal(db, id, pairs)

        for subject in SUBJECTS:
            for statement in subject.erases_first:
                db.run(statement, id=id)

        contacts.blank(db, id, _free_number(db, id))

        db.run(sql.drop_custom_fields, pairs=pairs)
        for subject in SUBJECTS:
            for statement in subject.erases:
                db.run(statement, id=id, pairs=pairs, now=db.now)
        for subject in SUBJECTS:
            for kind, statement in subject.deletes:
                erased += [(kind, gone) for gone in db.values(statement, id=id, pairs=pairs)]

        db.run(sql.remember, id=id, now=db.now)

        _end_periods(db, id, found)

    for kind, gone in erased:
        journal.erased(db, kind, gone)
    journal.administered(db, entities.CONTACT, "anonymized", id)
    contact = contacts.get(db, id)
    journal.announced(db, entities.CONTACT, "anonymized", contact)
    return contact


def _refuse_open_invoices(db, contact_id):
    """Raise 409 `open_invoices` while a sent invoice of the contact is not settled.

    Data that is needed for a claim need not be erased (Art. 17 (3) (e) GDPR), and nobody can be reminded without it.
    """
    rows = db.all(sql.open_invoices, id=contact_id)
    if not rows:
        return
    numbers = [row["invoice_number"] for row in rows[:MOST_NAMED]]
    if len(rows) > MOST_NAMED:
        numbers.append(f"{len(rows) - MOST_NAMED} more")
    invoices = []
    for row in rows:
        row = money.in_major_units(row, ("open_amount", "claims_open"))
        del row["currency"]
        invoices.append(row)
    raise Problem(
        "open_invoices",
        f"The contact {contact_id} owes or is owed money by {listed(numbers)}, and its data is needed "
        "for that. Record the payment, refund, credit or write-off of each first, or send `force` true "
        "to erase the data all the same: then nobody can be reminded any more.",
        invoices=invoices,
    )


def _free_number(db, id):
    """Return the customer number of the contact when it is anonymised."""
    return slugs.free(
        f"ANON-{id}", lambda number: db.value(sql.number_taken, customer_number=number)
    )


def _blank_journal(db, contact_id, pairs):
    """Erase the values in the audit log, the outgoing events, and the responses stored for
    Idempotency-Key.

    The hash chain of the audit log stays valid.
    """
    for statement in (sql.blank_answers, sql.blank_audit_entries, sql.blank_outgoing_events):
        db.run(statement, id=contact_id, pairs=pairs)


# What the law keeps


def kept(db, contact_id, found=None):
    """Return the invoices and signed contracts that the law requires to be kept, with `kept_until`,
    the last day.

    `found` are the `records` of the contact, if they are known already.
    """
    if found is None:
        found = records(db, contact_id)
    period = _period(db)
    entries = db.all(sql.kept, id=contact_id, **period)
    entries += db.all(sql.kept_contracts, pairs=as_json(found), **period)
    return sorted(entries, key=lambda entry: entry["kept_until"])


def end_retention(db):
    """Clear or delete invoices and contracts of anonymised contacts whose retention period has
    ended. For the worker.

    Also clear the names of those who have paid invoices of an anonymised contact since. These are
    not counted.

    Handle at most BATCH contacts, each in a transaction of its own. Return their number.
    """
    _clear_later_payers(db)
    due = db.values(sql.due, today=times.today(db.config.timezone, db.now), size=BATCH)
    for contact_id in due:
        with db.write():
            with remnants.overwriting(db):
                found = records(db, contact_id)
                _blank_journal(db, contact_id, as_json(found))
                _end_periods(db, contact_id, found)
            journal.administered(db, entities.CONTACT, "retention_ended", contact_id)
    return len(due)


def _clear_later_payers(db):
    for contact_id in db.values(sql.later_payers, size=BATCH):
        with db.write(), remnants.overwriting(db):
            transactions.blank_transfers(db, contact_id)
            db.run(sql.expect_remnants, id=contact_id)


def _end_periods(db, contact_id, found):
    """Clear or delete the invoices and contracts whose retention period has ended, and store when
    the next one ends.

    `found` are the `records` of the contact.
    """
    period = _period(db)
    invoice_ids = db.values(sql.not_kept, id=contact_id, **period)
    for id in invoice_ids:
        for subject in SUBJECTS:
            for statement in subject.erases_at_end:
                db.run(statement, id=id, now=db.now)
    db.run(sql.drop_contracts, pairs=as_json(found), **period)

    rest = kept(db, contact_id, found)
    db.run(sql.set_due, id=contact_id, kept_until=rest[0]["kept_until"] if rest else None)


def _period(db):
    """Return how many years invoices and contracts are kept, and the current day, as parameters."""
    return {
        "years": db.config.retention_years,
        "today": times.today(db.config.timezone, db.now),
    }


# After a restore


def lost_anonymizations(db, old):
    """Return the ids of the contacts that are anonymised in `old`, the replaced database, and not
    in `db`, a backup.

    A contact is the same in both if both audit logs have the entry of its creation. The same id
    alone does not say so: it is given out again after a restore. Times do not say so either, since
    the clock may have been wrong.
    """
    lost = []
    for id in old.values(sql.anonymized):
        contact = contacts.get(db, id)
        if contact is None or contact["anonymized_at"]:
            continue
        origin = db.one(sql.origin, id=id)
        if origin is None or old.value(sql.has_entry, **origin):
            lost.append(id)
    return lost


def anonymize_again(db, ids):
    """Anonymise contacts of a restored backup, each in a transaction.

    Whether they owed money was decided when they were anonymised first, so their invoices are not looked at.
    """
    for id in ids:
        with db.write():
            anonymize(db, contacts.get(db, id), force=True)
