"""The pictures of README.md and of the guides: pages of the sample show, as Chromium draws them.

`make picture` writes them anew. With a folder as argument, write all pages in it instead, to look
at: narrow and wide, light and dark, German and English, each from its top to its end. Further
arguments are the parts: show, my, desk.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from eventapi import times
from eventapi.app import App
from eventapi.client import Client
from eventapi.demo import show
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import migrations
from eventapi.storage.database import Database
from eventapi.web.html import tokens
from tests.support.browser import Browser
from tests.support.client import SCOPES, add_key, make_settings
from tests.support.hall_picture import AFTERNOON, EVENT, FILE
from tests.support.served import served

# (part, width, height) of the window -> page -> name of the file in docs
PICTURES = {
    ("show", 400, 760): {
        "exhibitors": "public-exhibitors",
        "exhibitor": "public-exhibitor",
        "visit": "public-visit",
        "badge": "public-badge",
    },
    ("show", 1280, 900): {"start": "show"},
    ("my", 1000, 760): {"todos": "my-todos", "chosen": "my-booth", "check": "my-order"},
    ("desk", 1280, 1000): {"today": "desk"},
    ("desk", 1000, 620): {"exhibitors": "desk-exhibitors"},
}
COLOURS, LONGEST = 64, 1800  # pixels of a page to look at
NEXT = "gartenmesse-24"  # the edition for which exhibitors apply and order
SHOW = {
    "start": "",
    "exhibitors": "/exhibitors",
    "found": "/exhibitors?q=rosen",
    "nobody": "/exhibitors?q=nobody",
    "programme": "/programme",
    "embed": "/embed",
    "frame": "/exhibitors?embed=1",
    "lost": "/exhibitors/999-x",
}
COMMON = {
    "imprint": "/imprint",
    "new-link": "/my",
    "dead-link": "/link/evl_x",
    "not-found": "/e/nothing",
}
MY = {
    "todos": "",
    "profile": "profile",
    "submissions": "submissions",
    "booth": "booth",
    "orders": "orders",
    "contract": "contract",
    "invoices": "invoices",
    "badges": "badges",
    "sessions": "programme",
}
DESK = (
    "",
    "applications",
    "applications/1",
    "exhibitors",
    "exhibitors/1",
    "exhibitors/new",
    "hall",
    "booths/1",
    "money",
    "money?show=overdue",
    "money/bank",
    "money/bank/rules",
    "search?q=garten",
    "setup",
    "edit/services",
    "edit/events",
    "setup/website",
    "hall/layout/1",
    "do/reject_application/1",
    "print",
)
PERSON = {"first_name": "Greta", "last_name": "Gärtner", "email": "greta@mail.example"}
FIRM = {
    "company_name": "Rosen KG",
    "address": "Gartenweg 1",
    "postal_code": "20095",
    "city": "Hamburg",
}


class Site:
    """The sample show on a server, and a browser with a window. `pages` open one after the other."""

    def __init__(self, browser, url, db):
        self.browser, self.url, self.db, self.window, self.language = browser, url, db, {}, "en"

    def open(self, path):
        self.browser.open(
            f"{self.url}{path}{'&' if '?' in path else '?'}language={self.language}", **self.window
        )

    def follow(self, script):
        """Do what leads to another page, and wait for it."""
        self.browser.events.clear()
        self.browser.run(f"{{ {script} }}")
        self.browser.until(
            lambda: any(event["method"] == "Page.loadEventFired" for event in self.browser.events)
        )

    def click(self, selector):
        self.follow(f"document.querySelector({selector!r}).click()")

    def send(self, **values):
        """Fill in the form of the page by the names of its fields, and send it."""
        for name, value in values.items():
            self.browser.run(f"document.querySelector('main [name=\"{name}\"]').value = {value!r}")
        self.follow("document.querySelector('main form').submit()")

    def show(self):
        """Open the public pages, the forms with a fault each, and what an applicant and a visitor
        see. Yield names.
        """
        for name, path in SHOW.items():
            self.open(f"/e/{EVENT}{path}")
            yield name
        self.open(f"/e/{EVENT}/exhibitors")
        self.follow(
            "[...document.querySelectorAll('.list li')].find(row => row.querySelector('a.stand'))"
            ".querySelector('a.name').click()"
        )
        yield "exhibitor"
        self.click("a.stand")
        yield "plan"
        for name, path in COMMON.items():
            self.open(path)
            yield name
        for form, more in (("visit", {}), ("apply", FIRM)):
            self.open(f"/e/{NEXT if form == 'apply' else EVENT}/{form}")
            yield form
            self.send(first_name="Greta")
            yield f"{form}-faults"
            if form == "apply":
                self.browser.run("document.querySelector('#f-terms').checked = true")
            self.browser.run(
                "document.querySelectorAll('main select')"
                ".forEach(each => { each.selectedIndex = each.options.length - 1 })"
            )
            self.send(**PERSON, **more)
            yield f"{form}-sent"
            self.click("main a.button")  # without a mail server, the page has the link
            yield f"{form}-confirm"
            self.click("main button")
            yield f"{form}-status"
            if form == "visit":
                self.click("main a.button")
                yield "badge"

    def my(self):
        """Open the pages of a new exhibitor of the next show, up to the check page of an order.

        Yield names.
        """
        api = Client(self.url, add_key(self.db, SCOPES))
        contact = api.post(
            "/contacts",
            {"company_name": "Rosen Tantau KG", "last_name": "Gärtner", "language": "en"},
        )
        participant = api.post(
            "/participants", {"event_key": NEXT, "contact_id": contact["id"], "is_confirmed": True}
        )
        link = api.post("/links", {"kind": "participant", "participant_id": participant["id"]})
        self.open(link["url"].removeprefix(self.url))
        yield "link"
        self.click("main button")
        for name, path in MY.items():
            self.open(f"/my/{link['ref']}/{path}")
            yield name
        self.open(f"/my/{link['ref']}/booth")
        self.follow(
            "document.querySelectorAll('.plan a')[20].dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        yield "chosen"
        self.open(f"/my/{link['ref']}/orders")
        self.browser.run(
            "[...document.querySelectorAll('main [name^=\"q.\"]')].slice(0, 3)"
            ".forEach(each => { each.value = 2 })"
        )
        self.follow("document.querySelector('main form').submit()")
        yield "check"

    def desk(self):
        """Open the pages of the desk. Yield names."""
        self.open("/desk/sign-in")
        self.browser.call("Network.clearBrowserCookies")  # the window before has signed in
        self.open("/desk/sign-in")
        yield "sign-in"
        key = add_key(self.db, SCOPES)
        self.browser.run(f"document.querySelector('#key').value = {key!r}")
        self.follow("document.querySelector('#key').form.submit()")
        for path in DESK:
            self.open(f"/desk/{path}")
            yield path.replace("/", "-").replace("?", "-").replace("=", "-") or "today"


def draw_anew(site):
    """Write the pictures of PICTURES."""
    for (part, width, height), names in PICTURES.items():
        site.window = {"width": width, "height": height}
        for page in getattr(site, part)():
            if page in names:
                keep(site.browser, FILE.parent / f"{names[page]}.png")


def keep(browser, file):
    """Write a picture of the window with few colours, which is a third of the size."""
    browser.screenshot(file)
    Image.open(file).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        file, optimize=True
    )


def look(site, folder, parts):
    """Write all pages of these parts into a folder, each with its whole length."""
    for width, dark, language in (
        (width, dark, language)
        for width in (360, 1280)
        for dark in (False, True)
        for language in ("de", "en")
    ):
        site.window, site.language = {"width": width, "height": 900, "dark": dark}, language
        for part in parts:
            for page in getattr(site, part)():
                height = site.browser.run("document.documentElement.scrollHeight")
                site.browser.call(
                    "Emulation.setDeviceMetricsOverride",
                    width=width,
                    height=min(height, LONGEST),
                    deviceScaleFactor=1,
                    mobile=width < 600,
                )
                site.browser.screenshot(
                    folder / f"{part}-{page}-{width}-{'dark' if dark else 'light'}-{language}.png"
                )


def main(folder=None, *parts):
    """Make the sample show in a temporary folder, and take the pictures."""
    times.now, tokens.YOUNGEST = lambda: AFTERNOON, 0
    # The processes of the browser may still write into its profile when it has ended.
    folder_of_all = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with folder_of_all as place, Browser(place) as browser:
        database = Path(place) / "new.db"
        migrations.migrate(database)
        settings = make_settings(Path(place), database.read_bytes())
        show.make(settings)
        db = Database(settings)
        housekeeping.record_heartbeat(db)
        with served(App(settings), []) as url:
            site = Site(browser, url, db)
            look(site, Path(folder), parts or ("show", "my", "desk")) if folder else draw_anew(site)
        db.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
