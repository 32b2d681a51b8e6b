"""Rules on amounts: BR-CO-10 to BR-CO-17, the number of decimals (BR-DEC-*), and sums to the cent
(SUM).

The rules of EN 16931 let the VAT of a rate differ by 1.00, and those of Peppol a line by 0.02.
Amounts that differ at all are warnings of the rule SUM.
"""

from decimal import ROUND_HALF_UP, Decimal

from eventapi.domain.einvoices.profiles import EN16931, PEPPOL
from eventapi.domain.einvoices.rules.faults import Fault, adjustments, name_of_line

ZERO = Decimal(0)
CENT = Decimal("0.01")
HALF = Decimal("0.5")
SLACK = Decimal("0.02")
SLACK_HUF = Decimal("0.5")
# currencies that are rounded to whole units
WHOLE = (
    "JPY",
    "KRW",
    "HUF",
    "ISK",
    "CLP",
    "VND",
    "XAF",
    "XOF",
    "XPF",
)
# (rule, term, field) of the amounts of a document
TOTALS = (
    ("BR-DEC-09", "BT-106", "line_total"),
    ("BR-DEC-10", "BT-107", "allowance_total"),
    ("BR-DEC-11", "BT-108", "charge_total"),
    ("BR-DEC-12", "BT-109", "net_total"),
    ("BR-DEC-13", "BT-110", "tax_total"),
    ("BR-DEC-14", "BT-112", "total"),
    ("BR-DEC-15", "BT-111", "tax_total_in_tax_currency"),
    ("BR-DEC-16", "BT-113", "prepaid"),
    ("BR-DEC-17", "BT-114", "rounding"),
    ("BR-DEC-18", "BT-115", "payable"),
)
OF_TAX = (("BR-DEC-19", "BT-116", "net"), ("BR-DEC-20", "BT-117", "tax"))
OF_LINE = (
    ("BR-DEC-23", "BT-131", "net"),
    ("BR-DEC-24", "BT-136", "discount"),
    ("BR-DEC-25", "BT-137", "discount_base"),
    ("BR-DEC-27", "BT-141", "charge"),
)
OF_ALLOWANCE = (("BR-DEC-01", "BT-92", "amount"), ("BR-DEC-02", "BT-93", "base"))
OF_CHARGE = (("BR-DEC-05", "BT-99", "amount"), ("BR-DEC-06", "BT-100", "base"))


def faults(document, profile):
    """Yield the faults of a document."""
    yield from _totals(document)
    for tax in document.taxes:
        yield from _tax(tax, document.currency)
    for number, line in enumerate(document.lines, start=1):
        yield from _line(line, name_of_line(number, line), document.currency, profile)
    yield from _decimals(document)


def slack(currency, profile):
    """Return by how much a line or a discount may differ.

    XRechnung allows more in forints, Peppol does not.
    """
    return SLACK_HUF if currency == "HUF" and profile != PEPPOL else SLACK


def _sum(parts, field):
    return sum((getattr(part, field) or ZERO for part in parts), ZERO)


def _totals(document):
    """Yield a fault for each total that is not the sum of its parts."""
    for rule, term, sentence in differences(document):
        yield Fault(rule, term, f"{sentence} Correct it.")


def differences(document, third_party=ZERO):
    """Yield (rule, term, sentence) for each total that is not the sum of its parts.

    `third_party` is what is paid for third parties together with the invoice (BG-DEX-09).
    """
    others = " plus the payments for third parties (BT-DEX-002)" if third_party else ""

    def value(field):
        return getattr(document, field) or ZERO

    for rule, term, what, field, parts, ought in (
        (
            "BR-CO-10",
            "BT-106",
            "sum of the lines",
            "line_total",
            "the lines (BT-131)",
            _sum(document.lines, "net"),
        ),
        (
            "BR-CO-11",
            "BT-107",
            "sum of discounts",
            "allowance_total",
            "the discounts (BT-92)",
            _sum(document.allowances, "amount"),
        ),
        (
            "BR-CO-12",
            "BT-108",
            "sum of charges",
            "charge_total",
            "the charges (BT-99)",
            _sum(document.charges, "amount"),
        ),
        (
            "BR-CO-13",
            "BT-109",
            "total without VAT",
            "net_total",
            "lines less discounts plus charges",
            value("line_total") - value("allowance_total") + value("charge_total"),
        ),
        (
            "BR-CO-14",
            "BT-110",
            "VAT total",
            "tax_total",
            "the VAT of all rates (BT-117)",
            _sum(document.taxes, "tax"),
        ),
        (
            "BR-CO-15",
            "BT-112",
            "total with VAT",
            "total",
            "the total without VAT (BT-109) plus the VAT (BT-110)",
            value("net_total") + value("tax_total"),
        ),
        (
            "BR-CO-16",
            "BT-115",
            "amount due",
            "payable",
            f"the total (BT-112) less what was paid (BT-113) plus the rounding (BT-114){others}",
            value("total") - value("prepaid") + value("rounding") + third_party,
        ),
    ):
        if value(field) != ought:
            yield (
                rule,
                term,
                f"The {what} ({term}) is {value(field)}, but {parts} result in {ought}.",
            )


def _rounded(number, currency):
    return number.quantize(Decimal(1) if currency in WHOLE else CENT, ROUND_HALF_UP)


def _tax(tax, currency):
    if None in (tax.net, tax.tax, tax.rate):
        return
    exact = tax.net * tax.rate / 100
    ought = _rounded(exact, currency)
    detail = (
        f"The VAT of category {tax.category} {tax.rate} % (BT-117) is {tax.tax}, but {tax.rate} % of {tax.net} "
        f"is {ought}. Correct it."
    )
    if abs(tax.tax - ought) > 1:
        yield Fault("BR-CO-17", "BT-117", detail)
    elif 0 < tax.rate < HALF and abs(tax.tax) >= HALF:
        yield Fault(
            "BR-CO-17",
            "BT-119",
            f"The rate of category {tax.category} (BT-119) is {tax.rate} %. The rules of "
            f"EN 16931 round it to 0 % and refuse its VAT of {tax.tax} (BT-117). Use a rate of 0.5 % or more.",
        )
    elif tax.tax not in (ought, _rounded(exact, None)):
        yield Fault("SUM", "BT-117", detail, True)


def _line(line, name, currency, profile):
    """Yield a fault if the net amount of a line is not quantity times price less discount plus
    charge.

    Only Peppol refuses that, also if the amount is rounded to whole units of a currency without
    decimals.
    """
    if None in (line.net, line.quantity, line.price):
        return
    gross = line.quantity * line.price / (line.price_quantity or 1)
    ought = gross - (line.discount or ZERO) + (line.charge or ZERO)
    if abs(line.net - ought) <= slack(currency, profile):
        return
    if line.net != _rounded(ought, currency):
        yield Fault(
            "SUM" if profile == EN16931 else "PEPPOL-EN16931-R120",
            "BT-131",
            f"{name}: the net amount "
            f"(BT-131) is {line.net}, but quantity times price less discount is {_rounded(ought, currency)}. "
            "Correct it.",
            profile != PEPPOL,
        )
    elif profile == PEPPOL:
        yield Fault(
            "PEPPOL-EN16931-R120",
            "BT-131",
            f"{name}: the net amount (BT-131) is {line.net}, but quantity "
            f"times price less discount is {_rounded(ought, None)}. Peppol allows a difference of 0.02, also "
            f"in {currency}. Use a quantity and a price whose product is a whole number.",
        )


def _decimals(document):
    records = [(TOTALS, "The invoice", document)]
    records += [(OF_TAX, f"VAT category {tax.category}", tax) for tax in document.taxes]
    records += [
        (OF_LINE, name_of_line(number, line), line)
        for number, line in enumerate(document.lines, start=1)
    ]
    records += [
        (OF_CHARGE if is_charge else OF_ALLOWANCE, name, part)
        for name, part, is_charge in adjustments(document)
    ]
    for terms, name, record in records:
        for rule, term, field in terms:
            number = getattr(record, field)
            if number is not None and number.as_tuple().exponent < -2:
                yield Fault(
                    rule,
                    term,
                    f"{name}: the amount {number} ({term}) has more than two decimals. Round it; "
                    "EN 16931 allows two in every currency.",
                )
