"""The allowed subset of HTML."""

import time

import pytest

from eventapi import markup
from eventapi.errors import Faults


def read(text, known=()):
    faults = Faults()
    tree = markup.parse(text, faults, "/body", lambda name: name in known)
    return tree, [(entry["code"], entry["detail"]) for entry in faults]


def codes(text):
    return [code for code, _ in read(text)[1]]


GOOD = """<h1>Contract &amp; terms</h1>
<p>Between <strong>A <em>and</em></strong> B<br>Line two &lt;here&gt; &#x20AC; &euro; &nbsp;.</p>
<ul><li>One</li><li><p>Two</p><ol><li>inner</li></ol></li></ul>
<table><tr><th>Booth</th><td>A1</td></tr></table>Closing words"""


def test_allowed_markup_is_parsed_and_written_as_the_same_tree():
    tree, wrong = read(GOOD)
    assert wrong == []
    again, wrong = read(markup.to_html(tree))
    assert wrong == [] and again == tree
    assert [block.tag for block in markup.blocks(tree)] == ["h1", "p", "ul", "table", "p"]


@pytest.mark.parametrize(
    "text, code",
    [
        ("<script>alert(1)</script>", "not_allowed"),
        ("<img src=x onerror=alert(1)>", "not_allowed"),
        ("<p onclick=x>a</p>", "attribute"),
        ("<p class=''>a</p>", "attribute"),
        ("<!-- x -->", "not_allowed"),
        ("<!DOCTYPE html>", "not_allowed"),
        ("<?php x ?>", "not_allowed"),
        ("<![CDATA[x]]>", "not_allowed"),
        ("<p>a", "unclosed"),
        ("</p>", "unopened"),
        ("<p>a</strong></p>", "unopened"),
        ("<p><strong>a</p>", "unclosed"),
        ("<p>a < b</p>", "not_allowed"),
        ("<p>a && b</p>", "entity"),
        ("&nonsense;", "entity"),
        ("&#0;", "entity"),
        ("&#xD800;", "entity"),
        ("&#x110000;", "entity"),
        ("&lt", "entity"),
        ("R&D", "entity"),
        ("<p><p>a</p></p>", "misplaced"),
        ("<ul>text</ul>", "misplaced"),
        ("<tr><td>a</td></tr>", "misplaced"),
        ("<table><td>a</td></table>", "misplaced"),
        ("<h1><table></table></h1>", "misplaced"),
        ("<li>a</li>", "misplaced"),
        ("<scr<script>ipt>", "not_allowed"),
        ("<p", "attribute"),
        ("<", "not_allowed"),
        ("<a href='javascript:x'>y</a>", "not_allowed"),
        ("{{x}}", "placeholder"),
        ("{{", "placeholder"),
        ("<p>}}</p>", "placeholder"),
        ("{{{{today}}}}", "placeholder"),
        ("a\x1bb", "characters"),
        ("</br>", "unopened"),
        ("<svg/onload=alert(1)>", "not_allowed"),
        ("<p/x>", "attribute"),
    ],
)
def test_disallowed_markup_is_named(text, code):
    assert code in codes(text)


def test_every_error_is_reported_with_line_and_column():
    _, wrong = read("<p>fine</p>\n<p><u>x</u>\n  &zzz;</p>")
    assert [(code, detail.partition(":")[0]) for code, detail in wrong] == [
        ("not_allowed", "line 2, column 4"),
        ("not_allowed", "line 2, column 8"),
        ("entity", "line 3, column 3"),
    ]


def test_markup_nested_too_deeply_is_refused_without_a_failure():
    assert "too_deep" in codes("<ul><li>" * 5000)
    assert "too_deep" in codes("<strong>" * 200_000)


def test_a_value_is_always_text():
    tree, wrong = read("<p>{{a}} and {{ a }}</p>", known=("a",))
    assert wrong == []
    filled = markup.to_html(markup.fill(tree, lambda name: "<script>&lt;{{b}}\nline\x07 \0two"))
    assert (
        filled
        == "<p>&lt;script&gt;&amp;lt;{{b}}<br>line two and &lt;script&gt;&amp;lt;{{b}}<br>line two</p>"
    )


def test_parsing_a_long_text_takes_linear_time():
    for text in (
        "<p>" + "x" * 400_000,
        "&" * 100_000,
        "<" * 100_000,
        "{{" * 100_000,
        "<p></p>" * 50_000,
        "{{" + " " * 100_000,
        "{{" + "a " * 100_000,
        "<p" + " " * 100_000,
    ):
        start = time.perf_counter()
        read(text)
        assert time.perf_counter() - start < 5, text[:8]
