"""An exhibitor from the approval to a paid invoice and two badges, in a browser, by its own pages
alone.

Each binding step is taken with a double click, in a second tab and after "back", and is done once.
The office approves, confirms and sends, and does nothing else. The first way is in English on a
screen, the second in German on a phone without scripts; each page is looked at in light and in
dark. With the variable PICTURES, a picture of each step is written to that folder. `make clients`
installs axe-core into .clients.
"""

import base64
import os
import re
from email import message_from_bytes, policy
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from eventapi.domain.access import links
from eventapi.web.html import tokens
from eventapi.worker.mail import message as mail_message
from tests.pages.show.test_journey import follow, needs_browser, text
from tests.pages.test_accessibility import AXE, CHECK
from tests.support.served import served
from tests.test_images import PNG

pytestmark = pytest.mark.processes
# What axe-core cannot decide: texts in the plan, whose contrast tests/pages/show computes.
UNDECIDED = {"color-contrast"}
PICTURES = os.environ.get("PICTURES")
# What the buttons begin with, and what pages say, in both languages.
SAID = {
    "open": ("Open", "Öffnen"),
    "mine": ("Open your exhibitor", "Ihre Ausstellerseite"),
    "save": ("Save", "Speichern"),
    "draft": ("Save as a draft", "Als Entwurf"),
    "submit": ("Submit", "Einreichen"),
    "add": ("Add", "Hinzufügen"),
    "choose": ("Hold until", "Vormerken bis"),
    "move": ("Move the hold", "Vormerkung hierhin"),
    "check": ("Check the order", "Bestellung prüfen"),
    "pay": ("Order with", "Zahlungspflichtig"),
    "accept": ("Accept with", "Verbindlich"),
    "taken": ("has just been taken", "gerade vergeben"),
    "paid": ("paid", "bezahlt"),
    "new": ("Send a new link", "Neuen Link"),
    "gone": ("not valid any more", "gilt nicht mehr"),
    "invoice": ("Pay invoice", "Rechnung"),
    "confirm": ("Confirm bindingly", "Verbindlich"),
    "book": ("Book with", "Zahlungspflichtig"),
}


class Walk:
    """The browser of the exhibitor, and the pictures of what it sees."""

    def __init__(self, browser, folder, root, language, width, scripts):
        self.browser = browser
        self.folder = folder
        self.root = root
        self.width = width
        self.scripts = scripts
        self.language, self.number = language, 0
        self.said = {word: texts[language == "de"] for word, texts in SAID.items()}

    def open(self, address):
        self.browser.open(address, width=self.width, scripts=self.scripts)
        self.browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": self.language})

    def page(self, name):
        """Follow the menu."""
        follow(self.browser, f"document.querySelector('nav a[href$=\"{name}\"]').click()")

    def press(self, word):
        """Press the button, or follow the link, that begins with a text."""
        follow(
            self.browser,
            "[...document.querySelectorAll('main a, main button')].find("
            f"each => each.textContent.trim().startsWith('{self.said[word]}')).click()",
        )

    def press_often(self, word, **values):
        """Press a button twice at once, then in a second tab, then after "back".

        Return what the three pages say.
        """
        browser = self.browser
        first = self.browser.session
        address = self.browser.run("location.href")
        found = (
            "[...document.querySelectorAll('main button')].find("
            f"each => each.innerText.startsWith('{self.said[word]}'))"
        )
        self.open(address)
        self.fill(**values)
        second = self.switch_to(first)
        self.fill(**values)
        follow(browser, f"const button = {found}; button.click(); button.click()")
        said = [self.main()]
        self.switch_to(second)
        self.press(word)
        said.append(self.main())
        self.switch_to(first)
        browser.events.clear()
        browser.run("history.back()")
        browser.until(
            lambda: any(event["method"] == "Page.frameNavigated" for event in browser.events)
        )
        browser.until(lambda: browser.run("document.readyState") == "complete")
        if browser.run(f"!!{found}"):  # the browser has kept the page
            self.fill(**values)
            self.press(word)
        return [*said, self.main()]

    def switch_to(self, tab):
        """Show another tab, and return the one that was shown."""
        before, self.browser.session = self.browser.session, tab
        self.browser.call("Page.bringToFront")
        return before

    def fill(self, **values):
        """Fill in fields by their names. True ticks a box."""
        for name, value in values.items():
            self.browser.run(
                f"document.querySelector('main [name=\"{name}\"]')."
                + ("checked = true" if value is True else f"value = {value!r}")
            )

    def main(self):
        return text(self.browser, "main")

    def seen(self, name, refused=None):
        """Look at the page in light and dark: nothing is wider than the screen, and axe-core finds
        nothing.

        `refused` is the status of a page that refuses a form, which browsers complain of.
        """
        browser, self.number = self.browser, self.number + 1
        foreign = 'script:not([src*="pages/pages-"])'
        assert browser.run(f"document.querySelectorAll({foreign!r}).length") == 0
        assert browser.run("document.documentElement.lang") == self.language
        assert browser.run("document.documentElement.scrollWidth") <= self.width, name
        assert [
            entry
            for entry in browser.complaints()
            if not refused or f"status of {refused}" not in str(entry)
        ] == [], name
        with browser.scripts():
            if AXE.exists():
                browser.run(AXE.read_text(encoding="utf-8") + ";0")
            for scheme in ("light", "dark"):
                browser.call(
                    "Emulation.setEmulatedMedia",
                    media="",
                    features=[{"name": "prefers-color-scheme", "value": scheme}],
                )
                if self.folder:
                    self.picture(f"{self.language}-{self.number:02}-{name}-{scheme}.png")
                if AXE.exists():
                    violations, undecided = browser.run(CHECK)
                    assert violations == [], (name, scheme)
                    assert {rule for rule, *_ in undecided} <= UNDECIDED, (name, undecided)

    def picture(self, name):
        """Write a picture of the whole page."""
        height = self.browser.run("document.documentElement.scrollHeight")
        found = self.browser.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": self.width, "height": height, "scale": 1},
        )
        (self.folder / name).write_bytes(base64.b64decode(found["data"]))

    def file(self, selector):
        """Return the bytes of the file that a link of the page leads to, as the session reads it."""
        address = self.browser.run(f"document.querySelector({selector!r}).href")
        found = self.browser.call("Network.getCookies", urls=[self.root])["cookies"]
        cookies = "; ".join(f"{each['name']}={each['value']}" for each in found)
        with urlopen(Request(address, headers={"Cookie": cookies})) as response:
            return response.read()


class Office:
    """What the organiser does over the API: it approves, confirms and sends."""

    def __init__(self, site, db):
        self.site, self.db = site, db

    def mail(self, kind):
        """Return the address in the last mail of a kind, as the worker writes it."""
        cursor = self.db.connection.execute(
            "SELECT * FROM mails WHERE kind = ? ORDER BY id DESC LIMIT 1", (kind,)
        )
        row = dict(
            zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True)
        )
        message = message_from_bytes(mail_message.build(self.db, row)[1], policy=policy.default)
        return re.search(r"http\S+/link/\S+", message.get_body(("plain",)).get_content())[0]


@pytest.fixture
def root(app, site, settings, monkeypatch):
    """Return the address of a server that can mail."""
    with served(app.app, []) as url:
        for name, value in (
            ("smtp_host", "localhost"),
            ("smtp_sender", "office@example.org"),
            ("base_url", url),
        ):
            monkeypatch.setattr(settings, name, value)
        yield url


@needs_browser
@pytest.mark.parametrize(("language", "width", "scripts"), [("en", 1280, True), ("de", 360, False)])
def test_from_approval_to_a_paid_invoice_and_two_badges(
    browser, root, site, db, tmp_path, monkeypatch, language, width, scripts
):
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    walk = Walk(browser, PICTURES and Path(PICTURES), root, language, width, scripts)
    office, act = Office(site, db), site.act
    api, power = site.organiser, site.power["id"]
    site.change(
        is_public=True,
        badges_free=2,
        booth_from="2020-01-01",
        booth_confirm="self" if scripts else "office",
        accent_color="#b5651d",
    )
    api.patch(
        f"/services/{power}",
        {"requires_specification": True, "specification_label": "Where?"},
        status=200,
    )

    # An application is approved, and its mail leads to the page. A scanner opens the link first.
    application = api.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "category_keys": ["gold"],
            "company_name": "Rosen KG",
            "first_name": "Ada",
            "last_name": "Rosen",
            "email": "ada@rosen.example",
            "address": "Weg 1",
            "postal_code": "1010",
            "city": "Wien",
            "country": "AT",
            "language": language,
        },
    )
    act("applications", application, "approve", {"mail": True})
    address = office.mail("application_decision")
    for _ in range(3):
        urlopen(address).read()
    walk.open(f"{address}?language={language}")
    walk.press("open")
    walk.press("mine")
    walk.seen("to-dos")
    me = api.data("/participants?search=Rosen")[0]

    # The profile with a logo.
    walk.page("profile")
    walk.fill(
        text_de="Rosen seit 1906.",
        text_en="Roses since 1906.",
        products="Roses\nHerbs",
        is_listed=True,
    )
    walk.press("save")
    (tmp_path / "logo.png").write_bytes(PNG)
    browser.choose_file("[type=file]", tmp_path / "logo.png")
    follow(browser, "document.querySelector('[type=file]').form.submit()")
    walk.seen("profile")
    assert api.data(f"/participants/{me['id']}/profile")["logo"]

    # A text as a draft, submitted, sent back by the office, submitted again and approved.
    walk.page("submissions")
    walk.seen("submissions")
    follow(browser, "document.querySelector('main a[href$=\"submissions/text\"]').click()")
    walk.fill(value="Draft")
    walk.press("draft")
    walk.fill(value="We grow roses.")
    walk.press("submit")
    (submission,) = api.data("/submissions")
    act("submissions", submission, "request-revision", {"feedback": "Longer, please."})
    walk.page("submissions")
    follow(browser, "document.querySelector('main a[href$=\"submissions/text\"]').click()")
    assert "Longer, please." in walk.main()
    walk.seen("revision")
    walk.fill(value="We grow roses and herbs.")
    walk.press("submit")
    act("submissions", submission, "approve")

    # A booth is held, the hold is moved, and a third one is lost to another exhibitor meanwhile.
    walk.page("booth")
    walk.seen("plan")
    for number, word in (("A1", "choose"), ("A2", "move")):
        follow(browser, f"document.querySelector('main td a[href*=\"booth={number}\"]').click()")
        walk.press(word)
    follow(browser, "document.querySelector('main td a[href*=\"booth=A3\"]').click()")
    walk.seen("chosen")
    api.make(
        "/booth-reservations",
        {"booth_id": site.booths["A3"], "event_participant_id": site.participant["id"]},
    )
    walk.press("move")
    assert walk.said["taken"] in walk.main()
    walk.seen("lost", 409)
    (hold,) = api.data(f"/booth-reservations?event_participant_id={me['id']}")
    assert hold["booth_id"] == site.booths["A2"]
    act("participants", me, "confirm")
    walk.page("booth")
    if scripts:
        walk.press("confirm")
        walk.seen("confirm")
        assert all("The booth is yours." in said for said in walk.press_often("book", agree=True))
    else:
        act("booth-reservations", hold, "confirm")
    walk.page("booth")
    walk.seen("booth")

    # An order: the specification is missing, then all amounts are shown, then it is submitted.
    walk.page("orders")
    walk.fill(**{f"q.{power}": "2"})
    walk.press("check")
    walk.seen("specification", 422)
    walk.fill(**{f"s.{power}": "At the back"})
    walk.press("check")
    walk.fill(agree=True)
    walk.seen("check")
    if scripts:
        at_once, late, again = walk.press_often("pay", agree=True)
        assert "your order is submitted" in at_once and "your order is submitted" in again
        assert "something has changed meanwhile" in late
        assert re.search(r"submitted\n(Service\tNet price\n)?2 × Power", late)
    else:
        walk.press("pay")
    walk.seen("ordered")
    (order,) = api.data("/service-orders")
    act("service-orders", order, "confirm")

    # The contract.
    contract = site.contract(me)
    walk.page("contract")
    walk.seen("contracts")
    follow(
        browser, f"document.querySelector('main a[href$=\"contract/{contract['id']}\"]').click()"
    )
    walk.seen("contract")
    if scripts:
        said = walk.press_often("accept", signer_name="Ada Rosen", agree=True)
        assert all("the contract is accepted" in each for each in said)
    else:
        walk.fill(signer_name="Ada Rosen", agree=True)
        walk.press("accept")
    walk.seen("accepted")
    assert api.data(f"/documents/{contract['id']}")["contract_status"] == "active"
    taken = db.connection.execute("SELECT entity_type FROM binding_steps ORDER BY id").fetchall()
    assert taken == [*[("booth_reservation",)] * scripts, ("service_order",), ("document",)]

    # The invoice, with its files and the code for a transfer, until it is paid.
    invoice = site.send(site.bill(me)[0])
    walk.page("invoices")
    walk.seen("invoice")
    assert walk.file("main a[href$=pdf]").startswith(b"%PDF-") and b"<?xml" in walk.file(
        "main a[href$=xml]"
    )
    assert browser.run("document.querySelector('main img').naturalWidth") > 0
    api.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": invoice["total"]})
    walk.page("invoices")
    assert walk.said["paid"] in walk.main()
    walk.seen("paid")

    # Two badges, and no third one: its form is gone.
    walk.page("badges")
    for first in ("Bela", "Cara"):
        walk.fill(first_name=first, last_name="Nagy")
        walk.press("add")
    walk.seen("badges")
    assert not browser.run("!!document.querySelector('main [name=first_name]')")
    people = api.data(f"/participants?host_participant_id={me['id']}&include=contact")
    assert sorted(person["contact"]["first_name"] for person in people) == ["Bela", "Cara"]
    follow(browser, "document.querySelector('nav a').click()")
    assert browser.run("document.querySelectorAll('.todo .open, .todo .late').length") == 0
    walk.seen("done")

    # A mail of fifteen days ago offers a new link by one button. After the link is revoked, the
    # next click shows that.
    link = api.data(f"/links?participant_id={me['id']}")[0]
    api.post(f"/links/{link['id']}/mail", status=202)
    old = office.mail("link")
    with db.write():
        db.connection.execute("UPDATE link_secrets SET expires_at = '2020-01-01T00:00:00Z'")
    browser.call("Network.clearBrowserCookies")
    walk.open(f"{old}?language={language}")
    walk.seen("expired", 404)
    walk.press("new")
    walk.seen("asked")
    handled = links.handle_requests(db, 10)
    assert handled == 1
    walk.open(f"{office.mail('link')}?language={language}")
    walk.press("open")
    api.post(f"/links/{link['id']}/revoke", status=200)
    follow(browser, "document.querySelector('nav a').click()")
    walk.seen("ended", 403)
    walk.open(f"{old}?language={language}")
    assert walk.said["gone"] in walk.main()
    walk.seen("gone", 404)
