"""Booth reservations: holds, waiting lists, moves, and the events they send."""

import json
from datetime import datetime, timedelta, timezone
from random import Random

import pytest

from eventapi import journal, times
from eventapi.domain.halls import booking, reservation_rows
from eventapi.worker import Worker

PLAN = (
    "INSERT INTO plans (id, event_id, plan_key, plan_name, width, height, grid_size, scale_factor, is_active, "
    "sort_order, created_at, updated_at) "
    "VALUES (1, 1, 'hall', 'Hall A', 50000, 30000, 1000, 1000, 1, 0, :now, :now)"
)
TYPE = (
    "INSERT INTO booth_types (id, booth_type_key, booth_type_name, open_sides, price_model, price, sort_order, "
    "created_at, updated_at) VALUES (1, 'row', 'Row', 1, 'per_m2', 10000, 0, :now, :now)"
)
BOOTH = (
    "INSERT INTO booths (plan_id, event_id, booth_type_id, booth_number, width, depth, pos_x, pos_y, rotation, "
    "price, price_breakdown, status, created_at, updated_at) "
    "VALUES (1, 1, :type, :number, 3000, 2000, :x, :y, :rotation, 60000, "
    '\'{"model": "fixed", "total": 600}\', \'available\', :now, :now)'
)
LONG_AGO = "2020-01-01T00:00:00Z"


def ahead(**span):
    return times.text(datetime.now(timezone.utc) + timedelta(**span))


@pytest.fixture
def hall(organiser, db):
    """Create an event with a hall.

    Return hall(number, x, y), which inserts a booth of 3 × 2 m and returns its id.
    """
    organiser.make("/events", {"title": "Garden Fair", "event_key": "garden"})
    with db.write():
        db.connection.execute(PLAN, {"now": db.now})
        db.connection.execute(TYPE, {"now": db.now})

    def booth(number, x=None, y=None, type=1, rotation=0):
        with db.write():
            return db.connection.execute(
                BOOTH,
                {
                    "number": number,
                    "x": x,
                    "y": y,
                    "type": type,
                    "rotation": rotation,
                    "now": db.now,
                },
            ).lastrowid

    return booth


@pytest.fixture
def exhibitor(organiser, hall):
    """Return exhibitor("C-1"), which creates a participant and returns its id."""

    def make(number, event_key="garden"):
        organiser.make("/contacts", {"customer_number": number, "company_name": f"{number} GmbH"})
        return organiser.make("/participants", {"event_key": event_key, "customer_number": number})[
            "id"
        ]

    return make


@pytest.fixture
def reserve(organiser):
    """Return reserve(booth, participant, …), which creates a reservation and returns it."""
    return lambda booth, participant, **more: organiser.make(
        "/booth-reservations", {"booth_id": booth, "event_participant_id": participant, **more}
    )


@pytest.fixture
def make_overdue(db):
    """Return a function that sets the end of a hold to a time in the past."""

    def change(reservation):
        with db.write():
            db.connection.execute(
                "UPDATE booth_reservations SET expires_at = ? WHERE id = ?",
                (LONG_AGO, reservation["id"]),
            )
            db.connection.execute(
                "UPDATE booths SET held_until = ? WHERE id = ?", (LONG_AGO, reservation["booth_id"])
            )

    return change


@pytest.fixture
def reservation_status(db):
    """Return reservation_status(id), which reads the status from the database."""
    return lambda id: db.connection.execute(
        "SELECT status FROM booth_reservations WHERE id = ?", (id,)
    ).fetchone()[0]


@pytest.fixture
def booth_status(db):
    """Return booth_status(booth), which reads the status from the database."""
    return lambda id: db.connection.execute(
        "SELECT status FROM booths WHERE id = ?", (id,)
    ).fetchone()[0]


@pytest.fixture
def event_names(db):
    """Return event_names("booth"), which lists the names of the events about a kind of record,
    oldest first.
    """
    return lambda kind: [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = ? ORDER BY id", (kind,)
        )
    ]


def refused(answer, code="booth_unavailable"):
    assert (answer.status_int, answer.json["code"]) == (409, code), answer.text
    return answer.json


def faults(answer):
    assert answer.status_int == 422, answer.text
    return [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]]


# Reserving


def test_a_booth_is_reserved_and_confirmed(organiser, hall, exhibitor, booth_status, event_names):
    booth, participant = hall("A1"), exhibitor("C-1")
    reservation = organiser.make(
        "/booth-reservations",
        {"booth_id": booth, "event_participant_id": participant, "notes": "Corner"},
    )
    assert (reservation["status"], reservation["booth_number"], reservation["event_key"]) == (
        "pending",
        "A1",
        "garden",
    )
    assert (reservation["final_price"], reservation["tax_rate"], reservation["is_negotiated"]) == (
        600,
        19,
        False,
    )
    assert reservation["price_breakdown"] == {
        "model": "per_m2",
        "unit_price": 100,
        "area": 6,
        "total": 600,
    }
    assert (
        ahead(days=6, hours=23) < reservation["expires_at"] <= ahead(days=7)
        and reservation["created_by"]
    )
    assert booth_status(booth) == "reserved"
    address = f"/booth-reservations/{reservation['id']}"
    assert organiser.data(address) == reservation
    confirmed = organiser.post(f"{address}/confirm", status=200).json["data"]
    assert (confirmed["status"], confirmed["expires_at"]) == ("confirmed", None) and confirmed[
        "confirmed_at"
    ]
    assert organiser.post(f"{address}/confirm", status=200).json["data"] == confirmed
    assert booth_status(booth) == "sold"
    assert event_names("booth_reservation") == [
        "booth_reservation.created",
        "booth_reservation.confirmed",
    ]
    assert event_names("booth") == ["booth.updated", "booth.updated", "booth.assigned"]


def test_a_reservation_can_be_created_confirmed(
    hall, exhibitor, reserve, booth_status, event_names
):
    booth = hall("A1")
    reservation = reserve(booth, exhibitor("C-1"), status="confirmed")
    assert (
        reservation["confirmed_at"]
        and reservation["expires_at"] is None
        and booth_status(booth) == "sold"
    )
    assert event_names("booth_reservation") == [
        "booth_reservation.created",
        "booth_reservation.confirmed",
    ]
    assert event_names("booth")[-1] == "booth.assigned"


def test_the_assignment_event_names_the_participant(organiser, hall, exhibitor, reserve, db):
    reservation = reserve(hall("A1"), exhibitor("C-1"), status="confirmed")
    organiser.delete(f"/booth-reservations/{reservation['id']}", status=204)
    for name, status in (("booth.assigned", "sold"), ("booth.unassigned", "available")):
        data = json.loads(
            db.connection.execute(
                "SELECT data FROM outgoing_events WHERE name = ?", (name,)
            ).fetchone()[0]
        )
        assert (
            data["booth_number"],
            data["status"],
            data["booth_reservation_id"],
            data["event_participant_id"],
        ) == ("A1", status, reservation["id"], reservation["event_participant_id"])


def test_a_reserved_booth_is_refused_with_the_current_reservation(
    organiser, hall, exhibitor, reserve
):
    booth = hall("A1")
    first = reserve(booth, exhibitor("C-1"))
    wanted = {"booth_id": booth, "participant_id": exhibitor("C-2")}
    found = refused(organiser.post("/booth-reservations", wanted))
    assert found["blocked_by"] == {
        "reservation_id": first["id"],
        "status": "pending",
        "expires_at": first["expires_at"],
        "booth_id": booth,
        "booth_number": "A1",
    }
    organiser.post(f"/booth-reservations/{first['id']}/confirm", status=200)
    assert (
        refused(organiser.post("/booth-reservations", wanted))["blocked_by"]["status"]
        == "confirmed"
    )
    organiser.delete(f"/booth-reservations/{first['id']}", status=204)
    organiser.post("/booth-reservations", wanted, status=201)


def test_the_unique_index_refuses_a_second_reservation(
    organiser, hall, exhibitor, reserve, monkeypatch
):
    booth = hall("A1")
    first = reserve(booth, exhibitor("C-1"))
    for module in (booking, reservation_rows):
        monkeypatch.setattr(module, "blockers", lambda *_, **__: [])
    found = refused(
        organiser.post(
            "/booth-reservations", {"booth_id": booth, "event_participant_id": exhibitor("C-2")}
        )
    )
    assert found["blocked_by"]["reservation_id"] == first["id"]


def test_a_booth_that_overlaps_a_reserved_one_cannot_be_reserved(
    organiser, hall, exhibitor, reserve
):
    booth, participant = hall("A1", 10000, 10000), exhibitor("C-1")
    first = reserve(booth, participant)
    beside = hall("A2", 13000, 10000)
    over = hall("A3", 12999, 10000)
    turned = hall("A4", 12800, 9000, rotation=45)
    reserve(beside, participant)
    reserve(hall("A5"), participant)  # unplaced: it overlaps nothing
    reserve(hall("A6", 15000, 12000), participant)  # touches the corner of A2 only
    for number in (over, turned):
        found = refused(
            organiser.post(
                "/booth-reservations", {"booth_id": number, "event_participant_id": participant}
            )
        )
        assert (
            found["blocked_by"]["booth_number"] == "A1" and "overlaps booth A1" in found["detail"]
        )
        assert found["blocked_by"]["reservation_id"] == first["id"]


def test_a_blocked_booth_has_only_a_waiting_list(organiser, hall, exhibitor, db):
    booth, participant = hall("A1"), exhibitor("C-1")
    db.connection.execute("UPDATE booths SET status = 'blocked' WHERE id = ?", (booth,))
    wanted = {"booth_id": booth, "event_participant_id": participant}
    assert refused(organiser.post("/booth-reservations", wanted))["blocked_by"] == {
        "reservation_id": None,
        "status": "blocked",
        "expires_at": None,
        "booth_id": booth,
        "booth_number": "A1",
    }
    assert (
        organiser.make("/booth-reservations", {**wanted, "waitlist": True})["status"]
        == "waitlisted"
    )


def test_participants_of_other_events_and_cancelled_ones_are_refused(organiser, hall, exhibitor):
    booth = hall("A1")
    organiser.make("/events", {"title": "Boat Show", "event_key": "boats"})
    wanted = {"booth_id": booth, "event_participant_id": exhibitor("C-1", "boats")}
    assert faults(organiser.post("/booth-reservations", wanted)) == [
        ("/event_participant_id", "other_event")
    ]
    participant = exhibitor("C-2")
    organiser.post(f"/participants/{participant}/cancel", status=200)
    refused(
        organiser.post("/booth-reservations", {**wanted, "event_participant_id": participant}),
        "participant_cancelled",
    )


def test_an_anonymised_contact_cannot_reserve(organiser, hall, exhibitor):
    booth, participant = hall("A1"), exhibitor("C-1")
    contact = organiser.data(f"/participants/{participant}")["contact_id"]
    organiser.post(f"/contacts/{contact}/anonymize", status=200)
    refused(
        organiser.post(
            "/booth-reservations", {"booth_id": booth, "event_participant_id": participant}
        ),
        "anonymized",
    )


def test_all_faults_are_reported_together(organiser, hall, exhibitor):
    exhibitor("C-1")
    wrong = {
        "booth_id": 999,
        "event_participant_id": 999,
        "final_price": 1.001,
        "expires_at": LONG_AGO,
        "cancellation_reason": "x",
    }
    assert faults(organiser.post("/booth-reservations", wrong)) == [
        ("/booth_id", "unknown"),
        ("/event_participant_id", "unknown"),
        ("/final_price", "decimals"),
        ("/cancellation_reason", "disagrees"),
        ("/expires_at", "out_of_range"),
    ]
    wrong = {
        "booth_id": hall("A1"),
        "event_participant_id": 1,
        "status": "cancelled",
        "expires_at": ahead(days=400),
    }
    assert faults(organiser.post("/booth-reservations", wrong)) == [
        ("/status", "enum"),
        ("/expires_at", "out_of_range"),
    ]
    wrong = {
        "booth_id": 1,
        "event_participant_id": 1,
        "status": "confirmed",
        "waitlist": True,
        "expires_at": ahead(days=1),
    }
    assert faults(organiser.post("/booth-reservations", wrong)) == [
        ("/waitlist", "disagrees"),
        ("/expires_at", "disagrees"),
    ]
    assert faults(organiser.post("/booth-reservations", {})) == [
        ("/booth_id", "required"),
        ("/event_participant_id", "any_of"),
    ]


# Prices


def test_a_booth_without_a_price_requires_final_price(organiser, hall, exhibitor, reserve):
    booth, participant = hall("A1", type=None), exhibitor("C-1")
    wanted = {"booth_id": booth, "event_participant_id": participant}
    answer = organiser.post("/booth-reservations", wanted)
    assert faults(answer) == [("/final_price", "required")]
    assert (
        "no formula and no type. Set a price on the booth, or send"
        in answer.json["errors"][0]["detail"]
    )
    reservation = reserve(booth, participant, final_price=12.5)
    assert (reservation["final_price"], reservation["is_negotiated"]) == (12.5, True)
    assert reservation["price_breakdown"] == {"model": "negotiated", "total": 12.5}


def test_the_price_is_frozen_and_may_be_negotiated_while_pending(
    organiser, hall, exhibitor, reserve, db
):
    reservation = reserve(hall("A1"), exhibitor("C-1"))
    address = f"/booth-reservations/{reservation['id']}"
    db.connection.execute("UPDATE booth_types SET price = 20000")
    assert organiser.put(address, reservation, status=200).json["data"] == reservation
    changed = organiser.patch(address, {"final_price": 500, "notes": "As agreed"}, status=200).json[
        "data"
    ]
    assert (changed["final_price"], changed["is_negotiated"], changed["notes"]) == (
        500,
        True,
        "As agreed",
    )
    assert db.connection.execute(
        "SELECT count(*) FROM outgoing_events WHERE name = 'booth_reservation.updated'"
    ).fetchone() == (1,)
    changed = organiser.patch(address, {"final_price": None}, status=200).json["data"]
    assert (changed["final_price"], changed["is_negotiated"]) == (1200, False)
    organiser.post(f"{address}/confirm", status=200)
    found = refused(organiser.patch(address, {"final_price": 1}), "invalid_transition")
    assert found["allowed_from"] == ["pending", "waitlisted"]
    assert (
        organiser.patch(address, {"notes": "Paid"}, status=200).json["data"]["final_price"] == 1200
    )


def test_an_offer_without_a_price_cannot_be_confirmed_until_it_has_one(
    organiser, hall, exhibitor, reserve, db
):
    booth = hall("A1")
    first = reserve(booth, exhibitor("C-1"))
    waiting = reserve(booth, exhibitor("C-2"), waitlist=True)
    db.connection.execute("UPDATE booths SET booth_type_id = NULL WHERE id = ?", (booth,))
    organiser.delete(f"/booth-reservations/{first['id']}", status=204)
    address = f"/booth-reservations/{waiting['id']}"
    offered = organiser.data(address)
    assert (offered["status"], offered["final_price"]) == ("pending", None)
    assert faults(organiser.post(f"{address}/confirm")) == [("/final_price", "required")]
    assert (
        organiser.patch(address, {"final_price": 9, "status": "confirmed"}, status=200).json[
            "data"
        ]["status"]
        == "confirmed"
    )


# Expiry


def test_an_overdue_hold_reads_as_expired_before_it_is_stored(
    organiser, hall, exhibitor, reserve, make_overdue, reservation_status
):
    reservation = reserve(hall("A1"), exhibitor("C-1"))
    address = f"/booth-reservations/{reservation['id']}"
    tag = organiser.get(address, status=200).headers["ETag"]
    make_overdue(reservation)
    assert organiser.data(f"{address}?include=allowed_actions")["allowed_actions"] == []
    assert (
        organiser.data(address)["status"] == "expired"
        and organiser.get(address).headers["ETag"] != tag
    )
    assert [found["status"] for found in organiser.data("/booth-reservations?status=expired")] == [
        "expired"
    ]
    assert organiser.data("/booth-reservations?status=pending") == []
    assert reservation_status(reservation["id"]) == "pending"


def test_the_worker_expires_overdue_holds(
    hall, exhibitor, reserve, make_overdue, reservation_status, booth_status, event_names, db
):
    first = reserve(hall("A1"), exhibitor("C-1"))
    waiting = reserve(1, exhibitor("C-2"), waitlist=True)
    other = reserve(hall("A2"), exhibitor("C-3"))
    make_overdue(first)
    make_overdue(other)
    assert Worker(db.config).once() == []
    assert [reservation_status(found["id"]) for found in (first, waiting, other)] == [
        "expired",
        "pending",
        "expired",
    ]
    assert (booth_status(first["booth_id"]), booth_status(other["booth_id"])) == (
        "reserved",
        "available",
    )
    assert event_names("booth_reservation")[3:] == [
        "booth_reservation.expired",
        "booth_reservation.offered",
        "booth_reservation.expired",
    ]
    assert booking.expire_due(db, 50) == 0
    assert journal.verify(db) == []


def test_a_hold_ends_in_the_second_of_its_end(organiser, hall, exhibitor, reserve, db, monkeypatch):
    monkeypatch.setattr(times, "now", lambda: "2027-06-01T11:59:59Z")
    end = "2027-06-01T12:00:00Z"
    first = reserve(hall("A1"), exhibitor("C-1"), expires_at=end)
    reserve(hall("A2"), first["event_participant_id"], expires_at=end)
    assert [booth["status"] for booth in organiser.data("/booths?status=reserved")] == [
        "reserved",
        "reserved",
    ]
    assert (
        len(organiser.data("/booth-reservations?status=pending")) == 2
        and booking.expire_due(db, 50) == 0
    )
    refused(
        organiser.post(
            "/booth-reservations", {"booth_id": 1, "event_participant_id": exhibitor("C-2")}
        )
    )
    monkeypatch.setattr(times, "now", lambda: end)
    assert organiser.data(f"/booth-reservations/{first['id']}")["status"] == "expired"
    assert len(organiser.data("/booth-reservations?status=expired")) == 2
    assert organiser.data("/booth-reservations?status=pending") == []
    assert [
        booth["booth_number"] for booth in organiser.data("/booths?status=available&order=asc")
    ] == ["A1", "A2"]
    assert organiser.data("/booths?status=reserved") == []
    assert reserve(1, 2)["status"] == "pending", "another participant gets the booth"
    assert booking.expire_due(db, 50) == 1


def test_a_new_reservation_expires_an_overdue_hold_and_gets_the_booth(
    organiser, hall, exhibitor, reserve, make_overdue, reservation_status
):
    booth = hall("A1")
    first = reserve(booth, exhibitor("C-1"))
    make_overdue(first)
    assert reserve(booth, exhibitor("C-2"))["status"] == "pending"
    assert reservation_status(first["id"]) == "expired"


def test_a_new_reservation_does_not_overtake_the_waiting_list(
    organiser, hall, exhibitor, reserve, make_overdue, reservation_status, event_names
):
    booth = hall("A1")
    first = reserve(booth, exhibitor("C-1"))
    waiting = reserve(booth, exhibitor("C-2"), waitlist=True)
    make_overdue(first)
    found = refused(
        organiser.post(
            "/booth-reservations", {"booth_id": booth, "event_participant_id": exhibitor("C-3")}
        )
    )
    assert found["blocked_by"]["reservation_id"] == waiting["id"]
    assert (reservation_status(first["id"]), reservation_status(waiting["id"])) == (
        "expired",
        "pending",
    ), "the expiry is stored although the new reservation is refused"
    offered = organiser.data(f"/booth-reservations/{waiting['id']}")
    assert (
        ahead(days=2, hours=23) < offered["expires_at"] <= ahead(days=3) and offered["reserved_at"]
    )
    assert offered["final_price"] == 600
    assert event_names("booth_reservation")[2:] == [
        "booth_reservation.expired",
        "booth_reservation.offered",
    ]


def test_a_refusal_without_effect_is_not_stored_for_its_idempotency_key(
    organiser, hall, exhibitor, reserve, make_overdue
):
    booth, key = hall("A1"), {"Idempotency-Key": "late"}
    first = reserve(booth, exhibitor("C-1"))
    wanted = {"booth_id": booth, "event_participant_id": exhibitor("C-2")}
    refused(organiser.post("/booth-reservations", wanted, headers=key))
    organiser.delete(f"/booth-reservations/{first['id']}", status=204)
    assert (
        "Idempotency-Replayed"
        not in organiser.post("/booth-reservations", wanted, headers=key, status=201).headers
    )


def test_an_overdue_hold_on_an_overlapping_booth_expires_too(
    hall, exhibitor, reserve, make_overdue, reservation_status
):
    first = reserve(hall("A1", 0, 0), exhibitor("C-1"))
    make_overdue(first)
    reserve(hall("A2", 1000, 0), exhibitor("C-2"))
    assert reservation_status(first["id"]) == "expired"


@pytest.mark.parametrize(
    "action, body",
    [
        ("confirm", None),
        ("cancel", None),
        ("extend", {"expires_at": "2099-01-01T00:00:00Z"}),
        ("move", {"booth_id": 2}),
    ],
)
def test_an_overdue_hold_allows_no_action(
    organiser, hall, exhibitor, reserve, make_overdue, reservation_status, action, body
):
    first = reserve(hall("A1"), exhibitor("C-1"))
    waiting = reserve(1, exhibitor("C-2"), waitlist=True)
    hall("A2")
    make_overdue(first)
    assert (
        refused(
            organiser.post(f"/booth-reservations/{first['id']}/{action}", body),
            "invalid_transition",
        )["state"]
        == "expired"
    )
    assert (reservation_status(first["id"]), reservation_status(waiting["id"])) == (
        "expired",
        "pending",
    )
    problem = refused(
        organiser.post(f"/booth-reservations/{first['id']}/{action}", body), "invalid_transition"
    )
    assert problem["state"] == "expired"


@pytest.mark.parametrize("status", ["confirmed", "cancelled"])
def test_a_change_of_an_overdue_hold_only_stores_its_expiry(
    organiser, hall, exhibitor, reserve, make_overdue, reservation_status, status
):
    reservation = reserve(hall("A1"), exhibitor("C-1"), notes="Before")
    address = f"/booth-reservations/{reservation['id']}"
    make_overdue(reservation)
    refused(organiser.patch(address, {"status": status, "notes": "After"}), "invalid_transition")
    assert (reservation_status(reservation["id"]), organiser.data(address)["notes"]) == (
        "expired",
        "Before",
    )
    assert (
        organiser.patch(address, {"notes": "Too late"}, status=200).json["data"]["status"]
        == "expired"
    )


def test_a_hold_is_extended(organiser, hall, exhibitor, reserve, db, event_names):
    reservation = reserve(hall("A1"), exhibitor("C-1"), expires_at=ahead(days=1))
    address, later = f"/booth-reservations/{reservation['id']}", ahead(days=30)
    assert (
        organiser.post(f"{address}/extend", {"expires_at": later}, status=200).json["data"][
            "expires_at"
        ]
        == later
    )
    assert db.connection.execute("SELECT held_until FROM booths").fetchone() == (later,)
    sooner = ahead(days=2)
    assert (
        organiser.patch(address, {"expires_at": sooner}, status=200).json["data"]["expires_at"]
        == sooner
    )
    for wrong in (LONG_AGO, ahead(days=367)):
        assert faults(organiser.post(f"{address}/extend", {"expires_at": wrong})) == [
            ("/expires_at", "out_of_range")
        ]
    assert faults(organiser.patch(address, {"expires_at": None})) == [("/expires_at", "required")]
    organiser.post(f"{address}/confirm", status=200)
    refused(organiser.post(f"{address}/extend", {"expires_at": later}), "invalid_transition")
    assert event_names("booth_reservation") == [
        "booth_reservation.created",
        "booth_reservation.extended",
        "booth_reservation.extended",
        "booth_reservation.confirmed",
    ]


def test_a_hold_ends_after_now_and_at_most_366_days_later(
    organiser, hall, exhibitor, reserve, monkeypatch
):
    """2027-06-01 is 366 days before 2028-06-01, because 2028 is a leap year."""
    monkeypatch.setattr(times, "now", lambda: "2027-06-01T12:00:00Z")
    booth, participant = hall("A1"), exhibitor("C-1")
    held = reserve(hall("A2"), participant)
    body = {"booth_id": booth, "event_participant_id": participant}
    for wrong in ("2027-06-01T12:00:00Z", "2028-06-01T12:00:01Z", "2028-06-02T12:00:00Z"):
        for answer in (
            organiser.post("/booth-reservations", {**body, "expires_at": wrong}),
            organiser.post(f"/booth-reservations/{held['id']}/extend", {"expires_at": wrong}),
            organiser.patch(f"/booth-reservations/{held['id']}", {"expires_at": wrong}),
        ):
            assert faults(answer) == [("/expires_at", "out_of_range")]
    for right in ("2027-06-01T12:00:01Z", "2028-06-01T12:00:00Z"):
        extended = organiser.post(
            f"/booth-reservations/{held['id']}/extend", {"expires_at": right}, status=200
        )
        assert extended.json["data"]["expires_at"] == right
        new = reserve(booth, participant, expires_at=right)
        assert new["expires_at"] == right
        organiser.post(f"/booth-reservations/{new['id']}/cancel", status=200)


# Waiting lists


def test_the_first_on_the_waiting_list_is_offered_the_free_booth(
    organiser, hall, exhibitor, reserve, reservation_status, booth_status
):
    booth = hall("A1")
    holder = reserve(booth, exhibitor("C-1"))
    second = reserve(booth, exhibitor("C-2"), waitlist=True)
    third = reserve(booth, exhibitor("C-3"), waitlist=True, final_price=1)
    assert (
        second["status"],
        second["final_price"],
        second["reserved_at"],
        third["final_price"],
    ) == ("waitlisted", None, None, 1)
    organiser.post(
        f"/booth-reservations/{holder['id']}/cancel", {"reason": "Too small"}, status=200
    )
    assert (
        reservation_status(second["id"]),
        reservation_status(third["id"]),
        booth_status(booth),
    ) == ("pending", "waitlisted", "reserved")
    organiser.delete(f"/booth-reservations/{second['id']}", status=204)
    offered = organiser.data(f"/booth-reservations/{third['id']}")
    assert (offered["status"], offered["final_price"], offered["is_negotiated"]) == (
        "pending",
        1,
        True,
    )
    organiser.delete(f"/booth-reservations/{third['id']}", status=204)
    assert booth_status(booth) == "available"


def test_a_waiting_list_place_is_unique_and_can_be_cancelled(
    organiser, hall, exhibitor, reserve, reservation_status
):
    booth, holder, other = hall("A1"), exhibitor("C-1"), exhibitor("C-2")
    first, waiting = reserve(booth, holder), reserve(booth, other, waitlist=True)
    for participant, known in ((holder, first), (other, waiting)):
        body = {"booth_id": booth, "event_participant_id": participant, "waitlist": True}
        assert (
            refused(organiser.post("/booth-reservations", body), "duplicate")[
                "booth_reservation_id"
            ]
            == known["id"]
        )
    for action in ("confirm", "extend", "move"):
        body = {"extend": {"expires_at": ahead(days=1)}, "move": {"booth_id": booth}}.get(action)
        refused(
            organiser.post(f"/booth-reservations/{waiting['id']}/{action}", body),
            "invalid_transition",
        )
    organiser.delete(f"/booth-reservations/{waiting['id']}", status=204)
    organiser.delete(f"/booth-reservations/{first['id']}", status=204)
    assert reservation_status(waiting["id"]) == "cancelled"


def test_joining_the_waiting_list_of_a_free_booth_reserves_it(hall, exhibitor, reserve):
    assert reserve(hall("A1"), exhibitor("C-1"), waitlist=True)["status"] == "pending"


def test_a_booth_that_is_no_longer_overlapped_is_offered_to_its_waiting_list(
    organiser, hall, exhibitor, reserve, reservation_status
):
    one, other = hall("A1", 0, 0), hall("A2", 1000, 0)
    first = reserve(one, exhibitor("C-1"))
    waiting = reserve(other, exhibitor("C-2"), waitlist=True)
    organiser.delete(f"/booth-reservations/{first['id']}", status=204)
    assert reservation_status(waiting["id"]) == "pending"


def test_the_waiting_list_of_the_freed_booth_is_served_before_overlapping_ones(
    organiser, hall, exhibitor, reserve, reservation_status
):
    one, other = hall("A1", 0, 0), hall("A2", 1000, 0)
    first = reserve(one, exhibitor("C-1"))
    earlier = reserve(other, exhibitor("C-2"), waitlist=True)
    own = reserve(one, exhibitor("C-3"), waitlist=True)
    organiser.delete(f"/booth-reservations/{first['id']}", status=204)
    assert (reservation_status(own["id"]), reservation_status(earlier["id"])) == (
        "pending",
        "waitlisted",
    )


# Moving


def test_a_move_offers_the_old_booth_to_its_waiting_list(
    organiser, hall, exhibitor, reserve, reservation_status, booth_status, event_names
):
    old, new = hall("A1"), hall("A2")
    reservation = reserve(old, exhibitor("C-1"), status="confirmed")
    waiting = reserve(old, exhibitor("C-2"), waitlist=True)
    before = len(event_names("booth"))
    moved = organiser.post(
        f"/booth-reservations/{reservation['id']}/move", {"booth_id": new}, status=200
    ).json["data"]
    assert (moved["booth_id"], moved["booth_number"], moved["status"]) == (new, "A2", "confirmed")
    assert (booth_status(old), booth_status(new), reservation_status(waiting["id"])) == (
        "reserved",
        "sold",
        "pending",
    )
    assert [name for name in event_names("booth")[before:] if name != "booth.updated"] == [
        "booth.unassigned",
        "booth.assigned",
    ]
    assert "booth_reservation.moved" in event_names("booth_reservation")
    assert (
        organiser.post(
            f"/booth-reservations/{reservation['id']}/move", {"booth_id": new}, status=200
        ).json["data"]
        == moved
    )


def test_a_move_computes_a_new_price_unless_one_was_negotiated(
    organiser, hall, exhibitor, reserve, db
):
    participant, dearer = exhibitor("C-1"), hall("A2")
    db.connection.execute("UPDATE booths SET fixed_price = 99900 WHERE id = ?", (dearer,))
    computed = reserve(hall("A1"), participant)
    assert (
        organiser.patch(
            f"/booth-reservations/{computed['id']}", {"booth_id": dearer}, status=200
        ).json["data"]["final_price"]
        == 999
    )
    organiser.delete(f"/booth-reservations/{computed['id']}", status=204)
    agreed = reserve(computed["booth_id"], participant, final_price=5)
    assert (
        organiser.patch(
            f"/booth-reservations/{agreed['id']}", {"booth_id": dearer}, status=200
        ).json["data"]["final_price"]
        == 5
    )


@pytest.fixture
def two(hall, exhibitor, reserve, db):
    """Return two confirmed reservations: of A1 for 600, and of A2, which costs 999."""
    first = reserve(hall("A1", 0, 0), exhibitor("C-1"), status="confirmed")
    dearer = hall("A2", 9000, 0)
    db.connection.execute("UPDATE booths SET fixed_price = 99900 WHERE id = ?", (dearer,))
    return first, reserve(dearer, exhibitor("C-2"), status="confirmed")


def held(organiser, reservation):
    found = organiser.data(f"/booth-reservations/{reservation['id']}")
    return found["booth_number"], found["final_price"], found["status"]


def test_two_exhibitors_exchange_their_booths(organiser, two, reserve, exhibitor, event_names):
    first, second = two
    waiting = reserve(first["booth_id"], exhibitor("C-3"), waitlist=True)
    before, path = len(event_names("booth")), f"/booth-reservations/{first['id']}/swap"
    tried = organiser.post(path, {"with": second["id"], "dry_run": True}, status=200).json
    prices = [
        {"booth_reservation_id": first["id"], "old": 600, "new": 999},
        {"booth_reservation_id": second["id"], "old": 999, "new": 600},
    ]
    assert tried["meta"]["prices"] == prices
    assert held(organiser, first) == ("A1", 600, "confirmed")
    done = organiser.post(path, {"with": second["id"]}, status=200).json
    assert done["meta"]["prices"] == prices and done["data"]["booth_number"] == "A2"
    assert held(organiser, first) == ("A2", 999, "confirmed")
    assert held(organiser, second) == ("A1", 600, "confirmed")
    assert held(organiser, waiting)[2] == "waitlisted"  # nobody gave a booth back
    assert event_names("booth")[before:] == [
        "booth.unassigned",
        "booth.unassigned",
        "booth.assigned",
        "booth.assigned",
    ]
    assert event_names("booth_reservation")[-2:] == ["booth_reservation.moved"] * 2
    booths = {row["booth_number"]: row for row in organiser.data("/booths")}
    assert booths["A1"]["event_participant_id"] == second["event_participant_id"]
    assert {booths[number]["status"] for number in ("A1", "A2")} == {"sold"}


def test_prices_of_an_exchange_stay_if_they_are_kept_or_negotiated(organiser, two):
    first, second = two
    path, body = f"/booth-reservations/{first['id']}/swap", {"with": second["id"]}
    organiser.post(path, {**body, "keep_price": True}, status=200)
    assert held(organiser, first) == ("A2", 600, "confirmed")
    assert held(organiser, second) == ("A1", 999, "confirmed")
    organiser.post(path, body, status=200)  # both count as negotiated now
    assert held(organiser, first) == ("A1", 600, "confirmed")


def test_only_confirmed_reservations_of_one_event_are_exchanged(
    organiser, two, hall, exhibitor, reserve
):
    first, second = two
    pending = reserve(hall("A3", 20000, 0), exhibitor("C-4"))
    waiting = reserve(second["booth_id"], exhibitor("C-5"), waitlist=True)
    for one, other in ((first, pending), (pending, first), (first, waiting), (waiting, first)):
        body = {"with": other["id"]}
        answer = organiser.post(f"/booth-reservations/{one['id']}/swap", body)
        refused(answer, "invalid_transition")
    path = f"/booth-reservations/{first['id']}/swap"
    faults = organiser.post(path, {"with": 999}, status=422).json["errors"]
    assert [(fault["pointer"], fault["code"]) for fault in faults] == [("/with", "unknown")]
    organiser.post(path, {"with": first["id"]}, status=200)
    assert held(organiser, first) == ("A1", 600, "confirmed")


def test_a_move_at_a_negotiated_price_takes_the_tax_rate_of_the_new_booth(
    organiser, hall, exhibitor, reserve, db
):
    rates = {"A1": 7, "A2": 19}
    types = {
        rate: organiser.make(
            "/booths/types",
            {
                "booth_type_name": f"Type {rate}",
                "booth_type_key": f"type-{rate}",
                "price_model": "fixed",
                "price": 100,
                "tax_rate": rate,
            },
        )["id"]
        for rate in rates.values()
    }
    booths = {number: hall(number, type=types[rate]) for number, rate in rates.items()}
    agreed = reserve(booths["A1"], exhibitor("C-1"), final_price=500)
    moved = organiser.post(
        f"/booth-reservations/{agreed['id']}/move", {"booth_id": booths["A2"]}, status=200
    ).json["data"]
    assert (agreed["tax_rate"], moved["tax_rate"]) == (7, 19)
    assert (moved["final_price"], moved["is_negotiated"]) == (500, True)
    assert moved["price_breakdown"] == agreed["price_breakdown"]


def test_a_refused_move_changes_nothing(
    organiser, hall, exhibitor, reserve, make_overdue, reservation_status, db
):
    mine = reserve(hall("A1", 0, 0), exhibitor("C-1"))
    theirs = reserve(hall("A2", 9000, 0), exhibitor("C-2"))
    over = hall("A3", 9500, 0)
    address = f"/booth-reservations/{mine['id']}"
    for booth in (theirs["booth_id"], over):
        found = refused(
            organiser.patch(
                address,
                {"booth_id": booth, "notes": "new", "final_price": 1, "status": "confirmed"},
            )
        )
        assert found["blocked_by"]["booth_number"] == "A2"
    assert organiser.data(address) == mine
    waiting = reserve(theirs["booth_id"], exhibitor("C-3"), waitlist=True)
    make_overdue(theirs)
    refused(organiser.post(f"{address}/move", {"booth_id": theirs["booth_id"]}))
    assert (reservation_status(theirs["id"]), reservation_status(waiting["id"])) == (
        "expired",
        "pending",
    )
    assert faults(organiser.post(f"{address}/move", {"booth_id": 999})) == [
        ("/booth_id", "unknown")
    ]
    assert organiser.data(address) == mine


def test_a_move_to_a_booth_that_only_the_own_booth_overlaps_is_allowed(
    organiser, hall, exhibitor, reserve
):
    mine, over = reserve(hall("A1", 0, 0), exhibitor("C-1")), hall("A2", 1000, 0)
    assert (
        organiser.post(
            f"/booth-reservations/{mine['id']}/move", {"booth_id": over}, status=200
        ).json["data"]["booth_number"]
        == "A2"
    )


# Changing


def test_setting_status_in_the_body_runs_the_action(
    organiser, hall, exhibitor, reserve, event_names, booth_status
):
    reservation = reserve(hall("A1"), exhibitor("C-1"))
    address = f"/booth-reservations/{reservation['id']}"
    confirmed = organiser.patch(address, {"status": "confirmed"}, status=200).json["data"]
    assert organiser.put(address, confirmed, status=200).json["data"] == confirmed
    for status in ("pending", "expired", "waitlisted"):
        refused(organiser.patch(address, {"status": status}), "invalid_transition")
    body = {**confirmed, "status": "cancelled", "cancellation_reason": "Bankrupt"}
    cancelled = organiser.put(address, body, status=200).json["data"]
    assert (cancelled["status"], cancelled["cancellation_reason"]) == ("cancelled", "Bankrupt")
    assert cancelled["cancelled_at"]
    assert booth_status(1) == "available" and event_names("booth")[-2:] == [
        "booth.updated",
        "booth.unassigned",
    ]
    refused(organiser.post(f"{address}/confirm"), "invalid_transition")
    organiser.delete(address, status=204)
    assert organiser.data(address) == cancelled


def test_the_participant_of_a_reservation_cannot_change(organiser, hall, exhibitor, reserve):
    reservation = reserve(hall("A1"), exhibitor("C-1"))
    address = f"/booth-reservations/{reservation['id']}"
    wrong = {
        "participant_id": exhibitor("C-2"),
        "waitlist": True,
        "cancellation_reason": "x",
        "final_price": 0.001,
    }
    assert faults(organiser.patch(address, wrong)) == [
        ("/event_participant_id", "fixed"),
        ("/final_price", "decimals"),
        ("/cancellation_reason", "disagrees"),
        ("/waitlist", "disagrees"),
    ]


# Cascades and lists


def test_cancelling_a_participant_cancels_all_its_reservations(
    organiser, hall, exhibitor, reserve, reservation_status, booth_status
):
    leaving, other = exhibitor("C-1"), exhibitor("C-2")
    sold, held = reserve(hall("A1"), leaving, status="confirmed"), reserve(hall("A2"), leaving)
    theirs = reserve(hall("A3"), other)
    place = reserve(theirs["booth_id"], leaving, waitlist=True)
    behind = reserve(sold["booth_id"], other, waitlist=True)
    organiser.post(f"/participants/{leaving}/cancel", status=200)
    assert [reservation_status(found["id"]) for found in (sold, held, place, theirs, behind)] == [
        "cancelled"
    ] * 3 + ["pending"] * 2
    assert [booth_status(id) for id in (1, 2, 3)] == ["reserved", "available", "reserved"]
    assert (
        organiser.data(f"/booth-reservations/{sold['id']}")["cancellation_reason"]
        == "The participation was cancelled."
    )


def test_a_participant_with_reservations_cannot_be_deleted(organiser, hall, exhibitor, reserve):
    participant = exhibitor("C-1")
    reservation = reserve(hall("A1"), participant)
    organiser.delete(f"/booth-reservations/{reservation['id']}", status=204)
    assert refused(organiser.delete(f"/participants/{participant}"), "in_use")["used_by"] == [
        "booth reservations"
    ]


def test_the_list_is_filtered_and_includes_related_records(organiser, hall, exhibitor, reserve):
    first = reserve(hall("A1"), exhibitor("C-1"))
    second = reserve(hall("A2"), exhibitor("C-2"), status="confirmed")
    for query in (
        "event_key=garden&booth_id=2",
        "booth_id=2",
        f"participant_id={second['event_participant_id']}",
        "status=confirmed",
        f"event_participant_id={second['event_participant_id']}",
        "event_id=1&status=confirmed",
    ):
        assert [found["id"] for found in organiser.data(f"/booth-reservations?{query}")] == [
            second["id"]
        ], query
    assert [found["id"] for found in organiser.data("/booth-reservations?status=pending")] == [
        first["id"]
    ]
    assert (
        organiser.data("/booth-reservations?event_key=no")
        == organiser.data("/booth-reservations?booth_id=99")
        == []
    )
    found = organiser.data(
        "/booth-reservations?include=booth,participant&sort=booth_number&order=ASC"
    )[0]
    assert (
        found["booth"]["plan_name"],
        found["booth"]["area"],
        found["participant"]["company_name"],
    ) == ("Hall A", 6, "C-1 GmbH")
    actions = organiser.data(f"/booth-reservations/{second['id']}?include=allowed_actions")[
        "allowed_actions"
    ]
    assert actions == ["cancel", "move", "swap"]


def test_reservation_events_need_the_scope_of_booths(organiser, hall, exhibitor, reserve, db):
    reserve(hall("A1"), exhibitor("C-1"))
    scopes = {
        scope
        for (scope,) in db.connection.execute(
            "SELECT scope FROM outgoing_events WHERE entity_type IN ('booth', 'booth_reservation')"
        )
    }
    assert scopes == {"booths"}


def test_unblocking_a_booth_offers_it_to_its_waiting_list(
    organiser, hall, exhibitor, reserve, reservation_status
):
    booth = hall("A1")
    organiser.patch(f"/booths/{booth}", {"status": "blocked"}, status=200)
    waiting = reserve(booth, exhibitor("C-1"), waitlist=True)
    organiser.patch(f"/booths/{booth}", {"status": "available"}, status=200)
    assert reservation_status(waiting["id"]) == "pending"


# Invariants after random steps

WALKS = [
    ("POST", "confirm", None),
    ("POST", "cancel", None),
    ("POST", "extend", {"expires_at": "2099-01-01T00:00:00Z"}),
    ("POST", "move", {"booth_id": 1}),
    ("POST", "move", {"booth_id": 2}),
    ("POST", "move", {"booth_id": 4}),
]


@pytest.mark.parametrize("seed", range(3))
def test_booths_and_reservations_agree_after_random_steps(
    organiser, hall, exhibitor, make_overdue, db, monkeypatch, seed
):
    """Random steps. A1 overlaps A2, and A2 overlaps A3."""
    random = Random(seed)
    monkeypatch.setattr(booking, "MAX_HOLD_PERIOD", timedelta(days=40000))
    booths = [hall("A1", 0, 0), hall("A2", 2000, 0), hall("A3", 4000, 0), hall("A4")]
    people, met = [exhibitor(f"C-{number}") for number in range(5)], set()
    for _ in range(150):
        ids, held = live(db, "'pending', 'confirmed', 'waitlisted'"), live(db, "'pending'")
        step = random.random()
        if step < 0.4 or not ids:
            answer = organiser.post(
                "/booth-reservations",
                {
                    "booth_id": random.choice(booths),
                    "event_participant_id": random.choice(people),
                    "waitlist": random.random() < 0.7,
                },
            )
        elif step < 0.85:
            method, action, body = random.choice(WALKS)
            answer = organiser(method, f"/booth-reservations/{random.choice(ids)}/{action}", body)
        elif step < 0.95:
            for id in random.sample(held, min(1, len(held))):
                make_overdue(organiser.data(f"/booth-reservations/{id}"))
        else:
            booking.expire_due(db, 1)
        met.add((answer.status_int, answer.json.get("code")))
        agree(db)
    assert met == {
        (200, None),
        (201, None),
        (409, "booth_unavailable"),
        (409, "invalid_transition"),
        (409, "duplicate"),
    }
    assert journal.verify(db) == []


def live(db, states):
    return [
        id
        for (id,) in db.connection.execute(
            f"SELECT id FROM booth_reservations WHERE status IN ({states}) ORDER BY id"
        )
    ]


def agree(db):
    """Check that booths and reservations agree.

    The status of each booth follows from its reservations, no two reserved booths overlap, and no
    booth is available while somebody is on its waiting list.
    """
    taken = dict(
        db.connection.execute(
            "SELECT booth_number, status FROM booth_reservations WHERE status IN ('pending', 'confirmed')"
        )
    )
    assert not {"A1", "A2"} <= taken.keys() and not {"A2", "A3"} <= taken.keys()
    reservation_status = dict(db.connection.execute("SELECT booth_number, status FROM booths"))
    assert reservation_status == {
        number: {"pending": "reserved", "confirmed": "sold"}.get(taken.get(number), "available")
        for number in reservation_status
    }
    over = {"A1": {"A1", "A2"}, "A2": {"A1", "A2", "A3"}, "A3": {"A2", "A3"}, "A4": {"A4"}}
    for (number,) in db.connection.execute(
        "SELECT booth_number FROM booth_reservations WHERE status = 'waitlisted'"
    ):
        assert over[number] & taken.keys(), f"{number} is free, and somebody waits for it"
