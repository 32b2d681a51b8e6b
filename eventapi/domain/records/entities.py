"""The registry of record kinds: every entity type with its scope, its outgoing events and its
titles.

To add a kind, add a Kind here. The journal, webhooks, notes, custom fields and anonymisation read
it from here, and tests compare the enums of the schemas and sql/entities.sql with it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from eventapi.names import display_name
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("entities")

CHANGES = ("created", "updated", "deleted")


def _untitled(record):
    return None


@dataclass(frozen=True)
class Kind:
    """One kind of record."""

    entity_type: str
    """Name of the kind in the `entity_type` of audit entries, notes, documents, tasks and custom
    fields.
    """

    table: str | None = None
    """Table that has a row for each record."""

    scope: str | Callable[[dict], str] | None = None
    """Scope that an API key needs to receive events of the record, or a function of the record that
    returns it.

    None: the kind has no outgoing events.
    """

    events: tuple = ()
    """The part of each event type after the dot, as GET /webhooks/events lists it.

    The message has the schema of the record, with the differences that its `$defs.message` names.
    """

    title: Callable[[dict], str | None] = _untitled
    """Returns the `entity_title` of an audit entry.

    Its argument is the record as the journal receives it.
    """

    noun: str = ""
    """The part of each event type before the dot, where it is not the entity type."""

    event_words: Mapping = field(default_factory=dict)
    """action of the audit log -> word in the event type, where they differ."""

    schema: str = ""
    """Name of the JSON Schema that describes the record, where it is not the entity type."""

    has_notes: bool = False
    """Whether notes may be about the record."""

    has_documents: bool = False
    """Whether documents may be about the record. Such a kind needs a SELECT in sql/entities.sql."""

    has_tasks: bool = False
    """Whether tasks may be about the record. Such a kind needs a SELECT in sql/entities.sql."""

    has_custom_fields: bool = False
    """Whether organisers may define custom fields for the kind. Such a kind needs an entry in TOUCH of
    field_values.py and in RECORDS of resources/custom_fields.py."""

    personal: tuple = ()
    """Columns that anonymising the contact sets to NULL. Later, they accept no new text. Such a kind needs an UPDATE in
    `erases` of its subject.py. Those of contacts and applications are lists in sql/contacts.sql and
    sql/applications.sql."""

    about_people: bool = False
    """Whether a record may lead to a contact, so that anonymising the contact concerns it. Such a kind needs a line in
    sql/anonymity.sql."""

    def event_name(self, action):
        """Return the event type of an action: `participant.added`."""
        return f"{self.noun or self.entity_type}.{self.event_words.get(action, action)}"

    def event_names(self):
        """Return the types of all events of the kind."""
        return [f"{self.noun or self.entity_type}.{word}" for word in self.events]

    def scope_of(self, record):
        """Return the name of the scope that an API key needs to receive events of the record."""
        return self.scope(record) if callable(self.scope) else self.scope


# Titles that are made from several fields


def _contact_title(contact):
    """Return the name by which a person would call a contact or an applicant."""
    return display_name(contact, contact["email"], contact.get("customer_number")) or None


def _participant_title(participant):
    return f"{participant['customer_number']} at {participant['event_key']}"


def _reservation_title(reservation):
    return f"{reservation['booth_number']} at {reservation['event_key']}"


def _submission_title(submission):
    return f"{submission['title']} of participant {submission['event_participant_id']}"


def _document_title(document):
    return document["document_number"] or document["filename"] or document["title"]


def _import_title(run):
    return f"{run['total']} {run['kind']}"


def _note_scope(note):
    """Return the scope of the record that the note is about."""
    return KINDS[note["entity_type"]].scope


# The kinds. GET /webhooks/events lists their events in this order.

EVENT = Kind(
    "event",
    "events",
    "events",
    CHANGES,
    itemgetter("title"),
    has_notes=True,
    has_documents=True,
    has_tasks=True,
    has_custom_fields=True,
)
CONTACT = Kind(
    "contact",
    "contacts",
    "contacts",
    (*CHANGES, "merged", "anonymized", "vat_id_checked"),
    _contact_title,
    has_notes=True,
    has_documents=True,
    has_tasks=True,
    has_custom_fields=True,
    about_people=True,
)
EVENT_PARTICIPANT = Kind(
    "event_participant",
    "participants",
    "participants",
    (
        "added",
        "updated",
        "removed",
        "confirmed",
        "unconfirmed",
        "badge_replaced",
        "profile_changed",
    ),
    _participant_title,
    noun="participant",
    schema="participant",
    event_words={
        "created": "added",
        "deleted": "removed",
        "cancelled": "removed",
        "reinstated": "added",
    },
    has_notes=True,
    has_documents=True,
    has_tasks=True,
    has_custom_fields=True,
    about_people=True,
    personal=("badge_name",),
)
APPLICATION = Kind(
    "application",
    "applications",
    "applications",
    (
        *CHANGES,
        "reviewed",
        "approved",
        "rejected",
        "waitlisted",
        "info_requested",
        "answered",
        "withdrawn",
    ),
    _contact_title,
    has_notes=True,
    has_documents=True,
    has_tasks=True,
    has_custom_fields=True,
    about_people=True,
)
CATEGORY = Kind(
    "category",
    "categories",
    "categories",
    CHANGES,
    itemgetter("title"),
    has_documents=True,
    has_tasks=True,
)
INVOICE = Kind(
    "invoice",
    "invoices",
    "invoices",
    (
        *CHANGES,
        "sent",
        "partially_paid",
        "paid",
        "refunded",
        "credited",
        "cancelled",
        "reminded",
        "mailed",
        "posted",
        "dunned",
        "dunning_withdrawn",
        "disputed",
        "settled",
        "written_off",
        "write_off_deleted",
    ),
    itemgetter("invoice_number"),
    has_notes=True,
    has_documents=True,
    has_tasks=True,
    about_people=True,
    personal=("notes", "dispute_reason"),
)
PAYMENT = Kind(
    "payment",
    "payments",
    "payments",
    (*CHANGES, "completed", "failed", "cancelled", "refunded", "refund_deleted"),
    itemgetter("invoice_number"),
    has_documents=True,
    has_tasks=True,
    about_people=True,
    personal=("notes",),
)
PLAN = Kind(
    "plan", "plans", "plans", CHANGES, itemgetter("plan_name"), has_documents=True, has_tasks=True
)
BOOTH = Kind(
    "booth",
    "booths",
    "booths",
    (*CHANGES, "assigned", "unassigned"),
    itemgetter("booth_number"),
    has_documents=True,
    has_tasks=True,
    has_custom_fields=True,
)
BOOTH_TYPE = Kind(
    "booth_type",
    "booth_types",
    "booths",
    CHANGES,
    itemgetter("booth_type_name"),
    has_documents=True,
    has_tasks=True,
)
BOOTH_FORMULA = Kind(
    "booth_formula",
    "booth_formulas",
    "booths",
    CHANGES,
    itemgetter("name"),
    has_documents=True,
    has_tasks=True,
)
BOOTH_RESERVATION = Kind(
    "booth_reservation",
    "booth_reservations",
    "booths",
    ("created", "updated", "confirmed", "cancelled", "extended", "moved", "expired", "offered"),
    _reservation_title,
    has_documents=True,
    has_tasks=True,
    about_people=True,
    personal=("notes", "cancellation_reason"),
)
SERVICE = Kind(
    "service",
    "services",
    "services",
    CHANGES,
    itemgetter("service_name"),
    has_documents=True,
    has_tasks=True,
)
SERVICE_CATEGORY = Kind(
    "service_category",
    "service_categories",
    "services",
    CHANGES,
    itemgetter("category_name"),
    has_documents=True,
    has_tasks=True,
)
SERVICE_ORDER = Kind(
    "service_order",
    "service_orders",
    "service_orders",
    (*CHANGES, "submitted", "confirmed", "completed", "cancelled"),
    itemgetter("order_number"),
    has_documents=True,
    has_tasks=True,
    about_people=True,
    personal=("notes", "cancellation_reason"),
)
TASK = Kind(
    "task",
    "tasks",
    "tasks",
    (*CHANGES, "started", "completed", "cancelled", "reopened"),
    itemgetter("title"),
    has_documents=True,
    has_tasks=True,
    about_people=True,
)
SCHEDULE = Kind(
    "schedule",
    "schedule_slots",
    "schedules",
    CHANGES,
    itemgetter("title"),
    has_documents=True,
    has_tasks=True,
)
SUBMISSION = Kind(
    "submission",
    "submissions",
    "submissions",
    (*CHANGES, "submitted", "approved", "rejected", "revision_requested"),
    _submission_title,
    has_documents=True,
    has_tasks=True,
    has_custom_fields=True,
    about_people=True,
    personal=("value", "document_id", "feedback"),
)
DUNNING_LEVEL = Kind("dunning_level", "dunning_levels", "invoices", CHANGES, itemgetter("name"))
BANK_RULE = Kind("bank_rule", "bank_rules", "payments", CHANGES, itemgetter("reason"))
SUBMISSION_TYPE = Kind(
    "submission_type", "submission_types", "submissions", CHANGES, itemgetter("title")
)
CHECK_IN = Kind(
    "check_in",
    "check_ins",
    "checkins",
    (*CHANGES, "checked_out"),
    has_documents=True,
    has_tasks=True,
    about_people=True,
    personal=("notes",),
)
DOCUMENT = Kind(
    "document",
    "documents",
    "documents",
    (
        *CHANGES,
        "signature_requested",
        "viewed",
        "signed",
        "accepted",
        "declined",
        "expired",
        "voided",
        "terminated",
    ),
    _document_title,
    has_tasks=True,
    about_people=True,
    personal=("metadata", "e_invoice"),
)
DOCUMENT_TEMPLATE = Kind(
    "document_template", "document_templates", "documents", CHANGES, itemgetter("name")
)
DOCUMENT_CATEGORY = Kind(
    "document_category", "document_categories", "documents", CHANGES, itemgetter("name")
)
CALENDAR_SUBSCRIPTION = Kind(
    "calendar_subscription",
    "calendar_subscriptions",
    "calendar-feed",
    (*CHANGES, "rotated"),
    itemgetter("name"),
)
NEWSLETTER_SUBSCRIBER = Kind(
    "newsletter_subscriber",
    "newsletter_subscribers",
    "newsletter",
    (*CHANGES, "confirmed", "unsubscribed"),
    itemgetter("email"),
    noun="newsletter",
)
CUSTOM_FIELD = Kind(
    "custom_field", "custom_field_definitions", "custom_fields", CHANGES, itemgetter("field_label")
)
NOTE = Kind(
    "note", "notes", _note_scope, CHANGES, has_documents=True, has_tasks=True, about_people=True
)
BULK_IMPORT = Kind(
    "bulk_import",
    "bulk_imports",
    itemgetter("kind"),
    ("created", "finished", "failed"),
    _import_title,
)
LINK = Kind("link", "links", "links", ("created", "rotated", "revoked"))
WEBHOOK = Kind(
    "webhook",
    "webhooks",
    "webhooks",
    (*CHANGES, "headers_changed", "tested", "secret_rotated", "disabled"),
    itemgetter("name"),
)

# Only audited: no webhook announces a change of these.
APPLICATION_DRAFT = Kind("application_draft", "application_drafts")
ADMIN = Kind("admin", "admins")
API_KEY = Kind("api_key", "api_keys")
BANK_FORMAT = Kind("bank_format", "bank_formats")
BANK_STATEMENT = Kind("bank_statement", "bank_statements")
BANK_TRANSACTION = Kind("bank_transaction", "bank_transactions")
AUDIT_LOG = Kind("audit_log", "audit_log")
DATABASE = Kind("database")
EVENT_PAGES = Kind("event_pages", "event_pages")
FLAG = Kind("flag", "flags")
GATEWAY = Kind("gateway", "gateways")
PERIOD = Kind("period", "periods")
SETTING = Kind("setting", "settings")
TENANT = Kind("tenant", "tenant")

KINDS = {kind.entity_type: kind for kind in tuple(globals().values()) if isinstance(kind, Kind)}


def check(db, record, faults):
    """Add a fault at /entity_id unless `entity_type` and `entity_id` of `record` name a record that
    exists.
    """
    if not short(db, [(record["entity_type"], record["entity_id"])]):
        faults.add(
            "/entity_id",
            "unknown",
            f"is unknown: no {record['entity_type']} has the id {record['entity_id']}",
        )


def short(db, pairs):
    """Return (entity_type, entity_id) -> {entity_type, id, title, event_id} for those of the pairs
    that exist.

    `event_id` is null where the record does not belong to one event.
    """
    return {
        (row["entity_type"], row["entity_id"]): {
            "entity_type": row["entity_type"],
            "id": row["entity_id"],
            "title": row["title"],
            "event_id": row["event_id"],
        }
        for row in db.all(sql.short, pairs=as_json(list(pairs)))
    }
