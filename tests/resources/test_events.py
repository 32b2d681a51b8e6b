"""Events."""

from eventapi import times


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
