"""Events."""

import pytest

from eventapi import times
from tests.web.test_routes import problem


def test_an_event_is_created_read_changed_and_deleted(organiser):
    event = organiser.make(
        "/events", {"title": "Garden Fair", "date_from": "2027-05-01", "date_to": "2027-05-03"}
    )
    assert event["event_key"] == "garden-fair-2027"
    assert event["country"] == "DE" and event["timezone"] == "Europe/Berlin"
    address = f"/events/{event['id']}"
    assert organiser.data(address) == event
    changed = organiser.patch(address, {"city": "Leipzig"}, status=200).json["data"]
    assert changed == {**event, "city": "Leipzig", "updated_at": changed["updated_at"]}
    organiser.delete(address, status=204)
    organiser.get(address, status=404)


def test_a_time_zone_means_the_same_on_every_machine(organiser):
    for name in ("localtime", "posixrules", "right/UTC", "europe/berlin", "../UTC"):
        organiser.post("/events", {"title": "Fair", "timezone": name}, status=422)
    for name in ("UTC", "America/Argentina/Ushuaia"):
        organiser.post("/events", {"title": "Fair", "timezone": name}, status=201)


def test_an_opening_period_that_overlaps_several_is_reported_once(organiser):
    hours = [{"date": "2027-05-01", "opens": "09:00", "closes": "18:00"}] * 366
    answer = organiser.post("/events", {"title": "Fair", "opening_hours": hours}, status=422)
    assert len(answer.json["errors"]) == 365


def test_upcoming_leaves_out_events_that_are_over_in_their_own_time_zone(organiser, monkeypatch):
    """At 22:30 UTC on 1 May it is already 2 May in Berlin, and still 1 May in Pago Pago."""
    monkeypatch.setattr(times, "now", lambda: "2027-05-01T22:30:00Z")
    periods = {
        "yesterday": ("2027-04-28", "2027-04-30"),
        "today": ("2027-05-01", None),
        "last day": ("2027-04-01", "2027-05-01"),
        "tomorrow": ("2027-05-02", "2027-05-03"),
        "undated": (None, None),
    }
    for period, (first, last) in periods.items():
        for zone in ("UTC", "Europe/Berlin", "Pacific/Pago_Pago"):
            organiser.make(
                "/events",
                {
                    "title": f"{period} {zone}",
                    "date_from": first,
                    "date_to": last,
                    "timezone": zone,
                },
            )
    shown = {event["title"] for event in organiser.data("/events?upcoming=1&per_page=100")}
    assert shown == {
        "today UTC",
        "today Pacific/Pago_Pago",
        "last day UTC",
        "last day Pacific/Pago_Pago",
        "tomorrow UTC",
        "tomorrow Europe/Berlin",
        "tomorrow Pacific/Pago_Pago",
    }
    assert len(organiser.data("/events?per_page=100")) == 15


# Place of supply


@pytest.mark.parametrize(
    "country, place",
    [
        ("DE", "recipient"),
        ("GR", "recipient"),
        ("MC", "recipient"),
        ("GB", "recipient"),
        ("CH", "event"),
        ("US", "event"),
    ],
)
def test_the_place_of_supply_of_a_new_event_follows_from_the_country_of_the_organiser(
    organiser, settings, country, place
):
    settings.organiser_country = country
    assert organiser.make("/events", {"title": "Garden Fair"})["place_of_supply"] == place


def test_a_place_of_supply_that_is_sent_is_kept_and_null_means_not_decided(organiser):
    for place in ("event", "recipient", None):
        event = organiser.make("/events", {"title": "Garden Fair", "place_of_supply": place})
        assert event["place_of_supply"] == place
    address = f"/events/{event['id']}"
    for place in ("event", None):
        changed = organiser.patch(address, {"place_of_supply": place}, status=200)
        assert changed.json["data"]["place_of_supply"] == place
    [fault] = problem(
        organiser.patch(address, {"place_of_supply": "venue"}), 422, "validation_failed"
    )["errors"]
    assert fault["pointer"] == "/place_of_supply"


def test_the_place_of_supply_is_not_shown_to_web_pages(organiser):
    event = organiser.make("/events", {"title": "Garden Fair", "date_from": "2099-05-01"})
    [listed] = organiser.data("/applications/events")
    assert (listed["id"], listed["place_of_supply"]) == (event["id"], None)


def test_an_event_is_a_fair_unless_another_word_is_sent(organiser):
    event = organiser.make("/events", {"title": "Garden Fair"})
    assert event["event_word"] == "fair"
    address = f"/events/{event['id']}"
    for word in ("market", "festival", "event", "fair"):
        changed = organiser.patch(address, {"event_word": word}, status=200)
        assert changed.json["data"]["event_word"] == word
    problem(organiser.patch(address, {"event_word": "Messe"}), 422, "validation_failed")


def test_an_event_abroad_has_a_warning_with_the_law_of_the_organiser(organiser):
    created = organiser.post("/events", {"title": "Garden Fair", "country": "AT"}, status=201)
    german = (
        "The show is abroad (Austria). eventapi knows no tax of other states. German VAT is probably wrong on its "
        "invoices (§ 3a (3) no. 1, 3, 5 UStG). Ask your adviser before you send the first invoice."
    )
    warning = {"code": "event_abroad", "detail": german, "field": "country"}
    assert created.json["meta"]["warnings"] == [warning]

    address = f"/events/{created.json['data']['id']}"
    third = organiser.patch(address, {"country": "CH"}, status=200).json["meta"]["warnings"]
    assert "(§ 3a (3) no. 1, 3, 5, (8) UStG)" in third[0]["detail"]
    assert "warnings" not in organiser.patch(address, {"country": "DE"}, status=200).json["meta"]
    assert "warnings" not in organiser.patch(address, {"city": "Leipzig"}, status=200).json["meta"]


@pytest.mark.parametrize(
    "home, country, law",
    [
        ("AT", "DE", ""),
        ("NL", "CH", ""),
        ("FR", "DE", ""),
        ("CH", "DE", "Swiss VAT is probably wrong on its invoices (Art. 8 (2) MWSTG). "),
    ],
)
def test_the_warning_of_an_event_abroad_cites_no_law_that_does_not_hold(
    organiser, settings, home, country, law
):
    settings.organiser_country = home
    [warning] = organiser.post("/events", {"title": "Fair", "country": country}).json["meta"][
        "warnings"
    ]
    assert warning["detail"].partition("other states. ")[2] == (
        f"{law}Ask your adviser before you send the first invoice."
    )


@pytest.mark.parametrize("home, country", [("CH", "LI"), ("FR", "MC"), ("GB", "IM"), ("IM", "GB")])
def test_an_event_in_the_same_territory_of_vat_has_no_warning(organiser, settings, home, country):
    settings.organiser_country = home
    created = organiser.post("/events", {"title": "Fair", "country": country}, status=201)
    assert "warnings" not in created.json["meta"]


HOURS = [{"date": "2027-03-13", "opens": "10:00", "closes": "18:00", "label": None}]
OTHER = [{"date": "2027-03-20", "opens": "11:00", "closes": "17:00", "label": None}]


@pytest.mark.parametrize(
    ("changed", "day", "has_moved"),
    [
        ({"date_from": "2027-03-20", "date_to": "2027-03-21"}, "2027-03-20", True),
        (
            {"date_from": "2027-03-20", "date_to": "2027-03-21", "opening_hours": HOURS},
            "2027-03-20",
            True,
        ),
        ({"date_from": "2026-12-30", "date_to": "2026-12-31"}, "2026-12-30", True),
        (
            {"date_from": "2027-03-20", "date_to": "2027-03-21", "opening_hours": OTHER},
            "2027-03-20",
            False,
        ),
        ({"date_from": "2027-03-12"}, "2027-03-13", False),
        ({"date_to": "2027-03-15"}, "2027-03-13", False),
        ({"date_from": None, "date_to": None}, "2027-03-13", False),
        ({"title": "Other"}, "2027-03-13", False),
    ],
)
def test_opening_hours_move_with_the_days_of_an_event(organiser, changed, day, has_moved):
    event = organiser.make(
        "/events",
        {
            "title": "Fair",
            "date_from": "2027-03-13",
            "date_to": "2027-03-14",
            "opening_hours": HOURS,
        },
    )
    answer = organiser.patch(f"/events/{event['id']}", changed, status=200).json
    assert [entry["date"] for entry in answer["data"]["opening_hours"]] == [day]
    codes = [each["code"] for each in answer.get("meta", {}).get("warnings", ())]
    assert ("opening_hours_moved" in codes) == has_moved


def test_opening_hours_outside_of_the_days_stay(organiser):
    event = organiser.make(
        "/events", {"title": "Fair", "date_from": "2027-03-20", "opening_hours": HOURS}
    )
    moved = organiser.patch(f"/events/{event['id']}", {"date_from": "2027-03-27"}, status=200).json
    assert moved["data"]["opening_hours"] == HOURS
