"""A show from an empty database to sixty exhibitors with booths, in two browsers: the organiser at a desk,
and exhibitors with a phone. In German, by the words on the pages, without a script, without the API, and
without a command after the invitation. The first exhibitor applies by touch, and the first three take
their booths by touch; the others send the same forms, with the token of each page.
"""

import csv
import io
import re
from urllib.parse import urlsplit

import pytest

from eventapi.domain.upkeep import housekeeping
from eventapi.plugins import sessions
from eventapi.web.html import tokens
from tests.pages.conftest import Visitor
from tests.pages.desk.test_show_journeys import reader_of
from tests.pages.show.test_journey import needs_browser, text
from tests.support import images
from tests.support.browser import Browser
from tests.support.desk_browser import click, fill, tap
from tests.support.mail_server import Inbox
from tests.support.new_service import empty_settings, invite, link_in, links_in, mailing, work
from tests.support.page_reader import Reader, forms_of

pytestmark = [pytest.mark.processes, needs_browser]

SHOW = "e/bastelmarkt-neustadt-2027"
PHONE = {"width": 390, "height": 844, "scripts": False}
# The colour of the show, dark enough to stay as it is: how it is set, and how a browser says it.
COLOUR = ("#8a3b12", "rgb(138, 59, 18)")
# Name of a size -> its width and depth in metres, its net price, and the row of its twenty booths.
SIZES = {
    "Klein": ("3", "2", "100", "A"),
    "Mittel": ("3", "3", "150", "B"),
    "Groß": ("5", "3", "250", "C"),
}
# Its price with 19 % VAT, which is what an exhibitor agrees to pay.
TOTALS = {"Klein": "119,00", "Mittel": "178,50", "Groß": "297,50"}

# The colours of the buttons of a page.
BACKGROUNDS = "[...document.querySelectorAll('main button')].map(each => getComputedStyle(each).backgroundColor)"


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


def test_sixty_exhibitors_take_booths_in_a_show_made_from_nothing(root, app, db, inbox, tmp_path):
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
        accept_all(office)
        work(db)
        for number in range(1, 4):
            take_booth_by_touch(phone, mailed_link(inbox, number), number)
        for number in range(4, 61):
            take_booth_by_post(app, mailed_link(inbox, number), number)
        compare_at_the_desk(office, app)
        send_a_contract(office, phone, db, inbox)
        for browser in (office, phone):
            assert browser.complaints() == []
    assert_all_have_what_they_wished(db)


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
    fill(office, {"Öffentlich": True, "Farbe der Seiten": COLOUR[0], "Hallenplan zeigen": True})
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
    assert COLOUR[1] in phone.run(BACKGROUNDS)
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
    name = size_of(number)
    width, depth, *_ = SIZES[name]
    size = f"{name}, {width} × {depth} m"
    exhibitor.press("Anmeldung absenden", {**answers(number), size: True})
    work(db)
    exhibitor.open(urlsplit(mailed_link(inbox, number)).path)
    assert "Ihre Anmeldung ist angekommen" in exhibitor.press("Anmeldung abschicken")


def size_of(number):
    """Return the name of the size that an exhibitor wishes."""
    return list(SIZES)[number % 3]


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


def mailed_link(inbox, number):
    """Return the address of the link in the last mail to an exhibitor."""
    return links_in(inbox.to(answers(number)["E-Mail"]))[-1]


def accept_all(office):
    click(office, "Anmeldungen")
    assert "1 bis 50 von 60" in text(office, "main")
    click(office, "Firma 60 auswählen", leads_on=False)
    click(office, "Alle 60 auswählen")
    click(office, "Annehmen")
    fill(office, {"Teilnahme gleich bestätigen": True, "Per E-Mail mitteilen": True})
    click(office, "Annehmen (60)")
    assert "60 Anmeldungen sind angenommen." in text(office, "main")


def take_booth_by_touch(phone, link, number):
    """Take the first booth of the size that an exhibitor wished, in the list of its page."""
    name = size_of(number)
    *_, price, row = SIZES[name]
    phone.open(link, **PHONE)
    if number > 1:  # the first has applied with this phone
        tap(phone, "Öffnen")
    tap(phone, "Ihre Ausstellerseite öffnen")
    tap(phone, "Stand")
    tap(phone, "Freie Stände als Liste", leads_on=False)
    tap(phone, f"{row}1")
    assert f"{price},00 EUR" in text(phone, "#chosen")
    tap(phone, "Vormerken bis")
    assert "Der Stand ist für Sie vorgemerkt." in text(phone, "main")
    tap(phone, "Verbindlich bestätigen")
    assert f"{TOTALS[name]} EUR" in text(phone, "main")
    fill(phone, {"Ich buche diesen Stand verbindlich": True})
    tap(phone, "Zahlungspflichtig buchen")
    assert "Der Stand gehört Ihnen." in text(phone, "main")


def take_booth_by_post(app, link, number):
    """Take the first free booth of the size that an exhibitor wished."""
    name = size_of(number)
    width, depth, *_ = SIZES[name]
    exhibitor = Reader(*forms_of(Visitor(app, "de")))
    exhibitor.open(urlsplit(link).path)
    exhibitor.press("Öffnen")
    exhibitor.press("Ihre Ausstellerseite öffnen")
    exhibitor.follow("Stand")
    free = [booth for booth, size, _ in exhibitor.rows() if size == f"{width} × {depth} m"]
    said = exhibitor.follow(free[0].removesuffix(f" {name}"))
    exhibitor.press(re.search(r"Vormerken bis \S+", said)[0])
    said = exhibitor.follow("Verbindlich bestätigen")
    assert f"{TOTALS[name]} EUR" in said
    agree = {"Ich buche diesen Stand verbindlich zu diesem Preis.": True}
    assert "Der Stand gehört Ihnen." in exhibitor.press("Zahlungspflichtig buchen", agree)


def compare_at_the_desk(office, app):
    """Compare the file of the list of booths: sixty exhibitors, each in a booth of its size."""
    clerk = reader_of(office, app)
    clerk.open("/desk/")
    clerk.follow("Hallenplan")
    clerk.follow("Stände")
    clerk.follow("CSV, Komma und UTF-8")
    rows = list(csv.DictReader(io.StringIO(clerk.response.text)))
    assert {row["status"] for row in rows} == {"sold"}
    sizes = sorted((row["exhibitor.name"], row["booth_type_name"]) for row in rows)
    assert sizes == [(f"Firma {number:02}", size_of(number)) for number in range(1, 61)]


def send_a_contract(office, phone, db, inbox):
    """Send a contract to the first exhibitor, who reads its booth and its price there."""
    click(office, "Aussteller")
    click(office, "Firma 01")
    assert "B1" in text(office, "#booth")
    assert "150,00 EUR" in text(office, "#booth")
    click(office, "Vertrag schicken")
    fill(office, {"Vorlage": "Standvertrag", "Vertrag per E-Mail schicken": True})
    click(office, "Vertrag schicken")
    work(db)
    phone.open(mailed_link(inbox, 1), **PHONE)
    tap(phone, "Vertrag")
    tap(phone, "Standvertrag")
    assert "Stand B1: 150,00 EUR netto." in text(phone, "main")


def assert_all_have_what_they_wished(db):
    """Compare the tables, too: sixty booths are confirmed, and each is of the size of the application."""
    found = db.connection.execute("""
        SELECT count(*), count(DISTINCT r.booth_id), count(DISTINCT p.contact_id),
               sum(b.booth_type_id = a.booth_type_id), sum(r.final_price)
          FROM booth_reservations r JOIN booths b ON b.id = r.booth_id
          JOIN participants p ON p.id = r.event_participant_id JOIN applications a ON a.id = p.application_id
         WHERE r.status = 'confirmed'""")
    # twenty times 100, 150 and 250 EUR, in cents
    assert tuple(found.fetchone()) == (60, 60, 60, 60, 1_000_000)
