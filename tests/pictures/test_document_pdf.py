"""Documents as PDF: everything is drawn on the paper and inside its margins."""
import pytest

from eventapi import markup
from eventapi.errors import Faults

pytest.importorskip("reportlab")
from eventapi.pictures import document, fonts
from eventapi.pictures.paper import LEFT, RIGHT


def sheet(body):
    faults = Faults()
    tree = markup.parse(body, faults, "/body")
    assert not faults
    set_ = document.Sheet("Contract", "DOC-2026-00001", "Messe Test GmbH", "en")
    data = set_.pdf(markup.blocks(tree))
    texts = [[(x, y, text, style) for kind, x, y, text, *style in page if kind.__name__ == "_text"]
             for page in ([entry for entry in page if len(entry) == 7] for page in set_.paper.pages)]
    return data, texts


def words(texts):
    return " ".join(text for page in texts for _, _, text, _ in page)


def test_all_words_are_drawn_in_order_and_inside_the_margins():
    body = ("<h1>One</h1><p>two <strong>three</strong><br>four</p>"
            "<ul><li>five<ol><li>six</li></ol></li></ul><table><tr><td>seven</td></tr></table>")
    data, texts = sheet(body)
    found = words(texts)
    assert data.startswith(b"%PDF") and data == sheet(body)[0]
    assert [found.index(word) for word in ("One", "two", "three", "four", "five", "six", "seven")] == sorted(
        found.index(word) for word in ("One", "two", "three", "four", "five", "six", "seven"))


@pytest.mark.parametrize("body", [
    "<p>" + "long words and more of them " * 900 + "</p>", "<p>" + "x" * 5000 + "</p>",
    "<table><tr>" + "<td>cell</td>" * 30 + "</tr></table>",
    "<table><tr><td>" + "tall " * 3000 + "</td><td>" + "y" * 500 + "</td></tr></table>",
    "<ul><li>" * 7 + "deep " * 50 + "</li></ul>" * 7,
    "<h1>" + "heading " * 600 + "</h1>", "<table></table>", "<ul></ul><table><tr></tr></table>", "",
    "<p>Łódź Ωμέγα Привет</p>",
])
def test_any_content_stays_on_the_paper(body):
    _, texts = sheet(body)
    for page in texts:
        for x, y, text, (size, bold, _) in page:
            assert LEFT - 0.1 <= x and 10 < y < 290
            assert x + fonts.width(text, size, bold) <= RIGHT + 6.1 or len(text) == 1 or y > 280


def test_the_header_row_of_a_table_is_repeated_on_each_page():
    _, texts = sheet("<table><tr><th>Position</th><th>Price</th></tr>" + "<tr><td>a</td><td>1</td></tr>" * 100
                     + "</table>")
    assert len(texts) > 2 and all("Position" in words([page]) for page in texts)


def test_pages_are_numbered():
    _, texts = sheet("<p>a</p>" * 200)
    assert [f"{number} / {len(texts)}" in words([page]) for number, page in enumerate(texts, 1)] == [True] * len(texts)
