"""The shared look: colours are those of the stylesheet of the web pages, and options reach letters
and mails.
"""

import pytest

from eventapi.config import ConfigError, load
from eventapi.domain.mail import words as mail_words
from eventapi.languages import formats
from eventapi.pictures import fonts, style, words
from eventapi.pictures.invoice import account
from eventapi.pictures.paper import LEFT

# The variables of the stylesheet, in light
SHEET = {
    "accent": "#23694a",
    "ink": "#1c2420",
    "quiet": "#56625c",
    "line": "#dde2dd",
    "edge": "#7a867f",
    "soft": "#e9f1ec",
    "late": "#a3291c",
    "wait": "#765000",
    "wait_soft": "#fbf2de",
    "wall": "#57605b",
    "booth_line": "#a9b4ad",
    "named": "#dcebe2",
    "named_ink": "#143326",
    "free_ink": "#6a756f",
    "taken": "#ebebe8",
    "taken_ink": "#5d625f",
    "thing": "#e7e4ee",
    "open": "#23694a",
}


@pytest.mark.parametrize("name", SHEET)
def test_the_colours_are_those_of_the_stylesheet(name):
    assert getattr(style, name.upper()) == SHEET[name]


@pytest.mark.parametrize(
    "color, ink", [("#23694a", "#23694a"), ("#ffe600", style.INK), ("#767676", "#767676")]
)
def test_a_pale_colour_of_the_organiser_is_not_used_for_text(color, ink):
    assert style.Brand(None, color).ink == ink


@pytest.mark.parametrize(
    "option, value, reason",
    [
        ("organiser_color", "green", "a colour such as #23694a"),
        ("organiser_color", "#12", "a colour such as #23694a"),
        ("organiser_footer", "a | b | c | d", "at most 3 lines"),
        ("mail_signature", " | ".join("abcdefg"), "it has 7"),
    ],
)
def test_a_wrong_option_is_named(tmp_path, option, value, reason):
    file = tmp_path / "eventapi.conf"
    file.write_text(f"[eventapi]\n{option} = {value}\n")
    with pytest.raises(ConfigError, match=option) as raised:
        load(environ={"EVENTAPI_CONFIG": str(file)})
    assert reason in str(raised.value)


def test_the_end_of_a_mail_has_signature_register_and_directors(tmp_path):
    file = tmp_path / "eventapi.conf"
    file.write_text(
        "[eventapi]\norganiser_name = Messe Test GmbH\norganiser_street = Am Markt 1\n"
        "organiser_postal_code = 04109\norganiser_city = Leipzig\norganiser_phone = +49 341 1\n"
        "organiser_register_number = HRB 4711\norganiser_register_court = Amtsgericht Leipzig\n"
        "organiser_directors = Ada Bergmann, Jörg Wögerer\nmail_signature = Ihr Messeteam | Halle 1\n"
    )
    config = load(environ={"EVENTAPI_CONFIG": str(file)})
    assert mail_words.closing(config, "de") == [
        "Mit freundlichen Grüßen",
        "Ihr Messeteam\nHalle 1",
        "Messe Test GmbH, Am Markt 1, 04109 Leipzig\nTelefon +49 341 1\nAmtsgericht Leipzig, HRB 4711\n"
        "Geschäftsführung: Ada Bergmann, Jörg Wögerer",
    ]


def test_the_place_of_an_event_is_one_line_and_empty_without_a_venue():
    event = {
        "venue": "Halle 1",
        "address": "Messe-Allee 1",
        "postal_code": "04356",
        "city": "Leipzig",
    }
    assert words.place(event) == "Halle 1, Messe-Allee 1, 04356 Leipzig"
    assert words.place({"city": "Leipzig"}) == ""


@pytest.mark.skipif(not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed")
@pytest.mark.parametrize("language", words.WORDS)
def test_dates_and_entries_of_a_statement_of_account_have_one_size(language):
    """A text that is wider than its column would be shrunk, and differ from the line below it."""
    kinds = (
        "invoice",
        "credit_note",
        "payment",
        "refund",
        "move",
        "write_off",
        "recovery",
        "opening",
    )
    with fonts.boxes():
        dates = [
            fonts.width(formats.day(f"2026-{month:02}-30", language), style.TABLE)
            for month in (1, 9, 11, 12)
        ]
        entries = [
            fonts.width(words.WORDS[language][f"account_{kind}"], style.TABLE) for kind in kinds
        ]
    assert (
        max(dates) <= account.TYPE - LEFT - 2 and max(entries) <= account.NUMBER - account.TYPE - 2
    )
