"""The option `small_business`: § 19 UStG, § 6 (1) no. 27 UStG 1994, Art. 10 (2) MWSTG."""

import re

import pytest

from eventapi.config import ConfigError, load
from eventapi.validation.identifiers.bookkeeping import revenue_accounts
from eventapi.validation.options import small_business
from tests.resources.test_datev import OPTIONS, batch
from tests.support.client import write_empty_config

BUYER = {
    "company_name": "Muster AG",
    "address": "Hauptplatz 5",
    "postal_code": "1010",
    "city": "Wien",
    "country": "AT",
    "tax_id": "ATU13585627",
}
AT_HOME = {**BUYER, "country": "DE", "city": "Ulm", "tax_id": None}
REASON = "Steuerfrei nach § 19 UStG (Kleinunternehmer)"
EXEMPT = {
    "description": "Stand",
    "quantity": 1,
    "unit_price": 100,
    "tax_category": "E",
    "exemption_reason": REASON,
}
YES = (("0001-01-01", "yes"),)
UNTIL_MAY = (("0001-01-01", "yes"), ("2026-05-10", "no"))


@pytest.fixture
def send(organiser):
    """Return a function that sends an invoice of an item: send(contact, item, service_date=…)."""

    def sent(contact, item, status=200, **fields):
        buyer = organiser.make("/contacts", contact)
        draft = organiser.make("/invoices", {"contact_id": buyer["id"], "items": [item], **fields})
        answer = organiser.post(f"/invoices/{draft['id']}/send", status=status).json
        return answer.get("data", answer)

    return sent


# The option


def options(tmp_path, **given):
    return load(environ={"EVENTAPI_CONFIG": str(write_empty_config(tmp_path))}, **given)


@pytest.mark.parametrize(
    ("text", "on", "is_small"),
    [
        ("no", "2027-01-01", False),
        ("yes", "2027-01-01", True),
        ("yes, 2028-01-01 no", "2027-12-31", True),
        ("yes, 2028-01-01 no", "2028-01-01", False),
        ("no, 2028-01-01 yes, 2030-01-01 no", "2029-12-31", True),
    ],
)
def test_the_option_has_a_value_for_each_day(tmp_path, text, on, is_small):
    assert options(tmp_path, small_business=text).is_small_business(on) is is_small


def test_without_the_option_nobody_is_a_small_business(tmp_path):
    assert options(tmp_path).is_small_business("2027-01-01") is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "maybe",
        "yes, no",
        "2028-01-01 yes",
        "no, 2028-13-01 yes",
        "no, 2028-01-01 yes, 2028-01-01 no",
    ],
)
def test_the_option_is_refused_unless_each_change_has_a_date(text):
    with pytest.raises(ValueError, match="no or yes, and after a comma a date"):
        small_business(text)


@pytest.mark.parametrize("country", ["DE", "AT", "CH", "LI"])
def test_the_rules_of_four_countries_are_known(tmp_path, country):
    found = options(tmp_path, small_business="yes", organiser_country=country)
    assert found.is_small_business("2027-01-01")


def test_a_small_business_elsewhere_is_a_fault_of_the_configuration(tmp_path):
    with pytest.raises(ConfigError) as caught:
        options(tmp_path, small_business="no, 2028-01-01 yes", organiser_country="NL")
    (fault,) = caught.value.faults
    assert "small_business = 'no, 2028-01-01 yes' must be no while organiser_country is NL" in fault
    assert options(tmp_path, small_business="no", organiser_country="NL")


# Drafts

PLAIN = {"description": "Stand", "quantity": 1, "unit_price": 100}


def test_an_item_that_says_nothing_of_tax_is_exempt(organiser, settings):
    settings.small_business = YES
    buyer = organiser.make("/contacts", AT_HOME)
    body = {"contact_id": buyer["id"], "items": [PLAIN], "service_date": "2026-05-01"}
    draft = organiser.make("/invoices", body)
    assert (draft["tax_treatment"], draft["tax_decided_by"]) == ("small_business", "rule")
    (item,) = draft["items"]
    assert (item["tax_category"], item["tax_rate"], draft["total"]) == ("E", 0, 100)
    path = f"/invoices/{draft['id']}"
    again = organiser.patch(path, {"items": draft["items"]}, status=200).json["data"]
    assert again == draft
    dearer = organiser.patch(path, {"items": [{**PLAIN, "unit_price": 200}]}, status=200)
    assert dearer.json["data"]["total"] == 200


def test_only_a_rate_that_was_typed_is_refused_and_named(organiser, settings):
    settings.small_business = YES
    buyer = organiser.make("/contacts", AT_HOME)
    items = [PLAIN, {**PLAIN, "tax_rate": 19}]
    body = {"contact_id": buyer["id"], "items": items, "service_date": "2026-05-01"}
    (fault,) = organiser.post("/invoices", body, status=422).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("/items/1/tax_rate", "tax_category")
    assert "Leave `tax_rate` and `tax_category` out" in fault["detail"]


@pytest.mark.parametrize(
    ("country", "language", "reason"),
    [
        ("DE", "de", REASON),
        ("DE", "en", "Exempt from VAT under § 19 UStG (small business)"),
        ("AT", "de", "Umsatzsteuerfrei nach § 6 Abs. 1 Z 27 UStG 1994 (Kleinunternehmer)"),
    ],
)
def test_the_e_invoice_says_why_in_the_language_of_the_invoice(
    organiser, send, settings, country, language, reason
):
    settings.small_business, settings.organiser_country = YES, country
    buyer = {**AT_HOME, "country": country, "language": language}
    sent = send(buyer, PLAIN, service_date="2026-05-01")
    for syntax in ("cii", "ubl"):
        path = f"/invoices/{sent['id']}/xml?profile=en16931&syntax={syntax}"
        reasons = re.findall("ExemptionReason>([^<]*)</", organiser.get(path, status=200).text)
        assert set(reasons) == {reason}


# DATEV


@pytest.fixture
def accounts(settings):
    """Return a function that sets the revenue accounts of the options of DATEV."""
    for name, value in OPTIONS.items():
        setattr(settings, name, value)

    def revenue(text):
        settings.datev_revenue = revenue_accounts(text)

    return revenue


def revenue_of(organiser):
    month = organiser.data("/invoices")[0]["issue_date"]
    query = f"year={month[:4]}&month={int(month[5:7])}"
    return [booking[8] for booking in batch(organiser, query).bookings]


def test_datev_has_an_account_of_its_own_for_the_days_of_a_small_business(
    organiser, send, settings, accounts
):
    accounts("E=8100 E_SMALL=8195")
    settings.small_business = UNTIL_MAY
    send(AT_HOME, EXEMPT, service_date="2026-05-01", service_date_to="2026-05-09")
    send(AT_HOME, EXEMPT, service_date="2026-05-09", service_date_to="2026-05-10")
    assert revenue_of(organiser) == ["8195", "8100"]


def test_datev_names_the_account_of_a_small_business_that_is_missing(
    organiser, send, settings, accounts
):
    accounts("E=8100")
    settings.small_business = YES
    sent = send(AT_HOME, EXEMPT, service_date="2026-05-01")
    query = f"year={sent['issue_date'][:4]}&month={int(sent['issue_date'][5:7])}"
    problem = organiser.get(f"/reports/datev?{query}", status=409).json
    assert (problem["code"], problem["missing"]) == ("datev_incomplete", ["datev_revenue: E_SMALL"])
    assert "`datev_revenue = E_SMALL=VALUE`" in problem["detail"]


def test_datev_has_the_account_o_home_for_a_small_business_in_switzerland(
    organiser, send, settings, accounts
):
    accounts("O_HOME=3400 E_SMALL=8195")
    settings.small_business, settings.organiser_country = YES, "CH"
    settings.organiser_vat_id = ""
    untaxed = {**EXEMPT, "tax_category": "O"}
    send({**BUYER, "country": "CH", "tax_id": None}, untaxed, service_date="2026-05-01")
    assert revenue_of(organiser) == ["3400"]


# The recapitulative statement


@pytest.mark.parametrize(
    ("country", "vat_id", "has_rows"),
    [("DE", "DE136695976", False), ("AT", "ATU64727905", True)],
)
def test_a_small_business_in_germany_has_no_recapitulative_statement(
    organiser, send, settings, country, vat_id, has_rows
):
    """§ 18a (4) UStG. In Austria, a small business has one."""
    settings.organiser_country, settings.organiser_vat_id = country, vat_id
    settings.small_business = YES
    buyer = {**BUYER, "country": "FR", "city": "Paris", "tax_id": "FR40303265045"}
    sent = send(buyer, {**EXEMPT, "tax_category": "AE"}, service_date="2026-05-01")
    year, month = sent["tax_date"][:4], int(sent["tax_date"][5:7])
    address = f"/reports/recapitulative?year={year}&month={month}"
    expected = [{"vat_id": "FR40303265045", "goods": 0, "services": 100}]
    assert organiser.data(address)["data"]["rows"] == (expected if has_rows else [])
    settings.small_business = (("0001-01-01", "no"),)
    assert organiser.data(address)["data"]["rows"] == expected


# Small invoices


@pytest.mark.parametrize(
    ("country", "price", "option", "is_possible"),
    [
        ("DE", 250, YES, True),
        ("DE", 250.01, YES, False),
        ("DE", 250, (("0001-01-01", "no"),), False),
        ("DE", 250, UNTIL_MAY, False),
        ("AT", 250, YES, False),
    ],
)
def test_up_to_250_eur_a_small_business_in_germany_needs_no_address(
    send, settings, country, price, option, is_possible
):
    """§ 33 UStDV."""
    settings.organiser_country, settings.small_business = country, option
    item = {**EXEMPT, "unit_price": price}
    nobody = {"last_name": "Rose"}
    answer = send(nobody, item, 200 if is_possible else 409, service_date="2026-05-10")
    if not is_possible:
        assert answer["missing"][:2] == ["contact.address", "contact.city"]


def test_the_last_day_of_the_event_decides_for_a_draft_without_a_day(organiser, settings):
    settings.small_business = UNTIL_MAY
    rose = organiser.make("/contacts", {"last_name": "Rose"})
    for key, last, status in (("early", "2026-05-09", 200), ("late", "2026-05-10", 409)):
        show = {"title": key, "event_key": key, "date_from": "2026-05-08", "date_to": last}
        event = organiser.make("/events", show)
        exhibitor = organiser.make(
            "/participants", {"event_id": event["id"], "contact_id": rose["id"]}
        )
        draft = organiser.make(
            "/invoices", {"event_participant_id": exhibitor["id"], "items": [EXEMPT]}
        )
        organiser.post(f"/invoices/{draft['id']}/send", status=status)
