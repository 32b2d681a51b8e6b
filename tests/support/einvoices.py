"""Random documents of EN 16931 that comply with all its rules, computed as the norm says and not by
our own code.
"""

import random
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from eventapi.domain.einvoices.model import Allowance, Document, Line, Party, Tax
from eventapi.domain.einvoices.profiles import IDS, PROCESS

ZERO = Decimal(0)
RATES = {
    "S": ("19", "7", "8.1", "20", "5.5"),
    "Z": ("0",),
    "E": ("0",),
    "AE": ("0",),
    "K": ("0",),
    "G": ("0",),
    "O": (None,),
}
MIXES = (
    "S",
    "S",
    "SS",
    "SSS",
    "SZ",
    "SE",
    "SZE",
    "Z",
    "E",
    ["AE"],
    ["AE", "S"],
    "K",
    "G",
    "O",
    "KS",
    "GZ",
)
REASONS = {
    "E": (None, "Steuerfrei nach § 4 Nr. 22 UStG"),
    "AE": ("VATEX-EU-AE", "Reverse charge"),
    "K": ("VATEX-EU-IC", "Intra-community supply"),
    "G": ("VATEX-EU-G", "Export outside the EU"),
    "O": ("VATEX-EU-O", "Not subject to VAT"),
}
UNITS = ("C62", "MTK", "HUR", "DAY", "KGM", "LS", "XPK", "IE", "KWH")
TEXTS = (
    "Standfläche Halle 3",
    "Strom & Wasser <32 A>",
    'Möbel "Größe L"',
    "Catalogue entry",
    "Żółta gęś, 名札",
    "Katering ☕ 🎪",
    "Line one\nline two",
    "50 % Anzahlung",
    "-",
    "]]> <!-- no comment -->",
)
SELLER = Party(
    name="Messe Beispiel GmbH & Co. KG",
    register_number="HRB 4711",
    vat_id="DE136695976",
    tax_number="231/123/45678",
    address="rechnung@messe.example",
    address_scheme="EM",
    street="Am Markt 1",
    street_2="Haus B",
    city="Leipzig",
    postal_code="04109",
    country="DE",
    contact_name="Rechnungswesen",
    contact_phone="+49 341 555010",
    contact_email="rechnung@messe.example",
)
BUYERS = (
    Party(
        name="Bergmann & Söhne GmbH",
        id="C-00042",
        vat_id="DE123456788",
        address="991-33333TEST-33",
        address_scheme="0204",
        street="Hauptstraße 12",
        street_2="3. OG",
        street_3="Zimmer 7",
        city="Berlin",
        postal_code="10115",
        region="Berlin",
        country="DE",
        contact_name="Frau Å. Ø'Neill",
    ),
    Party(
        name="Ville de Lyon",
        id="4012345000009",
        id_scheme="0088",
        vat_id="FR40303265045",
        address="4012345000009",
        address_scheme="0088",
        street="1 Place de la Comédie",
        city="Lyon",
        postal_code="69001",
        country="FR",
    ),
    Party(
        name="Γιάννης & Υιοί",
        vat_id="EL094259216",
        address="kunde@kunde.example",
        address_scheme="EM",
        street="Οδός 1",
        city="Αθήνα",
        postal_code="105 57",
        country="GR",
        contact_phone="+30 210 1234567",
        contact_email="kunde@kunde.example",
    ),
)


def _delivered(party, profile):
    """Return the party, over Peppol with its VAT id instead of an e-mail address
    (PEPPOL-EN16931-CL008).
    """
    scheme = {"DE": "9930", "EL": "9933"}.get(party.vat_id[:2])
    is_mail = profile == "peppol" and party.address_scheme == "EM"
    return replace(party, address=party.vat_id, address_scheme=scheme) if is_mail else party


def rounded(number, currency="EUR"):
    """Return an amount rounded half away from zero to the decimals of its currency."""
    return number.quantize(Decimal(1) if currency == "JPY" else Decimal("0.01"), ROUND_HALF_UP)


def document(seed, profile="en16931"):
    """Return a random document. The same seed gives the same document."""
    dice = random.Random(f"{profile} {seed}")
    # Over Peppol, an amount that is rounded to whole yen is a fault (PEPPOL-EN16931-R120).
    currency = dice.choice(
        ("EUR", "EUR", "EUR", "CHF", "USD", "GBP", "SEK" if profile == "peppol" else "JPY")
    )
    groups = list(
        dict.fromkeys((category, dice.choice(RATES[category])) for category in dice.choice(MIXES))
    )
    is_credit_note = dice.random() < 0.3
    lines = tuple(
        line(dice, number, group, currency, may_be_negative=not is_credit_note)
        for number, group in enumerate(groups + dice.choices(groups, k=dice.randrange(6)), start=1)
    )
    allowances = tuple(
        allowance(dice, dice.choice(groups), currency) for _ in range(dice.choice((0, 0, 1, 2)))
    )
    made = Document(
        profile=IDS[profile],
        process=PROCESS if profile != "en16931" or dice.random() < 0.3 else None,
        number=f"INV-2026-{seed:05d}",
        issue_date="2026-11-20",
        type_code="380",
        currency=currency,
        due_date=dice.choice(("2026-12-04", "2027-01-31")),
        buyer_reference=dice.choice(("PO 4711", "991-33333TEST-33")),
        order_reference=dice.choice((None, "PO-17")),
        terms=dice.choice((None, "Zahlbar ohne Abzug.", "#SKONTO#TAGE=14#PROZENT=2.00#\n")),
        notes=tuple(dice.choices(TEXTS, k=dice.randrange(3 if profile == "en16931" else 2))),
        seller=_delivered(SELLER, profile),
        buyer=_delivered(dice.choice(BUYERS), profile),
        lines=lines,
        allowances=allowances,
    )
    made = with_time(
        dice, with_payment(dice, with_parties(dice, made, {category for category, _ in groups}))
    )
    if is_credit_note:
        made = replace(
            made,
            type_code="381",
            number=f"CN-2026-{seed:05d}",
            preceding=(("INV-2026-00017", dice.choice((None, "2026-10-01"))),),
        )
    made = with_totals(dice, made)
    kind = dice.random()
    if not is_credit_note and kind < 0.2:  # a final invoice, and a deposit
        made = replace(
            made, preceding=(("INV-2026-00003", "2026-03-01"), ("INV-2026-00009", "2026-06-30"))
        )
    elif not is_credit_note and kind < 0.4 and not _is_german(made, profile):
        made = replace(made, type_code="386")
    return made


def _is_german(made, profile):
    """Return whether BR-DE-17 or DE-R-017 holds, which know no 386: in XRechnung, and in Peppol
    between Germans.
    """
    return profile == "xrechnung" or (
        profile == "peppol" and made.seller.country == made.buyer.country == "DE"
    )


def line(dice, number, group, currency, may_be_negative):
    category, rate = group
    quantity = Decimal(
        dice.choice((dice.randrange(1, 40), Decimal(dice.randrange(1, 40000)) / 1000))
    )
    if may_be_negative and dice.random() < 0.1:
        quantity = -quantity
    price = Decimal(dice.randrange(2_000_000)) / dice.choice((100, 10_000))
    gross = rounded(quantity * price, currency)
    terms = {"net": gross}
    # Whole yen are never within 0.02 of a percentage, which PEPPOL-EN16931-R040 requires.
    kind = dice.choice(
        ("none", "fixed") if currency == "JPY" else ("none", "none", "percent", "fixed")
    )
    if kind == "percent":
        percent = dice.choice((Decimal(10), Decimal("12.5"), Decimal("2.75"), Decimal(100)))
        net = rounded(quantity * price * (100 - percent) / 100, currency)
        terms = {
            "net": net,
            "discount": gross - net,
            "discount_base": gross,
            "discount_percent": percent,
            "discount_reason": "Rabatt",
        }
    elif kind == "fixed":
        discount = rounded(gross / 3, currency)
        terms = {"net": gross - discount, "discount": discount, "discount_reason": "Frühbucher"}
    return Line(
        id=str(number),
        name=dice.choice(TEXTS),
        description=dice.choice((None, "Text & <Text>")),
        quantity=quantity,
        unit=dice.choice(UNITS),
        price=price,
        category=category,
        rate=None if rate is None else Decimal(rate),
        **terms,
    )


def allowance(dice, group, currency):
    category, rate = group
    amount = rounded(Decimal(dice.randrange(1, 50_000)) / 100, currency)
    rate = None if rate is None else Decimal(rate)
    if currency == "JPY" or dice.random() < 0.5:
        return Allowance(amount=amount, category=category, rate=rate, reason="Treuerabatt")
    base = rounded(Decimal(dice.randrange(1, 900_000)) / 100, currency)
    percent = Decimal(dice.choice(("3", "7.5")))
    return Allowance(
        amount=rounded(base * percent / 100, currency),
        base=base,
        percent=percent,
        category=category,
        rate=rate,
        reason="Mengenrabatt",
    )


def with_parties(dice, made, categories):
    """Remove the VAT ids in category O, and add the destination of an intra-community supply."""
    if "O" in categories:
        made = replace(
            made,
            seller=replace(made.seller, vat_id=None, tax_number=None),
            buyer=replace(made.buyer, vat_id=None),
        )
    if "K" in categories:
        made = replace(
            made, deliver_to_city="Lyon", deliver_to_postal_code="69001", deliver_to_country="FR"
        )
    if not {"AE", "K", "O"} & categories and dice.random() < 0.3:
        made = replace(made, buyer=replace(made.buyer, vat_id=None))
    return made


def with_payment(dice, made):
    means = dice.choice(("58", "30", "58", "10", "68"))
    made = replace(
        made, means_code=means, remittance=dice.choice((None, made.number, "RF18539007547034"))
    )
    if means in ("58", "30"):
        made = replace(
            made,
            iban="DE02120300000000202051",
            account_name=dice.choice((None, "Messe Beispiel")),
            bic=dice.choice((None, "BYLADEM1001")),
        )
    return made


def with_time(dice, made):
    if dice.random() < 0.5:
        return replace(made, service_date="2027-04-16")
    made = replace(made, service_from="2027-04-16", service_to="2027-04-18")
    lines = tuple(
        replace(part, service_from="2027-04-16", service_to="2027-04-17")
        if dice.random() < 0.2
        else part
        for part in made.lines
    )
    return replace(made, lines=lines)


def with_totals(dice, made):
    """Add the breakdown per category and rate, and all totals, as chapter 6 of EN 16931-1 computes
    them.
    """
    bases = {}
    for part, amount in [(part, part.net) for part in made.lines] + [
        (part, -part.amount) for part in made.allowances
    ]:
        bases[part.category, part.rate] = bases.get((part.category, part.rate), ZERO) + amount
    taxes = tuple(
        Tax(
            category=category,
            rate=rate or ZERO,
            net=base,
            tax=rounded(base * (rate or ZERO) / 100, made.currency),
            reason_code=REASONS.get(category, (None, None))[0],
            reason=REASONS.get(category, (None, None))[1],
        )
        for (category, rate), base in bases.items()
    )
    line_total = sum((part.net for part in made.lines), ZERO)
    allowance_total = sum((part.amount for part in made.allowances), ZERO)
    net_total, tax_total = line_total - allowance_total, sum((tax.tax for tax in taxes), ZERO)
    prepaid = dice.choice(
        (None, None, rounded(Decimal(dice.randrange(10_000)) / 100, made.currency))
    )
    foreign = made.currency != "EUR"
    return replace(
        made,
        taxes=taxes,
        line_total=line_total,
        allowance_total=allowance_total if made.allowances else None,
        net_total=net_total,
        tax_total=tax_total,
        total=net_total + tax_total,
        prepaid=prepaid,
        payable=net_total + tax_total - (prepaid or ZERO),
        tax_currency="EUR" if foreign else None,
        tax_total_in_tax_currency=rounded(tax_total * Decimal("0.9312")) if foreign else None,
    )


# Warnings of the tax treatment (domain/vat/warnings.py), which a test of e-invoices does not look at.
OF_TREATMENT = frozenset(
    "standard_rate_abroad vat_id_abroad vat_id_home no_vat_id_abroad vat_id_invalid business_unproven "
    "vat_id_unchecked treatment_differs small_business_abroad event_abroad".split()
)


def besides_treatment(warnings):
    """Return the warnings without those of the tax treatment."""
    return [warning for warning in warnings if warning["code"] not in OF_TREATMENT]
