"""What contradicts itself on an invoice prevents sending; what is unusual is a warning."""

import pytest

from eventapi import times
from eventapi.config import load
from tests.einvoices_sent.conftest import BUYER, act
from tests.support.client import write_empty_config
from tests.support.einvoices import besides_treatment

OF_CATEGORY = {
    "K": {"tax_category": "K"},
    "G": {"tax_category": "G"},
    "AE": {"tax_category": "AE"},
    "S": {"tax_category": "S", "tax_rate": 19},
}
LONDON = {"city": "London", "country": "GB", "postal_code": "SW1A 1AA"}
DRESDEN = {"city": "Dresden", "country": "DE", "postal_code": "01067"}


def invoice(organiser, category, contact, **fields):
    buyer = organiser.make("/contacts", {**BUYER, **contact})
    item = {"description": "Row stand", "quantity": 1, "unit_price": 100, **OF_CATEGORY[category]}
    return organiser.make(
        "/invoices",
        {"contact_id": buyer["id"], "items": [item], "service_date": "2026-05-08", **fields},
    )


# The table of finding 5: German seller DE136695976. XI is Northern Ireland, whose goods belong to
# the EU.
@pytest.mark.parametrize(
    ("category", "contact", "is_possible"),
    [
        ("K", {}, True),
        ("K", {**DRESDEN, "tax_id": "DE811907980"}, False),
        ("K", {**LONDON, "tax_id": "GB980780684"}, False),
        ("K", {**LONDON, "city": "Belfast", "tax_id": "XI980780684"}, True),
        ("K", {"tax_id": "DE136695976"}, False),
        ("AE", {**DRESDEN, "tax_id": "DE136695976"}, False),
        ("AE", {**DRESDEN, "tax_id": "DE811907980"}, True),
        ("AE", {"city": "Athen", "country": "GR", "tax_id": "EL094259216"}, True),
        ("S", {**DRESDEN, "tax_id": "DE136695976"}, True),
    ],
)
def test_a_category_that_the_vat_id_of_the_buyer_excludes_is_refused(
    organiser, category, contact, is_possible
):
    draft = invoice(organiser, category, contact)
    checked = act(organiser, draft, "check")
    assert checked["is_valid"] == is_possible
    if is_possible:
        act(organiser, draft, "send")
    else:
        problem = act(organiser, draft, "send", status=409)
        assert (problem["code"], problem["missing"]) == ("invoice_incomplete", ["contact.tax_id"])
        assert [fault["field"] for fault in checked["faults"]] == ["contact.tax_id"] * len(
            problem["faults"]
        )
        assert organiser.data("/invoices/numbering") == []


def test_a_greek_seller_cannot_supply_within_greece_as_if_abroad(organiser, settings):
    settings.organiser_country, settings.organiser_vat_id = "GR", "EL094259216"
    problem = act(
        organiser,
        invoice(organiser, "K", {"country": "GR", "tax_id": "EL123456783"}),
        "send",
        status=409,
    )
    assert problem["missing"] == ["contact.tax_id"]


@pytest.mark.parametrize(
    ("category", "contact", "fields", "code"),
    [
        ("G", {}, {}, "export_within_eu"),
        ("G", LONDON | {"tax_id": None}, {}, None),
        ("AE", {**DRESDEN, "tax_id": "DE811907980"}, {}, "reverse_charge_at_home"),
        ("AE", {}, {}, None),
        ("S", {}, {"service_date": "2020-05-08"}, "service_date_far"),
        ("S", {}, {"service_date_to": "2999-01-01"}, "service_date_far"),
        ("S", {"company_name": "\u200b4711\u200b"}, {}, "name_without_letters"),
        ("S", {"company_name": "Rosen\u202egnuhcsuäT\u202c GmbH"}, {}, "text_direction"),
        ("S", {"address": "\u2067Weg 1\u2069"}, {}, "text_direction"),
        (
            "S",
            {},
            {"items": [{"description": "Stand \u202e21A", "quantity": 1, "unit_price": 9}]},
            "text_direction",
        ),
        # a mark and a soft hyphen turn nothing
        (
            "S",
            {"company_name": "Rosen\u200f\u00ad GmbH"},
            {},
            None,
        ),
        ("S", {"company_name": "四季園芸"}, {}, None),
        ("S", {**DRESDEN, "tax_id": None, "postal_code": None}, {}, "no_postal_code"),
        ("S", {"postal_code": None}, {}, None),
        (
            "S",
            {},
            {"items": [{"description": "Stand", "quantity": 1, "unit_price": 9, "tax_rate": 0.19}]},
            "low_tax_rate",
        ),
    ],
)
def test_what_is_unusual_is_a_warning_of_check_and_send(organiser, category, contact, fields, code):
    draft = invoice(organiser, category, contact, **{"service_date": times.today("UTC"), **fields})
    warnings = besides_treatment(act(organiser, draft, "check")["warnings"])
    usual = (None, "missing_glyph")  # not every machine has fonts for Chinese
    assert [warning["code"] for warning in warnings if warning["code"] not in usual] == (
        [code] if code else []
    )
    answer = organiser.post(f"/invoices/{draft['id']}/send", status=200).json
    sent = besides_treatment(answer["meta"]["warnings"])
    assert [warning["code"] for warning in sent if warning["code"] not in usual] == (
        [code] if code else []
    )


@pytest.mark.parametrize(
    "total, tax_id, codes",
    [(10_000, None, []), (10_000.01, None, ["no_vat_id"]), (10_000.01, "ATU13585627", [])],
)
def test_a_large_invoice_in_austria_asks_for_the_uid_of_the_buyer(
    organiser, settings, total, tax_id, codes
):
    """Section 11 (1) no. 2 UStG 1994: above 10,000 EUR with tax."""
    settings.organiser_country, settings.organiser_vat_id = "AT", "ATU64727905"
    draft = invoice(
        organiser,
        "S",
        {"country": "AT", "city": "Wien", "tax_id": tax_id},
        items=[
            {
                "description": "Stand",
                "quantity": 1,
                "unit_price": total,
                "tax_rate": 0,
                "tax_category": "Z",
            }
        ],
    )
    found = [warning["code"] for warning in act(organiser, draft, "check")["warnings"]]
    assert [code for code in found if code == "no_vat_id"] == codes


def test_what_another_system_has_sent_is_taken_as_it_is(organiser):
    draft = invoice(
        organiser,
        "K",
        {**DRESDEN, "tax_id": "DE811907980"},
        invoice_number="OLD-1",
        issue_date="2026-05-08",
    )
    assert act(organiser, draft, "send")["taken_over"]


# Rates of the law, written down: § 10 (1) UStG (AT), Art. 25 MWSTG (CH), § 12 (1) UStG (DE)
@pytest.mark.parametrize(
    ("country", "rate"), [("DE", 1900), ("AT", 2000), ("CH", 810), ("LI", 810), ("GR", 2400)]
)
def test_the_default_rate_is_the_standard_rate_of_the_country(tmp_path, country, rate):
    config = load(
        environ={"EVENTAPI_CONFIG": str(write_empty_config(tmp_path))}, organiser_country=country
    )
    assert (config.tax_rate, config.is_tax_rate_known) == (rate, True)


def test_without_a_known_rate_nothing_is_sent_until_the_option_is_set(
    organiser, settings, tmp_path
):
    file = write_empty_config(tmp_path)
    abroad = load(environ={"EVENTAPI_CONFIG": str(file)}, organiser_country="AU")
    settings.is_tax_rate_known, settings.tax_rate = abroad.is_tax_rate_known, abroad.tax_rate
    draft = invoice(organiser, "S", {})
    assert "option tax_rate" in act(organiser, draft, "send", status=409)["missing"]
    settings.is_tax_rate_known = load(
        environ={"EVENTAPI_CONFIG": str(file)}, organiser_country="AU", tax_rate="0"
    ).is_tax_rate_known
    act(organiser, draft, "send")


def test_without_a_known_rate_an_item_without_rate_is_refused_with_the_way_out(
    organiser, settings, monkeypatch
):
    monkeypatch.setattr(settings, "is_tax_rate_known", False)
    monkeypatch.setattr(settings, "tax_rate", 0)
    buyer = organiser.make("/contacts", BUYER)
    item = {"description": "Stand", "quantity": 1, "unit_price": 100}

    def fault(**fields):
        body = {"contact_id": buyer["id"], "items": [{**item, **fields}]}
        return organiser.post("/invoices", body, status=422).json["errors"][0]

    for fields in ({}, {"tax_category": "S"}):
        found = fault(**fields)
        assert (found["pointer"], found["code"]) == ("/items/0/tax_rate", "required")
        assert "the option `tax_rate`" in found["detail"] and "must be more" not in found["detail"]
    found = fault(tax_category="S", tax_rate=0)
    assert (found["code"], found["detail"].split(".")[0]) == (
        "tax_category",
        "must be more than 0 in category S",
    )


def test_without_a_known_rate_the_draft_of_a_participant_says_what_it_lacks(
    organiser, settings, monkeypatch
):
    event = organiser.make("/events", {"title": "Fair", "country": "US"})
    organiser.make("/categories", {"title": "Gold", "category_key": "gold", "base_price": 100})
    buyer = organiser.make("/contacts", BUYER)
    participant = organiser.make(
        "/participants",
        {"event_key": event["event_key"], "contact_id": buyer["id"], "category_key": "gold"},
    )

    def draft():
        path = f"/participants/{participant['id']}/invoice"
        answer = organiser.post(path, status=201).json
        organiser.delete(f"/invoices/{answer['data']['id']}", status=204)
        return answer["meta"].get("warnings", [])

    assert draft() == []
    monkeypatch.setattr(settings, "is_tax_rate_known", False)
    monkeypatch.setattr(settings, "organiser_country", "US")
    monkeypatch.setattr(settings, "tax_rate", 0)
    [warning] = draft()
    assert warning["code"] == "no_tax_rate"
    for part in ("option `tax_rate`", "US", "cannot be sent", "refresh the draft"):
        assert part in warning["detail"]


def test_a_credit_note_for_several_rates_names_the_rate_of_each_line(organiser):
    buyer = organiser.make("/contacts", BUYER)
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": buyer["id"],
            "items": [
                {"description": "Row stand", "quantity": 1, "unit_price": 1000, "tax_rate": 19},
                {"description": "Catalogue", "quantity": 1, "unit_price": 100, "tax_rate": 7},
            ],
        },
    )
    sent = act(organiser, draft, "send")
    line = {"description": "Catalogue", "quantity": 1, "unit_price": 100}
    (fault,) = act(organiser, sent, "credit", {"items": [line]}, status=422)["errors"]
    assert (fault["pointer"], fault["code"]) == ("/items/0/tax_rate", "required")
    assert "S 19 %" in fault["detail"] and "S 7 %" in fault["detail"]
    note = act(organiser, sent, "credit", {"items": [{**line, "tax_rate": 7}]}, status=201)
    assert note["total"] == -107.0


def test_a_field_that_a_fault_names_has_no_warning_as_well(organiser):
    draft = invoice(
        organiser,
        "S",
        {
            **DRESDEN,
            "tax_id": None,
            "postal_code": None,
            "e_invoice_profile": "xrechnung",
            "leitweg_id": "991-33333TEST-33",
        },
    )
    checked = act(organiser, draft, "check")
    assert [fault["field"] for fault in checked["faults"]] == ["contact.postal_code"] and checked[
        "warnings"
    ] == []
