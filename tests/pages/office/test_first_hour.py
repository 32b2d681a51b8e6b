"""The first hour of an organiser, in a browser and by the words on the pages.

Somebody who knows no shell is invited once, signs in on two devices, forgets the password, sets
company, taxes, bank account and logo, sends a first invoice, invites a colleague who may only look, and
deactivates that colleague. It does so without scripts.
"""

import re

import pytest

from eventapi import times
from eventapi.domain.access import people, totp
from tests.pages.show.test_journey import follow, needs_browser
from tests.pages.test_accessibility import AXE, CHECK
from tests.pictures.test_invoice_pdf import texts
from tests.support.browser import Browser
from tests.support.client import SCOPES, Client, add_key
from tests.support.mail_server import Inbox
from tests.support.new_service import empty_settings, invite, link_in, mailing, work
from tests.test_images import PNG

pytestmark = [pytest.mark.processes, needs_browser]
PASSWORD, NEXT_PASSWORD = "vier Wörter und ein Komma", "fünf Wörter und zwei Kommas"
# What is pressed and read, in English and in German.
SAID = {
    "enter": ("Sign in to the office", "Anmelden im Büro"),
    "set_password": ("Set the password", "Passwort festlegen"),
    "change_password": ("Change the password", "Passwort ändern"),
    "add_factor": ("Set up a second factor", "Zweiten Faktor einrichten"),
    "confirm": ("Set up the second factor", "Zweiten Faktor einrichten"),
    "company": ("Next: Your company", "Weiter: Ihre Firma"),
    "save": ("Save", "Speichern"),
    "test": ("Test mail to", "Probe-Mail an"),
    "send_link": ("Send a link to my address", "Link an meine Adresse schicken"),
    "sign_in": ("Sign in", "Anmelden"),
    "upload": ("Upload the logo", "Logo hochladen"),
    "draft": ("Write the invoice", "Rechnung schreiben"),
    "send": ("Send the invoice", "Rechnung senden"),
    "invite": ("Send invitation", "Einladung schicken"),
    "deactivate": ("Deactivate", "Deaktivieren"),
    "all_done": ("All done", "Alles erledigt"),
    "sure": ("Yes, deactivate", "Ja, deaktivieren"),
}


class Device:
    """The browser of a person. It presses what begins with a word of SAID."""

    def __init__(self, browser, root, language, width):
        self.browser, self.root, self.language, self.width = browser, root, language, width
        self.said = {word: both[language == "de"] for word, both in SAID.items()}

    def open(self, address):
        url = address if address.startswith("http") else self.root + address
        url += ("&" if "?" in url else "?") + f"language={self.language}"
        self.browser.open(url, width=self.width, scripts=False)

    def press(self, word):
        found = (
            "[...document.querySelectorAll('main a, main button')].find("
            f"each => each.textContent.trim().startsWith({self.said[word]!r}))"
        )
        assert self.browser.run(f"!!{found}"), f"no {self.said[word]!r} on {self.text()}"
        follow(self.browser, f"{found}.click()")

    def fill(self, **values):
        """Fill in the fields of these names."""
        for name, value in values.items():
            field = f"document.querySelector('main [name=\"{name}\"]')"
            assert self.browser.run(f"!!{field}"), f"no field {name} on {self.text()}"
            self.browser.run(f"{field}.value = {value!r}")

    def text(self):
        return self.browser.run("document.body.innerText")

    def address(self):
        return self.browser.run("location.pathname")

    def is_sound(self):
        """Raise AssertionError if the page is wider than the screen, or axe-core finds a fault."""
        wide = self.browser.run("document.documentElement.scrollWidth")
        assert wide <= self.width, self.address()
        if AXE.exists():
            with self.browser.scripts():
                self.browser.run(AXE.read_text(encoding="utf-8") + "; 0")
                violations, _ = self.browser.run(CHECK)
            assert violations == [], self.address()


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def settings(tmp_path, template):
    return empty_settings(tmp_path, template)


@pytest.fixture
def root(app, settings, inbox):
    with mailing(app.app, settings, inbox) as url:
        yield url


def code_of(secret, later=0):
    """Return the code that an authenticator shows now, or some steps later."""
    return totp.code_of(secret, times.unix(times.now()) // totp.STEP + later)


@pytest.mark.parametrize(("width", "language"), [(390, "de"), (1280, "en")])
def test_the_first_hour(root, app, db, inbox, tmp_path, width, language):
    organiser = Client(app, add_key(db, SCOPES))
    with Browser(tmp_path / "desk") as one, Browser(tmp_path / "phone") as other:
        first = Device(one, root, language, width)
        second = Device(other, root, language, width)
        accept_the_invitation(first, db, inbox)
        secret, codes = add_the_second_factor(first)
        sign_in_with_password(second, secret)
        set_the_company(first, db, tmp_path)
        send_an_invoice(first, db, organiser)
        forget_the_password(second, db, inbox, codes)
        invite_and_deactivate(first, second, db, inbox)


def accept_the_invitation(device, db, inbox):
    invite(db, device.language)
    device.open(link_in(inbox))
    device.is_sound()
    device.press("enter")
    assert device.address() == "/desk/account"
    device.is_sound()
    device.fill(new_password=PASSWORD)
    device.press("set_password")


def add_the_second_factor(device):
    """Return the secret and the recovery codes."""
    device.press("add_factor")
    device.is_sound()
    secret = device.browser.run("document.querySelector('main [name=secret]').value")
    device.fill(code=code_of(secret))
    device.press("confirm")
    device.is_sound()
    return secret, re.findall(r"\b(?:[2-9A-Z]{4} ){3}[2-9A-Z]{4}\b", device.text())


def sign_in_with_password(device, secret):
    device.open("/desk/sign-in")
    device.is_sound()
    device.fill(email="carla@fair.example", password=PASSWORD)
    device.press("sign_in")
    device.is_sound()
    device.fill(code=code_of(secret, later=1))
    device.press("sign_in")
    assert device.address() == "/desk/"


def set_the_company(device, db, tmp_path):
    device.open("/desk/start")
    device.is_sound()
    device.press("company")
    device.is_sound()
    device.fill(
        organiser_name="Messe Neustadt GmbH",
        organiser_street="Markt 1",
        organiser_postal_code="01067",
        organiser_city="Dresden",
        organiser_email="messe@fair.example",
    )
    device.press("save")
    assert device.address() == "/desk/company/taxes"
    device.is_sound()
    device.fill(organiser_vat_id="de 129 273 398", tax_rate="19")
    device.press("save")
    assert device.address() == "/desk/company/bank"
    device.is_sound()
    device.fill(organiser_iban="de02 1203 0000 0000 2020 51")
    device.press("save")
    assert device.address() == "/desk/company/mails"
    device.is_sound()
    device.press("test")
    work(db)
    device.open("/desk/start")
    assert device.said["all_done"] in device.text()
    logo = tmp_path / "logo.png"
    logo.write_bytes(PNG)
    device.open("/desk/company/look/logo")
    device.is_sound()
    device.browser.choose_file("main [type=file]", logo)
    device.press("upload")
    device.is_sound()


def send_an_invoice(device, db, organiser):
    """The show and its exhibitor are there already."""
    event = organiser.make(
        "/events",
        {
            "title": "Bastelmarkt",
            "event_key": "bastel",
            "date_from": "2027-05-01",
            "date_to": "2027-05-02",
            "country": "DE",
        },
    )
    stand = {"title": "Stand", "category_key": "stand", "base_price": 250, "event_keys": ["bastel"]}
    organiser.make("/categories", stand)
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Keramik Wolf",
            "address": "Weg 1",
            "postal_code": "01099",
            "city": "Dresden",
            "country": "DE",
        },
    )
    organiser.make(
        "/participants",
        {"event_id": event["id"], "contact_id": contact["id"], "category_key": "stand"},
    )
    device.open("/desk/exhibitors/1")
    device.press("draft")
    device.open("/desk/invoices/1")
    device.press("send")
    if "/do/" in device.address():
        device.press("send")
    invoice = organiser.data("/invoices/1")
    assert invoice["status"] == "sent" and invoice["seller"]["iban"] == "DE02120300000000202051"
    printed = " ".join(texts(organiser.get("/invoices/1/pdf").body))
    for said in ("Messe Neustadt GmbH", "DE129273398", "DE02 1203 0000 0000 2020 51"):
        assert said in printed


def forget_the_password(device, db, inbox, codes):
    device.browser.call("Network.clearBrowserCookies")
    device.open("/desk/sign-in")
    device.fill(email="carla@fair.example")
    device.press("send_link")
    device.is_sound()
    work(db)
    device.open(link_in(inbox))
    device.press("enter")
    device.fill(code=codes[0])
    device.press("sign_in")
    device.open("/desk/account")
    device.fill(new_password=NEXT_PASSWORD)
    device.press("change_password")
    device.browser.call("Network.clearBrowserCookies")
    device.open("/desk/sign-in")
    device.fill(email="carla@fair.example", password=NEXT_PASSWORD)
    device.press("sign_in")
    device.fill(code=codes[1])
    device.press("sign_in")
    assert device.address() == "/desk/"


def invite_and_deactivate(carla_before, carla, db, inbox):
    """The change of the password has ended the session of the first device: a colleague gets it."""
    carla_before.open("/desk/")
    assert carla_before.address() == "/desk/sign-in"
    carla.open("/desk/team")
    carla.is_sound()
    carla.open("/desk/team/new")
    carla.is_sound()
    carla.fill(name="Ole Lind", email="ole@fair.example")
    carla.browser.run("document.querySelector('main [name=role][value=reader]').click()")
    carla.press("invite")
    work(db)
    ole = carla_before
    ole.browser.call("Network.clearBrowserCookies")
    ole.open(link_in(inbox))
    ole.press("enter")
    ole.open("/desk/invoices/1")
    assert "RE-" in ole.text() or "INV-" in ole.text()
    assert not ole.browser.run("document.querySelector('main form[action*=\"do/\"]')")
    ole.open("/desk/company/bank")
    assert not ole.browser.run("document.querySelector('main form[method=post]')")
    id = people.by_address(db, "ole@fair.example")["id"]
    carla.open(f"/desk/team/{id}")
    carla.is_sound()
    carla.press("deactivate")
    carla.is_sound()
    carla.press("sure")
    ole.open("/desk/")
    assert ole.address() == "/desk/sign-in"
