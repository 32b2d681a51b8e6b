"""Who sells and who buys in a received e-invoice, and the warnings that follow from it."""

from types import SimpleNamespace

import pytest

from eventapi.domain.attachments import own_party
from eventapi.domain.einvoices import cii, ubl
from tests.resources.test_unchecked_e_invoices import supplier, upload
from tests.support.einvoice_mutations import taxed, with_buyer, with_seller

__all__ = ("supplier",)


def with_trading_name(**terms):
    """Return an invoice in UBL whose seller has a trading name alone."""
    content = ubl.write(with_seller(taxed(**terms), name=None, vat_id=None))
    trading = b"<cac:PartyName><cbc:Name>Zeltverleih</cbc:Name></cac:PartyName>"
    place = content.index(b"<cac:PostalAddress>")
    return content[:place] + trading + content[place:]


def test_an_invoice_of_a_seller_with_a_trading_name_alone_that_comes_twice_is_a_warning(
    organiser, supplier
):
    found, first = upload(organiser, supplier, with_trading_name())
    assert found["seller"]["name"] == "Zeltverleih" and "received_before" not in first
    _, again = upload(organiser, supplier, with_trading_name())
    assert "is an e-invoice of Zeltverleih with the same number" in again["received_before"]
    _, other = upload(organiser, supplier, with_trading_name(number="OTHER"))
    assert "received_before" not in other


def test_an_invoice_of_a_seller_without_a_name_that_comes_twice_names_its_vat_id(
    organiser, supplier
):
    content = ubl.write(with_seller(taxed(), name=None))
    upload(organiser, supplier, content)
    _, again = upload(organiser, supplier, content)
    assert "is an e-invoice of DE136695976 with the same number" in again["received_before"]


OURS = {"name": "Messe Test GmbH", "vat_id": "DE136695976"}  # the organiser of the tests
SUPPLIER = {"name": "Zeltverleih GmbH", "vat_id": "DE123456788", "tax_number": None}


def warned(organiser, supplier, seller, buyer, **terms):
    """Return the warnings about the parties of an invoice, {code: detail}."""
    document = with_buyer(with_seller(taxed(**terms), **{**SUPPLIER, **seller}), **buyer)
    _, warnings = upload(organiser, supplier, cii.write(document))
    return {code: warnings[code] for code in ("own_invoice", "other_buyer") if code in warnings}


@pytest.mark.parametrize(
    "buyer",
    [
        OURS,
        {"name": "Messe Test GmbH", "vat_id": None},
        {"name": "MESSE  TEST G.m.b.H.", "vat_id": None},
        {"name": "Messe Test", "vat_id": None},
        {"name": "Messe Test GmbH, Buchhaltung", "vat_id": None},
        {"name": "Messe Test GmbH", "vat_id": "ATU13585627"},
        {"name": "Messegesellschaft", "vat_id": "DE 136 695 976"},
        {"name": None, "vat_id": None},
    ],
)
def test_an_invoice_for_the_organiser_has_no_warning(organiser, supplier, buyer):
    assert warned(organiser, supplier, {}, buyer) == {}


@pytest.mark.parametrize(
    ("buyer", "shown"),
    [
        (
            {"name": "Andere Messe GmbH", "vat_id": "DE811907980"},
            "Andere Messe GmbH with the VAT id DE811907980",
        ),
        (
            {"name": "Messe Test GmbH", "vat_id": "DE811907980"},
            "Messe Test GmbH with the VAT id DE811907980",
        ),
        ({"name": "Andere Messe GmbH", "vat_id": None}, "Andere Messe GmbH"),
        ({"name": "Messe Test AG", "vat_id": None}, "Messe Test AG"),
        ({"name": "Messe Test GmbH & Co. KG", "vat_id": None}, "Messe Test GmbH & Co. KG"),
        ({"name": "Messe Test Service GmbH", "vat_id": None}, "Messe Test Service GmbH"),
        ({"name": None, "vat_id": "DE811907980"}, "DE811907980"),
    ],
)
def test_an_invoice_for_somebody_else_is_stored_with_a_warning(organiser, supplier, buyer, shown):
    warnings = warned(organiser, supplier, {}, buyer)
    assert [*warnings] == ["other_buyer"]
    ours = "Messe Test GmbH with the VAT id DE136695976"
    assert f"buyer of this invoice is {shown}, and not {ours}." in warnings["other_buyer"]


@pytest.mark.parametrize(
    "seller",
    [
        OURS,
        {"name": "Messe Test GmbH", "vat_id": None},
        {"name": "Something else", "vat_id": "de136695976"},
        {"name": "Something else", "vat_id": None, "tax_number": "231/1/2"},
    ],
)
def test_ones_own_invoice_is_stored_with_a_warning(organiser, supplier, seller):
    warnings = warned(organiser, supplier, seller, {})
    assert [*warnings] == ["own_invoice"], "the buyer is somebody else in each of them"
    assert seller["name"] in warnings["own_invoice"]


def test_a_supplier_with_a_similar_name_and_another_vat_id_is_not_the_organiser(
    organiser, supplier
):
    seller = {"name": "Messe Test", "vat_id": "DE811907980"}
    assert warned(organiser, supplier, seller, OURS) == {}


def test_an_invoice_that_the_customer_has_written_is_none_of_ones_own(organiser, supplier):
    """A Gutschrift of § 14 (2) UStG: type 389, and the organiser is its seller."""
    assert warned(organiser, supplier, OURS, {}, type_code="389") == {}
    assert [*warned(organiser, supplier, {}, {}, type_code="389")] == ["other_buyer"]


def test_an_invoice_that_eventapi_has_sent_is_ones_own(organiser, supplier):
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": supplier["id"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100}],
        },
    )
    address = {"address": "Werkweg 3", "city": "Leipzig", "country": "DE", "postal_code": "04177"}
    organiser.patch(f"/contacts/{supplier['id']}", address, status=200)
    organiser.post(f"/invoices/{invoice['id']}/send", {}, status=200)
    xml = organiser.get(f"/invoices/{invoice['id']}/xml", status=200).body
    _, warnings = upload(organiser, supplier, xml)
    assert "own_invoice" in warnings


@pytest.mark.parametrize(
    ("ours", "theirs", "is_same"),
    [
        ("Müller & Söhne GmbH", "Mueller und Soehne GmbH", True),
        ("Müller & Söhne GmbH", "MÜLLER&SÖHNE GMBH", True),
        ("Gartenverein Lindenau e.V.", "Gartenverein Lindenau eV", True),
        ("Gartenverein Lindenau e. V.", "Gartenverein Lindenau", True),
        ("Messe Beispiel UG (haftungsbeschränkt)", "Messe Beispiel UG", True),
        ("Messe Beispiel", "Messe Beispiel GmbH", True),
        ("Messe Beispiel", "Messe Beispiel Service", False),
        ("Messe Beispiel GmbH", "Beispiel Messe GmbH", False),
        ("GmbH", "AG", False),
        ("&", "&", False),
        ("Messe", "…", False),
    ],
)
def test_names_of_one_company_may_be_spelled_differently(ours, theirs, is_same):
    assert own_party.is_same_name(ours, theirs) == is_same
    assert own_party.is_same_name(ours.upper(), theirs) == is_same


def test_an_organiser_without_name_and_vat_id_gets_no_such_warning():
    unknown = SimpleNamespace(organiser_name="", organiser_vat_id="", organiser_tax_number="")
    assert own_party.is_organiser(unknown, {**SUPPLIER}) is None
    only_number = SimpleNamespace(**{**vars(unknown), "organiser_vat_id": "CHE123456789MWST"})
    assert own_party.is_organiser(only_number, {"name": "A", "vat_id": None}) is None
    assert own_party.is_organiser(only_number, {"name": "A", "vat_id": "CHE-123.456.789"}) is True
    assert own_party.is_organiser(only_number, {"name": "A", "vat_id": "DE811907980"}) is False
