"""Terms of the parties that suppliers write at another place than our own e-invoices do.

The verdicts are those of KoSIT's schematron for XRechnung 3.0.
"""

from pathlib import Path

import pytest

from eventapi.domain.einvoices import cii, reading, received, ubl
from tests.support.einvoice_mutations import taxed

FILES = Path(__file__).parents[1] / "resources/e_invoices"
CREDITOR = "DE98ZZZ09999999999"
DEBIT = taxed(
    means_code="59",
    iban=None,
    mandate="M-1",
    creditor_id=CREDITOR,
    debited_iban="DE02120300000000202051",
)
SEPA = b'<cac:PartyIdentification>\n        <cbc:ID schemeID="SEPA">%s</cbc:ID>\n      '
SEPA = SEPA % CREDITOR.encode() + b"</cac:PartyIdentification>\n      "
NAME = b"<cac:PartyName><cbc:Name>Factoring AG</cbc:Name></cac:PartyName>"


def faults(content):
    found, _ = received.summary(content, False)
    return [fault["rule"] for fault in found["faults"]]


def test_a_department_alone_is_the_contact_of_the_seller():
    content = (FILES / "f12_department.xml").read_bytes()
    found, _ = received.summary(content, False)
    assert (found["is_valid"], found["faults"]) == (True, [])
    assert reading.read(content).seller.contact_name == "Buchhaltung"


@pytest.mark.parametrize(
    ("contact", "expected"),
    [
        (b"<ram:PersonName>Ada</ram:PersonName><ram:DepartmentName>B</ram:DepartmentName>", "Ada"),
        (b"<ram:PersonName/><ram:DepartmentName>B</ram:DepartmentName>", "B"),
        (b"<ram:PersonName/><ram:DepartmentName/>", ""),
        (b"<ram:DepartmentName> </ram:DepartmentName>", None),
        (b"", None),
    ],
)
def test_a_person_is_the_contact_rather_than_a_department(contact, expected):
    named = b"<ram:PersonName>Rechnungswesen</ram:PersonName>"
    content = cii.write(taxed())
    assert content.count(named) == 1
    content = content.replace(named, contact)
    assert reading.read(content).seller.contact_name == expected
    assert ("BR-DE-5" in faults(content)) == (not expected)


def at_payee(content, id):
    """Return the invoice with the creditor identifier at the payee instead of at the seller."""
    assert content.count(SEPA) == 1
    end = b"</cac:AccountingCustomerParty>"
    payee = b"<cac:PayeeParty>" + id + NAME + b"</cac:PayeeParty>"
    return content.replace(SEPA, b"").replace(end, end + payee)


def test_the_creditor_identifier_of_a_direct_debit_may_stand_at_the_payee():
    content = at_payee(ubl.write(DEBIT), SEPA)
    assert faults(content) == []
    assert reading.read(content).creditor_id == CREDITOR


def test_another_id_of_the_payee_is_no_creditor_identifier():
    assert faults(at_payee(ubl.write(DEBIT), SEPA.replace(b"SEPA", b"0088"))) == ["BR-DE-30"]
    assert faults(at_payee(ubl.write(DEBIT), b"")) == ["BR-DE-30"]


def test_the_creditor_identifier_of_the_seller_counts_before_that_of_the_payee():
    end = b"</cac:AccountingCustomerParty>"
    other = SEPA.replace(CREDITOR.encode(), b"DE00ZZZ00000000000")
    payee = b"<cac:PayeeParty>" + other + NAME + b"</cac:PayeeParty>"
    content = ubl.write(DEBIT).replace(end, end + payee)
    assert reading.read(content).creditor_id == CREDITOR


def test_the_creditor_identifier_of_the_payee_beside_a_transfer_is_no_direct_debit():
    end = b"</cac:AccountingCustomerParty>"
    payee = b"<cac:PayeeParty>" + SEPA + NAME + b"</cac:PayeeParty>"
    content = ubl.write(taxed()).replace(end, end + payee)
    assert faults(content) == []
    assert reading.read(content).creditor_id is None


REGISTERED = b"<cbc:RegistrationName>Messe Beispiel GmbH &amp; Co. KG</cbc:RegistrationName>"
TRADING = b"<cac:PartyName><cbc:Name> Messe   Beispiel </cbc:Name></cac:PartyName>"


@pytest.mark.parametrize(
    ("registered", "trading", "name"),
    [
        (b"", TRADING, "Messe Beispiel"),
        (b"<cbc:RegistrationName/>", TRADING, "Messe Beispiel"),
        (REGISTERED, TRADING, "Messe Beispiel GmbH & Co. KG"),
        (REGISTERED, b"", "Messe Beispiel GmbH & Co. KG"),
        (b"", b"<cac:PartyName/>", None),
        (b"", b"", None),
    ],
)
def test_the_trading_name_of_ubl_is_shown_if_there_is_no_other(registered, trading, name):
    content = ubl.write(taxed())
    assert content.count(REGISTERED) == 1
    content = content.replace(REGISTERED, registered)
    place = content.index(b"<cac:PostalAddress>")  # that of the seller
    content = content[:place] + trading + content[place:]
    found, _ = received.summary(content, False)
    assert found["seller"]["name"] == name
    rules = [fault["rule"] for fault in found["faults"]]
    assert ("BR-06" in rules) == (registered != REGISTERED), "the norm requires the other name"


def test_the_trading_name_of_cii_is_shown_if_there_is_no_other():
    content = cii.write(taxed())
    name = b"<ram:Name>Messe Beispiel GmbH &amp; Co. KG</ram:Name>"
    id = b"<ram:ID>HRB 4711</ram:ID>"
    assert content.count(name) == content.count(id) == 1
    trading = b"<ram:TradingBusinessName>Messe Beispiel</ram:TradingBusinessName>"
    found, _ = received.summary(content.replace(name, b"").replace(id, id + trading), False)
    assert found["seller"]["name"] == "Messe Beispiel"
