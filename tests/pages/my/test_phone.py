"""The pages of exhibitors, of applicants and of the desk on a phone, with long German names:
nothing lies beside the screen.

With the variable PICTURES, a picture of each page is written to that folder.
"""

import base64
import os
from pathlib import Path

import pytest

from eventapi.web.html import tokens
from tests.pages.my.conftest import My, hidden
from tests.pages.show.test_journey import follow, needs_browser
from tests.support.dates import in_days
from tests.support.served import served

pytestmark = pytest.mark.processes
PICTURES = os.environ.get("PICTURES")
PAGES = (
    "",
    "profile",
    "booth",
    "submissions",
    "submissions/text",
    "submissions/textarea",
    "submissions/url",
    "submissions/file",
    "submissions/checkbox",
    "orders",
    "orders/check",
    "contract",
    "invoices",
    "badges",
    "programme",
)
# What German exhibitors are called, and what one long word is like.
LONG = "Garten- und Landschaftsbaumaschinenverleihgesellschaft Oberschwäbisch-Württembergisches Allgäu mbH & Co. KG"
WORD = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
# Boxes into which people type, and buttons: the right edge of each, and its height.
REACH = """[...document.querySelectorAll('main input:not([type=hidden]), main textarea, main select, main button')]
  .filter(each => each.getClientRects().length && !each.matches('.zoom') && !each.closest('.scroll'))
  .map(each => [each.id || each.textContent.trim(), each.getBoundingClientRect()])
  .filter(([name, place]) => place.left < 0 || place.right > innerWidth || place.width < 20)
  .map(([name, place]) => [name, place.left, place.right])"""
# What is wider than the card, table or column around it, and hangs in the air.
HANGING = """[...document.querySelectorAll('main .card, main .list > li, main td')].filter(each =>
  !each.closest('.scroll, .plan') && [...each.querySelectorAll('*')].some(inner =>
    !inner.closest('.hidden, .zoom, .scroll, .plan')
    && inner.getClientRects().length && inner.getBoundingClientRect().right > each.getBoundingClientRect().right + 1))
  .map(each => each.textContent.trim().slice(0, 60))"""


@pytest.fixture
def exhibitor(site, organiser, settings, app, monkeypatch):
    """Return (address of a server, My) of an exhibitor with long names and an order, at a show with
    early-bird prices.
    """
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    organiser.patch(
        f"/contacts/{site.participant['contact_id']}",
        {"company_name": LONG, "first_name": "Maximiliane-Theodora", "last_name": WORD},
        status=200,
    )
    made = []
    for number, (name, price, unit) in enumerate(
        (
            ("Starkstromanschluss 9 kW mit Unterverteilung und Absicherung", 1185.5, "Stück"),
            (WORD, 12, "Stück"),
            ("Standreinigung", 4.9, "Quadratmeter"),
            ("Zusatzausweis", 18, "Anschlussnehmergemeinschaft"),
        )
    ):
        made.append(
            organiser.make(
                "/services",
                {
                    "service_name": name,
                    "base_price": price,
                    "unit": unit,
                    "short_description": f"Bis {WORD}.",
                    "requires_specification": number == 0,
                    "specification_label": "Wo soll der Anschluss liegen?",
                    "lead_time_days": 14,
                    "events": [
                        {
                            "event_key": "fair",
                            "early_bird_price": price / 2,
                            "early_bird_until": in_days(20),
                            "stock": 12345,
                        }
                    ],
                },
            )["id"]
        )
    slot = {
        "event_key": "fair",
        "title": f"Vortrag: {LONG}",
        "location": WORD,
        "slot_date": site.event["date_from"],
        "start_time": "10:00",
        "end_time": "11:00",
    }
    organiser.make(
        "/schedules",
        {
            **slot,
            "assignments": [{"event_participant_id": site.participant["id"], "role": "speaker"}],
        },
    )
    for input in ("text", "textarea"):
        organiser.patch(
            f"/submissions/types/{site.kinds[input]['id']}",
            {"title": f"{WORD} ({input})", "description": LONG},
            status=200,
        )
    site.contract()
    site.change(badges_free=3)
    link, visitor = site.visitor(language="de", name=LONG[:100])
    my = My(link, visitor)
    my.send("badges", "badges", {"first_name": "Karl-Friedrich", "last_name": WORD})
    my.send("booth", "booth/hold", {"booth_number": "A1"})
    fields = {f"q.{made[0]}": "2", f"s.{made[0]}": WORD, f"q.{made[1]}": "12345"}
    page = my.get("orders")
    my.visitor.submit(page, f"{my.home}orders", {**hidden(page.text, "orders"), **fields})
    invoice = site.bill(site.participant)[0]
    site.act("invoices", invoice, "send", {"mail": False})
    with served(app.app, []) as url:
        yield url, my


def look(browser, name, width):
    """Look at a page: it fits the screen, each box and button can be reached, and nothing hangs out
    of its card.
    """
    if PICTURES:
        height = browser.run("document.documentElement.scrollHeight")
        wide = max(width, browser.run("document.documentElement.scrollWidth"))
        found = browser.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": wide, "height": height, "scale": 1},
        )
        (Path(PICTURES) / f"{name}-{width}.png").write_bytes(base64.b64decode(found["data"]))
    found = {
        "wide": browser.run("document.documentElement.scrollWidth") - width,
        "reach": browser.run(REACH),
        "hanging": browser.run(HANGING),
        "broken": browser.broken_words(),
    }
    return {word: value for word, value in found.items() if value}


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(320, False), (360, True), (390, False)])
def test_the_pages_of_an_exhibitor_fit_a_phone(browser, exhibitor, width, dark):
    url, my = exhibitor
    show(browser, url, my.visitor, width, dark)
    wrong = {}
    for page in PAGES:
        browser.open(f"{url}{my.home}{page}?language=de", width=width, dark=dark, scripts=False)
        assert browser.run("document.documentElement.lang") == "de"
        if found := look(browser, f"my-{page.replace('/', '-') or 'todos'}", width):
            wrong[page] = found
    assert not wrong, "\n".join(f"{page}: {found}" for page, found in wrong.items())


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(360, True), (390, False)])
def test_the_page_of_an_applicant_fits_a_phone(browser, exhibitor, site, organiser, width, dark):
    url, _ = exhibitor
    application = organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "company_name": LONG,
            "first_name": "Maximiliane-Theodora",
            "last_name": WORD,
            "email": f"{WORD.lower().encode('ascii', 'ignore').decode()}@rosen-und-staudenversand.example",
            "address": f"{WORD}straße 17",
            "city": LONG[:100],
            "website": f"https://www.{'gartenbau-' * 9}.example",
            "message": f"{LONG} {WORD}",
            "language": "de",
        },
    )
    organiser.post(f"/applications/{application['id']}/review", status=200)
    organiser.post(
        f"/applications/{application['id']}/request-info",
        {"question": f"Wie groß? {WORD}"},
        status=200,
    )
    link, visitor, _ = site.open_link(
        "application",
        "de",
        event_id=site.event["id"],
        application_id=application["id"],
        email="ada@rosen.example",
    )
    show(browser, url, visitor, width, dark)
    browser.open(f"{url}/apply/{link['ref']}/?language=de", width=width, dark=dark, scripts=False)
    assert look(browser, "apply", width) == {}


DESK = (
    "",
    "applications",
    "applications/1",
    "exhibitors",
    "exhibitors/1",
    "exhibitors/new",
    "visitors/new",
    "exhibitors/submissions",
    "exhibitors/orders",
    "exhibitors/remind",
    "hall",
    "hall/booths",
    "hall/holds",
    "booths/1",
    "money?show=sent&all=1",
    "money/bank",
    "money/bank/rules",
    "money/dunning",
    "money/to_print",
    "invoices/1",
    "people?q=garten",
    "contacts/1",
    "tasks",
    "contacts",
    "visitors",
    "print",
    "print/halls",
    "print/door",
    "setup",
    "setup/website",
    "edit/contacts/1",
    "edit/services/3",
    "setup/details",
    "hall/layout/1",
)


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1280, False)])
def test_the_pages_of_the_desk_fit_a_phone(browser, exhibitor, organiser, width, dark):
    """Tables scroll by themselves."""
    url, _ = exhibitor
    organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "company_name": LONG,
            "last_name": WORD,
            "email": "ada@rosen.example",
            "message": f"{LONG} {WORD}",
        },
    )
    organiser.make("/tasks", {"title": f"{WORD} {LONG}", "entity_type": "event", "entity_id": 1})
    browser.open(f"{url}/desk/sign-in", width=width, dark=dark, scripts=False)
    follow(
        browser,
        f"document.querySelector('#key').value = '{organiser.key}'; "
        "document.querySelector('#key').form.submit()",
    )
    wrong = {}
    for page in DESK:
        mark = "&" if "?" in page else "?"
        browser.open(
            f"{url}/desk/{page}{mark}language=de&event=fair", width=width, dark=dark, scripts=False
        )
        name = page.partition("?")[0].replace("/", "-") or "today"
        if found := look(browser, f"desk-{name}", width):
            wrong[page] = found
    assert not wrong, "\n".join(f"{page}: {found}" for page, found in wrong.items())


def show(browser, url, visitor, width, dark):
    """Give the browser the cookies of a visitor."""
    browser.open(f"{url}/my", width=width, dark=dark, scripts=False)
    for cookie in visitor.app.cookiejar:
        browser.call("Network.setCookie", name=cookie.name, value=cookie.value, url=url)
