"""Personal data of a contact: every column that may hold it is listed, exported, and empty after
anonymisation.
"""

import os
import re
import time
import zlib

import pytest

from eventapi import paths
from eventapi.domain.access import desk_batches, links, sessions
from eventapi.domain.einvoices import ubl
from eventapi.domain.einvoices.model import Document, Party
from eventapi.domain.mail import queue as mails
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.newsletter import tokens
from eventapi.domain.privacy import erasing, remnants
from eventapi.domain.records import entities
from eventapi.domain.upkeep import checks, housekeeping
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.validation.schema_files import document
from eventapi.worker.mail import delivery as mail_delivery
from eventapi.worker.webhooks import delivery as webhook_delivery
from tests.support import camt

# Folded to "zqvxj markor". Every encoding of the mark keeps its first letters.
MARK = "Zqvxj Mårkör-ß"
TRACE = re.compile(rb"zqvxj|7084991", re.I)
DIGITS = "7084991"  # the mark of a phone number that is stored as digits

# Columns with text that identifies a person, or that a person wrote, or that is about a person.
PERSONAL = {
    "contacts": "customer_number external_id company_name first_name last_name email "
    "invoice_email phone fax mobile address "
    "postal_code city state website notes tax_id leitweg_id gln electronic_address email_before "
    "folded_name folded_phone company_name_folded first_name_folded "
    "last_name_folded email_folded city_folded customer_number_folded customer_number_natural",
    "contact_tags": "tag",
    "vat_checks": "vat_id reference notes",
    "custom_field_values": "value",
    "custom_field_terms": "term",
    "applications": "company_name first_name last_name email phone fax mobile address "
    "postal_code city state website notes "
    "tax_id message question answer decision_reason company_name_folded first_name_folded last_name_folded "
    "email_folded city_folded",
    "participants": "badge_name badge_name_folded",
    "application_drafts": "fields email",
    "links": "name email",
    "link_secrets": "mailed_to",
    "sessions": "mailed_to",
    "binding_steps": "mailed_to address agent",
    "profiles": "display_name texts products website email phone links",
    "booth_reservations": "notes cancellation_reason",
    "service_orders": "notes cancellation_reason",
    "service_order_items": "specification",
    "check_ins": "notes",
    "check_in_scans": "notes",
    "submissions": "value feedback",
    "submission_revisions": "value filename feedback",
    "notes": "note_text",
    "tasks": "title description title_folded description_folded",
    "calendar_entries": "title",
    "documents": "title metadata content filename signer_name e_invoice",
    "newsletter_subscribers": "email name mail_error email_folded name_folded",
    "newsletter_consents": "consent_text source ip_address user_agent",
    "mails": "recipient error text details",
    "invoices": "buyer buyer_reference text notes cancellation_reason dispute_reason pdf_source "
    "debtor_number search_text",
    "dunnings": "withdrawn_reason",
    "e_invoices": "document",
    "invoice_items": "description",
    "payments": "transaction_id notes search_text",
    "refunds": "transaction_id notes",
    "write_offs": "reason",
    "bank_transactions": "party ultimate_party iban bic text description creditor_reference end_to_end_id "
    "ignored_reason search_text",
    "bulk_import_errors": "source email customer_number external_id",
    "audit_log": "entity_title search_text old_values new_values",
    "outgoing_events": "data",
    "desk_batches": "fields back",
    "desk_batch_entries": "trial",
    "idempotency_keys": "data",
}
# All other text columns, by the reason why they hold nothing about a contact. A table name stands
# for all its columns.
OTHERS = {
    "staff and settings of the organiser": "admins api_keys flags tenant gateways periods worker_heartbeats last_stamp "
    "settings organiser_pictures recovery_codes pending_codes sessions.scopes sessions.agent link_secrets.scopes",
    "books that the law requires to be kept, with the names on them": "period_files period_file_ends",
    "rules of the organiser, which name whom it pays": "bank_rules",
    "the organiser's own show": "events event_pages event_key categories category_events "
    "booth_formulas booth_types booths plans services "
    "service_categories service_events schedule_slots submission_types custom_field_definitions "
    "document_categories document_templates counters",
    "the organiser's own texts, with amounts, dates and the number of the invoice": ""
    "dunning_levels dunnings.level_name dunnings.sent_on dunnings.due_date dunnings.calculation dunnings.deadline "
    "dunnings.language dunnings.title dunnings.text dunnings.mail dunnings.mail_reason dunnings.withdrawn_on "
    "dunnings.posted_on dunnings.mail_outcome invoices.posted_on invoices.mail_outcome "
    "dunnings.created_at",
    "the role in a programme slot": "schedule_assignments.role",
    "programs of the organiser": "webhooks calendar_subscriptions",
    "no text from a person": "anonymizations merged_contacts audit_anchors blanks "
    "calendar_identity check_in_counts check_in_rosters "
    "check_in_visitors participant_counts contact_categories newsletter_secret application_categories "
    "application_events sqlite_sequence sqlite_stat1",
    "a search index, whose terms the test reads": "applications_search contacts_search "
    "events_search invoices_search newsletter_search participants_search "
    "payments_search service_orders_search services_search tasks_search",
    "a value of a fixed list": "vat_checks.result vat_checks.confirmed "
    "contacts.country contacts.e_invoice_profile contacts.language documents.language "
    "invoices.language newsletter_subscribers.language applications.status applications.country "
    "applications.language "
    "application_drafts.language "
    "links.ended_by links.kind links.language links.rights link_requests.purpose link_secrets.way sessions.way "
    "binding_steps.entity_type binding_steps.way "
    "claim_movements.currency application_drafts.form booth_reservations.status check_ins.check_in_type "
    "check_ins.closed_by check_in_scans.action "
    "check_in_scans.check_in_type check_in_scans.effect check_in_scans.first_effect check_in_scans.code "
    "custom_field_values.entity_type "
    "documents.entity_type documents.content_type documents.contract_status documents.esign_status "
    "documents.missing invoices.invoice_type invoices.status invoices.series invoices.currency "
    "invoice_items.tax_category invoice_items.usual_tax_category invoice_items.bills "
    "invoice_taxes.category mails.kind mails.entity_type mails.language "
    "mails.state newsletter_subscribers.status newsletter_consents.action notes.entity_type notes.note_type "
    "outgoing_events.name outgoing_events.entity_type outgoing_events.scope participants.role "
    "participants.status payments.status payments.currency refunds.currency invoices.tax_basis invoices.tax_treatment "
    "invoices.tax_decided_by invoice_items.place_of_supply "
    "tax_entries.kind tax_entries.category tax_entries.region tax_entries.currency "
    "payments.bank_currency write_offs.kind write_offs.currency claim_movements.currency "
    "service_order_items.status "
    "service_orders.status "
    "service_orders.currency submissions.status submission_revisions.status tasks.status tasks.priority "
    "tasks.entity_type audit_log.action audit_log.entity_type calendar_entries.kind bulk_imports.kind "
    "bulk_imports.status bulk_imports.mode bulk_imports.match_field webhook_deliveries.event_name "
    "webhook_deliveries.entity_type webhook_deliveries.status webhook_deliveries.error bulk_imports.failure "
    "bulk_import_errors.faults mails.subject audit_log.description webhook_deliveries.attempts",
    "a number assigned by eventapi": "booth_reservations.booth_number "
    "booth_reservations.booth_number_natural participants.badge_number "
    "badge_aliases.badge_number check_ins.badge_number check_in_scans.badge_number documents.document_number "
    "invoices.counted_credits "
    "invoices.invoice_number invoices.invoice_number_natural invoices.invoice_number_folded invoices.number_key "
    "invoices.number_letters service_orders.order_number "
    "mails.message_id",
    "a hash, a secret or a lease": "documents.sha256 documents.signature_sha256 "
    "submission_revisions.sha256 invoices.pdf_sha256 "
    "invoices.xml_sha256 invoices.payment_reference e_invoices.sha256 "
    "bulk_imports.sha256 bank_statements.sha256 bank_transactions.identity bank_formats.header_key "
    "application_drafts.nonce application_drafts.network application_drafts.wide_network "
    "application_drafts.domain_hash application_drafts.email_hash confirmed_domains link_secrets.secret_hash "
    "sign_in_tries "
    "links.ref links.email_hash link_requests.email_hash sessions.session_hash sent_forms.owner sent_forms.form_id "
    "sent_forms.fingerprint binding_steps.shown_sha256 "
    "mails.lease audit_log.salt audit_log.digest audit_log.previous_hash audit_log.hash "
    "idempotency_keys.fingerprint",
    "a date or the rule for one": "vat_checks.checked_on check_ins.day check_in_scans.day claim_movements.day "
    "invoices.issue_date invoices.service_date "
    "invoices.service_date_to invoices.due_date invoices.overdue_from invoices.dunning_deadline "
    "invoices.tax_date invoices.untaxed_date tax_entries.day write_offs.written_off_at claim_movements.day "
    "payments.payment_date bank_transactions.booked_on bank_statements.from_date "
    "bank_statements.to_date due_date_changes.due_date tasks.due_date newsletter_consents.at",
    "goods and services sold, and the reason for a tax exemption": ""
    "booth_reservations.price_breakdown service_order_items.service_name service_order_items.unit "
    "invoice_items.unit invoice_items.exemption_reason invoice_items.usual_exemption_reason "
    "invoice_items.exemption_code invoice_items.usual_exemption_code invoice_taxes.reason_code "
    "invoice_taxes.reason",
    "the payment gateway": "payments.gateway_key payments.gateway_name refunds.gateway_key",
    "an entrance or a device of the organiser": "links.station check_ins.station "
    "check_ins.client_ref check_in_scans.station check_in_scans.client_ref",
    "ids of participants": "calendar_entries.speakers",
    "texts of events and slots (a task contributes only its title)": ""
    "calendar_entries.description calendar_entries.location calendar_entries.timezone",
    "the organiser's account at the bank, and the bank": "bank_transactions.account "
    "bank_transactions.currency bank_transactions.sent_currency bank_transactions.status "
    "bank_transactions.return_reason bank_statements.account bank_statements.currency bank_statements.format "
    "bank_formats.account",
    "the organiser, at the time the invoice was sent": "invoices.seller",
    "names of columns, and ids": "bank_formats.header bank_formats.query "
    "bulk_imports.field_mapping bulk_imports.form bulk_imports.details",
    "the admin, the request and its origin": "audit_log.ip_address audit_log.user_agent "
    "bulk_imports.admin_name bulk_imports.request_id "
    "bank_statements.admin_name audit_log.admin_name audit_log.request_id idempotency_keys.request_id",
    "chosen by the client's program and deleted after a day": "idempotency_keys.idempotency_key",
    "ids, codes and amounts": "desk_batch_entries.result desk_batch_entries.undone",
    "ids and counts": "idempotency_keys.location idempotency_keys.meta booth_reservations.moved_from",
    "an address or an act of the desk": "desk_batches.resource desk_batches.action desk_batches.state",
    "the base URL of links": "mails.base_url link_requests.base_url sent_forms.location "
    "application_drafts.mail_base_url",
}
# Columns that the law requires to keep for an anonymised contact until the retention period ends.
KEPT = {
    "invoices.buyer",
    "invoices.debtor_number",
    "e_invoices.document",
    "invoices.pdf_source",
    "invoices.buyer_reference",
    "invoices.text",
    "invoices.cancellation_reason",
    "invoices.search_text",
    "payments.search_text",
    "invoice_items.description",
    "payments.transaction_id",
    "refunds.transaction_id",
    "documents.content",
    "documents.signer_name",
}


def columns(db):
    """Return table -> columns that may hold text, except timestamps, for every table of the
    database.
    """
    tables = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    return {
        table: [
            row[1]
            for row in db.connection.execute(f'PRAGMA table_xinfo("{table}")')
            if row[2] not in ("INTEGER", "REAL") and not row[1].endswith("_at")
        ]
        for table in tables
    }


def classified(table, column):
    """Return the reasons why a column is personal or is not."""
    table = re.sub(r"_search_\w+", "_search", table)
    found = ["personal"] if column in PERSONAL.get(table, "").split() else []
    return found + [
        reason
        for reason, names in OTHERS.items()
        if {table, f"{table}.{column}"} & set(names.split())
    ]


def test_every_text_column_is_classified_as_personal_or_not(db):
    found = [(table, column) for table, names in columns(db).items() for column in names]
    unknown = [
        f"{table}.{column}" for table, column in found if len(classified(table, column)) != 1
    ]
    assert not unknown, (
        f"list these columns in PERSONAL or in OTHERS of {__name__}; erase personal ones "
        f"in domain/privacy/erasing.py: {unknown}"
    )
    gone = {
        f"{table}.{column}" for table, names in PERSONAL.items() for column in names.split()
    } - {".".join(pair) for pair in found}
    assert not gone, f"no longer there: {gone}"


# All records of a contact


class Life:
    """A contact with a text of its own in every personal column, and in all records that depend on
    it.

    Every POST has an Idempotency-Key.
    """

    def __init__(self, organiser, db, mark, digits, app):
        self.organiser = organiser
        self.db = db
        self.app = app
        self.mark = mark
        self.count = 0
        self.said = []
        self.phone = f"+49 4122 {digits}"
        self.email = f"{mark.split()[0].lower()}@{mark.split()[0].lower()}.example"
        self.person()
        self.participation()
        self.hand_in()
        self.documents()
        self.letters()
        self.money()
        self.transfer()
        self.imports()
        self.identifiers()

    def text(self):
        """Return a new text with the mark."""
        self.count += 1
        self.said.append(f"{self.mark} {self.count}")
        return self.said[-1]

    def post(self, path, body=None, status=201, **headers):
        self.count += 1
        headers = {"Idempotency-Key": f"key-{self.digest()}-{self.count}", **headers}
        return self.organiser.post(path, body, status=status, headers=headers).json.get("data")

    def digest(self):
        return sum(map(ord, self.mark))

    def act(self, path, body=None, status=200):
        return self.post(path, body, status)

    def person(self):
        text, named = self.text, self.email
        texts = [
            name
            for name, sub in document("contact")["properties"].items()
            if {"string", "null"} <= {*sub.get("type", ())}
            and sub.get("format", "line") in ("line", "tax-id")
            and name not in ("phone", "external_id")
        ]
        person = {
            **{name: text() for name in texts},
            "email": named,
            "phone": self.phone,
            "website": f"https://{named.partition('@')[2]}",
        }
        self.contact = self.post(
            "/contacts",
            {
                **person,
                "email": f"former.{named}",
                "customer_number": text(),
                "external_id": text(),
                "invoice_email": f"bill.{named}",
                "tags": [text()],
                "category_keys": ["roses"],
                "custom_fields": {"nick": text()},
            },
        )
        self.address = f"/contacts/{self.contact['id']}"
        self.contact = self.organiser.patch(self.address, {"email": named}, status=200).json["data"]
        with self.db.write():
            self.db.connection.execute(
                "INSERT INTO vat_checks (contact_id, vat_id, result, checked_on, reference, confirmed, notes, "
                "created_at) VALUES (?, ?, 'valid', '2026-01-02', ?, '[]', ?, ?)",
                (self.contact["id"], text(), text(), text(), self.db.now),
            )
        duplicate = self.post("/contacts", {"last_name": text()})
        self.act(f"{self.address}/merge", {"duplicate_id": duplicate["id"]})
        self.application = self.post(
            "/applications",
            {
                **{
                    name: person[name]
                    for name in person
                    if name in document("application")["properties"]
                },
                **{name: text() for name in ("city", "message", "notes")},
                "event_keys": ["fair"],
                "custom_fields": {"nick": text()},
            },
        )
        self.db.connection.execute(
            "INSERT INTO application_drafts (event_id, nonce, fields, email, language, created_at) "
            "SELECT id, hex(randomblob(8)), json_object('city', ?), ?, 'en', '2026-01-01T00:00:00Z' "
            "FROM events LIMIT 1",
            (self.mark, named),
        )
        with self.db.write():
            batch = desk_batches.create(
                self.db,
                1,
                "applications",
                "reject",
                [self.application["id"]],
                {"reason": [self.mark]},
                f"applications?q={self.mark}",
            )
            warnings = [{"code": "vat_id_home", "values": {"vat_id": self.mark}}]
            desk_batches.keep_trial(
                self.db, {"id": batch}, [{"place": 0}], [{"status": 200, "warnings": warnings}]
            )
        place = f"/applications/{self.application['id']}"
        for action, body in (
            ("review", None),
            ("request-info", {"question": text()}),
            ("answer", {"answer": text()}),
            ("reject", {"reason": text()}),
        ):
            self.act(f"{place}/{action}", body)
        gone = self.post(
            "/applications", {"last_name": text(), "email": named, "event_keys": ["other"]}
        )
        self.organiser.delete(f"/applications/{gone['id']}", status=204)

    def participation(self):
        text, make = self.text, self.post
        self.participant = make(
            "/participants",
            {
                "event_key": "fair",
                "contact_id": self.contact["id"],
                "badge_name": text(),
                "custom_fields": {"nick": text()},
            },
        )
        site = f"https://{self.email.partition('@')[2]}"
        self.organiser.patch(
            f"/participants/{self.participant['id']}/profile",
            {
                "display_name": text(),
                "texts": {"en": text()},
                "products": [text()],
                "website": site,
                "email": self.email,
                "phone": self.phone,
                "links": [f"{site}/more"],
            },
            status=200,
        )
        named = {"event_participant_id": self.participant["id"]}
        made = make(
            "/links",
            {
                "kind": "participant",
                "participant_id": self.participant["id"],
                "name": text(),
                "email": self.email,
            },
        )
        with self.db.write():
            link = links.get(self.db, made["id"])
            links.add_secret(self.db, link, "mailed", self.email)
            sessions.add(self.db, link_id=link["id"], way="mailed", mailed_to=self.email)
            self.db.connection.execute(
                "INSERT INTO binding_steps (entity_type, entity_id, link_id, way, mailed_to, address, agent, "
                "shown_sha256, created_at) VALUES ('event_participant', ?, ?, 'mailed', ?, ?, ?, '', ?)",
                (self.participant["id"], link["id"], self.email, text(), text(), self.db.now),
            )
        reserved = make("/booth-reservations", {**named, "booth_id": self.booth(), "notes": text()})
        self.act(f"/booth-reservations/{reserved['id']}/cancel", {"reason": text()})
        order = make(
            "/service-orders",
            {
                **named,
                "notes": text(),
                "status": "submitted",
                "items": [{"service_id": 1, "quantity": 1, "specification": text()}],
            },
        )
        self.act(f"/service-orders/{order['id']}/cancel", {"reason": text()})
        make(
            "/schedules",
            {
                "event_key": "fair",
                "slot_date": "2026-01-02",
                "start_time": "10:00",
                "end_time": "11:00",
                "title": "Talk",
                "assignments": [{**named, "role": "attendee"}],
                "allow_overlap": True,
            },
        )
        scan = {"event_key": "fair", "badge_number": self.participant["badge_number"]}
        make("/check-ins", {**scan, "scanned_at": "2026-01-02T09:00:00Z", "notes": text()})
        self.act(
            "/check-ins/batch",
            {"scans": [{**scan, "scanned_at": "2026-01-03T09:00:00Z", "notes": text()}]},
        )

    def booth(self):
        return self.post(
            "/booths", {"plan_id": 1, "width": 2, "depth": 2, "booth_type_key": "row"}
        )["id"]

    def hand_in(self):
        text, make = self.text, self.post
        named = {"event_participant_id": self.participant["id"], "type_key": "profile"}
        submission = make(
            "/submissions", {**named, "value": text(), "custom_fields": {"nick": text()}}
        )
        self.act(f"/submissions/{submission['id']}/request-revision", {"feedback": text()})
        self.organiser.patch(
            f"/submissions/{submission['id']}", {"value": text(), "draft": False}, status=200
        )
        self.act(f"/submissions/{submission['id']}/reject", {"feedback": text()})
        self.submission = submission
        for entity_type, id in self.places():
            note = make(
                "/notes", {"entity_type": entity_type, "entity_id": id, "note_text": text()}
            )
            make(
                "/tasks",
                {
                    "entity_type": entity_type,
                    "entity_id": id,
                    "title": text(),
                    "description": text(),
                    "due_date": "2026-01-02",
                },
            )
        make("/tasks", {"entity_type": "note", "entity_id": note["id"], "title": text()})
        gone = make(
            "/notes",
            {"entity_type": "contact", "entity_id": self.contact["id"], "note_text": text()},
        )
        self.organiser.delete(f"/notes/{gone['id']}", status=204)

    def places(self):
        """Return the records that notes may be about, as (entity_type, id)."""
        return [
            ("contact", self.contact["id"]),
            ("application", self.application["id"]),
            ("event_participant", self.participant["id"]),
        ]

    def documents(self):
        text = self.text
        about = {"entity_type": "event_participant", "entity_id": self.participant["id"]}
        self.page = self.post(
            "/documents",
            {**about, "template_key": "letter", "title": text(), "metadata": {"said": text()}},
        )
        self.contract = self.post("/documents", {**about, "template_key": "contract"})
        self.act(f"/documents/{self.contract['id']}/request-signature")
        self.act(f"/documents/{self.contract['id']}/mark-signed", {"signer_name": text()})
        file = self.post("/documents", {**about, "filename": f"{text()}.txt"})
        self.upload(file, text())
        invoice = self.post("/documents", {**about, "filename": f"{text()}.xml"})
        self.organiser.put(
            f"/documents/{invoice['id']}/content",
            raw=ubl.write(Document(seller=Party(name=text()))),
            status=200,
            headers={"Content-Type": "application/octet-stream"},
        )
        self.post(
            "/submissions",
            {
                "event_participant_id": self.participant["id"],
                "type_key": "file",
                "document_id": file["id"],
            },
        )
        self.post("/tasks", {"entity_type": "document", "entity_id": file["id"], "title": text()})

    def upload(self, document, said):
        self.said.remove(said)  # the export names the file without its content
        self.organiser.put(
            f"/documents/{document['id']}/content",
            raw=f"{said} in a file".encode(),
            status=200,
            headers={"Content-Type": "application/octet-stream"},
        )

    def letters(self):
        """Create newsletter records: a mail that is refused, a consent that is transferred, and an
        unsubscription.
        """
        subscriber = self.post("/newsletter", {"email": self.email, "name": self.text()})
        mail = mail_delivery.step(self.db, "lease")
        refused = mail_delivery.Outcome("failed", f"550 {self.text()}", refuses_recipient=True)
        mail_delivery.step(self.db, "lease", (mail, refused), more=False)
        imported = {"source": self.text(), "at": "2026-05-01T09:30:00Z", "text": self.text()}
        self.post(
            "/newsletter",
            {"email": self.email, "send_confirmation": False, "consent": imported},
            status=200,
        )
        link = tokens.unsubscribe_url(
            tokens.secret(self.db), "", newsletter.row(self.db, subscriber["id"])
        )
        self.app.post(
            link,
            headers={"User-Agent": self.mark.split()[0]},
            extra_environ={"REMOTE_ADDR": self.text()},
        )
        # two mails tell of it
        self.post(
            "/links",
            {
                "kind": "participant",
                "participant_id": self.participant["id"],
                "name": self.text(),
                "email": f"colleague@{self.email.partition('@')[2]}",
            },
        )

    def money(self):
        """Create a draft and two invoices: a recent one, which the law requires to keep, and an old
        one, whose participant belongs to another contact.
        """
        text = self.text

        def items():
            return [{"description": self.text(), "quantity": 1, "unit_price": 10}]

        named = {"contact_id": self.contact["id"]}
        draft = self.post(
            "/invoices",
            {**named, "items": items(), "text": text(), "notes": text(), "buyer_reference": text()},
        )
        self.post(
            "/notes", {"entity_type": "invoice", "entity_id": draft["id"], "note_text": text()}
        )
        self.invoices = []
        for _ in "ab":
            invoice = self.post(
                "/invoices",
                {
                    **named,
                    "items": items(),
                    "text": text(),
                    "notes": text(),
                    "buyer_reference": text(),
                },
            )
            self.invoices.append(self.act(f"/invoices/{invoice['id']}/send", {"mail": True}))
            self.payment = self.post(
                "/payments",
                {
                    "invoice_number": self.invoices[-1]["invoice_number"],
                    "amount": 2,
                    "status": "completed",
                    "transaction_id": text(),
                    "notes": text(),
                },
            )
            self.act(
                f"/payments/{self.payment['id']}/refund",
                {"amount": 1, "transaction_id": text(), "notes": text()},
            )
        self.letter(invoice)
        self.post(f"/invoices/{invoice['id']}/mail", {"text": text()}, status=202)
        self.act(f"/invoices/{invoice['id']}/dispute", {"reason": text()})
        self.organiser.post(
            f"/invoices/{invoice['id']}/write-offs", {"amount": 0.01, "reason": text()}, status=201
        )
        void = self.post("/invoices", {**named, "items": items()})
        self.act(f"/invoices/{void['id']}/send")
        cancelled = self.act(f"/invoices/{void['id']}/cancel", {"reason": text()})
        self.void = {void["id"], cancelled["related_invoice_id"]}

    def letter(self, invoice):
        """Send a dunning letter for an invoice that is made overdue, and withdraw it."""
        self.post("/invoices/dunning-levels", {"name": "Reminder", "days": 1})
        self.db.connection.execute(
            "UPDATE invoices SET due_date = '2026-01-05', overdue_from = '2026-01-06' WHERE id = ?",
            (invoice["id"],),
        )
        (sent,) = self.act(
            "/invoices/dunning/send", {"invoice_ids": [invoice["id"]], "mail": False}
        )["sent"]
        self.act(
            f"/invoices/{invoice['id']}/dunning/{sent['id']}/withdraw", {"reason": self.text()}
        )

    def transfer(self):
        """Import a bank transfer and assign it to an invoice."""
        number, day = self.invoices[-1]["invoice_number"], "2026-05-04"
        entry = {
            "amount": 200,
            "day": day,
            **{name: self.text() for name in ("party", "text", "description")},
            "end_to_end_id": self.text(),
        }
        data = camt.document([camt.statement("DE02120300000000202051", [entry])])
        self.count += 1
        self.organiser.post(
            "/payments/import",
            raw=data,
            status=201,
            headers={
                "Content-Type": "application/xml",
                "Idempotency-Key": f"key-{self.digest()}-{self.count}",
            },
        )
        (found,) = self.organiser.data("/payments/unmatched")
        self.post(
            f"/payments/unmatched/{found['id']}/assign",
            {"invoices": [{"invoice_number": number, "amount": 2}]},
            200,
        )

    def imports(self):
        wrong = {"rating": 9, "notes": self.text()}
        self.post(
            "/bulk-import/contacts",
            {
                "records": [
                    {**wrong, "email": self.email},
                    {**wrong, "customer_number": self.contact["customer_number"]},
                    {**wrong, "external_id": self.contact["external_id"]},
                ]
            },
        )
        self.post(
            "/bulk-import/contacts",
            {"mode": "upsert", "records": [{"email": self.email, "state": self.text()}]},
        )

    def identifiers(self):
        """Store texts in columns that accept only identifiers."""
        with self.db.write():
            run, contact_id = self.db.connection.execute, self.contact["id"]
            run(
                "UPDATE bank_transactions SET ultimate_party = ?, ignored_reason = ?, iban = ?, bic = ?, "
                "creditor_reference = ? WHERE text LIKE ?",
                [*(self.text() for _ in range(5)), f"{self.mark}%"],
            )
            run(
                "UPDATE contacts SET leitweg_id = ?, gln = ?, electronic_address = ? WHERE id = ?",
                [self.text(), self.text(), f"EM:{self.email}", contact_id],
            )

    def export(self):
        return self.organiser.data(f"{self.address}/export")

    def anonymize(self):
        return self.act(f"{self.address}/anonymize", {"force": True})


@pytest.fixture
def life(organiser, db, settings, app):
    """Return a function life(mark) that creates a Life. All of them take part in the same show."""
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://events.example.org"
    settings.mails_per_minute = 1000
    for event_key in ("fair", "other"):
        organiser.make(
            "/events",
            {
                "title": "Garden Fair",
                "event_key": event_key,
                "date_from": "2026-01-02",
                "date_to": "2026-01-04",
            },
        )
    organiser.make("/categories", {"title": "Roses", "category_key": "roses"})
    organiser.make("/plans", {"event_key": "fair", "plan_name": "Hall", "width": 60, "height": 40})
    organiser.make(
        "/booths/types",
        {"booth_type_name": "Row", "booth_type_key": "row", "price_model": "per_m2", "price": 100},
    )
    organiser.make(
        "/services",
        {
            "service_name": "Sign",
            "base_price": 1,
            "requires_specification": True,
            "events": [{"event_key": "fair"}],
        },
    )
    organiser.make(
        "/submissions/types",
        {"event_key": "fair", "key": "profile", "title": "Profile", "input": "text"},
    )
    organiser.make(
        "/submissions/types", {"event_key": "fair", "key": "file", "title": "File", "input": "file"}
    )
    organiser.make(
        "/documents/templates",
        {"name": "Letter", "key": "letter", "body": "<p>{{contact.name}}: {{metadata.said}}</p>"},
    )
    organiser.make(
        "/documents/templates",
        {
            "name": "Contract",
            "key": "contract",
            "body": "<p>{{contact.name}}</p>",
            "is_contract": True,
        },
    )
    for entity_type in ("contact", "application", "event_participant", "submission"):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": entity_type,
                "field_key": "nick",
                "field_label": "Nick",
                "is_searchable": True,
            },
        )
    organiser.make("/webhooks", {"url": "https://hooks.example.org/x", "events": ["*"]})
    return lambda mark=MARK, digits=DIGITS: Life(organiser, db, mark, digits, app)


# Traces


def traces(db):
    """Return table.column of each column that contains the mark, in upper or lower case."""
    return {
        f"{table}.{column}"
        for table, names in columns(db).items()
        for column in names
        for (value,) in db.connection.execute(
            f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'
        )
        if TRACE.search(content(value))
    }


def recorded(db):
    """Return the columns with the mark, without the search indexes, which keep erased words until
    the night.
    """
    return {name for name in traces(db) if "_search" not in name}


def content(value):
    """Return the bytes of a value, those of an e-invoice decompressed."""
    if not isinstance(value, bytes):
        return str(value).encode()
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value


def words(db):
    """Return the terms of all search indexes that contain the mark."""
    found = []
    for (name,) in db.connection.execute(
        "SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5%'"
    ).fetchall():
        db.connection.execute(f"CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, {name}, row)")
        found += [
            term
            for (term,) in db.connection.execute("SELECT term FROM temp.words")
            if TRACE.search(term.encode())
        ]
        db.connection.execute("DROP TABLE temp.words")
    return found


def files_with_traces(settings):
    """Return the names of the files with the mark: database, its WAL, stored files and temporary
    files.

    PDFs are compressed, but they are drawn from columns that the test reads.
    """
    return [
        file.name
        for file in settings.data_dir.rglob("*")
        if file.is_file() and TRACE.search(file.read_bytes())
    ]


def a_day_later(settings, db, monkeypatch):
    """Run what the worker does in the following night."""
    for file in settings.files.rglob("*"):
        if file.is_file():
            os.utime(file, (time.time() - 2 * 86400,) * 2)
    housekeeping.sweep_files(db)
    monkeypatch.setattr(remnants, "NIGHT", range(24))
    assert remnants.erase(db)


def years_later(db):
    """Move dates so that the retention period is over."""
    with db.write():
        db.connection.execute(
            "UPDATE invoices SET issue_date = '2001-02-03' WHERE issue_date IS NOT NULL"
        )
        db.connection.execute(
            "UPDATE documents SET signed_at = '2001-02-03T00:00:00Z' WHERE signed_at IS NOT NULL"
        )
        db.connection.execute(
            "UPDATE anonymizations SET kept_until = '2009-12-31' WHERE kept_until IS NOT NULL"
        )


def test_personal_data_is_exported_and_gone_after_anonymisation(
    life, organiser, db, settings, monkeypatch
):
    one, other = life(), life("Kwpyf Nächbar", "4433221")
    webhooks.fan_out(db, lambda: False)
    personal = {
        f"{table}.{column}" for table, names in PERSONAL.items() for column in names.split()
    }
    found = recorded(db)
    assert personal - found == set(), "the test stores no mark in these columns"
    assert found - personal == set(), "columns with personal data that PERSONAL does not list"
    assert words(db) and files_with_traces(settings)
    exported = str(one.export())
    assert [text for text in one.said if text not in exported] == []
    assert {one.email, one.phone} <= set(re.findall(r"'([^']*)'", exported))
    untouched = other.export()

    kept = one.anonymize()["kept"]
    assert {entry.get("invoice_id") or entry["document_id"] for entry in kept} == {
        one.contract["id"],
        *[invoice["id"] for invoice in one.invoices],
        *one.void,
    }
    assert recorded(db) == KEPT
    years_later(db)
    assert erasing.end_retention(db) == 1
    assert recorded(db) == set()
    a_day_later(settings, db, monkeypatch)
    assert traces(db) == set() and words(db) == [] and files_with_traces(settings) == []
    assert {sha256 for sha256, _, _ in files.all_stored(settings)} == housekeeping.used_files(db)
    assert not TRACE.search(str(one.export()).encode())
    later = other.export()
    for record in [*untouched["invoices"], *later["invoices"]]:
        del record["issue_date"]  # years_later changes all invoices
    for part in untouched:
        assert part == "documents" or later[part] == untouched[part], part
    assert organiser.data("/contacts?search=nachbar")[0]["id"] == other.contact["id"]
    assert [
        finding for finding in checks.findings(db) if finding[0] not in ("money", "e-invoices")
    ] == []


# Statistics of a log of 440,000 entries, with which SQLite 3.40 made a Bloom filter that lost rows.
LARGE_LOG = [
    ("audit_log_by_entity", "451432 134 2 2 2"),
    ("audit_log_by_time", "451432 1"),
    ("audit_log_deleted_of_contact", "4826 115 18"),
    ("audit_log_deleted_of_participant", "4446 115 115"),
    ("audit_log_deleted_of_invoice", "4446 115 115"),
    ("audit_log_deleted_of_entity", "4446 115 115"),
]


def test_deleted_records_are_found_in_a_large_audit_log(organiser, db):
    event = organiser.make("/events", {"title": "Garden Fair"})
    contact = organiser.make("/contacts", {"last_name": "Weg"})["id"]
    person = organiser.make(
        "/participants", {"event_id": event["id"], "contact_id": contact, "role": "visitor"}
    )["id"]
    notes = [
        organiser.make("/notes", {"entity_type": kind, "entity_id": id, "note_text": "x"})["id"]
        for kind, id in (
            ("contact", contact),
            ("event_participant", person),
            ("event", event["id"]),
        )
    ]
    for path in (*(f"/notes/{id}" for id in notes), f"/participants/{person}"):
        organiser.delete(path, status=204)
    db.connection.executescript("ANALYZE; DELETE FROM sqlite_stat1 WHERE tbl = 'audit_log'")
    db.connection.executemany(
        "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('audit_log', ?, ?)", LARGE_LOG
    )
    db.connection.execute("ANALYZE sqlite_schema")  # reads the statistics
    own = db.all(erasing.sql.own_records, id=contact)
    assert [list(pair.values()) for pair in own] == [
        ["contact", contact],
        ["event_participant", person],
    ]
    attached = db.all(
        erasing.sql.attached_records, pairs=as_json([list(pair.values()) for pair in own])
    )
    assert [list(pair.values()) for pair in attached] == [["note", notes[0]], ["note", notes[1]]]


def test_a_large_file_is_cleaned_in_pieces_and_never_rewritten(life, db, monkeypatch):
    life().anonymize()

    def erased():
        """Return whether no index has a word more than its records.

        Sent invoices and their payments keep theirs.
        """
        return {name.partition("_search")[0] for name in traces(db) - recorded(db)} <= {
            "invoices",
            "payments",
        }

    assert not erased()
    for name, value in (
        ("NIGHT", range(24)),
        ("LARGEST_REWRITE", 0),
        ("PAGES", 1),
        ("ZEROS", 5000),
    ):
        monkeypatch.setattr(remnants, name, value)
    rewritten, stops, size = [], iter([False] * 3 + [True] * 99), file_size(db)
    monkeypatch.setattr(remnants, "rewrite", lambda *_: rewritten.append(1))
    assert remnants.erase(db, lambda: next(stops)) and not erased(), (
        "it was stopped, and is repeated"
    )
    assert remnants.erase(db) and erased() and rewritten == []
    assert db.connection.execute("SELECT count(*) FROM blanks").fetchone() == (0,)
    assert file_size(db) < 1.1 * size and remnants.waiting(db) == 2
    assert not remnants.erase(db), "it is done once"
    monkeypatch.undo()
    remnants.rewrite(db)
    assert remnants.waiting(db) == 0


def file_size(db):
    return db.connection.execute(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    ).fetchone()[0]


def test_transfers_that_were_ignored_or_are_assigned_later_name_no_anonymised_payer(organiser, db):
    """Those of an account that has paid for others as well stay: they may be of the others."""
    mine, shared = "DE75512108001245126199", "DE88100900001234567892"
    people = [
        organiser.make("/contacts", {"last_name": name, "address": "Weg 1", "city": "Wien"})
        for name in ("Muster", "Other")
    ]
    numbers = []
    for number, contact in enumerate([people[0], people[0], people[0], people[1]], 1):
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": contact["id"],
                "invoice_number": f"R-{number}",
                "issue_date": "2026-04-01",
                "items": [
                    {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
                ],
            },
        )
        organiser.post(f"/invoices/{draft['id']}/send", {}, status=200)
        numbers.append({"invoices": [{"invoice_number": f"R-{number}"}]})
    entries = [
        {
            "amount": 11900,
            "day": "2026-05-04",
            "party": "Muster",
            "iban": iban,
            "bank_reference": f"B{n}",
            "text": f"t{n}",
        }
        for n, iban in enumerate([mine, shared, shared, mine, shared, mine])
    ]
    organiser.post(
        "/payments/import",
        raw=camt.document([camt.statement("DE02120300000000202051", entries)]),
        headers={"Content-Type": "application/xml"},
        status=201,
    )
    found = {
        row["text"]: f"/payments/unmatched/{row['id']}"
        for row in organiser.data("/payments/unmatched")
    }
    for text, number in (("t0", 0), ("t1", 1), ("t2", 3)):
        organiser.post(f"{found[text]}/assign", numbers[number], status=200)
    for text in ("t3", "t4"):
        organiser.post(f"{found[text]}/ignore", {"reason": "Muster was wrong"}, status=200)
    exported = organiser.data(f"/contacts/{people[0]['id']}/export")["bank_transactions"]
    assert [row["text"] for row in exported] == ["t0", "t1", "t3"]

    def named():
        return [
            row[0]
            for row in db.connection.execute(
                "SELECT text FROM bank_transactions WHERE party = 'Muster' "
                "AND text IS NOT NULL ORDER BY text"
            )
        ]

    organiser.post(f"/contacts/{people[0]['id']}/anonymize", {"force": True}, status=200)
    assert named() == ["t2", "t4", "t5"]
    organiser.post(f"{found['t5']}/assign", numbers[2], status=200)
    erasing.end_retention(db)
    assert named() == ["t2", "t4"]


# Queued mails, deliveries and stored responses


def test_mails_with_a_link_are_exported_and_erased(life, db):
    one, other = life(), life("Kwpyf Nächbar", "4433221")
    for each in (one, other):
        rows = db.connection.execute(
            "SELECT id FROM links WHERE email = ? AND participant_id IS NOT NULL", (each.email,)
        )
        with db.write():
            mails.add(db, "contract", "link", rows.fetchone()[0], each.email, "Your page")
    exported = one.organiser.data(f"/contacts/{one.contact['id']}/export")["mails"]
    assert [each["recipient"] for each in exported if each["subject"] == "Your page"] == [one.email]
    one.anonymize()
    left = db.connection.execute("SELECT recipient FROM mails WHERE subject = 'Your page'")
    assert left.fetchall() == [(other.email,)]


def test_queued_mails_and_deliveries_contain_no_data_of_an_anonymised_contact(life, db):
    one, other = life(), life("Kwpyf Nächbar", "4433221")
    webhooks.fan_out(db, lambda: False)
    one.anonymize()
    recipients = []
    while mail := mail_delivery.step(db, "lease", more=True):
        recipients.append(mail["recipient"])
    assert sorted(recipients) == sorted(
        [*[f"bill.{other.email}"] * 5, other.email, f"former.{other.email}"]
    )
    sent, done = b"", None
    while delivery := webhook_delivery.step(db, 1, "lease", done):
        sent += webhooks.message(delivery["event_name"], delivery["event_at"], delivery["data"])
        done = delivery, webhook_delivery.Outcome(204)
    assert (
        not TRACE.search(sent)
        and other.email.encode() in sent
        and b'"contact.created","timestamp"' in sent
    )


def test_stored_responses_about_the_contact_are_emptied_and_others_are_not(life, organiser, db):
    one, other = life(), life("Kwpyf Nächbar", "4433221")

    def sent(life_, path, key, body=None):
        """Send a request; return all that is needed to repeat it, and the data of its response."""
        headers = {"Idempotency-Key": key}
        return life_, path, headers, body, organiser.post(path, body, headers=headers).json["data"]

    requests = [
        sent(life_, path, f"{number}-{life_.digest()}", body)
        for life_ in (one, other)
        for number, (path, body) in enumerate(
            (
                # Changes nothing, so that there is no audit entry.
                (f"/participants/{life_.participant['id']}/unconfirm", None),
                (f"/submissions/{life_.submission['id']}/reject", {"feedback": "x"}),
                ("/newsletter", {"email": life_.email, "send_confirmation": True}),
                (
                    "/bulk-import/contacts",
                    {"dry_run": True, "records": [{"email": life_.email, "rating": 9}]},
                ),
            )
        )
    ]
    one.anonymize()
    for life_, path, headers, body, first in requests:
        answer = organiser.post(path, body, headers=headers)
        assert answer.headers["Idempotency-Replayed"] == "true" and not TRACE.search(answer.body), (
            path
        )
        assert answer.json["data"]["id"] == first["id"]
        emptied = life_ is one and answer.json["data"].keys() == {"id", "created_at", "updated_at"}
        assert answer.json["data"] == first or emptied, path


# Contacts with the same address


def test_a_subscription_is_kept_for_another_contact_with_the_same_address(organiser, db):
    first, second = (
        organiser.make("/contacts", {"last_name": name, "email": "office@rosen.example"})
        for name in ("Zqvxj", "Other")
    )
    consent = {"source": "Stand", "at": "2026-05-01T09:30:00Z"}
    subscriber = organiser.make(
        "/newsletter",
        {"email": "Office@rosen.example", "send_confirmation": False, "consent": consent},
    )
    assert organiser.data(f"/contacts/{first['id']}/export")["newsletter"] == []
    organiser.post(f"/contacts/{first['id']}/anonymize", {"force": True}, status=200)
    assert organiser.data(f"/newsletter/{subscriber['id']}")["status"] == "confirmed"
    export = organiser.data(f"/contacts/{second['id']}/export")
    assert export["contact"] == {**second, "newsletter_status": "confirmed"}
    assert [entry["consents"][0]["source"] for entry in export["newsletter"]] == ["Stand"]
    assert [
        entry["new_values"]["email"]
        for entry in export["audit_log"]
        if entry["action"] == "created"
    ] == [second["email"], "Office@rosen.example"]
    assert recorded(db) == set()


# After anonymisation


@pytest.fixture
def gone(life, organiser):
    """Return an anonymised Life that still has an active reservation and orders."""
    one = life()
    named = {"event_participant_id": one.participant["id"]}
    one.reservation = organiser.make("/booth-reservations", {**named, "booth_id": one.booth()})
    one.orders = [
        organiser.make(
            "/service-orders",
            {
                **named,
                "status": "submitted",
                "items": [{"service_id": 1, "quantity": 1, "specification": "x"}],
            },
        )
        for _ in "ab"
    ]
    one.handed_in = organiser.data("/submissions?type_key=file")[0]
    one.visit = organiser.data("/check-ins")[0]
    open_ = organiser.make(
        "/applications", {"last_name": "x", "email": one.email, "event_keys": ["fair"]}
    )
    organiser.post(f"/applications/{open_['id']}/review", status=200)
    one.open = f"/applications/{open_['id']}"
    one.anonymize()
    return one


def test_no_text_can_be_stored_about_an_anonymised_contact(gone, organiser, db):
    place = {"entity_type": "event_participant", "entity_id": gone.participant["id"]}
    # a signed contract is kept
    paper = {
        "entity_type": "document",
        "entity_id": gone.contract["id"],
    }
    scan = {"event_key": "fair", "badge_number": gone.participant["badge_number"], "notes": MARK}
    item = {"description": MARK, "quantity": 1, "unit_price": 1}
    before = [count for (count,) in db.connection.execute("SELECT count(*) FROM audit_log")]
    for method, path, body in (
        ("POST", "/notes", {**place, "note_text": MARK}),
        (
            "POST",
            "/notes",
            {"entity_type": "invoice", "entity_id": gone.invoices[0]["id"], "note_text": MARK},
        ),
        ("POST", "/tasks", {**place, "title": MARK}),
        ("POST", "/tasks", {**paper, "title": MARK}),
        ("POST", "/documents", {**place, "filename": MARK}),
        ("POST", "/documents", {**place, "template_key": "letter", "metadata": {"said": MARK}}),
        ("PATCH", f"/documents/{gone.contract['id']}", {"filename": MARK}),
        ("POST", f"/submissions/{gone.handed_in['id']}/reject", {"feedback": MARK}),
        ("PATCH", f"/submissions/{gone.submission['id']}", {"custom_fields": {"nick": MARK}}),
        ("PATCH", gone.open, {"last_name": MARK}),
        ("POST", f"{gone.open}/reject", {"reason": MARK}),
        ("POST", f"{gone.open}/request-info", {"question": MARK}),
        ("PATCH", f"/booth-reservations/{gone.reservation['id']}", {"notes": MARK}),
        ("POST", f"/booth-reservations/{gone.reservation['id']}/cancel", {"reason": MARK}),
        ("PATCH", f"/service-orders/{gone.orders[0]['id']}", {"notes": MARK}),
        ("POST", f"/service-orders/{gone.orders[0]['id']}/cancel", {"reason": MARK}),
        ("POST", f"/service-orders/{gone.orders[0]['id']}/confirm", None),
        ("POST", "/check-ins", scan),
        ("PATCH", f"/check-ins/{gone.visit['id']}", {"notes": MARK}),
        ("PATCH", f"/invoices/{gone.invoices[0]['id']}", {"notes": MARK}),
        ("POST", "/invoices", {"contact_id": gone.contact["id"], "items": [item]}),
        (
            "POST",
            "/payments",
            {"invoice_number": gone.invoices[0]["invoice_number"], "amount": 1, "notes": MARK},
        ),
        ("PATCH", f"/payments/{gone.payment['id']}", {"notes": MARK}),
        ("POST", f"/payments/{gone.payment['id']}/refund", {"amount": 0.5, "notes": MARK}),
        ("PATCH", f"/participants/{gone.participant['id']}", {"badge_name": MARK}),
        ("PUT", f"/custom-fields/application/{gone.application['id']}", {"nick": MARK}),
    ):
        answer = organiser(method, path, body)
        assert (answer.status_int, answer.json["code"]) == (409, "anonymized"), (
            method,
            path,
            answer.text,
        )
    file = organiser.put(
        f"/documents/{gone.contract['id']}/content",
        raw=b"%PDF-1.7 signed",
        status=409,
        headers={"Content-Type": "application/octet-stream"},
    )
    assert file.json["code"] == "anonymized" and recorded(db) <= KEPT
    assert [count for (count,) in db.connection.execute("SELECT count(*) FROM audit_log")] == before


def test_necessary_actions_still_work_after_anonymisation(gone, organiser):
    assert (
        organiser.post(f"/booth-reservations/{gone.reservation['id']}/cancel", status=200).json[
            "data"
        ]["status"]
        == "cancelled"
    )
    assert (
        organiser.post(f"/service-orders/{gone.orders[0]['id']}/cancel", status=200).json["data"][
            "status"
        ]
        == "cancelled"
    )
    assert organiser.post(f"{gone.open}/withdraw", status=200).json["data"]["status"] == "withdrawn"
    organiser.post(
        "/check-ins",
        {
            "event_key": "fair",
            "badge_number": gone.participant["badge_number"],
            "scanned_at": "2026-01-04T09:00:00Z",
        },
        status=201,
    )
    organiser.make(
        "/payments",
        {"invoice_number": gone.invoices[0]["invoice_number"], "amount": 1, "status": "completed"},
    )
    organiser.post(f"/payments/{gone.payment['id']}/refund", {"amount": 0.5}, status=200)
    organiser.post(f"/documents/{gone.contract['id']}/terminate", status=200)


def test_every_kind_about_people_is_checked_for_anonymity():
    text = (paths.folder("sql") / "anonymity.sql").read_text(encoding="utf-8")
    assert set(re.findall(r"(?:WHEN|a.entity_type =) '(\w+)'", text)) == {
        name for name, kind in entities.KINDS.items() if kind.about_people
    }
