"""Privacy: what is held about a contact (GDPR Art. 15, 20), and taking it away (Art. 17) except what the law wants kept."""
import json
from datetime import datetime

from eventapi import journal, times
from eventapi.domain.attachments import document_rows, notes, tasks
from eventapi.domain.billing import invoices, payments
from eventapi.domain.entrance import check_ins
from eventapi.domain.halls import reservation_rows
from eventapi.domain.orders import orders
from eventapi.domain.people import applications, contacts, newsletter, participants
from eventapi.domain.records import entities, slugs
from eventapi.domain.submissions import submissions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("privacy")

PIECE = 100                 # contacts that finish_due takes on at once
NIGHT = range(2, 5)         # hours in the tenant's zone
FILLING = 50_000_000        # bytes of zeros in one row


def records(db, contact_id):
    """[entity_type, id] of all that is or was about the contact, merged ones included."""
    found = {tuple(row.values()) for row in db.all(sql.own_records, id=contact_id)}
    found |= {tuple(row.values()) for row in db.all(sql.attached_records, pairs=as_json(sorted(found)))}
    new = found
    while new:                                          # a document may be about a task that is about a document
        pairs = as_json(sorted(new))
        new = {tuple(row.values()) for statement in (sql.documents_about, sql.tasks_about) for row in db.all(statement, pairs=pairs)} - found
        found = found | new
    return sorted(found)


# Reading

def export(db, contact):
    """Everything that is held about the contact."""
    contact_id, pairs = contact["id"], records(db, contact["id"])
    ids = {kind: [id for name, id in pairs if name == kind] for kind in (
        "application", "event_participant", "booth_reservation", "service_order", "submission", "check_in", "invoice", "note", "task", "document",
        "newsletter_subscriber")}
    return {
        "contact": contact,
        "category_keys": contacts.category_keys(db, contact_id),
        "merged_contacts": db.all(sql.merged, id=contact_id),
        "applications": _there(applications.get(db, id) for id in ids["application"]),
        "participants": _there(participants.get(db, id) for id in ids["event_participant"]),
        "booth_reservations": [reservation_rows.represent(db, row) for row in
                               _there(reservation_rows.row(db, id) for id in ids["booth_reservation"])],
        "service_orders": [orders.represent(row) for row in _there(orders.row(db, id) for id in ids["service_order"])],
        "submissions": [{**submission, "revisions": submissions.revisions(db, submission["id"])}
                        for submission in _there(submissions.get(db, id) for id in ids["submission"])],
        "invoices": [{**invoice, "payments": payments.of_invoices(db, as_json([invoice["id"]])).get(invoice["id"], [])}
                     for invoice in _there(invoices.get(db, id) for id in ids["invoice"])],
        "schedule_assignments": db.all(sql.assignments, id=contact_id),
        "check_ins": _there(check_ins.get(db, id) for id in ids["check_in"]),
        "scans": db.all(sql.scans, id=contact_id),
        "notes": [notes.represent(note) for note in _there(db.one(sql.note, id=id) for id in ids["note"])],
        "documents": _there(document_rows.get(db, id) for id in ids["document"]),
        "newsletter": [{**subscriber, "consents": newsletter.consents(db, subscriber["id"])}
                       for subscriber in _there(newsletter.get(db, id) for id in ids["newsletter_subscriber"])],
        "mails": db.all(sql.mails, pairs=as_json(pairs)),
        "tasks": _there(tasks.get(db, id) for id in ids["task"]),
        "rejected_records": [_parsed(row, "source") for row in db.all(sql.rejected_records, id=contact_id)],
        "audit_log": [_parsed(row, "old_values", "new_values") for row in db.all(sql.audit_entries, pairs=as_json(pairs))],
        "outgoing_events": [_parsed(row, "data") for row in db.all(sql.outgoing_events, pairs=as_json(pairs))],
    }


def _there(found):
    return [record for record in found if record is not None]


def _parsed(row, *members):
    return {**row, **{name: row[name] and json.loads(row[name]) for name in members}}


# Taking away

def anonymize(db, contact):
    """Takes the personal data away for good; does nothing when that was done. Gives the contact as it is then."""
    if contact["anonymized_at"]:
        return contact
    id, pairs = contact["id"], as_json(records(db, contact["id"]))
    db.run(sql.overwrite)
    try:
        number = slugs.free(f"ANON-{id}", lambda number: db.value(sql.number_taken, customer_number=number))
        _blank_journal(db, id, pairs)
        db.run(sql.drop_rejected_records, id=id)
        db.run(sql.blank_contact, id=id, customer_number=number, now=db.now)
        db.run(sql.drop_tags, id=id)
        for statement in (sql.blank_applications, sql.blank_participants, sql.blank_reservations, sql.blank_orders,
                          sql.blank_specifications, sql.blank_check_ins, sql.blank_scans, sql.blank_submissions,
                          sql.blank_revisions, sql.drop_notes, sql.drop_custom_fields, sql.drop_tasks, sql.drop_documents,
                          sql.blank_contracts, sql.blank_remarks, sql.blank_payment_remarks, sql.drop_mails):
            db.run(statement, id=id, pairs=pairs, now=db.now)
        drafts = db.values(sql.drop_drafts, id=id)
        subscribers = db.values(sql.drop_subscribers, pairs=pairs)
        db.run(sql.remember, id=id, now=db.now)
        _finish(db, id)
        _leave_no_traces(db)
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


def kept(db, contact_id):
    """The invoices and signed contracts that the law wants kept for a while, each with its last day."""
    values = {"id": contact_id, "years": db.config.retention_years, "today": times.today(db.config.timezone, db.now)}
    found = [*db.all(sql.kept, **values), *db.all(sql.kept_contracts, pairs=as_json(records(db, contact_id)), **values)]
    return sorted(found, key=lambda entry: entry["kept_until"])


def finish_due(db):
    """For the worker: takes the invoices of anonymised contacts away whose time is over; gives how many contacts were due."""
    due = db.values(sql.due, today=times.today(db.config.timezone, db.now), size=PIECE)
    for contact_id in due:
        with db.write():
            db.run(sql.overwrite)
            try:
                _blank_journal(db, contact_id, as_json(records(db, contact_id)))
                _finish(db, contact_id)
                _leave_no_traces(db)
            finally:
                db.run(sql.spare)
            journal.administered(db, entities.CONTACT, "retention_ended", contact_id)
    return len(due)


def rewrite_file(db):
    """For the worker: at night after an anonymisation, the file is written anew; gives whether it was.

    Pages that were split keep copies of what moved to another, where no statement reaches them.
    """
    anonymized = db.values(sql.with_remnants)
    if not anonymized or datetime.now(times.zone(db.config.timezone)).hour not in NIGHT:
        return False
    db.vacuum()
    with db.write():
        db.run(sql.forget_remnants, ids=as_json(anonymized))
    return True


def made(db):
    """Every anonymisation, for a restore to carry over: a backup does not know of those made after it."""
    return db.all(sql.made)


def apply_again(db, anonymizations=None):
    """After a restore: anonymises those again of whom the replaced database said so with `made`; gives how many."""
    again = 0
    for entry in made(db) if anonymizations is None else anonymizations:
        with db.write():
            contact = contacts.get(db, entry["contact_id"])
            # An id that the backup gave out later is somebody else's.
            if contact and not contact["anonymized_at"] and contact["created_at"] <= entry["anonymized_at"]:
                anonymize(db, contact)
                again += 1
    return again


def _finish(db, contact_id):
    """Takes away what need not be kept any more, and notes when to look again."""
    years, today = db.config.retention_years, times.today(db.config.timezone, db.now)
    for id in db.values(sql.not_kept, id=contact_id, years=years, today=today):
        for statement in (sql.blank_invoice, sql.blank_items, sql.blank_payments):
            db.run(statement, id=id, now=db.now)
    db.run(sql.drop_contracts, pairs=as_json(records(db, contact_id)), years=years, today=today)
    rest = kept(db, contact_id)
    db.run(sql.set_due, id=contact_id, kept_until=rest[0]["kept_until"] if rest else None)


def _blank_journal(db, contact_id, pairs):
    """Values go out of the audit log (its chain stays valid), the outgoing events and the answers kept for Idempotency-Key."""
    for statement in (sql.blank_answers, sql.blank_audit_entries, sql.blank_outgoing_events):
        db.run(statement, id=contact_id, pairs=pairs)


def _leave_no_traces(db):
    """The search index forgets its deleted words only when it is merged, and freed pages their content when they are filled."""
    db.run(sql.merge_contact_search)
    db.run(sql.merge_application_search)
    db.run(sql.merge_task_search)
    db.run(sql.merge_newsletter_search)
    while room := db.value(sql.free_room):
        db.run(sql.fill_room, size=min(room, FILLING))
    db.run(sql.give_room_back)
