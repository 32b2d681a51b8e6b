"""Export the data about a contact, as articles 15 and 20 of the GDPR require."""

import json
from collections import defaultdict

from eventapi.domain.attachments import document_rows, notes, tasks
from eventapi.domain.bank import transactions
from eventapi.domain.billing import invoices, payments
from eventapi.domain.dunning import sending as dunning
from eventapi.domain.entrance import check_ins
from eventapi.domain.halls import reservation_rows
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.orders import orders
from eventapi.domain.people import applications, contacts, participants, vat_checks
from eventapi.domain.privacy import erasing
from eventapi.domain.shows import profiles
from eventapi.domain.submissions import submissions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("privacy")


def export(db, contact):
    """Return all data about the contact, as `export` of schemas/contact.json.

    Call this inside a snapshot.
    """
    contact_id = contact["id"]
    found = erasing.records(db, contact_id)
    pairs = as_json(found)
    ids = defaultdict(list)
    for kind, id in found:
        ids[kind].append(id)

    of_links = [
        {**row, "rights": json.loads(row["rights"])}
        for row in db.all(sql.links, id=contact_id, pairs=pairs)
    ]
    mailed = [*found, *(("link", link["id"]) for link in of_links)]

    exported = dict(contact)
    former_emails = db.value(sql.former_emails, id=contact_id)
    if former_emails:
        exported["email_before"] = json.loads(former_emails)
    return {
        "contact": exported,
        "category_keys": contacts.category_keys(db, contact_id),
        "vat_checks": vat_checks.of_contact(db, contact_id),
        "merged_contacts": db.all(sql.merged, id=contact_id),
        "applications": _existing(applications.get(db, id) for id in ids["application"]),
        "participants": _existing(participants.get(db, id) for id in ids["event_participant"]),
        "badge_aliases": db.all(sql.badge_aliases, id=contact_id),
        "profiles": [profiles.get(db, id) for id in db.values(sql.profiled, id=contact_id)],
        "links": of_links,
        "binding_steps": db.all(sql.steps, pairs=pairs),
        "booth_reservations": [
            reservation_rows.represent(db, row)
            for row in _existing(reservation_rows.row(db, id) for id in ids["booth_reservation"])
        ],
        "service_orders": [
            orders.represent(row)
            for row in _existing(orders.row(db, id) for id in ids["service_order"])
        ],
        "submissions": [
            {**submission, "revisions": submissions.revisions(db, submission["id"])}
            for submission in _existing(submissions.get(db, id) for id in ids["submission"])
        ],
        "invoices": [
            {
                **invoice,
                "payments": payments.of_invoices(db, [invoice["id"]]).get(invoice["id"], []),
                "dunning": dunning.history(db, [invoice["id"]]).get(invoice["id"], []),
            }
            for invoice in _existing(invoices.get(db, id) for id in ids["invoice"])
        ],
        "bank_transactions": [
            transactions.stored(row) for row in db.all(sql.bank_transactions, id=contact_id)
        ],
        "schedule_assignments": db.all(sql.assignments, id=contact_id),
        "check_ins": _existing(check_ins.get(db, id) for id in ids["check_in"]),
        "scans": db.all(sql.scans, id=contact_id),
        "notes": [
            notes.represent(note)
            for note in _existing(db.one(sql.note, id=id) for id in ids["note"])
        ],
        "documents": _existing(document_rows.get(db, id) for id in ids["document"]),
        "newsletter": [
            {**subscriber, "consents": newsletter.consents(db, subscriber["id"])}
            for subscriber in _existing(
                newsletter.get(db, id) for id in ids["newsletter_subscriber"]
            )
        ],
        "mails": db.all(sql.mails, pairs=as_json(mailed)),
        "tasks": _existing(tasks.get(db, id) for id in ids["task"]),
        "rejected_records": [
            _parsed(row, "source") for row in db.all(sql.rejected_records, id=contact_id)
        ],
        "audit_log": [
            _parsed(row, "old_values", "new_values")
            for row in db.all(sql.audit_entries, pairs=pairs)
        ],
        "outgoing_events": [
            _parsed(row, "data") for row in db.all(sql.outgoing_events, pairs=pairs)
        ],
    }


def _existing(found):
    """Return the records that are not None: some of the ids are of deleted records."""
    return [record for record in found if record is not None]


def _parsed(row, *columns):
    """Return the row with the JSON text of these columns parsed."""
    return {**row, **{name: row[name] and json.loads(row[name]) for name in columns}}
