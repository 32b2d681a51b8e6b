"""A show is copied from that of last year, by the words on the pages."""

import re

import pytest

from tests.support.page_reader import Reader


@pytest.fixture
def reader(desk, fair):
    """Return a person at the desk, in German, who reads its pages."""
    person = desk(language="de")

    def post(path, fields):
        return person.post(path, fields, status="*")

    return Reader(lambda path: person.get(path, status="*"), post)


def test_a_show_is_copied_from_last_year(reader, organiser):
    reader.open("/desk/setup")
    reader.follow("Aus dem Vorjahr kopieren")
    assert "Anmeldungen, Aussteller und Rechnungen bleiben, wo sie sind." in reader.text
    assert "{" not in reader.text
    said = reader.press(
        "Aus dem Vorjahr kopieren",
        {"Titel": "Garden Fair 2028", "Erster Tag": "06.05.2028", "Aufgaben": False},
    )
    assert "„Garden Fair 2028“ ist angelegt." in said
    assert reader.path.startswith("/desk/setup?event=garden-fair-2028")
    assert "06.–08.05.2028" in reader.page.find(class_="which").summary.text
    copy = organiser.data("/events?event_key=garden-fair-2028")[0]
    assert (copy["title"], copy["date_from"], copy["date_to"], copy["is_visible"]) == (
        "Garden Fair 2028",
        "2028-05-06",
        "2028-05-08",
        False,
    )
    plans = organiser.data(f"/plans?event_id={copy['id']}&include=booth_count")
    assert [plan["booth_count"] for plan in plans] == [2]
    assert organiser.data(f"/participants?event_id={copy['id']}") == []


def test_a_refused_copy_shows_what_was_typed(reader):
    reader.open("/desk/do/copy_event/1")
    said = reader.press("Aus dem Vorjahr kopieren", {"Titel": "Im Herbst", "Erster Tag": "bald"})
    assert "Fehler" in reader.page.title.text
    assert reader.page.find(id="f-title")["value"] == "Im Herbst"
    assert "Erster Tag" in said


@pytest.mark.parametrize(
    ("scopes", "parts"),
    [
        ("events", "opening_hours"),
        ("events services", "opening_hours services"),
        ("events plans", "opening_hours"),
        ("events plans booths tasks", "opening_hours plans tasks"),
    ],
)
def test_only_what_a_person_may_write_is_offered(desk, fair, scopes, parts):
    page = desk(scopes).get("/desk/do/copy_event/1").text
    offered = re.findall(r'name="with" value="(\w+)"\s+checked', page)
    assert offered == parts.split()


def test_who_may_not_write_events_is_offered_no_copy(desk, fair):
    assert "copy_event" not in desk("events:read").get("/desk/setup").text
