"""A visitor with a phone: the public show in a browser, with and without scripts, light and dark.

`make clients` installs axe-core into .clients.
"""

import re

import pytest

from eventapi import paths
from eventapi.pictures import style
from eventapi.web.html import colours, page_requests, shell, tokens
from eventapi.web.html.page_cache import PageCache
from tests.pages.test_accessibility import AXE, CHECK
from tests.support.browser import BROWSER, SIZES
from tests.support.served import served

pytestmark = pytest.mark.processes
needs_browser = pytest.mark.skipif(not BROWSER, reason="needs chromium")
# Texts in the hall plan, whose contrast axe-core cannot compute: the test of the variables below
# does.
UNDECIDED = {"color-contrast"}
# Variable of a text -> those of the grounds that it is written on
INKS = {
    "ink": "ground paper soft named free taken",
    "quiet": "ground paper soft",
    "accent": "ground paper soft",
    "on": "accent",
    "named-ink": "named",
    "free-ink": "free",
    "taken-ink": "taken",
    "pick-ink": "pick",
    "wait": "wait-soft",
    "late": "late-soft paper",
}


@pytest.fixture
def address(app, show):
    """Return the address of the show on a server."""
    with served(app.app, []) as url:
        yield f"{url}/e/fair"


@pytest.fixture
def pages(organiser, address, show):
    """Return the addresses of all pages of the show."""
    organiser.make(
        "/categories",
        {
            "title": "Visitors",
            "category_key": "visitors",
            "approval": "automatic",
            "role": "visitor",
            "event_keys": ["fair"],
        },
    )
    organiser.patch(f"/events/{show['event']['id']}/pages", {"visit_is_open": True}, status=200)
    plan = organiser.data(f"/plans/{show['plan']}")["plan_key"]
    return [
        address,
        f"{address}/exhibitors",
        f"{address}/exhibitors?q=nobody",
        f"{address}/plan/{plan}",
        f"{address}/programme",
        f"{address}/exhibitors/{show['exhibitor']['id']}-x",
        f"{address}/embed",
        f"{address}/apply",
        f"{address}/visit",
        f"{address}/exhibitors?embed=1",
        f"{address}/exhibitors/999-x",
        f"{address[:-7]}/link/x",
        address.replace("/e/fair", "/imprint"),
    ]


@needs_browser
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_a_visitor_finds_an_exhibitor_and_its_booth_without_scripts(
    browser, address, show, width, dark
):
    browser.open(address, width=width, dark=dark, scripts=False)
    follow(
        browser,
        "document.querySelector('#q').value = 'keramia'; document.querySelector('form.find').submit()",
    )
    assert text(browser, "h1") == "Exhibitors" and "1 exhibitor" in text(browser, "main")
    follow(browser, "document.querySelector('.list a.name').click()")
    assert text(browser, "h1") == "Erdőháti Kerámia Zrt." and "Pots of clay." in text(
        browser, "main"
    )
    follow(browser, "document.querySelector('a.stand').click()")
    number = show["booth_exhibitor"]["booth_number"]
    assert browser.run("document.querySelector(':target').id") == f"b-{number}"
    assert browser.run("document.querySelector(':target').getBoundingClientRect().top >= 0")
    assert browser.run(
        "document.querySelector(':target').getBoundingClientRect().bottom <= innerHeight"
    )
    follow(
        browser,
        "document.querySelector(':target').dispatchEvent(new MouseEvent('click', {bubbles: true}))",
    )
    assert text(browser, "h1") == "Erdőháti Kerámia Zrt."
    follow(browser, "document.querySelectorAll('.tabs a')[0].click()")
    assert (
        browser.run("document.querySelector('.facts a').getAttribute('href')")
        == "../e/fair/calendar.ics"
    )
    assert browser.complaints() == []


@needs_browser
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_an_exhibitor_applies_without_scripts(
    browser, address, organiser, settings, monkeypatch, width, dark
):
    """The server has no mail server, so that the page shows the link that the mail would have."""
    monkeypatch.setattr(settings, "smtp_host", "")
    monkeypatch.setattr(settings, "base_url", "")
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    browser.open(f"{address}/apply", width=width, dark=dark, scripts=False)
    follow(browser, "document.querySelector('form.form').submit()")
    assert (
        text(browser, "#faults").count("\n") >= 3 and text(browser, "#e-email") == "Please fill in."
    )
    follow(
        browser,
        """
        for (const [name, value] of Object.entries({company_name: 'Rosen KG', email: 'ada@rosen.example'}))
        document.querySelector(`[name=${name}]`).value = value;
        document.querySelector('[name=terms]').checked = true; document.querySelector('form.form').submit()""",
    )
    assert text(browser, "h1") == "Please look into your e-mail"
    follow(browser, "document.querySelector('main a.button').click()")
    assert text(browser, "h1") == "Confirm your application"
    follow(browser, "document.querySelector('main button').click()")
    assert (text(browser, "h1"), text(browser, "h2")) == (
        "Your application",
        "Your application has arrived",
    )
    assert organiser.data("/applications")[0]["company_name"] == "Rosen KG"
    assert [entry for entry in browser.complaints() if "422" not in str(entry)] == []


@needs_browser
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_no_page_is_wider_than_the_screen_or_breaks_its_policy(browser, pages, width, dark):
    for page in pages:
        for language in ("en", "de"):
            browser.open(
                f"{page}{'&' if '?' in page else '?'}language={language}", width=width, dark=dark
            )
            assert browser.run("document.documentElement.scrollWidth") <= width, page
            assert browser.broken_words() == [], page
            # The page that does not exist is a 404, which Chromium reports as an error.
            assert [entry for entry in browser.complaints() if "404" not in str(entry)] == [], page
            assert browser.run("document.querySelectorAll('h1').length") == 1, page


@needs_browser
def test_texts_of_twice_the_length_fit_a_phone(browser, pages, monkeypatch):
    """A third language may need more room."""
    plain = page_requests.words
    monkeypatch.setattr(
        page_requests,
        "words",
        lambda package, language: {
            name: value if name == "weekdays" else f"{value} {value}"
            for name, value in plain(package, language).items()
        },
    )
    monkeypatch.setattr(shell, "PAGES", PageCache(shell.LARGEST))
    for page in pages:
        browser.open(page, width=360)
        assert browser.run("document.documentElement.scrollWidth") <= 360, page


@needs_browser
@pytest.mark.skipif(not AXE.exists(), reason="needs `make clients`")
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_axe_finds_nothing(browser, pages, width, dark):
    for page in (page for page in pages if "embed=1" not in page):
        browser.open(page, width=width, dark=dark)
        browser.run(AXE.read_text(encoding="utf-8") + "; 0")
        violations, undecided = browser.run(CHECK)
        assert violations == [], page
        assert {rule for rule, *_ in undecided} <= UNDECIDED, (page, undecided)


@needs_browser
def test_only_the_sites_of_the_list_show_a_page_in_a_frame(browser, address, db):
    def outer(environ, start_response):
        """Return a page with the frame.

        Its query goes to the address in the frame, since browsers keep that page.
        """
        start_response("200 OK", [("Content-Type", "text/html")])
        return [
            f'<iframe src="{address}/exhibitors?embed=1&{environ["QUERY_STRING"]}"></iframe>'.encode()
        ]

    with served(outer, []) as url:
        browser.open(url)
        assert "frame-ancestors" in str(browser.until(browser.complaints))
        with db.write():
            db.connection.execute("UPDATE event_pages SET embed_origins = json_array(?)", (url,))
        browser.open(f"{url}?again")
        assert browser.complaints() == []


def variables():
    """Return the colours of the stylesheet by their variables, in light and in dark."""
    text = (paths.folder("eventapi") / "pages" / "style.css").read_text(encoding="utf-8")
    parts = re.findall(r":root \{(.*?)\}", text, re.S)[:2]
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w+)", part)) for part in parts)
    return [
        {
            name: value if len(value) == 7 else "#" + "".join(letter * 2 for letter in value[1:])
            for name, value in colors.items()
        }
        for colors in (light, {**light, **dark})
    ]


@pytest.mark.parametrize(
    "accent", ["#ffee00", "#808080", "#ffffff", "#000000", "#2f6f4f", "#b5651d", "#00ffff"]
)
def test_any_colour_of_an_event_is_made_readable(accent):
    for colors, shade in zip(
        variables(), re.findall(r"--accent:(#\w+)", colours.stylesheet(accent)), strict=True
    ):
        for ground in INKS["accent"].split():
            assert style.contrast(shade, colors[ground]) >= 4.5, (shade, ground)


def test_text_is_readable_on_every_ground_in_light_and_dark():
    """WCAG 2.2, 1.4.3: a contrast of 4.5."""
    for colors in variables():
        for ink, grounds in INKS.items():
            for ground in grounds.split():
                assert style.contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)


def follow(browser, script):
    """Do what leads to another page, and wait for it."""
    browser.events.clear()
    browser.run(f"{{ {script} }}")
    browser.until(
        lambda: any(
            event["method"] in ("Page.loadEventFired", "Page.navigatedWithinDocument")
            for event in browser.events
        )
    )


def text(browser, selector):
    return browser.run(f"document.querySelector({selector!r}).innerText")
