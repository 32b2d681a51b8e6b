"""Many reviewers decide on one submission at once, with real server processes: one decision is
accepted, the others get a conflict.
"""

import pytest

from eventapi import journal
from eventapi.domain.access import api_keys
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS, send_at_once

pytestmark = pytest.mark.processes

CLIENTS = 30
DECISIONS = (
    ("approve", None, "approved"),
    ("reject", {"feedback": "No"}, "rejected"),
    ("request-revision", {"feedback": "Again"}, "revision_requested"),
)


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "reviewers", ["submissions"])[1]


@pytest.fixture
def server(tmp_path, key):
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


@pytest.fixture
def wishes(organiser):
    """Return one submission request for each round, each of another participant."""
    organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})
    organiser.make("/submissions/types", {"event_key": "fair", "title": "Motto", "input": "text"})
    contacts = [
        organiser.make("/contacts", {"last_name": f"Rose {number}"})["id"]
        for number in range(ROUNDS)
    ]
    people = [
        organiser.make("/participants", {"event_key": "fair", "contact_id": id})["id"]
        for id in contacts
    ]
    return [
        (
            "POST",
            "/submissions",
            {"event_participant_id": id, "type_key": "motto", "value": "Roses"},
        )
        for id in people
    ]


def test_a_rejected_submission_gets_one_new_revision_from_many_concurrent_submits(
    server, key, wishes, organiser, db
):
    for wish in wishes[:3]:
        submission = organiser.make(*wish[1:])
        address = f"/submissions/{submission['id']}"
        organiser.post(f"{address}/reject", {"feedback": "No"}, status=200)
        requests = [
            ("POST", f"{address}/submit", None),
            ("PATCH", address, {"value": "Tulips", "draft": False}),
            ("PATCH", address, {"value": "Tulips"}),
        ]
        answers = send_at_once(
            server.port, key, [requests[number % 3] for number in range(CLIENTS)]
        )
        assert {(status, document.get("code")) for status, document in answers} <= {
            (200, None),
            (409, "locked"),
        }
        assert any(status == 200 for status, _ in answers)
        [first, second] = organiser.data(f"{address}/revisions?order=ASC")
        current = organiser.data(address)
        assert (first["status"], first["value"], second["status"]) == (
            "rejected",
            "Roses",
            "submitted",
        )
        assert (current["revision"], current["value"]) == (2, second["value"]), (
            "what is reviewed is what was submitted"
        )
    assert journal.verify(db) == []


def test_only_one_of_many_concurrent_decisions_is_accepted(server, key, wishes, organiser, db):
    for wish in wishes:
        answers = send_at_once(server.port, key, [wish] * CLIENTS)
        made = [document["data"] for status, document in answers if status == 201]
        assert len(made) == 1 and sorted(status for status, _ in answers) == [201] + [409] * (
            CLIENTS - 1
        )
        address = f"/submissions/{made[0]['id']}"
        asked = [DECISIONS[number % 3] for number in range(CLIENTS)]
        answers = send_at_once(
            server.port, key, [("POST", f"{address}/{action}", body) for action, body, _ in asked]
        )
        decided_status = organiser.data(address)["status"]
        for (_, _, wanted), (status, document) in zip(asked, answers, strict=True):
            expected = (200, None) if wanted == decided_status else (409, "invalid_transition")
            assert (status, document.get("code")) == expected
        assert [revision["status"] for revision in organiser.data(f"{address}/revisions")] == [
            decided_status
        ]
    decided = db.connection.execute(
        "SELECT count(*) FROM audit_log WHERE entity_type = 'submission' AND action "
        "NOT IN ('created', 'submitted')"
    )
    assert decided.fetchone() == (ROUNDS,)
    assert journal.verify(db) == []
