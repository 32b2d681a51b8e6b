"""Subjects of the domain: each package is one or is left out for a reason, names what it adds, and is
imported only where a written list says so.
"""

import pytest

from eventapi.domain.records.subject import Subject
from eventapi.domain.subjects import SUBJECTS
from eventapi.domain.upkeep import checks
from eventapi.worker.mail import message
from tests.test_house import all_imports

PACKAGES = {
    name.split(".")[2]
    for name in all_imports()
    if name.startswith("eventapi.domain.") and name.count(".") == 3
}
# packages of the domain that are no subject -> the reason
NO_SUBJECT = {
    "einvoices": "it stores nothing: a data model, its rules and its syntaxes",
    "organiser": "its settings are of the organiser, and nothing is done with other records",
    "previews": "it shows the mails of the subjects",
    "privacy": "it erases, merges and exports what the subjects name",
    "receivables": "it prints, posts and offsets what billing and dunning store",
    "records": "the subjects are made of what it has",
    "reports": "it only reads what the subjects have stored",
    "upkeep": "it runs what the subjects add",
    "vat": "it stores nothing: the rule of tax treatment",
}
# package -> the modules outside of it that import it
OUTSIDE = {
    "datev": {"domain.subjects", "resources.datev"},
    "dunning": {
        "domain.events.overview",
        "domain.privacy.export",
        "domain.receivables.documents",
        "domain.receivables.printing",
        "domain.subjects",
        "resources.dunning",
        "resources.dunning_levels",
        "resources.invoices",
    },
    "imports": {
        "domain.subjects",
        "pages.desk.excel",
        "pages.metrics",
        "resources.bulk_import",
        "web.import_bodies",
        "worker.bulk_import",
    },
    "einvoices_sent": {
        "domain.billing.mails",
        "domain.billing.pdf",
        "domain.billing.sending",
        "domain.billing.tax_warnings",
        "domain.subjects",
        "pages.my.invoices",
        "resources.invoices",
    },
    "newsletter": {
        "domain.imports.read_only",
        "demo.office",
        "domain.privacy.export",
        "domain.subjects",
        "pages.newsletter",
        "resources.newsletter",
        "worker.mail.delivery",
    },
    "webhooks": {
        "domain.subjects",
        "domain.upkeep.housekeeping",
        "pages.metrics",
        "reference.webhooks",
        "resources.webhooks",
        "worker.webhooks.delivery",
        "worker.webhooks.http_post",
        "worker.webhooks.job",
    },
}
# part of a check -> the function that finds what is wrong
CHECKS = {
    "balances": "billing.balance.check",
    "bank": "bank.transactions.check",
    "bulk imports": "imports.runs.check",
    "check-ins": "entrance.admission.check",
    "contacts": "people.contacts.check",
    "datev": "datev.comparing.check",
    "deductions": "billing.deposits.check_deductions",
    "dunning": "dunning.sending.check",
    "e-invoices": "einvoices_sent.store.check",
    "events abroad": "events.events.check",
    "mail": "mail.queue.check",
    "participants": "people.participants.check",
    "periods": "books.periods.check",
    "refunds": "billing.refunds.check",
    "sales": "billing.bills.check",
    "taxes": "books.taxes.check",
    "webhooks": "webhooks.subscriptions.check",
}
# kind of mail -> the functions that return its contents and prepare it, or find its link
MAILS = {
    "application_confirmation": (
        "public_forms.mails.confirmation",
        "public_forms.mails.with_secret",
    ),
    "application_decision": ("people.mails.decision", "people.mails.link_of"),
    "badge": ("people.mails.badge", "people.mails.link_of"),
    "booth_confirmed": ("portal.booth_mails.contents", "portal.booth_mails.link_of"),
    "booth_offer": ("portal.mails.todos", "portal.mails.link_of"),
    "contract": ("portal.sending.contents", "portal.sending.link_of"),
    "dunning": ("dunning.mails.letter", "billing.mails.with_pdf"),
    "invoice": ("billing.mails.invoice", "billing.mails.with_pdf"),
    "invoice_reminder": ("billing.mails.reminder", "billing.mails.with_pdf"),
    "link": ("portal.mails.link", "portal.mails.link_of"),
    "link_notice": ("access.mails.notice", None),
    "mail_test": ("access.office_mails.test", None),
    "newsletter_confirmation": ("newsletter.mails.confirmation", None),
    "notice": ("access.office_mails.notice", None),
    "participation_cancelled": ("portal.cancelling.contents", None),
    "sign_in": ("access.office_mails.sign_in", "access.office_mails.with_secret"),
    "todos": ("portal.mails.todos", "portal.mails.link_of"),
}
# what housekeeping calls for the subjects
FORGETS = {
    "access.attempts.delete_old",
    "access.desk_batches.delete_old",
    "access.links.delete_old",
    "access.reach.forget_former_addresses",
    "access.sessions.delete_old",
    "access.signing_in.delete_old",
    "bank.transactions.erase_old",
    "books.files.delete_ended",
    "events.calendar_feed.delete_old_entries",
    "imports.runs.delete_old_rejected_records",
    "mail.queue.delete_old",
    "public_forms.drafts.delete_old",
    "webhooks.subscriptions.delete_old_deliveries",
}
# what anonymising a contact runs, in this order: first, for all its records, journalled, at the end
ERASES_FIRST = (
    "bulk_import.drop_rejected_records",
    "drafts.drop_of_contact",
    "mails.drop_confirmations",
)
ERASES = (
    "invoicing.blank_remarks",
    "payments.blank_remarks",
    "refunds.blank_remarks",
    "write_offs.blank_reasons",
    "bank_statements.blank_transfers",
    "dunning.blank_withdrawals",
    "booth_reservations.blank",
    "service_orders.blank",
    "service_orders.blank_specifications",
    "check_ins.blank",
    "check_ins.blank_scans",
    "submissions.blank",
    "submissions.blank_revisions",
    "contacts.clear_tags",
    "applications.blank",
    "participants.blank",
    "vat_checks.erase",
    "desk_batches.blank_fields",
    "desk_batches.blank_trials",
    "links.drop_mails_of_contact",
    "links.drop_of_contact",
    "profiles.drop_of_contact",
    "notes.drop_of_records",
    "tasks.drop_of_records",
    "documents.drop_of_records",
    "documents.blank",
    "binding_steps.blank",
    "mails.drop_of_records",
)
DELETES = (
    ("invoice", "invoicing.drop_drafts"),
    ("newsletter_subscriber", "newsletter.drop_of_records"),
)
ERASES_AT_END = (
    "invoicing.blank",
    "invoicing.blank_items",
    "payments.blank",
    "refunds.blank",
    "write_offs.blank",
    "dunning.blank_texts",
    "e_invoices.drop",
)
# what merging calls, in this order: first for two participants, then for two contacts
MERGES_PARTICIPANTS = (
    "billing.hand_over.of_participant",
    "halls.booking.hand_over",
    "orders.ordering.hand_over",
    "entrance.admission.hand_over",
    "events.schedules.hand_over",
    "submissions.submissions.hand_over",
    "people.participants.hand_over_hosted",
    "access.links.hand_over",
    "attachments.hand_over.of_participant",
)
MERGES_CONTACTS = (
    "billing.hand_over.of_contact",
    "people.applications.hand_over",
    "people.vat_checks.hand_over",
    "newsletter.subscriptions.hand_over",
    "attachments.hand_over.of_contact",
)


def name_of(function):
    """Return package, module and name of a function of the domain, or None."""
    if function is None:
        return None
    return f"{function.__module__}.{function.__name__}".removeprefix("eventapi.domain.")


def test_every_package_of_the_domain_is_a_subject_or_has_a_reason_not_to_be_one():
    names = [subject.name for subject in SUBJECTS]
    assert len(names) == len(set(names))
    assert not set(names) & NO_SUBJECT.keys()
    assert set(names) | NO_SUBJECT.keys() == PACKAGES


def test_no_subject_is_missing_in_the_list():
    written = {name.split(".")[2] for name in all_imports() if name.endswith(".subject")} - {
        "records"
    }
    assert written == {subject.name for subject in SUBJECTS}


@pytest.mark.parametrize("package", OUTSIDE)
def test_a_subject_is_imported_only_where_the_list_says_so(package):
    own = f"eventapi.domain.{package}"
    importers = {
        name.removeprefix("eventapi.")
        for name, imported in all_imports().items()
        if not f"{name}.".startswith(f"{own}.")
        and any(f"{other}.".startswith(f"{own}.") for other in imported)
    }
    assert importers - OUTSIDE[package] == set(), (
        f"these modules import {own}. A rule of this subject belongs into its package; if it takes part in work on "
        f"all records, name it in {own}.subject. Otherwise add the module to OUTSIDE"
    )
    assert OUTSIDE[package] - importers == set(), f"these modules do not import {own}"


def test_the_checks_of_the_subjects_are_those_of_the_list():
    declared = {
        part: name_of(check) for subject in SUBJECTS for part, check in subject.checks.items()
    }
    assert declared == CHECKS


def test_the_mails_of_the_subjects_are_those_of_the_list():
    declared = [mail for subject in SUBJECTS for mail in subject.mails]
    assert len(declared) == len(message.MAILS), "two subjects have the same kind of mail"
    assert {
        mail.kind: (name_of(mail.contents), name_of(mail.prepare or mail.link_of))
        for mail in declared
    } == MAILS


def test_what_the_subjects_forget_is_that_of_the_list():
    declared = [name_of(forget) for subject in SUBJECTS for forget in subject.forgets]
    assert sorted(declared) == sorted(FORGETS)


def declared(field):
    """Return the entries of a field of all subjects, in their order."""
    return tuple(entry for subject in SUBJECTS for entry in getattr(subject, field))


def test_what_the_subjects_erase_is_that_of_the_lists():
    assert tuple(statement.name for statement in declared("erases_first")) == ERASES_FIRST
    assert tuple(statement.name for statement in declared("erases")) == ERASES
    assert tuple(statement.name for statement in declared("erases_at_end")) == ERASES_AT_END
    deletes = tuple((kind.entity_type, statement.name) for kind, statement in declared("deletes"))
    assert deletes == DELETES


def test_what_the_subjects_merge_is_that_of_the_lists():
    assert tuple(map(name_of, declared("merges_participants"))) == MERGES_PARTICIPANTS
    assert tuple(map(name_of, declared("merges_contacts"))) == MERGES_CONTACTS


def test_a_check_that_only_one_side_names_stops_the_start():
    strange = Subject(name="trees", checks={"leaves": lambda db: ()})
    with pytest.raises(LookupError, match=r"subject trees has 'leaves'.*NAMES"):
        checks.collected((*SUBJECTS, strange))

    second = Subject(name="trees", checks={"bank": lambda db: ()})
    with pytest.raises(LookupError, match=r"subject trees has 'bank'.*another name"):
        checks.collected((*SUBJECTS, second))

    others = [subject for subject in SUBJECTS if subject.name != "bank"]
    with pytest.raises(LookupError, match=r"NAMES .*\['bank'\].*`checks` of a subject"):
        checks.collected(others)
