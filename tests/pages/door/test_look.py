"""The page at the door in a browser: each state on a phone and at a desk, light and dark, judged by
axe-core.
"""

import re
import time
from importlib.resources import files

import pytest

from eventapi.domain.access import links
from eventapi.pictures import style
from tests.pages.test_accessibility import AXE, CHECK
from tests.support.browser import BROWSER, SIZES
from tests.support.served import served

pytestmark = pytest.mark.processes
needs_axe = pytest.mark.skipif(
    not (BROWSER and AXE.exists()), reason="needs chromium and `make clients`"
)


@pytest.fixture
def address(app):
    with served(app.app, []) as url:
        yield f"{url}/door/"


@pytest.fixture
def secret(organiser, db):
    event = organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2036-01-04",
        },
    )
    with db.write():
        link = links.create(
            db, "door", event_id=event["id"], station="Entrance West", rights=["search"]
        )
        return links.add_secret(db, link, "shown")


def opened(browser, address, **look):
    browser.open(address, **look)
    browser.until(lambda: browser.run("document.documentElement.dataset.ready === 'yes'"))


@needs_axe
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_every_state_is_accessible(browser, address, secret, organiser, width, dark):
    contact = organiser.make("/contacts", {"first_name": "Greta", "last_name": "Reißmann"})
    badges = [
        organiser.make(
            "/participants", {"event_key": "fair", "contact_id": contact["id"], "role": role}
        )["badge_number"]
        for role in ("visitor", "press")
    ]
    organiser.post("/participants/2/cancel", {}, status=200)
    opened(browser, address, width=width, dark=dark)
    found = [check(browser)]  # not signed in
    browser.run(
        f"(() => {{ url.value = 'http://x.example/link/{secret}'; paste.requestSubmit(); }})()"
    )
    browser.until(lambda: browser.run("!work.hidden && signin.hidden"))
    found.append(check(browser))
    browser.run("document.querySelector('details').open = true")
    found.append(check(browser))
    steps = (
        (badges[0], "green"),
        (badges[1], "red"),
        (badges[0], "amber"),
        ("2222", None),
        ("Greta", None),
    )
    for typed, tone in steps:
        time.sleep(2 if tone == "amber" else 0)  # until then, the badge is still held up
        browser.run(f"(() => {{ number.value = '{typed}'; typed.requestSubmit(); }})()")
        if tone:
            browser.until(lambda tone=tone: browser.run("verdict.className") == tone)
        found.append(check(browser))
    assert found == [[]] * 8
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    # before it is signed in
    told = [each for each in browser.complaints() if "403" not in str(each)]
    assert told == []
    browser.call("Page.navigate", url="about:blank")  # it would ask a server that has ended


def check(browser):
    """Return what axe-core finds. It cannot decide the contrast of texts on the stage and in the
    head: see below.
    """
    browser.run(AXE.read_text(encoding="utf-8") + "; 0")
    violations, undecided = browser.run(CHECK)
    return violations + [rule for rule in undecided if rule[0] != "color-contrast"]


def test_the_words_of_each_verdict_are_readable_on_their_colour():
    sheet = files("eventapi.pages.door").joinpath("door.css").read_text(encoding="utf-8")
    pairs = re.findall(r"#verdict\.(\w+) \{\s*background: (#\w+);\s*color: (#\w+);\s*\}", sheet)
    assert [tone for tone, *_ in pairs] == ["green", "amber", "red"]
    for tone, ground, ink in pairs:
        assert style.contrast(ground, ink.replace("#fff", "#ffffff")) >= 4.5, tone
