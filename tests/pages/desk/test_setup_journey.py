"""A show from nothing to its public page, and to the form of its visitors, in a browser: in German, by
the words on the pages, without a script and without the API.
"""

import json

import pytest

from eventapi.web.html import tokens
from tests.pages.desk.test_journey import enter
from tests.pages.show.test_journey import follow, needs_browser, text
from tests.support.served import served

pytestmark = pytest.mark.processes

FIND = """
const plain = each => each.textContent.replace(/\\s+/g, ' ').trim();
const labelled = words => {
  const label = [...document.querySelectorAll('main label')].find(each => plain(each).startsWith(words));
  return label.control || label.querySelector('input');
};
const found = words => [...document.querySelectorAll('a, button')].find(each => plain(each).startsWith(words));
"""


@pytest.fixture
def desk_address(app, settings, monkeypatch):
    """Return the address of the desk of a server that can be reached and that sends mails."""
    monkeypatch.setattr(settings, "base_url", "http://localhost")
    monkeypatch.setattr(settings, "smtp_host", "localhost")
    monkeypatch.setattr(settings, "smtp_sender", "office@messe.test")
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    with served(app.app, []) as url:
        yield f"{url}/desk"


def press(browser, words):
    """Press the button, or follow the link, that begins with these words."""
    follow(browser, f"{FIND} found({json.dumps(words)}).click()")


def fill(browser, values):
    """Fill in fields by the beginning of their labels: a text, or True to tick a box."""
    for label, value in values.items():
        place = f"{FIND} const field = labelled({json.dumps(label)});"
        if value is True:
            browser.run(f"{{ {place} field.checked = true; 0 }}")
        else:
            browser.run(f"{{ {place} field.value = {json.dumps(value)}; 0 }}")


@needs_browser
def test_a_show_comes_about_from_nothing_and_visitors_can_register(
    browser, desk_address, organiser
):
    enter(browser, desk_address, organiser.key, scripts=False)
    browser.open(f"{desk_address}/setup?language=de", scripts=False)
    press(browser, "Neue ")
    fill(
        browser,
        {
            "Titel": "Bastelmarkt Neustadt",
            "Erster Tag": "2027-03-13",
            "Letzter Tag": "2027-03-14",
            "Ort": "Neustadt",
        },
    )
    press(browser, "Speichern")
    assert "1 von 12 Schritten erledigt." in text(browser, "main")

    press(browser, "Weiter: Kategorien")
    press(browser, "Neue Kategorie")
    fill(browser, {"Titel": "Handwerk", "Preis (netto)": "25,00"})
    press(browser, "Speichern")
    assert "Aussteller · durch das Büro · 25,00" in text(browser, "main")

    press(browser, "Besucher und Einlass")
    press(browser, "Kategorie „Besucher“ anlegen")
    fill(browser, {"Besucher können sich anmelden": True})
    press(browser, "Speichern")
    assert "öffentlich" in text(browser, "#faults")
    press(browser, "Website")
    fill(browser, {"Öffentlich": True, "Deutsch": "Alles handgemacht."})
    press(browser, "Speichern")
    assert "Die Seiten sind öffentlich" in text(browser, "main")

    press(browser, "Besucher und Einlass")
    fill(browser, {"Besucher können sich anmelden": True})
    press(browser, "Speichern")
    press(browser, "Ansehen")
    assert "Bastelmarkt Neustadt" in text(browser, "body")
    assert browser.run("location.pathname").endswith("/visit")
    browser.open(
        desk_address.replace("/desk", "/e/bastelmarkt-neustadt-2027?language=de"), scripts=False
    )
    assert "Alles handgemacht." in text(browser, "body")
    assert browser.complaints() == []
