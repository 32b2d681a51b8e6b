"""Rules of the VAT categories: BR-S-*, BR-Z-*, BR-E-*, BR-AE-*, BR-IC-*, BR-G-*, BR-O-*, and those
of Spain.
"""

from decimal import Decimal

from eventapi.domain.einvoices import exemptions
from eventapi.domain.einvoices.profiles import PEPPOL
from eventapi.domain.einvoices.rules.faults import Fault, adjustments, name_of_line

ZERO = Decimal(0)
# Category -> prefix of its rules
PREFIXES = {
    "S": "BR-S",
    "Z": "BR-Z",
    "E": "BR-E",
    "AE": "BR-AE",
    "K": "BR-IC",
    "G": "BR-G",
    "O": "BR-O",
    "L": "BR-AF",
    "M": "BR-AG",
}
WITH_TAX = ("S", "L", "M")  # categories that may have several breakdowns, one per rate
WITHOUT_REASON = ("S", "Z", "L", "M")
# Reason codes that belong to one category, and the rule of Peppol that says so
FIXED = {
    "VATEX-EU-G": "P0104",
    "VATEX-EU-O": "P0105",
    "VATEX-EU-IC": "P0106",
    "VATEX-EU-AE": "P0107",
    "VATEX-EU-D": "P0108",
    "VATEX-EU-F": "P0109",
    "VATEX-EU-I": "P0110",
    "VATEX-EU-J": "P0111",
}


def faults(document, profile):
    """Yield the faults of a document. Unknown categories are faults of their own (BR-CL-17 and
    -18).
    """
    parts = list(_parts(document))
    yield from _breakdowns(document, parts)
    for place, rule, name, part in parts:
        if part.category in PREFIXES:
            yield from _parties(
                document, part.category, f"{PREFIXES[part.category]}-{rule:02d}", name
            )
            yield from _rate(part, f"{PREFIXES[part.category]}-{rule + 3:02d}", place, name)
    bases = {}
    for _, rule, _, part in parts:
        group = _group(part)
        bases[group] = bases.get(group, ZERO) + _signed(part, rule)
    for tax in document.taxes:
        if tax.category in PREFIXES:
            yield from _tax(tax, bases.get(_group(tax), ZERO))
            yield from _reason(tax, profile)
    if any(tax.category == "K" for tax in document.taxes):
        yield from _intra_community(document)


def _parts(document):
    """Yield (term of the rate, number of the rule on the parties, name, part) of each line,
    discount and charge.
    """
    for number, line in enumerate(document.lines, start=1):
        yield "BT-152", 2, name_of_line(number, line), line
    for name, part, is_charge in adjustments(document):
        yield ("BT-103", 4, name, part) if is_charge else ("BT-96", 3, name, part)


def _breakdowns(document, parts):
    """Yield faults of categories without a breakdown, with several, or beside category O."""
    used = [part.category for _, _, _, part in parts]
    broken_down = [tax.category for tax in document.taxes]
    for category in dict.fromkeys(found for found in (*used, *broken_down) if found in PREFIXES):
        count, rule = broken_down.count(category), f"{PREFIXES[category]}-01"
        if not count:
            yield Fault(
                rule,
                "BG-23",
                f"Items have VAT category {category}, but the VAT breakdown (BG-23) does not "
                "contain it. Add a breakdown of this category.",
            )
        elif count > 1 and category not in WITH_TAX:
            yield Fault(
                rule,
                "BG-23",
                f"The VAT breakdown (BG-23) contains category {category} {count} times. Add "
                "them up to one, and join their reasons.",
            )
        elif category not in used and category not in WITH_TAX:
            yield Fault(
                rule,
                "BG-23",
                f"The VAT breakdown (BG-23) contains category {category}, but no line, discount "
                "or charge has it. Remove it.",
            )
    if "O" in broken_down:
        others = sorted({found for found in (*used, *broken_down) if found and found != "O"})
        for rule, found in (
            ("BR-O-11", broken_down),
            ("BR-O-12", [line.category for line in document.lines]),
            ("BR-O-13", [part.category for part in document.allowances]),
            ("BR-O-14", [part.category for part in document.charges]),
        ):
            if set(found) - {"O", None, ""}:
                yield Fault(
                    rule,
                    "BT-118",
                    "Category O (not subject to VAT) cannot be combined with other categories "
                    f"on one invoice, but it contains {', '.join(others)} too. Write two invoices.",
                )


def _parties(document, category, rule, name):
    """Yield a fault if a party lacks the number that a category requires, or has one that category
    O forbids.
    """
    seller, buyer = document.seller, document.buyer
    vat_id = seller.vat_id or document.representative_vat_id
    if category == "O":
        owners = [
            f"{who} ({term})"
            for who, term, number in (
                ("the seller", "BT-31", vat_id),
                ("the buyer", "BT-48", buyer.vat_id),
            )
            if number
        ]
        if owners:
            yield Fault(
                rule,
                "BT-31" if vat_id else "BT-48",
                f"{name} has VAT category O (not subject to VAT), so "
                f"that the invoice must not contain a VAT id, but it has that of {' and '.join(owners)}. "
                "Remove it, or use another category.",
            )
        return
    if not (vat_id or (seller.tax_number and category not in ("K", "G"))):
        kinds = (
            "VAT id (BT-31)" if category in ("K", "G") else "VAT id (BT-31) or tax number (BT-32)"
        )
        yield Fault(
            rule,
            "BT-31",
            f"{name} has VAT category {category}, which requires the {kinds} of the seller. Add "
            "it.",
        )
    if category in ("AE", "K") and not (
        buyer.vat_id or (category == "AE" and buyer.register_number)
    ):
        yield Fault(
            rule,
            "BT-48",
            f"{name} has VAT category {category}, which requires the VAT id of the buyer "
            "(BT-48). Add it.",
        )


def _rate(part, rule, term, name):
    """Yield a fault if the rate of a line, a discount or a charge does not fit its category."""
    if part.category == "O":
        if part.rate is not None:
            yield Fault(
                rule,
                term,
                f"{name} has VAT category O (not subject to VAT) and a rate of {part.rate} % "
                f"({term}). Remove the rate: category O has none.",
            )
    elif part.rate is None:
        yield Fault(
            rule, term, f"{name} has VAT category {part.category} but no rate ({term}). Add it."
        )
    elif part.category == "S" and part.rate <= 0:
        yield Fault(
            rule,
            term,
            f"{name} has VAT category S and a rate of {part.rate} % ({term}). The rate must be "
            "more than 0; an item without VAT has category Z, E, AE, K, G or O.",
        )
    elif part.category not in WITH_TAX and part.rate != 0:
        yield Fault(
            rule,
            term,
            f"{name} has VAT category {part.category} and a rate of {part.rate} % ({term}). The "
            "rate must be 0; an item with VAT has category S.",
        )


def _group(part):
    """Return the breakdown that a line, a discount or a charge belongs to: category and, with tax,
    the rate.
    """
    return part.category, (part.rate or ZERO) if part.category in WITH_TAX else None


def _tax(tax, base):
    """Yield faults of the base and of the amount of a breakdown.

    `base` is the sum of what belongs to it.
    """
    prefix, of_rate = PREFIXES[tax.category], f" {tax.rate} %" if tax.category in WITH_TAX else ""
    if (
        tax.net is not None
        and tax.net != base
        and (tax.rate is not None or tax.category not in WITH_TAX)
    ):
        yield Fault(
            f"{prefix}-08",
            "BT-116",
            f"The taxable amount of VAT category {tax.category}{of_rate} (BT-116) is "
            f"{tax.net}, but its lines less discounts plus charges are {base}. Correct it.",
        )
    if tax.category not in WITH_TAX and tax.rate:
        yield Fault(
            "SUM",
            "BT-119",
            f"The rate of VAT category {tax.category} (BT-119) is {tax.rate} %. It must be 0; "
            "items with VAT have category S.",
        )
    if tax.tax is None:
        return
    if tax.category not in WITH_TAX:
        if tax.tax != 0:
            yield Fault(
                f"{prefix}-09",
                "BT-117",
                f"The VAT of category {tax.category} (BT-117) is {tax.tax}. It must "
                "be 0; items with VAT have category S.",
            )
    elif (
        tax.net is not None
        and tax.rate is not None
        and abs(tax.tax - tax.net * tax.rate / 100) >= 1
    ):
        yield Fault(
            f"{prefix}-09",
            "BT-117",
            f"The VAT of category {tax.category}{of_rate} (BT-117) is {tax.tax}, but "
            f"{tax.rate} % of {tax.net} is {tax.net * tax.rate / 100:.2f}. Correct it.",
        )


def _signed(part, rule):
    """Return the amount of a line, a discount (rule 3) or a charge, as it counts in the base of its
    category.
    """
    if rule == 2:
        return part.net or ZERO
    return -(part.amount or ZERO) if rule == 3 else part.amount or ZERO


def _reason(tax, profile):
    """Yield faults of the reason why a category has no VAT."""
    rule = f"{PREFIXES[tax.category]}-10"
    has_reason = bool(tax.reason or tax.reason_code)
    if tax.category in WITHOUT_REASON and has_reason:
        yield Fault(
            rule,
            "BT-120",
            f"VAT category {tax.category} has a reason for being without VAT: "
            f"{(tax.reason or tax.reason_code)[:100]!r}. Remove it; only E, AE, K, G and O have one.",
        )
    elif tax.category not in WITHOUT_REASON and not has_reason:
        code = exemptions.code(tax.category)
        yield Fault(
            rule,
            "BT-120",
            f"VAT category {tax.category} has neither a reason (BT-120) nor its code (BT-121). "
            + (
                f"Add {code} and {exemptions.reason(tax.category)!r}."
                if code
                else "Add the reason, such as the section of the law."
            ),
        )
    expected = exemptions.category_of(tax.reason_code)
    if has_reason and expected and expected != tax.category and tax.reason_code in FIXED:
        yield Fault(
            f"PEPPOL-EN16931-{FIXED[tax.reason_code]}",
            "BT-121",
            f"The reason code {tax.reason_code} (BT-121) "
            f"belongs to VAT category {expected}, but stands in category {tax.category}. Correct one of them.",
            profile != PEPPOL,
        )


def _intra_community(document):
    if not (document.service_date or document.service_from or document.service_to):
        yield Fault(
            "BR-IC-11",
            "BT-72",
            "An intra-community supply (VAT category K) requires the date of delivery "
            "(BT-72) or a period (BG-14). Add it.",
        )
    if not document.deliver_to_country:
        yield Fault(
            "BR-IC-12",
            "BT-80",
            "An intra-community supply (VAT category K) requires the country of delivery "
            "(BT-80). Add it as two letters, such as FR.",
        )
