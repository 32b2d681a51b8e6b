"""The PDF of an invoice of a small business: no VAT, and why."""

import pytest

from tests.pictures.test_invoice_pdf import ENTRY, SELLER, STAND, page

# § 34a sentence 1 no. 5 UStDV, § 6 (1) no. 27 UStG 1994, Art. 10 (2) MWSTG
SENTENCES = {
    ("DE", "de"): "Steuerfrei nach § 19 UStG (Kleinunternehmer)",
    ("DE", "en"): "Exempt from VAT under § 19 UStG (small business)",
    ("AT", "de"): "Umsatzsteuerfrei nach § 6 Abs. 1 Z 27 UStG 1994 (Kleinunternehmer)",
    ("AT", "en"): "Exempt from VAT under § 6 (1) no. 27 UStG 1994 (small business)",
    ("CH", "de"): "Nicht mehrwertsteuerpflichtig (Art. 10 Abs. 2 MWSTG)",
    ("LI", "de"): "Nicht mehrwertsteuerpflichtig (Art. 10 Abs. 2 MWSTG)",
    ("CH", "en"): "Not liable for VAT (Art. 10 (2) MWSTG)",
}
TAX = ("USt", "MWST", "VAT", "0 %", "0%", "19", "Umsatzsteuer", "Netto", "Net ")


def drawn(country, language, *reasons, category="E"):
    """Return the texts of the page of an invoice of a small business, without those of its parties."""
    of_lines = [
        {**item, "tax_rate": 0, "tax_category": category, "exemption_reason": None, "net": 100}
        for item in (STAND, {**ENTRY, "position": 2})
    ]
    change = {
        "items": of_lines,
        "taxes": [
            {"category": category, "rate": 0, "net": 200, "tax": 0, "reason": "; ".join(reasons)}
        ],
        "subtotal": 200,
        "tax_total": 0,
        "total": 200,
        "open_amount": 200,
        "tax_treatment": "small_business",
    }
    return page(change, {**SELLER, "country": country}, language=language).splitlines()


@pytest.mark.parametrize(("country", "language"), SENTENCES)
def test_the_page_of_a_small_business_shows_no_tax_and_says_why_once(country, language):
    sentence = SENTENCES[country, language]
    lines = drawn(country, language, sentence)
    assert lines.count(sentence) == 1
    table = lines[lines.index("Pos.") : lines.index(sentence)]
    shown = [line for line in table for word in TAX if line.startswith(word)]
    assert shown == []
    of_rows = [line for line in table if line in ("200.00", "200,00")]
    assert len(of_rows) == 1  # the total, and no net total


def test_a_copy_in_the_other_language_says_it_in_that_language_alone():
    lines = drawn("DE", "en", SENTENCES["DE", "de"])
    assert SENTENCES["DE", "en"] in lines and SENTENCES["DE", "de"] not in lines


def test_another_reason_of_a_line_is_there_as_well():
    lines = drawn("DE", "de", SENTENCES["DE", "de"], "§ 4 Nr. 22 a UStG")
    assert lines.count(f"{SENTENCES['DE', 'de']}; § 4 Nr. 22 a UStG") == 1
