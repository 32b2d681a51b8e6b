"""Forty stations scan at once, with real server processes: the number of visitors present stays
right.
"""

import random

import pytest

from eventapi.domain.access import api_keys
from tests.support import processes
from tests.support.concurrent_requests import send_at_once

pytestmark = pytest.mark.processes

STATIONS, GUESTS = 40, 30


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "stations", ["checkins", "participants"])[1]


@pytest.fixture
def server(tmp_path, key):
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


@pytest.fixture
def guests(organiser):
    organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2026-01-04",
        },
    )
    contacts = [
        organiser.make("/contacts", {"last_name": f"Guest {number}"})["id"]
        for number in range(GUESTS)
    ]
    return [
        organiser.make("/participants", {"event_key": "fair", "contact_id": id, "role": "visitor"})
        for id in contacts
    ]


def test_concurrent_scans_of_one_badge_at_forty_stations_open_one_visit(
    server, key, guests, organiser
):
    scans = [
        (
            "POST",
            "/check-ins",
            {
                "event_key": "fair",
                "badge_number": guests[0]["badge_number"],
                "station": f"Gate {number}",
            },
        )
        for number in range(STATIONS)
    ]
    answers = send_at_once(server.port, key, scans)
    statuses = sorted(status for status, _ in answers)
    assert statuses == [201] + [409] * (STATIONS - 1)
    assert {answer["code"] for status, answer in answers if status == 409} == {"already_checked_in"}
    figures = organiser.data("/check-ins/stats?event_key=fair")
    assert (figures["present"], figures["visitors"], figures["check_ins"]) == (1, 1, 1)
    assert organiser.get("/check-ins/refusals", status=200).json["meta"]["total"] == STATIONS - 1


def test_of_concurrent_scans_of_one_badge_at_one_entrance_one_has_opened_the_visit(
    server, key, guests
):
    """All are made in the same second, and each device learns the same if it sends its scan again."""
    scans = [
        (
            "POST",
            "/check-ins",
            {
                "event_key": "fair",
                "badge_number": guests[0]["badge_number"],
                "station": "Gate",
                "scanned_at": "2026-01-02T09:00:00Z",
                "client_ref": f"{7 * number % STATIONS}",
            },
        )
        for number in range(STATIONS)
    ]
    answers = send_at_once(server.port, key, scans)
    effects = [answer["data"]["effect"] for _, answer in answers]
    assert sorted(effects) == ["opened"] + ["repeated"] * (STATIONS - 1)
    assert len({answer["data"]["id"] for _, answer in answers}) == 1
    assert [
        answer["data"]["effect"] for _, answer in send_at_once(server.port, key, scans)
    ] == effects


def test_late_repeated_and_unordered_scans_of_forty_devices_are_counted_once(
    server, key, guests, organiser
):
    """Each guest enters and leaves three times.

    Two devices send each scan, in batches that arrive out of order.
    """
    chance, scans = random.Random(7), []
    for guest in guests:
        for visit in range(3):
            for action, minute in (("check_in", 0), ("check_out", 30)):
                scans.append(
                    {
                        "event_key": "fair",
                        "badge_number": guest["badge_number"],
                        "action": action,
                        "station": f"Gate {visit}",
                        "scanned_at": f"2026-01-02T{9 + visit:02}:{minute:02}:00Z",
                        "client_ref": f"{guest['id']}-{visit}-{action}",
                    }
                )
    twice = scans + scans
    chance.shuffle(twice)
    pieces = [twice[number::STATIONS] for number in range(STATIONS)]
    answers = send_at_once(
        server.port, key, [("POST", "/check-ins/batch", {"scans": piece}) for piece in pieces]
    )
    assert {status for status, _ in answers} == {200}
    figures = organiser.data("/check-ins/stats?event_key=fair")
    assert (figures["visitors"], figures["check_ins"], figures["check_outs"]) == (
        GUESTS,
        3 * GUESTS,
        3 * GUESTS,
    )
    assert organiser.data("/check-ins/refusals") == []


def test_of_concurrent_replacements_of_a_badge_one_number_is_valid(server, key, guests, organiser):
    path = f"/participants/{guests[0]['id']}/badge/replace"
    answers = send_at_once(server.port, key, [("POST", path, {}) for _ in range(10)])
    numbers = {answer["data"]["badge_number"] for status, answer in answers if status == 200}
    assert len(numbers) == 10
    valid = organiser.data(f"/participants/{guests[0]['id']}")["badge_number"]
    scans = [
        ("POST", "/check-ins", {"event_key": "fair", "badge_number": number, "station": "North"})
        for number in (guests[0]["badge_number"], *numbers)
    ]
    statuses = [status for status, _ in send_at_once(server.port, key, scans)]
    assert valid in numbers and statuses.count(201) == 1 and statuses.count(409) == 10
    refused = {
        entry["badge_number"] for entry in organiser.data("/check-ins/refusals?code=badge_replaced")
    }
    assert refused == {guests[0]["badge_number"], *numbers} - {valid}


def test_a_scan_that_meets_a_cancellation_is_stored_or_refused(server, key, guests, organiser):
    """Whatever comes first, nobody is counted twice, and everybody who is inside can leave."""
    for guest in guests:
        send_at_once(
            server.port,
            key,
            [
                ("POST", f"/participants/{guest['id']}/cancel", {}),
                (
                    "POST",
                    "/check-ins",
                    {
                        "event_key": "fair",
                        "badge_number": guest["badge_number"],
                        "station": "North",
                    },
                ),
            ],
        )
    inside = organiser.data("/check-ins?is_checked_in=1&per_page=100")
    assert organiser.data("/check-ins/stats?event_key=fair")["present"] == len(inside)
    answers = send_at_once(
        server.port,
        key,
        [
            (
                "POST",
                "/check-ins",
                {"event_key": "fair", "participant_id": guest["id"], "action": "check_out"},
            )
            for guest in guests
        ],
    )
    assert [status for status, _ in answers].count(200) == len(inside)
    assert organiser.data("/check-ins/stats?event_key=fair")["present"] == 0
