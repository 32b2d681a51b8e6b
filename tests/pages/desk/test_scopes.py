"""The scopes of the desk, one at a time, compared with the catalogue of scopes in the specification
of the API.

A key that lacks one scope of a button gets 403, a page that names the scope, and no such button on
any page. A key that has no other scope gets through.
"""

import re

import pytest

from eventapi import app as application
from eventapi.pages.desk import actions, batches, kinds
from eventapi.plugins import sessions
from tests.support.client import SCOPES

# scope -> what the desk sends with it: buttons, batches, forms of records, and other addresses.
# Some need two scopes: the batch that bills participants, offsets, and links, which need the scope of what
# they open as well (link 2 is for a door).
NEEDS = {
    "applications": """
        do/review_application/1 do/approve_application/1 do/reject_application/1 do/waitlist_application/1
        do/withdraw_application/1 do/request_application_information/1 batch/applications/approve
        batch/applications/review batch/applications/waitlist batch/applications/reject edit/applications
        edit/applications/1""",
    "participants": """
        do/confirm_participant/1 do/unconfirm_participant/1 do/cancel_participant/1 do/reinstate_participant/1
        do/replace_participant_badge/1 batch/participants/confirm batch/participants/invoice batch/participants/link
        batch/participants/cancel batch/participants/contract
        do/create_participant_link/2
        exhibitors/new visitors/new exhibitors/1/logo exhibitors/1/logo/remove edit/participants
        edit/participants/1 edit/profiles/1 do/create_note""",
    "invoices": """
        do/create_participant_link/2
        do/create_participant_invoice/1 do/refresh_invoice/1 do/send_invoice/1 do/mail_invoice/2 do/remind_invoice/2
        do/cancel_invoice/2 do/delete_invoice/1 do/dispute_invoice/2 do/settle_invoice/2
        do/create_invoice_write_off/2 do/offset_invoice/2 do/withdraw_dunning/4/1 batch/participants/invoice
        batch/invoices/send
        batch/invoices/remind edit/invoices edit/invoices/1 edit/dunning_levels edit/dunning_levels/1
        money/dunning money/to_print""",
    "payments": """
        do/offset_invoice/2 do/create_payment do/complete_payment/2 do/cancel_payment/2 do/refund_payment/1
        do/delete_payment/1 do/assign_unmatched_payment/2 do/ignore_unmatched_payment/2 do/reopen_unmatched_payment/1
        money/statement money/statement/1 edit/bank_rules edit/bank_rules/1""",
    "booths": """
        do/create_participant_link/2
        do/create_booth_reservation do/confirm_booth_reservation/1 do/cancel_booth_reservation/1
        do/extend_booth_reservation/1 do/move_booth_reservation/1
        do/swap_booth_reservation/2 batch/booth-reservations/confirm batch/booths/delete edit/booths
        edit/booths/1 edit/booth_types edit/booth_types/1 hall/layout/1""",
    "service_orders": """
        do/create_participant_link/2
        do/submit_service_order/1 do/confirm_service_order/2 do/cancel_service_order/1
        do/cancel_service_order_item/3/3
        batch/service-orders/confirm batch/service-orders/cancel edit/service_orders edit/service_orders/1""",
    "submissions": """
        do/create_participant_link/2
        do/submit_submission/1 do/approve_submission/1 do/reject_submission/1 do/request_submission_revision/1
        edit/submission_types
        batch/submissions/approve batch/submissions/reject batch/submissions/request-revision
        edit/submission_types/1 exhibitors/1/hand_in/1
        exhibitors/1/hand_in/1/file""",
    "documents": """
        exhibitors/1/hand_in/1/file
        do/create_participant_link/2
        do/request_document_signature/1 do/mark_document_signed/2 do/decline_document/2 do/void_document/2
        do/terminate_document/2
        do/create_participant_contract/2 batch/participants/contract
        edit/document_templates edit/document_templates/1""",
    "tasks": """
        do/create_task do/start_task/1 do/complete_task/1 do/cancel_task/1 do/reopen_task/1""",
    "links": """
        do/mail_link/2 do/revoke_link/2 do/delete_link_device/2/1 links/2/show links/2/rotate links
        applications/1/access batch/links/remind batch/participants/link
        do/create_participant_link/2""",
    "checkins": "do/mail_link/2 links/2/show links/2/rotate links",
    "events": """
        edit/events edit/events/1 setup/details setup/website setup/apply setup/apply/texts setup/portal setup/visitors
        setup/website/picture setup/website/picture/remove do/delete_note/1 do/copy_event/1""",
    "categories": "edit/categories edit/categories/1 setup/visitors/category",
    "services": "edit/services edit/services/1 edit/service_categories edit/service_categories/1",
    "contacts": """
        edit/contacts edit/contacts/1 do/create_contact_vat_check/1 contacts/1/merge do/anonymize_contact/1""",
    "plans": "edit/plans edit/plans/1",
    "schedules": "edit/schedules edit/schedules/1",
    "settings": """
        company/look/logo company/look/logo/remove company/mails/test
        company/company company/bank company/taxes company/invoices company/dunning company/mails company/look
        company/datev""",
}
NEEDS = {scope: text.split() for scope, text in NEEDS.items()}
# What needs a scope for reading as well
READS = dict.fromkeys(
    ("do/create_participant_contract/2", "exhibitors/1/hand_in/1", "exhibitors/1/hand_in/1/file"),
    "participants:read",
)
ADDRESSES = sorted({address for addresses in NEEDS.values() for address in addresses})
FIELDS = {
    "do/create_participant_contract/2": {"template_key": "contract"},
    "exhibitors/new": {"contact_id": "1"},
    "visitors/new": {"contact_id": "1"},
    "do/create_note": {
        "entity_type": "event_participant",
        "entity_id": "1",
        "note_text": "They called",
    },
    "do/create_contact_vat_check/1": {"result": "valid"},
    "do/create_task": {"entity_type": "event_participant", "entity_id": "1", "title": "Call them"},
    "do/create_booth_reservation": {"booth_id": "2", "event_participant_id": "2"},
    "do/copy_event/1": {"title": "Garden Fair 2028", "date_from": "2028-05-01"},
    "do/create_payment": {"amount": "5", "invoice_number": "INV-1", "payment_date": "2026-01-01"},
    "links": {"kind": "door", "event_id": "1", "station": "East"},
    "hall/layout/1": {"rows/0/first": "Z1", "rows/0/count": "2", "rows/0/x": "1", "rows/0/y": "20"},
}
FILES = {
    "money/statement": ("bank.xml", b"<Document/>"),
    "company/look/logo": ("logo.png", b"no picture"),
    "setup/website/picture": ("photo.png", b"no picture"),
    "exhibitors/1/logo": ("logo.png", b"no picture"),
    "exhibitors/1/hand_in/1/file": ("logo.png", b"no picture"),
}
# What no key can send: tests/pages/office/test_team.py has the table of these.
OF_PERSONS = (
    "start",
    "team/new",
    "team/<id>",
    "team/<id>/disable",
    "team/<id>/enable",
    "team/<id>/factor",
    "team/<id>/invite",
    "team/<id>/sessions",
)
PAGES = (
    "",
    "help",
    "applications",
    "applications/1",
    "applications/2",
    "exhibitors",
    "exhibitors/1",
    "exhibitors/2",
    "exhibitors/3",
    "exhibitors/1/logo",
    "exhibitors/1/hand_in/1",
    "exhibitors/new",
    "visitors/new",
    "exhibitors/submissions",
    "exhibitors/orders",
    "exhibitors/remind",
    "hall",
    "hall/booths",
    "hall/holds",
    "hall/layout/1",
    "booths/1",
    "booths/2?q=rosen",
    "money",
    "money?show=overdue",
    "money?show=sent",
    "money/bank",
    "money/bank?show=ignored",
    "money/bank/rules",
    "money/dunning",
    "money/payments",
    "money/letters",
    "money/dunning?queued=1&to_print=1&left=0",
    "money/to_print",
    "invoices/1",
    "invoices/2",
    "invoices/3",
    "invoices/4",
    "invoices/5",
    "search?q=rosen",
    "contacts",
    "contacts/1",
    "visitors",
    "visitors?show=cancelled",
    "exhibitors?show=cancelled",
    "contacts/duplicates",
    "contacts/1/merge?duplicate_id=2",
    "exhibitors/orders?show=all",
    "log",
    "tasks",
    "tasks?show=completed",
    "print",
    "setup",
    "setup/called_off",
    "setup/called_off?step=exhibitors",
    "setup/details",
    "setup/website",
    "setup/website/picture",
    "setup/apply",
    "setup/apply/trial",
    "setup/apply/texts",
    "setup/portal",
    "setup/visitors",
    "setup/categories",
    "setup/stands",
    "setup/halls",
    "setup/services",
    "setup/submissions",
    "setup/contracts",
    "setup/programme",
    "setup/dunning",
    "company/look/logo",
    "company/company",
    "company/bank",
    "company/taxes",
    "company/invoices",
    "company/dunning",
    "company/mails",
    "company/look",
    "company/datev",
)


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


def send(visitor, page, address, more=None):
    """Send the form of an address as far as it is known here, with the fields `more`. Return the response."""
    fields = {"back": "", "ids": "1", **FIELDS.get(address, {}), **(more or {})}
    return visitor.submit(page, f"/desk/{address}", fields, "*", FILES.get(address))


def without(scope):
    """Return all scopes, but the one only for reading."""
    return " ".join(f"{each}:read" if each == scope else each for each in SCOPES.split())


def plain(address):
    """Return an address without the ids in it."""
    return re.sub(r"/\d+", "", address)


def test_the_table_has_everything_that_the_desk_can_send():
    sends = {
        route.path.removeprefix("/desk/")
        for route in application.routes()
        if route.path.startswith("/desk/") and route.method == "POST"
    } - {
        "sign-in",
        "sign-in/link",
        "sign-in/code",
        "sign-out",
        "account",
        "account/password",
        "account/factor",
        "account/factor/remove",
        "account/codes",
        "account/sessions",
        "badges",
        "do/<name>",
        "do/<name>/<id>",
        "do/<name>/<id>/<item_id>",
        "edit/<name>",
        "edit/<name>/<id>",
        "batch/<resource>/<action>",
        "company/<page>",
        "links/<id>/<what>",
        "setup/<page>",
        "setup/<page>/<part>",
        "setup/apply/preview",
        "setup/apply/trial",
        *OF_PERSONS,
    }
    known = {plain(address) for address in ADDRESSES}
    assert {re.sub("/<(item_)?id>", "", path) for path in sends} <= known
    assert {f"do/{name}" for name in actions.buttons()} == {
        address for address in known if address.startswith("do/")
    }
    assert {f"batch/{noun}/{word}" for noun, word in batches.offered()} == {
        address for address in known if address.startswith("batch/")
    }
    assert {f"edit/{name}" for name in kinds.KINDS} == {
        address for address in known if address.startswith("edit/")
    }


def test_a_key_that_may_only_read_gets_no_button_and_is_told_what_it_lacks(desk, busy_fair):
    shown, done = {}, []
    for scope, addresses in NEEDS.items():
        visitor = desk(without(scope))
        shown[scope] = sorted(
            {plain(address) for address in addresses} & shown_on_pages(visitor) - DEPEND
        )
        page = visitor.get("/desk/")
        for address in addresses:
            answers = [send(visitor, page, address)]
            if address.startswith(("do/", "edit/")) and plain(address) not in DEPEND:
                answers.append(visitor.get(f"/desk/{address}", "*"))
            done += [
                (scope, address, answer.status)
                for answer in answers
                if answer.status_int != 403 or f"“{scope}”" not in answer
            ]
    assert not done
    assert not {scope: found for scope, found in shown.items() if found}


# What depends on the record that it is about.
DEPEND = {
    "do/create_note",
    "do/delete_note",
    "do/create_participant_link",
    "do/mail_link",
    "links",
    "links/show",
    "links/rotate",
    "applications/access",
}


def test_a_door_is_opened_only_with_the_scope_of_scans(desk, busy_fair):
    assert "West" in desk().get("/desk/setup/visitors") and "Show the address" in desk().get(
        "/desk/setup/visitors"
    )
    page = desk(without("checkins")).get("/desk/setup/visitors")
    assert "West" in page and "Show the address" not in page and "Make a link" not in page
    assert "Revoke the link" in page and "End this device" in page


def shown_on_pages(visitor):
    """Return the addresses, without ids, of the steps to which the buttons and links of all pages
    lead.
    """
    found = set()
    for path in PAGES:
        page = visitor.get(f"/desk/{path}", "*")
        assert page.status_int in (200, 403), f"{path}: {page.status}"
        addresses = re.findall(
            r'(?:href|formaction)="([./]+/desk/(?:do|edit|batch)/[^"]+)"', page.text
        )
        for form in re.findall(r"(?s)<form.*?</form>", page.text):
            action = re.search(r'^<form[^>]* action="([^"]*)"', form)
            if "<button>" in form or re.search("<button (?!formaction|[^>]* formaction)", form):
                addresses.append(action[1] if action else path)
        found |= {
            plain(address.rpartition("../desk/")[2].partition("?")[0]) for address in addresses
        }
    return found


# Fields of each form that its action does not send to the API.
OF_FORMS = {"form_token", "back", "event", "credit_first"}


def test_a_page_sends_only_fields_that_its_action_takes(office, busy_fair):
    """Others would be dropped without a word."""
    dropped = set()
    forms = r'(?s)<form[^>]* action="[^"]*/desk/do/(\w+)[^"]*".*?</form>'
    links = r'href="[^"]*/desk/do/(\w+)[^"?]*\?([^"]*)"'
    for path in PAGES:
        page = office.get(f"/desk/{path}", "*").text
        sent = [
            (form[1], re.findall(r' name="([^"]+)"', form[0])) for form in re.finditer(forms, page)
        ]
        sent += [(name, re.findall(r"(\w+)=", query)) for name, query in re.findall(links, page)]
        for name, fields in sent:
            desk = actions.buttons()[name].options.desk
            known = {*(desk.fields or ()), *desk.fixed} | OF_FORMS
            dropped |= {(name, field) for field in fields if field not in known}
    assert not dropped


def test_a_key_that_has_no_other_scope_gets_through(desk, busy_fair):
    refused = {}
    for address in ADDRESSES:
        scopes = [scope for scope, addresses in NEEDS.items() if address in addresses]
        visitor = desk(" ".join([*scopes, READS.get(address, "")]).strip())
        answer = send(visitor, visitor.get("/desk/"), address)
        if answer.status_int not in (200, 303, 404, 409, 415, 422):
            refused[address] = answer.status
    assert not refused


def test_every_button_is_on_a_page(office, busy_fair):
    """But the one for an application that lacks its page or badge, which test_office.py presses, and
    those that remove a logo and send a test mail, which the tests of office/ press. That two exchange
    their booths is in test_exhibitor.py, and what the office hands in in test_handing_in.py.
    """
    elsewhere = {"applications/access", "company/look/logo/remove", "company/mails/test"}
    elsewhere |= {
        "do/swap_booth_reservation",
        "setup/website/picture/remove",
        "exhibitors/logo/remove",
        "do/submit_submission",
        "exhibitors/hand_in",
        "exhibitors/hand_in/file",
    }
    missing = sorted({plain(address) for address in ADDRESSES} - shown_on_pages(office) - elsewhere)
    assert not missing, " ".join(missing)
