"""The names of all events that webhooks and the feed tell, each with its scope and an example."""
from difflib import get_close_matches
from functools import lru_cache

from eventapi.validation import examples

CHANGES = ("created", "updated", "deleted")
AT = "2027-05-01T09:00:00Z"

# noun -> (its schema, the scope that a key needs to hear of it, what may happen to it)
EVENTS = {
    "event": ("event", "events", CHANGES),
    "contact": ("contact", "contacts", (*CHANGES, "merged", "anonymized")),
    "participant": ("participant", "participants", ("added", "updated", "removed", "confirmed", "unconfirmed")),
    "application": ("application", "applications", (*CHANGES, "reviewed", "approved", "rejected", "waitlisted", "info_requested", "withdrawn")),
    "category": ("category", "categories", CHANGES),
    "invoice": ("invoice", "invoices", (*CHANGES, "sent", "partially_paid", "paid", "refunded", "credited", "cancelled", "reminded")),
    "payment": ("payment", "payments", (*CHANGES, "completed", "failed", "cancelled", "refunded")),
    "plan": ("plan", "plans", CHANGES),
    "booth": ("booth", "booths", (*CHANGES, "assigned", "unassigned")),
    "booth_type": ("booth_type", "booths", CHANGES),
    "booth_formula": ("booth_formula", "booths", CHANGES),
    "booth_reservation": ("booth_reservation", "booths", ("created", "updated", "confirmed", "cancelled", "extended", "moved", "expired", "offered")),
    "service": ("service", "services", CHANGES),
    "service_category": ("service_category", "services", CHANGES),
    "service_order": ("service_order", "service_orders", (*CHANGES, "submitted", "confirmed", "completed", "cancelled")),
    "task": ("task", "tasks", (*CHANGES, "started", "completed", "cancelled", "reopened")),
    "schedule": ("schedule", "schedules", CHANGES),
    "submission": ("submission", "submissions", (*CHANGES, "submitted", "approved", "rejected", "revision_requested")),
    "submission_type": ("submission_type", "submissions", CHANGES),
    "check_in": ("check_in", "checkins", (*CHANGES, "checked_out")),
    "document": ("document", "documents", (*CHANGES, "signature_requested", "viewed", "signed", "declined", "expired", "voided", "terminated")),
    "document_template": ("document_template", "documents", CHANGES),
    "document_category": ("document_category", "documents", CHANGES),
    "calendar_subscription": ("calendar_subscription", "calendar-feed", (*CHANGES, "rotated")),
    "newsletter": ("newsletter_subscriber", "newsletter", (*CHANGES, "confirmed", "unsubscribed")),
    "custom_field": ("custom_field", "custom_fields", CHANGES),
    "note": ("note", "the scope of the record that the note is about", CHANGES),
    "bulk_import": ("bulk_import", "contacts or participants, as is imported", ("created", "finished", "failed")),
    "webhook": ("webhook", "webhooks", (*CHANGES, "headers_changed", "tested", "secret_rotated", "disabled")),
}


def names():
    return [f"{noun}.{word}" for noun, (_, _, words) in EVENTS.items() for word in words]


@lru_cache(maxsize=1)
def listed():
    """Every event: type, scope, and a message as it is sent."""
    return [{"type": f"{noun}.{word}", "scope": scope, "example": {"type": f"{noun}.{word}", "timestamp": AT, "data": examples.response(schema)}}
            for noun, (schema, scope, words) in EVENTS.items() for word in words]


def patterns():
    return {"*", *(f"{noun}.*" for noun in EVENTS), *names()}


def unknown(pattern):
    """What is wrong with the name or pattern of an event, or None."""
    if pattern in patterns():
        return None
    near = get_close_matches(pattern, sorted(patterns()), 1)
    return f"is no event{f'; did you mean {near[0]}?' if near else ''} (GET /webhooks/events lists all; also payment.* and *)"
