"""Rules on terms that must be present: BR-01 to BR-65, BR-CO-04, -09, -18, -19 and -26."""

import re

from eventapi.domain.einvoices.profiles import XRECHNUNG
from eventapi.domain.einvoices.rules.codes import VAT_PREFIXES
from eventapi.domain.einvoices.rules.faults import (
    Fault,
    adjustments,
    missing,
    name_of_line,
    wrong_iban,
)

# (rule, term, its name, field of the document)
TERMS = (
    ("BR-01", "BT-24", "specification identifier", "profile"),
    ("BR-02", "BT-1", "invoice number", "number"),
    ("BR-03", "BT-2", "date of issue", "issue_date"),
    ("BR-04", "BT-3", "type of the document", "type_code"),
    ("BR-05", "BT-5", "currency", "currency"),
    ("BR-12", "BT-106", "sum of the lines", "line_total"),
    ("BR-13", "BT-109", "total without VAT", "net_total"),
    ("BR-14", "BT-112", "total with VAT", "total"),
    ("BR-15", "BT-115", "amount due", "payable"),
)
# The same of a line
LINE_TERMS = (
    ("BR-21", "BT-126", "id", "id"),
    ("BR-22", "BT-129", "quantity", "quantity"),
    ("BR-23", "BT-130", "unit", "unit"),
    ("BR-24", "BT-131", "net amount", "net"),
    ("BR-25", "BT-153", "name of the item", "name"),
    ("BR-26", "BT-146", "net price", "price"),
    ("BR-CO-04", "BT-151", "VAT category", "category"),
)
# The same of a VAT breakdown
TAX_TERMS = (
    ("BR-45", "BT-116", "taxable amount", "net"),
    ("BR-46", "BT-117", "VAT amount", "tax"),
    ("BR-47", "BT-118", "VAT category", "category"),
    ("BR-48", "BT-119", "VAT rate", "rate"),
)
ADDRESS = ("street", "street_2", "street_3", "city", "postal_code", "region", "country")
# any other account number is no IBAN, and may be right
IBAN = re.compile(r"\s*[A-Za-z]{2}\s*[0-9]{2}")
TRANSFERS = ("30", "58")  # means of payment (BT-81) that need an account


def faults(document, profile):
    """Yield the faults of a document."""
    yield from _absent(document, TERMS, "{}")
    yield from _party(
        document.seller,
        "seller",
        ("BR-06", "BT-27", "BR-08", "BG-5", "BR-09", "BT-40", "BR-62", "BT-34"),
    )
    yield from _party(
        document.buyer,
        "buyer",
        ("BR-07", "BT-44", "BR-10", "BG-8", "BR-11", "BT-55", "BR-63", "BT-49"),
    )
    yield from _identity(document)
    yield from _payment(document, profile)
    yield from _periods(document)
    yield from _references(document)
    for number, line in enumerate(document.lines, start=1):
        yield from _line(line, name_of_line(number, line))
    for name, part, is_charge in adjustments(document):
        yield from _adjustment(part, name, is_charge)
    for tax in document.taxes:
        terms = TAX_TERMS[:3] if tax.category == "O" else TAX_TERMS
        yield from _absent(tax, terms, f"VAT breakdown of category {tax.category or '?'}: {{}}")


def _absent(record, terms, place):
    """Yield a fault for each term that a record does not have."""
    for rule, term, what, field in terms:
        if getattr(record, field) in (None, ""):
            text = place.format(f"the {what} ({term}) is missing. Add it.")
            yield Fault(rule, term, text[0].upper() + text[1:])


def _party(party, who, rules):
    no_name, name, no_address, address, no_country, country, no_scheme, electronic = rules
    if not party.name:
        yield missing(no_name, name, f"name of the {who}")
    if not any(getattr(party, field) for field in ADDRESS):
        yield missing(
            no_address,
            address,
            f"postal address of the {who}",
            "Add it, at least with the country.",
        )
    elif not party.country:
        yield missing(
            no_country, country, f"country of the {who}", "Add it as two letters, such as DE."
        )
    if party.address and not party.address_scheme:
        yield Fault(
            no_scheme,
            electronic,
            f"The electronic address {party.address!r} of the {who} ({electronic}) has "
            "no scheme. Add one, such as EM for an e-mail address.",
        )


def _identity(document):
    """Yield faults of the numbers that identify seller and buyer."""
    seller = document.seller
    if not (seller.id or seller.register_number or seller.vat_id):
        yield Fault(
            "BR-CO-26",
            "BT-31",
            "The seller has neither a VAT id (BT-31) nor a register number (BT-30) nor "
            "another id (BT-29). A national tax number is not enough. Add one of the three.",
        )
    for term, who, number in (
        ("BT-31", "seller", seller.vat_id),
        ("BT-48", "buyer", document.buyer.vat_id),
        ("BT-63", "seller's tax representative", document.representative_vat_id),
    ):
        if number and number.strip()[:2] not in VAT_PREFIXES:
            yield Fault(
                "BR-CO-09",
                term,
                f"The VAT id {number!r} of the {who} ({term}) does not begin with the code "
                "of a country. Write it with its prefix, such as DE136695976; Greece has EL.",
            )


def _payment(document, profile):
    has_account = document.iban or document.bic or document.account_name
    if not document.means_code and (has_account or document.means_code == ""):
        yield missing(
            "BR-49", "BT-81", "means of payment", "Add its code, such as 58 for a SEPA transfer."
        )
    if document.means_code in TRANSFERS and not document.iban:
        yield Fault(
            "BR-61",
            "BT-84",
            f"The means of payment is {document.means_code}, a transfer, but the account "
            "(BT-84) is missing. Add the seller's IBAN, or choose another means of payment.",
        )
    elif document.iban == "" or (document.account_name and not document.iban):
        yield missing("BR-50", "BT-84", "account for the transfer", "Add the seller's IBAN.")
    # XRechnung has a rule of its own for SEPA transfers (BR-DE-19).
    if (
        document.iban
        and IBAN.match(document.iban)
        and (document.means_code != "58" or profile != XRECHNUNG)
    ):
        yield from wrong_iban("IBAN", document.iban)
    if document.tax_currency and document.tax_currency == document.currency:
        yield Fault(
            "BR-53",
            "BT-6",
            f"The currency of VAT accounting (BT-6) is {document.tax_currency}, that of the "
            "invoice. Remove it and the VAT total in it (BT-111).",
        )
    elif document.tax_total_in_tax_currency is not None and not document.tax_currency:
        yield Fault(
            "BR-53",
            "BT-6",
            "The invoice has a VAT total in the currency of accounting (BT-111), but does not "
            "name that currency (BT-6). Add it, or remove the total.",
        )
    elif document.tax_currency and document.tax_total_in_tax_currency is None:
        yield Fault(
            "BR-53",
            "BT-111",
            f"The currency of VAT accounting is {document.tax_currency} (BT-6), but the VAT "
            f"total in {document.tax_currency} (BT-111) is missing. Add it, or remove BT-6.",
        )


def _periods(document):
    for rule, terms, name, part in (
        ("BR-29", "BT-74", "The period of the invoice", document),
        *(
            ("BR-30", "BT-135", f"{name_of_line(number, line)}: the period", line)
            for number, line in enumerate(document.lines, start=1)
        ),
    ):
        if part.service_from and part.service_to and part.service_to < part.service_from:
            yield Fault(
                rule,
                terms,
                f"{name} ends on {part.service_to}, before it begins on {part.service_from}. "
                "Exchange the dates or correct one.",
            )


def _references(document):
    if any(not number for number, _ in document.preceding):
        yield missing(
            "BR-55",
            "BT-25",
            "number of the preceding invoice",
            "Add it, or remove its date (BT-26) too.",
        )
    if not document.deliver_to_country and (
        document.deliver_to_city or document.deliver_to_postal_code
    ):
        yield missing(
            "BR-57",
            "BT-80",
            "country of the place of delivery",
            "Add it as two letters, such as DE.",
        )
    if not document.lines:
        yield missing(
            "BR-16", "BG-25", "first line of the invoice", "An invoice must have at least one line."
        )
    if not document.taxes:
        yield missing(
            "BR-CO-18", "BG-23", "VAT breakdown", "Add one for each category and rate of the lines."
        )


def _line(line, name):
    yield from _absent(line, LINE_TERMS, f"{name}: {{}}")
    if line.price is not None and line.price < 0:
        yield Fault(
            "BR-27",
            "BT-146",
            f"{name}: the net price (BT-146) is {line.price}. A price must not be negative: "
            "make the quantity negative instead.",
        )
    if line.discount is None and (
        line.discount_reason or line.discount_reason_code or line.discount_base is not None
    ):
        yield missing("BR-41", "BT-136", f"amount of the discount of {name}")
    if line.discount is not None and not (line.discount_reason or line.discount_reason_code):
        yield Fault(
            "BR-42",
            "BT-139",
            f"{name}: the discount of {line.discount} has no reason (BT-139). Add one, such "
            "as Discount.",
        )


def _adjustment(part, name, is_charge):
    rules = (
        ("BR-36", "BT-99", "BR-37", "BT-102", "BR-38", "BT-104")
        if is_charge
        else ("BR-31", "BT-92", "BR-32", "BT-95", "BR-33", "BT-97")
    )
    if part.amount is None:
        yield Fault(rules[0], rules[1], f"{name}: the amount ({rules[1]}) is missing. Add it.")
    if not part.category:
        yield Fault(
            rules[2], rules[3], f"{name}: the VAT category ({rules[3]}) is missing. Add it."
        )
    if not (part.reason or part.reason_code):
        yield Fault(
            rules[4],
            rules[5],
            f"{name}: the reason ({rules[5]}) is missing. Add one, such as Discount.",
        )
