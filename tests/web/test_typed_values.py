"""What people type into forms, in both languages."""

import pytest

from eventapi.web.html import typed_values
from eventapi.web.html.schema_forms import Form

SAME = object()  # the text stays as it was typed, and the API refuses it
# kind, what is typed, its value in German, and in English if that is another one
TYPED = [
    ("money", "25", 25),
    ("money", "25,00", 25),
    ("money", "25.00", 25),
    ("money", "25 €", 25),
    ("money", "€ 25", 25),
    ("money", "25,50 Euro", 25.5),
    ("money", "25,-", 25),
    ("money", "25,- €", 25),
    ("money", "1.234,50 EUR", 1234.5),
    ("money", "1,234.50", 1234.5),
    ("money", "1 234,50", 1234.5),
    ("money", "1'234.50", 1234.5),
    ("money", "1.234", 1234, 1.234),
    ("money", "1.234.567", 1234567),
    ("money", "0.125", 0.125),
    ("metres", "0,125 m", 0.125),
    ("metres", "-0.500", -0.5),
    ("money", "2 50", SAME),
    ("money", "1'2", SAME),
    ("integer", "5 5", SAME),
    ("number", "123456789012345.25", SAME),
    ("number", "1e5", SAME),
    ("money", "25 CHF", SAME),
    ("money", "ca. 18", SAME),
    ("money", "12.34,5", SAME),
    ("percent", "19 %", 19),
    ("percent", "5,5", 5.5),
    ("metres", "3,5 m", 3.5),
    ("area", "4 m²", 4),
    ("area", "12 qm", 12),
    ("integer", "7", 7),
    ("date", "1.3.27", "2027-03-01"),
    ("date", "01.03.2027", "2027-03-01"),
    ("date", "2027-03-01", "2027-03-01"),
    ("date", "1. März 2027", "2027-03-01"),
    ("date", "1 March 2027", "2027-03-01"),
    ("date", "31.2.27", SAME),
    ("date", "1/3/2027", SAME),
    ("day", "1.3.27, 9 Uhr", "2027-03-01T09:00:00"),
    ("day", "2027-03-01T08:00:00Z", SAME),
    ("datetime-local", "2027-03-01T09:00", "2027-03-01T09:00:00Z"),
    ("time", "9", "09:00"),
    ("time", "9:00", "09:00"),
    ("time", "9.00 Uhr", "09:00"),
    ("time", "5:30 pm", "17:30"),
    ("time", "25", SAME),
    ("url", "www.example.org", "https://www.example.org"),
    ("url", "example.org:80/a?b", "https://example.org:80/a?b"),
    ("url", "http://example.org", SAME),
    ("url", "javascript:alert(1)", SAME),
    ("color", "23694A", "#23694A"),
    ("color", "#abc", "#aabbcc"),
    ("color", "rot", SAME),
]


@pytest.mark.parametrize("language", ["de", "en"])
def test_what_is_typed_is_read_as_it_is_meant(language):
    assert len(TYPED) >= 40
    for kind, text, german, *english in TYPED:
        meant = english[0] if english and language == "en" else german
        found = typed_values.read(kind, text, language, "EUR")
        assert found == (text if meant is SAME else meant), (kind, text)


def test_an_amount_of_an_unknown_currency_has_no_sign():
    assert typed_values.read("money", "25 €", "de", None) == "25 €"


@pytest.mark.parametrize(
    ("kind", "value", "german", "english"),
    [
        ("money", 25, "25,00", "25.00"),
        ("money", 1234.5, "1.234,50", "1,234.50"),
        ("area", 4.0, "4", "4"),
        ("metres", 2.5, "2,5", "2.5"),
        ("metres", 0.125, "0,125", "0.125"),
        ("date", "2027-03-01", "2027-03-01", "2027-03-01"),
    ],
)
def test_values_are_shown_in_the_language_and_read_again(kind, value, german, english):
    for language, text in (("de", german), ("en", english)):
        assert typed_values.shown(kind, value, language, "EUR") == text
        assert typed_values.read(kind, text, language, "EUR") == value


def test_three_decimals_are_the_same_once_somebody_has_changed_the_language():
    for shown, other in (("de", "en"), ("en", "de")):
        text = typed_values.shown("metres", 2.125, shown)
        assert typed_values.read("metres", text, other) == 2.125


@pytest.mark.parametrize(
    ("body", "names", "found"),
    [
        ("service", ["base_price", "tax_rate", "max_quantity"], "money percent integer"),
        ("booth", ["width", "fixed_price", "rotation"], "metres money integer"),
        ("contact", ["phone", "mobile", "website", "email"], "tel tel url email"),
        ("event_pages", ["accent_color", "contact_phone"], "color tel"),
        ("application", ["requested_area", "message"], "area textarea"),
    ],
)
def test_fields_have_the_kind_that_their_schema_says(body, names, found):
    made = Form(body, "PATCH", lambda path: (path, ""), names=names)
    assert " ".join(each.kind for each in made.fields) == found


@pytest.mark.parametrize(
    ("text", "picked", "before", "color"),
    [
        ("", "#ffffff", "", ""),  # nothing was chosen
        ("", "#000000", "", "#000000"),
        ("", "#23694a", "", "#23694a"),
        ("#aa0000", "#AA0000", "#aa0000", "#aa0000"),
        ("#aa0000", "#23694a", "#aa0000", "#23694a"),
        ("#00ff00", "#23694a", "#aa0000", "#00ff00"),  # what is typed counts
        ("", "#aa0000", "#aa0000", ""),  # it was cleared
    ],
)
def test_a_colour_is_typed_or_picked(text, picked, before, color):
    made = Form("event_pages", "PATCH", lambda path: (path, ""), names=["accent_color"])
    names = ("accent_color", "accent_color.picked", "accent_color.before")
    given = {name: [value] for name, value in zip(names, (text, picked, before), strict=True)}
    assert made.compact(given)["accent_color"] == [color]


def test_links_of_a_list_get_their_scheme():
    made = Form("profile", "PATCH", lambda path: (path, ""), names=["links"])
    assert made.body({"links": ["www.a.example\nhttp://b.example"]}) == {
        "links": ["https://www.a.example", "http://b.example"]
    }
