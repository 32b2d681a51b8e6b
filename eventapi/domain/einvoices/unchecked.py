"""What is said of a received e-invoice whose rules are not checked: that they are not, and which
of its amounts do not add up.

An extension of EN 16931 allows what the norm does not, so that the rules of the norm would call
valid invoices wrong. The sums are the same, but for charges, lines and payments that only
extensions have. MINIMUM and BASIC WL of Factur-X have no lines, and are no e-invoices in Germany.
"""

from dataclasses import replace
from decimal import localcontext

from eventapi.domain.einvoices import profiles, structure
from eventapi.domain.einvoices.model import Allowance
from eventapi.domain.einvoices.rules import EXACT, sums
from eventapi.domain.einvoices.rules.sums import ZERO
from eventapi.domain.einvoices.values import find, find_all, local_name, number, text

STATUS = "ram:AssociatedDocumentLineDocument/ram:LineStatusReasonCode"
TOTALS = ("SpecifiedTradeSettlementHeaderMonetarySummation", "LegalMonetaryTotal")
# Kinds of lines of EXTENDED (BT-X-8) that do not count: a group repeats the sum of its lines.
NOT_COUNTED = ("GROUP", "INFORMATION")
NAMES = {profiles.MINIMUM: "MINIMUM", profiles.BASIC_WL: "BASIC WL"}
# The sums of the profiles that have not all of the amounts
COMPARED = {
    profiles.MINIMUM: ("BR-CO-15",),
    profiles.BASIC_WL: (
        "BR-CO-11",
        "BR-CO-12",
        "BR-CO-13",
        "BR-CO-14",
        "BR-CO-15",
        "BR-CO-16",
    ),
}
MAX_DETAIL = 1000  # characters


def warnings(root, document):
    """Return the warnings of a document whose rules are not checked.

    Raise ValueError if an amount is no number.
    """
    profile = profiles.profile_of(document.profile)
    found = [_reason(document, profile)]
    with localcontext(EXACT):
        sentences = [*_ambiguous(root, document), *_differences(root, document, profile)]
    if sentences:
        remedy = "Ask the sender which amounts are right, before you pay."
        detail = f"{' '.join(sentences)[:MAX_DETAIL]} {remedy}"
        found.append({"code": "amounts_differ", "detail": detail})
    return found


def _reason(document, profile):
    """Return the warning that says why the rules are not checked."""
    if profile in profiles.WITHOUT_LINES:
        return {
            "code": "no_e_invoice_in_germany",
            "detail": f"The file has the profile {NAMES[profile]}, which contains no lines. In Germany it is no "
            "e-invoice (Federal Ministry of Finance, 15 October 2024), and its rules are not checked. Ask the "
            "sender for the profile EN 16931, or for an XRechnung.",
        }
    return {
        "code": "not_checked",
        "detail": f"The rules of the specification {(document.profile or '')[:200]!r} are not checked, so "
        "that it is not known whether the invoice is valid. That is no fault of the invoice. Compare it with "
        "the order, as always.",
    }


def _differences(root, document, profile):
    """Yield a sentence for each total that is not the sum of its parts."""
    deal = find(root, "rsm:SupplyChainTradeTransaction")
    is_xrechnung = profile == profiles.XRECHNUNG
    counted = replace(
        document,
        lines=document.lines if is_xrechnung else _counted(deal, document.lines),
        charges=(*document.charges, *_freight(deal)),
    )
    third_party = _third_party(root) if is_xrechnung else ZERO
    compared = COMPARED.get(profile)
    for rule, _, sentence in sums.differences(counted, third_party):
        if compared is None or rule in compared:
            yield sentence


def _counted(deal, lines):
    """Return the lines that count in the sum of the lines (BR-FXEXT-CO-10)."""
    nodes = find_all(deal, "ram:IncludedSupplyChainTradeLineItem")
    if not nodes:
        return lines
    statuses = [text(node, STATUS) for node in nodes]
    return tuple(
        line for line, status in zip(lines, statuses, strict=True) if status not in NOT_COUNTED
    )


def _freight(deal):
    """Return the freight charges of EXTENDED (BT-X-272)."""
    settlement = find(deal, "ram:ApplicableHeaderTradeSettlement")
    return [
        Allowance(amount=number(charge, "ram:AppliedAmount"))
        for charge in find_all(settlement, "ram:SpecifiedLogisticsServiceCharge")
    ]


def _third_party(root):
    """Return the sum of the payments for third parties in the extension of XRechnung (BT-DEX-002)."""
    found = [number(node, "cbc:PaidAmount") for node in find_all(root, "cac:PrepaidPayment")]
    return sum((amount for amount in found if amount is not None), ZERO)


def _ambiguous(root, document):
    """Yield a sentence for each amount that programs would read differently."""
    if found := structure.other_currency(root, {document.currency, document.tax_currency}):
        name, currency = found
        yield (
            f"{name[:60]} is an amount in {currency[:60]!r}, but the currency of the invoice is "
            f"{(document.currency or '')[:60]!r}."
        )
    if structure.has_undecided_adjustment(root):
        yield (
            "An amount does not say whether it is a discount or a charge (ChargeIndicator), and counts as a discount."
        )
    seen = {}
    for total in _totals(root):
        name, value = local_name(total), (total.text or "").strip()
        first = seen.setdefault((name, total.get("currencyID")), value)
        if value != first:
            yield f"{name[:60]} stands twice, as {first[:60]!r} and as {value[:60]!r}."


def _totals(root):
    """Return the elements of the totals of an invoice."""
    return [child for node in root.iter() if local_name(node) in TOTALS for child in node]
