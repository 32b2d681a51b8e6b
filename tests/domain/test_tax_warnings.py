"""Warnings about the tax of an invoice: at check, at sending, and in a batch."""

import pytest

from eventapi import times
from eventapi.domain.billing import invoices, tax_warnings

BUYER = {
    "company_name": "Rosen KG",
    "address": "Weg 1",
    "postal_code": "04109",
    "city": "Leipzig",
    "country": "DE",
}
VIENNA = {"city": "Wien", "country": "AT", "tax_id": "ATU13585627"}
ITEM = {"description": "Stand", "quantity": 1, "unit_price": 100}
MARCH = {"date_from": "2027-03-12", "date_to": "2027-03-14"}


@pytest.fixture
def bill(organiser):
    """Return a function that makes a draft: bill(event={…}, contact={…}, service_date=…)."""

    def draft(event=None, contact=None, **fields):
        buyer = organiser.make("/contacts", {**BUYER, **(contact or {})})
        of_event = {}
        if event is not None:
            show = organiser.make("/events", {"title": "Fair", "event_key": "fair", **event})
            exhibitor = organiser.make(
                "/participants",
                {"event_id": show["id"], "contact_id": buyer["id"], "role": "exhibitor"},
            )
            of_event = {"event_participant_id": exhibitor["id"]}
        body = {"contact_id": buyer["id"], "items": [ITEM], **of_event, **fields}
        return organiser.make("/invoices", body)

    return draft


@pytest.fixture
def warned(organiser):
    """Return a function that returns the warnings of a draft, which check, the batch and sending name alike."""

    def warnings(draft, *codes):
        """Return {code: (field, values, detail)} of the warnings with these codes."""
        checked = organiser.post(f"/invoices/{draft['id']}/check", status=200).json["data"]
        body = {"action": "send", "ids": [draft["id"]], "dry_run": True}
        trial = organiser.post("/invoices/batch", body, status=200).json["data"]["results"][0]
        sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json
        found = [
            {
                each["code"]: (each["field"], each.get("values"), each["detail"])
                for each in warnings
                if each["code"] in codes
            }
            for warnings in (
                checked["warnings"],
                trial["meta"]["warnings"],
                sent["meta"]["warnings"],
            )
        ]
        assert found[0] == found[1] == found[2]
        return found[0]

    return warnings


@pytest.fixture
def clock(monkeypatch):
    """Return a function that sets the clock of the server."""
    return lambda now: monkeypatch.setattr(times, "now", lambda: now)


# The sentences

FACTS = {
    "country": "AT",
    "home_country": "DE",
    "event_country": "CH",
    "vat_id": "ATU13585627",
    "rate": 19,
    "law": "§ 3a (3), (8) UStG",
    "issued_on": "2027-04-16",
    "supplied_from": "2027-03-12",
    "supplied_to": "2027-03-14",
    "event_from": "2027-03-13",
    "event_to": "2027-03-14",
    "deadline": "2027-04-15",
    "amount": 119.0,
    "currency": "EUR",
}
# code -> field to look at, the facts that its sentence names, and what it asks for
SENTENCES = {
    "standard_rate_abroad": ("tax_treatment", "AT 19 DE", "`place_of_supply`"),
    "vat_id_abroad": ("contact.tax_id", "AT ATU13585627", "`contact.country`"),
    "vat_id_home": ("contact.tax_id", "AT ATU13585627 DE", "an establishment there"),
    "no_vat_id_abroad": ("contact.tax_id", "AT 19 DE", "Ask the buyer for its VAT id"),
    "vat_id_invalid": (
        "contact.tax_id",
        "AT ATU13585627 19 DE",
        "POST /contacts/{id}/vat-checks",
    ),
    "business_unproven": ("contact.tax_id", "AT", "`contact.is_business`"),
    "vat_id_unchecked": ("contact.tax_id", "ATU13585627", "Check it at VIES"),
    "treatment_differs": ("tax_treatment", "AT", "`tax_treatment` to auto"),
    "small_business_abroad": ("organiser_vat_id", "AT ATU13585627", "Apply for a VAT id"),
    "event_abroad": ("event_id", "CH DE", "Ask your adviser before you send the first one."),
    "late_reverse_charge": ("service_date", "2027-03-14 2027-04-15 2027-04-16", "send it soon"),
    "zero_rate": ("items", "DE", "Set the `tax_rate`"),
    "no_service_date": ("service_date", "2027-04-16", "set `service_date`"),
    "service_dates_of_event": (
        "service_date",
        "2027-03-12 2027-03-14 2027-03-13 2027-03-14",
        "leave them out",
    ),
    "no_bank_account": ("organiser_iban", "EUR 119.0", "Set it in the settings"),
}


def test_each_warning_says_what_is_the_case_and_what_to_do():
    found = tax_warnings.findings(set(SENTENCES), FACTS)
    assert [each["code"] for each in found] == list(SENTENCES)
    for each in found:
        field, facts, remedy = SENTENCES[each["code"]]
        words = each["detail"].replace(",", " ").replace(".", " ").replace(":", " ").split()
        assert each["field"] == field
        assert remedy in each["detail"]
        for fact in facts.split():
            assert fact in each["detail"], each["detail"]
            assert fact in [str(value) for value in each["values"].values()] or fact in words
        assert each["values"].items() <= FACTS.items()


def test_only_the_warnings_of_the_codes_are_there():
    found = tax_warnings.findings({"zero_rate", "vat_id_home"}, FACTS)
    assert [each["code"] for each in found] == ["vat_id_home", "zero_rate"]


@pytest.mark.parametrize(
    ("country", "law"),
    [
        ("DE", "§ 3a (3), (8) UStG"),
        ("AT", "§ 3a (9), (11), (11a) UStG 1994"),
        ("LI", "Art. 8 (2) MWSTG"),
        ("NL", "Art. 47, 53-55 2006/112/EC"),
        ("GR", "Art. 47, 53-55 2006/112/EC"),
        ("GB", "VAT Act"),
    ],
)
def test_a_show_abroad_is_a_warning_that_names_the_law_of_the_organiser(
    organiser, bill, db, country, law
):
    draft = bill({**MARCH, "country": "IT"}, items=[ITEM, {**ITEM, "tax_rate": 7}])
    row = invoices.row(db, draft["id"])
    _, buyer = invoices.parties(db, row)
    facts = tax_warnings.facts_of_rule(db, row, {**buyer, "country": None}, country)
    assert facts == {
        "country": country,
        "vat_id": "",
        "rate": 19,
        "home_country": country,
        "event_country": "IT",
        "law": law,
    }


def test_the_codes_of_the_rule_of_tax_treatment_are_taken(bill, db):
    row = invoices.row(db, bill(contact=VIENNA, service_date="2027-05-01")["id"])
    parties = invoices.parties(db, row)
    row["issue_date"] = "2027-04-16"
    (found,) = tax_warnings.of_invoice(db, row, row, parties, {"standard_rate_abroad"})
    assert (found["code"], found["values"]) == (
        "standard_rate_abroad",
        {"country": "AT", "rate": 19, "home_country": "DE"},
    )


# Who is a business

ZURICH = {"city": "Zürich", "country": "CH", "postal_code": "8001"}


@pytest.mark.parametrize(
    ("contact", "is_doubtful"),
    [
        ({}, True),
        ({"is_business": True}, False),
        ({"tax_id": "CHE116281710MWST"}, False),
    ],
)
def test_a_company_outside_of_the_eu_that_nothing_proves_to_be_a_business_is_named(
    bill, warned, contact, is_doubtful
):
    event = {**MARCH, "place_of_supply": "recipient"}
    found = warned(bill(event, {**ZURICH, **contact}), "business_unproven")
    assert set(found) == ({"business_unproven"} if is_doubtful else set())


def test_an_invoice_that_was_sent_is_judged_by_what_its_buyer_counted_as(organiser, bill):
    """Later, the office learns that the company is a club that does no business."""
    event = {**MARCH, "place_of_supply": "recipient"}
    draft = bill(event, {**ZURICH, "is_business": True})
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    path = f"/contacts/{sent['contact_id']}"
    organiser.patch(path, {"is_business": False}, status=200)
    checked = organiser.post(f"/invoices/{draft['id']}/check", status=200).json["data"]
    assert checked["tax"]["because"] == "third_business"


# The days of the supply


@pytest.mark.parametrize(
    ("event", "days"),
    [
        (MARCH, ("2027-03-12", "2027-03-14")),
        ({**MARCH, "date_to": None}, ("2027-03-12", "2027-03-12")),
        # 20:00 in Berlin on 1 May is 2 May in Tokyo
        (
            {
                "timezone": "Asia/Tokyo",
                "date_from": "2027-05-01T20:00:00+02:00",
                "date_to": "2027-05-03T23:00:00+02:00",
            },
            ("2027-05-02", "2027-05-04"),
        ),
    ],
)
def test_an_invoice_by_hand_for_an_event_is_for_a_supply_on_its_days(organiser, bill, event, days):
    draft = bill(event)
    assert draft["service_date"] is None
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    assert (sent["service_date"], sent["service_date_to"]) == days
    assert sent["tax_date"] == days[1]


@pytest.mark.parametrize("event", [None, {"date_from": None}])
def test_an_invoice_without_any_day_counts_on_the_day_of_issue_and_warns(
    organiser, bill, warned, event
):
    draft = bill(event)
    today = times.today("Europe/Berlin")
    found = warned(draft, "no_service_date", "service_dates_of_event")
    field, values, detail = found.pop("no_service_date")
    assert not found
    assert (field, values) == ("service_date", {"issued_on": today})
    assert today in detail and "set `service_date`" in detail
    sent = organiser.data(f"/invoices/{draft['id']}")
    assert (sent["service_date"], sent["service_date_to"]) == (today, None)
    again = organiser.post(f"/invoices/{draft['id']}/send", status=200).json["meta"]["warnings"]
    assert again == []  # it has a day now


@pytest.mark.parametrize(
    ("first", "last", "is_doubtful"),
    [
        ("2027-03-12", "2027-03-14", False),
        ("2027-03-13", None, False),
        ("2027-03-11", "2027-03-14", True),
        ("2027-03-14", "2027-03-15", True),
        ("2027-03-01", None, True),
    ],
)
def test_days_outside_of_those_of_the_event_are_a_warning(bill, warned, first, last, is_doubtful):
    draft = bill(MARCH, service_date=first, service_date_to=last)
    found = warned(draft, "no_service_date", "service_dates_of_event")
    assert set(found) == ({"service_dates_of_event"} if is_doubtful else set())
    if is_doubtful:
        field, values, detail = found["service_dates_of_event"]
        assert (field, values) == (
            "service_date",
            {
                "supplied_from": first,
                "supplied_to": last or first,
                "event_from": "2027-03-12",
                "event_to": "2027-03-14",
            },
        )
        assert "leave them out" in detail and first in detail


def test_what_another_system_has_sent_has_no_warning_about_its_days(organiser, bill):
    draft = bill(invoice_number="OLD-1", issue_date="2026-05-08")
    sent = organiser.post(f"/invoices/{draft['id']}/send", status=200).json
    assert sent["data"]["taken_over"] and sent["meta"]["warnings"] == []


def test_an_invoice_that_version_1_sent_without_a_day_can_be_checked(organiser, bill, db):
    draft = bill()
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    with db.write():
        db.connection.execute("UPDATE invoices SET service_date = NULL")
    checked = organiser.post(f"/invoices/{draft['id']}/check", status=200).json["data"]
    assert checked["is_valid"] and checked["warnings"] == []


# The bank account


def test_an_invoice_without_a_bank_account_warns_while_something_is_to_pay(bill, warned, settings):
    settings.organiser_iban = ""
    found = warned(bill(), "no_bank_account")
    field, values, detail = found["no_bank_account"]
    assert (field, values) == ("organiser_iban", {"amount": 119.0, "currency": "EUR"})
    assert "EUR 119.0" in detail and "`organiser_iban`" in detail


def test_an_invoice_with_a_bank_account_or_without_anything_to_pay_has_no_such_warning(
    organiser, bill, warned, settings
):
    assert warned(bill(), "no_bank_account") == {}
    settings.organiser_iban = ""
    free = {**ITEM, "unit_price": 0}
    assert warned(bill(items=[free]), "no_bank_account") == {}
    paid = {"payments": [{"amount": 119}]}
    sent = organiser.post(f"/invoices/{bill()['id']}/send", paid, status=200).json
    assert "no_bank_account" not in {each["code"] for each in sent["meta"]["warnings"]}


# Reverse charge that is late: § 14a (1) UStG, sentence 3

REVERSE_CHARGE = {**ITEM, "tax_category": "AE"}


@pytest.mark.parametrize(
    ("last_day", "today", "deadline"),
    [
        ("2027-03-14", "2027-04-15", None),
        ("2027-03-14", "2027-04-16", "2027-04-15"),
        ("2026-12-31", "2027-01-16", "2027-01-15"),
        ("2027-05-01", "2027-04-16", None),
    ],
)
def test_reverse_charge_is_late_after_the_15th_of_the_month_that_follows_the_supply(
    bill, warned, clock, last_day, today, deadline
):
    clock(f"{today}T10:00:00Z")
    draft = bill(
        contact=VIENNA,
        items=[REVERSE_CHARGE],
        service_date="2026-12-01",
        service_date_to=last_day,
    )
    found = warned(draft, "late_reverse_charge")
    if deadline is None:
        assert found == {}
        return
    field, values, detail = found["late_reverse_charge"]
    assert (field, values) == (
        "service_date",
        {"supplied_to": last_day, "deadline": deadline, "issued_on": today},
    )
    assert deadline in detail and "valid all the same" in detail


@pytest.mark.parametrize(
    ("contact", "item", "country"),
    [
        ({"tax_id": "DE811907980"}, REVERSE_CHARGE, "DE"),  # § 13b (2) at home has no such day
        (VIENNA, {**ITEM, "tax_rate": 19}, "DE"),
        ({**VIENNA, "country": "FR", "tax_id": "FR40303265045"}, REVERSE_CHARGE, "AT"),
    ],
)
def test_only_reverse_charge_from_germany_to_another_member_state_is_late(
    bill, warned, settings, contact, item, country
):
    settings.organiser_country = country
    draft = bill(contact=contact, items=[item], service_date="2026-05-01")
    assert warned(draft, "late_reverse_charge") == {}


# The zero rate


@pytest.mark.parametrize(
    ("country", "is_doubtful"),
    [("DE", True), ("AT", True), ("CH", True), ("LI", True), ("NL", False), ("GB", False)],
)
def test_category_z_is_a_warning_where_a_show_has_no_zero_rate(
    bill, warned, settings, country, is_doubtful
):
    settings.organiser_country = country
    free = {**ITEM, "tax_category": "Z", "tax_rate": 0}
    found = warned(bill(contact={"country": country}, items=[ITEM, free]), "zero_rate")
    assert set(found) == ({"zero_rate"} if is_doubtful else set())
    if is_doubtful:
        field, values, detail = found["zero_rate"]
        assert (field, values) == ("items", {"home_country": country})
        assert "`exemption_reason`" in detail and country in detail


def test_category_e_is_not_the_zero_rate(bill, warned):
    free = {**ITEM, "tax_category": "E", "tax_rate": 0, "exemption_reason": "§ 4 Nr. 22 a UStG"}
    assert warned(bill(items=[free]), "zero_rate") == {}
