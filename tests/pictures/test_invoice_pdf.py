"""The invoice as PDF."""

import base64
import re
import shutil
import subprocess
import sys
import threading
import zlib
from decimal import Decimal
from pathlib import Path

import pytest

from eventapi import images
from eventapi.errors import Problem
from eventapi.languages import formats
from eventapi.pictures import fonts
from eventapi.pictures.invoice import sheet as picture
from eventapi.pictures.style import QUIET, Brand
from eventapi.pictures.words import WORDS
from tests.support.images import png

SELLER = {
    "name": "Messe Test GmbH",
    "street": "Am Markt 1",
    "postal_code": "04109",
    "city": "Leipzig",
    "country": "DE",
    "email": "office@messe.test",
    "vat_id": "DE136695976",
    "tax_number": "231/1/2",
    "iban": "DE02120300000000202051",
    "bic": "BYLADEM1001",
}
BUYER = {
    "name": "Bergmann & Söhne GmbH",
    "contact_name": "Ada Bergmann",
    "address": "Hauptstraße 12",
    "postal_code": "10115",
    "city": "Berlin",
    "state": None,
    "country": "DE",
    "vat_id": "DE987654321",
    "customer_number": "C-00042",
    "email": "ada@bergmann.test",
}
STAND = {
    "position": 1,
    "description": "Stand space, hall 3",
    "quantity": 12.5,
    "unit": "m²",
    "unit_price": 185.5,
    "discount_percent": 10,
    "tax_rate": 19,
    "tax_category": "S",
    "exemption_reason": None,
    "net": 2086.88,
}
ENTRY = {
    **STAND,
    "position": 2,
    "description": "Catalogue entry",
    "quantity": 1,
    "unit": None,
    "unit_price": 95.1234,
    "discount_percent": 0,
    "tax_rate": 7,
    "net": 95.12,
}
INVOICE = {
    "invoice_number": "INV-2026-00017",
    "invoice_type": "invoice",
    "issue_date": "2026-05-01",
    "service_date": "2026-09-12",
    "due_date": "2026-05-15",
    "currency": "EUR",
    "items": [STAND, ENTRY],
    "taxes": [
        {"category": "S", "rate": 7, "net": 95.12, "tax": 6.66, "reason": None},
        {"category": "S", "rate": 19, "net": 2086.88, "tax": 396.51, "reason": None},
    ],
    "subtotal": 2182,
    "tax_total": 403.17,
    "total": 2585.17,
    "buyer_reference": "PO 4711",
    "status": "sent",
    "text": "Thank you for coming to Garden Fair.",
    "notes": "pays late",
    "is_reverse_charge": False,
    "paid_amount": 0,
    "open_amount": 2585.17,
}
EXEMPT = {
    "taxes": [
        {
            "category": "AE",
            "rate": 0,
            "net": 2182,
            "tax": 0,
            "reason": "Art. 196 Directive 2006/112/EC",
        }
    ],
    "tax_total": 0,
    "total": 2182,
    "open_amount": 2182,
    "is_reverse_charge": True,
}


def drawn(change=(), seller=SELLER, buyer=BUYER, language="en", **options):
    pytest.importorskip("reportlab")
    return picture.draw({**INVOICE, **dict(change)}, seller, buyer, language, **options)


def pages(*given, **options):
    """Return the text of each page, one line for each text that was drawn."""
    return texts(drawn(*given, **options))


def page(*given, **options):
    (only,) = pages(*given, **options)
    return only


# A parser for the PDFs of reportlab: streams, fonts with their character tables, text.


def texts(pdf):
    objects = {
        int(name): body for name, body in re.findall(rb"(\d+) 0 obj\s(.*?)endobj", pdf, re.S)
    }
    letters = {}
    for body in objects.values():
        for name, place in re.findall(rb"/(F\d+(?:\+\d+)?) (\d+) 0 R", body):
            table = re.search(rb"/ToUnicode (\d+) 0 R", objects[int(place)])
            letters[name] = to_unicode(stream(objects[int(table[1])])) if table else None
    kids = re.findall(rb"(\d+) 0 R", re.search(rb"/Kids \[(.*?)\]", pdf, re.S)[1])
    contents = [re.search(rb"/Contents (\d+) 0 R", objects[int(kid)])[1] for kid in kids]
    return ["\n".join(shown(stream(objects[int(place)]), letters)) for place in contents]


def stream(body):
    data = re.search(rb"stream\r?\n(.*?)endstream", body, re.S)[1]
    if b"ASCII85Decode" in body:
        data = base64.a85decode(data.strip().removesuffix(b"~>"))
    return zlib.decompress(data) if b"FlateDecode" in body else data


def to_unicode(table):
    return {
        int(code, 16): chr(int(letter, 16))
        for code, letter in re.findall(rb"<(\w\w)> <(\w{4})>", table)
    }


def shown(content, letters):
    font = None
    for name, string in re.findall(
        rb"/(F\d+(?:\+\d+)?) [\d.]+ Tf|\(((?:[^\\)]|\\.)*)\) Tj", content, re.S
    ):
        font = name or font
        if not name:
            codes = re.sub(rb"\\(\d{3}|.)", unescaped, string)
            table = letters[font]
            yield "".join(map(table.get, codes)) if table else codes.decode("cp1252")


def unescaped(match):
    return (
        bytes([int(match[1], 8)])
        if match[1].isdigit()
        else match[1].translate(bytes.maketrans(b"nrtbf", b"\n\r\t\b\f"))
    )


# Required content


def test_the_invoice_shows_seller_and_buyer():
    text = page()
    for part in (
        "Messe Test GmbH",
        "Messe Test GmbH · Am Markt 1 · 04109 Leipzig",
        "office@messe.test",
        "VAT ID DE136695976",
        "Tax number 231/1/2",
        "Bergmann & Söhne GmbH",
        "Ada Bergmann",
        "Hauptstraße 12",
        "10115 Berlin",
        "DE987654321",
        "C-00042",
        "PO 4711",
    ):
        assert part in text.splitlines(), part


def test_the_invoice_shows_number_and_dates():
    lines = page().splitlines()
    assert "Invoice INV-2026-00017" in lines and "INV-2026-00017" in lines
    for label, value in (
        ("Date", "1 May 2026"),
        ("Service date", "12 September 2026"),
        ("Due date", "15 May 2026"),
    ):
        assert lines[lines.index(label) + 1] == value


def test_the_invoice_shows_every_item():
    lines = page().splitlines()
    first = lines.index("Stand space, hall 3")
    assert lines[first - 1 : first + 7] == [
        "1",
        "Stand space, hall 3",
        "12.5",
        "m²",
        "185.50",
        "10%",
        "19%",
        "2,086.88",
    ]
    second = lines.index("Catalogue entry")
    assert lines[second - 1 : second + 5] == ["2", "Catalogue entry", "1", "95.1234", "7%", "95.12"]


def test_the_invoice_shows_tax_per_rate_and_totals():
    lines = page().splitlines()
    for label, value in (
        ("Net total", "2,182.00"),
        ("VAT 7% on 95.12", "6.66"),
        ("VAT 19% on 2,086.88", "396.51"),
        ("VAT total", "403.17"),
        ("Total EUR", "2,585.17"),
    ):
        assert lines[lines.index(label) + 1] == value
    assert "Already paid" not in lines


def test_the_invoice_shows_bank_account_and_due_date():
    lines = page().splitlines()
    assert "Please transfer EUR 2,585.17 to this account by 15 May 2026." in lines
    for label, value in (
        ("Account holder", "Messe Test GmbH"),
        ("IBAN", "DE02 1203 0000 0000 2020 51"),
        ("BIC", "BYLADEM1001"),
        ("Reference", "INV-2026-00017"),
    ):
        assert lines[lines.index(label) + 1] == value
    text = page(seller={**SELLER, "iban": None})
    assert "Please pay EUR 2,585.17 by 15 May 2026, quoting invoice number INV-2026-00017." in text
    assert "Reference" not in text.splitlines()


def test_the_paid_amount_is_subtracted():
    lines = page({"paid_amount": 585.17, "open_amount": 2000}).splitlines()
    assert lines[lines.index("Already paid") + 1] == "-585.17"
    assert lines[lines.index("Amount due EUR") + 1] == "2,000.00"
    assert any(line.startswith("Please transfer EUR 2,000.00 to") for line in lines)


def test_a_paid_invoice_requests_no_payment():
    text = page({"paid_amount": 2585.17, "open_amount": 0, "status": "paid"})
    assert "No payment is due." in text and "Account holder" not in text


def test_the_text_is_printed_and_the_notes_are_not():
    text = page()
    assert "Thank you for coming to Garden Fair." in text and "pays late" not in text


@pytest.mark.parametrize(
    "category, reason",
    [
        ("AE", "Reverse charge: the customer is liable for the VAT"),
        ("E", "Exempt from VAT"),
        ("Z", "Zero-rated"),
        ("G", "Export outside the EU"),
        ("O", "Not subject to VAT"),
    ],
)
def test_an_untaxed_item_shows_the_reason(category, reason):
    tax = {**EXEMPT["taxes"][0], "category": category, "reason": None}
    text = page({**EXEMPT, "taxes": [tax]})
    assert f"\n¹ {reason}" in text and "VAT 0% ¹ on 2,182.00" in text
    assert re.search(rf"\b{category}\b", text) is None
    assert f"{reason}: so says the law" not in text
    assert ": so says the law" in page({**EXEMPT, "taxes": [{**tax, "reason": "so says the law"}]})


def test_ordinary_tax_shows_no_reason():
    assert " – " not in page()


def test_a_credit_note_shows_its_title_and_its_invoice():
    back = {
        **INVOICE,
        "invoice_type": "credit_note",
        "invoice_number": "CN-2026-00003",
        "related_invoice_number": "INV-2026-00017",
        "items": [{**STAND, "quantity": -12.5, "net": -2086.88}],
        "total": -2483.39,
        "open_amount": 0,
        "taxes": [{"category": "S", "rate": 19, "net": -2086.88, "tax": -396.51, "reason": None}],
        "subtotal": -2086.88,
    }
    lines = page(back).splitlines()
    assert (
        "Credit note CN-2026-00003" in lines
        and lines[lines.index("Original invoice") + 1] == "INV-2026-00017"
    )
    assert lines[lines.index("Total EUR") + 1] == "-2,483.39" and "Due date" not in lines
    assert "Account holder" not in lines
    assert (
        "We will offset EUR 2,483.39 against invoice INV-2026-00017 or refund it to you." in lines
    )
    assert "Original invoice" not in page({**back, "related_invoice_number": None})


def test_a_draft_is_marked_on_every_page_and_in_its_title():
    draft = {
        "status": "draft",
        "invoice_number": "DRAFT-9",
        "issue_date": None,
        "due_date": None,
        "items": [STAND] * 60,
    }
    drafts = pages(draft)
    assert len(drafts) > 1 and all("DRAFT" in text.splitlines() for text in drafts)
    assert "DRAFT: Invoice DRAFT-9" in drafts[0].splitlines()
    assert b"/Title (DRAFT: Invoice DRAFT-9)" in drawn(draft) and "DRAFT" not in page()


def test_an_invoice_without_items_can_be_drawn():
    text = page(
        {
            "status": "draft",
            "items": [],
            "taxes": [],
            "subtotal": 0,
            "tax_total": 0,
            "total": 0,
            "open_amount": 0,
        }
    )
    assert "Net total\n0.00" in text


def test_an_address_abroad_ends_in_its_country():
    assert (
        "FRANCE" in page(buyer={**BUYER, "country": "FR"})
        and "GERMANY" not in page().split("Net total")[0]
    )
    assert "\nZZ\n" in page(buyer={**BUYER, "country": "ZZ"})


def test_the_invoice_is_german_on_request():
    text = page(EXEMPT, language="de")
    for part in (
        "Rechnung INV-2026-00017",
        "01.05.2026",
        "2.182,00",
        "Steuerschuldnerschaft des Leistungsempfängers",
        "Seite 1 von 1",
    ):
        assert part in text
    assert WORDS["en"].keys() == WORDS["de"].keys()


@pytest.mark.parametrize(
    "number, german, english",
    [
        ("DE136695976", "Ihre USt-IdNr.", "Your VAT ID"),
        ("ATU13585627", "Ihre UID-Nr.", "Your VAT ID"),
        ("CHE-107.787.577", "Ihre MWST-Nr.", "Your VAT ID"),
        ("12-3456789", "Ihre Steuernummer", "Your tax number"),
    ],
)
def test_the_number_of_a_taxpayer_has_its_own_name(number, german, english):
    for language, label in (("de", german), ("en", english)):
        lines = page(buyer={**BUYER, "vat_id": number}, language=language).splitlines()
        assert lines[lines.index(number) - 1] == label


@pytest.mark.parametrize(
    "stored, shown",
    [
        ("CHE116281710MWST", "CHE-116.281.710 MWST"),
        ("CHE116281710", "CHE-116.281.710"),
        ("DE136695976", "DE136695976"),
    ],
)
def test_a_swiss_number_is_written_as_the_register_writes_it(stored, shown):
    text = page(seller={**SELLER, "vat_id": stored}, buyer={**BUYER, "vat_id": stored})
    assert " ".join(text.split()).count(shown) == 2


@pytest.mark.parametrize(
    "country, tax", [("DE", "USt"), ("AT", "USt"), ("CH", "MWST"), ("LI", "MWST")]
)
def test_the_tax_has_the_name_of_the_country(country, tax):
    text = page(seller={**SELLER, "country": country}, language="de")
    shown = {word for word in ("USt", "MWST") if f"\n{word}\n" in text or f"{word} " in text}
    assert shown == {tax}


@pytest.mark.parametrize(
    "country, language, amount",
    [
        ("CH", "de", "2’500.00"),
        ("LI", "de", "2’500.00"),
        ("CH", "en", "2,500.00"),
        ("AT", "de", "2.500,00"),
    ],
)
def test_an_organiser_in_switzerland_writes_amounts_as_switzerland_does(country, language, amount):
    """CLDR 45, de-CH. The buyer's country does not matter."""
    assert (
        amount
        in page(
            {"subtotal": 2500}, seller={**SELLER, "country": country}, language=language
        ).splitlines()
    )


def test_a_reason_is_not_said_twice_and_categories_of_one_rate_are_told_apart():
    reason = "Steuerfrei nach § 4 Nr. 20 UStG"
    items = [
        {**INVOICE["items"][0], "tax_rate": 0, "tax_category": category} for category in ("E", "Z")
    ]
    text = page(
        {
            "items": items,
            "taxes": [
                {"category": "E", "rate": 0, "net": 1, "tax": 0, "reason": reason},
                {"category": "Z", "rate": 0, "net": 1, "tax": 0, "reason": None},
            ],
        },
        language="de",
    )
    assert f"¹ {reason}\n² Nullsteuersatz" in text and "Steuerfrei: Steuerfrei" not in text
    for mark in "¹²":
        assert f"USt 0 % {mark} auf 1,00" in text.replace("\u00a0", " ")
        assert f"\n0 % {mark}\n" in text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    "currency, shown_", [("JPY", "2,500"), ("EUR", "2,500.00"), ("KWD", "2,500.000")]
)
def test_amounts_have_the_decimals_of_their_currency(currency, shown_):
    lines = page({"currency": currency, "subtotal": 2500}).splitlines()
    assert lines[lines.index("Net total") + 1] == shown_ and f"Total {currency}" in lines


def test_amounts_are_exact():
    assert formats.number(Decimal("999999999999.99"), "en", 2) == "999,999,999,999.99"
    # shows the given digits without rounding
    assert formats.number(0.1 + 0.7, "en", 2) == "0.7999999999999999"
    assert "999,999,999,999.99" in page({"total": 999999999999.99})


def credit_note(**values):
    return {
        **INVOICE,
        "invoice_type": "credit_note",
        "invoice_number": "CN-2026-00003",
        "open_amount": 0,
        "total": -10,
        "related_invoice_number": "INV-2026-00017",
        "related_issue_date": "2026-05-01",
        **values,
    }


def test_the_columns_of_unit_and_discount_are_left_out_if_they_are_empty():
    plain = {**STAND, "unit": None, "discount_percent": 0}
    lines = page({"items": [plain]}).splitlines()
    assert "Unit" not in lines and "Discount" not in lines and "Unit price" in lines
    assert "Unit" in page({"items": [plain, STAND]}).splitlines()
    assert "Discount" in page({"items": [plain, STAND]}).splitlines()


def test_the_bank_account_is_printed_once():
    for count in (1, 60):
        text = "\n".join(pages({"items": [STAND] * count}))
        assert text.count("DE02 1203 0000 0000 2020 51") == text.count("BYLADEM1001") == 1
    for change in ({"open_amount": 0, "status": "paid"}, credit_note(), {"status": "draft"}):
        assert page(change).count("DE02 1203 0000 0000 2020 51") == 1, "in the footer"


def test_a_draft_asks_for_no_payment():
    text = page({"status": "draft", "invoice_number": "DRAFT-9", "issue_date": None})
    assert "Please" not in text and "Account holder" not in text
    assert "This is a draft. It is not an invoice, and no payment is due." in text
    german = page(
        {"status": "draft", "invoice_number": "DRAFT-9", "issue_date": None}, language="de"
    )
    assert "Entwurf und keine Rechnung" in german and "überweisen" not in german


def test_a_credit_note_names_date_and_reason():
    lines = page(credit_note(cancellation_reason="The booth was exchanged.")).splitlines()
    assert lines[lines.index("Original invoice") + 1 :][:2] == ["INV-2026-00017", "of 1 May 2026"]
    assert "Reason: The booth was exchanged." in lines
    german = page(credit_note(cancellation_reason="Standtausch"), language="de").splitlines()
    assert "vom 01.05.2026" in german and "Grund: Standtausch" in german
    assert "Reason" not in page(credit_note()) and "of 1 May" not in page(
        credit_note(related_issue_date=None)
    )
    assert "Reason" not in page({"cancellation_reason": "The booth was exchanged."}), (
        "only on the credit note"
    )


@pytest.mark.parametrize(
    "last, language, label, value",
    [
        (None, "en", "Service date", "12 September 2026"),
        ("2026-09-12", "en", "Service date", "12 September 2026"),
        ("2026-09-14", "en", "Service period", "12–14 September 2026"),
        ("2026-09-14", "de", "Leistungszeitraum", "12.–14.09.2026"),
    ],
)
def test_the_service_date_or_period_is_printed(last, language, label, value):
    lines = page({"service_date_to": last}, language=language).splitlines()
    assert " ".join(lines[lines.index(label) + 1 :][:2]).startswith(value)


def test_the_event_is_named():
    assert "Garden Fair 2026" in page({"event_title": "Garden Fair 2026"}).splitlines()


@pytest.mark.parametrize("width, height", [(600, 200), (100, 400), (30, 30), (1200, 40)])
def test_the_logo_is_drawn_top_right_without_distortion(width, height, tmp_path):
    """pdftoppm and pdfimages judge; the logo is the only red in the letter."""
    pdf = tmp_path / "invoice.pdf"
    pdf.write_bytes(drawn(brand=Brand(images.load(png(width, height, (255, 0, 0))))))
    if not shutil.which("pdftoppm"):
        pytest.skip("pdftoppm is not installed")
    # 2 pixels per mm
    subprocess.run(["pdftoppm", "-r", "50.8", "-singlefile", pdf, tmp_path / "page"], check=True)
    across, down, pixels = ppm(tmp_path / "page.ppm")
    red = [
        (place % across / 2, place // across / 2)
        for place in range(across * down)
        if pixels[3 * place] > 200 > 60 > pixels[3 * place + 1]
    ]
    left, right = min(x for x, _ in red), max(x for x, _ in red)
    top, bottom = min(y for _, y in red), max(y for _, y in red)
    assert 10 < top and bottom < 40 and 125 < left and right == pytest.approx(190, abs=1), (
        "beside the address window"
    )
    assert (right - left + 0.5) / (bottom - top + 0.5) == pytest.approx(width / height, rel=0.3)


def ppm(file):
    """Return (width, height, bytes) of a PPM file."""
    _, width, height, _, pixels = re.match(
        rb"(P6)\s+(\d+)\s+(\d+)\s+(\d+)\s(.*)", file.read_bytes(), re.S
    ).groups()
    return int(width), int(height), pixels


@pytest.mark.parametrize("language", ["en", "de"])
def test_labels_keep_a_distance_from_their_values(language):
    pytest.importorskip("reportlab")
    sheet = picture.Sheet({**INVOICE, "service_date_to": "2026-09-14"}, SELLER, BUYER, language)
    sheet.pdf()
    texts = [entry[1:] for entry in sheet.paper.pages[0] if entry[0].__name__ == "_text"]
    labels = [
        (x, y, fonts.width(text, size, bold))
        for x, y, text, size, bold, ink in texts
        if ink == QUIET and y > 49
    ]
    rows = [(x, y) for x, y, *_, ink in texts if ink != QUIET]
    beside = [
        (x + wide, min(right for right, below in rows if right > x and abs(below - y) < 0.01))
        for x, y, wide in labels
        if any(right > x and abs(below - y) < 0.01 for right, below in rows)
    ]
    assert len(beside) >= 10 and all(value - end >= 1.5 for end, value in beside)


def test_a_long_name_does_not_cover_the_logo():
    pytest.importorskip("reportlab")
    logo = images.load(png(600, 200))
    seller = {**SELLER, "name": "Messe- und Ausstellungsgesellschaft " * 4}
    sheet = picture.Sheet(INVOICE, seller, BUYER, "de", brand=Brand(logo))
    sheet.pdf()
    left = next(x for draw, x, *_ in sheet.paper.pages[0] if draw.__name__ == "_image")
    name = [
        (x, text, size)
        for draw, x, y, text, size, *_ in (
            entry for entry in sheet.paper.pages[0] if entry[0].__name__ == "_text"
        )
        if y < 36
    ]
    assert name and all(x + fonts.width(text, size, True) < left for x, text, size in name)


# Pages


@pytest.mark.parametrize("count, needed", [(1, 1), (30, 2), (300, 11)])
def test_long_tables_continue_on_the_next_page(count, needed):
    items = [
        {**STAND, "position": place, "description": f"Item {place}."}
        for place in range(1, count + 1)
    ]
    found = pages({"items": items})
    assert len(found) == needed
    for place, text in enumerate(found, 1):
        assert f"Page {place} of {len(found)}" in text and "Invoice INV-2026-00017" in text
        # the header row is above every part of the table
        assert ("Unit price" in text) == ("Item " in text)
    assert re.findall(r"Item \d+\.", "\n".join(found)) == [
        f"Item {place}." for place in range(1, count + 1)
    ]


def test_the_totals_stay_together():
    for count in range(14, 40):
        ends = [text for text in pages({"items": [STAND] * count}) if "Net total" in text]
        assert len(ends) == 1 and "Total EUR" in ends[0] and "VAT 19% on" in ends[0]


def test_the_totals_and_the_payment_are_never_alone_on_a_page():
    for count in range(2, 60):
        items = [
            {**STAND, "position": place, "description": f"Item {place}."}
            for place in range(1, count + 1)
        ]
        last = pages({"items": items})[-1]
        assert len(re.findall(r"Item \d+\.", last)) >= 2, count
        parts = "Net total", "Total EUR", "Please transfer", "Account holder", "BYLADEM1001"
        assert all(part in last for part in parts), count


@pytest.mark.parametrize(
    "part, count, pattern",
    [("word ", 400, r"\bword\b"), ("x", 2000, "x(?=x*$)"), ("a\n", 300, "^a$")],
)
def test_no_part_of_a_long_description_is_lost(part, count, pattern):
    text = "\n".join(pages({"items": [{**STAND, "description": part * count}]}))
    assert len(re.findall(pattern, text, re.M)) == count


def test_nothing_is_drawn_below_the_footer():
    pytest.importorskip("reportlab")
    long = {
        "items": [{**STAND, "description": "word " * 100}] * 9,
        "text": "hello " * 800,
        "buyer_reference": "R" * 255,
        "taxes": [
            {"category": "AE", "rate": rate, "net": 1, "tax": 0, "reason": "because " * 30}
            for rate in range(40)
        ],
    }
    sheet = picture.Sheet(
        {**INVOICE, **long}, SELLER, {**BUYER, "name": "N" * 255, "address": "road\n" * 40}, "en"
    )
    sheet.pdf()
    for drawings in sheet.paper.pages:
        for draw, *values in drawings:
            if draw.__name__ == "_text":
                x, y, text, size, bold, _ = values
                assert 0 < y < 295 and x >= 24.9 and x + fonts.width(text, size, bold) <= 190.2, (
                    text
                )


# Letters

NAMES = [
    "Αφοί Παπαδόπουλος Α.Ε.",
    "Юлія Ґонта, Київ",
    "Đorđe Čović",
    "Zażółć gęślą jaźń",
    "Příliš žluťoučký kůň",
    "Árvíztűrő tükörfúrógép",
    "İstanbul Şişli Ağaç",
    "Þórður Ægisson",
    "Ħal Għargħur",
    "Հայերեն",
    "ქართული",
    "Ţară şi ţărm",
    "Ŵyn",
]


@pytest.mark.parametrize("name", NAMES)
def test_european_names_are_drawn_and_can_be_extracted(name):
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    text = page(
        {"items": [{**STAND, "description": name}]},
        buyer={**BUYER, "name": name},
        seller={**SELLER, "name": name},
    )
    assert text.splitlines().count(name) >= 4


def test_the_text_can_be_extracted_by_programs():
    if not shutil.which("pdftotext"):
        pytest.skip("needs pdftotext")
    read = subprocess.run(
        ["pdftotext", "-layout", "-", "-"], input=drawn(), capture_output=True, check=True
    ).stdout.decode()
    assert re.search(r"1 +Stand space, hall 3 +12\.5 +m² +185\.50 +10% +19% +2,086\.88", read)
    assert "Bergmann & Söhne GmbH" in read


def test_combining_and_invisible_characters_are_drawn():
    lines = page(
        {
            "items": [
                {**STAND, "description": "Mu\u0308ller\tsoft\u00adly \u200ebright\u2028next \x01"}
            ]
        }
    ).splitlines()
    assert "Müller softly bright" in lines and "next" in lines


def test_markup_is_text():
    text = page(
        {
            "items": [{**STAND, "description": "<b>bold</b> & <img src=x> ${a} \\(n) %s {0}"}],
            "text": "</para>&amp;{currency}",
        }
    )
    assert "<b>bold</b> & <img" in text and "</para>&amp;{currency}" in text
    assert "\\(n) %s {0}" in text.replace("\n", " ")


# Missing packages and fields


@pytest.fixture
def forget_fonts():
    """Search for the fonts again, before and after the test."""

    def forget():
        fonts.faces.cache_clear()
        fonts._face_of.cache_clear()

    forget()
    yield forget
    forget()


@pytest.fixture
def no_fonts(forget_fonts, monkeypatch):
    pytest.importorskip("reportlab")
    monkeypatch.setattr(fonts, "FOLDERS", ())


@pytest.mark.parametrize("module", ["reportlab", "reportlab.pdfgen.canvas"])
def test_without_reportlab_the_error_names_the_package(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Problem) as raised:
        picture.draw(INVOICE, SELLER, BUYER, "en")
    assert (raised.value.status, raised.value.code) == (501, "not_installed")
    assert "python3-reportlab" in raised.value.detail


def test_without_dejavu_western_names_are_still_drawn(no_fonts):
    text = page({"currency": "EUR"}, buyer={**BUYER, "name": "Boulangerie Évrard – 5 €"})
    assert "Boulangerie Évrard – 5 €" in text and "Hauptstraße 12" in text


@pytest.mark.parametrize("name", ["Dvořák", "Юлія", "展覽", "ブース"])
def test_without_fonts_a_question_mark_stands_for_each_other_letter(no_fonts, name):
    western = "".join(letter if letter in fonts.WESTERN else "?" for letter in name)
    assert western in page(buyer={**BUYER, "name": name})


@pytest.mark.parametrize("name", ["שלום", "شركة", "🎪"])
def test_a_box_stands_for_each_letter_without_any_font(name):
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    assert "□" * len(name) in page({"text": name})


@pytest.mark.parametrize(
    "letters, advice",
    [
        ("ř", "fonts-dejavu-core"),
        ("Юлія", "fonts-dejavu-core"),
        ("ő", "fonts-dejavu-core"),
        *((name, "fonts-droid-fallback") for name in ("展覽", "ブース", "かな", "、", "Ａ")),
    ],
)
def test_without_fonts_the_advice_names_the_letter_and_the_package(no_fonts, letters, advice):
    problem = fonts.obstacle(letters)
    assert problem.code == "not_installed" and advice in problem.detail
    assert f" {letters[0]} (U+{ord(letters[0]):04X})" in problem.detail


@pytest.mark.parametrize(
    "name, advice",
    [("שלום", "Latin letters"), ("شركة", "Latin letters"), ("🎪", "other characters")],
)
def test_the_advice_for_a_letter_without_any_font(name, advice):
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    problem = fonts.obstacle(name)
    assert (problem.status, problem.code) == (501, "not_installed") and advice in problem.detail


def test_a_second_font_is_used_for_single_missing_letters(forget_fonts, monkeypatch):
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    monkeypatch.setattr(
        fonts,
        "FILES",
        {
            fonts.TEXT: ("none.ttf", "none.ttf"),
            fonts.EUROPE: ("none.ttf", "none.ttf"),
            fonts.EAST_ASIA: ("DejaVuSans.ttf", "DejaVuSans.ttf"),
        },
    )
    pytest.importorskip("reportlab")
    assert [text for _, text in fonts.runs("Dvořák")] == ["Dvo", "ř", "ák"]
    assert "Dvo\nř\nák" in page(buyer={**BUYER, "name": "Dvořák"})


# The file


def test_the_same_invoice_produces_the_same_bytes_even_concurrently():
    alone, together = drawn(), []
    threads = [threading.Thread(target=lambda: together.append(drawn())) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert together == [alone] * 4 and drawn({"total": 1}) != alone


def test_the_pdf_metadata_describes_the_file():
    pdf = drawn()
    assert pdf.startswith(b"%PDF-") and b"/Title (Invoice INV-2026-00017)" in pdf
    assert b"/Author (Messe Test GmbH)" in pdf


def test_only_the_names_of_seller_and_buyer_are_required():
    assert "Invoice INV-2026-00017" in page(seller={"name": ""}, buyer={"name": "A"})


@pytest.mark.processes
def test_the_module_is_loaded_without_reportlab():
    code = "import sys; sys.modules['reportlab'] = None; import eventapi.pictures.invoice.sheet"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=Path(picture.__file__).parents[3]
        ).returncode
        == 0
    )
