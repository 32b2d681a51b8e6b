"""Documents as PDF: everything is drawn on the paper and inside its margins."""

from io import BytesIO

import pytest

from eventapi import images, markup
from eventapi.errors import Faults
from tests.support.images import png

pytest.importorskip("reportlab")
from eventapi.pictures import document, fonts
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.style import Brand

pypdf = pytest.importorskip("pypdf")

ORGANISER = {
    "name": "Messe Test GmbH",
    "street": "Am Markt 1",
    "postal_code": "04109",
    "city": "Leipzig",
    "country": "DE",
    "email": "office@messe.test",
    "vat_id": "DE136695976",
    "iban": "DE02120300000000202051",
}
PARTNER = {
    "name": "Bergmann & Söhne GmbH",
    "contact_name": "Ada Bergmann",
    "address": "Hauptstraße 12",
    "postal_code": "10115",
    "city": "Berlin",
    "country": "DE",
}


def sheet(body, **options):
    faults = Faults()
    tree = markup.parse(body, faults, "/body")
    assert not faults
    set_ = document.Sheet("Contract", "DOC-2026-00001", "1 May 2026", "en", ORGANISER, **options)
    data = set_.pdf(markup.blocks(tree))
    texts = [
        [(x, y, text, style) for kind, x, y, text, *style in page if kind.__name__ == "_text"]
        for page in ([entry for entry in page if len(entry) == 7] for page in set_.paper.pages)
    ]
    return data, texts


def words(texts):
    return " ".join(text for page in texts for _, _, text, _ in page)


def test_all_words_are_drawn_in_order_and_inside_the_margins():
    body = (
        "<h1>One</h1><p>two <strong>three</strong><br>four</p>"
        "<ul><li>five<ol><li>six</li></ol></li></ul><table><tr><td>seven</td></tr></table>"
    )
    data, texts = sheet(body)
    found = words(texts)
    assert data.startswith(b"%PDF") and data == sheet(body)[0]
    assert [
        found.index(word) for word in ("One", "two", "three", "four", "five", "six", "seven")
    ] == sorted(
        found.index(word) for word in ("One", "two", "three", "four", "five", "six", "seven")
    )


@pytest.mark.parametrize(
    "body",
    [
        "<p>" + "long words and more of them " * 900 + "</p>",
        "<p>" + "x" * 5000 + "</p>",
        "<table><tr>" + "<td>cell</td>" * 30 + "</tr></table>",
        "<table><tr><td>" + "tall " * 3000 + "</td><td>" + "y" * 500 + "</td></tr></table>",
        "<ul><li>" * 7 + "deep " * 50 + "</li></ul>" * 7,
        "<h1>" + "heading " * 600 + "</h1>",
        "<table></table>",
        "<ul></ul><table><tr></tr></table>",
        "",
        "<p>Łódź Ωμέγα Привет</p>",
    ],
)
def test_any_content_stays_on_the_paper(body):
    _, texts = sheet(body)
    for page in texts:
        for x, y, text, (size, bold, _) in page:
            assert LEFT - 0.1 <= x and 10 < y < 290
            assert x + fonts.width(text, size, bold) <= RIGHT + 6.1 or len(text) == 1 or y > 280


def test_the_header_row_of_a_table_is_repeated_on_each_page():
    _, texts = sheet(
        "<table><tr><th>Position</th><th>Price</th></tr>"
        + "<tr><td>a</td><td>1</td></tr>" * 100
        + "</table>"
    )
    assert len(texts) > 2 and all("Position" in words([page]) for page in texts)


def test_pages_are_numbered():
    _, texts = sheet("<p>a</p>" * 200)
    assert all(
        f"Page {number} of {len(texts)}" in words([page]) for number, page in enumerate(texts, 1)
    )


def test_the_letterhead_names_the_organiser_number_and_date_and_shows_the_logo():
    image = images.load(png(60, 20))
    data, texts = sheet("<p>a</p>" * 100, brand=Brand(image))
    first = [text for _, _, text, _ in texts[0]]
    assert {
        "Messe Test GmbH",
        "DOC-2026-00001 · 1 May 2026",
        "Am Markt 1",
        "VAT ID DE136695976",
    } <= set(first)
    assert all("Contract · DOC-2026-00001" in words([page]) for page in texts), "on each page"
    assert data.count(b"/Subtype /Image") == 1 and b"/Subtype /Image" not in sheet("<p>a</p>")[0]
    assert "Signature" not in words(texts)


@pytest.mark.parametrize("count", range(0, 60, 3))
def test_the_signatures_of_both_parties_are_together_on_one_page(count):
    _, texts = sheet("<h1>Contract</h1>" + "<p>a line of the contract</p>" * count, partner=PARTNER)
    first, last = words(texts[:1]), [text for _, _, text, _ in texts[-1]]
    assert (
        first.index("Organiser") < first.index("Contracting party") < first.index("Hauptstraße 12")
    )
    assert "GERMANY" not in first.split("a line")[0].split("Page")[0], "the country of both"
    assert last.count("Place, date") == last.count("Signature") == 2
    lines = [(x, y, text) for x, y, text, _ in texts[-1] if text in ("Place, date", "Signature")]
    assert len({y for _, y, _ in lines}) == 2 and len({x for x, _, _ in lines}) == 2
    assert all(y < 275 for _, y, _ in lines)
    assert count == 0 or "contract" in last, "the signatures are not alone"


@pytest.mark.parametrize(
    "party",
    [
        {"name": ""},
        {"name": "N" * 255, "address": "road\n" * 30, "city": "C" * 255, "country": "ZZ"},
        {
            "name": "Przedsiębiorstwo Handlowo-Usługowe „Zieleń” Sp. z o.o. Sp. k.",
            "contact_name": "Łucja",
            "city": "Łódź",
        },
    ],
)
def test_any_party_stays_within_its_column(party):
    _, texts = sheet("<p>a</p>", partner=party)
    for page in texts:
        for x, y, text, (size, bold, _) in page:
            right = RIGHT if x > 100 else (LEFT + RIGHT) / 2
            assert x + fonts.width(text, size, bold) <= right + 0.1 or size == 15 or y > 265, text
            assert 10 < y < 290


NAMES = "Erna Huber, Kurt Wagner, Dr. Maximiliane von und zu Hohenstein-Wittelsbach-Lichtenfels der Ältere, Jo Li"


@pytest.mark.parametrize(
    "first", ["", "A ", "Ada ", "Adelheid ", "Adelheid Maria ", "Adelheid Maria Theresia "]
)
def test_no_line_of_the_letterhead_breaks_a_name(first):
    """The names are read from the lines of the PDF. One that is wider than a column is broken
    between its words.
    """
    organiser = {
        **ORGANISER,
        "directors": f"{first}{NAMES}",
        "contact": f"{first}Erna Huber, {first}Kurt Wagner",
        "register_court": "Amtsgericht Charlottenburg (Berlin)",
        "register_number": "HRB 4711",
    }
    sheet_ = document.Sheet("Contract", "DOC-1", "1 May 2026", "de", organiser)
    text = pypdf.PdfReader(BytesIO(sheet_.pdf([]))).pages[0].extract_text()
    assert "\u00a0" not in text, "text that is copied or searched has usual spaces"
    for name in (
        f"{first}Erna Huber",
        f"{first}Kurt Wagner",
        "Kurt Wagner",
        "Jo Li",
        "HRB 4711",
        "Amtsgericht Charlottenburg (Berlin)",
    ):
        assert any(name in line for line in text.splitlines()), (name, text)
    assert f"Geschäftsführung: {first}{NAMES}" in " ".join(text.split())
