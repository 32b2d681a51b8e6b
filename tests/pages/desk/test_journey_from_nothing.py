"""A show from an empty database to sixty applications, in two browsers: the organiser at a desk, and an
exhibitor with a phone. In German, by the words on the pages, without a script, without the API, and
without a command after the invitation. The first exhibitor applies by touch, the others by posts of the
same form.
"""

from urllib.parse import urlsplit

import pytest

from eventapi.domain.upkeep import housekeeping
from eventapi.plugins import sessions
from eventapi.web.html import tokens
from tests.pages.conftest import Visitor
from tests.pages.show.test_journey import needs_browser, text
from tests.support import images
from tests.support.browser import Browser
from tests.support.desk_browser import click, fill, tap
from tests.support.mail_server import Inbox
from tests.support.new_service import empty_settings, invite, link_in, mailing, work
from tests.support.page_reader import Reader, forms_of

pytestmark = [pytest.mark.processes, needs_browser]

SHOW = "e/bastelmarkt-neustadt-2027"
PHONE = {"width": 390, "height": 844, "scripts": False}
# Name of a size -> its width and depth in metres, its net price, and the row of its twenty booths.
SIZES = {
    "Klein": ("3", "2", "100", "A"),
    "Mittel": ("3", "3", "150", "B"),
    "Groß": ("5", "3", "250", "C"),
}


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def settings(tmp_path, template):
    return empty_settings(tmp_path, template)


@pytest.fixture
def root(app, settings, inbox, monkeypatch):
    monkeypatch.setattr(tokens, "YOUNGEST", 0)  # forms are sent at once,
    monkeypatch.setattr(sessions, "PER_MINUTE", 1000)  # and a working day takes a minute
    with mailing(app.app, settings, inbox) as url:
        yield url


def test_sixty_exhibitors_apply_in_a_show_made_from_nothing(root, app, db, inbox, tmp_path):
    with Browser(tmp_path / "desk") as office, Browser(tmp_path / "phone") as phone:
        sign_in(office, db, inbox)
        set_the_company(office)
        make_the_show(office)
        set_sizes_and_booths(office)
        open_the_website(office, tmp_path)
        ask_two_questions(office)
        write_a_contract(office)
        let_exhibitors_choose(office)
        apply_by_touch(phone, root, db, inbox)
        for number in range(2, 61):
            apply_by_post(app, db, inbox, number)
        click(office, "Anmeldungen")
        assert "1 bis 50 von 60" in text(office, "main")
        for browser in (office, phone):
            assert browser.complaints() == []
    wished = db.connection.execute(
        "SELECT t.name, count(*) FROM applications a JOIN booth_types t ON t.id = a.booth_type_id GROUP BY 1"
    )
    assert dict(wished.fetchall()) == {"Klein": 20, "Mittel": 20, "Groß": 20}


def sign_in(office, db, inbox):
    housekeeping.record_heartbeat(db)
    invite(db, "de")
    office.open(link_in(inbox), scripts=False)
    click(office, "Deutsch")
    click(office, "Anmelden im Büro")
    assert "Willkommen im Büro." in text(office, "main")


def set_the_company(office):
    """Fill in what "Set up" says is missing, but for the bank account."""
    click(office, "Einrichten")
    click(office, "E-Mail-Adresse eintragen")
    fill(
        office,
        {
            "Name": "Messe Neustadt GmbH",
            "Straße": "Markt 1",
            "Postleitzahl": "01067",
            "Ort": "Dresden",
            "E-Mail": "messe@fair.example",
        },
    )
    click(office, "Speichern")
    click(office, "Einrichten")
    click(office, "USt-IdNr. eintragen")
    fill(office, {"USt-IdNr.": "DE129273398"})
    click(office, "Speichern")
    assert "Gespeichert." in text(office, "main")


def make_the_show(office):
    click(office, "Einrichten")
    click(office, "Neue Veranstaltung")
    fill(
        office,
        {
            "Titel": "Bastelmarkt Neustadt",
            "Erster Tag": "2027-03-13",
            "Letzter Tag": "2027-03-14",
            "Ort": "Neustadt",
        },
    )
    click(office, "Speichern")
    click(office, "Weiter: Kategorien")
    click(office, "Neue Kategorie")
    fill(office, {"Titel": "Handwerk", "Preis (netto)": "25,00"})
    click(office, "Speichern")
    assert "Die Kategorie Handwerk ist gespeichert." in text(office, "main")


def set_sizes_and_booths(office):
    click(office, "Weiter: Stände und Preise")
    for name, (width, depth, price, _) in SIZES.items():
        click(office, "Neuer Standtyp")
        fill(office, {"Name": name, "Breite": width, "Tiefe": depth})
        fill(office, {"Berechnung": "fest", "Preis (netto)": price})
        click(office, "Speichern")
        assert f"Der Standtyp „{name}“ ist gespeichert." in text(office, "main")
    click(office, "Weiter: Hallen")
    click(office, "Neue Halle")
    fill(office, {"Name der Halle": "Markthalle", "Breite": "104", "Tiefe": "30"})
    click(office, "Speichern")
    fill(
        office,
        {
            "Erste Nummer": [f"{row}1" for *_, row in SIZES.values()],
            "Anzahl": ["20", "20", "20"],
            "von links": ["2", "2", "2"],
            "von oben": ["2", "12", "22"],
            "Standtyp": list(SIZES),
        },
    )
    click(office, "Reihen aufstellen")
    said = text(office, "main")
    assert "Die Stände sind aufgestellt." in said
    assert "Außerhalb der Halle" not in said
    for number in ("A20", "B20", "C20"):
        assert number in said


def open_the_website(office, folder):
    """Make the show public, with a colour and a picture."""
    (folder / "markt.png").write_bytes(images.png(1200, 400))
    click(office, "Einrichten")
    click(office, "Weiter: Website")
    fill(office, {"Öffentlich": True, "Farbe der Seiten": "#b5651d", "Hallenplan zeigen": True})
    texts = ["Alles handgemacht.", "Parken hinter der Halle.", "Wir speichern, was Sie eintragen."]
    fill(office, {"Deutsch": texts})
    click(office, "Speichern")
    assert "Die Seiten sind öffentlich" in text(office, "main")
    office.choose_file("main [type=file]", folder / "markt.png")
    click(office, "Bild hochladen")
    assert "vorhanden, 1200 × 400 Bildpunkte" in text(office, "main")


def ask_two_questions(office):
    """Open the application form, once it has its terms and two own questions."""
    click(office, "Weiter: Anmeldeformular")
    click(office, "Texte und Bedingungen")
    texts = ["Schön, dass Sie dabei sind.", "Vielen Dank!", "Stände werden im Voraus bezahlt."]
    fill(office, {"Deutsch": texts})
    click(office, "Speichern")
    click(office, "Anmeldeformular")
    for question, kind, ask in (
        ("Eigener Tisch?", "ja oder nein", "freiwillig"),
        ("Was stellen Sie her?", "kurzer Text", "Pflicht"),
    ):
        click(office, "Frage hinzufügen", leads_on=False)
        fill(office, {"Frage, Deutsch": question, "Art": kind, "„Neue Frage“": ask})
        click(office, "Speichern")
        assert f"„{question}“ nach unten" in text(office, "main")
    fill(office, {"„Standgröße“": "Pflicht", "Das Formular ist offen": True, "Preise zeigen": True})
    click(office, "Speichern")
    assert "Groß, 5 × 3 m · 297,50 EUR inkl. 19 % USt" in text(office, "main")


def write_a_contract(office):
    click(office, "Verträge")
    click(office, "Neue Vorlage")
    body = "# Standvertrag\n\nStand {{booths.numbers}}: {{booths.price}} netto."
    fill(office, {"Name": "Standvertrag", "Vertrag": True, "Text": body})
    click(office, "Speichern")
    assert "Standvertrag: Die Vorlage ist gespeichert." in text(office, "main")


def let_exhibitors_choose(office):
    """Open the pages of exhibitors, who choose booths bindingly from now on."""
    click(office, "Weiter: Seite der Aussteller")
    fill(office, {"Aussteller bekommen eigene Seiten": True, "Standwahl ab": "2020-01-01"})
    fill(office, {"Zusage durch": "der Aussteller"})
    click(office, "Speichern")
    click(office, "Einrichten")
    assert "7 von 7 Schritten erledigt." in text(office, "main")


def apply_by_touch(phone, root, db, inbox):
    phone.open(f"{root}/{SHOW}", **PHONE)
    tap(phone, "Deutsch")
    assert phone.run("document.querySelector('main img, header img').naturalWidth") > 0
    tap(phone, "Ausstellen")
    fill(phone, {**answers(1), "Eigener Tisch?": True, "Mittel": True})
    tap(phone, "Summe berechnen")
    # 25 + 150 net, and 19 % of them
    assert "208,25" in text(phone, "main")
    tap(phone, "Anmeldung absenden")
    work(db)
    phone.open(link_in(inbox), **PHONE)
    tap(phone, "Anmeldung abschicken")
    assert "Ihre Anmeldung ist angekommen" in text(phone, "main")


def apply_by_post(app, db, inbox, number):
    """Apply with the token of the form, and confirm the address at once: from one network, only some
    unconfirmed applications get a mail.
    """
    exhibitor = Reader(*forms_of(Visitor(app, "de")))
    exhibitor.open(f"/{SHOW}/apply")
    name = list(SIZES)[number % 3]
    width, depth, *_ = SIZES[name]
    size = f"{name}, {width} × {depth} m"
    exhibitor.press("Anmeldung absenden", {**answers(number), size: True})
    work(db)
    exhibitor.open(urlsplit(link_in(inbox)).path)
    assert "Ihre Anmeldung ist angekommen" in exhibitor.press("Anmeldung abschicken")


def answers(number):
    """Return what an exhibitor fills in, but for the size."""
    return {
        "Firma": f"Firma {number:02}",
        "Vorname": "Rosa",
        "Nachname": "Gärtner",
        "E-Mail": f"info@firma{number:02}.example",
        "Straße und Hausnummer": f"Weg {number}",
        "Postleitzahl": "04109",
        "Ort": "Leipzig",
        "Kategorie": "Handwerk",
        "Was stellen Sie her?": "Körbe",
        "Ich akzeptiere die Bedingungen für Aussteller": True,
    }
