"""The body of a template as a text."""

import random

import pytest

from eventapi import markup
from eventapi.demo import papers
from eventapi.domain.attachments.template_text import from_text, to_text
from eventapi.errors import Faults

TEXT = """# Vertrag {{document.number}}

Zwischen **{{organiser.name}}** und
{{contact.name}} gilt:

## § 1 Stand

- Stand {{booths.numbers}}
- Fläche **{{booths.area}}**

### Zahlung

Fällig am {{invoice.due_date}}."""
HTML = """<h1>Vertrag {{document.number}}</h1>
<p>Zwischen <strong>{{organiser.name}}</strong> und<br>{{contact.name}} gilt:</p>
<h2>§ 1 Stand</h2>
<ul><li>Stand {{booths.numbers}}</li><li>Fläche <strong>{{booths.area}}</strong></li></ul>
<h3>Zahlung</h3>
<p>Fällig am {{invoice.due_date}}.</p>"""


def faults_of(html):
    faults = Faults()
    markup.parse(html, faults, "/body")
    return list(faults)


def test_a_text_becomes_html_and_a_text_again():
    assert from_text(TEXT) == HTML
    assert to_text(HTML) == TEXT


def test_blocks_need_no_blank_line_between_them():
    text = "Wir liefern:\n- Strom\n- Wasser\nund sonst nichts.\n# Ende\nGruß"
    assert from_text(text) == (
        "<p>Wir liefern:</p>\n<ul><li>Strom</li><li>Wasser</li></ul>\n<p>und sonst nichts.</p>\n"
        "<h1>Ende</h1>\n<p>Gruß</p>"
    )


@pytest.mark.parametrize(
    "text, html",
    [
        ("", ""),
        (" \r\n\t\r\n", ""),
        ("a\r\nb", "<p>a<br>b</p>"),
        ("#kein Titel", "<p>#kein Titel</p>"),
        ("#### vier", "<p>#### vier</p>"),
        ("-1 Grad", "<p>-1 Grad</p>"),
        ("- ", "<p>-</p>"),
        ("2 ** 3 ** 4", "<p>2 ** 3 ** 4</p>"),
        ("**a** und **b**", "<p><strong>a</strong> und <strong>b</strong></p>"),
        ("**offen", "<p>**offen</p>"),
    ],
)
def test_signs_count_only_where_they_are_meant(text, html):
    assert from_text(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "**<img src=x onerror=alert(1)>**",
        "# </h1><h1 onclick=x>",
        "- </li></ul><!-- a -->",
        "A & B &amp; &lt;b&gt; &bogus; &#0;",
        "</p>\n<p>",
    ],
)
def test_markup_in_a_text_stays_text(text):
    html = from_text(text)
    assert faults_of(html) == []
    assert "<script" not in html and "<img" not in html and "<!--" not in html
    assert "onclick" not in html.replace("&lt;h1 onclick=x&gt;", "")
    assert to_text(html) == text


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><td>A1</td></tr></table>",
        "<p>a</p><table><tr><td>A1</td></tr></table>",
        "<ol><li>a</li></ol>",
        "<ul><li><p>a</p><ul><li>b</li></ul></li></ul>",
        "<p><em>a</em></p>",
        "<p># kein Titel</p>",
        "<p>- keine Liste</p>",
        "<p>**nicht fett**</p>",
        "<p><strong>a </strong>b</p>",
        "<p>a<br><br>b</p>",
        "<p></p>",
        "<h1>a<br>b</h1>",
        "<p onclick=x>a</p>",
        "<p>a",
    ],
)
def test_a_body_that_no_text_means_has_none(body):
    assert to_text(body) is None


def test_spaces_that_nobody_sees_do_not_matter():
    body = "\n<p>\n  Guten Tag,\n  <br>\n  willkommen.\n</p>\n\n<ul>\n  <li>a</li>\n</ul>\n"
    assert to_text(body) == "Guten Tag,\nwillkommen.\n\n- a"
    assert to_text("frei <strong>stehend</strong>") == "frei **stehend**"
    assert to_text("<p>10\u00a0m²</p>") == "10\u00a0m²"


def test_the_contract_of_the_sample_show_has_a_table():
    assert "<table>" in papers.CONTRACT and to_text(papers.CONTRACT) is None


def test_random_texts_are_html_without_faults_and_mean_themselves():
    pieces = [
        "# ",
        "## ",
        "- ",
        "**",
        "a",
        "b c",
        " ",
        "\n",
        "\n\n",
        "<p>",
        "</li>",
        "&amp;",
        "{{x}}",
    ]
    chance = random.Random(57)
    plain = 0
    for _ in range(3000):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(12)))
        html = from_text(text)
        assert faults_of(html) == [], text
        written = to_text(html)
        assert written is not None, text
        assert from_text(written) == html, text
        plain += bool(written)
    assert plain > 2000
