"""E-invoices as they arrive: recognised by their beginning, read to a document, or refused with the
reason.
"""

import random
import re
from dataclasses import replace
from decimal import Decimal

import pytest

from eventapi.domain.einvoices import cii, reading, ubl
from eventapi.domain.einvoices.model import Allowance, Document
from tests.support import einvoices

DECLARATION = b"<?xml version='1.0' encoding='UTF-8'?>"
PREFIXED = """<?xml version="1.0"?>
<!-- made by hand --><x:Invoice xmlns:x="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
  xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2">
  <b:ID>
    R-1 </b:ID>
  <b:IssueDate>2026-11-20+01:00</b:IssueDate>
  <b:DocumentCurrencyCode>EUR</b:DocumentCurrencyCode>
  <a:AccountingSupplierParty><a:Party>
    <a:PartyTaxScheme><b:CompanyID>231/1</b:CompanyID><a:TaxScheme><b:ID>FC</b:ID></a:TaxScheme></a:PartyTaxScheme>
    <a:PartyTaxScheme><b:CompanyID>DE1</b:CompanyID><a:TaxScheme><b:ID>VAT</b:ID></a:TaxScheme></a:PartyTaxScheme>
  </a:Party></a:AccountingSupplierParty>
  <a:InvoiceLine>
    <b:InvoicedQuantity unitCode=" C62 ">2.0</b:InvoicedQuantity>
    <a:AllowanceCharge><b:ChargeIndicator>false</b:ChargeIndicator><b:AllowanceChargeReason>A</b:AllowanceChargeReason>
      <b:MultiplierFactorNumeric>5</b:MultiplierFactorNumeric><b:Amount>1.10</b:Amount></a:AllowanceCharge>
    <a:AllowanceCharge><b:ChargeIndicator>true</b:ChargeIndicator><b:Amount>7</b:Amount></a:AllowanceCharge>
    <a:AllowanceCharge><b:ChargeIndicator>false</b:ChargeIndicator><b:AllowanceChargeReason>B</b:AllowanceChargeReason>
      <b:Amount>2</b:Amount></a:AllowanceCharge>
  </a:InvoiceLine>
</x:Invoice>"""


@pytest.mark.parametrize("profile", ["en16931", "xrechnung", "peppol"])
@pytest.mark.parametrize("writer", [cii, ubl])
def test_a_written_document_is_read_as_it_was(writer, profile):
    for seed in range(150):
        document = einvoices.document(seed, profile)
        content = writer.write(document)
        assert reading.recognise(content)
        assert reading.read(content) == document, seed


def test_terms_are_found_whatever_the_prefixes_and_white_space_are():
    assert reading.recognise(PREFIXED.encode())
    found = reading.read(PREFIXED.encode())
    assert (found.number, found.issue_date, found.currency) == ("R-1", "2026-11-20", "EUR")
    assert (found.seller.vat_id, found.seller.tax_number) == ("DE1", "231/1")
    (line,) = found.lines
    assert (line.quantity, line.unit, line.charge) == (Decimal(2), "C62", Decimal(7))
    # Several discounts of a line are added up. A percentage would be that of only one of them.
    assert (line.discount, line.discount_percent, line.discount_reason) == (
        Decimal("3.10"),
        None,
        "A; B",
    )


@pytest.mark.parametrize("writer", [cii, ubl])
def test_terms_that_only_suppliers_write_are_read(writer):
    document = replace(
        einvoices.document(1),
        means_code="59",
        mandate="M-1",
        creditor_id="DE98ZZZ09999999999",
        card_number="1234",
        debited_iban="DE02120300000000202051",
        representative_vat_id="FR40303265045",
        rounding=Decimal("0.01"),
        charges=(
            Allowance(
                amount=Decimal(5), category="S", rate=Decimal(19), reason="Porto", reason_code="FC"
            ),
        ),
        charge_total=Decimal(5),
    )
    document = replace(
        document,
        lines=(
            replace(
                document.lines[0],
                price_quantity=Decimal(100),
                price_unit="C62",
                charge=Decimal(3),
                discount_reason_code=None,
            ),
        ),
    )
    assert reading.read(writer.write(document)) == document


def test_a_creditor_identifier_beside_a_transfer_is_no_direct_debit():
    """Suppliers print it on every invoice.

    UBL has it among the ids of the seller, with the scheme SEPA.
    """
    document = replace(
        einvoices.document(1, "xrechnung"),
        seller=replace(einvoices.SELLER, id="DE98ZZZ09999999999", id_scheme="SEPA"),
    )
    found = reading.read(ubl.write(document))
    assert (found.creditor_id, found.seller.id) == (None, None)


def test_a_missing_term_is_none_and_an_empty_element_is_an_empty_text():
    content = cii.write(replace(einvoices.document(1), number="INV-1", buyer_reference=None))
    found = reading.read(content.replace(b"<ram:ID>INV-1</ram:ID>", b"<ram:ID> </ram:ID>"))
    assert (found.number, found.buyer_reference) == ("", None)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_other_encodings_are_recognised(codec):
    content = ubl.write(einvoices.document(3)).replace(DECLARATION + b"\n", b"").decode()
    assert reading.recognise(content.encode(codec))
    if codec != "utf-16-le" and codec != "utf-16-be":  # without a mark, XML requires a declaration
        assert reading.read(content.encode(codec)) == einvoices.document(3)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"%PDF-1.7",
        b"<html><body>Invoice</body></html>",
        b"<Invoice><ID>1</ID></Invoice>",
        b"<svg xmlns='a'/>",
        b"Invoice urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
        b"\x89PNG",
        b"\xff\xfe\xff\xfe",
        b"<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'/>",
    ],
)
def test_other_files_are_not_recognised(content):
    assert not reading.recognise(content)


def changed(pattern, text, writer=cii):
    content, count = re.subn(pattern, text, writer.write(einvoices.document(1)).decode(), count=1)
    assert count == 1
    return content.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"<CrossIndustryInvoice/>",
            r"no e-invoice of EN 16931: its root element is 'CrossIndustryInvoice'",
        ),
        (changed("</rsm:CrossIndustryInvoice>", ""), "ends before its last element is closed"),
        (changed(">", "><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>"), "DOCTYPE"),
        (
            changed(r"<ram:LineTotalAmount>[^<]*", "<ram:LineTotalAmount>1,50"),
            r"LineTotalAmount is '1,50'\. It must be",
        ),
        (
            changed(r"<ram:LineTotalAmount>[^<]*", "<ram:LineTotalAmount>NaN"),
            "LineTotalAmount is 'NaN'",
        ),
        (
            changed(r"<ram:LineTotalAmount>[^<]*", "<ram:LineTotalAmount>1E+9"),
            "LineTotalAmount is '1E\\+9'",
        ),
        (changed(r"<ram:LineTotalAmount>[^<]*", "<ram:LineTotalAmount>"), "LineTotalAmount is ''"),
        (
            changed(r"<ram:LineTotalAmount>[^<]*", "<ram:LineTotalAmount>" + "9" * 21),
            "LineTotalAmount is '9",
        ),
        (
            ubl.write(replace(einvoices.document(1), notes=("x",) * 5000)),
            "5[0-9]{3} lines, discounts, VAT breakdowns and",
        ),
        (changed(r"20261120", "20260230"), "DateTimeString is '20260230'. It must be a date"),
        (changed(r"2026-11-20", "20.11.2026", ubl), "IssueDate is '20.11.2026'. It must be a date"),
        (
            changed(r"(<ram:ID>CN-2026.*</ram:ID>)\s*(<ram:TypeCode>.*</ram:TypeCode>)", r"\2\1"),
            "in the wrong order: in ExchangedDocument, ID must stand before TypeCode",
        ),
        (
            changed(
                r"(<cbc:ID>CN-2026.*</cbc:ID>)\s*(<cbc:IssueDate>.*</cbc:IssueDate>)", r"\2\1", ubl
            ),
            "in the wrong order: in CreditNote, ID must stand before IssueDate",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(content, message):
    with pytest.raises(ValueError, match=message) as fault:
        reading.read(content)
    assert str(fault.value).endswith(".")


@pytest.mark.parametrize("writer", [cii, ubl])
def test_a_changed_file_is_refused_or_read_to_a_document_that_can_be_written(writer):
    """The dice remove, repeat and replace parts of a file."""
    dice = random.Random(7)
    for seed in range(400):
        parts = re.split(r"(<[^>]*>)", writer.write(einvoices.document(seed % 40)).decode())
        for _ in range(dice.randrange(1, 4)):
            place = dice.randrange(4, len(parts))
            parts[place] = dice.choice(
                ("", parts[place] * 2, parts[dice.randrange(4, len(parts))], "0", "-1e5", "381")
            )
        try:
            found = reading.read("".join(parts).encode())
        except ValueError:
            continue
        assert isinstance(found, Document)
        for again in (cii, ubl):
            content = again.write(found)
            assert again.write(reading.read(content)) == content
