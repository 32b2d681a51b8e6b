"""How an invoice is paid by transfer: the reference that a payer quotes, and the GiroCode.

Invoices are API objects of sent invoices, which contain their seller.
"""

from decimal import Decimal

from eventapi.domain.einvoices_sent import parties
from eventapi.errors import Problem
from eventapi.languages import choice, formats
from eventapi.pictures.invoice import giro
from eventapi.validation import identifiers

FORMS = SVG, PNG = "image/svg+xml", "image/png"  # media types of a GiroCode


def creditor_reference(config, number):
    """Return the creditor reference (ISO 11649) of an invoice number, or None if payers quote the
    number itself.

    They do unless the option `payment_reference` is `rf`, and for numbers with more than 21 letters
    and digits.
    """
    if config.payment_reference != "rf":
        return None
    try:
        return identifiers.rf_reference(number)
    except ValueError:
        return None


def girocode(invoice):
    """Return the text of the GiroCode with the open amount.

    Raise 409 `no_girocode`, whose `reason` says why not.
    """
    reason, cause = _obstacle(invoice)
    if reason:
        raise Problem(
            "no_girocode", f"{invoice['invoice_number']} has no GiroCode: {cause}", reason=reason
        )
    return _payload(invoice)


def girocode_if_possible(invoice):
    """Return the text of the GiroCode, or None if the invoice has none."""
    return None if _obstacle(invoice)[0] else _payload(invoice)


def _payload(invoice):
    seller = invoice["seller"]
    return giro.payload(
        name=seller["name"],
        iban=identifiers.iban(seller["iban"]),
        bic=parties.bic(seller.get("bic")),
        cents=_cents(invoice),
        reference=invoice["payment_reference"],
    )


def draw(invoice, code, form):
    """Return the GiroCode of an invoice as bytes in one of the FORMS. Raise 501 `not_installed`
    without reportlab.
    """
    if form == PNG:
        return giro.png(code)
    language = choice.available(invoice["language"])
    amount = formats.money(invoice["open_amount"], invoice["currency"], language)
    return giro.svg(code, amount=amount, reference=invoice["payment_reference"], language=language)


def _obstacle(invoice):
    """Return why an invoice has no GiroCode, as (`reason`, sentence), or (None, None)."""
    if invoice["invoice_type"] == "credit_note":
        return "credit_note", "it is a credit note, which nobody pays."
    if not invoice["is_locked"]:
        return "draft", "it is a draft. Send it first."
    if invoice["currency"] != "EUR":
        return "currency", f"it is in {invoice['currency']}, and a GiroCode transfers euros only."
    if invoice["open_amount"] <= 0:
        return "nothing_open", "no amount is open."
    if _cents(invoice) > giro.MAX_CENTS:
        return (
            "too_large",
            "the open amount exceeds 999,999,999.99 euros, the most that a GiroCode allows.",
        )
    iban = invoice["seller"].get("iban")
    if not iban:
        return (
            "no_iban",
            "it was sent without an IBAN. Set `organiser_iban` before you send the next invoice.",
        )
    try:
        identifiers.iban(iban)
    except ValueError as error:
        return "invalid_iban", f"the IBAN {iban}, with which it was sent, must be {error}."
    return None, None


def _cents(invoice):
    return int(Decimal(str(invoice["open_amount"])) * 100)
