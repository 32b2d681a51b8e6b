"""Dunning letters as PDF. A letter is drawn for each request: the same entry always results in the same bytes."""
import re
from decimal import Decimal

from eventapi import money
from eventapi.domain.billing import invoices
from eventapi.pictures.invoice import dunning as picture
from eventapi.pictures.invoice import giro
from eventapi.validation import identifiers


def draw(config, invoice, entry) -> bytes:
    """Return the PDF of a letter. `invoice` and `entry` are API objects.

    Raise 409 `anonymized` if the buyer was anonymised, or 501 `not_installed` if reportlab or a font is missing.
    """
    shown = {**invoice, "girocode": _girocode(invoice, entry)}
    return picture.draw(entry, shown, invoice["seller"], invoices.buyer_as_sent(invoice), config.organiser_logo)


def _girocode(invoice, entry):
    """Return the text of the GiroCode over the total claim; None in another currency than EUR, or without an IBAN."""
    seller = invoice["seller"]
    try:
        iban = identifiers.iban(seller["iban"] or "")
    except ValueError:
        return None
    if entry["currency"] != "EUR":
        return None
    cents = money.minor(Decimal(str(entry["total_claim"])), "EUR")
    reference = invoice.get("payment_reference") or invoice["invoice_number"]
    return giro.payload(name=seller["name"], iban=iban, bic=seller["bic"], cents=cents, reference=reference)


def file_name(invoice, entry):
    """Return the name of the file of a letter, such as INV-2026-00001-dunning-1.pdf."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", f"{invoice['invoice_number']}-dunning-{entry['level']}") + ".pdf"
