"""The amounts of e-invoices agree to the cent with those of the invoices, for every kind of
invoice.

EINVOICE_VALIDATOR may name a program that gets the files of all e-invoices and fails if one of them
is not valid.
"""

import os
import random
import subprocess
from decimal import ROUND_HALF_UP, Decimal

import pytest

from eventapi.domain.einvoices import reading, rules
from eventapi.domain.upkeep import checks
from tests.einvoices_sent.conftest import BUYER, act, xml_of
from tests.einvoices_sent.sums import recomputed

UNITS = [None, "m²", "Stück", "hour", "night"]
TAXES = {
    "S": [{"tax_rate": 19}, {"tax_rate": 7}, {"tax_rate": 5.5}],
    "Z": [{"tax_rate": 0}],
    "E": [
        {"tax_category": "E", "exemption_reason": "§ 4 Nr. 22 UStG"},
        {"tax_category": "E", "exemption_reason": "Lecture", "exemption_code": "VATEX-EU-132-1I"},
    ],
    "AE": [{"tax_category": "AE"}],
    "G": [{"tax_category": "G"}],
    "K": [{"tax_category": "K"}],
    "O": [{"tax_category": "O"}],
}


def item(chance, category):
    """Return a random item, with prices and discounts that round."""
    quantity = chance.choice([1, 2, 12.5, 0.333, 7.125, 1000])
    return {
        "description": chance.choice(
            ["Row stand", "Power connection, 3 kW", "A long text. " * 20, "Two\nlines"]
        ),
        "quantity": quantity,
        "unit": chance.choice(UNITS),
        "unit_price": chance.choice([100, 185.5, 0.0049, 33.3333, 1234.5678, 0]),
        "discount_percent": chance.choice([0, 0, 10, 12.5, 33.33, 100]),
        **chance.choice(TAXES[category]),
    }


def items(chance, category):
    """Return random items: several rates, negative quantities, and discounts on the whole invoice."""
    others = [category] if category == "O" else [category, "S", chance.choice(list(TAXES)[:-1])]
    made = [
        {
            **item(chance, chance.choice(others)),
            "quantity": 20,
            "discount_percent": 0,
            "unit_price": 500,
        }
    ]
    made += [item(chance, chance.choice(others)) for _ in range(chance.randrange(5))]
    if chance.random() < 0.3:
        made.append({**item(chance, category), "quantity": -0.5, "unit_price": 33.3333})
    if chance.random() < 0.5:
        made.append(
            {
                **made[0],
                "quantity": -1,
                "unit_price": chance.choice([50, 7.555]),
                "is_discount": True,
                "description": "Early booking",
            }
        )
    return made


def is_rounded(line):
    """Return whether quantity times price of a line in yen is rounded by more than Peppol allows."""
    gross = Decimal(str(line["quantity"])) * Decimal(str(line["unit_price"]))
    return not line["is_discount"] and abs(
        gross - gross.to_integral_value(ROUND_HALF_UP)
    ) > Decimal("0.02")


def check(organiser, invoice, folder):
    """Check an e-invoice against its invoice (API object), and store its files."""
    xml = xml_of(organiser, invoice)
    computed, stated = recomputed(xml)
    assert stated["lines"] - stated["off"] == stated["net"]
    sign = -1 if invoice["invoice_type"] == "credit_note" else 1
    for name, value in (("net", "subtotal"), ("tax", "tax_total"), ("total", "total")):
        assert stated[name] == sign * Decimal(str(invoice[value])), (
            invoice["invoice_number"],
            name,
        )
    groups = {
        (tax["category"], Decimal(str(tax["rate"]))): sign * Decimal(str(tax["net"]))
        for tax in invoice["taxes"]
    }
    assert stated["groups"] == groups
    if sign == 1:  # a credit note may differ by a cent, to credit exactly what is left
        assert computed == stated
    else:
        assert computed["groups"] == stated["groups"]
        slack = 2 if invoice["currency"] == "JPY" else Decimal("0.02")
        assert all(
            abs(computed["taxes"][key] - tax) <= slack for key, tax in stated["taxes"].items()
        )
        assert stated["total"] == stated["net"] + sum(stated["taxes"].values()) >= 0
    assert [
        fault for fault in rules.check(reading.read(xml), "en16931") if not fault.is_warning
    ] == []
    query = "?profile=peppol&syntax=ubl"
    if invoice["currency"] == "JPY" and any(map(is_rounded, invoice["items"])):
        assert (
            xml_of(organiser, invoice, query, status=409)["faults"][0]["rule"]
            == "PEPPOL-EN16931-R120"
        )
    else:
        assert reading.read(xml_of(organiser, invoice, query)).total == stated["total"]
    for query in ("", "?profile=xrechnung", "?syntax=ubl", "?profile=xrechnung&syntax=ubl"):
        name = f"{invoice['id']}{query.replace('?', '-').replace('&', '-').replace('=', '-')}.xml"
        (folder / name).write_bytes(xml_of(organiser, invoice, query))


@pytest.mark.parametrize("seed", range(14))
def test_invoice_and_document_agree_to_the_cent(organiser, db, settings, tmp_path, seed):
    chance, category = random.Random(seed), list(TAXES)[seed % len(TAXES)]
    settings.exchange_rates = {"CHF": Decimal("1.0637"), "JPY": Decimal("0.0061")}
    # for Peppol in category O, which shows no VAT id
    settings.organiser_electronic_address = "9930:DE136695976"
    contact = organiser.make(
        "/contacts", {**BUYER, "e_invoice_profile": chance.choice(["en16931", "xrechnung"])}
    )
    for currency in ("EUR", chance.choice(["CHF", "JPY"])):
        body = {
            "contact_id": contact["id"],
            "items": items(chance, category),
            "currency": currency,
            "buyer_reference": "PO 4711",
            "text": "Thank you.",
            "is_reverse_charge": category == "AE",
        }
        draft = organiser.make("/invoices", body)
        assert act(organiser, draft, "check")["faults"] == []
        invoice = act(
            organiser,
            draft,
            "send",
            {"payments": [{"amount": 50}]} if chance.random() < 0.3 else None,
        )
        check(organiser, invoice, tmp_path)
        line = invoice["items"][0]
        part = {
            name: line[name]
            for name in (
                "description",
                "unit_price",
                "tax_rate",
                "tax_category",
                "exemption_reason",
                "exemption_code",
            )
        }
        for quantity in (0.333, 1.5):
            note = act(
                organiser,
                invoice,
                "credit",
                {"items": [{**part, "quantity": quantity}]},
                status=201,
            )
            check(organiser, note, tmp_path)
        if not invoice["paid_amount"]:
            cancelled = act(
                organiser,
                organiser.data(f"/invoices/{invoice['id']}"),
                "cancel",
                {"reason": "Twice"},
            )
            check(
                organiser, organiser.data(f"/invoices/{cancelled['related_invoice_id']}"), tmp_path
            )
    assert checks.findings(db) == []
    validator = os.environ.get("EINVOICE_VALIDATOR")
    if validator:
        subprocess.run([validator, *map(str, sorted(tmp_path.glob("*.xml")))], check=True)
