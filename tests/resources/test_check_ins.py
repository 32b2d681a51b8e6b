"""Check-ins: scans become visits in whatever order they arrive, and refused scans are recorded."""

import random
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from itertools import pairwise

import pytest

from eventapi import times
from eventapi.domain.entrance import admission, badges, visits
from eventapi.reference import document as openapi
from tests.web.test_routes import problem


def ago(**span):
    return times.text(datetime.now(timezone.utc) - timedelta(**span))


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2026-01-04",
            "timezone": "Europe/Berlin",
        },
    )


@pytest.fixture
def visitor(organiser, fair):
    """Return visitor(), which creates a participant of the fair."""

    def make(event_key="fair", **contact):
        made = organiser.make("/contacts", {"last_name": "Lovelace", **contact})
        return organiser.make(
            "/participants", {"event_key": event_key, "contact_id": made["id"], "role": "visitor"}
        )

    return make


@pytest.fixture
def ada(visitor):
    return visitor(first_name="Ada")


@pytest.fixture
def scan(organiser, ada):
    """Return scan(), which sends a scan of Ada's badge and checks the status of the response."""

    def send(status=201, **members):
        answer = organiser.post(
            "/check-ins",
            {"event_key": "fair", "badge_number": ada["badge_number"], **members},
            status=status,
        )
        return answer.json["data"] if status < 300 else answer.json

    return send


def at(clock, day="2026-01-02"):
    """Return a timestamp on a day of the fair, from a time in its time zone."""
    return f"{day}T{clock}:00+01:00"


def test_a_scan_opens_a_visit_and_the_next_closes_it(organiser, scan, ada):
    # The scans of a test can fall into the same second.
    opened = scan(station="North", notes="with a dog")
    assert (
        opened["is_checked_in"] and opened["checked_out_at"] is None and opened["closed_by"] is None
    )
    assert (opened["event_key"], opened["event_title"], opened["station"], opened["notes"]) == (
        "fair",
        "Garden Fair",
        "North",
        "with a dog",
    )
    assert opened["contact"]["first_name"] == "Ada" and opened["checked_in_by"] == "Ada Lovelace"
    assert opened["check_in_type"] == "scan" and opened["badge_number"] == ada["badge_number"]
    assert organiser.data(f"/participants/{ada['id']}")["is_checked_in"] is True
    closed = scan(200, action="check_out", station="South")
    assert (
        closed["id"] == opened["id"]
        and closed["closed_by"] == "check_out"
        and not closed["is_checked_in"]
    )
    assert closed["checked_out_at"] >= closed["checked_in_at"]
    assert organiser.data(f"/participants/{ada['id']}")["is_checked_in"] is False
    assert scan(station="North")["id"] != opened["id"], "a return is another visit"


def test_a_check_in_carries_role_badge_name_and_category(organiser, scan, ada, db):
    opened = scan(client_ref="1", station="South")
    assert (opened["role"], opened["badge_name"], opened["category"]) == ("visitor", None, None)
    category = organiser.make("/categories", {"title": "Press day", "category_key": "press-day"})
    organiser.patch(
        f"/participants/{ada['id']}",
        {"role": "speaker", "badge_name": "Countess Lovelace", "category_key": "press-day"},
        status=200,
    )
    wanted = (
        "speaker",
        "Countess Lovelace",
        {"id": category["id"], "category_key": "press-day", "title": "Press day"},
    )
    again = {"event_key": "fair", "badge_number": ada["badge_number"], "client_ref": "1"}
    refused = {**again, "client_ref": "2", "station": "North"}
    batch = organiser.post("/check-ins/batch", {"scans": [again, refused]}, status=200).json[
        "data"
    ]["results"]
    assert [entry["status"] for entry in batch] == [200, 409]
    for record in (
        scan(200, client_ref="1"),
        *(entry["data"] for entry in batch),
        *organiser.data("/check-ins"),
        organiser.data(f"/check-ins/{opened['id']}"),
    ):
        assert (record["role"], record["badge_name"], record["category"]) == wanted
    left = scan(200, action="check_out", station="North")
    assert left["category"] == wanted[2]
    stored = db.connection.execute(
        "SELECT coalesce(old_values, '') || coalesce(new_values, '') FROM audit_log "
        "WHERE entity_type = 'check_in' UNION ALL SELECT data FROM outgoing_events "
        "WHERE entity_type = 'check_in'"
    ).fetchall()
    assert stored and not any("Countess" in text for (text,) in stored), (
        "the name stays with the participant"
    )


def test_a_participant_is_named_by_id_or_badge_and_both_must_agree(organiser, ada, visitor):
    by_id = organiser.make("/check-ins", {"event_key": "fair", "participant_id": ada["id"]})
    assert by_id["check_in_type"] == "manual" and by_id["badge_number"] is None
    other = visitor()
    answer = organiser.post(
        "/check-ins",
        {"event_key": "fair", "participant_id": ada["id"], "badge_number": other["badge_number"]},
    )
    assert problem(answer, 422, "validation_failed")["errors"][0]["pointer"] == "/badge_number"
    answer = organiser.post("/check-ins", {"event_key": "nowhere", "participant_id": 999})
    assert {entry["pointer"] for entry in problem(answer, 422, "validation_failed")["errors"]} == {
        "/event_key",
        "/participant_id",
    }


def test_a_badge_is_known_in_any_case_and_in_groups(scan, ada):
    number = ada["badge_number"]
    assert (
        scan(badge_number=f"{number[:4]}-{number[4:8]} {number[8:]}".lower())["badge_number"]
        == number
    )


def test_a_second_check_in_is_refused_unless_forced(organiser, scan):
    opened = scan(scanned_at=at("09:00"))
    refused = scan(409, scanned_at=at("10:00"), station="South")
    assert refused["code"] == "already_checked_in" and refused["check_in"]["id"] == opened["id"]
    forced = scan(scanned_at=at("11:00"), station="South", force=True)
    first = organiser.data(f"/check-ins/{opened['id']}")
    assert first["closed_by"] == "force"
    assert first["checked_out_at"] == forced["checked_in_at"] == "2026-01-02T10:00:00Z"


def test_repeated_refused_scans_of_a_badge_take_constant_work(organiser, scan, monkeypatch):
    computed, compute = [], visits.compute
    monkeypatch.setattr(
        visits,
        "compute",
        lambda scans, ends_at: computed.append(len(scans)) or compute(scans, ends_at),
    )
    opened = scan(scanned_at=at("09:00"), station="North")
    for minute in range(1, 30):
        refused = scan(409, scanned_at=at(f"09:{minute:02}"), station="North")
        assert refused["check_in"]["id"] == opened["id"]
    assert scan(200, scanned_at=at("10:00"), action="check_out")["id"] == opened["id"] and set(
        computed
    ) == {1, 2}
    assert (
        scan(scanned_at=at("09:15"), station="North", force=True)["checked_out_at"]
        == "2026-01-02T09:00:00Z"
    ), "late, it splits the visit"
    assert [visit[1:4] for visit in comparable_visits(organiser)] == [
        ("2026-01-02T08:00:00Z", "2026-01-02T08:15:00Z", "force"),
        ("2026-01-02T08:15:00Z", "2026-01-02T09:00:00Z", "check_out"),
    ]


def test_a_check_out_without_a_check_in_is_refused(organiser, scan):
    assert scan(409, action="check_out")["code"] == "not_checked_in"
    assert scan(409, action="check_out", force=True)["code"] == "not_checked_in"
    assert [entry["code"] for entry in organiser.data("/check-ins/refusals")] == [
        "not_checked_in"
    ] * 2


def test_scans_of_a_badge_at_a_station_within_ten_seconds_count_once(scan):
    first = scan(scanned_at="2026-01-02T08:00:00Z", station="North")
    assert scan(200, scanned_at="2026-01-02T08:00:10Z", station="North")["id"] == first["id"]
    assert (
        scan(200, scanned_at="2026-01-02T08:00:05Z", station="North", force=True)["id"]
        == first["id"]
    )
    assert (
        scan(409, scanned_at="2026-01-02T08:00:05Z", station="South")["code"]
        == "already_checked_in"
    )
    assert (
        scan(409, scanned_at="2026-01-02T08:00:11Z", station="North")["code"]
        == "already_checked_in"
    )
    assert scan(200, scanned_at="2026-01-02T08:00:09Z")["id"] == first["id"], (
        "without a station, the badge counts"
    )
    out = scan(200, scanned_at="2026-01-02T09:00:00Z", station="North", action="check_out")
    again = {**out, "effect": "repeated"}
    assert scan(200, scanned_at="2026-01-02T09:00:09Z", action="check_out") == again
    assert (
        scan(409, scanned_at="2026-01-02T09:00:09Z", station="South", action="check_out")["code"]
        == "not_checked_in"
    )
    assert (
        scan(200, scanned_at="2026-01-02T09:00:09Z", station="North", action="check_out") == again
    )


@pytest.mark.parametrize("stations", [(None, None), ("North", None), (None, "North")])
@pytest.mark.parametrize("live", [True, False])
def test_two_scans_at_once_are_one_if_one_has_no_station(scan, stations, live):
    for hour, action, status in (("08", "check_in", 201), ("09", "check_out", 200)):
        first, second = [
            {
                "action": action,
                "station": station,
                "scanned_at": None if live else f"2026-01-02T{time}Z",
            }
            for station, time in zip(stations, (f"{hour}:00:00", f"{hour}:00:01"), strict=True)
        ]
        first, second = [
            {name: value for name, value in sent.items() if value} for sent in (first, second)
        ]
        opened = scan(status, **first)
        assert scan(200, **second)["id"] == opened["id"]


def test_scans_with_the_same_reference_count_once(organiser, scan, db):
    first = scan(client_ref="gate-1", station="North")
    before = db.data_version()
    assert scan(200, client_ref="gate-1", station="South") == first and db.data_version() == before
    refused = scan(409, client_ref="gate-2", station="South")
    again = scan(409, client_ref="gate-2", station="North", force=True)
    assert (again["code"], again["check_in"]) == (refused["code"], refused["check_in"])
    assert len(organiser.data("/check-ins/refusals")) == 1


def test_a_reference_of_another_scan_is_refused(organiser, scan, visitor):
    scan(client_ref="1")
    other = visitor()
    taken = organiser.post(
        "/check-ins",
        {"event_key": "fair", "badge_number": other["badge_number"], "client_ref": "1"},
    )
    assert problem(taken, 409, "duplicate")["member"] == "client_ref"
    by_id = {"event_key": "fair", "participant_id": other["id"], "client_ref": "1"}
    problem(organiser.post("/check-ins", by_id), 409, "duplicate")
    [result] = organiser.post("/check-ins/batch", {"scans": [by_id]}, status=200).json["data"][
        "results"
    ]
    assert (result["status"], result["code"], result["data"]) == (409, "duplicate", None)
    assert scan(409, client_ref="1", action="check_out")["code"] == "duplicate"
    assert len(organiser.data("/check-ins")) == 1 and scan(200, client_ref="1")["is_checked_in"]


def test_a_check_out_that_arrives_before_its_check_in_closes_the_visit(organiser, scan):
    assert (
        scan(409, action="check_out", scanned_at=at("12:00"), client_ref="out")["code"]
        == "not_checked_in"
    )
    opened = scan(scanned_at=at("09:00"))
    assert opened["checked_out_at"] == "2026-01-02T11:00:00Z" and opened["closed_by"] == "check_out"
    assert organiser.data("/check-ins/refusals") == []
    assert scan(200, action="check_out", client_ref="out")["id"] == opened["id"], (
        "the refused scan is accepted now"
    )


def test_a_check_in_that_arrives_late_moves_the_start_of_the_visit(organiser, scan):
    later = scan(scanned_at=at("10:00"), station="South")
    earlier = scan(201, scanned_at=at("09:00"), station="North")
    assert earlier["id"] == later["id"] and earlier["checked_in_at"] == "2026-01-02T08:00:00Z"
    assert earlier["station"] == "North"
    assert [entry["scanned_at"] for entry in organiser.data("/check-ins/refusals")] == [
        "2026-01-02T09:00:00Z"
    ]


def test_a_visit_ends_at_six_in_the_morning_in_the_zone_of_the_event(organiser, scan):
    opened = scan(scanned_at=at("23:30"))
    assert opened["closed_by"] == "day_end" and opened["checked_out_at"] == "2026-01-03T05:00:00Z"
    assert not opened["is_checked_in"]
    assert scan(409, scanned_at=at("05:59", "2026-01-03"))["check_in"]["id"] == opened["id"]
    assert (
        scan(409, scanned_at=at("06:00", "2026-01-03"), action="check_out")["code"]
        == "not_checked_in"
    )
    assert scan(scanned_at=at("06:00", "2026-01-03"))["id"] != opened["id"]
    assert organiser.data(f"/check-ins/{opened['id']}")["checked_out_at"] == "2026-01-03T05:00:00Z"


def test_a_visit_is_closed_after_midnight_and_counts_on_the_day_of_its_check_in(
    organiser, scan, db
):
    evening = scan(scanned_at=at("22:00"))
    assert (
        scan(200, scanned_at=at("01:00", "2026-01-03"), action="check_out")["id"] == evening["id"]
    )
    night = scan(scanned_at=at("01:30", "2026-01-03"))
    assert scan(200, scanned_at=at("02:00", "2026-01-03"), action="check_out")["id"] == night["id"]
    morning = scan(scanned_at=at("09:00", "2026-01-03"))
    for day, ids, check_outs in (
        ("2026-01-02", [evening["id"]], 1),
        ("2026-01-03", [morning["id"], night["id"]], 1),
    ):
        assert [visit["id"] for visit in organiser.data(f"/check-ins?date={day}")] == ids
        figures = organiser.data(f"/check-ins/stats?event_key=fair&date={day}")
        assert (figures["visitors"], figures["check_ins"], figures["check_outs"]) == (
            1,
            len(ids),
            check_outs,
        )
        rows = organiser.data(f"/reports/check-ins?event_key=fair&date_from={day}&date_to={day}")[
            "data"
        ]["rows"]
        assert sum(row["check_ins"] for row in rows) == len(ids)
        assert sum(row["check_outs"] for row in rows) == check_outs
    assert kept_figures(db) == counted_anew(db)


def test_a_late_scan_of_the_evening_moves_a_visit_of_the_night_to_the_day_before(
    organiser, scan, db
):
    night = scan(scanned_at=at("00:30", "2026-01-03"))
    assert scan(scanned_at=at("23:30"))["id"] == night["id"]
    assert [visit["id"] for visit in organiser.data("/check-ins?date=2026-01-02")] == [night["id"]]
    assert organiser.data("/check-ins?date=2026-01-03") == []
    assert kept_figures(db) == counted_anew(db) and list(admission.check(db)) == []
    organiser.delete(f"/check-ins/{night['id']}", status=204)
    assert kept_figures(db) == counted_anew(db) == ([], [])


@pytest.mark.parametrize(
    "day, ends_at, zone, check_in, end",
    [
        ("2026-03-28", "06:00", "Europe/Berlin", "2026-03-28T22:00:00Z", "2026-03-29T04:00:00Z"),
        # 02:30 is skipped
        (
            "2026-03-28",
            "02:30",
            "Europe/Berlin",
            "2026-03-28T22:00:00Z",
            "2026-03-29T01:30:00Z",
        ),
        ("2026-10-24", "06:00", "Europe/Berlin", "2026-10-24T21:00:00Z", "2026-10-25T05:00:00Z"),
        # the first 02:30
        (
            "2026-10-24",
            "02:30",
            "Europe/Berlin",
            "2026-10-24T21:00:00Z",
            "2026-10-25T00:30:00Z",
        ),
        ("2026-10-24", "02:30", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
        ("2026-01-02", "00:00", "Europe/Berlin", "2026-01-02T22:59:59Z", "2026-01-02T23:00:00Z"),
        ("2026-01-02", "05:45", "Asia/Kathmandu", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"),
        # no 30 December
        (
            "2011-12-29",
            "06:00",
            "Pacific/Apia",
            "2011-12-30T10:30:00Z",
            "2011-12-30T16:00:00Z",
        ),
    ],
)
def test_the_end_of_the_day_follows_the_clocks(
    organiser, visitor, db, day, ends_at, zone, check_in, end
):
    organiser.make(
        "/events",
        {
            "title": "Night",
            "event_key": "night",
            "date_from": day,
            "timezone": zone,
            "day_ends_at": ends_at,
        },
    )
    guest = {"event_key": "night", "participant_id": visitor("night")["id"]}
    visit = organiser.make("/check-ins", {**guest, "scanned_at": check_in})
    assert (visit["checked_out_at"], visit["closed_by"]) == (end, "day_end")
    before = times.text(datetime.fromisoformat(end) - timedelta(seconds=1))
    answer = organiser.post(
        "/check-ins", {**guest, "scanned_at": before, "action": "check_out"}, status=200
    )
    left = answer.json["data"]
    assert (left["id"], left["checked_out_at"], left["closed_by"]) == (
        visit["id"],
        before,
        "check_out",
    )
    problem(
        organiser.post("/check-ins", {**guest, "scanned_at": end, "action": "check_out"}),
        409,
        "not_checked_in",
    )
    assert kept_figures(db) == counted_anew(db)


def test_whoever_came_before_midnight_is_present_until_the_end_of_the_day(organiser, visitor, db):
    """The event is in a zone where it is past midnight, and its day ends in half an hour."""
    ends = datetime.now(timezone.utc) + timedelta(minutes=30)
    zone = next(
        f"Etc/GMT{-hours:+}"
        for hours in range(-12, 15)
        if (ends + timedelta(hours=hours)).hour == 1
    )
    ends_at = f"{ends.astimezone(times.zone(zone)):%H:%M}"
    organiser.make(
        "/events",
        {
            "title": "Night",
            "event_key": "night",
            "timezone": zone,
            "day_ends_at": ends_at,
            "date_from": times.local_date(ago(days=3), zone),
        },
    )
    scans = {"before": ago(hours=2), "now": ago(seconds=0), "long gone": ago(hours=25)}
    made = {
        name: organiser.make(
            "/check-ins",
            {
                "event_key": "night",
                "participant_id": visitor("night")["id"],
                "station": "North",
                "scanned_at": scanned_at,
            },
        )
        for name, scanned_at in scans.items()
    }
    assert {name: visit["is_checked_in"] for name, visit in made.items()} == {
        "before": True,
        "now": True,
        "long gone": False,
    }
    figures = organiser.data("/check-ins/stats?event_key=night")
    assert (figures["present"], figures["visitors"]) == (2, 3)
    assert figures["stations"] == [{"station": "North", "present": 2, "check_ins": 3}]
    yesterday = organiser.data(
        f"/check-ins/stats?event_key=night&date={times.local_date(scans['before'], zone)}"
    )
    assert yesterday["present"] == 1, "a visit counts on the day of its check-in"
    assert len(organiser.data("/check-ins?event_key=night&is_checked_in=1")) == 2


def test_the_last_night_belongs_to_the_event(organiser, visitor):
    """Without `event_key`, the event is found until its last day ends."""
    organiser.make(
        "/events",
        {
            "title": "Night",
            "event_key": "night",
            "date_from": "2026-05-01",
            "date_to": "2026-05-02",
            "timezone": "UTC",
            "day_ends_at": "04:00",
        },
    )
    guest = {"badge_number": visitor("night")["badge_number"]}
    opened = organiser.make("/check-ins", {**guest, "scanned_at": "2026-05-02T22:00:00Z"})
    closed = organiser.post(
        "/check-ins",
        {**guest, "scanned_at": "2026-05-03T03:59:59Z", "action": "check_out"},
        status=200,
    ).json["data"]
    assert closed["id"] == opened["id"]
    answer = organiser.post("/check-ins", {**guest, "scanned_at": "2026-05-03T04:00:00Z"})
    assert [entry["pointer"] for entry in problem(answer, 422, "validation_failed")["errors"]] == [
        "/event_key"
    ]


def test_the_end_of_the_day_cannot_change_after_a_check_in(organiser, fair, scan):
    path = f"/events/{fair['id']}"
    assert fair["day_ends_at"] == "06:00"
    assert (
        organiser.patch(path, {"day_ends_at": "04:30"}, status=200).json["data"]["day_ends_at"]
        == "04:30"
    )
    for wrong in ("24:00", "4:30", "noon"):
        found = problem(organiser.patch(path, {"day_ends_at": wrong}), 422, "validation_failed")[
            "errors"
        ]
        assert [entry["pointer"] for entry in found] == ["/day_ends_at"]
    scan()
    found = problem(
        organiser.patch(path, {"day_ends_at": "05:00", "timezone": "Asia/Tokyo"}), 409, "in_use"
    )
    assert found["detail"].startswith(
        "The event has 1 check-in, so `timezone` and `day_ends_at` cannot change"
    )
    organiser.patch(path, {"day_ends_at": "04:30", "city": "Leipzig"}, status=200)


def test_unknown_and_mistyped_badge_numbers_have_different_codes(organiser, scan):
    strange = badges.draw()
    wrong = strange[:-1] + badges.ALPHABET[badges.ALPHABET.index(strange[-1]) - 1]
    answer = scan(404, badge_number=strange, client_ref="x")
    assert answer["code"] == "unknown_badge" and answer["is_mistyped"] is False
    assert scan(404, badge_number=wrong)["is_mistyped"] is True
    assert scan(404, badge_number="'; DROP TABLE check_ins; --")["is_mistyped"] is True
    assert scan(404, badge_number=strange, client_ref="x")["detail"] == answer["detail"]
    assert [entry["event_participant_id"] for entry in organiser.data("/check-ins/refusals")] == [
        None
    ] * 3


def test_badges_of_other_events_and_cancelled_participants_are_refused_and_recorded(
    organiser, scan, ada, visitor
):
    organiser.make(
        "/events", {"title": "Boat Show", "event_key": "boats", "date_from": "2026-01-02"}
    )
    stranger = visitor("boats")
    answer = scan(409, badge_number=stranger["badge_number"])
    assert (answer["code"], answer["event_key"]) == ("wrong_event", "boats")
    organiser.post(f"/participants/{ada['id']}/cancel", status=200)
    assert scan(409)["code"] == "participant_cancelled"
    kept = organiser.data("/check-ins/refusals?sort=id&order=ASC")
    assert [entry["code"] for entry in kept] == ["wrong_event", "participant_cancelled"]
    assert (
        organiser.data("/check-ins/refusals?code=wrong_event&event_key=fair")[0]["badge_number"]
        == stranger["badge_number"]
    )
    organiser.post(f"/participants/{ada['id']}/reinstate", status=200)
    scan(201)
    assert len(organiser.data("/check-ins/refusals")) == 2, "it stays refused"


def test_a_participant_who_is_inside_can_leave_after_a_cancellation(organiser, scan, ada):
    opened = scan(station="North")
    organiser.post(f"/participants/{ada['id']}/cancel", status=200)
    assert organiser.data("/check-ins/stats?event_key=fair")["present"] == 1
    assert scan(409, station="South")["code"] == "participant_cancelled"
    left = scan(200, action="check_out", station="North")
    assert (left["id"], left["closed_by"]) == (opened["id"], "check_out")
    figures = organiser.data("/check-ins/stats?event_key=fair")
    assert (figures["present"], figures["visitors"], figures["check_outs"]) == (0, 1, 1)
    assert scan(409, action="check_out", station="South")["code"] == "not_checked_in"


def test_an_offline_scan_made_before_a_cancellation_counts(organiser, scan, ada, monkeypatch):
    """It is noon, so that the day of the event does not end between the scans."""
    day = times.text(datetime.now(timezone.utc) + timedelta(days=1))[:10]
    monkeypatch.setattr(times, "now", lambda: f"{day}T12:00:00Z")
    organiser.post(f"/participants/{ada['id']}/cancel", status=200)
    opened = scan(scanned_at=f"{day}T11:00:00Z")
    assert (
        opened["is_checked_in"]
        and scan(409, force=True, station="North")["code"] == "participant_cancelled"
    )
    assert scan(200, action="check_out", scanned_at=f"{day}T11:30:00Z")["id"] == opened["id"]
    organiser.post(f"/participants/{ada['id']}/reinstate", status=200)
    assert scan(station="North")["is_checked_in"]


def test_scans_in_the_future_or_before_the_event_are_refused(scan):
    for timestamp in (ago(hours=-1), "2025-12-31T12:00:00Z", "0002-01-01T00:00:00Z"):
        found = scan(422, scanned_at=timestamp)["errors"]
        assert [(entry["pointer"], entry["code"]) for entry in found] == [
            ("/scanned_at", "out_of_range")
        ]
    assert scan(scanned_at=ago(seconds=-30))["is_checked_in"], "clocks differ a little"


def test_a_scan_is_made_after_the_event_began_and_at_most_a_minute_ahead(
    visitor, scan, organiser, monkeypatch
):
    """The fair begins at midnight in Berlin."""
    tomorrow = times.text(datetime.now(timezone.utc) + timedelta(days=1))[:10]
    monkeypatch.setattr(times, "now", lambda: f"{tomorrow}T12:00:00Z")
    for timestamp in ("2026-01-01T22:59:59Z", f"{tomorrow}T12:01:01Z"):
        found = scan(422, scanned_at=timestamp)["errors"]
        assert [(entry["pointer"], entry["code"]) for entry in found] == [
            ("/scanned_at", "out_of_range")
        ]
    assert scan(scanned_at="2026-01-01T23:00:00Z")["checked_in_at"] == "2026-01-01T23:00:00Z"
    assert scan(scanned_at=f"{tomorrow}T12:01:00Z")["checked_in_at"] == f"{tomorrow}T12:00:00Z"


def test_an_event_is_open_from_its_first_second_to_its_last(organiser, visitor):
    """Without `event_key`. The day of this event ends at midnight, and with it the event."""
    organiser.make(
        "/events",
        {
            "title": "Day",
            "event_key": "day",
            "date_from": "2026-05-01",
            "date_to": "2026-05-02",
            "timezone": "UTC",
            "day_ends_at": "00:00",
        },
    )
    guest = {"badge_number": visitor("day")["badge_number"]}
    for timestamp in ("2026-04-30T23:59:59Z", "2026-05-03T00:00:00Z"):
        answer = organiser.post("/check-ins", {**guest, "scanned_at": timestamp})
        assert [
            entry["pointer"] for entry in problem(answer, 422, "validation_failed")["errors"]
        ] == ["/event_key"]
    for timestamp in ("2026-05-01T00:00:00Z", "2026-05-02T23:59:59Z"):
        assert (
            organiser.make("/check-ins", {**guest, "scanned_at": timestamp})["event_key"] == "day"
        )


def test_a_late_scan_changes_only_the_visits_of_its_day(organiser, scan):
    """The day ends at 06:00, and the first scan of the next day is made in that second."""
    scan(scanned_at=at("19:00"))
    scan(scanned_at=at("06:00", "2026-01-03"), client_ref="second day")
    before = organiser.data("/check-ins?sort=id&order=asc")
    assert [
        (visit["checked_in_at"], visit["checked_out_at"], visit["closed_by"]) for visit in before
    ] == [
        ("2026-01-02T18:00:00Z", "2026-01-03T05:00:00Z", "day_end"),
        ("2026-01-03T05:00:00Z", "2026-01-04T05:00:00Z", "day_end"),
    ]
    assert scan(409, scanned_at=at("20:00"), station="South")["code"] == "already_checked_in"
    assert organiser.data("/check-ins?sort=id&order=asc") == before
    assert (
        scan(200, scanned_at=at("06:00", "2026-01-03"), client_ref="second day")["id"]
        == before[1]["id"]
    )


def test_the_event_is_optional_while_only_one_is_open(organiser, fair, visitor):
    today = times.today("Europe/Berlin")
    organiser.make(
        "/events", {"title": "Today", "event_key": "today", "date_from": today, "date_to": today}
    )
    guest = visitor("today")
    assert (
        organiser.make("/check-ins", {"badge_number": guest["badge_number"]})["event_key"]
        == "today"
    )
    assert organiser.data("/check-ins/stats")["present"] == 1
    answer = organiser.post(
        "/check-ins", {"badge_number": guest["badge_number"], "scanned_at": at("09:00")}
    )
    assert problem(answer, 409, "wrong_event"), "then the fair was open"
    organiser.make(
        "/events", {"title": "Too", "event_key": "too", "date_from": today, "date_to": today}
    )
    answer = organiser.post("/check-ins", {"badge_number": guest["badge_number"]})
    assert [entry["pointer"] for entry in problem(answer, 422, "validation_failed")["errors"]] == [
        "/event_key"
    ]


def test_only_station_and_notes_can_be_changed(organiser, scan):
    record = scan(scanned_at=at("09:00"), station="North")
    changed = organiser.patch(
        f"/check-ins/{record['id']}", {"station": "South", "notes": None}, status=200
    ).json["data"]
    assert changed["station"] == "South" and changed["checked_in_at"] == record["checked_in_at"]
    for field, value in (
        ("scanned_at", at("10:00")),
        ("badge_number", badges.draw()),
        ("event_id", 99),
        ("action", "check_out"),
        ("check_in_type", "app"),
        ("client_ref", "x"),
        ("participant_id", 99),
        ("force", True),
    ):
        found = problem(
            organiser.put(f"/check-ins/{record['id']}", {field: value}), 422, "validation_failed"
        )
        assert [(entry["pointer"], entry["code"]) for entry in found["errors"]] == [
            (f"/{field}", "fixed")
        ]
    assert scan(200, scanned_at=at("12:00"), action="check_out")["station"] == "South", (
        "later scans leave what was corrected"
    )


def test_deleting_a_visit_deletes_its_scans(organiser, scan, ada):
    record = scan(client_ref="a", station="North")
    scan(409, station="South")
    scan(200, action="check_out", station="South")
    organiser.delete(f"/check-ins/{record['id']}", status=204)
    assert (
        organiser.data("/check-ins") == []
        and organiser.data(f"/participants/{ada['id']}")["is_checked_in"] is False
    )
    assert scan(409, client_ref="a")["code"] == "taken_back"
    assert scan(409, action="check_out")["code"] == "not_checked_in"
    assert scan(201)["id"] > record["id"]


def test_participants_and_events_with_check_ins_cannot_be_deleted(organiser, scan, ada, fair):
    record = scan()
    for address in (f"/participants/{ada['id']}", f"/events/{fair['id']}"):
        assert "check-ins" in problem(organiser.delete(address), 409, "in_use")["used_by"]
    assert problem(
        organiser.patch(f"/events/{fair['id']}", {"timezone": "Asia/Tokyo"}), 409, "in_use"
    )
    organiser.delete(f"/check-ins/{record['id']}", status=204)
    organiser.delete(f"/participants/{ada['id']}", status=204)
    organiser.delete(f"/events/{fair['id']}", status=204)


def test_a_refused_deletion_says_how_many_of_each_kind_depend_on_the_record(
    organiser, scan, ada, fair, visitor
):
    scan(scanned_at=at("09:00"))
    for clock in ("10:00", "11:00"):
        scan(scanned_at=at(clock), force=True)
    visitor()
    slot = {
        "event_key": "fair",
        "slot_date": "2026-01-02",
        "start_time": "10:00",
        "end_time": "11:00",
        "title": "Talk",
    }
    organiser.make(
        "/schedules",
        {
            **slot,
            "assignments": [
                {"participant_id": ada["id"], "role": role} for role in ("speaker", "attendee")
            ],
        },
    )
    organiser.make("/applications", {"last_name": "x", "event_keys": ["fair"]})
    found = problem(organiser.delete(f"/events/{fair['id']}"), 409, "in_use")
    assert found["used_by"] == ["applications", "check-ins", "participants"]
    assert found["detail"] == (
        "The event has 1 application, 3 check-ins and 2 participants, so it cannot be deleted. Delete these first, or "
        "set `is_visible` to false to hide the event."
    )
    found = problem(organiser.delete(f"/participants/{ada['id']}"), 409, "in_use")
    assert found["detail"] == (
        "The participant has 3 check-ins and 1 schedule slot, so it cannot be deleted. Cancel "
        "the participant instead."
    )
    found = problem(organiser.delete(f"/contacts/{ada['contact_id']}"), 409, "in_use")
    assert found["detail"].startswith("The contact has 1 participant, so it cannot be deleted.")


def test_the_list_is_filtered(organiser, scan, visitor, ada):
    other = visitor()
    scan(scanned_at=at("09:00"), station="North")
    now = organiser.make(
        "/check-ins", {"event_key": "fair", "participant_id": other["id"], "station": "South"}
    )
    for query, ids in (
        ("event_key=fair", 2),
        ("event_key=nowhere", 0),
        ("station=North", 1),
        ("date=2026-01-02", 1),
        ("is_checked_in=0", 1),
        (f"participant_id={ada['id']}", 1),
        (f"event_participant_id={other['id']}", 1),
        ("sort=checked_in_at", 2),
    ):
        assert len(organiser.data(f"/check-ins?{query}")) == ids, query
    assert [record["id"] for record in organiser.data("/check-ins?is_checked_in=1")] == [now["id"]]


def test_every_change_is_journalled_and_sent_to_webhooks(organiser, scan, db):
    record = scan(scanned_at=at("09:00"))
    scan(200, scanned_at=at("12:00"), action="check_out")
    organiser.delete(f"/check-ins/{record['id']}", status=204)
    sent_events = db.connection.execute(
        "SELECT name, scope, data FROM outgoing_events WHERE entity_type = 'check_in' ORDER BY id"
    ).fetchall()
    assert [row[:2] for row in sent_events] == [
        (f"check_in.{name}", "checkins") for name in ("created", "checked_out", "deleted")
    ]
    assert all('"first_name"' not in row[2] for row in sent_events)
    assert db.connection.execute(
        "SELECT count(*) FROM audit_log WHERE entity_type = 'check_in'"
    ).fetchone() == (3,)


# Batches and order


def test_an_invalid_scan_does_not_stop_its_batch(organiser, ada, visitor, fair):
    number = visitor()["badge_number"]
    scans = [
        {
            "event_key": "fair",
            "badge_number": number,
            "action": "check_out",
            "scanned_at": at("12:00"),
            "client_ref": "b",
        },
        {"event_key": "fair", "badge_number": badges.draw()},
        5,
        {"event_key": "fair", "participant_id": ada["id"], "nonsense": 1},
        {},
        {"event_key": "fair", "participant_id": ada["id"], "scanned_at": ago(days=-1)},
        {"event_key": "fair", "participant_id": "x"},
        {"event_key": "fair", "badge_number": number, "scanned_at": at("09:00"), "client_ref": "a"},
        {"event_key": "fair", "badge_number": number, "scanned_at": at("10:00"), "client_ref": "c"},
    ]
    results = organiser.post("/check-ins/batch", {"scans": scans}, status=200).json["data"][
        "results"
    ]
    assert [entry["index"] for entry in results] == list(range(len(scans)))
    assert [(entry["status"], entry["code"]) for entry in results] == [
        (200, None),
        (404, "unknown_badge"),
        (422, "validation_failed"),
        (422, "validation_failed"),
        (422, "validation_failed"),
        (422, "validation_failed"),
        (422, "validation_failed"),
        (201, None),
        (409, "already_checked_in"),
    ]
    assert (
        results[0]["data"]["id"] == results[7]["data"]["id"]
        and results[3]["errors"][0]["pointer"] == "/nonsense"
    )
    again = organiser.post("/check-ins/batch", {"scans": scans}, status=200).json["data"]["results"]
    assert [entry["status"] for entry in again] == [200, 404, 422, 422, 422, 422, 422, 200, 409]
    assert len(organiser.data("/check-ins")) == 1


def test_the_sample_of_a_batch_is_what_the_api_returns(organiser, db, monkeypatch):
    monkeypatch.setattr(times, "now", lambda: "2027-05-01T09:00:00Z")
    operation = openapi.document(None)["paths"]["/api/v1/check-ins/batch"]["post"]
    sent = operation["requestBody"]["content"]["application/json"]["example"]
    organiser.make(
        "/events",
        {
            "event_key": "garden-fair-2027",
            "title": "Garden Fair",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
        },
    )
    contact = organiser.make(
        "/contacts",
        {"company_name": "Rosen Tantau KG", "first_name": "Anna", "last_name": "Gärtner"},
    )
    organiser.make("/participants", {"event_key": "garden-fair-2027", "contact_id": contact["id"]})
    with db.write():
        db.connection.execute(
            "UPDATE participants SET badge_number = ?",
            [badges.normal(sent["scans"][0]["badge_number"])],
        )
    returned = organiser.post("/check-ins/batch", sent, status=200).json["data"]
    assert (
        returned == operation["responses"]["200"]["content"]["application/json"]["example"]["data"]
    )


def test_a_batch_has_at_most_1000_scans(organiser):
    for wrong in ({}, {"scans": []}, {"scans": [{}] * 1001}, {"scans": {}}):
        problem(organiser.post("/check-ins/batch", wrong), 422, "validation_failed")


def comparable_visits(client):
    """Return the visits without the fields that depend on the order of the scans."""
    return sorted(
        (
            visit["event_participant_id"],
            visit["checked_in_at"],
            visit["checked_out_at"],
            visit["closed_by"],
            visit["station"] or "",
        )
        for visit in client.data("/check-ins?per_page=100")
    )


def refusals(client):
    return sorted(
        {
            (
                entry["event_participant_id"],
                entry["scanned_at"],
                entry["code"],
                entry["station"] or "",
            )
            for entry in client.data("/check-ins/refusals?per_page=100")
        }
    )


def counted_anew(db):
    """Return the live figures, counted from the visits."""
    counts = db.connection.execute("""
        SELECT event_id, day, station, hour, latest_end_at, sum(i), sum(o), sum(e) FROM (
          SELECT event_id, day, coalesce(station, '') AS station, substr(checked_in_at, 1, 13) || ':00:00Z' AS hour,
                 latest_end_at, 1 AS i, 0 AS o, 0 AS e FROM check_ins
           UNION ALL SELECT event_id, day, coalesce(station, ''), substr(ends_at, 1, 13) || ':00:00Z',
                 latest_end_at, 0, closed_by = 'check_out', 1
            FROM check_ins WHERE closed_by IS NOT NULL) GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5""").fetchall()
    visitors = db.connection.execute("""
        SELECT event_id, day, count(DISTINCT event_participant_id) FROM check_ins GROUP BY event_id, day
         UNION ALL SELECT event_id, '', count(DISTINCT event_participant_id) FROM check_ins GROUP BY event_id
          ORDER BY 1, 2""").fetchall()
    return counts, visitors


def kept_figures(db):
    counts = db.connection.execute(
        "SELECT * FROM check_in_counts WHERE check_ins <> 0 OR check_outs <> 0 OR ends <> 0 ORDER BY 1, 2, 3, 4, 5"
    )
    visitors = db.connection.execute(
        "SELECT * FROM check_in_visitors WHERE visitors <> 0 ORDER BY 1, 2"
    )
    return counts.fetchall(), visitors.fetchall()


@pytest.mark.parametrize("seed", range(6))
def test_visits_do_not_depend_on_the_order_and_repetition_of_scans(organiser, visitor, db, seed):
    chance = random.Random(seed)
    guests = [visitor() for _ in range(3)]
    scans = [
        {
            "event_key": "fair",
            "participant_id": chance.choice(guests)["id"],
            "action": chance.choice(["check_in", "check_in", "check_out"]),
            "station": chance.choice(["North", "South", None]),
            "force": chance.random() < 0.2,
            "client_ref": chance.choice([None, f"ref-{number}"]),
            "scanned_at": f"2026-01-0{chance.choice('23')}T{chance.choice(['08', '09', '22', '02'])}"
            f":0{chance.randrange(3)}:{chance.randrange(0, 60, 4):02}Z",
        }
        for number in range(40)
    ]
    found = []
    for _ in range(4):
        chance.shuffle(scans)
        sent = scans + [scan for scan in scans if chance.random() < 0.3]
        for start in range(0, len(sent), 7):
            piece = sent[start : start + 7]
            if start % 2:
                organiser.post("/check-ins/batch", {"scans": piece}, status=200)
            else:
                for one in piece:
                    assert organiser.post("/check-ins", one).status_int in (200, 201, 409)
        found.append((comparable_visits(organiser), refusals(organiser)))
        assert kept_figures(db) == counted_anew(db)
        empty(db)
    assert found[0][0] and all(outcome == found[0] for outcome in found)


def empty(db):
    with db.write():
        db.connection.execute("DELETE FROM check_ins")
        db.connection.execute("DELETE FROM check_in_scans")
    assert kept_figures(db) == ([], [])


def test_the_figures_match_the_visits(organiser, visitor, db):
    guests = [visitor() for _ in range(4)]
    for number, guest in enumerate(guests):
        organiser.make(
            "/check-ins",
            {
                "event_key": "fair",
                "participant_id": guest["id"],
                "station": ("North", None)[number % 2],
            },
        )
    organiser.post(
        "/check-ins",
        {"event_key": "fair", "participant_id": guests[0]["id"], "action": "check_out"},
        status=200,
    )
    organiser.make(
        "/check-ins",
        {
            "event_key": "fair",
            "participant_id": guests[0]["id"],
            "scanned_at": at("09:00"),
            "station": "East",
        },
    )
    figures = organiser.data("/check-ins/stats?event_key=fair")
    assert {name: figures[name] for name in ("present", "visitors", "check_ins", "check_outs")} == {
        "present": 3,
        "visitors": 4,
        "check_ins": 5,
        "check_outs": 1,
    }
    assert figures["stations"] == [
        {"station": None, "present": 2, "check_ins": 2},
        {"station": "East", "present": 0, "check_ins": 1},
        {"station": "North", "present": 1, "check_ins": 2},
    ]
    assert figures["hours"][0] == {"hour": "2026-01-02T08:00:00Z", "check_ins": 1, "check_outs": 0}
    day = organiser.data("/check-ins/stats?event_key=fair&date=2026-01-02")
    assert (day["present"], day["visitors"], day["check_ins"]) == (0, 1, 1)
    for visit in organiser.data("/check-ins"):
        organiser.patch(f"/check-ins/{visit['id']}", {"station": "West"}, status=200)
        assert kept_figures(db) == counted_anew(db)
        organiser.delete(f"/check-ins/{visit['id']}", status=204)
        assert kept_figures(db) == counted_anew(db)
    assert organiser.data("/check-ins/stats?event_key=fair")["visitors"] == 0


# The roster


def test_the_roster_contains_badge_hashes_and_no_badge_numbers(organiser, visitor, fair):
    guests = [visitor() for _ in range(3)]
    answer = organiser.get("/check-ins/roster?event_key=fair", status=200)
    roster = answer.json["data"]
    hashes = {entry["hash"]: entry["status"] for entry in roster["badges"]}
    assert hashes == {
        sha256((roster["salt"] + guest["badge_number"]).encode()).hexdigest(): "registered"
        for guest in guests
    }
    assert guests[0]["badge_number"] not in answer.text and answer.json["meta"]["request_id"]
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert organiser.get("/check-ins/roster?event_key=fair", headers=tag, status=304).body == b""
    organiser.post(f"/participants/{guests[0]['id']}/cancel", status=200)
    again = organiser.get("/check-ins/roster?event_key=fair", headers=tag, status=200).json["data"]
    assert again["salt"] == roster["salt"]
    assert sorted(entry["status"] for entry in again["badges"]) == [
        "cancelled",
        "registered",
        "registered",
    ]
    assert (
        organiser.data(f"/check-ins/roster?event_key=fair&updated_since={ago(hours=-1)}")["badges"]
        == []
    )
    problem(organiser.get("/check-ins/roster"), 422, "validation_failed")
    problem(organiser.get("/check-ins/roster?event_key=nowhere"), 422, "validation_failed")


def test_a_change_written_while_the_roster_is_read_is_in_the_next_one(organiser, ada, fair, db):
    roster = organiser.data("/check-ins/roster?event_key=fair")
    with db.write():  # it begins before the roster is read and ends after it
        db.connection.execute(
            "UPDATE participants SET status = 'cancelled', updated_at = ? WHERE id = ?",
            [ago(seconds=5), ada["id"]],
        )
    changed = organiser.data(
        f"/check-ins/roster?event_key=fair&updated_since={roster['updated_at']}"
    )["badges"]
    assert [entry["status"] for entry in changed] == ["cancelled"]


def test_merging_contacts_joins_their_visits(organiser, visitor, ada, scan, db):
    duplicate = visitor()
    scan(scanned_at=at("09:00"))
    scan(409, scanned_at=at("11:00"))
    organiser.post(
        "/check-ins",
        {
            "event_key": "fair",
            "participant_id": duplicate["id"],
            "action": "check_out",
            "scanned_at": at("10:00"),
        },
        status=409,
    )
    organiser.make(
        "/check-ins",
        {"event_key": "fair", "participant_id": duplicate["id"], "scanned_at": at("12:00")},
    )
    organiser.post(
        f"/contacts/{ada['contact_id']}/merge",
        {"duplicate_id": duplicate["contact_id"]},
        status=200,
    )
    assert [visit[1:4] for visit in comparable_visits(organiser)] == [
        ("2026-01-02T08:00:00Z", "2026-01-02T09:00:00Z", "check_out"),
        ("2026-01-02T10:00:00Z", "2026-01-03T05:00:00Z", "day_end"),
    ]
    assert {visit[0] for visit in comparable_visits(organiser)} == {ada["id"]} and kept_figures(
        db
    ) == counted_anew(db)


# Merging and privacy


def test_notes_of_check_ins_are_exported_and_erased_with_the_contact(organiser, scan, ada, db):
    mark = "zqmark"
    scan(scanned_at=at("09:00"), notes=mark)
    scan(409, scanned_at=at("10:00"), notes=mark)
    gone = scan(scanned_at=at("09:00", "2026-01-03"), notes=mark)
    organiser.delete(f"/check-ins/{gone['id']}", status=204)
    number = {"event_key": "fair", "badge_number": ada["badge_number"]}
    for key, address, body in (
        ("one", "/check-ins", {**number, "scanned_at": at("08:00", "2026-01-04"), "notes": mark}),
        (
            "many",
            "/check-ins/batch",
            {
                "scans": [
                    {
                        **number,
                        "scanned_at": at("08:30", "2026-01-04"),
                        "notes": mark,
                        "force": True,
                    }
                ]
            },
        ),
    ):
        assert mark in organiser.post(address, body, headers={"Idempotency-Key": key}).text
    export = organiser.data(f"/contacts/{ada['contact_id']}/export")
    assert (
        len(export["check_ins"]) == 3
        and [entry["notes"] for entry in export["scans"]] == [mark] * 5
    )
    organiser.post(f"/contacts/{ada['contact_id']}/anonymize", status=200)
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert mark.encode() not in db.path.read_bytes()
    assert len(organiser.data("/check-ins")) == 3, "the visits themselves stay"


def test_totals_are_those_of_the_visits_that_pass_every_filter(organiser, scan):
    scan(scanned_at=at("09:00"), station="North")
    scan(200, scanned_at=at("10:00"), action="check_out")
    scan(scanned_at=at("11:00"), station="South")
    scan(scanned_at=at("09:00", "2026-01-03"), station="North")
    scan()
    totals = {
        "": 4,
        "station=North": 2,
        "station=Nowhere": 0,
        "date=2026-01-02": 2,
        "event_key=fair": 4,
        "is_checked_in=1": 1,
        "is_checked_in=0": 3,
        "is_checked_in=0&station=North&date=2026-01-03": 1,
        "event_key=fair&is_checked_in=0&date=2026-01-02": 2,
        "event_key=fair&is_checked_in=1&station=North": 0,
    }
    for query, total in totals.items():
        answer = organiser.get(f"/check-ins?{query}&per_page=1", status=200).json
        assert answer["meta"]["total"] == total == len(organiser.data(f"/check-ins?{query}")), query


def test_check_finds_figures_that_differ_from_the_visits(scan, db):
    scan(scanned_at=at("09:00"), station="North")
    assert list(admission.check(db)) == []
    with db.write():
        db.connection.execute("UPDATE check_in_counts SET check_ins = 2")
        db.connection.execute("UPDATE check_in_visitors SET visitors = 7 WHERE day = ''")
    assert list(admission.check(db)) == [
        "check-ins of fair: the counts for 2026-01-02T08:00:00Z at North differ from the recorded visits",
        "check-ins of fair, all days: the counter of visitors is 7, but should be 1",
    ]


# Cost


def test_a_scan_takes_a_constant_number_of_statements(scan, app):
    scan(scanned_at=at("09:00"))
    sent_events = []
    app.app.connections.writer().connection.set_trace_callback(sent_events.append)
    try:
        scan(200, scanned_at=at("10:00"), action="check_out")
        out, sent_events[:] = number_of_statements(sent_events), []
        scan(scanned_at=at("11:00"))
    finally:
        app.app.connections.writer().connection.set_trace_callback(None)
    assert max(out, number_of_statements(sent_events)) <= 24, "\n".join(sent_events)


def number_of_statements(traced):
    """Return the number of statements of a trace, in which each trigger that ends repeats the
    statement that ran it.
    """
    return sum(
        not text.startswith("--") and text != before for before, text in pairwise(["", *traced])
    )
