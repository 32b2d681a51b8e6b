"""The texts of pages: both languages have the same ones, and all that templates and redirections name."""
import json
import re
from importlib.resources import files
from string import Formatter

import pytest

from eventapi.app import routes
from eventapi.reference import problem_codes
from eventapi.web.html import visits

# Package -> those whose texts its pages have besides their own. Pages of links and applications share their layout.
PACKAGES = {"entry": ("apply",), "apply": ("entry",), "my": ("entry",), "desk": ("entry",), "show": ()}

# Codes that no page of a link explains: the form does it beside its fields, or only the administrator can help.
UNEXPLAINED = {"validation_failed", "not_installed", "fonts_missing", "range_not_satisfiable", "in_use", "no_e_invoice",
               "invoice_incomplete"}


def texts(package, language):
    return json.loads(files(f"eventapi.pages.{package}").joinpath(f"words/{language}.json").read_text(encoding="utf-8"))


def placeholders(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def sources(package, ending):
    return {file.name: file.read_text(encoding="utf-8") for file in files(f"eventapi.pages.{package}").iterdir()
            if file.name.endswith(ending)}


@pytest.mark.parametrize("package", PACKAGES)
def test_all_that_pages_say_is_there_in_both_languages(package):
    english, german = texts(package, "en"), texts(package, "de")
    assert {name: placeholders(text) for name, text in english.items()} == {
        name: placeholders(text) for name, text in german.items()}
    known = {*english, *(word for other in PACKAGES[package] for word in texts(other, "en"))}
    said = [(file, word) for file, text in sources(package, ".html").items()
            for word in re.findall(r'\bw\("([^"]+)"\s*[,)]', text)]
    done = [(file, f"done_{word}") for file, text in sources(package, ".py").items()
            for given in re.findall(r"\bdone=([^)\n]*)", text) for word in re.findall(r'"(\w+)"', given)]
    assert said and visits.COMMON == "eventapi.pages.entry"
    assert [(file, word) for file, word in (*said, *done) if word not in known] == []


@pytest.mark.parametrize("package", ["my", "apply"])
def test_all_refusals_of_the_pages_of_a_link_have_a_sentence(package):
    """The list of the reference has the codes that each handler can raise (make reference)."""
    handlers = {route.handler for route in routes() if route.path.startswith(f"/{package}/<ref>")}
    raised = {code for handler in handlers for code in problem_codes.codes(handler)}
    known = {*texts(package, "en"), *texts("entry", "en")}
    assert len(raised) > 5 and {code for code in raised if f"problem_{code}" not in known} <= UNEXPLAINED
