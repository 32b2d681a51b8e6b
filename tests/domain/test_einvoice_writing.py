"""E-invoices as XML: units, reasons without VAT, and the writers.

`make einvoices` validates them by other tools.
"""

import xml.etree.ElementTree as ET
from dataclasses import fields, replace
from decimal import Decimal

import pytest

from eventapi.domain.einvoices import cii, exemptions, profiles, ubl, units
from eventapi.domain.einvoices.model import Document, Line, Party, Tax
from tests.support import einvoices

D = Decimal
SMALL = Document(
    profile="urn:cen.eu:en16931:2017",
    number="INV-1",
    issue_date="2026-11-20",
    type_code="380",
    currency="EUR",
    notes=("First\r\nsecond",),
    seller=Party(name="A & <B>", tax_number="12/345", country="DE"),
    buyer=Party(name="Käufer", id="4012345000009", id_scheme="0088"),
    lines=(
        Line(
            id="1",
            name="Stand",
            quantity=D("12.50"),
            unit="MTK",
            price=D("1E+2"),
            discount=D("125"),
            discount_base=D("1250"),
            discount_percent=D("10.0"),
            discount_reason="Rabatt",
            net=D("1125"),
            category="S",
            rate=D("19.00"),
        ),
    ),
    taxes=(Tax(category="S", rate=D("19"), net=D("1125"), tax=D("213.75")),),
    tax_total=D("213.75"),
    total=D("1338.75"),
)
CII = """\
<?xml version='1.0' encoding='UTF-8'?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" \
xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" \
xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100" \
xmlns:qdt="urn:un:unece:uncefact:data:standard:QualifiedDataType:100">
  <rsm:ExchangedDocumentContext>
    <ram:GuidelineSpecifiedDocumentContextParameter>
      <ram:ID>urn:cen.eu:en16931:2017</ram:ID>
    </ram:GuidelineSpecifiedDocumentContextParameter>
  </rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument>
    <ram:ID>INV-1</ram:ID>
    <ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime>
      <udt:DateTimeString format="102">20261120</udt:DateTimeString>
    </ram:IssueDateTime>
    <ram:IncludedNote>
      <ram:Content>First
second</ram:Content>
    </ram:IncludedNote>
  </rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument>
        <ram:LineID>1</ram:LineID>
      </ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct>
        <ram:Name>Stand</ram:Name>
      </ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement>
        <ram:NetPriceProductTradePrice>
          <ram:ChargeAmount>100.00</ram:ChargeAmount>
        </ram:NetPriceProductTradePrice>
      </ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery>
        <ram:BilledQuantity unitCode="MTK">12.5</ram:BilledQuantity>
      </ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement>
        <ram:ApplicableTradeTax>
          <ram:TypeCode>VAT</ram:TypeCode>
          <ram:CategoryCode>S</ram:CategoryCode>
          <ram:RateApplicablePercent>19</ram:RateApplicablePercent>
        </ram:ApplicableTradeTax>
        <ram:SpecifiedTradeAllowanceCharge>
          <ram:ChargeIndicator>
            <udt:Indicator>false</udt:Indicator>
          </ram:ChargeIndicator>
          <ram:CalculationPercent>10</ram:CalculationPercent>
          <ram:BasisAmount>1250.00</ram:BasisAmount>
          <ram:ActualAmount>125.00</ram:ActualAmount>
          <ram:Reason>Rabatt</ram:Reason>
        </ram:SpecifiedTradeAllowanceCharge>
        <ram:SpecifiedTradeSettlementLineMonetarySummation>
          <ram:LineTotalAmount>1125.00</ram:LineTotalAmount>
        </ram:SpecifiedTradeSettlementLineMonetarySummation>
      </ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty>
        <ram:Name>A &amp; &lt;B&gt;</ram:Name>
        <ram:PostalTradeAddress>
          <ram:CountryID>DE</ram:CountryID>
        </ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration>
          <ram:ID schemeID="FC">12/345</ram:ID>
        </ram:SpecifiedTaxRegistration>
      </ram:SellerTradeParty>
      <ram:BuyerTradeParty>
        <ram:GlobalID schemeID="0088">4012345000009</ram:GlobalID>
        <ram:Name>Käufer</ram:Name>
      </ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery />
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:ApplicableTradeTax>
        <ram:CalculatedAmount>213.75</ram:CalculatedAmount>
        <ram:TypeCode>VAT</ram:TypeCode>
        <ram:BasisAmount>1125.00</ram:BasisAmount>
        <ram:CategoryCode>S</ram:CategoryCode>
        <ram:RateApplicablePercent>19</ram:RateApplicablePercent>
      </ram:ApplicableTradeTax>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:TaxTotalAmount currencyID="EUR">213.75</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>1338.75</ram:GrandTotalAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>"""


def test_cii_has_the_elements_of_the_terms_in_the_order_of_the_schema():
    assert cii.write(SMALL).decode() == CII


def test_ubl_writes_a_credit_note_as_a_document_of_its_own():
    invoice = ET.fromstring(ubl.write(SMALL))
    credit_note = ET.fromstring(ubl.write(replace(SMALL, type_code="381")))
    assert invoice.tag == "{urn:oasis:names:specification:ubl:schema:xsd:Invoice-2}Invoice"
    assert (
        credit_note.tag == "{urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2}CreditNote"
    )
    names = {node.tag.partition("}")[2] for node in credit_note.iter()}
    assert {"CreditNoteTypeCode", "CreditNoteLine", "CreditedQuantity"} <= names
    assert not {"InvoiceTypeCode", "InvoiceLine", "InvoicedQuantity"} & names


@pytest.mark.parametrize("writer", [cii, ubl])
@pytest.mark.parametrize("nothing", [None, "", " \n", "\x00\x0b\ufffe\ud800"])
def test_a_term_without_text_leaves_no_empty_element(writer, nothing):
    """PEPPOL-EN16931-R008 forbids empty elements.

    Only the delivery of CII is exempt: its schema requires it.
    """
    for seed in range(20):
        document = einvoices.document(seed)
        for name in [
            field.name
            for field in fields(Document)
            if isinstance(getattr(document, field.name), str)
        ]:
            root = ET.fromstring(writer.write(replace(document, **{name: nothing})))
            empty = [
                node.tag for node in root.iter() if not len(node) and not (node.text or "").strip()
            ]
            assert all(tag.endswith("}ApplicableHeaderTradeDelivery") for tag in empty), (
                name,
                empty,
            )


@pytest.mark.parametrize("writer", [cii, ubl])
def test_characters_that_xml_forbids_are_dropped(writer):
    root = ET.fromstring(
        writer.write(
            replace(SMALL, number="I\x00N\x1fV\ud834-1\uffff\r", notes=("\x85\u2028🎪]]>",))
        )
    )
    assert {"INV-1", "\x85\u2028🎪]]>".strip()} <= {node.text for node in root.iter()}


@pytest.mark.parametrize("writer", [cii, ubl])
def test_equal_documents_have_equal_bytes(writer):
    assert writer.write(einvoices.document(1)) == writer.write(einvoices.document(1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m²", ("MTK", None)),
        ("qm", ("MTK", None)),
        (" Quadratmeter ", ("MTK", None)),
        ("m", ("MTR", None)),
        ("lfd. m", ("MTR", None)),
        ("m³", ("MTQ", None)),
        ("piece", ("C62", None)),
        ("Stück", ("C62", None)),
        ("STÜCK", ("C62", None)),
        ("Einheit", ("C62", None)),
        ("pcs", ("C62", None)),
        (None, ("C62", None)),
        ("", ("C62", None)),
        ("Stunde", ("HUR", None)),
        ("Std.", ("HUR", None)),
        ("hours", ("HUR", None)),
        ("minute", ("MIN", None)),
        ("Tag", ("DAY", None)),
        ("days", ("DAY", None)),
        ("Woche", ("WEE", None)),
        ("month", ("MON", None)),
        ("Jahr", ("ANN", None)),
        ("kWh", ("KWH", None)),
        ("kW", ("KWT", None)),
        ("Liter", ("LTR", None)),
        ("kg", ("KGM", None)),
        ("t", ("TNE", None)),
        ("Paar", ("PR", None)),
        ("set", ("SET", None)),
        ("pauschal", ("LS", None)),
        ("lump sum", ("LS", None)),
        ("flat rate", ("LS", None)),
        ("Paket", ("XPK", None)),
        ("Palette", ("XPX", None)),
        ("Person", ("IE", None)),
        ("HUR", ("HUR", None)),
        ("night", ("C62", "night")),
        ("Palette  à 12", ("C62", "Palette à 12")),
    ],
)
def test_units_have_codes_and_unknown_ones_keep_their_text(text, expected):
    assert units.coded(text) == expected


def test_every_unit_that_the_product_offers_by_itself_has_a_code_or_keeps_its_text():
    from eventapi.languages.names import UNITS

    unknown = {name for names in UNITS.values() for name in names.values() if units.coded(name)[1]}
    assert unknown == {"night", "Nacht"}  # Recommendation 20 has no code for a night


@pytest.mark.parametrize(
    ("code", "category"),
    [
        ("VATEX-EU-AE", "AE"),
        ("VATEX-EU-IC", "K"),
        ("VATEX-EU-G", "G"),
        ("VATEX-EU-O", "O"),
        ("VATEX-EU-132-1I", "E"),
        ("VATEX-EU-79-C", "E"),
        ("VATEX-FR-FRANCHISE", "E"),
        ("VATEX-FR-AE", "AE"),
        ("VATEX-EU-132-2", None),
        ("", None),
    ],
)
def test_a_reason_belongs_to_one_category(code, category):
    assert exemptions.category_of(code) == category


def test_categories_with_one_reason_have_its_code_and_text():
    found = {
        category: (exemptions.code(category), exemptions.reason(category))
        for category in ("S", "E", "AE", "K")
    }
    assert found == {
        "S": (None, None),
        "E": (None, None),
        "AE": ("VATEX-EU-AE", "Reverse charge"),
        "K": ("VATEX-EU-IC", "Intra-community supply"),
    }


@pytest.mark.parametrize(
    ("specification", "profile"),
    [
        ("urn:cen.eu:en16931:2017", "en16931"),
        (None, "en16931"),
        ("urn:factur-x.eu:1p0:basic", "en16931"),
        ("urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.3", "xrechnung"),
        ("urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", "peppol"),
    ],
)
def test_the_profile_is_known_by_its_identifier(specification, profile):
    assert profiles.profile_of(specification) == profile
