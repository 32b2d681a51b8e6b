"""The first page of the desk: figures of the overview and no others, and a line for each of its codes."""

import re
from html import unescape

import pytest

from eventapi import times
from eventapi.pages.desk import figures, labels, waiting
from eventapi.validation.schema_files import document
from eventapi.web.html import page_requests
from tests.support.people import signed_in

DEFINITIONS = document("overview")["$defs"]
PARTS = ("booths", "applications", "money", "participants")


def codes(name, field):
    """Return the values that a field of the overview may have."""
    return DEFINITIONS[name]["properties"][field]["enum"]


def shown(page):
    """Return name -> number of the figures on a page, as text without separators."""
    found = re.findall(r'data-figure="(\w+)">([\d,.]+)', page.text)
    return {name: text.replace(",", "") for name, text in found}


def words_of(page):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def test_each_figure_is_one_of_the_overview(office, organiser, busy_fair):
    overview = organiser.data(f"/events/{busy_fair.event['id']}/overview")
    wanted = {each["code"]: each["count"] for each in overview["waiting"]}
    booths = overview["booths"]
    wanted["booths"] = booths["sold"] + booths["reserved"]
    wanted["applications"] = sum(overview["applications"]["by_status"].values())
    wanted["money"] = round(overview["money"]["invoiced"])
    wanted["participants"] = overview["participants"]["ready"]
    assert shown(office.get("/desk/")) == {name: str(count) for name, count in wanted.items()}
    assert {"applications_new", "drafts", "submissions"} <= wanted.keys()


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_code_of_the_overview_has_a_line(language):
    texts = page_requests.words(labels.PACKAGE, language)
    waits = codes("waiting", "code")
    assert set(waits) == set(waiting.PAGES)
    for code in waits:
        assert {f"wait_{code}", f"wait_do_{code}"} <= texts.keys()
    for step in codes("setup", "step"):
        assert step == "company" or f"needs_{step}" in texts
    for code in codes("date", "code"):
        assert f"date_{code}" in texts
    for part in DEFINITIONS["lacks"]["properties"]:
        assert f"card_without_{part}" in texts


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        ("booths", {"booths"}),
        ("applications", {"applications", "applications_new"}),
        ("checkins", set()),
    ],
)
def test_without_a_scope_its_figures_are_absent(desk, busy_fair, scope, names):
    page = desk(f"events:read {scope}:read").get("/desk/")
    assert shown(page).keys() == names
    assert "Last changes" not in page and "Rosen" not in page


def test_without_the_scope_of_events_there_is_no_figure(desk, busy_fair):
    assert shown(desk("booths:read invoices:read").get("/desk/")) == {}


def test_nothing_waits(desk, organiser, settings):
    organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})
    page = words_of(desk(language="de").get("/desk/"))
    assert "Nichts wartet. Schönen Tag!" in page and "Die Tage fehlen." in page


def test_an_empty_database_leads_to_the_first_show(app, db):
    carla = signed_in(app, db, "owner", "Carla Weiß")
    page = words_of(carla.get("/desk/"))
    assert "Noch gibt es keine Veranstaltung" in page and "Carla Weiß" in page
    assert re.search(r"Erste Schritte \d von 5 erledigt", page)
    for step in ("Ihr Zugang", "Ihre Firma", "Steuern", "Bank", "E-Mails"):
        assert f" {step} " in page
    helper = signed_in(app, db, "reader", "Ole Lindqvist")
    assert "Erste Schritte" not in words_of(helper.get("/desk/"))


def test_today_says_how_far_the_show_is(desk, fair, monkeypatch):
    for now, said in (
        ("2027-04-28T10:00:00Z", "Guten Tag, Ada Lovelace Mittwoch, 28.04.2027 · noch 3 Tage"),
        ("2027-04-30T05:00:00Z", "Guten Morgen, Ada Lovelace Freitag, 30.04.2027 · morgen geht"),
        ("2027-05-02T19:00:00Z", "Guten Abend, Ada Lovelace Sonntag, 02.05.2027 · Tag 2 von 3"),
        ("2027-05-04T10:00:00Z", "Dienstag, 04.05.2027 · die Veranstaltung ist vorbei"),
    ):
        monkeypatch.setattr(times, "now", lambda now=now: now)
        assert said in words_of(desk(language="de").get("/desk/")), now


def test_scans_of_two_days_have_their_dates():
    rows = [
        {"hour": f"2027-05-0{day}T{hour:02}", "check_ins": hour, "check_outs": 0}
        for day, hour in ((1, 17), (1, 18), (2, 9))
    ]
    assert figures.by_day(rows) == [
        ("2027-05-01", [("17", 17, 94), ("18", 18, 100)]),
        ("2027-05-02", [("09", 9, 50)]),
    ]
