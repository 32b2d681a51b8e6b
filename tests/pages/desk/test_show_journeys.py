"""A show of sixty exhibitors in a browser: in German, by the words on the pages, and without the API and
commands after signing in.
"""

from collections import Counter

import pytest

from eventapi.plugins import sessions
from tests.pages.conftest import Visitor
from tests.pages.desk.test_journey import enter
from tests.pages.desk.test_setup_journey import desk_address  # noqa: F401
from tests.pages.show.test_journey import needs_browser, text
from tests.support.desk_browser import fill, tap
from tests.support.page_reader import Reader, forms_of

pytestmark = pytest.mark.processes

PHONE = {"width": 390, "height": 844, "scripts": False}
COMPANIES = [f"Firma {number:02}" for number in range(1, 61)]
TRIAL = "Probelauf: 60 sind möglich, 0 nicht. Noch ist nichts geändert."
# Key of a size -> (its name, its net price). Twenty exhibitors wish each.
SIZES = {"s": ("Klein", 100), "m": ("Mittel", 150), "l": ("Groß", 250)}


@pytest.fixture
def applied(organiser):
    """Make a show with three sizes, sixty free booths, a contract, and sixty applications."""
    event = organiser.make(
        "/events",
        {
            "title": "Bastelmarkt",
            "event_key": "markt",
            "date_from": "2027-03-13",
            "date_to": "2027-03-14",
        },
    )
    organiser.make("/categories", {"title": "Handwerk", "event_keys": ["markt"]})
    plan = organiser.make(
        "/plans", {"event_key": "markt", "plan_name": "Markthalle", "width": 100, "height": 50}
    )
    for key, (name, price) in SIZES.items():
        organiser.make(
            "/booths/types",
            {
                "booth_type_name": name,
                "booth_type_key": key,
                "price_model": "fixed",
                "price": price,
            },
        )
    for number, company in enumerate(COMPANIES):
        size = list(SIZES)[number % 3]
        organiser.make(
            "/booths",
            {
                "plan_id": plan["id"],
                "booth_number": f"A{number + 1}",
                "booth_type_key": size,
                "pos_x": 4 * (number % 20),
                "pos_y": 10 * (number // 20),
                "width": 3,
                "depth": 2,
            },
        )
        organiser.make(
            "/applications",
            {
                "event_keys": ["markt"],
                "category_keys": ["handwerk"],
                "company_name": company,
                "email": f"info@firma{number + 1}.example",
                "address": "Weg 1",
                "postal_code": "04109",
                "city": "Leipzig",
                "country": "DE",
                "booth_type_key": size,
            },
        )
    organiser.make(
        "/documents/templates",
        {"name": "Standvertrag", "is_contract": True, "body": "<p>Stand {{booths.numbers}}</p>"},
    )
    organiser.patch(
        f"/events/{event['id']}/pages", {"is_public": True, "my_is_open": True}, status=200
    )


def go(browser, words):
    """Tap an entry of the menu."""
    tap(browser, "Menü", leads_on=False)
    tap(browser, words)


def tap_batch(browser, first, action, *, is_in_menu=True):
    """Choose all sixty rows of a list, of which `first` is one, try an action, and do it.

    Return what the page of the result says.
    """
    tap(browser, f"{first} auswählen", leads_on=False)
    tap(browser, "Alle 60 auswählen")
    assert "Alle 60 sind ausgewählt:" in text(browser, "main")
    if is_in_menu:
        tap(browser, "Aktionen", leads_on=False)
    tap(browser, action)
    assert TRIAL in text(browser, "main")
    tap(browser, f"{action} (60)")
    return text(browser, "main")


def tap_booth(browser, number):
    """Hold the booth of the same number for an exhibitor, on its page."""
    go(browser, "Aussteller")
    tap(browser, f"Firma {number:02}")
    fill(browser, {"Freier Stand": f"A{number} "})
    tap(browser, "Vormerken")
    assert f"Stand A{number} ist vorgemerkt." in text(browser, "main")


def reader_of(browser, app):
    """Return somebody with the session of the browser, who sends the forms of pages to the app directly."""
    visitor = Visitor(app, "de")
    cookies = browser.call("Network.getCookies")["cookies"]
    visitor.headers["Cookie"] = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
    return Reader(*forms_of(visitor))


def post_booths(clerk, numbers):
    """Hold the booths of the same numbers for exhibitors, with the forms of their pages."""
    clerk.open("/desk/")
    clerk.follow("Aussteller")
    addresses = {}
    for number in numbers:
        if number == 51:
            clerk.follow("weiter")
        addresses[number] = clerk.address(f"Firma {number:02}")
    for number, address in addresses.items():
        clerk.open(address)
        said = clerk.press("Vormerken", {"Freier Stand": f"A{number}"})
        assert f"Stand A{number} ist vorgemerkt." in said


@needs_browser
def test_sixty_applicants_get_booths_contracts_and_invoices_on_a_phone(
    browser,
    desk_address,  # noqa: F811
    app,
    organiser,
    applied,
    monkeypatch,
):
    """Three booths are given out by touch, the others by posts of the same form."""
    monkeypatch.setattr(sessions, "PER_MINUTE", 1000)  # a working day takes a minute
    enter(browser, desk_address, organiser.key, **PHONE)
    browser.open(f"{desk_address}/?language=de", **PHONE)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    browser.call("Page.bringToFront")

    tap(browser, "Anmeldungen")
    said = tap_batch(browser, "Firma 60", "Annehmen")
    assert "60 Anmeldungen sind angenommen." in said

    for number in (1, 2, 3):
        tap_booth(browser, number)
    post_booths(reader_of(browser, app), range(4, 61))
    go(browser, "Hallenplan")
    tap(browser, "Vormerkungen")
    tap(browser, "Alle 60 auswählen")
    tap(browser, "Bestätigen")
    assert TRIAL in text(browser, "main")
    tap(browser, "Bestätigen (60)")
    assert "60 Vormerkungen sind bestätigt." in text(browser, "main")

    go(browser, "Aussteller")
    said = tap_batch(browser, "Firma 01", "Vertrag schicken")
    assert "60 Verträge sind verschickt." in said
    go(browser, "Aussteller")
    said = tap_batch(browser, "Firma 01", "Zugang mailen")
    assert "60 Aussteller haben Zugang." in said

    go(browser, "Aussteller")
    said = tap_batch(browser, "Firma 01", "Rechnung schreiben")
    assert "60 Rechnungen sind geschrieben, zusammen 11.900,00 EUR." in said
    tap(browser, "Zu den Entwürfen")
    said = tap_batch(browser, "Entwurf 1", "Senden", is_in_menu=False)
    assert "60 Rechnungen sind gesendet, zusammen 11.900,00 EUR." in said

    tap(browser, "Zu den offenen Rechnungen")
    tap(browser, "INV-2026-00060")
    tap(browser, "Zahlung eintragen", leads_on=False)
    tap(browser, "Zahlung eintragen")
    said = text(browser, "main")
    assert "Die Zahlung ist eingetragen." in said
    assert "297,50 EUR erledigt" in said
    assert browser.complaints() == []

    states = Counter(row["status"] for row in organiser.data("/booth-reservations?per_page=100"))
    assert states == {"confirmed": 60}
    contracts = organiser.data("/documents?per_page=100")
    assert Counter(row["contract_status"] for row in contracts) == {"pending_signature": 60}
    links = organiser.data("/links?kind=participant&per_page=100")
    assert Counter(row["status"] for row in links) == {"active": 60}
    invoices = organiser.data("/invoices?per_page=100")
    assert Counter(row["status"] for row in invoices) == {"sent": 59, "paid": 1}
    assert sum(row["total"] for row in invoices) == 11_900
    [payment] = organiser.data("/payments")
    assert payment["amount"] == 297.5
