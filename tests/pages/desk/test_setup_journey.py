"""A show from nothing to its public page, and from nothing to the form of its visitors, in a browser: in
German, by the words on the pages, without a script, and without the API and commands after signing in.
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
  const named = [...document.querySelectorAll('main [aria-label]')];
  return label?.control || named.find(each => each.getAttribute('aria-label').startsWith(words));
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


def make_show(browser, desk_address, key):
    """Sign in, and make a show with the form of the desk. Its page "Set up" is open then."""
    enter(browser, desk_address, key, scripts=False)
    browser.open(f"{desk_address}?language=de", scripts=False)
    press(browser, "Einrichten")
    press(browser, "Neue Veranstaltung")
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
    assert "1 von 7 Schritten erledigt." in text(browser, "main")


@needs_browser
def test_a_show_comes_from_nothing_to_its_public_page(browser, desk_address, organiser):
    make_show(browser, desk_address, organiser.key)
    press(browser, "Weiter: Kategorien")
    press(browser, "Neue Kategorie")
    fill(browser, {"Titel": "Handwerk", "Preis (netto)": "25,00"})
    press(browser, "Speichern")
    assert "Aussteller · durch das Büro · 25,00" in text(browser, "main")

    press(browser, "Stände und Preise")
    press(browser, "Neuer Standtyp")
    fill(browser, {"Name": "Reihenstand", "Berechnung": "fixed", "Preis (netto)": "80"})
    press(browser, "Speichern")
    assert "Der Standtyp „Reihenstand“ ist gespeichert." in text(browser, "main")

    press(browser, "Hallen")
    press(browser, "Neue Halle")
    fill(browser, {"Name der Halle": "Markthalle", "Breite": "20", "Tiefe": "10"})
    press(browser, "Speichern")
    fill(browser, {"Erste Nummer": "A1", "Anzahl": "4", "von links": "1", "von oben": "1"})
    fill(browser, {"Breite": "3", "Tiefe": "2"})
    press(browser, "Reihen aufstellen")
    assert "A4" in text(browser, "main")

    press(browser, "Einrichten")
    press(browser, "Website")
    fill(browser, {"Öffentlich": True, "Deutsch": "Alles handgemacht.", "Hallenplan zeigen": True})
    press(browser, "Speichern")
    assert "Die Seiten sind öffentlich" in text(browser, "main")
    press(browser, "Ansehen")
    assert browser.run("location.pathname").endswith("/e/bastelmarkt-neustadt-2027")
    said = text(browser, "body")
    assert "Bastelmarkt Neustadt" in said
    assert "Alles handgemacht." in said
    assert "Markthalle" in said
    assert browser.complaints() == []


@needs_browser
def test_the_form_of_visitors_opens_from_nothing(browser, desk_address, organiser):
    make_show(browser, desk_address, organiser.key)
    press(browser, "Besucher und Einlass")
    press(browser, "Kategorie „Besucher“ anlegen")
    fill(browser, {"Besucher können sich anmelden": True})
    press(browser, "Speichern")
    assert "öffentlich" in text(browser, "#faults")
    press(browser, "Website")
    fill(browser, {"Öffentlich": True})
    press(browser, "Speichern")
    assert "Die Seiten sind öffentlich" in text(browser, "main")

    press(browser, "Besucher und Einlass")
    fill(browser, {"Besucher können sich anmelden": True})
    press(browser, "Speichern")
    press(browser, "Ansehen")
    assert browser.run("location.pathname").endswith("/visit")
    press(browser, "Deutsch")
    fill(browser, {"Vorname": "Greta", "Nachname": "Gärtner", "E-Mail": "greta@mail.example"})
    press(browser, "Registrieren")
    assert "Bitte sehen Sie in Ihr Postfach" in text(browser, "body")
    assert browser.complaints() == []
