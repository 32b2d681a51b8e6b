"""The checklist of a show: its steps are those of the overview, whose other parts it does not compute."""

import re

import pytest

from eventapi.domain.events import overview
from tests.support.client import Client


def steps_of(page):
    """Return step -> state of the checklist on a page."""
    found = {}
    for item in page.html.select(".checklist > li"):
        address = item.select_one("a")["href"]
        name = re.search(r"setup/([a-z]+)", address)[1]
        found[name] = item.select_one(".sign")["aria-label"]
    return found


@pytest.mark.parametrize(
    "scopes",
    [
        "events:read",
        "events booths plans invoices",
        "events settings services submissions schedules categories",
    ],
)
def test_each_step_is_one_of_the_overview(app, desk, busy_fair, scopes):
    visitor = desk(scopes)
    shown = steps_of(visitor.get("/desk/setup?event=fair"))
    steps = Client(app, visitor.key).data("/events/1/overview")["setup"]
    told = {each["step"]: each["state"] for each in steps if each["step"] != "company"}
    for name in ("services", "submissions", "dunning", "visitors", "programme"):
        if told.get(name) == "open":
            told[name] = "optional"
    assert len(shown) >= 5 and shown == told


def test_the_checklist_computes_no_figures(office, busy_fair, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the checklist needs no figures")

    for name in ("exhibitors", "waiting", "dates"):
        monkeypatch.setattr(overview, name, refuse)
    steps = steps_of(office.get("/desk/setup?event=fair"))
    assert (steps["details"], steps["halls"], steps["website"]) == ("done", "done", "open")
