"""What could be sent before e-invoices can be sent with them: buyers of any country, with any tax
number.
"""

import json
import re
import shutil
import subprocess

import pytest

from eventapi.domain.einvoices import reading
from eventapi.languages import countries
from eventapi.pictures import fonts
from tests.einvoices_sent.conftest import BUYER, STAND, act, today, xml_of
from tests.support.all_tests import ALL_TESTS
from tests.support.einvoices import besides_treatment

# Tax numbers of companies that have no VAT id in a format of the EU, GB, CH or NO
NUMBERS = [
    ("US", "12-3456789"),
    ("CN", "91310000775785552L"),
    ("TR", "1234567890"),
    ("AE", "100123456700003"),
    ("IN", "22AAAAA0000A1Z5"),
    ("JP", "T1234567890123"),
    ("AU", "51824753556"),
    ("NO", "995525828"),
    ("RS", "RS100000000"),
    ("BR", "12.345.678/0001-95"),
    ("DE", "136/695/976"),
    ("XK", "811234567"),
    ("IT", "FRRGPP80A01H501X"),
    ("DE", "DE136695976-00001"),
]

# Every sixth, and the two that the code list of EN 16931 has as 1A (Kosovo) and lacks (South Sudan).
COUNTRIES = [
    country
    for number, country in enumerate(countries.NAMES)
    if ALL_TESTS or number % 6 == 0 or country in ("XK", "SS")
]


def send(organiser, fields, contact, status=200):
    buyer = organiser.make("/contacts", {**BUYER, **contact})
    body = {"contact_id": buyer["id"], "items": [STAND], "service_date": today(), **fields}
    draft = organiser.make("/invoices", body)
    checked = act(organiser, draft, "check")
    assert checked["is_valid"] == (status == 200)
    answer = act(organiser, draft, "send", status=status)
    return answer, besides_treatment(checked["warnings"])


@pytest.mark.parametrize("country, number", NUMBERS)
def test_reverse_charge_shows_a_number_that_is_no_vat_id_as_the_registration_of_the_buyer(
    organiser, country, number
):
    """EN 16931 BR-AE-02: the VAT id of the buyer (BT-48) or its legal registration (BT-47)."""
    invoice, warnings = send(
        organiser, {"is_reverse_charge": True}, {"country": country, "tax_id": number}
    )
    found = reading.read(xml_of(organiser, invoice)).buyer
    assert (found.vat_id, found.register_number) == (None, number)
    assert reading.read(xml_of(organiser, invoice, "?syntax=ubl")).buyer == found
    assert [warning["field"] for warning in warnings if not warning["code"]] == ["contact.tax_id"]
    assert number in warnings[0]["detail"]


@pytest.mark.parametrize(
    "number", ["ATU13585627", "GB980780684", "CHE107787577MWST", "NO995525828MVA"]
)
def test_a_vat_id_is_shown_as_such(organiser, number):
    invoice, warnings = send(organiser, {"is_reverse_charge": True}, {"tax_id": number})
    found = reading.read(xml_of(organiser, invoice)).buyer
    assert (found.vat_id, found.register_number, warnings) == (number, None, [])


def test_without_reverse_charge_a_tax_number_is_no_registration(organiser):
    invoice, warnings = send(organiser, {}, {"tax_id": "12-3456789", "country": "US"})
    found = reading.read(xml_of(organiser, invoice)).buyer
    assert (found.vat_id, found.register_number, warnings) == (None, None, [])


def test_a_buyer_of_any_country_gets_its_invoice(organiser):
    """Buyers in South Sudan get no e-invoice."""
    shown = {}
    for country in COUNTRIES:
        invoice, warnings = send(organiser, {}, {"country": country, "tax_id": None})
        if invoice["xml_sha256"]:
            shown[country] = reading.read(xml_of(organiser, invoice)).buyer.country
            assert warnings == []
        else:
            assert [(warning["rule"], warning["field"]) for warning in warnings] == [
                ("BR-CL-14", "contact.country")
            ]
            assert warnings[0]["detail"].startswith("The invoice is sent without an e-invoice: ")
            assert xml_of(organiser, invoice, status=409)["code"] == "no_e_invoice"
            assert organiser.get(f"/invoices/{invoice['id']}/pdf", status=200).body.startswith(
                b"%PDF"
            )
            assert act(organiser, invoice, "cancel")["status"] == "cancelled"
    assert shown == {
        country: "1A" if country == "XK" else country for country in set(COUNTRIES) - {"SS"}
    }


def test_a_supply_to_kosovo_names_the_country_of_the_norm(organiser):
    draft = {"items": [{**STAND, "tax_rate": 0, "tax_category": "K"}]}
    invoice, _ = send(organiser, draft, {"country": "XK"})
    assert reading.read(xml_of(organiser, invoice)).deliver_to_country == "1A"


@pytest.mark.parametrize(
    "option", ["9999:1", "0208:0123456789", "EM:office", "0204:991-33333TEST-34"]
)
def test_what_somebody_can_correct_is_refused_for_every_profile(organiser, settings, option):
    """An invoice that was sent without e-invoice never gets one."""
    settings.organiser_electronic_address = option
    answer, _ = send(organiser, {}, {}, status=409)
    assert (answer["code"], answer["missing"][0]) == (
        "invoice_incomplete",
        "organiser_electronic_address",
    )
    assert f"organiser_electronic_address = {option!r} must be " in answer["detail"]


@pytest.mark.parametrize(
    "fields, contact",
    [
        ({"currency": "KWD", "exchange_rate": 3}, {}),
        ({"currency": "BGN", "exchange_rate": 0.5}, {}),
        ({}, {"country": "SS", "tax_id": None}),
    ],
)
def test_the_response_of_sending_says_why_there_is_no_e_invoice(organiser, fields, contact):
    buyer = organiser.make("/contacts", {**BUYER, **contact})
    body = {"contact_id": buyer["id"], "items": [STAND], "service_date": today(), **fields}
    draft = organiser.make("/invoices", body)
    checked = organiser.post(f"/invoices/{draft['id']}/check").json.get(
        "data", {"has_e_invoice": False}
    )
    sent = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json
    assert (sent["data"]["xml_sha256"], checked["has_e_invoice"]) == (None, False)
    assert sent["meta"]["no_e_invoice"].startswith(sent["data"]["invoice_number"])
    ordinary = organiser.make(
        "/invoices", {"contact_id": organiser.make("/contacts", BUYER)["id"], "items": [STAND]}
    )
    assert act(organiser, ordinary, "check")["has_e_invoice"]
    assert (
        "no_e_invoice"
        not in organiser.post(f"/invoices/{ordinary['id']}/send", status=200).json["meta"]
    )


def test_an_export_without_vat_id_of_the_seller_is_sent_without_e_invoice(organiser, settings):
    settings.organiser_vat_id = ""
    invoice, warnings = send(
        organiser, {"items": [{**STAND, "tax_rate": 0, "tax_category": "G"}]}, {"country": "US"}
    )
    assert invoice["xml_sha256"] is None
    assert [(warning["rule"], warning["field"]) for warning in warnings] == [
        ("BR-G-02", "organiser_vat_id")
    ]


@pytest.mark.parametrize("profile", ["xrechnung", "peppol"])
def test_who_asks_for_an_e_invoice_gets_no_invoice_without_one(organiser, profile):
    contact = {
        "country": "SS",
        "tax_id": None,
        "gln": "4012345000009",
        "e_invoice_profile": profile,
    }
    answer, warnings = send(organiser, {"buyer_reference": "PO 1"}, contact, status=409)
    assert (answer["code"], answer["missing"], warnings) == (
        "invoice_incomplete",
        ["contact.country"],
        [],
    )


AUTHORITY, DEPARTMENT, SCHOOL = "991-33333TEST-33", "04011000-1234512345-06", "991-03730-19"


@pytest.mark.parametrize("profile", ["xrechnung", "peppol"])
@pytest.mark.parametrize(
    "reference, contact, expected",
    [
        ("PO 1", {"leitweg_id": AUTHORITY}, (AUTHORITY, "PO 1")),
        (None, {"leitweg_id": AUTHORITY}, (AUTHORITY, None)),
        (AUTHORITY, {"leitweg_id": AUTHORITY}, (AUTHORITY, None)),
        (DEPARTMENT, {"leitweg_id": AUTHORITY}, (DEPARTMENT, None)),
        ("PO 1", {"electronic_address": f"0204:{AUTHORITY}"}, (AUTHORITY, "PO 1")),
        (None, {"electronic_address": f"0204:{AUTHORITY}"}, (AUTHORITY, None)),
        (AUTHORITY, {}, (AUTHORITY, None)),
        ("PO 1", {}, ("PO 1", None)),
        (None, {}, ("C-00001", None)),
    ],
)
def test_a_leitweg_id_is_the_buyer_reference_and_an_order_number_stands_beside_it(
    organiser, profile, reference, contact, expected
):
    """§ 5 (1) No. 1 E-RechV: an invoice to an authority contains its Leitweg-ID, which XRechnung
    expects in BT-10.
    """
    invoice, warnings = send(
        organiser, {"buyer_reference": reference}, {"e_invoice_profile": profile, **contact}
    )
    for syntax in ("cii", "ubl"):
        found = reading.read(xml_of(organiser, invoice, f"?profile={profile}&syntax={syntax}"))
        assert (found.buyer_reference, found.order_reference) == expected
    is_doubtful = expected[0] == "C-00001" and profile == "xrechnung"
    assert [warning["term"] for warning in warnings] == (["BT-10"] if is_doubtful else [])
    credit = act(organiser, invoice, "cancel")
    found = reading.read(xml_of(organiser, {"id": credit["id"] + 1}, f"?profile={profile}"))
    assert (found.type_code, found.buyer_reference, found.order_reference) == ("381", *expected)


@pytest.mark.parametrize(
    "reference, contact, labels",
    [
        ("PO 1", {"leitweg_id": AUTHORITY}, {"Your reference": "PO 1", "Leitweg-ID": AUTHORITY}),
        (None, {"leitweg_id": AUTHORITY}, {"Leitweg-ID": AUTHORITY}),
        (AUTHORITY, {"leitweg_id": AUTHORITY}, {"Your reference": AUTHORITY}),
        (SCHOOL, {"leitweg_id": AUTHORITY}, {"Your reference": SCHOOL}),
        (
            "PO 1",
            {"electronic_address": f"0204:{AUTHORITY}"},
            {"Your reference": "PO 1", "Leitweg-ID": AUTHORITY},
        ),
        ("PO 1", {}, {"Your reference": "PO 1"}),
        (None, {}, {}),
    ],
)
def test_the_pdf_shows_both_references(organiser, reference, contact, labels):
    pytest.importorskip("pypdf")
    if not fonts.installed(fonts.EUROPE) or not shutil.which("pdftotext"):
        pytest.skip("needs fonts-dejavu-core and pdftotext")
    invoice, _ = send(organiser, {"buyer_reference": reference, "language": "en"}, contact)
    act(organiser, invoice, "cancel")
    for id in (invoice["id"], invoice["id"] + 1):
        drawn = organiser.get(f"/invoices/{id}/pdf", status=200).body
        read = subprocess.run(
            ["pdftotext", "-layout", "-", "-"], input=drawn, capture_output=True, check=True
        )
        assert (
            dict(re.findall(r"(Your reference|Leitweg-ID) +(.*)", read.stdout.decode())) == labels
        )


def test_the_check_names_a_wrong_option_as_sending_does(organiser, settings):
    settings.organiser_iban = "DE03120300000000202051"
    buyer = organiser.make("/contacts", BUYER)
    body = {"contact_id": buyer["id"], "items": [STAND], "service_date": today()}
    draft = organiser.make("/invoices", body)
    sentence = (
        "organiser_iban = 'DE03120300000000202051' must be an IBAN without a typing error: its check digits do "
        "not match the rest."
    )
    assert act(organiser, draft, "check")["faults"] == [
        {"rule": None, "term": None, "code": None, "field": "organiser_iban", "detail": sentence}
    ]
    assert sentence in act(organiser, draft, "send", status=409)["detail"]


def test_a_key_that_only_reads_can_check(organiser, person):
    buyer = organiser.make("/contacts", BUYER)
    body = {"contact_id": buyer["id"], "items": [STAND], "service_date": today()}
    draft = organiser.make("/invoices", body)
    assert act(person("invoices:read"), draft, "check")["is_valid"]
    assert (
        person("contacts:read").post(f"/invoices/{draft['id']}/check", status=403).json["scope"]
        == "invoices:read"
    )


def test_an_invoice_that_was_sent_says_how_to_get_another_profile(organiser):
    invoice, _ = send(organiser, {}, {"postal_code": None})
    answer = xml_of(organiser, invoice, "?profile=xrechnung", status=409)
    assert answer["detail"].startswith(
        f"{invoice['invoice_number']} was sent without contact.postal_code, so"
    )
    assert answer["detail"].endswith(
        "cancel it, set `e_invoice_profile` of the contact to xrechnung and what is "
        "missing, and send a new one."
    )


def test_the_check_finds_a_due_date_before_the_issue_date(organiser):
    buyer = organiser.make("/contacts", BUYER)
    draft = organiser.make(
        "/invoices", {"contact_id": buyer["id"], "items": [STAND], "due_date": "2020-01-01"}
    )
    checked = act(organiser, draft, "check")
    assert (checked["is_valid"], [fault["field"] for fault in checked["faults"]]) == (
        False,
        ["due_date"],
    )
    assert (
        organiser.post(f"/invoices/{draft['id']}/send", status=422).json["errors"][0]["pointer"]
        == "/due_date"
    )


# Fields of seller and buyer on invoices of version 1.0
SELLER = (
    "name",
    "street",
    "postal_code",
    "city",
    "country",
    "email",
    "vat_id",
    "tax_number",
    "iban",
    "bic",
)
OLD_BUYER = (
    "name",
    "contact_name",
    "address",
    "postal_code",
    "city",
    "state",
    "country",
    "language",
    "vat_id",
    "customer_number",
    "email",
)


def test_invoices_of_version_1_0_match_the_description_of_the_api(organiser, db):
    """The client compares each response with /openapi.json."""
    new, _ = send(organiser, {}, {})
    with db.write():
        db.connection.execute("DELETE FROM e_invoices")
        db.connection.execute(
            "UPDATE invoices SET xml_sha256 = NULL, payment_reference = NULL, seller = ?, buyer = ?",
            [
                json.dumps({name: new["seller"][name] for name in SELLER}),
                json.dumps({name: new["buyer"][name] for name in OLD_BUYER}),
            ],
        )
    (old,) = organiser.data("/invoices")
    one = organiser.data(f"/invoices/{new['id']}")
    assert (one["seller"], one["buyer"]) == (old["seller"], old["buyer"])
    assert old["seller"] == {
        **new["seller"],
        "contact": None,
        "phone": None,
        "register_number": None,
        "electronic_address": None,
    }
    assert old["buyer"] == {
        **new["buyer"],
        "is_business": None,
        "leitweg_id": None,
        "gln": None,
        "electronic_address": None,
        "e_invoice_profile": None,
    }
    assert act(organiser, new, "cancel")["buyer"] == old["buyer"]
