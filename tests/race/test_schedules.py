"""Many organisers fill the programme at once, with real server processes: no room and no speaker is
assigned twice.
"""

import pytest

from eventapi import journal
from eventapi.domain.access import api_keys
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS, send, send_at_once

pytestmark = pytest.mark.processes

CLIENTS = 30


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "organisers", ["schedules"])[1]


@pytest.fixture
def server(tmp_path, key):
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


@pytest.fixture
def speakers(organiser):
    """Return the ids of as many participants as there are clients."""
    organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})
    ids = [
        organiser.make("/contacts", {"last_name": f"Speaker {number}"})["id"]
        for number in range(CLIENTS)
    ]
    return [
        organiser.make("/participants", {"event_key": "fair", "contact_id": id, "role": "speaker"})[
            "id"
        ]
        for id in ids
    ]


def slot(number, day, **more):
    """Return a request for a slot on the day.

    Each slot begins a minute later, and all of them overlap at noon.
    """
    return (
        "POST",
        "/schedules",
        {
            "event_key": "fair",
            "slot_date": day,
            "start_time": f"10:{number:02}",
            "end_time": f"13:{number:02}",
            "title": f"Talk {number}",
            **more,
        },
    )


def only_one(answers, reason):
    """Return the one slot that was created. All other responses must name it."""
    made = [document["data"] for status, document in answers if status == 201]
    refused = [document for status, document in answers if status != 201]
    assert len(made) == 1 and len(refused) == CLIENTS - 1, [status for status, _ in answers]
    assert {
        (document["code"], document["conflict"]["id"], document["conflict"]["reason"])
        for document in refused
    } == {("schedule_conflict", made[0]["id"], reason)}
    return made[0]


def test_one_of_many_concurrent_slots_gets_the_stage(server, key, speakers, db):
    for day in range(1, ROUNDS + 1):
        wishes = [
            slot(number, f"2027-05-{day:02}", location="Stage 1") for number in range(CLIENTS)
        ]
        only_one(send_at_once(server.port, key, wishes), "location")
    assert db.connection.execute("SELECT count(*) FROM schedule_slots").fetchone() == (ROUNDS,)
    assert journal.verify(db) == []


def test_one_of_many_concurrent_slots_gets_the_speaker(server, key, speakers):
    for day in range(1, ROUNDS + 1):
        wishes = [
            slot(
                number,
                f"2027-05-{day:02}",
                assignments=[{"event_participant_id": speakers[0], "role": "speaker"}],
            )
            for number in range(CLIENTS)
        ]
        only_one(send_at_once(server.port, key, wishes), "speaker")


def test_two_slots_moved_to_the_same_time_do_not_both_get_it(server, key, speakers):
    for day in range(1, ROUNDS + 1):
        ids = [
            send(server.port, key, *slot(number, f"2027-05-{day:02}", location=f"Room {number}"))[
                1
            ]["data"]["id"]
            for number in range(CLIENTS)
        ]
        answers = send_at_once(
            server.port, key, [("PATCH", f"/schedules/{id}", {"location": "Stage 1"}) for id in ids]
        )
        assert sorted(status for status, _ in answers) == [200] + [409] * (CLIENTS - 1)


def test_concurrent_changes_never_leave_more_attendees_than_capacity(server, key, speakers):
    """Some clients lower the capacity while others add attendees.

    In any order, the attendees fit into the room.
    """
    for day in range(1, ROUNDS + 1):
        id = send(server.port, key, *slot(0, f"2027-05-{day:02}", capacity=CLIENTS))[1]["data"][
            "id"
        ]
        fewer = [
            ("PATCH", f"/schedules/{id}", {"capacity": number}) for number in range(0, CLIENTS, 2)
        ]
        more = [
            (
                "PATCH",
                f"/schedules/{id}",
                {
                    "assignments": [
                        {"event_participant_id": speaker, "role": "attendee"}
                        for speaker in speakers[:number]
                    ]
                },
            )
            for number in range(0, CLIENTS, 2)
        ]
        answers = send_at_once(server.port, key, fewer + more)
        assert {status for status, _ in answers} <= {200, 409}
        assert all(
            len(document["data"]["assignments"]) <= document["data"]["capacity"]
            for status, document in answers
            if status == 200
        )
        assert {document["code"] for status, document in answers if status == 409} <= {
            "capacity_reached"
        }
