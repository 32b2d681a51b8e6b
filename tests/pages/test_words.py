"""Texts of all pages: both languages, templates, and a sentence for each refusal that a page can
show.

The codes of problems are those of the list of the reference (make reference); the codes of faults
are read from the source in the same way, and from the schemas of forms.
"""

import json
import re
import string
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from eventapi.app import routes
from eventapi.domain.records import field_types
from eventapi.pages.show import fields
from eventapi.reference import problem_codes
from eventapi.validation.schema_files import body_schema
from eventapi.web.html import page_requests
from tests.support import problem_codes as source

PARTS = ("show", "applicant", "link", "my", "desk", "office", "forms")
COMMON = page_requests.COMMON
# Values that a template may leave unescaped: each is HTML that was made of escaped pieces.
UNESCAPED = re.compile(
    r"(piece|linked|cell_of)\(.*\)|form_token\(\)|body|plan_drawing|code|free_rows|contract_text"
    r"|card\.chart|cell\.markup|preview"
)
LINES = ("if", "elif", "else", "for", "end")
# These have pages of their own: what does not exist, and forms whose faults stand beside their
# fields.
PAGES = {"not_found", "validation_failed"}
# `confirmed` in pages/show/forms.py shows one page, "changed", for all that prevents an
# application; `of_action` in pages/desk/mail_trials.py shows no mail of an action that is refused.
CHANGED = {
    "get_desk_batch": {"invalid_transition"},
    "get_desk_batch_form": {"invalid_transition"},
    "get_desk_action": {"invalid_transition"},
    "open_link": {
        "ambiguous_contact",
        "anonymized",
        "deadline_passed",
        "duplicate",
        "in_use",
        "invalid_transition",
    },
}
# Faults in fields that the handlers of the pages set themselves, and no visitor sends.
OFFICE = {
    "before_request",
    "disagrees",
    "fixed",
    "future",
    "later",
    "no_template",
    "not_for_input",
    "other_event",
    "other_role",
    "too_long",
}


def package(part):
    return f"eventapi.pages.{part}"


def texts(part, language):
    """Return the texts that a page of this part can say."""
    return page_requests.words(package(part), language)


def templates(part):
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in files(package(part)).iterdir()
        if file.name.endswith(".html")
    }


def forms(part):
    """Return the routes of a part that are pages."""
    return [
        route
        for route in routes()
        if route.handler.__module__.startswith(package(part)) and route.options.page
    ]


def test_no_file_of_words_has_a_key_twice():
    """A program takes the last one, so that a change of the first one is lost."""
    paths = sorted(Path(str(files("eventapi"))).rglob("words/*.json"))
    assert len(paths) > 8  # the search itself works
    twice = {}
    for path in paths:
        pairs = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)
        counts = Counter(key for key, _ in pairs)
        twice |= {(path.name, key): count for key, count in counts.items() if count > 1}
    assert twice == {}


@pytest.mark.parametrize("part", [*PARTS, "door"])
def test_both_languages_have_the_same_texts_with_the_same_placeholders(part):
    def placeholders(language):
        own = json.loads(
            files(package(part)).joinpath(f"words/{language}.json").read_text(encoding="utf-8")
        )
        return {
            name: {each for _, each, _, _ in string.Formatter().parse(text) if each is not None}
            for name, text in own.items()
        }

    assert placeholders("de") == placeholders("en")


@pytest.mark.parametrize("part", PARTS)
def test_templates_say_only_what_the_texts_have(part):
    for name, text in templates(part).items():
        missing = {word for word in re.findall(r'\bw\("([^"]+)"[,)]', text)} - texts(
            part, "en"
        ).keys()
        assert not missing, f"{name}: {missing}"


@pytest.mark.parametrize("part", PARTS)
def test_redirections_name_a_sentence(part):
    """`done=word` leads to a page that says `done_word`.

    Pages of links lead to those of applications.
    """
    known = {*texts(part, "en"), *texts("applicant", "en")}
    for file in files(package(part)).iterdir():
        if file.name.endswith(".py"):
            for given in re.findall(r"\bdone=([^)\n]*)", file.read_text(encoding="utf-8")):
                assert {f"done_{word}" for word in re.findall(r'"(\w+)"', given)} <= known, (
                    file.name
                )


@pytest.mark.parametrize("part", PARTS)
def test_templates_escape_what_is_not_listed_and_contain_no_program(part):
    """A template may give a value a name, and define a piece that repeats."""
    for name, text in templates(part).items():
        assert [
            part for part in re.findall(r"\{\{!(.*?)\}\}", text) if not UNESCAPED.fullmatch(part)
        ] == [], name
        pieces = re.findall(r"(?m)^\s*% def (\w+)\(", text)
        for line in re.findall(r"(?m)^\s*%\s*(\w.*)$", text):
            word = re.match(r"\w+", line)[0]
            is_name = re.match(r"\w+(, \w+)* = ", line)
            assert is_name or word in (*LINES, "def", *pieces), f"{name}: {line}"


def test_an_expression_of_a_template_stands_on_one_line():
    """SimpleTemplate shows the source of one that does not end on its line."""
    for template in files("eventapi.pages").glob("*/*.html"):
        for number, line in enumerate(template.read_text(encoding="utf-8").splitlines(), 1):
            assert line.rfind("{{") <= line.rfind("}}"), f"{template.name}:{number}: {line}"


def test_a_line_of_a_template_has_at_most_120_columns():
    folder = files("eventapi.pages")
    for template in folder.glob("*/*.html"):
        for number, line in enumerate(template.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 120, f"{template.name}:{number} has {len(line)} columns"


def test_a_joined_line_of_a_template_stands_before_a_statement():
    """bottle prints the two backslashes where text follows."""
    for template in files("eventapi.pages").glob("*/*.html"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"\\\\\n(?!\s*%)", text), template.name


@pytest.mark.parametrize("part", PARTS)
def test_every_refusal_of_a_page_has_a_sentence(part):
    """A form that is shown again has the texts of its part.

    Any other refusal is a page with the texts of all parts.
    """
    for route in forms(part):
        name = route.handler.__name__
        codes = {*problem_codes.by_handler()[name]} - PAGES - CHANGED.get(name, set())
        own = part if route.options.shows or (part == "show" and route.method == "POST") else "link"
        for language in ("de", "en"):
            missing = [
                code for code in sorted(codes) if f"problem_{code}" not in texts(own, language)
            ]
            assert not missing, f"{name}: {missing}"


def keywords(schema):
    """Yield the codes of the faults that a schema of a value can find."""
    for keyword in schema:
        if keyword in ("type", "format", "enum", "pattern", "uniqueItems") or re.match(
            r"(exclusive)?(M|m)(in|ax)", keyword
        ):
            yield re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), keyword)
    yield from keywords(schema["items"]) if isinstance(schema.get("items"), dict) else ()


def of_custom_fields():
    """Yield the codes of the faults of custom fields, with those of their rules."""
    for schema in field_types.SCHEMAS.values():
        yield from keywords(schema)
    yield from field_types.RULES
    yield "enum"


@pytest.mark.parametrize("form", ["apply", "visit"])
def test_every_fault_of_a_form_has_a_sentence(form):
    home = source.module("eventapi.pages.show.forms")
    handler = {"apply": "send_application_form", "visit": "send_registration_form"}[form]
    schema = body_schema("application", "POST")["properties"]
    names = [
        *(fields.VISIT if form == "visit" else ("email", *fields.SIMPLE)),
        "category_keys",
        "booth_type_key",
        "is_business",
        "custom_fields",
    ]
    codes = {
        *source.fault_codes(home, home.definitions[handler]),
        *of_custom_fields(),
        *(code for name in names for code in keywords(schema[name])),
    }
    assert {"any_of", "decimals", "unknown", "required"} < codes
    for language in ("de", "en"):
        missing = [code for code in sorted(codes) if f"fault_{code}" not in texts("show", language)]
        assert not missing


@pytest.mark.parametrize("part", ["applicant", "my"])
def test_every_fault_of_a_page_with_a_session_has_a_sentence(part):
    for route in forms(part):
        if route.method != "POST" or not route.options.shows:
            continue
        home = source.module(route.handler.__module__)
        codes = {*source.fault_codes(home, home.definitions[route.handler.__name__])}
        if route.options.schema:
            codes |= {
                code
                for schema in body_schema(route.options.schema, "POST")["properties"].values()
                for code in keywords(schema)
            }
        for language in ("de", "en"):
            missing = [
                code
                for code in sorted(codes - OFFICE)
                if f"fault_{code}" not in texts(part, language)
            ]
            assert not missing, f"{route.handler.__name__}: {missing}"
