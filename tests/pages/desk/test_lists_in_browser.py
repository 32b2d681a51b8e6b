"""Lists of the desk in a browser without scripts, at a desk and on a phone."""

import pytest

from tests.pages.desk.test_journey import address, enter, press, seen  # noqa: F401
from tests.pages.show.test_journey import follow, needs_browser, text

pytestmark = pytest.mark.processes
SHOWN = "getComputedStyle(document.querySelector('main {}')).display != 'none'"


def shown(browser, selector):
    """Return whether an element of the page is displayed."""
    return browser.run(SHOWN.format(selector))


@needs_browser
def test_an_office_sorts_chooses_and_acts_at_a_desk(browser, address, organiser, fair):  # noqa: F811
    for name in ("Aster", "Birke"):
        organiser.make("/applications", {"event_keys": ["fair"], "company_name": name})
    enter(browser, address, organiser.key, scripts=False)
    browser.open(f"{address}/applications", width=1280)
    assert not shown(browser, ".picked")
    press(browser, "Who")
    assert text(browser, "main tbody tr").strip().startswith("Aster")
    browser.run("document.querySelector('main .tools summary').click()")
    browser.run("document.querySelector('main [name=cols][value=city]').click()")
    press(browser, "Show")
    assert "City" in text(browser, "main thead")
    assert text(browser, "main tbody tr").strip().startswith("Aster")
    follow(browser, "document.querySelector('main th.c-tick a').click()")
    assert shown(browser, ".picked")
    seen(browser, 1280, "chosen")
    browser.run("document.querySelector('main tbody input').click()")
    follow(browser, "document.querySelector('main [formaction*=review]').click()")
    trial = text(browser, "main")
    assert "Birke" in trial and "Tulpen GmbH" in trial and "Aster" not in trial


@needs_browser
def test_a_row_is_a_card_on_a_phone(browser, address, organiser, busy_fair):  # noqa: F811
    enter(browser, address, organiser.key, scripts=False)
    for page in (
        "exhibitors",
        "money?show=all",
        "visitors",
        "contacts",
        "exhibitors/orders?show=all",
        "hall/booths",
    ):
        browser.open(f"{address}/{page}", width=390)
        seen(browser, 390, page)
    browser.open(f"{address}/exhibitors", width=390)
    assert shown(browser, "td.c-sum") and shown(browser, "select[name=sort]")
    assert not shown(browser, "nav.views.folds") and not shown(browser, ".tools .menu")
    browser.run("document.querySelector('main select[name=sort]').value = 'booth_number'")
    press(browser, "Search")
    assert browser.run("document.querySelector('main select[name=sort]').value") == "booth_number"
