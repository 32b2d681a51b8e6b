"""Rules of Peppol BIS Billing 3.0 (PEPPOL-EN16931-R*).

XRechnung 3.0 contains them as well, apart from some.

The numbers of registers have a format and check digits (PEPPOL-COMMON-R040 to R057).
"""

import re
from dataclasses import fields
from decimal import Decimal

from eventapi.domain.einvoices import profiles
from eventapi.domain.einvoices.rules import codes
from eventapi.domain.einvoices.rules.faults import Fault, adjustments, missing, name_of_line
from eventapi.domain.einvoices.rules.sums import slack
from eventapi.validation.identifiers.electronic import NUMBERS

PROCESS = re.compile(r"urn:fdc:peppol\.eu:2017:poacc:billing:\d{2}:1\.0", re.ASCII)
DIRECT_DEBITS = ("49", "59")
RULE = "PEPPOL-EN16931-"
PEPPOL_ID = (
    "Use an id that is registered in Peppol, such as 9930 with a German VAT id, 0088 with a GLN, or 0208 with "
    "a Belgian enterprise number."
)


def faults(document, profile):
    """Yield the faults of a document."""
    for rule, *rest in (
        *_header(document, profile),
        *_currencies(document),
        *_discounts(document, profile),
        *_lines(document),
    ):
        yield Fault(RULE + rule, *rest)
    if profile == profiles.PEPPOL:
        yield from _only_peppol(document)


def _header(document, profile):
    if not document.process:
        yield "R001", "BT-23", f"The business process (BT-23) is missing. Add {profiles.PROCESS}."
    remedy = (
        PEPPOL_ID
        if profile == profiles.PEPPOL
        else "Add one, such as an e-mail address with the scheme EM."
    )
    for rule, term, who, party in (
        ("R010", "BT-49", "buyer", document.buyer),
        ("R020", "BT-34", "seller", document.seller),
    ):
        if not party.address:
            yield rule, term, f"The electronic address of the {who} ({term}) is missing. {remedy}"
    records = (
        document,
        document.seller,
        document.buyer,
        *document.lines,
        *document.allowances,
        *document.charges,
        *document.taxes,
    )
    empty = sorted(
        {
            field.name
            for record in records
            for field in fields(record)
            if getattr(record, field.name) == ""
        }
    )
    if empty or "" in document.notes:
        yield (
            "R008",
            "BG-2",
            f"The XML contains empty elements: {', '.join(empty) or 'notes'}. Remove them.",
        )
    if document.means_code in DIRECT_DEBITS and not document.mandate:
        yield (
            "R061",
            "BT-89",
            (
                f"The means of payment is {document.means_code}, a direct debit, but the mandate "
                "(BT-89) is missing. Add it."
            ),
        )


def _currencies(document):
    other = document.tax_currency
    tax = document.tax_total
    in_other = document.tax_total_in_tax_currency
    if other and other == document.currency:
        yield (
            "R005",
            "BT-6",
            (
                f"The currency of VAT accounting (BT-6) is {other}, the currency of the invoice. Remove "
                "it; it is for invoices in another currency."
            ),
        )
    if (in_other is not None) != bool(other):
        yield (
            "R054",
            "BT-111",
            (
                "The VAT total in the currency of accounting (BT-111) and that currency (BT-6) belong "
                "together, but one of them is missing. Add it, or remove the other."
            ),
        )
    if tax is not None and in_other is not None and (tax < 0) != (in_other < 0):
        yield (
            "R055",
            "BT-111",
            (
                f"The VAT total is {tax} (BT-110), but {in_other} in the currency of accounting "
                "(BT-111). Give both the same sign."
            ),
        )


def _discounts(document, profile):
    """Yield faults of discounts and charges whose amount, base and percentage do not fit."""
    parts = [
        (name, part.amount, part.base, part.percent, "BT-99" if is_charge else "BT-92")
        for name, part, is_charge in adjustments(document)
    ]
    parts += [
        (
            f"{name_of_line(number, line)}: the discount",
            line.discount,
            line.discount_base,
            line.discount_percent,
            "BT-136",
        )
        for number, line in enumerate(document.lines, start=1)
    ]
    for name, amount, base, percent, term in parts:
        if percent is not None and base is None:
            yield (
                "R041",
                term,
                f"{name} has a percentage of {percent} % but no base. Add it, or remove the percentage.",
            )
        elif base is not None and percent is None:
            yield (
                "R042",
                term,
                f"{name} has a base of {base} but no percentage. Add it, or remove the base.",
            )
        elif base is not None and amount is not None:
            ought = base * percent / 100
            if abs(amount - ought) > slack(document.currency, profile):
                yield (
                    "R040",
                    term,
                    (
                        f"{name} is {amount}, but {percent} % of {base} is {ought:.2f}. Correct it, or "
                        "leave out percentage and base."
                    ),
                )


def _lines(document):
    for number, line in enumerate(document.lines, start=1):
        name = name_of_line(number, line)
        if line.price_quantity is not None and line.price_quantity <= Decimal(0):
            yield (
                "R121",
                "BT-149",
                (
                    f"{name}: the price is for {line.price_quantity} units (BT-149). The number must "
                    "be more than 0."
                ),
            )
        if line.price_unit and line.price_unit != line.unit:
            yield (
                "R130",
                "BT-150",
                (
                    f"{name}: the price is per {line.price_unit} (BT-150), but the quantity has the "
                    f"unit {line.unit} (BT-130). Use the same unit."
                ),
            )
        if (
            line.service_from
            and document.service_from
            and line.service_from < document.service_from
        ):
            yield (
                "R110",
                "BT-134",
                (
                    f"{name}: its period begins on {line.service_from}, before that of the invoice "
                    f"({document.service_from}). Correct one."
                ),
            )
        if line.service_to and document.service_to and line.service_to > document.service_to:
            yield (
                "R111",
                "BT-135",
                (
                    f"{name}: its period ends on {line.service_to}, after that of the invoice "
                    f"({document.service_to}). Correct one."
                ),
            )


def _only_peppol(document):
    if len(document.notes) > 1 and not document.seller.country == document.buyer.country == "DE":
        yield Fault(
            RULE + "R002",
            "BT-22",
            f"The invoice has {len(document.notes)} notes. Peppol allows one: join them.",
        )
    if not (document.buyer_reference or document.order_reference):
        yield missing(
            RULE + "R003", "BT-10", "reference of the buyer", "Add it, or an order number (BT-13)."
        )
    if document.profile and not document.profile.startswith(profiles.IDS[profiles.PEPPOL]):
        yield Fault(
            RULE + "R004",
            "BT-24",
            f"The specification (BT-24) is {document.profile[:150]!r}. It must be "
            f"{profiles.IDS[profiles.PEPPOL]}.",
        )
    if document.process and not PROCESS.fullmatch(document.process):
        yield Fault(
            RULE + "R007",
            "BT-23",
            f"The business process (BT-23) is {document.process[:100]!r}. It must be "
            f"{profiles.PROCESS}.",
        )
    for term, who, party in (
        ("BT-34", "seller", document.seller),
        ("BT-49", "buyer", document.buyer),
    ):
        if party.address and party.address_scheme not in (None, *codes.PEPPOL_ADDRESS_SCHEMES):
            yield Fault(
                RULE + "CL008",
                term,
                f"The scheme of the electronic address of the {who} ({term}) is "
                f"{party.address_scheme[:60]!r}, which Peppol does not deliver to. {PEPPOL_ID}",
            )
    yield from faults_of_registers(document)


# Scheme -> rule
RULES = {
    "0088": "R040",
    "0192": "R041",
    "0184": "R042",
    "0208": "R043",
    "0007": "R049",
    "0151": "R050",
    "0096": "R052",
    "0198": "R053",
    "0106": "R054",
    "0190": "R055",
    "9944": "R056-1",
}


def faults_of_registers(document):
    """Yield the faults of the electronic addresses and ids of seller and buyer that have a scheme
    of RULES.
    """
    seller, buyer = document.seller, document.buyer
    for term, scheme, number in (
        ("BT-34", seller.address_scheme, seller.address),
        ("BT-49", buyer.address_scheme, buyer.address),
        ("BT-29", seller.id_scheme, seller.id),
        ("BT-46", buyer.id_scheme, buyer.id),
    ):
        if scheme not in RULES or not number:
            continue
        name, description, is_right = NUMBERS[scheme]
        if not is_right(number):
            yield Fault(
                f"PEPPOL-COMMON-{RULES[scheme]}",
                term,
                f"The {name} {number[:60]!r} ({term}, scheme {scheme}) "
                f"must have {description}. Correct it.",
            )
