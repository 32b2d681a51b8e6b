"""Badge numbers: a lost badge is replaced, and a merge of contacts leaves every printed badge
valid.
"""

from datetime import datetime, timedelta, timezone
from hashlib import sha256

import pytest

from eventapi import journal, times
from eventapi.domain.privacy import erasing
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
def guest(organiser, fair):
    """Return guest(name), which creates a contact and its participant at the fair."""

    def make(name, role="visitor", **contact):
        made = organiser.make("/contacts", {"last_name": name, **contact})
        return organiser.make(
            "/participants", {"event_key": "fair", "contact_id": made["id"], "role": role}
        )

    return make


@pytest.fixture
def ada(guest):
    return guest("Ada")


@pytest.fixture
def scan(organiser):
    """Return scan(number, status), which sends a scan and returns the check-in or the problem."""

    def send(number, status=201, **members):
        answer = organiser.post(
            "/check-ins", {"event_key": "fair", "badge_number": number, **members}, status=status
        )
        return answer.json["data"] if status < 300 else answer.json

    return send


@pytest.fixture
def merge(organiser):
    def send(kept, duplicate):
        organiser.post(
            f"/contacts/{kept['contact_id']}/merge",
            {"duplicate_id": duplicate["contact_id"]},
            status=200,
        )

    return send


def replace(organiser, participant):
    return organiser.post(f"/participants/{participant['id']}/badge/replace", status=200).json[
        "data"
    ]


def roster(organiser, since=None):
    """Return the roster as hash -> status, and a function that returns the hash of a badge number."""
    found = organiser.data(
        f"/check-ins/roster?event_key=fair{f'&updated_since={since}' if since else ''}"
    )
    return (
        {entry["hash"]: entry["status"] for entry in found["badges"]},
        lambda number: sha256((found["salt"] + number).encode()).hexdigest(),
    )


def test_a_replaced_badge_is_refused_and_the_new_one_works(organiser, ada, scan):
    old = ada["badge_number"]
    opened = scan(old, station="North")
    new = replace(organiser, ada)
    assert (
        new["id"] == ada["id"]
        and new["badge_number"] != old
        and len(new["badge_number"]) == len(old)
    )
    assert organiser.data(f"/participants/{ada['id']}")["badge_number"] == new["badge_number"]
    for action in ("check_in", "check_out"):
        refused = scan(old, 409, action=action, client_ref=f"late {action}")
        assert (refused["code"], refused["event_participant_id"]) == ("badge_replaced", ada["id"])
        assert (
            scan(old, 409, action=action, client_ref=f"late {action}")["detail"]
            == refused["detail"]
        )
    kept = organiser.data("/check-ins/refusals?code=badge_replaced")
    assert [entry["badge_number"] for entry in kept] == [old, old]
    assert scan(new["badge_number"], 409, station="South")["code"] == "already_checked_in"
    left = scan(new["badge_number"], 200, action="check_out")
    assert left["id"] == opened["id"] and left["badge_number"] == old, (
        "the visit began with the old badge"
    )
    assert scan(new["badge_number"], station="South")["badge_number"] == new["badge_number"]
    for number in (old, new["badge_number"]):
        assert [
            found["id"] for found in organiser.data(f"/participants?badge_number={number}")
        ] == [ada["id"]]


def test_an_offline_scan_of_a_replaced_badge_counts_if_it_was_made_before(organiser, ada, scan, db):
    replace(organiser, ada)
    (replaced_at,) = db.connection.execute("SELECT replaced_at FROM badge_aliases").fetchone()
    first, last = (
        times.text(datetime.fromisoformat(replaced_at) - timedelta(seconds=before))
        for before in (2, 1)
    )
    opened = scan(ada["badge_number"], scanned_at=first)
    assert scan(ada["badge_number"], 200, action="check_out", scanned_at=last)["id"] == opened["id"]
    assert scan(ada["badge_number"], 409, scanned_at=replaced_at)["code"] == "badge_replaced"


def test_replacing_a_badge_is_audited_and_sent_to_webhooks(organiser, ada, db):
    new = replace(organiser, ada)
    entry = organiser.data("/audit-log?entity_type=event_participant&action=badge_replaced")[0]
    assert entry["old_values"] == {"badge_number": ada["badge_number"]}
    assert entry["new_values"] == {"badge_number": new["badge_number"]}
    names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events ORDER BY id DESC LIMIT 1"
        )
    ]
    assert names == ["participant.badge_replaced"] and not journal.verify(db)


def test_replacing_needs_the_scope_an_active_participant_and_repeats_with_a_key(
    organiser, person, ada
):
    path = f"/participants/{ada['id']}/badge/replace"
    problem(person("participants:read").post(path), 403, "insufficient_scope")
    problem(organiser.post("/participants/999/badge/replace"), 404, "not_found")
    once = [
        organiser.post(path, headers={"Idempotency-Key": "lost"}, status=200).json["data"]
        for _ in range(2)
    ]
    assert once[0] == once[1]
    organiser.post(f"/participants/{ada['id']}/cancel", status=200)
    found = problem(organiser.post(path), 409, "participant_cancelled")
    assert f"POST /participants/{ada['id']}/reinstate" in found["detail"]


def test_a_badge_can_be_replaced_again_and_again(organiser, ada, scan):
    numbers = [ada["badge_number"], *(replace(organiser, ada)["badge_number"] for _ in range(3))]
    assert len(set(numbers)) == 4
    for number in numbers[:-1]:
        assert scan(number, 409)["code"] == "badge_replaced"
    assert scan(numbers[-1])["event_participant_id"] == ada["id"]


def test_every_badge_of_merged_contacts_stays_valid(organiser, guest, scan, merge, db):
    """Three contacts at one fair are merged one after another.

    One of them is also there in another role.
    """
    first, second, third = guest("A"), guest("B"), guest("C")
    speaker = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": third["contact_id"], "role": "speaker"}
    )
    merge(second, third)
    merge(first, second)
    numbers = [person["badge_number"] for person in (first, second, third)]
    opened = scan(numbers[0], station="North")
    for number in numbers[1:]:
        assert scan(number, 409, station="South")["check_in"]["id"] == opened["id"]
        assert scan(number, 200, station="North")["id"] == opened["id"]
        assert organiser.data(f"/participants?badge_number={number}")[0]["id"] == first["id"]
    assert scan(numbers[2], 200, action="check_out")["id"] == opened["id"]
    assert scan(speaker["badge_number"])["event_participant_id"] == speaker["id"]
    known, hash_of = roster(organiser)
    assert known == {
        hash_of(number): "registered" for number in (*numbers, speaker["badge_number"])
    }
    exported = organiser.data(f"/contacts/{first['contact_id']}/export")["badge_aliases"]
    assert {entry["badge_number"] for entry in exported} == set(numbers[1:])
    new = replace(organiser, first)["badge_number"]
    for number in numbers:
        assert scan(number, 409)["code"] == "badge_replaced"
    assert scan(new)["event_participant_id"] == first["id"]


def test_replaced_numbers_stay_replaced_in_a_merge(organiser, guest, scan, merge):
    kept, duplicate = guest("A"), guest("B")
    new = replace(organiser, duplicate)["badge_number"]
    merge(kept, duplicate)
    assert scan(duplicate["badge_number"], 409)["code"] == "badge_replaced"
    assert scan(new)["event_participant_id"] == kept["id"]


def test_the_roster_reports_aliases_and_replaced_badges_when_they_change(
    organiser, guest, merge, fair, db
):
    kept, duplicate = guest("A"), guest("B")
    tag = organiser.get("/check-ins/roster?event_key=fair", status=200).headers["ETag"]

    def changed(act):
        """Return the roster since the moment before `act`, after checking that the ETag has
        changed.
        """
        nonlocal tag
        with db.write():
            for table in ("participants", "badge_aliases"):
                db.connection.execute(f"UPDATE {table} SET updated_at = '2026-01-01T00:00:00Z'")
        tag = organiser.get("/check-ins/roster?event_key=fair", status=200).headers["ETag"]
        act()
        headers = {"If-None-Match": tag}
        assert organiser.get("/check-ins/roster?event_key=fair", headers=headers).status_int == 200
        return roster(organiser, since=ago(minutes=1))

    found, hash_of = changed(lambda: merge(kept, duplicate))
    assert found[hash_of(duplicate["badge_number"])] == "registered"
    alias = hash_of(duplicate["badge_number"])
    old = hash_of(kept["badge_number"])
    assert changed(lambda: organiser.post(f"/participants/{kept['id']}/confirm", status=200))[
        0
    ] == {alias: "confirmed", old: "confirmed"}
    made = {}
    found, _ = changed(lambda: made.update(replace(organiser, kept)))
    assert found == {alias: "replaced", old: "replaced", hash_of(made["badge_number"]): "confirmed"}
    assert changed(lambda: organiser.post(f"/participants/{kept['id']}/cancel", status=200))[0] == {
        alias: "replaced",
        old: "replaced",
        hash_of(made["badge_number"]): "cancelled",
    }


def subscriber(organiser, email):
    return organiser.make(
        "/newsletter",
        {
            "email": email,
            "name": "Mark Zqx",
            "send_confirmation": False,
            "consent": {"source": "form", "at": "2026-01-02T09:00:00Z"},
        },
    )


def test_the_subscriber_of_a_duplicate_belongs_to_the_contact_that_is_kept(
    organiser, guest, merge, db
):
    first = guest("A", email="a@roses.example")
    second = guest("B", email="b@zqx.example")
    third = guest("C")
    made = subscriber(organiser, "b@zqx.example")
    assert made["contact_id"] == second["contact_id"]
    merge(first, second)
    path = f"/newsletter/{made['id']}"
    assert organiser.data(path)["contact_id"] == first["contact_id"]
    assert organiser.data(f"/contacts/{first['contact_id']}")["newsletter_status"] == "confirmed"
    assert organiser.data("/audit-log?entity_type=newsletter_subscriber&action=updated")[0][
        "new_values"
    ] == {"contact_id": first["contact_id"]}
    merge(third, first)
    assert organiser.data(path)["contact_id"] == third["contact_id"], "it follows further merges"
    export = organiser.data(f"/contacts/{third['contact_id']}/export")
    assert [entry["email"] for entry in export["newsletter"]] == ["b@zqx.example"]
    organiser.post(f"/contacts/{third['contact_id']}/anonymize", status=200)
    organiser.get(path, status=404)
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"zqx.example" not in db.path.read_bytes() and b"Zqx" not in db.path.read_bytes()


def test_a_subscriber_of_an_older_contact_with_the_address_is_not_moved(organiser, guest, merge):
    older, kept = guest("Old", email="x@roses.example"), guest("Kept", email="k@roses.example")
    duplicate = guest("Dup", email="x@roses.example")
    made = subscriber(organiser, "x@roses.example")
    merge(kept, duplicate)
    assert organiser.data(f"/newsletter/{made['id']}")["contact_id"] == older["contact_id"]


def test_badges_work_after_anonymisation_and_a_repeated_one(organiser, guest, merge, scan, db):
    kept, duplicate = guest("A"), guest("B")
    merge(kept, duplicate)
    organiser.post(f"/contacts/{kept['contact_id']}/anonymize", status=200)
    assert scan(duplicate["badge_number"])["event_participant_id"] == kept["id"]
    assert erasing.lost_anonymizations(db, db) == []
    assert replace(organiser, kept)["badge_number"] not in (
        kept["badge_number"],
        duplicate["badge_number"],
    )
