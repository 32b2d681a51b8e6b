"""A hundred exhibitors request the same booth at once, with real server processes: one gets it, the
others get a conflict.
"""

import http.client
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi import journal
from eventapi.domain.access import api_keys
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS, send, send_at_once

pytestmark = pytest.mark.processes

CLIENTS = 100
LONG_AGO = "2020-01-01T00:00:00Z"


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "exhibitors", ["booths"])[1]


@pytest.fixture
def server(tmp_path, key):
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


@pytest.fixture
def exhibitors(organiser):
    """Return the ids of as many participants as there are clients."""
    organiser.make("/events", {"title": "Garden Fair", "event_key": "garden"})
    ids = [
        organiser.make("/contacts", {"company_name": f"Exhibitor {number}"})["id"]
        for number in range(CLIENTS)
    ]
    return [
        organiser.make("/participants", {"event_key": "garden", "contact_id": id})["id"]
        for id in ids
    ]


@pytest.fixture
def booth(db, exhibitors):
    """Return a function that creates a booth and returns its id; booth(x, y) has a place in the
    hall.
    """
    with db.write():
        db.connection.execute(
            "INSERT INTO plans (id, event_id, plan_key, plan_name, width, height, grid_size, "
            "scale_factor, is_active, "
            "sort_order, created_at, updated_at) VALUES (1, 1, 'hall', 'Hall', 90000, 90000, "
            "1000, 1000, 1, 0, ?, ?)",
            (db.now, db.now),
        )

    def make(x=None, y=None):
        with db.write():
            number = db.connection.execute("SELECT count(*) FROM booths").fetchone()[0] + 1
            return db.connection.execute(
                "INSERT INTO booths (plan_id, event_id, booth_number, width, depth, pos_x, pos_y, rotation, "
                "fixed_price, price, status, "
                "created_at, updated_at) VALUES (1, 1, ?, 3000, 3000, ?, ?, 0, 100, 100, 'available', ?, ?)",
                (f"A{number}", x, y, db.now, db.now),
            ).lastrowid

    return make


def wanted(booth, participant, **more):
    return (
        "POST",
        "/booth-reservations",
        {"booth_id": booth, "event_participant_id": participant, **more},
    )


def winner(answers):
    """Return the one reservation that was created. All other responses must be conflicts."""
    made = [document["data"] for status, document in answers if status == 201]
    refused = [document for status, document in answers if status != 201]
    assert len(made) == 1 and len(refused) == len(answers) - 1, [status for status, _ in answers]
    assert {document.get("code") for document in refused} == {"booth_unavailable"}
    assert {document["blocked_by"]["reservation_id"] for document in refused} == {made[0]["id"]}
    return made[0]


def test_exactly_one_of_a_hundred_concurrent_requests_gets_the_booth(
    server, key, exhibitors, booth, db
):
    for _ in range(ROUNDS):
        id = booth()
        made = winner(
            send_at_once(server.port, key, [wanted(id, participant) for participant in exhibitors])
        )
        assert db.connection.execute(
            "SELECT id, event_participant_id FROM booth_reservations WHERE booth_id = ?", (id,)
        ).fetchall() == [(made["id"], made["event_participant_id"])]
    assert journal.verify(db) == []


def test_of_two_booths_that_overlap_only_one_is_sold(server, key, exhibitors, booth):
    for number in range(ROUNDS):
        one, other = booth(0, 4000 * number), booth(2000, 4000 * number)
        winner(
            send_at_once(
                server.port,
                key,
                [wanted(id, participant) for participant in exhibitors[:25] for id in (one, other)],
            )
        )


def test_the_first_on_the_waiting_list_gets_the_expired_booth_despite_new_requests(
    server, key, exhibitors, booth, db
):
    for _ in range(ROUNDS):
        id = booth()
        holder, first, second = [
            document["data"]["id"]
            for _, document in (
                send(server.port, key, *wanted(id, exhibitors[place], waitlist=place > 0))
                for place in range(3)
            )
        ]
        with db.write():
            db.connection.execute(
                "UPDATE booth_reservations SET expires_at = ? WHERE id = ?", (LONG_AGO, holder)
            )
        answers = send_at_once(
            server.port, key, [wanted(id, participant) for participant in exhibitors[3:53]]
        )
        assert {
            (status, document["code"], document["blocked_by"]["reservation_id"])
            for status, document in answers
        } == {(409, "booth_unavailable", first)}
        assert dict(
            db.connection.execute(
                "SELECT id, status FROM booth_reservations WHERE booth_id = ?", (id,)
            )
        ) == {holder: "expired", first: "pending", second: "waitlisted"}


def test_a_server_that_is_killed_sells_no_booth_twice(tmp_path, server, key, exhibitors, booth, db):
    booths, killed, broken = [booth() for _ in range(20)], [], []
    todo = [(id, participant) for participant in exhibitors[:30] for id in booths]

    def insist(pair):
        """Repeat a request until there is a response, as a client with an Idempotency-Key does.

        Return the response.
        """
        if pair in (todo[5], todo[250]):
            victim = processes.until(lambda: list(processes.children(server.process.pid)))[0]
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

        def attempt():
            try:
                return send(
                    server.port, key, *wanted(*pair), **{"Idempotency-Key": f"{pair[0]}-{pair[1]}"}
                )
            except (OSError, http.client.HTTPException):
                broken.append(pair)
                return None

        return pair[0], processes.until(attempt, timeout=60)

    with ThreadPoolExecutor(16) as clients:
        answers = list(clients.map(insist, todo))
    assert len(killed) == 2 and broken, "no request was cut off: this run proves nothing"
    assert {status for _, (status, _) in answers} == {201, 409}
    sold = {
        id: [
            document["data"]["id"]
            for place, (status, document) in answers
            if place == id and status == 201
        ]
        for id in booths
    }
    stored = {
        id: [
            row[0]
            for row in db.connection.execute(
                "SELECT id FROM booth_reservations WHERE booth_id = ?", (id,)
            )
        ]
        for id in booths
    }
    assert sold == stored and {len(ids) for ids in stored.values()} == {1}
    assert db.connection.execute("SELECT DISTINCT status FROM booths").fetchall() == [("reserved",)]
    checked = processes.eventapi(tmp_path, "check")
    assert (checked.stdout, checked.stderr) == ("ok\n", "")
