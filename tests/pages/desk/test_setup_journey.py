"""A show from nothing to its public page, and from nothing to the form of its visitors, in a browser: in
German, by the words on the pages, without a script, and without the API and commands after signing in.
"""

import pytest

from eventapi.web.html import tokens
from tests.pages.desk.test_journey import enter
from tests.pages.show.test_journey import needs_browser, text
from tests.support.desk_browser import click, fill
from tests.support.served import served

pytestmark = pytest.mark.processes


@pytest.fixture
def desk_address(app, settings, monkeypatch):
    """Return the address of the desk of a server that can be reached and that sends mails."""
    monkeypatch.setattr(settings, "base_url", "http://localhost")
    monkeypatch.setattr(settings, "smtp_host", "localhost")
    monkeypatch.setattr(settings, "smtp_sender", "office@messe.test")
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    with served(app.app, []) as url:
        yield f"{url}/desk"


def make_show(browser, desk_address, key):
    """Sign in, and make a show with the form of the desk. Its page "Set up" is open then."""
    enter(browser, desk_address, key, scripts=False)
    browser.open(f"{desk_address}?language=de", scripts=False)
    click(browser, "Einrichten")
    click(browser, "Neue Veranstaltung")
    fill(
        browser,
        {
            "Titel": "Bastelmarkt Neustadt",
            "Erster Tag": "2027-03-13",
            "Letzter Tag": "2027-03-14",
            "Ort": "Neustadt",
        },
    )
    click(browser, "Speichern")
    assert "1 von 7 Schritten erledigt." in text(browser, "main")


@needs_browser
def test_a_show_comes_from_nothing_to_its_public_page(browser, desk_address, organiser):
    make_show(browser, desk_address, organiser.key)
    click(browser, "Weiter: Kategorien")
    click(browser, "Neue Kategorie")
    fill(browser, {"Titel": "Handwerk", "Preis (netto)": "25,00"})
    click(browser, "Speichern")
    assert "Aussteller · durch das Büro · 25,00" in text(browser, "main")

    click(browser, "Stände und Preise")
    click(browser, "Neuer Standtyp")
    fill(browser, {"Name": "Reihenstand", "Berechnung": "fest", "Preis (netto)": "80"})
    click(browser, "Speichern")
    assert "Der Standtyp „Reihenstand“ ist gespeichert." in text(browser, "main")

    click(browser, "Hallen")
    click(browser, "Neue Halle")
    fill(browser, {"Name der Halle": "Markthalle", "Breite": "20", "Tiefe": "10"})
    click(browser, "Speichern")
    fill(browser, {"Erste Nummer": "A1", "Anzahl": "4", "von links": "1", "von oben": "1"})
    fill(browser, {"Breite": "3", "Tiefe": "2"})
    click(browser, "Reihen aufstellen")
    assert "A4" in text(browser, "main")

    click(browser, "Einrichten")
    click(browser, "Website")
    fill(browser, {"Öffentlich": True, "Deutsch": "Alles handgemacht.", "Hallenplan zeigen": True})
    click(browser, "Speichern")
    assert "Die Seiten sind öffentlich" in text(browser, "main")
    click(browser, "Ansehen")
    assert browser.run("location.pathname").endswith("/e/bastelmarkt-neustadt-2027")
    said = text(browser, "body")
    assert "Bastelmarkt Neustadt" in said
    assert "Alles handgemacht." in said
    assert "Markthalle" in said
    assert browser.complaints() == []


@needs_browser
def test_the_form_of_visitors_opens_from_nothing(browser, desk_address, organiser):
    make_show(browser, desk_address, organiser.key)
    click(browser, "Besucher und Einlass")
    click(browser, "Kategorie „Besucher“ anlegen")
    fill(browser, {"Besucher können sich anmelden": True})
    click(browser, "Speichern")
    assert "öffentlich" in text(browser, "#faults")
    click(browser, "Website")
    fill(browser, {"Öffentlich": True})
    click(browser, "Speichern")
    assert "Die Seiten sind öffentlich" in text(browser, "main")

    click(browser, "Besucher und Einlass")
    fill(browser, {"Besucher können sich anmelden": True})
    click(browser, "Speichern")
    click(browser, "Ansehen")
    assert browser.run("location.pathname").endswith("/visit")
    click(browser, "Deutsch")
    fill(browser, {"Vorname": "Greta", "Nachname": "Gärtner", "E-Mail": "greta@mail.example"})
    click(browser, "Registrieren")
    assert "Bitte sehen Sie in Ihr Postfach" in text(browser, "body")
    assert browser.complaints() == []
