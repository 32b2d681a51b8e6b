"""The choice of the language."""

import pytest

from eventapi import config
from eventapi.languages import choice


def options(**environ):
    return config.load(
        environ={f"EVENTAPI_{name.upper()}": value for name, value in environ.items()}
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "de"),
        ({"organiser_country": "AT"}, "de"),
        ({"organiser_country": "CH"}, "de"),
        ({"organiser_country": "LI"}, "de"),
        ({"organiser_country": "FR"}, "en"),
        ({"organiser_country": "GB"}, "en"),
        ({"language": "en"}, "en"),
        ({"language": "de", "organiser_country": "US"}, "de"),
        ({"language": "de-AT"}, "de"),
        ({"language": "EN-gb"}, "en"),
    ],
)
def test_the_option_depends_on_the_country_unless_it_is_set(given, expected):
    assert options(**given).language == expected


def test_an_unavailable_option_is_refused():
    with pytest.raises(
        config.ConfigError, match=r"LANGUAGE: language = 'fr' must be one of en, de, or empty"
    ):
        options(language="fr")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ((), "de"),
        ((None, None), "de"),
        (("en", "de"), "en"),
        ((None, "en"), "en"),
        (("en-GB",), "en"),
        (("de-AT", "en"), "de"),
        (("fr", "en"), "en"),
        (("fr", "it-CH"), "de"),
        (("", "en"), "en"),
        (("gsw", "en"), "en"),
        (("enm", "de-CH"), "de"),
    ],
)
def test_the_first_available_tag_wins(tags, expected):
    assert choice.choose(options(language="de"), *tags) == expected
