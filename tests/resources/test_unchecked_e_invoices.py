"""E-invoices of suppliers whose rules are not checked: extensions of EN 16931."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from eventapi.domain.einvoices import cii, received, ubl
from tests.support.einvoice_mutations import taxed
from tests.support.prepared import prepared

FILES = Path(__file__).parent / "e_invoices"
FREIGHT = (FILES / "f11_extended_freight.xml").read_bytes()
THIRD_PARTY = (FILES / "f19_ext_thirdparty.xml").read_bytes()
EXTENDED = "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended"
BINARY = {"Content-Type": "application/octet-stream"}


@prepared
def supplier(organiser, db):
    return organiser.make("/contacts", {"company_name": "Standbau Beispiel GmbH"})


def upload(organiser, supplier, content, **fields):
    """Return (e_invoice, {code: detail} of the warnings) of an upload."""
    about = {"entity_type": "contact", "entity_id": supplier["id"], "filename": "a", **fields}
    document = organiser.make("/documents", about)
    address = f"/documents/{document['id']}/content"
    answer = organiser.put(address, raw=content, status=200, headers=BINARY).json
    warnings = answer["meta"].get("warnings", ())
    return answer["data"]["e_invoice"], {each["code"]: each["detail"] for each in warnings}


def read(content):
    """Return (e_invoice, {code: detail} of the warnings) of an XML file."""
    found, warnings = received.summary(content, False)
    return found, {each["code"]: each["detail"] for each in warnings}


def changed(content, old, new):
    assert content.count(old) == 1, content.count(old)
    return content.replace(old, new)


def test_extended_with_freight_is_neither_valid_nor_invalid(organiser, supplier):
    """XSD and schematron EXTENDED of Factur-X 1.09 find no fault in it."""
    found, warnings = upload(organiser, supplier, FREIGHT)
    assert found["number"] == "R-2026-15"
    assert (found["net_total"], found["tax_total"], found["total"]) == (110, 20.9, 130.9)
    assert (found["is_valid"], found["faults"]) == (None, [])
    assert EXTENDED in warnings["not_checked"] and "amounts_differ" not in warnings


def test_the_extension_of_xrechnung_may_ask_for_money_of_third_parties(organiser, supplier):
    found, warnings = upload(organiser, supplier, THIRD_PARTY)
    assert (found["total"], found["payable"]) == (119, 125)
    assert (found["is_valid"], found["faults"], found["profile"]) == (None, [], "xrechnung")
    assert "not_checked" in warnings and "amounts_differ" not in warnings


APPLIED = b"<ram:AppliedAmount>10.00</ram:AppliedAmount>"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            changed(FREIGHT, APPLIED, APPLIED.replace(b"10.00", b"9.99")),
            "The sum of charges (BT-108) is 10.00, but the charges (BT-99) result in 9.99.",
        ),
        (
            changed(FREIGHT, b"BasisTotalAmount>110.00<", b"BasisTotalAmount>111.00<"),
            "The total without VAT (BT-109) is 111.00, but lines less discounts plus charges result in 110.00.",
        ),
        (
            changed(FREIGHT, b'"EUR">20.90<', b'"EUR">20.91<'),
            "The VAT total (BT-110) is 20.91, but the VAT of all rates (BT-117) result in 20.90.",
        ),
        (
            changed(FREIGHT, b"GrandTotalAmount>130.90<", b"GrandTotalAmount>1309.00<"),
            "The total with VAT (BT-112) is 1309.00, ",
        ),
        (
            changed(FREIGHT, b"DuePayableAmount>130.90<", b"DuePayableAmount>-130.90<"),
            "The amount due (BT-115) is -130.90, ",
        ),
        (
            changed(
                FREIGHT,
                b"</ram:DuePayableAmount>",
                b"</ram:DuePayableAmount>" * 1 + b"<ram:DuePayableAmount>1</ram:DuePayableAmount>",
            ),
            "DuePayableAmount stands twice, as '130.90' and as '1'.",
        ),
        (
            changed(FREIGHT, b'"EUR">20.90<', b'"USD">20.90<'),
            "TaxTotalAmount is an amount in 'USD', but the currency of the invoice is 'EUR'.",
        ),
        (
            changed(THIRD_PARTY, b'"EUR">125.00<', b'"EUR">126.00<'),
            "The amount due (BT-115) is 126.00, but the total (BT-112) less what was paid (BT-113) plus the "
            "rounding (BT-114) plus the payments for third parties (BT-DEX-002) result in 125.00.",
        ),
    ],
)
def test_amounts_that_do_not_add_up_are_a_warning(organiser, supplier, content, sentence):
    found, warnings = upload(organiser, supplier, content)
    assert (found["is_valid"], found["faults"]) == (None, [])
    assert sentence in warnings["amounts_differ"]
    assert warnings["amounts_differ"].endswith("before you pay.")


def with_status(status):
    """Return a line of EXTENDED with the kind `status` beside those of the invoice."""
    begin = FREIGHT.index(b"<ram:IncludedSupplyChainTradeLineItem>")
    end = FREIGHT.index(b"<ram:ApplicableHeaderTradeAgreement>")
    id = b"<ram:LineID>1</ram:LineID>"
    line = changed(
        FREIGHT[begin:end],
        id,
        id + b"<ram:LineStatusReasonCode>%s</ram:LineStatusReasonCode>" % status,
    )
    return FREIGHT[:end] + line + FREIGHT[end:]


@pytest.mark.parametrize(
    ("status", "counts"),
    [(b"GROUP", False), (b"INFORMATION", False), (b"DETAIL", True), (b"", True)],
)
def test_a_group_of_lines_and_an_information_are_not_added_up(status, counts):
    """BR-FXEXT-CO-10 of Factur-X: only lines whose kind (BT-X-8) is DETAIL or missing count."""
    found, warnings = read(with_status(status))
    assert found["lines"] == 2
    assert ("amounts_differ" in warnings) == counts


@pytest.mark.parametrize(
    ("specification", "is_checked"),
    [
        (EXTENDED, False),
        ("urn:cen.eu:en16931:2017#conformant#urn:zugferd.de:2p0:extended", False),
        ("urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr", False),
        ("urn:cen.eu:en16931:2017#conformant#urn:UBL.BE:1.0.0.20180214", False),
        (
            "urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.0#conformant#"
            "urn:xoev-de:kosit:extension:xrechnung_2.0",
            False,
        ),
        ("urn:cen.eu:en16931:2017", True),
        ("urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", True),
        ("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", True),
        ("urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", True),
        ("urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0", True),
    ],
)
def test_an_extension_is_known_by_its_specification(specification, is_checked):
    for writer in (cii, ubl):
        found, warnings = read(writer.write(replace(taxed(), profile=specification)))
        assert (found["is_valid"] is not None) == is_checked
        assert ("not_checked" in warnings) != is_checked


def test_freight_is_no_charge_of_the_norm_itself():
    """EN 16931 does not know it, so that the official rules refuse the invoice."""
    norm = changed(FREIGHT, EXTENDED.encode(), b"urn:cen.eu:en16931:2017")
    found, warnings = read(norm)
    assert found["is_valid"] is False and warnings == {}
    assert {"BR-CO-12", "BR-S-08"} == {fault["rule"] for fault in found["faults"]}


def test_freight_that_is_no_number_makes_the_invoice_unreadable():
    found, warnings = read(changed(FREIGHT, APPLIED, APPLIED.replace(b"10.00", b"1e1")))
    (fault,) = found["faults"]
    assert fault["rule"] == "XML" and "AppliedAmount is '1e1'" in fault["detail"]
    assert (found["number"], found["is_valid"], warnings) == (None, False, {})


def test_a_contract_has_no_warnings_of_an_e_invoice(organiser, supplier):
    assert upload(organiser, supplier, FREIGHT, is_contract=True) == (None, {})


def test_differences_of_amounts_with_many_digits_are_exact():
    document = replace(taxed(), profile=EXTENDED, payable=Decimal("203.40000000000000000001"))
    _, warnings = read(cii.write(document))
    assert "is 203.40000000000000000001" in warnings["amounts_differ"]


MINIMUM = (FILES / "f18_minimum.xml").read_bytes()
BASIC_WL = (FILES / "f18_basic_wl.xml").read_bytes()


@pytest.mark.parametrize(
    ("content", "profile", "name"),
    [(MINIMUM, "minimum", "MINIMUM"), (BASIC_WL, "basic_wl", "BASIC WL")],
)
def test_a_profile_without_lines_is_no_e_invoice_in_germany(
    organiser, supplier, content, profile, name
):
    found, warnings = upload(organiser, supplier, content)
    assert (found["profile"], found["number"], found["lines"]) == (profile, "R-2026-18", 0)
    amounts = [found[name] for name in ("net_total", "tax_total", "total", "payable")]
    assert amounts == [100, 19, 119, 119]
    assert (found["is_valid"], found["faults"]) == (None, [])
    assert [*warnings] == ["no_e_invoice_in_germany"]
    assert f"profile {name}, " in warnings["no_e_invoice_in_germany"]
    assert "Ask the sender for the profile EN 16931" in warnings["no_e_invoice_in_germany"]


@pytest.mark.parametrize(
    ("specification", "profile"),
    [
        ("urn:factur-x.eu:1p0:minimum", "minimum"),
        ("urn:zugferd.de:2p0:minimum", "minimum"),
        ("urn:factur-x.eu:1p0:basicwl", "basic_wl"),
        ("urn:zugferd.de:2p0:basicwl", "basic_wl"),
        (" urn:factur-x.eu:1p0:BasicWL ", "basic_wl"),
        ("urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "en16931"),
        (EXTENDED, "en16931"),
    ],
)
def test_a_profile_without_lines_is_known_by_its_specification(specification, profile):
    found, _ = read(MINIMUM.replace(b"urn:factur-x.eu:1p0:minimum", specification.encode()))
    assert found["profile"] == profile


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            changed(MINIMUM, b"GrandTotalAmount>119.00<", b"GrandTotalAmount>118.00<"),
            "The total with VAT (BT-112) is 118.00, ",
        ),
        (
            changed(BASIC_WL, b"LineTotalAmount>90.00<", b"LineTotalAmount>91.00<"),
            "The total without VAT (BT-109) is 100.00, but lines less discounts plus charges result in 101.00.",
        ),
        (
            changed(BASIC_WL, b"ActualAmount>15.00<", b"ActualAmount>16.00<"),
            "The sum of charges (BT-108) is 15.00, but the charges (BT-99) result in 16.00.",
        ),
        (
            changed(BASIC_WL, b"DuePayableAmount>119.00<", b"DuePayableAmount>120.00<"),
            "The amount due (BT-115) is 120.00, ",
        ),
    ],
)
def test_the_amounts_of_a_profile_without_lines_are_added_up_as_far_as_it_has_them(
    content, sentence
):
    _, warnings = read(content)
    assert [*warnings] == ["no_e_invoice_in_germany", "amounts_differ"]
    assert sentence in warnings["amounts_differ"]


def test_minimum_does_not_say_what_was_paid_so_that_its_amount_due_may_be_smaller():
    _, warnings = read(changed(MINIMUM, b"DuePayableAmount>119.00<", b"DuePayableAmount>19.00<"))
    assert "amounts_differ" not in warnings
