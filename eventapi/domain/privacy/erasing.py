"""Erase the data about a contact, as article 17 of the GDPR requires.

Erasure removes personal data from all records, the audit log, outgoing events and stored responses.
What is left in search indexes and in unused parts of the database file is erased in the following
night (remnants.py). Invoices and signed contracts stay until their retention period ends.
"""

from eventapi import journal, times
from eventapi.domain.people import applications, contacts
from eventapi.domain.records import entities, slugs
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("privacy")

BATCH = 100  # contacts that one call of end_retention handles


def records(db, contact_id):
    """Return sorted pairs `(entity_type, id)` of all records about the contact, deleted and merged
    ones included.
    """
    found = {tuple(row.values()) for row in db.all(sql.own_records, id=contact_id)}
    found |= {
        tuple(row.values()) for row in db.all(sql.attached_records, pairs=as_json(sorted(found)))
    }
    new = found
    while new:  # a document may be about a task that is about a document
        pairs = as_json(sorted(new))
        rows = [*db.all(sql.documents_about, pairs=pairs), *db.all(sql.tasks_about, pairs=pairs)]
        new = {tuple(row.values()) for row in rows} - found
        found = found | new
    return sorted(found)


def anonymize(db, contact):
    """Remove the personal data of a contact permanently, and return the contact.

    Do nothing if this was done before.

    Call this inside a write transaction. The order of the statements matters: the journal, the
    stored responses and the rejected records are found by the e-mail address and numbers of the
    contact, which are cleared afterwards.
    """
    if contact["anonymized_at"]:
        return contact
    id, found = contact["id"], records(db, contact["id"])
    pairs = as_json(found)
    db.run(sql.overwrite)
    try:
        number = slugs.free(
            f"ANON-{id}", lambda number: db.value(sql.number_taken, customer_number=number)
        )
        _blank_journal(db, id, pairs)
        for statement in (sql.drop_rejected_records, sql.drop_forms, sql.drop_confirmations):
            db.run(statement, id=id)
        contacts.blank(db, id, number)
        db.run(sql.drop_tags, id=id)
        applications.blank(db, id, pairs)
        for statement in (
            sql.blank_participants,
            sql.drop_profiles,
            sql.blank_reservations,
            sql.blank_orders,
            sql.blank_specifications,
            sql.blank_check_ins,
            sql.blank_scans,
            sql.blank_submissions,
            sql.blank_revisions,
            sql.drop_notes,
            sql.drop_custom_fields,
            sql.drop_tasks,
            sql.drop_documents,
            sql.blank_contracts,
            sql.blank_remarks,
            sql.blank_withdrawals,
            sql.blank_write_off_reasons,
            sql.blank_payment_remarks,
            sql.blank_refund_remarks,
            sql.blank_transfers,
            sql.drop_links,
            sql.blank_steps,
            sql.drop_mails,
        ):
            db.run(statement, id=id, pairs=pairs, now=db.now)
        drafts = db.values(sql.drop_drafts, id=id)
        subscribers = db.values(sql.drop_subscribers, pairs=pairs)
        db.run(sql.remember, id=id, now=db.now)
        _finish(db, id, found)
    finally:
        db.run(sql.spare)
    for draft in drafts:
        journal.erased(db, entities.INVOICE, draft)
    for subscriber in subscribers:
        journal.erased(db, entities.NEWSLETTER_SUBSCRIBER, subscriber)
    journal.administered(db, entities.CONTACT, "anonymized", id)
    contact = contacts.get(db, id)
    journal.announced(db, entities.CONTACT, "anonymized", contact)
    return contact


def kept(db, contact_id, found=None):
    """Return the invoices and signed contracts that the law requires to be kept, with `kept_until`,
    the last day.

    `found` are the `records` of the contact, if they are known already.
    """
    found = records(db, contact_id) if found is None else found
    values = {
        "id": contact_id,
        "years": db.config.retention_years,
        "today": times.today(db.config.timezone, db.now),
    }
    entries = [
        *db.all(sql.kept, **values),
        *db.all(sql.kept_contracts, pairs=as_json(found), **values),
    ]
    return sorted(entries, key=lambda entry: entry["kept_until"])


def end_retention(db):
    """Clear or delete invoices and contracts of anonymised contacts whose retention period has
    ended. For the worker.

    Also clear who has paid invoices of an anonymised contact since. These are not counted.

    Handle at most BATCH contacts, each in a transaction of its own. Return their number.
    """
    _clear_later_payers(db)
    due = db.values(sql.due, today=times.today(db.config.timezone, db.now), size=BATCH)
    for contact_id in due:
        with db.write():
            db.run(sql.overwrite)
            try:
                found = records(db, contact_id)
                _blank_journal(db, contact_id, as_json(found))
                _finish(db, contact_id, found)
            finally:
                db.run(sql.spare)
            journal.administered(db, entities.CONTACT, "retention_ended", contact_id)
    return len(due)


def _clear_later_payers(db):
    for contact_id in db.values(sql.later_payers, size=BATCH):
        with db.write():
            db.run(sql.overwrite)
            try:
                db.run(sql.blank_transfers, id=contact_id, now=db.now)
                db.run(sql.expect_remnants, id=contact_id)
            finally:
                db.run(sql.spare)


def lost_anonymizations(db, old):
    """Return the ids of the contacts that are anonymised in `old`, the replaced database, and not
    in `db`, a backup.

    A contact is the same in both if both audit logs have the entry of its creation. The same id
    alone does not say so: it is given out again after a restore. Times do not say so either, since
    the clock may have been wrong.
    """
    lost = []
    for id in old.values(sql.anonymized):
        contact, origin = contacts.get(db, id), db.one(sql.origin, id=id)
        if (
            contact
            and not contact["anonymized_at"]
            and (origin is None or old.value(sql.has_entry, **origin))
        ):
            lost.append(id)
    return lost


def anonymize_again(db, ids):
    """Anonymise contacts of a restored backup, each in a transaction."""
    for id in ids:
        with db.write():
            anonymize(db, contacts.get(db, id))


def _finish(db, contact_id, found):
    """Clear or delete the invoices and contracts whose retention period has ended, and store when
    the next one ends.
    """
    years, today = db.config.retention_years, times.today(db.config.timezone, db.now)
    for id in db.values(sql.not_kept, id=contact_id, years=years, today=today):
        for statement in (
            sql.blank_invoice,
            sql.blank_dunnings,
            sql.drop_e_invoice,
            sql.blank_items,
            sql.blank_payments,
            sql.blank_refunds,
            sql.blank_write_offs,
        ):
            db.run(statement, id=id, now=db.now)
    db.run(sql.drop_contracts, pairs=as_json(found), years=years, today=today)
    rest = kept(db, contact_id, found)
    db.run(sql.set_due, id=contact_id, kept_until=rest[0]["kept_until"] if rest else None)


def _blank_journal(db, contact_id, pairs):
    """Erase the values in the audit log, the outgoing events, and the responses stored for
    Idempotency-Key.

    The hash chain of the audit log stays valid.
    """
    for statement in (sql.blank_answers, sql.blank_audit_entries, sql.blank_outgoing_events):
        db.run(statement, id=contact_id, pairs=pairs)
