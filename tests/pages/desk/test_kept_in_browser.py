"""What was typed into a form and not saved yet, in a browser with scripts."""

import pytest

from tests.pages.desk.test_journey import address, enter  # noqa: F401
from tests.pages.show.test_journey import follow, needs_browser, text

pytestmark = pytest.mark.processes
KEPT = "Object.keys(sessionStorage).filter(name => name.startsWith('typed ')).length"


@pytest.fixture
def page(browser, address, organiser, fair):  # noqa: F811
    """Return the address of the form of a contact, in a browser that has signed in."""
    enter(browser, address, organiser.key)
    return f"{address}/edit/contacts/{fair.contact['id']}?language=en"


def go(browser, url):
    """Go to a page in the same tab, whose storage it keeps."""
    follow(browser, f"location.href = {url!r}")


def put(browser, name, value):
    """Type into a field."""
    browser.run(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input', {{bubbles: true}})); }})"
        f"(document.querySelector('[name={name}]'))"
    )


def shown(browser, name):
    return browser.run(f"document.querySelector('[name={name}]').value")


def save(browser):
    follow(browser, "document.querySelector('.savebar button').click()")


@needs_browser
def test_what_was_typed_is_there_again_until_it_is_saved(browser, page, organiser, fair):
    go(browser, page)
    assert browser.run("document.querySelector('[data-kept]').offsetHeight") == 0
    put(browser, "city", "Uetersen")
    browser.run("document.querySelector('.savebar').innerHTML += '<input name=iban>'; 0")
    put(browser, "iban", "DE02120300000000202051")
    assert "DE0212" not in browser.run("Object.values(sessionStorage).join()")
    go(browser, page.replace("/edit/contacts", "/contacts").partition("?")[0])
    go(browser, page)
    assert shown(browser, "city") == "Uetersen"
    assert "not saved it yet" in text(browser, "[data-kept]")
    assert browser.run("document.querySelector('[data-kept]').offsetHeight") > 0

    put(browser, "email", "no address")
    save(browser)
    assert browser.run("document.title").startswith("Error:")
    go(browser, page)
    assert (shown(browser, "city"), shown(browser, "email")) == ("Uetersen", "no address")
    put(browser, "email", "ada@rosen.example")
    save(browser)
    assert organiser.data(f"/contacts/{fair.contact['id']}")["city"] == "Uetersen"
    assert browser.run(KEPT) == 0
    go(browser, page)
    assert browser.run("document.querySelector('[data-kept]').offsetHeight") == 0


@needs_browser
def test_a_record_that_was_changed_meanwhile_is_not_overwritten(browser, page, organiser, fair):
    go(browser, page)
    put(browser, "city", "Uetersen")
    go(browser, page.replace("/edit/contacts", "/contacts").partition("?")[0])
    organiser.patch(f"/contacts/{fair.contact['id']}", {"city": "Elmshorn"}, status=200)
    go(browser, page)
    save(browser)
    assert organiser.data(f"/contacts/{fair.contact['id']}")["city"] == "Elmshorn"
    assert shown(browser, "city") == "Uetersen" and "Elmshorn" in text(browser, "main")


@needs_browser
def test_nothing_is_left_after_discarding_and_after_signing_out(browser, page):
    go(browser, page)
    before = shown(browser, "city")
    put(browser, "city", "Uetersen")
    go(browser, page)
    follow(browser, "document.querySelector('[data-kept] button').click()")
    assert shown(browser, "city") == before and browser.run(KEPT) == 0

    put(browser, "city", "Uetersen")
    assert browser.run(KEPT) == 1
    follow(browser, "document.querySelector('form[action$=sign-out] button').click()")
    assert browser.run(KEPT) == 0


@needs_browser
def test_somebody_else_in_the_same_tab_sees_nothing_of_it(browser, page):
    go(browser, page)
    before = shown(browser, "city")
    put(browser, "city", "Uetersen")
    browser.run(
        "for (const [name, text] of Object.entries(sessionStorage))"
        " sessionStorage[name] = text.replace(/admin \\d+/, 'admin 999'); 0"
    )
    go(browser, page)
    assert shown(browser, "city") == before and browser.run(KEPT) == 0
