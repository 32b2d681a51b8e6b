"""The notes that say why an invoice charges no tax: their words by law, and that no page shows a code
of a tax category.
"""

import re

import pytest

from eventapi.pictures import fonts, tax_notes
from tests.domain.test_deposits import Clerk, clock  # noqa: F401  a fixture
from tests.domain.test_taxes import BUYER
from tests.pictures.test_invoice_pdf import texts

CHARGE = "Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge)"
ABROAD = "Nicht steuerbar: Der Ort der Leistung liegt im Ausland"
# seller, buyer, category, language -> note: design of money, 2.2, notes 1 and 2
WORDS_OF_THE_LAW = [
    ("DE", "AT", "AE", "de", CHARGE),
    ("CH", "AT", "AE", "de", CHARGE),
    ("NL", "AT", "AE", "de", CHARGE),
    (
        "AT",
        "DE",
        "AE",
        "de",
        "Übergang der Steuerschuld auf den Leistungsempfänger (Reverse Charge)",
    ),
    ("DE", "AT", "AE", "en", "Reverse charge: the customer is liable for the VAT"),
    ("AT", "DE", "AE", "en", "Reverse charge: the customer is liable for the VAT"),
    ("DE", "CH", "O", "de", f"{ABROAD} (§ 3a Abs. 2 UStG)"),
    (None, "CH", "O", "de", f"{ABROAD} (§ 3a Abs. 2 UStG)"),
    ("AT", "CH", "O", "de", f"{ABROAD} (§ 3a Abs. 6 UStG 1994)"),
    ("CH", "DE", "O", "de", f"{ABROAD} (Art. 8 Abs. 1 MWSTG)"),
    ("LI", "DE", "O", "de", f"{ABROAD} (Art. 8 Abs. 1 MWSTG)"),
    ("NL", "CH", "O", "de", f"{ABROAD} (Art. 44, 196 der Richtlinie 2006/112/EG)"),
    ("GR", "CH", "O", "de", f"{ABROAD} (Art. 44, 196 der Richtlinie 2006/112/EG)"),
    ("US", "CH", "O", "de", ABROAD),
    ("GB", "CH", "O", "de", ABROAD),
    ("DE", "CH", "O", "en", "Outside the scope of VAT: the place of supply is abroad"),
    ("US", "CH", "O", "en", "Outside the scope of VAT: the place of supply is abroad"),
    (
        "NL",
        "CH",
        "O",
        "en",
        "Outside the scope of VAT: the place of supply is abroad (Art. 44, 196 of Directive 2006/112/EC)",
    ),
    # the place of supply is not abroad: damages, for instance
    ("DE", "DE", "O", "de", "Nicht steuerbar"),
    ("DE", None, "O", "en", "Not subject to VAT"),
    ("CH", "LI", "O", "de", "Nicht steuerbar"),
    ("LI", "CH", "O", "de", "Nicht steuerbar"),
    # as before
    ("DE", "US", "G", "de", "Steuerfreie Ausfuhr in ein Drittland"),
    ("DE", "AT", "K", "en", "Intra-Community supply, exempt from VAT"),
    ("DE", "DE", "E", "de", "Steuerfrei"),
    ("DE", "DE", "S", "de", ""),
]


@pytest.mark.parametrize("seller, buyer, category, language, expected", WORDS_OF_THE_LAW)
def test_a_note_has_the_words_of_the_law_of_the_seller(seller, buyer, category, language, expected):
    tax = {"category": category, "rate": 0, "reason": None}
    found = tax_notes.of_group(tax, {"country": seller}, {"country": buyer}, language)
    assert found == expected


@pytest.mark.parametrize(
    "category, reason, expected",
    [
        ("AE", "Reverse charge", CHARGE),
        ("AE", "§ 13b UStG", f"{CHARGE}: § 13b UStG"),
        ("AE", "Steuerschuldnerschaft des Leistungsempfängers", CHARGE),
        ("O", "Not subject to VAT; Schadensersatz", "Nicht steuerbar: Schadensersatz"),
        ("E", "§ 4 Nr. 22 UStG", "Steuerfrei: § 4 Nr. 22 UStG"),
        ("E", "Steuerfrei nach § 4 Nr. 22 UStG", "Steuerfrei nach § 4 Nr. 22 UStG"),
        ("E", "§ 4 Nr. 20 UStG; § 4 Nr. 22 UStG", "Steuerfrei: § 4 Nr. 20 UStG; § 4 Nr. 22 UStG"),
    ],
)
def test_the_reason_of_the_organiser_follows_the_usual_one(category, reason, expected):
    tax = {"category": category, "rate": 0, "reason": reason}
    assert tax_notes.of_group(tax, {"country": "DE"}, {"country": "CH"}, "de") == expected


def test_each_reason_stands_once():
    groups = [
        ("AE", None),
        ("E", "§ 4"),
        ("S", None),
        ("Z", "Nullsteuersatz"),
        ("X", "Steuerfrei: § 4"),
    ]
    taxes = [{"category": name, "rate": 0, "reason": reason} for name, reason in groups]
    notes = tax_notes.Notes({"taxes": taxes}, {"country": "DE"}, {"country": "AT"}, "de")
    assert notes.texts == [f"¹ {CHARGE}", "² Steuerfrei: § 4", "³ Nullsteuersatz"]
    marks = [notes.mark(name, 0) for name, _ in groups]
    assert marks == [" ¹", " ²", "", " ³", " ²"]


def test_raised_digits_are_drawn_by_an_installed_font(monkeypatch):
    pytest.importorskip("reportlab")
    assert fonts.raised(1) == "¹" and fonts.raised(3) == "³"
    if fonts.installed(fonts.EUROPE):
        assert fonts.raised(45) == "⁴⁵"
    monkeypatch.setattr(
        fonts, "_face_of", lambda char, bold: "Helvetica" if char in "¹²³" else None
    )
    assert (fonts.raised(3), fonts.raised(4)) == ("³", "4)")


# The pages and mails of invoices

CODES = re.compile(r"\b(AE|[EGKOZ])\b")


@pytest.fixture
def office(organiser, clock, settings, monkeypatch):  # noqa: F811
    return Clerk(organiser, clock, settings, monkeypatch)


def test_no_page_of_an_invoice_shows_the_code_of_a_tax_category(office):
    """Neither the invoice, nor its credit note, a deposit and the final invoice."""
    fields = {"country": "AT", "city": "Wien", "tax_id": "ATU13585627"}
    austrian = office.client.make("/contacts", {**BUYER, **fields})["id"]
    lines = (
        {"unit_price": 100, "tax_rate": 0, "tax_category": "AE"},
        {
            "unit_price": 50,
            "tax_rate": 0,
            "tax_category": "E",
            "exemption_reason": "§ 4 Nr. 22 UStG",
        },
        {"unit_price": 25, "tax_rate": 19},
    )
    invoice = office.invoice(*lines, contact_id=austrian, language="de")
    deposit = office.paid(*lines, contact_id=austrian, language="de")
    final = office.final(
        deposit,
        items=[{**line, "unit_price": 200} for line in lines],
        contact_id=austrian,
        language="de",
    )
    note = office.act(invoice, "cancel")["related_invoice_id"]
    for id in (invoice["id"], deposit["id"], final["id"], note):
        body = office.client.get(f"/invoices/{id}/pdf", status=200).body
        drawn = "\n".join(texts(body)).replace("\u00a0", " ")
        assert CODES.search(drawn) is None, drawn
        assert f"¹ {CHARGE}\n² Steuerfrei: § 4 Nr. 22 UStG\n" in drawn
        assert "USt 0 % ¹ auf " in drawn and "USt 0 % ² auf " in drawn and "USt 19 % auf " in drawn
        assert {"0 % ¹", "0 % ²", "19 %"} <= set(drawn.splitlines())
    reasons = {
        (tax.category, tax.reason, tax.reason_code) for tax in office.document(invoice).taxes
    }
    assert reasons == {
        ("AE", CHARGE, "VATEX-EU-AE"),
        ("E", "§ 4 Nr. 22 UStG", None),
        ("S", None, None),
    }
