"""The reference in a browser: permalinks, search, keyboard, phone, paper, and requests to the
server.
"""

import json
from urllib.parse import urlsplit

import pytest

from tests.support.browser import BROWSER

pytestmark = [pytest.mark.processes, pytest.mark.skipif(not BROWSER, reason="needs chromium")]
VISIBLE = """(id => { const box = document.getElementById(id).getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.top < innerHeight; })"""
RESULTS = """[...document.querySelectorAll(".results a")].map(link =>
  [link.hash.slice(1), link.querySelector("span").textContent])"""


@pytest.mark.parametrize(
    "id",
    [
        "create_contact",
        "field-contact-email",
        "problem-in_use",
        "event-payment.created",
        "placeholder-contact.name",
        "object-invoices",
        "param-list_contacts-sort",
    ],
)
@pytest.mark.parametrize("scripts", [True, False])
def test_a_permalink_opens_its_target_also_without_the_script(browser, address, id, scripts):
    browser.open(f"{address}#{id}", scripts=scripts)
    browser.until(lambda: browser.run(f"{VISIBLE}({json.dumps(id)})"))
    assert browser.complaints() == []


def test_without_the_script_everything_can_be_read_and_the_language_chosen(browser, address):
    browser.open(address, scripts=False)
    assert browser.run("document.querySelectorAll('button, [hidden], #search *').length") == 0
    shown = "['.curl', '.python'].map(kind => getComputedStyle(document.querySelector(`#start ${kind}`)).display)"
    assert browser.run(shown) == ["block", "none"]
    browser.run("document.getElementById('show-python').click()")
    assert browser.run(shown) == ["none", "block"]


# Search


def search(browser, text):
    browser.run("document.activeElement.blur()")
    browser.press("/")
    browser.run("document.activeElement.select()")
    browser.type(text)
    return browser.run(RESULTS)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("list_contacts", "list_contacts"),
        ("/contacts", "list_contacts"),
        ("/api/v1/contacts/{id}", "get_contact"),
        ("post /contacts", "create_contact"),
        ("in_use", "problem-in_use"),
        ("email", "field-contact-email"),
        ("payment.created", "event-payment.created"),
        ("Refund a payment", "refund_payment"),
        ("webhooks", "webhooks"),
        ("invoice_number", "field-invoice-invoice_number"),
        ("Invoices", "invoices"),
        ("organiser.vat_id", "placeholder-organiser.vat_id"),
    ],
)
def test_search_shows_exact_matches_first(browser, address, text, first):
    browser.open(address)
    assert search(browser, text)[0][0] == first


def test_search_says_how_much_it_found_and_when_nothing_matches(browser, address):
    browser.open(address)
    status = "document.querySelector('.found[role=status]').textContent"
    assert search(browser, "contact anonymise") and "result" in browser.run(status)
    assert search(browser, "zzzz") == []
    assert browser.run(status) == "Nothing matches “zzzz”. Try a shorter word."


def test_search_is_used_by_keyboard(browser, address):
    browser.open(address)
    search(browser, "list_contacts")
    browser.press("ArrowDown")
    assert browser.run("document.activeElement.hash") == "#list_contacts"
    browser.press("ArrowUp")
    browser.press("Enter")
    browser.until(lambda: browser.run(f"{VISIBLE}('list_contacts')"))
    browser.press("Escape")
    assert browser.run("document.getElementById('search-field').value") == ""
    assert browser.run(RESULTS) == [] and not browser.run("document.querySelector('.menu').hidden")


def test_the_first_tab_leads_to_the_content_and_focus_is_visible(browser, address):
    browser.open(address)
    browser.press("Tab")
    focused = """(node => [node.className, node.getBoundingClientRect().left >= 0,
      parseFloat(getComputedStyle(node).outlineWidth) >= 2])(document.activeElement)"""
    assert browser.run(focused) == ["skip", True, True]
    browser.press("Enter")
    browser.until(lambda: browser.run("document.activeElement.id") == "main")
    browser.run("document.querySelector('#contacts .op summary').focus()")
    browser.press("Enter")
    assert browser.run("document.querySelector('#contacts .op').open")


# Screens and paper


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1280, False)])
def test_nothing_is_wider_than_the_screen(browser, address, width, dark):
    browser.open(address, width=width, dark=dark)
    browser.run("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert browser.run("document.documentElement.scrollWidth") <= width
    colour = "getComputedStyle(document.body).backgroundColor"
    assert browser.run(colour) == ("rgb(18, 22, 28)" if dark else "rgb(255, 255, 255)")


def test_paper_shows_the_content_only(browser, address):
    browser.open(f"{address}#create_contact", media="print")
    shown = "getComputedStyle(document.querySelector(%s)).display"
    parts = ("header", "#create_contact .copy", "#create_contact pre")
    assert [browser.run(shown % f"'{part}'") for part in parts] == ["none", "none", "block"]


def test_names_in_pictures_of_states_fit_into_their_boxes(browser, address):
    browser.open(address)
    wide = """[...document.querySelectorAll("svg.states g")].filter(part => {
      const text = part.querySelector("text").getComputedTextLength();
      return text > part.querySelector("rect").width.baseVal.value - 6; }).map(part => part.textContent)"""
    assert browser.run(wide) == []
    assert browser.run("document.querySelectorAll('svg.states[role=img] > desc').length") == 13


# Try it


def open_form(browser, operation):
    browser.run(f"location.hash = {json.dumps(operation)}; 1")
    button = f"document.querySelector('#{operation} .open-try')"
    browser.until(lambda: browser.run(f"Boolean({button})"))
    browser.run(f"{button}.click()")
    browser.until(lambda: browser.run(f"Boolean(document.querySelector('#{operation} .try'))"))


def enter_key(browser, operation, shared):
    browser.run(f"document.querySelector('#{operation} input[type=password]').focus()")
    browser.type(shared.organiser.key)


def send(browser, operation):
    """Press the button that sends the request and return the text of the response."""
    browser.run(f"document.querySelector('#{operation} .try > button').click()")
    output = f"document.querySelector('#{operation} .try [role=status]').innerText"
    return browser.until(lambda: "ms," in browser.run(output) and browser.run(output))


def test_a_request_is_sent_with_a_key_that_stays_in_memory(browser, address, shared):
    browser.open(address)
    open_form(browser, "create_contact")
    enter_key(browser, "create_contact", shared)
    assert "changes data" in browser.run("document.querySelector('#create_contact .try').innerText")
    said = send(browser, "create_contact")
    assert (
        said.startswith("201")
        and "POST /api/v1/contacts" in said
        and "etag: " in said
        and "Rosen Tantau KG" in said
    )
    open_form(browser, "list_contacts")
    assert send(browser, "list_contacts").startswith("200")  # with the same key
    kept = browser.run(
        "[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), "
        "location.href, document.documentElement.outerHTML].join()"
    )
    assert shared.organiser.key not in kept
    browser.open(address)
    open_form(browser, "list_contacts")
    refused = send(browser, "list_contacts")
    assert refused.startswith("401") and "missing_credentials" in refused


def test_a_deletion_must_be_confirmed(browser, address, shared):
    shared.organiser.make("/events", {"title": "Garden Fair"})
    browser.open(address)
    open_form(browser, "delete_event")
    button = "document.querySelector('#delete_event .try > button')"
    assert browser.run(f"{button}.disabled")
    assert "cannot be undone" in browser.run(
        "document.querySelector('#delete_event .try').innerText"
    )
    enter_key(browser, "delete_event", shared)
    browser.run("document.querySelector('#delete_event .try input[type=checkbox]').click()")
    assert send(browser, "delete_event").startswith("204") and browser.run(f"{button}.disabled")
    shared.organiser.get("/events/1", status=404)


def test_a_required_parameter_must_have_a_value(browser, address):
    browser.open(address)
    open_form(browser, "list_notes")
    browser.run("document.querySelector('#list_notes .try > button').click()")
    assert browser.run("document.querySelector('#list_notes .try [role=status]').innerText") == (
        "Enter a value for entity_type first."
    )
    assert browser.run("document.activeElement.tagName") == "SELECT"


def test_a_request_that_cannot_be_sent_says_why_and_can_be_corrected(browser, address):
    browser.open(address)
    open_form(browser, "list_events")
    browser.run("document.querySelector('#list_events input[type=password]').focus()")
    browser.type("evk_…")  # no header can have this character
    browser.run("document.querySelector('#list_events .try > button').click()")
    output = "document.querySelector('#list_events .try [role=status]').innerText"
    browser.until(lambda: browser.run(output).startswith("The request was not sent: "))
    assert not browser.run("document.querySelector('#list_events .try > button').disabled")


def test_what_a_response_contains_is_shown_as_text(browser, address, shared):
    text = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    shared.organiser.make("/events", {"title": text})
    browser.open(address)
    open_form(browser, "list_events")
    enter_key(browser, "list_events", shared)
    assert text in send(browser, "list_events")
    assert browser.run("document.querySelectorAll('.try img, .try script').length") == 0


def test_a_file_can_be_saved(browser, address, shared):
    shared.organiser.make("/events", {"title": "Plant Fair"})
    browser.open(address)
    open_form(browser, "get_calendar_feed")
    enter_key(browser, "get_calendar_feed", shared)
    assert "BEGIN:VCALENDAR" in send(browser, "get_calendar_feed")
    assert browser.run(
        "document.querySelector('#get_calendar_feed .try a[download]').href"
    ).startswith("blob:")
    assert browser.complaints() == []


def test_the_page_reaches_no_other_server(browser, address):
    browser.open(address)
    other = f"http://127.0.0.1:{urlsplit(address).port + 1}/"
    assert (
        browser.run(f"fetch({json.dumps(other)}).then(() => 'sent', error => error.message)")
        != "sent"
    )
    browser.until(lambda: any("connect-src" in json.dumps(entry) for entry in browser.complaints()))


def test_a_sample_is_copied(browser, address):
    browser.open(f"{address}#list_contacts")
    browser.call(
        "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
    )
    browser.until(lambda: browser.run("Boolean(document.querySelector('#list_contacts .copy'))"))
    browser.run("document.querySelector('#list_contacts .curl .copy').click()")
    browser.until(
        lambda: (
            browser.run("document.querySelector('#list_contacts .curl .copy').textContent")
            == "Copied"
        )
    )
    copied = browser.run("navigator.clipboard.readText()")
    assert copied == browser.run("document.querySelector('#list_contacts .curl code').textContent")
    assert copied.startswith('curl "$EVENTAPI_URL/api/v1/contacts"')
