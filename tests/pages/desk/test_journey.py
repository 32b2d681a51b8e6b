"""A day of the office in a browser, without scripts, on a phone and at a desk, light and dark.

`make clients` installs axe-core into .clients.
"""

import pytest

from eventapi.storage.errors import mark_damaged
from tests.pages.show.test_journey import UNDECIDED, follow, needs_browser, text
from tests.pages.test_accessibility import AXE, CHECK
from tests.support.browser import SIZES
from tests.support.served import served

pytestmark = pytest.mark.processes


@pytest.fixture
def address(app, fair):
    """Return the address of the desk on a server."""
    with served(app.app, []) as url:
        yield f"{url}/desk"


def enter(browser, address, key, **options):
    """Sign in with an API key."""
    browser.open(f"{address}/sign-in", **options)
    follow(
        browser,
        f"document.querySelector('#key').value = '{key}'; document.querySelector('#key').form.submit()",
    )


def press(browser, label):
    """Press the button, or follow the link, that begins with a text."""
    follow(
        browser,
        "[...document.querySelectorAll('main a, main button')].find("
        f"each => each.textContent.trim().startsWith('{label}')).click()",
    )


@needs_browser
def test_an_application_becomes_an_exhibitor_with_a_booth_and_an_invoice(
    browser, address, organiser
):
    enter(browser, address, organiser.key, scripts=False)
    press(browser, "Applications")
    press(browser, "Tulpen GmbH")
    press(browser, "Approve")
    assert "The application is approved." in text(browser, "main")
    press(browser, "Go to the exhibitor")
    press(browser, "Hold")
    press(browser, "Confirm the booth")
    press(browser, "Write the invoice")
    assert "The draft is written." in text(browser, "main")
    assert browser.complaints() == []


@needs_browser
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_refused_forms_and_the_banner_are_accessible_and_fit_the_screen(
    browser, address, organiser, fair, db, width, dark
):
    """The other pages are those of test_screens."""
    enter(browser, address, organiser.key)
    language = "de" if dark else "en"
    browser.open(
        f"{address}/do/reject_application/{fair.application['id']}?language={language}",
        width=width,
        dark=dark,
    )
    send = "document.querySelector('main form button:not([name]):not([type])').click()"
    follow(browser, f"document.querySelector('#f-reason').value = ' '; {send}")
    assert browser.run("document.querySelector('[aria-invalid]').id") == "f-reason"
    seen(browser, width, "422", refused=True)
    browser.open(f"{address}/edit/contacts/{fair.contact['id']}", width=width, dark=dark)
    organiser.patch(f"/contacts/{fair.contact['id']}", {"city": "Dresden"})
    follow(browser, f"document.querySelector('#f-city').value = 'Halle'; {send}")
    assert "Dresden" in text(browser, "details.note")
    assert browser.run("document.querySelector('#f-city').value") == "Halle"
    seen(browser, width, "412", refused=True)
    mark_damaged(db.config.database, "for the test")
    browser.open(f"{address}/applications", width=width, dark=dark)
    assert text(browser, "main .note.bad").split(".")[0] in (
        "The database is damaged",
        "Die Datenbank ist beschädigt",
    )
    seen(browser, width, "damaged")


def seen(browser, width, path, refused=False):
    """Check that a page fits the screen, breaks no policy, and that axe-core finds nothing in it."""
    assert browser.run("document.documentElement.scrollWidth") <= width, path
    assert browser.broken_words() == [], path
    assert refused or browser.complaints() == [], path
    if AXE.exists():
        with browser.scripts():
            browser.run(AXE.read_text(encoding="utf-8") + ";0")
            violations, undecided = browser.run(CHECK)
        assert violations == [], path
        assert {rule for rule, *_ in undecided} <= UNDECIDED, (path, undecided)
