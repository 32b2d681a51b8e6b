"""A day of the office: decisions, booths, invoices and money by the buttons of the desk."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest

from eventapi import times
from eventapi.domain.access import links
from eventapi.pages.desk import people
from tests.pages.conftest import Visitor, token_of
from tests.support import batches, camt
from tests.support.images import png


def test_today_says_what_waits(office, fair):
    page = office.get("/desk/")
    assert 'data-figure="applications_new">1<' in page


def test_an_application_is_approved_by_its_button(office, organiser, fair):
    address = f"/desk/applications/{fair.application['id']}"
    page = office.get(address)
    assert "Tulpen GmbH" in page and "12.5" in page and "A new contact will be created." in page
    answer = office.submit(
        page,
        f"/desk/do/approve_application/{fair.application['id']}",
        {"back": f"applications/{fair.application['id']}", "confirm": "1"},
    )
    assert answer.headers["Location"].endswith(
        f"/applications/{fair.application['id']}?done=approve_application"
        f"&of=applications/{fair.application['id']}"
    )
    done = f"done=approve_application&of=applications/{fair.application['id']}"
    assert "Tulpen GmbH: The application is approved." in office.get(f"{address}?{done}")
    assert organiser.data(f"/applications/{fair.application['id']}")["status"] == "approved"
    [entry] = organiser.data("/audit-log?entity_type=application&action=approved")
    assert entry["admin_name"] == "Ada Lovelace"


def test_an_ambiguous_application_asks_for_the_contact(office, organiser, fair):
    same = [
        organiser.make("/contacts", {"company_name": name, "email": "info@tulpen.example"})
        for name in "AB"
    ]
    id = fair.application["id"]
    page = office.get(f"/desk/applications/{id}")
    assert "Which contact is this?" in page
    refused = office.submit(
        page, f"/desk/do/approve_application/{id}", {"back": f"applications/{id}"}, 409
    )
    assert "Several contacts have this e-mail address." in refused
    page = office.get(f"/desk/applications/{id}")
    office.submit(
        page, f"/desk/do/approve_application/{id}", {"contact_id": same[1]["id"], "back": ""}
    )
    assert organiser.data(f"/applications/{id}")["contact_id"] == same[1]["id"]


def test_a_rejection_needs_a_reason_and_keeps_what_was_typed(office, organiser, fair):
    id = fair.application["id"]
    page = office.get(f"/desk/do/reject_application/{id}?back=applications")
    refused = office.submit(
        page, f"/desk/do/reject_application/{id}", {"reason": " ", "back": "applications"}, 422
    )
    assert "Please fill in." in refused and 'href="#f-reason"' in refused
    long = office.submit(
        refused, f"/desk/do/reject_application/{id}", {"reason": "x" * 20001, "back": ""}, 422
    )
    assert "at most 20,000" in long and "x" * 20001 in long
    office.submit(
        long,
        f"/desk/do/reject_application/{id}",
        {"reason": "The hall is full.", "back": "applications"},
    )
    assert organiser.data(f"/applications/{id}")["decision_reason"] == "The hall is full."


def test_a_step_that_somebody_else_has_taken_is_told_by_a_sentence(office, organiser, fair):
    id = fair.application["id"]
    page = office.get(f"/desk/applications/{id}")
    organiser.post(f"/applications/{id}/reject", {"reason": "full"})
    refused = office.submit(
        page, f"/desk/do/waitlist_application/{id}", {"back": "applications"}, 409
    )
    assert "not possible any more in the state “rejected”" in refused


def test_a_button_that_is_pressed_twice_acts_once(office, organiser, fair):
    page, fields = office.get("/desk/edit/categories"), {"title": "Tools", "event_keys": "fair"}
    first = office.submit(page, "/desk/edit/categories", fields)
    assert (
        office.submit(page, "/desk/edit/categories", fields).headers["Location"]
        == first.headers["Location"]
    )
    assert [row["title"] for row in organiser.data("/categories?sort=title&order=ASC")] == [
        "Plants",
        "Tools",
    ]
    again = office.submit(page, "/desk/edit/categories", {**fields, "title": "Other"}, 422)
    assert "already been sent" in again and 'value="Other"' in again


def test_ten_applications_are_approved_after_a_trial(office, organiser, fair):
    more = [
        organiser.make(
            "/applications", {"event_keys": ["fair"], "company_name": f"Company {number}"}
        )
        for number in range(9)
    ]
    ids = [str(row["id"]) for row in (fair.application, *more)]
    organiser.post(f"/applications/{ids[3]}/reject", {"reason": "full"})
    page = office.get("/desk/applications")
    trial = batches.tried(office, page, "applications/approve", ids)
    assert "Trial: 9 are possible, 1 are not" in trial
    assert {row["status"] for row in organiser.data("/applications")} == {"new", "rejected"}
    done = batches.pressed(office, trial)
    assert "9 applications are approved." in done and "1 not: " in done
    assert "in the state “rejected”" in done
    assert len(organiser.data("/participants?confirmed=1")) == 10


def test_a_trial_tells_that_an_address_takes_part_already(office, organiser, fair):
    organiser.post(f"/applications/{fair.application['id']}/approve", {})
    again = organiser.make(
        "/applications",
        {"event_keys": ["fair"], "company_name": "Pohl", "email": fair.application["email"]},
    )
    page = office.get("/desk/applications")
    trial = batches.tried(office, page, "applications/approve", [again["id"]])
    assert "Trial: 1 are possible" in trial and "This address takes part already" in trial
    organiser.post(f"/applications/{again['id']}/approve", {})
    assert "Go to the exhibitor" in office.get(f"/desk/applications/{again['id']}")


@pytest.mark.parametrize(
    "scopes, is_shown",
    [
        ("applications", False),
        ("applications:read contacts:read", False),
        ("applications:read participants:read", True),
    ],
)
def test_what_an_application_has_become_needs_the_scope_of_participants(
    desk, organiser, fair, scopes, is_shown
):
    organiser.post(f"/applications/{fair.application['id']}/approve", {})
    page = desk(scopes).get(f"/desk/applications/{fair.application['id']}")
    assert ("Go to the exhibitor" in page) == is_shown
    (made,) = [
        row
        for row in organiser.data("/participants")
        if row["application_id"] == fair.application["id"]
    ]
    assert (f"exhibitors/{made['id']}" in page) == is_shown


def test_a_booth_is_held_and_confirmed(office, organiser, fair):
    booth = fair.booths[0]
    page = office.get(f"/desk/booths/{booth['id']}?q=rosen")
    assert "Rosen KG" in page
    office.submit(
        page,
        "/desk/do/create_booth_reservation",
        {
            "back": f"booths/{booth['id']}",
            "booth_id": booth["id"],
            "event_participant_id": fair.exhibitor["id"],
        },
    )
    [held] = organiser.data("/booth-reservations")
    page = office.get(f"/desk/booths/{booth['id']}")
    assert "Confirm the booth" in page and "Give the booth back" in page
    office.submit(page, f"/desk/do/confirm_booth_reservation/{held['id']}", {"back": "hall"})
    assert organiser.data(f"/booths/{booth['id']}")["status"] == "sold"
    page = office.get("/desk/hall")
    taken = office.submit(
        page,
        "/desk/do/create_booth_reservation",
        {"back": "hall", "booth_id": booth["id"], "event_participant_id": fair.exhibitor["id"]},
        409,
    )
    assert "not available" in taken or "exists already" in taken
    assert "A1" in office.get("/desk/hall") and "Rosen KG" in office.get("/desk/hall")


def test_an_incomplete_invoice_says_what_is_missing_and_is_repaired(office, organiser, fair):
    organiser.patch(f"/contacts/{fair.contact['id']}", {"address": None, "city": None})
    page = office.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    answer = office.submit(
        page, f"/desk/do/create_participant_invoice/{fair.exhibitor['id']}", {"back": ""}
    )
    [draft] = organiser.data("/invoices")
    assert f"invoices/{draft['id']}?done=create_participant_invoice" in answer.headers["Location"]
    page = office.get(f"/desk/invoices/{draft['id']}")
    assert "This is missing before the invoice can be sent" in page and "City" in page
    refused = office.submit(
        page, f"/desk/do/send_invoice/{draft['id']}", {"mail": "", "back": "money"}, 409
    )
    assert "The invoice lacks something" in refused
    form = office.get(f"/desk/edit/contacts/{fair.contact['id']}?back=invoices/{draft['id']}")
    office.submit(
        form,
        f"/desk/edit/contacts/{fair.contact['id']}",
        {
            **fields_of(form),
            "address": "Weg 1",
            "city": "Leipzig",
            "back": f"invoices/{draft['id']}",
        },
    )
    page = office.get(f"/desk/invoices/{draft['id']}")
    office.submit(page, f"/desk/do/send_invoice/{draft['id']}", {"back": "money"})
    assert organiser.data(f"/invoices/{draft['id']}")["status"] == "sent"


def fields_of(page):
    """Return the fields that the last form of a page would send, without its token."""
    form = list(page.forms.values())[-1]
    return {
        name: value for name, value in form.submit_fields() if name not in ("form_token", "delete")
    }


def record_fields(page):
    """Return the fields of the form of a page that changes a record, without its token."""
    [form] = [form for form in page.forms.values() if "tag" in form.fields and not form.action]
    return {
        name: value for name, value in form.submit_fields() if name not in ("form_token", "delete")
    }


def test_the_page_of_an_invoice_shows_what_is_printed(office, organiser, fair):
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    page = office.get(f"/desk/invoices/{draft['id']}")
    preview = office.app.get(f"/desk/invoices/{draft['id']}/pdf")
    address = [fair.contact[name] for name in ("address", "city")]
    assert "Preview as PDF" in page and preview.body.startswith(b"%PDF-")
    assert all(line in page for line in address)
    assert [" ".join(row.get_text().split()) for row in page.html.select("tfoot tr")] == [
        "Net EUR 300.00",
        "19% VAT on EUR 300.00 EUR 57.00",
        "Total EUR 357.00",
    ]
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False})
    note = organiser.post(f"/invoices/{draft['id']}/credit", {"whole": True}).json["data"]
    invoice = organiser.data(f"/invoices/{draft['id']}")
    page = office.get(f"/desk/invoices/{draft['id']}")
    assert f"invoices/{note['id']}" in page and "PDF" in page
    page = office.get(f"/desk/invoices/{note['id']}")
    assert "Credit note for invoice" in page and invoice["invoice_number"] in page


def test_a_payment_is_recorded_and_a_statement_assigned(office, organiser, fair):
    invoice = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    invoice = organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}).json["data"]
    page = office.get(f"/desk/invoices/{invoice['id']}")
    office.submit(
        page,
        "/desk/do/create_payment",
        {
            "back": f"invoices/{invoice['id']}",
            "invoice_number": invoice["invoice_number"],
            "amount": "257.00",
            "payment_date": invoice["issue_date"],
        },
    )
    assert organiser.data(f"/invoices/{invoice['id']}")["open_amount"] == 100
    page = office.get("/desk/money/bank")
    entry = {"amount": 10000, "day": invoice["issue_date"], "text": "Danke", "party": "Rosen KG"}
    statement = camt.document([camt.statement("DE02120300000000202051", [entry])])
    answer = upload(office, page, "/desk/money/statement", {"auto": "1"}, statement)
    assert "imported=1" in answer.headers["Location"]
    page = office.get("/desk/money/bank")
    [transfer] = organiser.data("/payments/unmatched")
    assert invoice["invoice_number"] in page and "Assign" in page
    office.submit(
        page,
        f"/desk/do/assign_unmatched_payment/{transfer['id']}",
        {
            "back": "money/bank",
            "assign_number": invoice["invoice_number"],
            "assign_amount": "100.0",
        },
    )
    assert organiser.data(f"/invoices/{invoice['id']}")["status"] == "paid"


def upload(visitor, page, address, fields, content, status=303):
    """Send a form with a file as browsers do."""
    parts = {"form_token": token_of(page), **fields}
    head = "".join(
        f'--b0\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in parts.items()
    )
    raw = (
        (
            f'{head}--b0\r\nContent-Disposition: form-data; name="file"; filename="a.xml"\r\n'
            "Content-Type: text/xml\r\n\r\n"
        ).encode()
        + content
        + b"\r\n--b0--\r\n"
    )
    return visitor.app.request(
        address,
        method="POST",
        body=raw,
        status=status,
        headers={**visitor.headers, "Content-Type": "multipart/form-data; boundary=b0"},
    )


@pytest.mark.parametrize(
    "language, told, only",
    [
        ("en", "Not booked yet and therefore left out: 1.", "The file has no booked transaction."),
        (
            "de",
            "Noch nicht gebucht und darum ausgelassen: 1.",
            "Gebuchte Bewegungen enthält die Datei nicht.",
        ),
    ],
)
def test_transactions_that_are_not_booked_are_counted_at_the_desk(desk, fair, language, told, only):
    office = desk(language=language)
    booked, pending = (
        {"amount": 100, "day": "2026-05-04", "status": status} for status in ("BOOK", "PDNG")
    )
    for number, entries in enumerate(([pending], [booked, pending], [booked]), 1):
        statement = camt.document(
            [camt.statement("DE02120300000000202051", entries, number=number)]
        )
        answer = upload(
            office, office.get("/desk/money/bank"), "/desk/money/statement", {}, statement
        )
        page = office.get(answer.headers["Location"].replace("../../desk", "/desk"))
        assert (told in page, only in page) == (pending in entries, booked not in entries), number


def test_a_column_of_states_that_is_not_read_is_told_at_the_desk(office, organiser, fair):
    """The page of the file proposes to read it. Whoever refuses that compares the transactions."""
    rows = "".join(
        f"04.05.2026;04.05.2026;Eingang;Rosen KG;10,00;EUR;DE02120300000000202051;{state}\n"
        for state in ("Gebucht", "Vorgemerkt")
    )
    header = (
        "Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;IBAN Kontoinhaber;Status\n"
    )
    answer = upload(
        office,
        office.get("/desk/money/bank"),
        "/desk/money/statement",
        {"auto": "1"},
        (header + rows).encode(),
    )
    where = answer.headers["Location"].replace("../../desk", "/desk")
    fields = {"action": "read", "auto": "1", "column_state": ""}
    answer = office.submit(office.get(where), where.partition("?")[0], fields)
    page = office.get(answer.headers["Location"].replace("../../../desk", "/desk"))
    assert "A column of the file seems to say what the bank has not booked yet." in page
    assert "A column of the file seems" not in office.get("/desk/money/bank")


def test_a_file_that_is_no_statement_is_told(office, fair):
    page = office.get("/desk/money/bank")
    refused = upload(office, page, "/desk/money/statement", {}, b"<html></html>", 422)
    assert "no bank statement that can be read" in refused


def test_a_record_that_has_changed_meanwhile_is_shown_beside_what_was_typed(
    office, organiser, fair
):
    address = f"/desk/edit/contacts/{fair.contact['id']}"
    page = office.get(address)
    organiser.patch(f"/contacts/{fair.contact['id']}", {"city": "Dresden"})
    refused = office.submit(
        page, address, {**fields_of(page), "city": "Halle", "phone": "123"}, 412
    )
    assert (
        "has been changed meanwhile" in refused
        and "Dresden" in refused
        and 'value="123"' in refused
    )
    office.submit(refused, address, {**fields_of(refused), "city": "Halle"})
    contact = organiser.data(f"/contacts/{fair.contact['id']}")
    assert (contact["city"], contact["phone"]) == ("Halle", "123")


# page of "Set up" -> what is typed there, and what another page of the same record changes
PAGES_OF_ONE_RECORD = {
    "website": ({"texts/intro/en": "Flowers"}, {"my_is_open": True}),
    "portal": ({"hold_days": "9"}, {"texts": {"intro": {"en": "Trees"}}}),
    "visitors": ({"visit_until": "2027-04-01"}, {"hold_days": 12}),
    "apply/texts": (
        {"apply_terms/en": "Pay first."},
        {"texts": {"visit": {"en": "By tram"}}},
    ),
}


@pytest.mark.parametrize("name", PAGES_OF_ONE_RECORD)
def test_a_form_is_refused_only_if_what_it_shows_was_changed(office, organiser, fair, name):
    typed, other = PAGES_OF_ONE_RECORD[name]
    path = f"/events/{fair.event['id']}/pages"
    address = f"/desk/setup/{name}"
    page, late = office.get(address), office.get(address)  # in two tabs
    fields = {**record_fields(page), **typed}
    changed = organiser.patch(path, other, status=200).json["data"]
    office.submit(page, address, fields)
    now = organiser.data(path)
    assert now != changed
    for field, value in other.items():
        if field == "texts":
            assert value.items() <= now["texts"].items()
        else:
            assert now[field] == value

    refused = office.submit(late, address, record_fields(late), 412)
    stored = re.search('(?s)<details class="note" open>.*?</details>', refused.text)[0]
    assert stored.count("<li>") == 1
    office.submit(refused, address, record_fields(refused))


def test_a_text_of_another_page_is_not_lost_with_a_form_of_before(office, organiser, fair):
    path = f"/events/{fair.event['id']}/pages"
    page = office.get("/desk/setup/website")
    organiser.patch(path, {"texts": {"my_intro": {"en": "Welcome."}}}, status=200)
    typed = {**record_fields(page), "texts/intro/en": "Flowers"}
    office.submit(page, "/desk/setup/website", typed)
    assert organiser.data(path)["texts"] == {
        "intro": {"en": "Flowers"},
        "my_intro": {"en": "Welcome."},
    }


def test_a_row_beyond_the_form_that_was_changed_meanwhile_refuses_it(office, organiser, fair):
    path = f"/plans/{fair.plan['id']}"
    pillar = {"kind": "pillar", "x": 1, "y": 1, "width": 1, "depth": 1, "label": "P"}
    organiser.patch(path, {"objects": [pillar] * 70}, status=200)
    address = f"/desk/edit/plans/{fair.plan['id']}"
    page = office.get(address)
    organiser.patch(path, {"objects": [pillar] * 69}, status=200)
    office.submit(page, address, record_fields(page), 412)


def test_a_show_is_set_up_without_a_program(office, organiser):
    page = office.get("/desk/")
    assert "No event exists yet" in page
    office.submit(
        office.get("/desk/edit/events"),
        "/desk/edit/events",
        {
            "title": "Spring Fair",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
            "country": "DE",
            "timezone": "Europe/Berlin",
            "is_visible": "1",
            "day_ends_at": "06:00",
            "opening_hours/0/date": "2027-05-01",
            "opening_hours/0/opens": "09:00",
            "opening_hours/0/closes": "18:00",
        },
    )
    [event] = organiser.data("/events?include=opening_hours")
    assert event["title"] == "Spring Fair" and event["opening_hours"][0]["opens"] == "09:00"
    office.submit(
        office.get("/desk/edit/booth_types"),
        "/desk/edit/booth_types",
        {"booth_type_name": "Corner", "price_model": "per_m2", "price": "96.50", "open_sides": "2"},
    )
    office.submit(
        office.get("/desk/edit/plans"),
        "/desk/edit/plans",
        {"plan_name": "Hall 1", "event_key": event["event_key"], "width": "40", "height": "30"},
    )
    [plan], [kind] = organiser.data("/plans"), organiser.data("/booths/types")
    address = f"/desk/hall/layout/{plan['id']}"
    page = office.get(address)
    refused = office.submit(
        page,
        address,
        {"rows/0/first": "A1", "rows/0/count": "many", "rows/0/x": "2", "rows/0/y": "2"},
        422,
    )
    assert "rows/0/count" in refused and "Please enter a whole number" in refused
    office.submit(
        page,
        address,
        {
            "rows/1/first": "A1",
            "rows/1/count": "6",
            "rows/1/x": "2",
            "rows/1/y": "2",
            "rows/1/booth_type_key": kind["booth_type_key"],
            "rows/1/back_to_back": "1",
        },
    )
    assert len(organiser.data("/booths")) == 12
    taken = {"rows/0/first": "A5", "rows/0/count": "1", "rows/0/x": "2", "rows/0/y": "20"}
    refused = office.submit(page, f"{address}?done=layout", taken, 409)
    assert "A number of this row exists already." in refused and "are placed" not in refused
    office.submit(
        office.get("/desk/edit/services"),
        "/desk/edit/services",
        {
            "service_name": "Power",
            "base_price": "185",
            "unit": "piece",
            "is_active": "1",
            "events/0/event_key": event["event_key"],
            "events/0/stock": "40",
            "events/0/is_active": "1",
            "events/1/is_active": "1",
        },
    )
    [service] = organiser.data("/services?include=events")
    assert [offer["stock"] for offer in service["events"]] == [40]
    office.submit(
        office.get("/desk/edit/submission_types"),
        "/desk/edit/submission_types",
        {
            "title": "Logo",
            "event_key": event["event_key"],
            "input": "file",
            "allowed_extensions": "svg\npng",
            "due/days": "30",
            "due/anchor": "before date_from",
            "is_required": "1",
            "roles": "exhibitor",
        },
    )
    [logo] = organiser.data("/submissions/types")
    assert logo["due"] == {"before": "date_from", "days": 30} and logo["allowed_extensions"] == [
        "svg",
        "png",
    ]


def test_the_pages_of_a_show_are_opened_at_the_desk(office, organiser, fair):
    path = f"/events/{fair.event['id']}/pages"
    organiser.patch(path, {"texts": {"my_intro": {"en": "Welcome."}}}, status=200)
    address = "/desk/setup/website"
    page = office.get(address)
    fields = record_fields(page)
    typed = {**fields, "is_public": "1", "texts/intro/en": "Everything for the garden."}
    office.submit(page, address, typed)
    pages = organiser.data(path)
    assert pages["is_public"]
    assert pages["texts"] == {
        "intro": {"en": "Everything for the garden."},
        "my_intro": {"en": "Welcome."},
    }
    refused = office.submit(office.get(address), address, fields, 412)
    assert "has been changed meanwhile" in refused
    form = office.get("/desk/setup/apply")
    assert "terms for exhibitors" in form
    closed = office.submit(
        form, "/desk/setup/apply", {**record_fields(form), "apply_is_open": "1"}, 409
    )
    assert "terms for exhibitors" in closed and "desk/setup/apply/texts" in closed


def test_old_addresses_lead_to_the_pages_of_set_up(office, fair):
    for old in (f"settings/{fair.event['id']}", f"edit/events/{fair.event['id']}"):
        page = "setup/website" if old.startswith("settings") else "setup/details"
        moved = office.get(f"/desk/{old}", 308)
        assert moved.headers["Location"] == f"{'../' * (old.count('/') + 1)}desk/{page}?event=fair"


def test_the_registration_of_visitors_opens_from_nothing(office, organiser, fair):
    organiser.patch(f"/events/{fair.event['id']}/pages", {"is_public": True}, status=200)
    address = "/desk/setup/visitors"
    page = office.get(address)
    closed = office.submit(page, address, {**record_fields(page), "visit_is_open": "1"}, 409)
    assert "category for visitors" in closed and "Add the category “Visitors”" in closed
    assert re.search('name="visit_is_open" value="1"\\s+checked', closed.text), (
        "what was typed stays"
    )
    office.submit(closed, f"{address}/category", {})
    page = office.get(f"{address}?done=visitor_category")
    assert "The category “Visitors” has been added." in page
    assert "Add the category" not in page
    office.submit(page, address, {**record_fields(page), "visit_is_open": "1"})
    assert organiser.data(f"/events/{fair.event['id']}/pages")["visit_is_open"]
    [category] = [row for row in organiser.data("/categories") if row["title"] == "Visitors"]
    assert (category["role"], category["approval"], category["event_keys"]) == (
        "visitor",
        "automatic",
        ["fair"],
    )


def test_the_picture_of_a_show_is_set_replaced_and_removed(office, organiser, fair):
    address = "/desk/setup/website/picture"
    path = f"/events/{fair.event['id']}"
    page = office.get("/desk/setup/website")
    tag = {"tag": page.forms["picture-form"]["tag"].value}
    refused = office.submit(page, address, tag, 422, ("notes.txt", b"no picture"))
    assert "This file format is not accepted here." in refused and 'id="picture-form"' in refused
    office.submit(page, address, tag, upload=("photo.png", png(60, 20)))
    image = organiser.data(path)["image"]
    assert (image["width"], image["height"]) == (60, 20)
    page = office.get("/desk/setup/website?done=picture")
    assert "The picture has been saved." in page and "60 × 20" in page
    sooner = {"title": "Sooner", "event_key": "sooner", "date_from": "2027-01-01"}
    other = organiser.make("/events", sooner)  # the one that a page shows without `?event=`
    page = office.get("/desk/setup/website?event=fair")
    [source] = re.findall(r'<img class="thumb" src="([^"]+)"', page.text)
    shown = office.get(urljoin("/desk/setup/website", source))
    organiser.delete(f"/events/{other['id']}", status=204)
    assert shown.content_type == "image/jpeg"
    office.get(f"{address}/{image['document_id'] + 1}", 404)
    office.submit(page, address, tag, 412, ("photo.png", png(30, 20)))
    tag = {"tag": page.forms["picture-form"]["tag"].value}
    office.submit(page, f"{address}/remove", tag)
    assert organiser.data(path)["image"] is None


def test_people_are_found_by_any_of_their_papers(office, organiser, fair):
    assert "Rosen KG" in office.get("/desk/search?q=rosen")
    assert "Tulpen GmbH" in office.get("/desk/search?q=tulpen")
    assert f"/booths/{fair.booths[0]['id']}" in office.get("/desk/search?q=a1")
    number = fair.exhibitor["badge_number"]
    assert "Rosen KG" in office.get(f"/desk/search?q={number[:4]}-{number[4:8]}-{number[8:]}")
    assert "Nothing fits" in office.get("/desk/search?q=nobody")


def test_lists_for_paper_have_everybody_of_the_show(office, fair):
    assert fair.exhibitor["badge_number"] in office.get("/desk/print/door")
    assert "Hall 1" in office.get("/desk/print/halls")
    badge = office.get(f"/desk/badges/{fair.exhibitor['id']}")
    assert badge.content_type == "application/pdf" and badge.headers["Cache-Control"] == "no-store"
    assert office.get("/desk/badges?role=exhibitor").body.startswith(b"%PDF")


def test_notes_and_tasks_are_kept(office, organiser, fair):
    page = office.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    office.submit(
        page,
        "/desk/do/create_note",
        {
            "entity_type": "event_participant",
            "entity_id": fair.exhibitor["id"],
            "note_text": "Wants a corner.",
            "back": f"exhibitors/{fair.exhibitor['id']}",
        },
    )
    assert "Wants a corner." in office.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    form = office.get(
        f"/desk/do/create_task?entity_type=event&entity_id={fair.event['id']}&back=tasks"
    )
    office.submit(
        form,
        "/desk/do/create_task",
        {
            "entity_type": "event",
            "entity_id": fair.event["id"],
            "title": "Call the caterer",
            "back": "tasks",
        },
    )
    [task] = organiser.data("/tasks")
    page = office.get("/desk/tasks")
    office.submit(page, f"/desk/do/complete_task/{task['id']}", {"back": "tasks"})
    assert organiser.data(f"/tasks/{task['id']}")["status"] == "completed"


def test_late_exhibitors_are_reminded_after_a_look_at_the_mails(
    office, organiser, fair, settings, monkeypatch, db
):
    for name, value in {
        "smtp_host": "localhost",
        "smtp_sender": "office@messe.test",
        "base_url": "http://localhost",
    }.items():
        monkeypatch.setattr(settings, name, value)
    organiser.make(
        "/submissions/types",
        {"event_key": "fair", "title": "Logo", "input": "file", "is_required": True},
    )
    organiser.patch(
        f"/events/{fair.event['id']}/pages", {"is_public": True, "my_is_open": True}, status=200
    )
    link = organiser.make(
        "/links",
        {
            "kind": "participant",
            "participant_id": fair.exhibitor["id"],
            "email": "ada@rosen.example",
        },
    )
    contact = organiser.make("/contacts", {"company_name": "Abgesagt AG"})
    body = {"event_key": "fair", "contact_id": contact["id"]}
    gone = organiser.make("/participants", body)
    gone_link = {"kind": "participant", "participant_id": gone["id"], "email": "x@gone.example"}
    organiser.make("/links", gone_link)
    organiser.post(f"/participants/{gone['id']}/cancel", {}, status=200)
    page = office.get("/desk/exhibitors/remind?event=fair")
    names = [each.text.strip() for each in page.html.select("main tbody a.name")]
    assert names == ["Rosen KG"], "firms, without those who have cancelled"
    trial = batches.tried(office, page, "links/remind", [link["id"]])
    assert trial.html.select("main tbody a.name")[0].text.strip() == "Rosen KG"
    assert "Trial: 1 are possible" in trial and "Logo" in trial and "ada@rosen.example" in trial
    count = "SELECT count(*) FROM mails WHERE kind = 'todos'"
    assert db.connection.execute(count).fetchone() == (0,)
    done = batches.pressed(office, trial)
    assert "1 reminder is on its way." in done and db.connection.execute(count).fetchone() == (1,)
    again = batches.tried(office, page, "links/remind", [link["id"]])
    assert "0 are possible, 1 are not" in again


def test_badges_of_the_ticked_exhibitors_are_printed(office, fair):
    page = office.get("/desk/exhibitors?event=fair")
    printed = office.submit(
        page, "/desk/badges?event=fair", {"ids": fair.exhibitor["id"]}, status=200
    )
    assert (
        printed.content_type == "application/pdf" and printed.headers["Cache-Control"] == "no-store"
    )
    assert "Please tick something first." in office.submit(
        page, "/desk/badges?event=fair", status=200
    )


def test_a_saved_record_leads_back_to_the_show_in_hand(office, organiser, fair):
    organiser.make(
        "/events", {"title": "Boat Fair", "event_key": "boats", "date_from": "2030-05-01"}
    )
    page = office.get("/desk/edit/categories?event=boats")
    saved = office.submit(
        page, "/desk/edit/categories?event=boats", {"title": "Sails", "event_keys": "boats"}
    )
    assert "event=boats" in saved.headers["Location"]
    hall = office.get("/desk/hall?event=boats")
    assert "event=boats" in hall.html.find("a", hreflang="de")["href"]


def test_the_office_takes_an_order_and_changes_its_draft(office, organiser, fair):
    service = organiser.make(
        "/services", {"service_name": "Power", "base_price": 185, "events": [{"event_key": "fair"}]}
    )
    address = f"/desk/edit/service_orders?event=fair&event_participant_id={fair.exhibitor['id']}&back=exhibitors"
    form = office.get(address)
    assert "Rosen KG" in form
    office.submit(
        form,
        address,
        {
            "event_participant_id": fair.exhibitor["id"],
            "back": "exhibitors",
            "items/0/service_id": service["id"],
            "items/0/quantity": "2",
        },
    )
    [order] = organiser.data("/service-orders?include=items")
    assert (order["status"], order["items"][0]["quantity"]) == ("draft", 2)
    address = f"/desk/edit/service_orders/{order['id']}?event=fair"
    form = office.get(address)
    office.submit(form, address, {**fields_of(form), "items/0/quantity": "3"})
    assert (
        organiser.data(f"/service-orders/{order['id']}?include=items")["items"][0]["quantity"] == 3
    )


def test_an_empty_list_of_choices_offers_nothing(office, organiser):
    page = office.get("/desk/edit/categories")
    assert [
        each.text for each in page.html.find("select", id="f-parent_category_id").find_all("option")
    ] == ["–"]


def test_another_show_is_taken_in_hand(office, organiser, fair):
    organiser.make(
        "/events", {"title": "Boat Fair", "event_key": "boats", "date_from": "2030-05-01"}
    )
    page = office.get("/desk/applications?event=boats")
    assert "Tulpen GmbH" not in page and "exhibitors?event=boats" in page
    assert "Tulpen GmbH" in office.get("/desk/applications?event=fair")
    assert "Tulpen GmbH" in office.get("/desk/applications?event=unknown")


@pytest.mark.parametrize(("language", "months"), [("en", ("May", "May")), ("de", ("Mai", "Mai"))])
def test_two_shows_of_one_title_are_told_apart_wherever_shows_are_listed(
    desk, organiser, fair, language, months
):
    again = {"title": "Garden Fair", "event_key": "fair-28", "date_from": "2028-05-01"}
    organiser.make("/events", again)
    participant = {"event_key": "fair-28", "contact_id": fair.exhibitor["contact_id"]}
    organiser.make("/participants", {**participant, "category_key": None})
    shown = [f"Garden Fair · {months[0]} 2027", f"Garden Fair · {months[1]} 2028"]
    office = desk(language=language)

    def names(path):
        page = office.get(path).text
        return set(re.findall(r"Garden Fair(?: · \w+ \d{4})?(?=\s*<)", page))

    for path in (
        "/desk/",
        "/desk/edit/categories",
        f"/desk/contacts/{fair.exhibitor['contact_id']}",
        "/desk/search?q=Rosen",
    ):
        assert names(path) >= set(shown), path
    switch = office.get("/desk/setup").text.partition('<details class="which">')[2]
    offered = re.findall(r">\s*(Garden Fair[^<]*?)\s*<", switch.partition("</details>")[0])
    assert sorted(offered) == shown


def test_a_page_about_a_show_is_not_found_before_there_is_one(office):
    for page in ("hall", "exhibitors", "print"):
        office.get(f"/desk/{page}", 404)


def test_an_exhibitor_gets_a_link_and_loses_it(office, organiser, fair):
    address = f"/desk/exhibitors/{fair.exhibitor['id']}"
    page = office.get(address)
    office.submit(
        page,
        "/desk/links",
        {
            "kind": "participant",
            "participant_id": fair.exhibitor["id"],
            "email": "ada@rosen.example",
            "back": f"exhibitors/{fair.exhibitor['id']}",
        },
    )
    [link] = organiser.data("/links")
    page = office.get(address)
    assert "ada@rosen.example" in page
    shown = office.submit(page, f"/desk/links/{link['id']}/show", status=200)
    assert "/link/evl_" in shown and "/link/evl_" not in office.get(address)
    renewed = office.submit(office.get(address), f"/desk/links/{link['id']}/rotate", status=200)
    first, second = (re.search(r"/link/evl_[\w-]{32}", page.text)[0] for page in (shown, renewed))
    office.get(first, 404)
    office.get(second)
    office.submit(office.get(address), f"/desk/do/revoke_link/{link['id']}", {"back": ""})
    assert organiser.data(f"/links/{link['id']}")["status"] == "revoked"


def test_a_door_shows_its_code_once(office, organiser, fair):
    page = office.get("/desk/setup/visitors")
    office.submit(
        page,
        "/desk/links",
        {"kind": "door", "event_id": fair.event["id"], "station": "West", "back": ""},
    )
    [link] = organiser.data("/links?kind=door")
    page = office.get("/desk/setup/visitors")
    assert "West" in page
    assert "<svg" in office.submit(page, f"/desk/links/{link['id']}/show", status=200)
    [entry] = organiser.data(f"/audit-log?entity_type=link&entity_id={link['id']}&action=shown")
    assert entry["admin_name"] == "Ada Lovelace"


def test_one_device_of_a_door_is_ended_after_a_question(
    office, organiser, fair, open_link, app, db
):
    """The other device goes on. A device of another link, or one that has ended, is not found."""
    west, lost, _ = open_link("door", event_id=fair.event["id"], station="West")
    with db.write():
        url = links.address(
            "https://show.example.org", links.add_secret(db, links.get(db, west["id"]), "shown")
        )
    other = Visitor(app)
    other.app.post_json("/door/sign-in", {"url": url})
    east, *_ = open_link("door", event_id=fair.event["id"], station="East")
    first, second = (row["id"] for row in organiser.data(f"/links/{west['id']}/devices")["devices"])
    page = office.get("/desk/setup/visitors")
    assert f"Device {first}: signed in" in page and page.text.count("End this device") == 3
    address = f"do/delete_link_device/{west['id']}/{first}"
    [link] = [each for each in re.findall(r'href="([^"]+)"', page.text) if address in each]
    question = office.get(f"/desk/{address}?{unescape(link.partition('?')[2])}")
    assert "West" in question and "Are you sure?" in question and "Export what waits" in question
    done = office.submit(question, f"/desk/{address}", {"back": "setup/visitors"})
    assert done.headers["Location"].endswith(
        f"/desk/setup/visitors?done=delete_link_device&of=links/{west['id']}"
    )
    assert lost.get("/door/now", 403).json["code"] == "link_ended" and other.get("/door/now")
    assert [row["id"] for row in organiser.data(f"/links/{west['id']}/devices")["devices"]] == [
        second
    ]
    [entry] = organiser.data("/audit-log?entity_type=link&action=session_ended")
    assert (entry["entity_id"], entry["admin_name"]) == (west["id"], "Ada Lovelace")
    office.submit(
        office.get("/desk/"),
        f"/desk/do/delete_link_device/{east['id']}/{second}",
        {"back": ""},
        404,
    )
    organiser.delete(f"/links/{west['id']}/devices/{first}", status=404)
    assert "Dieses Gerät beenden" in office.get("/desk/setup/visitors?language=de")


def test_the_list_for_the_doors_has_everybody_in_parts(office, organiser, fair, monkeypatch):
    monkeypatch.setattr(people, "NAMES", 2)
    for name in ("Anders", "Blum", "Cramer"):
        contact = organiser.make("/contacts", {"last_name": name})
        organiser.make(
            "/participants", {"event_key": "fair", "contact_id": contact["id"], "role": "visitor"}
        )
    assert "print/door?role=visitor" in office.get("/desk/print")
    first, second = (
        office.get(f"/desk/print/door?role=visitor&page={number}") for number in (1, 2)
    )
    assert "visitor: 1 to 2, by name" in first and "visitor: 3 to 3, by name" in second
    assert [name in first for name in ("Anders", "Blum", "Cramer", "Rosen KG")] == [
        True,
        True,
        False,
        False,
    ]
    assert "Cramer" in second and "next →" in first and "next →" not in second
    assert "Rosen KG" in office.get("/desk/print/door?page=2")


def test_a_booth_is_moved_to_one_that_is_chosen_by_its_number(office, organiser, fair):
    held = organiser.make(
        "/booth-reservations",
        {"booth_id": fair.booths[0]["id"], "event_participant_id": fair.exhibitor["id"]},
    )
    other = organiser.make(
        "/booths",
        {
            "plan_id": fair.booths[0]["plan_id"],
            "booth_number": "Z9",
            "width": 3,
            "depth": 3,
            "fixed_price": 100,
        },
    )
    address = f"/desk/do/move_booth_reservation/{held['id']}"
    page = office.get(f"{address}?back=hall")
    assert f'<option value="{other["id"]}"' in page and "Z9 ·" in page
    office.submit(page, address, {"booth_id": other["id"], "back": "hall"})
    assert organiser.data(f"/booth-reservations?booth_id={other['id']}")


def test_a_draft_that_is_deleted_leads_to_the_list_of_invoices(office, organiser, fair):
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": fair.exhibitor["contact_id"],
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 19}],
        },
    )
    address = f"/desk/do/delete_invoice/{draft['id']}"
    answer = office.submit(
        office.get(f"{address}?back=invoices/{draft['id']}"),
        address,
        {"back": f"invoices/{draft['id']}"},
    )
    assert answer.headers["Location"].endswith("/desk/money?done=delete_invoice")


# What an approval does not give


def lacking(organiser, fair, settings, role, email):
    """Approve an application for a contact that takes part already.

    Return (application, participant).
    """
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://shows.example.org"
    event = organiser.data("/events")[0]
    organiser.patch(f"/events/{event['id']}/pages", {"my_is_open": True}, status=200)
    organiser.make(
        "/categories",
        {"title": role, "category_key": role, "role": role, "event_keys": [event["event_key"]]},
    )
    contact = organiser.make(
        "/contacts", {"company_name": "Nelken AG", "email": "office@nelken.example"}
    )
    part = organiser.make(
        "/participants", {"event_id": event["id"], "contact_id": contact["id"], "role": role}
    )
    made = organiser.make(
        "/applications",
        {
            "last_name": "Nelke",
            "email": email,
            "category_keys": [role],
            "event_keys": [event["event_key"]],
        },
    )
    organiser.post(f"/applications/{made['id']}/approve", {"contact_id": contact["id"]}, status=200)
    return made, part


def links_of(organiser, **subject):
    ((name, id),) = subject.items()
    return [
        (row["kind"], row["email"], row["rights"] == ["badges"], row["mailed_at"] is not None)
        for row in organiser.data(f"/links?{name}={id}")
    ]


def test_the_link_that_an_approval_did_not_give_is_sent_by_a_button(
    office, organiser, fair, settings
):
    made, part = lacking(organiser, fair, settings, "exhibitor", "anna@nelken.example")
    today = office.get("/desk/")
    assert 'data-figure="without_page">1<' in today and "Acceptance without a page" in today
    assert "Nelke" in office.get("/desk/applications?lacks=page")
    assert "Nelke" not in office.get("/desk/applications?lacks=badge")
    page = office.get(f"/desk/applications/{made['id']}")
    assert "Send the link to anna@nelken.example" in page
    for _ in range(2):  # pressed twice
        office.submit(page, f"/desk/applications/{made['id']}/access", {})
    assert links_of(organiser, participant_id=part["id"]) == [
        ("participant", "anna@nelken.example", False, True)
    ]
    assert "without_page" not in office.get("/desk/")
    assert "Send the link" not in office.get(f"/desk/applications/{made['id']}")


@pytest.mark.parametrize("has_link", [False, True])
def test_the_badge_that_an_approval_did_not_give_is_sent_by_a_button(
    office, organiser, fair, settings, has_link
):
    made, _ = lacking(organiser, fair, settings, "visitor", "anna@nelken.example")
    assert 'data-figure="without_badge">1<' in office.get("/desk/")
    if has_link:
        organiser.make("/links", {"kind": "application", "application_id": made["id"]})
    page = office.get(f"/desk/applications/{made['id']}")
    office.submit(page, f"/desk/applications/{made['id']}/access", {})
    assert links_of(organiser, application_id=made["id"]) == [
        ("application", "anna@nelken.example", True, True)
    ]
    assert "without_badge" not in office.get("/desk/")


def test_revoking_a_link_ends_the_others_of_its_person_unless_unticked(
    office, organiser, fair, settings
):
    _, part = lacking(organiser, fair, settings, "exhibitor", "anna@nelken.example")
    link = organiser.make("/links", {"kind": "participant", "participant_id": part["id"]})
    page = office.get(f"/desk/do/revoke_link/{link['id']}")
    assert "Also revoke all other links of this address" in page and re.search(
        r'name="all"[^>]*checked', page.text
    )
    office.submit(page, f"/desk/do/revoke_link/{link['id']}", {"all": "1", "back": ""})
    assert organiser.data(f"/links/{link['id']}")["ended_by"] == "office"


def test_letters_of_a_closed_month_are_refused_at_the_desk_by_name_of_the_month(
    office, organiser, fair, db, monkeypatch
):
    """The clock was set back after October was closed, whose letters would claim costs."""
    item = {"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    draft = {"contact_id": fair.exhibitor["contact_id"], "items": [item]}
    invoice = organiser.make("/invoices", draft)
    organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200)
    db.connection.execute(
        "UPDATE invoices SET due_date = '2026-01-08', overdue_from = '2026-01-09'"
    )
    organiser.make("/invoices/dunning-levels", {"name": "First letter", "days": 10, "fee": 5})
    organiser.post("/reports/periods/2026-10/close", status=200)
    page = office.get("/desk/money/dunning")
    monkeypatch.setattr(times, "now", lambda: "2026-10-20T10:00:00Z")
    told = office.submit(page, "/desk/money/dunning", {"ids": str(invoice["id"])}, 409)
    assert "2026-10 is closed" in told
    assert "1 November 2026" in told
    assert "the clock of the server is behind" in told


def test_a_show_made_at_the_desk_has_no_place_of_supply_until_somebody_chooses(desk, organiser):
    office = desk(language="de")
    page = office.get("/desk/edit/events")
    for sentence in (
        "Stand und Leistungen sind eine Leistung: keine deutsche USt (EU: Reverse Charge, Drittland: nicht steuerbar)",
        "Nur Standfläche: deutsche USt",
        "Noch nicht entschieden",
        "mindestens drei weitere",
        "Fragen Sie Ihre Steuerberatung",
    ):
        assert sentence in page.text, sentence
    show = {
        "title": "Gartenmesse",
        "country": "DE",
        "timezone": "Europe/Berlin",
        "day_ends_at": "06:00",
    }
    office.submit(page, "/desk/edit/events", {**show, "place_of_supply": ""})
    [event] = organiser.data("/events")
    assert event["place_of_supply"] is None

    address = "/desk/setup/details"
    page = office.get(address)
    office.submit(page, address, {**fields_of(page), "place_of_supply": "event"})
    assert organiser.data(f"/events/{event['id']}")["place_of_supply"] == "event"
    assert re.search(r'name="place_of_supply" value="event"\s+checked', office.get(address).text)


@pytest.mark.parametrize(
    "country, sentences",
    [
        ("AT", ("no Austrian VAT (EU: reverse charge", "Art. 31a (3) (e)", "your state (Austria)")),
        (
            "CH",
            (
                "A service at the seat of the firm: no Swiss VAT (not taxable)",
                "your state (Switzerland)",
            ),
        ),
        ("NL", ("Floor space only: VAT (Netherlands)", "your state (Netherlands)")),
    ],
)
def test_the_choice_of_the_place_of_supply_names_the_state_of_the_organiser(
    office, settings, country, sentences
):
    settings.organiser_country = country
    page = office.get("/desk/edit/events").text
    for sentence in sentences:
        assert sentence in page
    assert "UStAE" not in page


def test_the_desk_says_that_a_show_is_abroad(desk, organiser):
    event = organiser.make(
        "/events", {"title": "Garden Fair", "event_key": "fair", "country": "AT"}
    )
    german = "Deutsche USt ist auf ihren Rechnungen wahrscheinlich falsch (§ 3a Abs. 3 Nr. 1, 3 und 5 UStG)."
    english = "German VAT is probably wrong on its invoices (§ 3a (3) no. 1, 3 and 5 UStG)."
    for language, sentence in (("de", german), ("en", english)):
        office = desk(language=language)
        for page in ("/desk/setup?event=fair", "/desk/setup/details?event=fair"):
            assert sentence in office.get(page).text, page
    organiser.patch(f"/events/{event['id']}", {"country": "DE"}, status=200)
    assert english not in office.get("/desk/setup?event=fair").text


@pytest.mark.parametrize(
    "kind, path, fields",
    [
        ("categories", "/categories", {"title": "Lectures", "sort_order": "0"}),
        (
            "services",
            "/services",
            {"service_name": "Lecture", "unit": "piece", "base_price": "90", "is_active": "1"},
        ),
        (
            "booth_types",
            "/booths/types",
            {"booth_type_name": "Stage", "price_model": "fixed", "price": "90"},
        ),
    ],
)
def test_the_desk_makes_a_price_exempt_and_says_where_it_is_taxed(
    office, organiser, fair, kind, path, fields
):
    page = office.get(f"/desk/edit/{kind}")
    assert "Reason for exemption" in page.text
    exempt = {**fields_of(page), **fields, "exemption_reason": "§ 4 Nr. 22 UStG"}
    refused = office.submit(page, f"/desk/edit/{kind}", {**exempt, "tax_rate": "19"}, 422)
    assert 'id="e-tax_rate"' in refused.text
    has_place = kind != "booth_types"
    if has_place:
        assert "Lodging and catering are never part of the one service" in page.text
        exempt["place_of_supply"] = "event"
    office.submit(page, f"/desk/edit/{kind}", exempt)
    record = organiser.data(f"{path}?sort=id&order=DESC")[0]
    assert record["exemption_reason"] == "§ 4 Nr. 22 UStG"
    assert record.get("place_of_supply") == ("event" if has_place else None)


VIENNA = {
    "company_name": "Kaffeehaus Wien GmbH",
    "address": "Ring 1",
    "postal_code": "1010",
    "city": "Wien",
    "country": "AT",
    "tax_id": "ATU13585627",
}


def foreign_exhibitor(organiser):
    """Make an exhibitor from Vienna with a fee at a show that is not decided. Return its id."""
    organiser.make("/events", {"title": "Show", "event_key": "show", "place_of_supply": None})
    organiser.make("/categories", {"title": "Gold", "category_key": "gold", "base_price": 100})
    contact = organiser.make("/contacts", VIENNA)
    return organiser.make(
        "/participants",
        {"event_key": "show", "contact_id": contact["id"], "category_key": "gold"},
    )["id"]


def test_the_first_drafts_for_a_firm_from_abroad_ask_where_it_is_taxed(office, organiser):
    ids, address = [foreign_exhibitor(organiser)], "participants/invoice"
    trial = batches.tried(office, office.get("/desk/exhibitors"), address, ids)
    assert "firms from abroad among these exhibitors (1)" in trial
    assert "Stand and services are one service: no German VAT" in trial
    batches.pressed(office, trial, place_of_supply="recipient")
    assert organiser.data("/events/1")["place_of_supply"] == "recipient"
    [draft] = organiser.data("/invoices")
    assert (draft["tax_treatment"], draft["tax_total"]) == ("reverse_charge", 0)
    again = batches.tried(office, office.get("/desk/exhibitors"), address, ids)
    assert "firms from abroad" not in again


def test_the_page_of_a_firm_from_abroad_leads_to_the_decision(office, organiser):
    page = f"/desk/exhibitors/{foreign_exhibitor(organiser)}"
    assert "it is not decided yet where firms from abroad are taxed" in office.get(page)
    organiser.patch("/events/1", {"place_of_supply": "event"}, status=200)
    assert "it is not decided yet" not in office.get(page)


def test_nobody_has_to_decide_where_firms_from_abroad_are_taxed(office, organiser):
    ids = [foreign_exhibitor(organiser)]
    trial = batches.tried(office, office.get("/desk/exhibitors"), "participants/invoice", ids)
    batches.pressed(office, trial, place_of_supply="")
    assert organiser.data("/events/1")["place_of_supply"] is None
    [draft] = organiser.data("/invoices")
    assert (draft["tax_treatment"], draft["tax_total"]) == ("standard", 19)


def test_the_vat_of_a_draft_is_shown_and_chosen_at_the_desk(office, organiser):
    participant = foreign_exhibitor(organiser)
    organiser.patch("/events/1", {"place_of_supply": "recipient"}, status=200)
    draft = organiser.post(f"/participants/{participant}/invoice", status=201).json["data"]
    page = office.get(f"/desk/invoices/{draft['id']}").text
    assert "reverse charge: the customer is liable for the VAT" in page
    assert "A firm in another EU country with a VAT ID" in page

    address = f"/desk/edit/invoices/{draft['id']}"
    form = office.get(address)
    assert re.search(r'value="auto"\s+selected', form.text)
    office.submit(form, address, fields_of(form))
    assert organiser.data(f"/invoices/{draft['id']}")["tax_decided_by"] == "rule"
    form = office.get(address)
    office.submit(form, address, {**fields_of(form), "tax_treatment": "standard"})
    assert organiser.data(f"/invoices/{draft['id']}")["tax_total"] == 19
    page = office.get(f"/desk/invoices/{draft['id']}").text
    assert "with VAT" in page and "decided by the office" in page
    form = office.get(address)
    office.submit(form, address, {**fields_of(form), "tax_treatment": "auto"})
    changed = organiser.data(f"/invoices/{draft['id']}")
    assert (changed["tax_treatment"], changed["tax_decided_by"]) == ("reverse_charge", "rule")


def test_the_form_of_a_contact_says_whether_it_is_a_business(desk, organiser, fair):
    office = desk(language="de")
    address = f"/desk/edit/contacts/{fair.contact['id']}"
    page = office.get(address)
    for label in (
        "Unternehmen",
        "Privatperson, Verein oder Behörde ohne Unternehmen",
        "aus USt-IdNr. und Firmenname",
    ):
        assert re.search(rf'type="radio" name="is_business"[^>]*>\s*{label}', page.text), label
    for value, stored in (("no", False), ("yes", True), ("", None)):
        office.submit(
            office.get(address), address, {**fields_of(office.get(address)), "is_business": value}
        )
        assert organiser.data(f"/contacts/{fair.contact['id']}")["is_business"] is stored
        checked = re.search(r'name="is_business" value="(\w*)"\s+checked', office.get(address).text)
        assert checked[1] == value


VIES = 'href="https://ec.europa.eu/taxation_customs/vies/#/vat-validation"'
BZST = 'href="https://evatr.bff-online.de/"'


def test_the_answer_about_a_vat_id_is_entered_and_shown(desk, organiser, fair):
    office = desk(language="de")
    id = fair.contact["id"]
    organiser.patch(f"/contacts/{id}", {"tax_id": "ATU13585627"}, status=200)
    page = office.get(f"/desk/contacts/{id}")
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())
    assert (
        "USt-IdNr. ATU13585627 · noch nicht geprüft Bei VIES nachsehen ↗ Bei BZSt nachsehen ↗ Antwort eintragen…"
    ) in text
    assert VIES in page.text and BZST in page.text

    address = f"/desk/do/create_contact_vat_check/{id}"
    form = office.get(f"{address}?back=contacts/{id}")
    assert "lässt sich nicht ändern" in form.text and "final" not in form.text
    answer = {"back": f"contacts/{id}", "result": "valid", "checked_on": "2026-03-01"}
    refused = office.submit(form, address, {**answer, "checked_on": "2999-01-01"}, 422)
    assert "Das darf nicht in der Zukunft liegen." in refused.text
    sent = {**answer, "reference": "WAPI1", "confirmed": ["name", "city"]}
    answered = office.submit(form, address, sent)
    assert answered.headers["Location"].endswith(
        f"/contacts/{id}?done=create_contact_vat_check&of=contacts/{id}"
    )
    page = office.get(f"/desk/contacts/{id}").text
    assert "geprüft am 01.03.2026: gültig" in " ".join(page.split()) and VIES in page
    check = organiser.data(f"/contacts/{id}")["vat_check"]
    assert (check["reference"], check["confirmed"]) == ("WAPI1", ["name", "city"])


@pytest.mark.parametrize(
    "home, tax_id, has_vies, has_bzst",
    [
        ("DE", "ATU13585627", True, True),
        ("DE", "DE136695976", True, False),
        ("AT", "DE136695976", True, False),
        ("DE", "CHE116281710MWST", False, False),
        ("DE", "12/345/6789", False, False),
        ("DE", None, False, False),
    ],
)
def test_the_page_of_a_contact_links_to_those_who_confirm_its_vat_id(
    office, organiser, fair, settings, home, tax_id, has_vies, has_bzst
):
    settings.organiser_country = home
    organiser.patch(f"/contacts/{fair.contact['id']}", {"tax_id": tax_id}, status=200)
    page = office.get(f"/desk/contacts/{fair.contact['id']}").text
    assert (VIES in page, BZST in page) == (has_vies, has_bzst)
    assert ("not checked yet" in page) == ("Enter the answer" in page) == has_vies


def test_who_may_only_read_contacts_cannot_enter_an_answer(desk, organiser, fair):
    organiser.patch(f"/contacts/{fair.contact['id']}", {"tax_id": "ATU13585627"}, status=200)
    page = desk("events:read contacts:read").get(f"/desk/contacts/{fair.contact['id']}").text
    assert "not checked yet" in page and "Enter the answer" not in page
