"""The customers of the year, and what their invoices contain: every VAT category, discount, unit
and currency.
"""

from tests.books.bank import iban

VAT_IDS = {
    "AT": "ATU13585627",
    "NL": "NL004495445B01",
    "FR": "FR40303265045",
    "BE": "BE0428759497",
    "PL": "PL8567346215",
    "IT": "IT00743110157",
}
CITIES = {
    "DE": ("Leipzig", "04109"),
    "AT": ("Wien", "1010"),
    "NL": ("Utrecht", "3511"),
    "FR": ("Lyon", "69001"),
    "BE": ("Gent", "9000"),
    "PL": ("Gdańsk", "80-001"),
    "IT": ("Milano", "20121"),
    "CH": ("Zürich", "8001"),
    "US": ("Portland", "97201"),
}
NAMES = (
    "Bergmann & Söhne",
    "Rosen Tantau",
    "Baumschule Nord",
    "Gärtnerei Süd",
    "Kräuterhof Ost",
    "Floristik West",
    "Garten Huber",
    "Grünwerk",
    "Stauden Peters",
    "Hof Lindenau",
    "Obstbau Klein",
    "Erdreich",
    "Wasser & Stein",
)
UNITS = ("m²", "piece", "hour", "day", "kWh", "pair", "lump sum", "m", None)
EXEMPT = {
    "tax_rate": 0,
    "tax_category": "E",
    "exemption_reason": "Steuerfrei nach § 4 Nr. 22 UStG",
    "exemption_code": "VATEX-EU-132-1I",
}


def customers():
    """Return the bodies of all contacts, with `kind`: who they are for the taxes."""
    found = []
    for number in range(64):
        kind = ("home", "home", "home", "public", "eu", "home", "export", "home")[number % 8]
        country = {
            "eu": sorted(VAT_IDS)[number // 8 % 6],
            "export": ("CH", "US")[number // 8 % 2],
        }.get(kind, "DE")
        city, postal_code = CITIES[country]
        body = {
            "company_name": f"{NAMES[number % len(NAMES)]} {number} {'GmbH' if country == 'DE' else 'Ltd'}",
            "email": f"accounts{number}@example.org",
            "address": f"Weg {number + 1}",
            "city": city,
            "postal_code": postal_code,
            "country": country,
            "language": "de" if country in "DE AT CH" else "en",
        }
        if kind == "eu":
            body["tax_id"] = VAT_IDS[country]
        if kind == "public":
            body |= {"e_invoice_profile": "xrechnung", "leitweg_id": "04011000-1234512345-06"}
        if number % 16 == 1:
            body["gln"] = "4012345000009"
        found.append({"kind": kind, "body": body, "iban": iban(number + 1), "number": number})
    return found


def items(dice, customer, place):
    """Return (kind, fields of the invoice, items) of the next invoice of a customer.

    `place` counts its kinds.
    """
    kinds = KINDS[customer["kind"]]
    kind, make = kinds[place % len(kinds)]
    fields, lines = make(dice)
    return kind, fields, lines


def line(dice, **fields):
    """Return a line with a quantity and price that need rounding."""
    quantity = dice.choice([1, 2, 3, 12, 12.5, 0.333, 7.125, 48])
    price = dice.choice([9.99, 13, 49.9, 185.5, 189.5, 0.0495, 1250, 33.3333])
    found = {
        "description": dice.choice(
            ["Reihenstand", "Strom", "Katalogeintrag", "Standbau", "Aufbau & Abbau"]
        ),
        "quantity": quantity,
        "unit_price": price,
        "unit": dice.choice(UNITS),
        "tax_rate": 19,
        **fields,
    }
    if dice.random() < 0.3:
        found["discount_percent"] = dice.choice([5, 10, 12.5, 33.33])
    return found


def many(dice, most, **fields):
    return [line(dice, **fields) for _ in range(dice.randint(1, most))]


def big(**fields):
    return {
        "description": "Stand",
        "quantity": 1,
        "unit_price": 2500,
        "unit": "piece",
        "tax_rate": 19,
        **fields,
    }


def fixed(amount, **fields):
    return {
        "description": "Frühbucherrabatt",
        "quantity": -1,
        "unit_price": amount,
        "is_discount": True,
        "tax_rate": 19,
        **fields,
    }


def _export(dice, currency):
    extra = {"currency": currency}
    return extra, [*many(dice, 3, tax_rate=0, tax_category="G"), big(tax_rate=0, tax_category="G")]


KINDS = {
    "home": [
        ("standard", lambda dice: ({}, many(dice, 4))),
        ("two rates", lambda dice: ({}, [*many(dice, 2), *many(dice, 2, tax_rate=7)])),
        (
            "fixed discount",
            lambda dice: ({}, [big(), *many(dice, 2), fixed(dice.choice([50, 99.99]))]),
        ),
        ("exempt", lambda dice: ({}, many(dice, 2, **EXEMPT))),
        (
            "mixed",
            lambda dice: (
                {},
                [
                    *many(dice, 3),
                    line(dice, tax_rate=7),
                    line(dice, **EXEMPT),
                    line(dice, tax_rate=0, tax_category="Z"),
                ],
            ),
        ),
        ("zero", lambda dice: ({}, many(dice, 2, tax_rate=0, tax_category="Z"))),
        ("outside", lambda dice: ({}, many(dice, 2, tax_rate=0, tax_category="O"))),
        (
            "many lines",
            lambda dice: ({}, [line(dice, tax_rate=dice.choice([19, 7])) for _ in range(40)]),
        ),
        (
            "discounts in two rates",
            lambda dice: ({}, [big(), big(tax_rate=7), fixed(100), fixed(33.33, tax_rate=7)]),
        ),
        ("in francs", lambda dice: ({"currency": "CHF"}, many(dice, 2))),
        ("ahead", lambda dice: ({"ahead": True}, [*many(dice, 3), line(dice, tax_rate=7)])),
        ("deposit", lambda dice: ({"is_deposit": True}, [*many(dice, 2), line(dice, tax_rate=7)])),
        (
            "deposit, exempt",
            lambda dice: ({"is_deposit": True}, [*many(dice, 2), line(dice, **EXEMPT)]),
        ),
        (
            "period",
            lambda dice: ({"text": "Vielen Dank & bis bald!", "period": True}, many(dice, 2)),
        ),
    ],
    "public": [
        ("public", lambda dice: ({"buyer_reference": "04011000-1234512345-06"}, many(dice, 4))),
        (
            "public, two rates",
            lambda dice: (
                {"buyer_reference": "04011000-1234512345-06"},
                [*many(dice, 2), *many(dice, 2, tax_rate=7)],
            ),
        ),
        (
            "public, discount",
            lambda dice: ({"buyer_reference": "04011000-1234512345-06"}, [big(), fixed(250)]),
        ),
    ],
    "eu": [
        (
            "deposit, reverse charge",
            lambda dice: ({"is_deposit": True, "is_reverse_charge": True}, many(dice, 2)),
        ),
        ("reverse charge", lambda dice: ({"is_reverse_charge": True}, many(dice, 3))),
        (
            "goods to the EU",
            lambda dice: ({"period": True}, many(dice, 2, tax_rate=0, tax_category="K")),
        ),
        (
            "in dollars, reverse charge",
            lambda dice: ({"is_reverse_charge": True, "currency": "USD"}, many(dice, 2)),
        ),
    ],
    "export": [
        ("export", lambda dice: _export(dice, "EUR")),
        (
            "deposit in francs",
            lambda dice: ({"is_deposit": True, **_export(dice, "CHF")[0]}, _export(dice, "CHF")[1]),
        ),
        ("export in francs", lambda dice: _export(dice, "CHF")),
        ("export in dollars", lambda dice: _export(dice, "USD")),
    ],
}
