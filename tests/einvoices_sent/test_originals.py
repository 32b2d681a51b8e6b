"""E-invoices of invoices: their content, what they require, how they are stored, returned, derived
and erased.
"""

import hashlib
import json
import re
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace
from decimal import Decimal

import pytest

from eventapi import journal
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.billing import sending
from eventapi.domain.einvoices import reading
from eventapi.domain.einvoices.rules import codes
from eventapi.domain.einvoices_sent import parties, store
from eventapi.domain.privacy import erasing
from eventapi.domain.upkeep import checks
from eventapi.validation.identifiers import companies
from tests.einvoices_sent.conftest import BUYER, STAND, act, xml_of
from tests.einvoices_sent.sums import RAM
from tests.pictures.test_invoice_pdf import texts

LEITWEG_ID = "991-33333TEST-33"
FREE = {"description": "x", "quantity": 1, "unit_price": 10}


def read(organiser, invoice, query=""):
    return reading.read(xml_of(organiser, invoice, query))


# Content


def test_the_document_contains_what_the_invoice_says(organiser, sent):
    invoice = sent(
        {**STAND, "quantity": 12.5, "unit": "m²", "unit_price": 185.5, "discount_percent": 10},
        {**STAND, "unit": "night", "description": "Hotel"},
        {
            **STAND,
            "quantity": -1,
            "unit_price": 50,
            "is_discount": True,
            "description": "Early booking",
        },
        service_date="2027-05-01",
        service_date_to="2027-05-03",
        buyer_reference="PO 4711",
        text="Thanks.",
    )
    found = read(organiser, invoice)
    assert (found.type_code, found.number, found.issue_date, found.due_date, found.currency) == (
        "380",
        invoice["invoice_number"],
        invoice["issue_date"],
        invoice["due_date"],
        "EUR",
    )
    assert (found.service_from, found.service_to, found.service_date) == (
        "2027-05-01",
        "2027-05-03",
        "2027-05-03",
    )
    assert (found.buyer_reference, found.notes, found.remittance) == (
        "PO 4711",
        ("Thanks.",),
        found.number,
    )
    assert (found.means_code, found.iban, found.bic, found.account_name) == (
        "58",
        "DE02120300000000202051",
        "BYLADEM1001",
        "Messe Test GmbH",
    )
    seller, buyer = found.seller, found.buyer
    assert (seller.name, seller.vat_id, seller.tax_number, seller.register_number, seller.id) == (
        "Messe Test GmbH",
        "DE136695976",
        "231/1/2",
        "HRB 4711",
        None,
    )
    assert (
        seller.contact_name,
        seller.contact_phone,
        seller.contact_email,
        seller.address,
        seller.address_scheme,
    ) == ("Accounts", "+49 341 1234", "office@messe.test", "office@messe.test", "EM")
    assert (
        buyer.name,
        buyer.contact_name,
        buyer.vat_id,
        buyer.address_scheme,
        buyer.address,
        buyer.id,
    ) == ("Muster AG", "Eva Muster", "ATU13585627", "9914", "ATU13585627", "C-00001")
    booth, hotel = found.lines
    # 12.5 × 185.50 = 2318.75; 10 % off is 2086.875, rounded half away from zero. The discount is
    # the difference.
    assert (booth.net, booth.discount, booth.discount_base, booth.discount_percent, booth.unit) == (
        Decimal("2086.88"),
        Decimal("231.87"),
        Decimal("2318.75"),
        Decimal(10),
        "MTK",
    )
    assert (hotel.name, hotel.unit, hotel.description) == ("Hotel", "C62", "Unit: night")
    (off,) = found.allowances
    assert (off.amount, off.reason, off.category, off.rate) == (50, "Early booking", "S", 19)
    # 2086.88 + 100 - 50 = 2136.88; 19 % of it is 406.0072
    totals = (
        found.line_total,
        found.allowance_total,
        found.net_total,
        found.tax_total,
        found.total,
        found.payable,
    )
    assert totals == tuple(
        map(Decimal, ("2186.88", "50", "2136.88", "406.01", "2542.89", "2542.89"))
    )


def test_a_long_description_is_a_name_and_a_description(organiser, sent):
    long = "Row booth in hall 3, " + "with carpet, power and water, " * 30
    first, second, short = read(
        organiser,
        sent({**STAND, "description": long}, {**STAND, "description": "Booth\nA12"}, STAND),
    ).lines
    assert (
        first.description,
        len(first.name) <= 102,
        long.startswith(first.name.removesuffix(" …")),
    ) == (long.strip(), True, True)
    assert (second.name, second.description) == ("Booth", "Booth\nA12")
    assert (short.name, short.description) == ("Row stand", None)


def test_the_lines_of_an_address_are_terms_of_their_own(organiser, buyer, sent):
    for address, expected in (
        ("Weg 1", ("Weg 1", None, None)),
        ("c/o Meier\nWeg 1\r\n\n", ("c/o Meier", "Weg 1", None)),
        ("a\nb\nc\nd", ("a", "b", "c, d")),
    ):
        organiser.patch(f"/contacts/{buyer['id']}", {"address": address}, status=200)
        found = read(organiser, sent()).buyer
        assert (found.street, found.street_2, found.street_3) == expected


ADDRESSES = [
    ({"electronic_address": "0088:4012345000009"}, ("0088", "4012345000009")),
    ({"leitweg_id": LEITWEG_ID}, ("0204", LEITWEG_ID)),
    ({"gln": "4012345000009"}, ("0088", "4012345000009")),
    ({}, ("9914", "ATU13585627")),
    ({"tax_id": "123/456"}, ("EM", "office@muster.example")),
    ({"tax_id": None, "email": None}, (None, None)),
]


@pytest.mark.parametrize("fields, expected", ADDRESSES)
def test_the_electronic_address_is_the_given_one_or_the_best_known(
    organiser, buyer, sent, fields, expected
):
    organiser.put(f"/contacts/{buyer['id']}", {**BUYER, **fields}, status=200)
    found = read(organiser, sent()).buyer
    assert (found.address_scheme, found.address) == expected


def test_schemes_of_vat_ids_are_codes_of_the_list():
    assert set(parties.VAT_SCHEMES.values()) <= codes.ADDRESS_SCHEMES


def test_a_national_tax_number_is_no_vat_id_of_the_buyer(organiser, buyer, sent):
    organiser.patch(f"/contacts/{buyer['id']}", {"tax_id": "09 123/4567"}, status=200)
    assert read(organiser, sent()).buyer.vat_id is None
    organiser.patch(f"/contacts/{buyer['id']}", {"tax_id": None}, status=200)
    # of an earlier version, unchecked
    assert companies.vat_id_by_format("ATU12345678") == "ATU12345678"


def test_a_seller_with_a_tax_number_only_can_send(organiser, settings, sent):
    settings.organiser_vat_id = settings.organiser_register_number = ""
    seller = read(organiser, sent()).seller
    assert (seller.id, seller.vat_id, seller.tax_number, seller.register_number) == (
        "231/1/2",
        None,
        "231/1/2",
        None,
    )


def test_an_invoice_that_is_not_subject_to_vat_contains_no_vat_id(organiser, settings, sent):
    settings.organiser_register_number = settings.organiser_tax_number = ""
    found = read(organiser, sent({**FREE, "tax_category": "O"}))
    assert (found.seller.vat_id, found.buyer.vat_id, found.seller.id) == (None, None, "DE136695976")
    assert (found.lines[0].rate, found.taxes[0].rate, found.taxes[0].reason_code) == (
        None,
        0,
        "VATEX-EU-O",
    )


def test_an_intra_community_supply_names_the_place(organiser, sent):
    found = read(organiser, sent({**FREE, "tax_category": "K"}))
    assert (
        found.deliver_to_country,
        found.service_date,
        found.taxes[0].reason_code,
        found.taxes[0].reason,
    ) == ("AT", found.issue_date, "VATEX-EU-IC", "Intra-Community supply, exempt from VAT")


def test_payment_to_another_currency_or_without_valid_account(organiser, settings, sent):
    settings.exchange_rates = {"CHF": Decimal("1.0637")}
    found = read(organiser, sent(currency="CHF"))
    # 19.00 CHF × 1.0637 = 20.2103
    assert (found.means_code, found.tax_currency, found.tax_total_in_tax_currency) == (
        "30",
        "EUR",
        Decimal("20.21"),
    )
    settings.organiser_iban = settings.organiser_bic = ""
    found = read(
        organiser,
        sent(
            {**STAND, "tax_rate": 0, "tax_category": "E", "exemption_reason": "Lecture"},
            currency="USD",
        ),
    )
    assert (found.means_code, found.iban) == ("1", None)
    assert (found.tax_currency, found.tax_total_in_tax_currency) == (None, None)


@pytest.mark.parametrize("field", ["description", "text", "address", "organiser_name"])
def test_no_control_character_gets_into_the_document(organiser, settings, field):
    """Texts of several lines accept control characters; texts of one line do not."""
    wild = "A\x01B\x0bC\ufffe & <x> ]]>"
    contact = organiser.make("/contacts", {**BUYER, **({field: wild} if field in BUYER else {})})
    body = {"contact_id": contact["id"], "items": [STAND]}
    for name in ("buyer_reference", "unit"):
        wrong = (
            {**body, "items": [{**STAND, "unit": wild}]} if name == "unit" else {**body, name: wild}
        )
        organiser.post("/invoices", wrong, status=422)
    if field == "organiser_name":
        settings.organiser_name = wild
    item = {**STAND, **({field: wild} if field == "description" else {})}
    draft = organiser.make(
        "/invoices", {**body, "items": [item], **({field: wild} if field == "text" else {})}
    )
    xml = xml_of(organiser, act(organiser, draft, "send"))
    text = "".join(ET.fromstring(xml).itertext())
    assert (
        "ABC" in text
        and "<x> ]]>" in text
        and not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe]", text)
    )


def test_a_description_of_control_characters_alone_is_refused(organiser, draft):
    answer = act(organiser, draft({**STAND, "description": "\x01\x02"}), "send", status=409)
    assert (answer["code"], answer["missing"]) == ("invoice_incomplete", ["items"])


def test_a_draft_of_an_earlier_version_gets_the_codes_of_its_categories(organiser, db, draft):
    invoice = draft(
        {**FREE, "tax_category": "K"}, {**FREE, "tax_category": "E", "exemption_reason": "Lecture"}
    )
    with db.write():
        db.connection.execute("UPDATE invoice_items SET exemption_code = NULL")
        db.connection.execute("UPDATE invoice_taxes SET reason_code = NULL")
    found = read(organiser, act(organiser, invoice, "send"))
    assert [(tax.category, tax.reason_code) for tax in found.taxes] == [
        ("E", None),
        ("K", "VATEX-EU-IC"),
    ]


# Credit notes


def test_a_credit_note_has_type_381_and_positive_amounts(organiser, sent):
    invoice = sent(
        {**STAND, "quantity": 3, "discount_percent": 10},
        {**STAND, "quantity": -1, "unit_price": 20, "is_discount": True},
    )
    part = act(
        organiser, invoice, "credit", {"items": [{**STAND, "description": "One less"}]}, status=201
    )
    cancelled = act(organiser, sent(STAND), "cancel", {"reason": "Ordered twice"})
    whole = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    for note, credited, total in ((part, invoice, "119"), (whole, cancelled, "119")):
        found = read(organiser, note)
        assert (found.type_code, found.total, found.payable, found.lines[0].quantity) == (
            "381",
            Decimal(total),
            Decimal(total),
            1,
        )
        assert found.preceding == ((credited["invoice_number"], credited["issue_date"]),)
        assert (found.due_date, found.means_code, found.iban) == (None, "1", None)
        number = credited["invoice_number"]
        assert (
            found.terms
            == f"We will offset EUR 119.00 against invoice {number} or refund it to you."
        )
        assert note["total"] == -119
        assert b"<CreditNote " in xml_of(organiser, note, "?syntax=ubl")
    assert read(organiser, whole).notes == ("Reason: Ordered twice",)


def test_a_credit_note_takes_a_discount_back(organiser, sent):
    invoice = sent(
        {**STAND, "quantity": 3}, {**STAND, "quantity": -1, "unit_price": 20, "is_discount": True}
    )
    note = act(organiser, invoice, "cancel")["related_invoice_id"]
    found = read(organiser, {"id": note})
    assert (found.line_total, found.allowance_total, found.net_total) == (300, 20, 280)
    assert (found.allowances[0].amount, found.lines[0].quantity) == (20, 3)


def test_a_credit_note_of_an_invoice_without_e_invoice_is_sent_whatever_its_buyer_lacks(
    organiser, db, sent
):
    invoice = sent({**FREE, "tax_category": "K"})
    with db.write():  # as an earlier version has sent it: any text as VAT id
        db.connection.execute("DELETE FROM e_invoices")
        db.connection.execute(
            "UPDATE invoices SET xml_sha256 = NULL, buyer = json_set(buyer, '$.vat_id', '123/456')"
        )
    cancelled = act(organiser, invoice, "cancel")
    note = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    assert (cancelled["status"], note["xml_sha256"]) == ("cancelled", None)
    assert [line for line in checks.findings(db) if line[0] == "e-invoices"] == []


# Requirements


def test_xrechnung_names_everything_that_is_missing(organiser, settings, draft):
    settings.organiser_contact = settings.organiser_phone = settings.organiser_email = ""
    settings.organiser_postal_code = ""
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Stadt X",
            "address": "Markt 1",
            "city": "X",
            "e_invoice_profile": "xrechnung",
        },
    )
    invoice = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    answer = act(organiser, invoice, "send", status=409)
    expected = {
        "contact.postal_code",
        "contact.electronic_address or email",
        "organiser_contact",
        "organiser_phone",
        "organiser_email",
        "organiser_postal_code",
        "organiser_electronic_address or organiser_email",
    }
    assert (answer["code"], set(answer["missing"])) == ("invoice_incomplete", expected)
    checked = act(organiser, invoice, "check")
    assert (checked["is_valid"], checked["profile"]) == (False, "xrechnung")
    assert {fault["field"] for fault in checked["faults"]} == expected
    assert {fault["rule"] for fault in checked["faults"]} >= {"BR-DE-9", "BR-DE-4"}
    checked = act(organiser, invoice, "check", {"profile": "en16931"})
    codes = [warning["code"] for warning in checked.pop("warnings")]
    assert codes == ["no_service_date", "no_postal_code"]
    assert checked == {
        "is_valid": True,
        "has_e_invoice": True,
        "profile": "en16931",
        "tax": {"treatment": "standard", "suggested": "standard", "because": "home"},
        "faults": [],
    }
    assert organiser.data(f"/invoices/{invoice['id']}")["status"] == "draft"
    assert organiser.data("/invoices/numbering") == []


def test_a_leitweg_id_is_reference_and_address(organiser):
    contact = organiser.make(
        "/contacts",
        {
            **BUYER,
            "country": "DE",
            "tax_id": None,
            "leitweg_id": LEITWEG_ID,
            "e_invoice_profile": "xrechnung",
        },
    )
    invoice = act(
        organiser,
        organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]}),
        "send",
    )
    found = read(organiser, invoice, "?profile=xrechnung")
    assert (found.buyer_reference, found.buyer.address, found.buyer.address_scheme) == (
        LEITWEG_ID,
        LEITWEG_ID,
        "0204",
    )


def test_missing_fields_of_law_and_norm_are_named_together(organiser, settings):
    contact = organiser.make(
        "/contacts", {"last_name": "x", "e_invoice_profile": "xrechnung", "email": "x@y.example"}
    )
    invoice = organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
    settings.organiser_city = ""
    missing = act(organiser, invoice, "send", status=409)["missing"]
    assert missing[:3] == ["organiser_city", "contact.address", "contact.city"]
    assert set(missing[3:]) == {"contact.postal_code"}
    faults = act(organiser, invoice, "check")["faults"]
    assert [fault["field"] for fault in faults[:3]] == missing[:3] and faults[0]["rule"] is None


def test_a_draft_is_checked_as_it_would_be_sent(organiser, buyer, db, settings, draft):
    supply = draft({**FREE, "tax_category": "K"})
    settings.organiser_vat_id = ""
    assert [
        (fault["rule"], fault["field"]) for fault in act(organiser, supply, "check")["faults"]
    ] == [("BR-IC-02", "organiser_vat_id")]
    foreign = draft(currency="CHF")
    checked = act(organiser, foreign, "check")
    assert (checked["is_valid"], [found["field"] for found in checked["faults"]]) == (
        False,
        ["exchange_rate"],
    )
    assert act(organiser, foreign, "send", status=409)["missing"] == ["exchange_rate"]
    organiser.patch(f"/invoices/{foreign['id']}", {"exchange_rate": 1.06}, status=200)
    assert act(organiser, foreign, "check")["is_valid"]
    before = db.connection.total_changes
    act(organiser, foreign, "check")
    assert db.connection.total_changes == before


@pytest.mark.parametrize(
    ("items", "fields", "is_possible"),
    [
        ([{**STAND, "unit_price": 210.08}], {}, True),  # 249.995 with 19 % tax, rounded to 250.00
        ([{**STAND, "unit_price": 210.09}], {}, False),  # 250.01
        ([{**FREE, "tax_category": "E", "exemption_reason": "Lecture"}], {}, False),
        ([STAND], {"currency": "CHF", "exchange_rate": 1}, False),
    ],
)
def test_a_small_invoice_needs_no_address(organiser, settings, items, fields, is_possible):
    """Section 33 UStDV: a total of at most 250 EUR, and tax in Germany."""
    nobody = organiser.make("/contacts", {"last_name": "Rose"})

    def send(status):
        draft = organiser.make("/invoices", {"contact_id": nobody["id"], "items": items, **fields})
        return organiser.post(f"/invoices/{draft['id']}/send", status=status).json

    if is_possible:
        assert send(200)["data"]["total"] == 250
        settings.organiser_country, settings.organiser_vat_id = "AT", "ATU13585627"
    assert send(409)["missing"][:2] == ["contact.address", "contact.city"]


def test_the_check_of_a_sent_invoice_reads_its_original(organiser, settings, buyer, sent):
    invoice = sent(buyer_reference="PO 1")
    settings.organiser_contact = ""
    organiser.patch(f"/contacts/{buyer['id']}", {"postal_code": None}, status=200)
    assert act(organiser, invoice, "check", {"profile": "xrechnung"})["is_valid"]


def test_a_check_needs_no_write_lock_and_can_be_repeated(organiser, db, draft):
    invoice = draft()
    with db.write():
        assert act(organiser, invoice, "check")["is_valid"]
    for _ in "ab":
        answer = organiser.post(
            f"/invoices/{invoice['id']}/check", headers={"Idempotency-Key": "same"}, status=200
        )
        assert "Idempotency-Replayed" not in answer.headers


# The original


def test_the_original_is_returned_as_it_was_stored(organiser, db, buyer, sent, settings):
    invoice = sent()
    answer = organiser.get(f"/invoices/{invoice['id']}/xml", status=200)
    assert (
        hashlib.sha256(answer.body).hexdigest() == invoice["xml_sha256"]
        and answer.content_type == "application/xml"
    )
    assert answer.headers["ETag"] == f'"{invoice["xml_sha256"]}"'
    assert (
        answer.headers["Content-Disposition"]
        == f'attachment; filename="{invoice["invoice_number"]}.xml"'
    )
    organiser.patch(f"/contacts/{buyer['id']}", {"company_name": "Neu AG"}, status=200)
    settings.organiser_name = "Other"
    organiser.patch(
        f"/invoices/{invoice['id']}", {"due_date": "2099-01-01", "notes": "x"}, status=200
    )
    organiser.make(
        "/payments",
        {"invoice_number": invoice["invoice_number"], "amount": 10, "status": "completed"},
    )
    act(
        organiser,
        organiser.data(f"/invoices/{invoice['id']}"),
        "credit",
        {"items": [{**STAND, "quantity": 0.1}]},
        201,
    )
    assert xml_of(organiser, invoice) == answer.body
    again = organiser.get(
        f"/invoices/{invoice['id']}/xml", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert again.status_int == 304
    assert checks.findings(db) == []


@pytest.mark.parametrize(
    "query, name, root",
    [
        ("?profile=xrechnung", "-xrechnung", "CrossIndustryInvoice"),
        ("?syntax=ubl", "-ubl", "Invoice"),
        ("?profile=peppol&syntax=ubl", "-peppol-ubl", "Invoice"),
        ("?profile=en16931&syntax=cii", "", "CrossIndustryInvoice"),
    ],
)
def test_other_profiles_and_ubl_differ_in_two_terms_alone(
    organiser, settings, sent, query, name, root
):
    settings.organiser_electronic_address = "0088:4012345000009"
    invoice = sent(
        {**STAND, "discount_percent": 5, "unit": "m²"},
        {**STAND, "tax_rate": 7},
        buyer_reference="PO 1",
        service_date="2027-05-01",
        service_date_to="2027-05-03",
    )
    answer = organiser.get(f"/invoices/{invoice['id']}/xml{query}", status=200)
    assert answer.headers["Content-Disposition"].endswith(f'{invoice["invoice_number"]}{name}.xml"')
    assert ET.fromstring(answer.body).tag.endswith("}" + root)
    original, found = read(organiser, invoice), reading.read(answer.body)
    assert replace(found, profile=original.profile, process=original.process) == original


def test_the_original_is_returned_without_reading_it(organiser, sent, monkeypatch):
    """Reading and writing a long invoice again would cost more than the rest of the request."""
    invoice = sent()
    expected = xml_of(organiser, invoice)

    def refuse(data):
        raise AssertionError("the original was parsed")

    monkeypatch.setattr(store.reading, "read", refuse)
    assert (
        xml_of(organiser, invoice)
        == xml_of(organiser, invoice, "?profile=en16931&syntax=cii")
        == expected
    )


@pytest.mark.parametrize(
    "category, language, expected",
    [
        ("AE", "de", "Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge)"),
        ("AE", "en", "Reverse charge: the customer is liable for the VAT"),
        ("K", "de", "Steuerfreie innergemeinschaftliche Lieferung"),
        ("G", "de", "Steuerfreie Ausfuhr in ein Drittland"),
        ("O", "de", "Nicht steuerbar: Der Ort der Leistung liegt im Ausland (§ 3a Abs. 2 UStG)"),
    ],
)
def test_the_reason_without_tax_is_said_in_the_language_of_the_invoice(
    organiser, sent, category, language, expected
):
    """§ 14a (5) UStG prescribes the German words of reverse charge.

    The original is the XML, not the PDF.
    """
    item = {**STAND, "tax_rate": 0, "tax_category": category}
    with_reason = f"{expected.partition(': Der Ort')[0]}: § 1 UStG"
    for reason, text in ((None, expected), ("§ 1 UStG", with_reason)):
        invoice = sent({**item, "exemption_reason": reason}, language=language)
        (tax,) = read(organiser, invoice).taxes
        assert (tax.category, tax.reason, tax.reason_code is None) == (category, text, False)
        note = organiser.data(
            f"/invoices/{act(organiser, invoice, 'cancel')['related_invoice_id']}"
        )
        assert read(organiser, note).taxes[0].reason == text
        printed = " ".join(texts(organiser.get(f"/invoices/{invoice['id']}/pdf", status=200).body))
        assert text in " ".join(printed.split())


def test_the_hash_is_in_the_audit_entry_of_sending(organiser, db, sent):
    invoice = sent()
    entries = db.connection.execute(
        "SELECT new_values FROM audit_log WHERE action = 'sent'"
    ).fetchall()
    assert [json.loads(values)["xml_sha256"] for (values,) in entries] == [invoice["xml_sha256"]]
    note = act(organiser, invoice, "credit", {"items": [STAND]}, status=201)
    (created,) = db.connection.execute(
        "SELECT new_values FROM audit_log WHERE entity_id = ? AND entity_type = 'invoice'",
        [note["id"]],
    ).fetchone()
    assert json.loads(created)["xml_sha256"] == note["xml_sha256"] and not journal.verify(db)


def test_equal_documents_have_equal_bytes(organiser, db, sent):
    invoice = sent()
    (stored,) = db.connection.execute("SELECT document FROM e_invoices").fetchone()
    xml = zlib.decompress(stored)
    assert store.WRITERS["cii"](reading.read(xml)) == xml == xml_of(organiser, invoice)


def test_invoices_without_original_say_why(organiser, db, buyer, draft, sent):
    old = organiser.make(
        "/invoices",
        {
            "contact_id": buyer["id"],
            "items": [STAND],
            "invoice_number": "OLD 1",
            "issue_date": "2019-12-02",
        },
    )
    old, dinar, earlier = act(organiser, old, "send"), sent(currency="KWD", exchange_rate=3), sent()
    with db.write():
        db.connection.execute("DELETE FROM e_invoices WHERE invoice_id = ?", [earlier["id"]])
        db.connection.execute("UPDATE invoices SET xml_sha256 = NULL WHERE id = ?", [earlier["id"]])
    for invoice, reason in (
        (draft(), "is a draft"),
        (old, "another system"),
        (dinar, "decimals"),
        (earlier, "earlier version"),
    ):
        answer = xml_of(organiser, invoice, status=409)
        assert answer["code"] == "no_e_invoice" and reason in answer["detail"]
    assert act(organiser, earlier, "check")["is_valid"] and act(organiser, old, "check", status=409)
    strict = organiser.make("/contacts", {**BUYER, "e_invoice_profile": "peppol"})
    dinars = organiser.make(
        "/invoices", {"contact_id": strict["id"], "items": [STAND], "currency": "KWD"}
    )
    assert act(organiser, dinars, "send", status=409)["code"] == "no_e_invoice"


def test_an_original_that_lacks_what_xrechnung_requires_is_not_returned_as_one(
    organiser, buyer, sent
):
    organiser.patch(f"/contacts/{buyer['id']}", {"postal_code": None}, status=200)
    answer = xml_of(organiser, sent(), "?profile=xrechnung", status=409)
    assert (answer["code"], answer["missing"]) == ("invoice_incomplete", ["contact.postal_code"])


def test_the_original_is_erased_with_the_buyer(organiser, db, buyer, sent):
    invoice = sent()
    organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
    assert b"Muster AG" in xml_of(organiser, invoice)  # the law requires to keep it
    with db.write():
        db.connection.execute("UPDATE invoices SET issue_date = '2001-02-03'")
        db.connection.execute("UPDATE anonymizations SET kept_until = '2009-12-31'")
    assert erasing.end_retention(db) == 1
    assert xml_of(organiser, invoice, status=409)["code"] == "anonymized"
    assert db.connection.execute("SELECT count(*) FROM e_invoices").fetchone() == (0,)
    assert db.connection.execute("SELECT debtor_number FROM invoices").fetchone() == ("C-00001",)
    assert [line for line in checks.findings(db) if line[0] == "e-invoices"] == []


@pytest.mark.parametrize(
    "change, finding",
    [
        ("DELETE FROM e_invoices", "its e-invoice is missing"),
        ("UPDATE e_invoices SET document = x'00'", "its e-invoice is damaged"),
        ("UPDATE e_invoices SET sha256 = 'x'", "its e-invoice has changed since it was sent"),
        ("UPDATE invoices SET xml_sha256 = 'x'", "its e-invoice has changed since it was sent"),
        (
            "UPDATE invoices SET total = total + 1",
            "its e-invoice says total 119.00, but the invoice 119.01",
        ),
        ("UPDATE invoices SET issue_date = '2020-01-01'", "its e-invoice says date"),
    ],
)
def test_eventapi_check_finds_an_original_that_was_changed(db, sent, change, finding):
    sent()
    with db.write():
        db.connection.execute(change)
    found = [line for name, line in checks.findings(db) if name == "e-invoices"]
    assert len(found) == 1 and finding in found[0]


def test_a_pdf_that_version_1_0_has_left_to_the_worker_is_drawn(organiser, db, sent):
    invoice = sent()
    (source,) = db.connection.execute("SELECT pdf_source FROM invoices").fetchone()
    row = json.loads(source)
    for name in (
        "prepaid_amount",
        "exchange_rate",
        "xml_sha256",
        "payment_reference",
        "disputed_at",
    ):
        row.pop(name, None)
    for item in row["items"]:
        del item["is_discount"], item["exemption_code"]
    for tax in row["taxes"]:
        del tax["reason_code"]
    with db.write():  # as it was before the upgrade
        db.connection.execute("DELETE FROM e_invoices")
        db.connection.execute(
            "UPDATE invoices SET pdf_source = ?, xml_sha256 = NULL", [json.dumps(row)]
        )
    drawn = organiser.get(f"/invoices/{invoice['id']}/pdf", status=200).body
    invoice_pdf.store(db, invoice["id"])
    assert organiser.get(f"/invoices/{invoice['id']}/pdf", status=200).body == drawn
    assert invoice["invoice_number"] in "".join(texts(drawn))


def test_eventapi_check_finds_an_original_that_was_replaced_with_its_hashes(db, sent):
    first, _ = sent(), sent()
    stored, sha256 = db.connection.execute(
        "SELECT document, sha256 FROM e_invoices WHERE invoice_id = ?", [first["id"]]
    ).fetchone()
    forged = zlib.compress(zlib.decompress(stored).replace(b"Muster AG", b"Nobody AG"))
    digest = hashlib.sha256(zlib.decompress(forged)).hexdigest()
    with db.write():
        db.connection.execute(
            "UPDATE e_invoices SET document = ?, sha256 = ? WHERE invoice_id = ?",
            [forged, digest, first["id"]],
        )
        db.connection.execute(
            "UPDATE invoices SET xml_sha256 = ? WHERE id = ?", [digest, first["id"]]
        )
    found = [line for name, line in checks.findings(db) if name == "e-invoices"]
    assert found == [
        f"{first['invoice_number']}: its e-invoice was replaced: the hash is {digest}, but {sha256} in "
        "the audit entry of sending"
    ]


# Payments before the invoice


def test_payments_before_the_invoice_are_deducted(organiser, db, sent):
    invoice = sent(
        body={
            "payments": [
                {
                    "amount": 50,
                    "payment_date": "2026-01-02",
                    "gateway_key": "bank",
                    "transaction_id": "1",
                    "notes": "deposit",
                },
                {"amount": 9.5},
            ]
        }
    )
    assert (
        invoice["prepaid_amount"],
        invoice["paid_amount"],
        invoice["open_amount"],
        invoice["status"],
    ) == (59.5, 59.5, 59.5, "partially_paid")
    found = read(organiser, invoice)
    assert (found.total, found.prepaid, found.payable) == (119, Decimal("59.5"), Decimal("59.5"))
    payment, other = organiser.data(f"/invoices/{invoice['id']}?include=payments")["payments"]
    assert (
        payment["amount"],
        payment["payment_date"],
        payment["transaction_id"],
        payment["notes"],
    ) == (50, "2026-01-02", "1", "deposit")
    assert (other["amount"], other["status"]) == (9.5, "completed")
    pdf = organiser.get(f"/invoices/{invoice['id']}/pdf").body
    organiser.make(
        "/payments",
        {"invoice_number": invoice["invoice_number"], "amount": 59.5, "status": "completed"},
    )
    assert organiser.get(f"/invoices/{invoice['id']}/pdf").body == pdf
    shown = "".join(texts(pdf))
    assert "Already paid" in shown and "59.50" in shown and not journal.verify(db)
    copy = "".join(texts(organiser.get(f"/invoices/{invoice['id']}/pdf?language=de").body))
    assert "59,50" in copy and checks.findings(db) == []


def test_payments_of_an_invoice_that_was_sent_before_are_refused(organiser, sent):
    invoice = sent()
    answer = act(organiser, invoice, "send", {"payments": [{"amount": 50}]}, status=409)
    assert (
        answer["code"] == "invalid_transition"
        and "Record each of them with POST /payments" in answer["detail"]
    )
    assert act(organiser, invoice, "send")["paid_amount"] == 0


def test_an_invoice_that_was_paid_before_is_paid_once_it_is_sent(organiser, db, draft):
    invoice = act(organiser, draft(), "send", {"payments": [{"amount": 119}]})
    assert (invoice["status"], invoice["open_amount"]) == ("paid", 0)
    actions = [
        action
        for (action,) in db.connection.execute(
            "SELECT action FROM audit_log WHERE entity_type IN ('invoice', 'payment') ORDER BY id"
        )
    ]
    assert actions == ["created", "sent", "created", "paid"]


def test_more_than_the_total_cannot_be_paid_before(organiser, draft):
    """The e-invoice would ask for a negative amount."""
    invoice = draft()
    body = {"payments": [{"amount": 100}, {"amount": 19.01}]}
    (fault,) = organiser.post(f"/invoices/{invoice['id']}/send", body, status=422).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("/payments", "maximum")
    assert "must total at most 119" in fault["detail"]


def test_faults_of_payments_before_the_invoice_send_nothing(organiser, db, draft, sent):
    first = sent(body={"payments": [{"amount": 1, "gateway_key": "bank", "transaction_id": "1"}]})
    invoice = draft()
    answer = organiser.post(
        f"/invoices/{invoice['id']}/send",
        {"payments": [{"amount": 1.005}, {"amount": 1, "payment_date": "2099-01-01"}]},
        status=422,
    ).json
    assert [(fault["pointer"], fault["code"]) for fault in answer["errors"]] == [
        ("/payments/0/amount", "decimals"),
        ("/payments/1/payment_date", "future"),
    ]
    again = {
        "payments": [{"amount": 5}, {"amount": 1, "gateway_key": "bank", "transaction_id": "1"}]
    }
    assert act(organiser, invoice, "send", again, status=409)["code"] == "duplicate"
    assert organiser.data(f"/invoices/{invoice['id']}")["status"] == "draft"
    assert len(organiser.data("/payments")) == 1 and checks.findings(db) == []
    following = act(organiser, invoice, "send")
    assert int(following["invoice_number"][-5:]) == int(first["invoice_number"][-5:]) + 1


def test_the_namespace_of_amounts_is_that_of_the_norm(organiser, sent):
    assert (
        ET.fromstring(xml_of(organiser, sent())).find(f".//{RAM}GrandTotalAmount").text == "119.00"
    )


def test_number_e_invoice_and_audit_entry_are_written_together_or_not_at_all(
    organiser, db, draft, monkeypatch
):
    invoice = draft()
    with monkeypatch.context() as patched:
        patched.setattr(sending.pdf, "freeze", lambda *_: 1 / 0)  # after the e-invoice was stored
        organiser.post(f"/invoices/{invoice['id']}/send", {"payments": [{"amount": 5}]}, status=500)
    for table in ("e_invoices", "payments"):
        assert db.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert organiser.data(f"/invoices/{invoice['id']}") == invoice
    assert act(organiser, invoice, "send")["invoice_number"].endswith(
        "-00001"
    ) and not journal.verify(db)
