"""Due dates: dates, timestamps, and dates relative to an event."""

import pytest

from eventapi.domain.attachments import tasks
from eventapi.domain.records import due_dates
from eventapi.errors import Faults

FAIR = {
    "date_from": "2027-05-01",
    "date_to": "2027-05-03",
    "application_deadline": "2027-01-31T12:00:00",
    "timezone": "Europe/Berlin",
}


@pytest.mark.parametrize(
    "due, timestamp",
    [
        ("2027-04-01", "2027-04-01T21:59:59Z"),  # the end of that day in the event's zone
        ("2027-04-01T10:00:00+02:00", "2027-04-01T08:00:00Z"),
        ("2027-04-01T10:00", "2027-04-01T08:00:00Z"),
        ({"before": "date_from", "days": 30}, "2027-04-01T21:59:59Z"),
        ({"before": "date_from", "days": 60}, "2027-03-02T22:59:59Z"),  # across a clock change
        ({"after": "date_to", "days": 14}, "2027-05-17T21:59:59Z"),
        ({"before": "application_deadline", "days": 0}, "2027-01-31T11:00:00Z"),
        # the same local time
        (
            {"after": "application_deadline", "days": 90},
            "2027-05-01T10:00:00Z",
        ),
        (None, None),
    ],
)
def test_a_due_date_means_a_timestamp(db, due, timestamp):
    assert due_dates.timestamp(db, due, FAIR) == timestamp
    assert due_dates.given(due_dates.stored(due)) == due


def test_without_an_event_a_date_is_in_the_time_zone_of_the_tenant(db):
    assert due_dates.timestamp(db, "2027-01-10", None) == "2027-01-10T22:59:59Z"


def test_an_event_without_an_end_ends_on_its_first_day(db):
    assert (
        due_dates.timestamp(db, {"after": "date_to", "days": 1}, {**FAIR, "date_to": None})
        == "2027-05-02T21:59:59Z"
    )


def test_nothing_is_due_while_the_date_is_not_known(db):
    event = {**FAIR, "application_deadline": None}
    assert due_dates.timestamp(db, {"before": "application_deadline", "days": 1}, event) is None


def test_a_relative_due_date_needs_an_event(db):
    faults = Faults()
    assert due_dates.resolve(db, {"before": "date_from", "days": 1}, None, faults) is None
    assert [(entry["pointer"], entry["code"]) for entry in faults] == [("/due", "no_event")]


def test_a_due_date_beyond_the_calendar_is_an_error(db):
    faults = Faults()
    due_dates.resolve(
        db,
        {"after": "date_to", "days": 3650},
        {**FAIR, "date_to": "9998-12-01"},
        faults,
        "/due_date",
    )
    assert [(entry["pointer"], entry["code"]) for entry in faults] == [("/due_date", "date")]


def test_due_dates_follow_the_event(organiser, db, monkeypatch):
    event, seen = organiser.make("/events", {"title": "Fair", "date_from": "2027-05-01"}), []
    due = {"before": "date_from", "days": 1}
    monkeypatch.setattr(
        tasks, "move_due_dates", lambda db, event: seen.append(due_dates.timestamp(db, due, event))
    )
    organiser.patch(f"/events/{event['id']}", {"date_from": "2027-06-01"}, status=200)
    organiser.patch(f"/events/{event['id']}", {"timezone": "UTC"}, status=200)
    organiser.patch(f"/events/{event['id']}", {"application_deadline": "2027-01-01"}, status=200)
    # no due date depends on the city
    organiser.patch(f"/events/{event['id']}", {"city": "Leipzig"}, status=200)
    assert seen == ["2027-05-31T21:59:59Z", "2027-05-31T23:59:59Z", "2027-05-31T23:59:59Z"]


def test_an_event_cannot_move_due_dates_beyond_the_calendar(organiser, db, monkeypatch):
    event = organiser.make("/events", {"title": "Fair", "date_from": "2027-05-01"})
    due = {"after": "date_from", "days": 100}
    monkeypatch.setattr(
        tasks, "move_due_dates", lambda db, event: due_dates.timestamp(db, due, event)
    )
    problem = organiser.patch(
        f"/events/{event['id']}", {"date_from": "9998-12-01"}, status=422
    ).json
    assert [(entry["pointer"], entry["code"]) for entry in problem["errors"]] == [
        ("/date_from", "date")
    ]


def test_a_copy_moves_dates_and_keeps_relative_due_dates(db):
    assert due_dates.copied("2027-04-01", 364, "Europe/Berlin") == "2028-03-30"
    assert due_dates.copied({"before": "date_from", "days": 3}, 364, "Europe/Berlin") == {
        "before": "date_from",
        "days": 3,
    }
    assert due_dates.copied(None, 364, "Europe/Berlin") is None
