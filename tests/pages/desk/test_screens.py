"""Every page of the desk in a browser, without its scripts: on a phone in the dark and at a desk in the
light, and there with its text twice as large. Nothing lies beside the screen, and axe-core finds
nothing.

`make clients` installs axe-core into .clients. With ALL_TESTS=1, each size is seen in both schemes.
"""

import re

import pytest

from eventapi import app as application
from tests.pages.show.test_journey import UNDECIDED, needs_browser
from tests.pages.test_accessibility import AXE, CHECK
from tests.support.batches import tried
from tests.support.browser import SIZES
from tests.support.people import signed_in
from tests.support.served import served

pytestmark = pytest.mark.processes

PAGES = (
    "",
    "account",
    "account/password",
    "account/factor",
    "applications",
    "applications/1",
    "batch/1",
    "booths/1",
    "company/bank",
    "company/company",
    "company/datev",
    "company/dunning",
    "company/invoices",
    "company/look",
    "company/mails",
    "company/taxes",
    "contacts",
    "contacts/1",
    "contacts/1/merge?duplicate_id=2",
    "contacts/duplicates",
    "do/cancel_participant/1",
    "do/copy_event/1",
    "do/create_task?entity_type=event&entity_id=1",
    "do/delete_link_device/2/1",
    "do/reject_application/1",
    "edit/applications",
    "edit/applications/1",
    "edit/bank_rules",
    "edit/booth_types/1",
    "edit/booths/1",
    "edit/categories",
    "edit/categories/1",
    "edit/contacts/1",
    "edit/document_templates",
    "edit/document_templates/1",
    "edit/dunning_levels",
    "edit/events",
    "edit/invoices?contact_id=1",
    "edit/participants?contact_id=1",
    "edit/participants/1",
    "edit/plans",
    "edit/profiles/1",
    "edit/schedules/1",
    "edit/service_categories",
    "edit/service_orders?event_participant_id=1",
    "edit/services/1",
    "edit/submission_types",
    "exhibitors",
    "exhibitors/1",
    "exhibitors/1/logo",
    "exhibitors/1/hand_in/1",
    "exhibitors/new",
    "visitors/new",
    "exhibitors/orders",
    "exhibitors/remind",
    "exhibitors/submissions",
    "hall",
    "hall/booths",
    "hall/holds",
    "hall/layout/1",
    "help",
    "invoices/1",
    "invoices/2",
    "log",
    "money",
    "money/bank",
    "money/bank/rules",
    "money/dunning",
    "money/letters",
    "money/payments",
    "money/to_print",
    "print",
    "print/door",
    "print/halls",
    "search?q=rosen",
    "setup",
    "setup/apply",
    "setup/apply/texts",
    "setup/apply/trial",
    "setup/called_off",
    "setup/categories",
    "setup/contracts",
    "setup/details",
    "setup/dunning",
    "setup/halls",
    "setup/portal",
    "setup/programme",
    "setup/services",
    "setup/stands",
    "setup/submissions",
    "setup/visitors",
    "setup/website",
    "setup/website/picture",
    "start",
    "tasks",
    "team",
    "team/new",
    "team/2",
    "visitors",
)
# Addresses of the desk that are no page, or that are seen elsewhere.
LEFT_OUT = {
    "account/codes": "the codes are shown once: tests/pages/office/test_account.py",
    "account/factor/remove": "without a second factor it leads to the own access",
    "account/sessions": "what remains after a form: it leads to the own access",
    "badges": "a PDF",
    "badges/<id>": "a PDF",
    "batch/<resource>/<action>": "what remains after a form",
    "company/look/logo": "the picture",
    "company/look/logo/<hash>": "the picture",
    "company/mails/test": "what remains after a form",
    "company/sample.pdf": "a PDF",
    "contacts/<id>/export": "a file",
    "documents/<id>/file": "a file",
    "invoices/<id>/letters/<item_id>/pdf": "a PDF",
    "invoices/<id>/pdf": "a PDF",
    "log/csv": "a file",
    "links/<id>/<what>": "what remains after a form",
    "money/statement/<id>": "a file waits for its columns: test_statement_asking.py",
    "money/to_print/pdf": "a PDF",
    "people": "the address before of the search",
    "settings/<id>": "the address before of the web site",
    "setup/website/picture/<id>": "the picture",
    "sign-in": "tests/pages/office/test_first_hour.py",
    "sign-in/code": "tests/pages/office/test_first_hour.py",
    "sign-in/link": "tests/pages/office/test_first_hour.py",
    "submissions/<id>/file": "a file",
    "team/<id>/disable": "what remains after a form",
    "team/<id>/enable": "what remains after a form",
    "team/<id>/factor": "what remains after a form",
    "team/<id>/invite": "what remains after a form",
    "team/<id>/sessions": "what remains after a form",
}
# What ends at the right of the window, and not within a box that scrolls. The page cannot be scrolled
# there: a container of the style sheet hides that it is too wide.
BESIDE = """[...document.querySelectorAll('body *')].filter(each =>
  each.getClientRects().length && !each.closest('.scroll, .slim, svg, .hidden, .skip')
  && each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(each => each.outerHTML.slice(0, 100))"""
# The rules of axe-core whose result depends on the size of the window, or on the colours.
OF_SCREENS = CHECK.replace(
    "document)",
    "document, {runOnly: ['color-contrast', 'scrollable-region-focusable']})",
    1,
)
ZOOM = "document.documentElement.style.fontSize = '200%'"


def test_each_address_of_the_desk_is_seen_or_named():
    paths = {
        route.path.removeprefix("/desk/") if route.path != "/desk" else ""
        for route in application.routes()
        if route.path.startswith("/desk") and route.method == "GET"
    }
    seen = {page.partition("?")[0] for page in PAGES}
    unseen = {
        path
        for path in paths
        if not any(re.fullmatch(re.sub(r"<\w+>", r"[\\w-]+", path), page) for page in seen)
    }
    assert unseen == LEFT_OUT.keys()


@needs_browser
@pytest.mark.parametrize("language", ["de", "en"])
def test_every_page_fits_its_screen_and_is_accessible(
    browser, app, db, organiser, busy_fair, language
):
    """Each language has one half of the pages."""
    email = "kundenbetreuung-und-buchhaltung@rosen-und-staudenversand.example"
    organiser.patch(f"/contacts/{busy_fair.contact['id']}", {"email": email}, status=200)
    person = signed_in(app, db, language=language)
    tried(
        person, person.get("/desk/exhibitors"), "participants/invoice", [busy_fair.exhibitor["id"]]
    )
    with served(app.app, []) as url:
        browser.open(f"{url}/imprint")
        name, _, value = person.headers["Cookie"].partition("=")
        browser.call("Network.setCookie", name=name, value=value, url=f"{url}/desk/", path="/desk")
        for page in PAGES[language == "en" :: 2]:
            seen(browser, f"{url}/desk/{page}", page)


def seen(browser, address, page):
    """Look at a page on each screen."""
    width, dark = SIZES[-1]
    browser.open(address, width=width, dark=dark, scripts=False)
    assert browser.complaints() == [], page
    with browser.scripts():
        if AXE.exists():
            browser.run(f"{AXE.read_text(encoding='utf-8')};0")
        for width, dark in SIZES:
            show(browser, width, dark)
            assert beside(browser, width) == [], (page, width)
            assert browser.broken_words() == [], (page, width)
            if AXE.exists():
                rules = CHECK if width == 1280 else OF_SCREENS
                violations, undecided = browser.run(rules)
                assert violations == [], (page, width, dark)
                assert {rule for rule, *_ in undecided} <= UNDECIDED, (page, undecided)
        show(browser, 1280, dark=False)
        browser.run(f"{{ {ZOOM}; 0 }}")
        assert beside(browser, 1280) == [], (page, "200 %")


def show(browser, width, dark):
    """Show the page in a window of this width, in this scheme."""
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=width < 600,
    )
    browser.call(
        "Emulation.setEmulatedMedia",
        media="",
        features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
    )


def beside(browser, width):
    """Return what lies beside the screen."""
    assert browser.run("document.documentElement.scrollWidth") <= width
    return browser.run(BESIDE)
