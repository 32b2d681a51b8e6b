"""axe-core finds nothing in the reference: light and dark, on a screen and on a phone, with search
and a form open.

`make clients` installs axe-core into .clients.
"""

import pytest

from tests.pages.test_reference_page import open_form, search
from tests.support.browser import BROWSER
from tests.support.processes import ROOT

AXE = ROOT / ".clients" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not (BROWSER and AXE.exists()), reason="needs chromium and `make clients`"),
]
# What axe-core cannot decide, with the reason why it is right.
UNDECIDED = {
    "color-contrast": "texts in SVG: --ink and --link on --shade and --paper, which are decided elsewhere"
}
CHECK = """axe.run(document).then(found => [found.violations, found.incomplete].map(list =>
  list.map(rule => [rule.id, rule.nodes[0].html.slice(0, 300), rule.nodes[0].failureSummary])))"""
OPENED = "#contacts details, #payments details, #event-types details"


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_axe_finds_nothing_in_the_reference(browser, address, width, dark):
    browser.open(address, width=width, dark=dark)
    browser.run(f"document.querySelectorAll('{OPENED}').forEach(part => {{ part.open = true; }})")
    check(browser)


def test_axe_finds_nothing_in_search_and_forms(browser, address):
    browser.open(address)
    for operation in ("create_contact", "delete_contact", "list_contacts"):
        open_form(browser, operation)
    assert search(browser, "email")
    check(browser)


@pytest.mark.parametrize("path", ["/problems", "/problems/in_use"])
def test_axe_finds_nothing_in_the_pages_of_problems(browser, address, path):
    browser.open(address.replace("/docs", path))
    check(browser)


def check(browser):
    """Raise AssertionError if axe-core finds a violation, or cannot decide something that has no
    reason here.
    """
    browser.run(AXE.read_text(encoding="utf-8") + "; 0")
    violations, undecided = browser.run(CHECK)
    assert violations == []
    assert {rule for rule, *_ in undecided} <= UNDECIDED.keys(), undecided
