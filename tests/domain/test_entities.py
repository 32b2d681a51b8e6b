"""The registry of record kinds, compared with the lists in this file, in the schemas and in the
SQL.
"""

import re

import pytest

from eventapi import journal, paths
from eventapi.domain.records import entities, field_values
from eventapi.domain.records.entities import KINDS
from eventapi.domain.subjects import SUBJECTS
from eventapi.resources import custom_fields
from eventapi.validation.schema_files import document

# entity type -> (scope of its events, event types). A wrong scope would show a record to a key
# without permission.
EVENTS = {
    "event": ("events", "event.created event.updated event.deleted"),
    "contact": (
        "contacts",
        "contact.created contact.updated contact.deleted contact.merged contact.anonymized "
        "contact.vat_id_checked",
    ),
    "event_participant": (
        "participants",
        "participant.added participant.updated participant.removed "
        "participant.confirmed participant.unconfirmed "
        "participant.badge_replaced participant.profile_changed",
    ),
    "application": (
        "applications",
        "application.created application.updated application.deleted application.reviewed "
        "application.approved application.rejected application.waitlisted "
        "application.info_requested application.answered application.withdrawn",
    ),
    "category": ("categories", "category.created category.updated category.deleted"),
    "invoice": (
        "invoices",
        "invoice.created invoice.updated invoice.deleted invoice.sent invoice.partially_paid "
        "invoice.paid invoice.refunded invoice.credited invoice.cancelled invoice.reminded "
        "invoice.mailed invoice.posted invoice.dunned invoice.dunning_withdrawn invoice.disputed invoice.settled "
        "invoice.written_off invoice.write_off_deleted",
    ),
    "bank_rule": ("payments", "bank_rule.created bank_rule.updated bank_rule.deleted"),
    "dunning_level": (
        "invoices",
        "dunning_level.created dunning_level.updated dunning_level.deleted",
    ),
    "payment": (
        "payments",
        "payment.created payment.updated payment.deleted payment.completed payment.failed "
        "payment.cancelled payment.refunded payment.refund_deleted",
    ),
    "plan": ("plans", "plan.created plan.updated plan.deleted"),
    "booth": (
        "booths",
        "booth.created booth.updated booth.deleted booth.assigned booth.unassigned",
    ),
    "booth_type": ("booths", "booth_type.created booth_type.updated booth_type.deleted"),
    "booth_formula": (
        "booths",
        "booth_formula.created booth_formula.updated booth_formula.deleted",
    ),
    "booth_reservation": (
        "booths",
        "booth_reservation.created booth_reservation.updated booth_reservation.confirmed "
        "booth_reservation.cancelled booth_reservation.extended booth_reservation.moved "
        "booth_reservation.expired booth_reservation.offered",
    ),
    "service": ("services", "service.created service.updated service.deleted"),
    "service_category": (
        "services",
        "service_category.created service_category.updated service_category.deleted",
    ),
    "service_order": (
        "service_orders",
        "service_order.created service_order.updated service_order.deleted "
        "service_order.submitted service_order.confirmed service_order.completed "
        "service_order.cancelled",
    ),
    "task": (
        "tasks",
        "task.created task.updated task.deleted task.started task.completed "
        "task.cancelled task.reopened",
    ),
    "schedule": ("schedules", "schedule.created schedule.updated schedule.deleted"),
    "submission": (
        "submissions",
        "submission.created submission.updated submission.deleted submission.submitted "
        "submission.approved submission.rejected submission.revision_requested",
    ),
    "submission_type": (
        "submissions",
        "submission_type.created submission_type.updated submission_type.deleted",
    ),
    "check_in": (
        "checkins",
        "check_in.created check_in.updated check_in.deleted check_in.checked_out",
    ),
    "document": (
        "documents",
        "document.created document.updated document.deleted document.signature_requested "
        "document.viewed document.signed document.accepted document.declined "
        "document.expired document.voided document.terminated",
    ),
    "document_template": (
        "documents",
        "document_template.created document_template.updated document_template.deleted",
    ),
    "document_category": (
        "documents",
        "document_category.created document_category.updated document_category.deleted",
    ),
    "calendar_subscription": (
        "calendar-feed",
        "calendar_subscription.created calendar_subscription.updated "
        "calendar_subscription.deleted calendar_subscription.rotated",
    ),
    "newsletter_subscriber": (
        "newsletter",
        "newsletter.created newsletter.updated newsletter.deleted "
        "newsletter.confirmed newsletter.unsubscribed",
    ),
    "custom_field": (
        "custom_fields",
        "custom_field.created custom_field.updated custom_field.deleted",
    ),
    "note": ("contacts", "note.created note.updated note.deleted"),
    "bulk_import": ("contacts", "bulk_import.created bulk_import.finished bulk_import.failed"),
    "link": ("links", "link.created link.rotated link.revoked"),
    "webhook": (
        "webhooks",
        "webhook.created webhook.updated webhook.deleted webhook.headers_changed webhook.tested "
        "webhook.secret_rotated webhook.disabled",
    ),
}
AUDITED_ONLY = {
    "admin",
    "api_key",
    "application_draft",
    "audit_log",
    "bank_format",
    "bank_statement",
    "bank_transaction",
    "database",
    "event_pages",
    "flag",
    "gateway",
    "period",
    "setting",
    "tenant",
}
# The records of kinds whose scope differs between records
EXAMPLES = {"note": {"entity_type": "contact"}, "bulk_import": {"kind": "contacts"}}


def test_each_kind_has_its_scope_and_its_event_types():
    assert {
        name: (kind.scope_of(EXAMPLES.get(name, {})), " ".join(kind.event_names()))
        for name, kind in KINDS.items()
        if kind.events
    } == EVENTS
    assert set(KINDS) - set(EVENTS) == AUDITED_ONLY
    assert all(KINDS[name].scope is None for name in AUDITED_ONLY)


def test_the_event_types_of_actions_that_have_another_name_in_the_catalogue():
    kind = entities.EVENT_PARTICIPANT
    assert [
        kind.event_name(action)
        for action in ("created", "cancelled", "deleted", "reinstated", "confirmed")
    ] == [
        "participant.added",
        "participant.removed",
        "participant.removed",
        "participant.added",
        "participant.confirmed",
    ]


@pytest.mark.parametrize(
    ("entity_type", "scope"),
    [
        ("contact", "contacts"),
        ("application", "applications"),
        ("event_participant", "participants"),
        ("invoice", "invoices"),
        ("event", "events"),
    ],
)
def test_a_note_has_the_scope_of_the_record_that_it_is_about(entity_type, scope):
    assert entities.NOTE.scope_of({"entity_type": entity_type}) == scope


def test_an_unknown_kind_fails_at_once(db):
    with pytest.raises((AttributeError, TypeError)), db.write():
        journal.created(db, "invoyce", {"id": 1})
    with pytest.raises(AttributeError):
        _ = entities.INVOYCE


@pytest.mark.parametrize(
    ("schema", "flag"),
    [
        ("note", "has_notes"),
        ("document", "has_documents"),
        ("task", "has_tasks"),
        ("custom_field", "has_custom_fields"),
    ],
)
def test_the_schemas_list_the_kinds_that_a_record_may_be_about(schema, flag):
    listed = document(schema)["properties"]["entity_type"]["enum"]
    assert {name for name in listed if name} == {
        name for name, kind in KINDS.items() if getattr(kind, flag)
    }


def test_a_kind_that_may_have_documents_or_tasks_can_be_found():
    text = (paths.folder("sql") / "entities.sql").read_text(encoding="utf-8")
    assert set(re.findall(r"p\.entity_type = '(\w+)'", text)) == {
        name for name, kind in KINDS.items() if kind.has_documents or kind.has_tasks
    }


def test_custom_field_values_can_be_changed_for_every_kind_that_has_them():
    kinds = {name for name, kind in KINDS.items() if kind.has_custom_fields}
    assert set(custom_fields.RECORDS) == set(field_values.TOUCH) == kinds


def test_every_table_exists_and_has_the_personal_columns(db):
    for kind in KINDS.values():
        columns = {
            name
            for (name,) in db.connection.execute(
                "SELECT name FROM pragma_table_info(?)", (kind.table,)
            )
        }
        assert bool(columns) == (kind is not entities.DATABASE), kind.entity_type
        assert set(kind.personal) <= columns, kind.entity_type


def test_anonymising_a_contact_sets_every_personal_column_to_null():
    """Statements for records that the law requires to keep, such as invoices, run later and may set
    more columns.
    """
    erased = {}
    for statement in [statement for subject in SUBJECTS for statement in subject.erases]:
        for table, columns in re.findall(
            r"UPDATE (\w+) SET (.*?)(?: WHERE|;)", statement.plain(), re.S
        ):
            nulls = set(re.findall(r"(\w+) = NULL", columns))
            erased[table] = erased.get(table, set()) | {
                name for name in nulls if not name.endswith("_folded")
            }
    tables = {kind.table: set(kind.personal) for kind in KINDS.values() if kind.personal}
    assert {table: erased.get(table) for table in tables} == tables
    assert all(kind.about_people for kind in KINDS.values() if kind.personal)
