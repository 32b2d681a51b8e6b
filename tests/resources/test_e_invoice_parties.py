"""Who sells and who buys in a received e-invoice, and the warnings that follow from it."""

from eventapi.domain.einvoices import ubl
from tests.resources.test_unchecked_e_invoices import supplier, upload
from tests.support.einvoice_mutations import taxed, with_seller

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
