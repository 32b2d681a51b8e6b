"""PDFs as poppler reads them, an independent judge: all words are on the paper, inside the margins, and beside each
other."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from eventapi import images, markup
from eventapi.errors import Faults
from tests.support import halls
from tests.support.images import png

pytest.importorskip("reportlab")
from eventapi.pictures import badge, canvas, document, fonts
from eventapi.pictures.hall import sheet as hall_sheet
from eventapi.pictures.invoice import dunning
from eventapi.pictures.invoice import sheet as invoice_sheet
from eventapi.pictures.style import Brand
from tests.domain.test_badges import GOLD, NAMES, card
from tests.pictures import test_document_pdf, test_hall_picture, test_hybrid, test_invoice_pdf

pytestmark = [
    pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext is not installed"),
    pytest.mark.skipif(
        not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed"
    ),
]
POINTS = 72 / 25.4
ITEM = test_invoice_pdf.STAND
LOGO = images.load(png(600, 200))


def invoice(**change):
    return invoice_sheet.draw(
        {**test_invoice_pdf.INVOICE, **change},
        test_invoice_pdf.SELLER,
        test_invoice_pdf.BUYER,
        "de",
        brand=Brand(LOGO),
    )


def letter(**change):
    entry = {
        "language": "de",
        "title": "Letzte Mahnung",
        "sent_on": "2026-11-22",
        "due_date": "2026-10-01",
        "deadline": "2026-11-29",
        "currency": "EUR",
        "open_amount": 1190,
        "lump_sum": 0,
        "costs": 5,
        "interest": 20.42,
        "claims_paid": 10,
        "total_claim": 1205.42,
        "total": 1490,
        "credited": 100,
        "written_off": 0,
        "payments": [{"date": "2026-10-10", "amount": 250}, {"date": "2026-10-11", "amount": -50}],
        "interest_periods": [
            {
                "date_from": "2026-10-02",
                "date_to": "2026-11-22",
                "days": 52,
                "amount": 1190,
                "rate": 12.05,
                "base_rate": 3.05,
                "interest": 20.42,
            }
        ],
        "text": "unsere Rechnung war fällig.\n\nBitte zahlen Sie.",
        **change,
    }
    return dunning.draw(
        entry,
        {
            **test_invoice_pdf.INVOICE,
            "girocode": test_hybrid.CODE,
            "invoice_number": change.get("number", "INV-2026-00001"),
        },
        test_invoice_pdf.SELLER,
        test_invoice_pdf.BUYER,
        Brand(LOGO),
    )


def contract(count):
    body = (
        "<h1>Vertrag</h1>"
        + "<p>Es gelten die Ausstellungsbedingungen. Der Aufbau beginnt um 7 Uhr.</p>" * count
    )
    sheet = document.Sheet(
        "Vertrag",
        "DOC-2026-00001",
        "1. Mai 2026",
        "de",
        test_document_pdf.ORGANISER,
        Brand(LOGO),
        test_document_pdf.PARTNER,
    )
    return sheet.pdf(markup.blocks(markup.parse(body, Faults(), "/body")))


def plan(make, view):
    place = make()
    return canvas.draw(
        hall_sheet.picture(
            test_hall_picture.hall(
                *test_hall_picture.placed(place),
                width=place["width"],
                height=place["height"],
                objects=place["objects"],
                view=view,
                language="de",
            )
        )
    )


def badges():
    cards = [card(name, company, image=LOGO, **GOLD) for name, company in NAMES]
    return canvas.draw(*badge.sheets(cards))


CASES = {
    "invoice": (
        lambda: invoice(event_title="Grüne Messe Leipzig", service_date_to="2026-09-14"),
        10,
    ),
    "long invoice": (lambda: invoice(items=[ITEM] * 45), 10),
    "GiroCode": (lambda: invoice(girocode=test_hybrid.CODE), 10),
    "GiroCode after a long invoice": (
        lambda: invoice(items=[ITEM] * 22, girocode=test_hybrid.CODE),
        10,
    ),
    "credit note": (
        lambda: invoice(**test_invoice_pdf.credit_note(cancellation_reason="Standtausch")),
        10,
    ),
    "dunning letter": (letter, 10),
    "dunning letter with long texts": (
        lambda: letter(
            number="INV-" + 20 * "2026",
            title=9 * "Mahnung ",
            open_amount=999999999999.99,
            total_claim=999999999999.99,
            text="Bitte zahlen Sie sofort. " * 150,
        ),
        10,
    ),
    "short contract": (lambda: contract(3), 10),
    "long contract": (lambda: contract(40), 10),
    "badges": (badges, 10),
    **{
        f"{make.__name__} hall, {view}": (lambda make=make, view=view: plan(make, view), 8)
        for make in (halls.small, halls.medium, halls.large)
        for view in ("internal", "public")
    },
}


@pytest.mark.parametrize("case", CASES)
def test_all_words_are_on_the_paper_and_beside_each_other(case, tmp_path):
    draw, margin = CASES[case]
    pages = list(words_of(draw(), tmp_path))
    assert sum(len(found) for *_, found in pages) > 20
    for width, height, found in pages:
        for left, top, right, bottom, word in found:
            assert margin <= left and right <= width - margin, word
            assert margin / 2 <= top and bottom <= height - margin / 2, word
        found.sort(key=lambda word: word[1])
        for place, one in enumerate(found):
            for other in found[place + 1 :]:
                if other[1] >= one[3]:
                    break
                assert not overlap(one, other), (one, other)


def words_of(data, tmp_path):
    """Yield (width, height, words) of each page, in millimetres.

    Words are (left, top, right, bottom, text).
    """
    (tmp_path / "file.pdf").write_bytes(data)
    subprocess.run(
        ["pdftotext", "-bbox", tmp_path / "file.pdf", tmp_path / "file.html"], check=True
    )
    text = re.sub(' xmlns="[^"]*"', "", (tmp_path / "file.html").read_text(encoding="utf-8"))
    for page in ET.fromstring(text[text.index("<html") :]).iter("page"):
        words = [
            (
                *(float(word.get(side)) / POINTS for side in ("xMin", "yMin", "xMax", "yMax")),
                word.text,
            )
            for word in page.iter("word")
        ]
        yield float(page.get("width")) / POINTS, float(page.get("height")) / POINTS, words


def overlap(one, other):
    """Return whether two words cover each other.

    Their boxes are those of the lines, which may touch.
    """
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    height = min(one[3] - one[1], other[3] - other[1])
    return across > 0.15 and down > 0.35 * height
