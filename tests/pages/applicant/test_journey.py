"""A visitor and an exhibitor with a phone and no scripts: from the form to the badge, and to an
answered question.
"""

import re

import pytest

from eventapi.web.html import tokens
from tests.pages.show.conftest import built, category, link_of, pages  # noqa: F401
from tests.pages.show.test_journey import UNDECIDED, follow, needs_browser, text
from tests.pages.test_accessibility import AXE, CHECK
from tests.support.browser import SIZES
from tests.support.served import served

pytestmark = pytest.mark.processes
LOOKS = [(width, dark, "de" if dark else "en") for width, dark in SIZES]


@pytest.fixture
def root(app, show):
    with served(app.app, []) as url:
        yield url


def seen(browser):
    """Look at the page: it fits the screen, the browser complains of nothing, and axe-core finds
    nothing.

    axe-core waits for timers, which run only while scripts are allowed. The page has none of its
    own.
    """
    width = browser.run(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert width <= 0, "the page is wider than the screen"
    assert [entry for entry in browser.complaints() if "status of 4" not in str(entry)] == []
    if AXE.exists():
        with browser.scripts():
            browser.run(AXE.read_text(encoding="utf-8") + "; 0")
            violations, undecided = browser.run(CHECK)
        assert violations == [] and {rule for rule, *_ in undecided} <= UNDECIDED, (
            violations,
            undecided,
        )


def fill(browser, form="main form", **values):
    """Fill in a form by the names of its fields, and send it."""
    for name, value in values.items():
        browser.run(f"document.querySelector('{form} [name={name}]').value = {value!r}")
    follow(browser, f"document.querySelector('{form}').submit()")


@needs_browser
@pytest.mark.parametrize(("width", "dark", "language"), LOOKS)
def test_a_visitor_registers_with_a_phone(
    browser,
    root,
    pages,  # noqa: F811
    db,
    monkeypatch,
    width,
    dark,
    language,
):
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    browser.open(f"{root}/e/fair/visit?language={language}", width=width, dark=dark, scripts=False)
    seen(browser)
    fill(browser, first_name="Greta")
    assert browser.run("document.querySelectorAll('.fault').length") == 2
    seen(browser)
    fill(browser, last_name="Gärtner", email="grate@mail.example")
    seen(browser)
    fill(browser, "main details form", email="greta@mail.example")
    ((_, mail),) = built(db, "application_confirmation")
    browser.open(root + link_of(mail), width=width, dark=dark, scripts=False)
    seen(browser)
    fill(browser)
    assert (
        text(browser, "h2") == {"en": "You are registered", "de": "Sie sind registriert"}[language]
    )
    seen(browser)
    follow(browser, "document.querySelector('main a.button').click()")
    assert text(browser, "h1") == "Greta Gärtner"
    assert browser.run("document.querySelector('img.badge').naturalWidth") > 0
    seen(browser)


@needs_browser
@pytest.mark.parametrize(("width", "dark", "language"), LOOKS)
def test_an_exhibitor_applies_and_answers_a_question(
    browser, root, organiser, show, db, monkeypatch, tmp_path, width, dark, language
):
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "key": "brochure",
            "title": "Brochure",
            "input": "file",
            "allowed_extensions": ["pdf"],
            "max_size_mb": 1,
        },
    )
    organiser.patch(
        f"/events/{show['event']['id']}/pages", {"apply_file_type": "brochure"}, status=200
    )
    browser.open(f"{root}/e/fair/apply?language={language}", width=width, dark=dark, scripts=False)
    seen(browser)
    fill(browser)
    assert (
        text(browser, "#e-email") == {"en": "Please fill in.", "de": "Bitte ausfüllen."}[language]
    )
    seen(browser)
    browser.run("document.querySelector('#f-terms').checked = true")
    fill(browser, company_name="Rosen KG", email="ada@rosen.example", country="DE")
    ((_, mail),) = built(db, "application_confirmation")
    browser.open(root + link_of(mail), width=width, dark=dark, scripts=False)
    fill(browser)
    seen(browser)
    organiser.post("/applications/1/review", status=200)
    organiser.post(
        "/applications/1/request-info",
        {"question": "How high is your booth?", "mail": True},
        status=200,
    )
    ((_, mail),) = built(db, "application_decision")
    browser.open(root + link_of(mail), width=width, dark=dark, scripts=False)
    assert (
        text(browser, "main h2")
        == {"en": "We have a question", "de": "Wir haben eine Frage"}[language]
    )
    seen(browser)
    fill(browser, answer="Three metres.")
    assert organiser.data("/applications/1")["answer"] == "Three metres."
    seen(browser)
    assert re.search(r"/apply/[a-z]{8}/\?done=answered$", browser.run("location.href"))
    choose(browser, tmp_path / "brochure.exe", b"MZ")
    assert text(browser, "#e-file")
    choose(browser, tmp_path / "brochure.pdf", b"%PDF-1.7\n")
    assert "brochure.pdf" in text(browser, "main .list")
    organiser.patch(f"/events/{show['event']['id']}/pages", {"my_is_open": True}, status=200)
    organiser.post("/applications/1/approve", {"confirm": True, "mail": True}, status=200)
    ((_, mail),) = built(db, "application_decision")[-1:]
    browser.open(root + link_of(mail), width=width, dark=dark, scripts=False)
    seen(browser)
    follow(browser, "document.querySelector('form[action$=my] button').click()")
    assert (
        re.search(r"/my/[a-z]{8}/$", browser.run("location.href"))
        and text(browser, "h1") == "Rosen KG"
    )
    assert [
        row["status"] for row in organiser.data("/participants?role=exhibitor&search=Rosen")
    ] == ["confirmed"]


def choose(browser, file, content):
    """Choose a file in the form of the page, send it and look at the page."""
    file.write_bytes(content)
    browser.choose_file("#f-file", file)
    follow(browser, "document.querySelector('form[action$=files] button').click()")
    seen(browser)
