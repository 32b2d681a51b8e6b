"""Booths."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi.domain.halls import booth_rows, pricing
from eventapi.errors import Problem
from eventapi.storage.statements import statements
from tests.support.plans import add_plan

ROW = {"booth_type_name": "Row", "price_model": "per_m2", "price": 189.5}
PARTICIPANTS = statements("participants")


@pytest.fixture
def exhibitor(organiser, hall):
    """Create a participant of the fair in a category with a base price of 450."""
    organiser.make("/contacts", {"company_name": "Tantau", "customer_number": "T1"})
    organiser.make("/categories", {"title": "Plants", "category_key": "plants", "base_price": 450})
    return organiser.make(
        "/participants", {"event_key": "fair", "customer_number": "T1", "category_key": "plants"}
    )


def reserve(db, booth, participant, status="pending", expires_at="2099-01-01T00:00:00Z"):
    """Insert a reservation and set the status of the booth to match."""
    with db.write():
        db.connection.execute(
            """
            INSERT INTO booth_reservations (booth_id, event_id, event_participant_id, status, expires_at, created_at,
              updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (booth["id"], booth["event_id"], participant["id"], status, expires_at, db.now, db.now),
        )
        if status in ("pending", "confirmed"):
            held = status == "pending"
            booth_rows.set_status(
                db, booth["id"], "reserved" if held else "sold", expires_at if held else None
            )


def actions(db, entity_type="booth"):
    return [
        action
        for (action,) in db.connection.execute(
            "SELECT action FROM audit_log WHERE entity_type = ? ORDER BY id", (entity_type,)
        )
    ]


def pointers(answer):
    return [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]]


def test_a_booth_is_created_read_changed_and_deleted(organiser, hall, db):
    organiser.make("/booths/types", {**ROW, "color": "#2e7d32", "tax_rate": 7})
    booth = organiser.make(
        "/booths",
        {
            "plan_id": hall,
            "booth_type_key": "row",
            "width": 4,
            "depth": 2.5,
            "pos_x": 10,
            "pos_y": 0.125,
            "rotation": 45,
        },
    )
    assert booth["dimensions"] == {"width": 4, "depth": 2.5, "area": 10}
    assert booth["position"] == {"x": 10, "y": 0.125, "rotation": 45}
    assert (
        booth["event_key"] == "fair"
        and booth["event_title"] == "Fair"
        and booth["plan_name"] == "Hall A"
    )
    assert (
        booth["booth_type_key"] == "row"
        and booth["booth_type_name"] == "Row"
        and booth["color"] == "#2e7d32"
    )
    assert booth["price"] == 1895 and booth["tax_rate"] == 7 and booth["status"] == "available"
    assert booth["event_participant_id"] is None
    assert booth["price_breakdown"] == {
        "model": "per_m2",
        "unit_price": 189.5,
        "area": 10,
        "total": 1895,
    }
    address = f"/booths/{booth['id']}"
    assert organiser.data(address) == booth and organiser.data("/booths?include=custom_fields") == [
        booth
    ]
    changed = organiser.patch(address, {"width": 8}, status=200).json["data"]
    assert changed["dimensions"]["area"] == 20 and changed["price"] == 3790
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert actions(db) == ["created", "updated", "deleted"]


def test_defaults_are_three_by_three_and_not_placed(organiser, hall):
    booth = organiser.make("/booths", {"plan_id": hall})
    assert booth["dimensions"] == {"width": 3, "depth": 3, "area": 9} and booth["position"] is None
    assert booth["tax_rate"] == 19
    assert booth["price"] is None and booth["price_breakdown"]["model"] == "none"


# Numbers


def test_booth_numbers_continue_after_the_letter_of_the_area(organiser, hall, db):
    def add(plan, **more):
        return organiser.make("/booths", {"plan_id": plan, **more})["booth_number"]

    assert [
        add(hall),
        add(hall),
        add(hall, booth_number="a41"),
        add(hall),
        add(hall, booth_number="A-99"),
    ] == ["A1", "A2", "a41", "A42", "A-99"]
    other = add_plan(db, "fair", "Hall 3", "Hall 3")
    assert [add(other), add(hall), add(other)] == ["1", "A43", "2"]


def test_very_long_numbers_do_not_break_the_numbering(organiser, hall):
    for number in ("A999999999", "A99999999999999999999"):
        organiser.make("/booths", {"plan_id": hall, "booth_number": number})
    assert [organiser.make("/booths", {"plan_id": hall})["booth_number"] for _ in range(2)] == [
        "A1000000000",
        "A1000000001",
    ]


def test_booth_numbers_are_unique_within_an_event_ignoring_case(organiser, hall, db):
    first = organiser.make("/booths", {"plan_id": hall, "booth_number": "A1"})
    organiser.make("/booths", {"plan_id": hall, "booth_number": "A2"})
    other_hall = add_plan(db, "fair", "Hall B")
    answer = organiser.post("/booths", {"plan_id": other_hall, "booth_number": "a1"}, status=409)
    assert (answer.json["code"], answer.json["member"], answer.json["booth_id"]) == (
        "duplicate",
        "booth_number",
        first["id"],
    )
    organiser.patch(f"/booths/{first['id']}", {"booth_number": "a2"}, status=409)
    assert (
        organiser.patch(f"/booths/{first['id']}", {"booth_number": "a1"}, status=200).json["data"][
            "booth_number"
        ]
        == "a1"
    )
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    organiser.make("/booths", {"plan_id": add_plan(db, "other", "Hall A"), "booth_number": "A1"})


# Position and size


@pytest.mark.parametrize(
    "body, expected",
    [
        ({"width": 0}, ("/width", "exclusive_minimum")),
        ({"depth": -1}, ("/depth", "exclusive_minimum")),
        ({"width": 1000.001}, ("/width", "maximum")),
        ({"width": 3.0005}, ("/width", "decimals")),
        ({"pos_x": 0.0005}, ("/pos_x", "decimals")),
        ({"rotation": 360}, ("/rotation", "maximum")),
        ({"fixed_price": 1.001}, ("/fixed_price", "decimals")),
        ({"plan_id": 99}, ("/plan_id", "unknown")),
        ({"booth_type_key": "none"}, ("/booth_type_key", "unknown")),
        ({"formula_id": 99}, ("/formula_id", "unknown")),
    ],
)
def test_invalid_values_are_refused(organiser, hall, body, expected):
    assert pointers(organiser.post("/booths", {"plan_id": hall, **body}, status=422)) == [expected]


def test_all_faults_are_reported_together(organiser, hall):
    body = {
        "plan_id": 99,
        "booth_type_id": 99,
        "width": 1.0005,
        "tax_rate": 1.005,
        "pos_y": 3,
        "status": "sold",
    }
    assert sorted(pointers(organiser.post("/booths", body, status=422))) == [
        ("/booth_type_id", "unknown"),
        ("/plan_id", "unknown"),
        ("/status", "follows_reservations"),
        ("/tax_rate", "decimals"),
        ("/width", "decimals"),
    ]


def test_a_booth_is_placed_moved_and_taken_off_the_plan(organiser, hall):
    address = f"/booths/{organiser.make('/booths', {'plan_id': hall, 'rotation': 90})['id']}"
    assert organiser.patch(address, {"pos_x": 1, "pos_y": 2}, status=200).json["data"][
        "position"
    ] == {"x": 1, "y": 2, "rotation": 90}
    assert organiser.patch(address, {"pos_x": 5}, status=200).json["data"]["position"]["x"] == 5
    assert pointers(organiser.patch(address, {"pos_x": None}, status=422)) == [
        ("/pos_x", "incomplete")
    ]
    assert (
        organiser.patch(address, {"pos_x": None, "pos_y": None}, status=200).json["data"][
            "position"
        ]
        is None
    )
    assert organiser.patch(address, {"pos_y": 4}, status=200).json["data"]["position"] == {
        "x": 0,
        "y": 4,
        "rotation": 90,
    }


@pytest.mark.parametrize(
    "sent, position",
    [
        ({"pos_x": 1.5}, {"x": 1.5, "y": 0, "rotation": 0}),
        ({"pos_y": 2}, {"x": 0, "y": 2, "rotation": 0}),
        ({"pos_x": None, "pos_y": 2}, {"x": 0, "y": 2, "rotation": 0}),
        ({"rotation": 90}, None),
        ({}, None),
        ({"pos_x": None}, None),
        ({"pos_x": 0, "pos_y": 0}, {"x": 0, "y": 0, "rotation": 0}),
    ],
)
def test_a_missing_coordinate_is_zero_and_a_booth_without_coordinates_is_unplaced(
    organiser, hall, sent, position
):
    booth = organiser.make("/booths", {"plan_id": hall, **sent})
    assert booth["position"] == position and booth["dimensions"] == {
        "width": 3,
        "depth": 3,
        "area": 9,
    }


def test_unplaced_booths_overlap_nothing(organiser, hall, exhibitor):
    others = [
        organiser.make("/booths", {"plan_id": hall, "fixed_price": 100, **place})
        for place in ({"pos_x": 0, "pos_y": 0}, {}, {})
    ]
    for booth in others:
        organiser.make(
            "/booth-reservations",
            {"booth_id": booth["id"], "event_participant_id": exhibitor["id"]},
        )
    assert [warning["code"] for warning in organiser.data(f"/plans/{hall}/checks")["warnings"]] == [
        "unplaced"
    ] * 2


def test_a_booth_with_reservations_cannot_move_to_another_event(organiser, hall, exhibitor, db):
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    elsewhere, beside = add_plan(db, "other", "Hall A"), add_plan(db, "fair", "Hall B")
    booth = organiser.make("/booths", {"plan_id": hall})
    address = f"/booths/{booth['id']}"
    assert (
        organiser.patch(address, {"plan_id": elsewhere}, status=200).json["data"]["event_key"]
        == "other"
    )
    organiser.patch(address, {"plan_id": hall}, status=200)
    reserve(db, booth, exhibitor, "cancelled")
    answer = organiser.patch(address, {"plan_id": elsewhere}, status=409)
    assert (answer.json["code"], answer.json["used_by"]) == ("in_use", ["reservations"])
    assert (
        organiser.patch(address, {"plan_id": beside}, status=200).json["data"]["plan_name"]
        == "Hall B"
    )


def test_a_booth_with_past_reservations_cannot_be_deleted(organiser, hall, exhibitor, db):
    booth = organiser.make("/booths", {"plan_id": hall})
    reserve(db, booth, exhibitor, "cancelled")
    answer = organiser.delete(f"/booths/{booth['id']}", status=409)
    assert (answer.json["code"], answer.json["used_by"]) == ("in_use", ["reservations"])


# Status


def test_a_booth_can_be_blocked_and_released(organiser, hall):
    booth = organiser.make(
        "/booths", {"plan_id": hall, "status": "blocked", "blocked_reason": "Fire exit"}
    )
    assert (booth["status"], booth["blocked_reason"]) == ("blocked", "Fire exit")
    free = organiser.patch(f"/booths/{booth['id']}", {"status": "available"}, status=200).json[
        "data"
    ]
    assert (free["status"], free["blocked_reason"]) == ("available", None)
    for status in ("reserved", "sold"):
        assert pointers(
            organiser.patch(f"/booths/{booth['id']}", {"status": status}, status=422)
        ) == [("/status", "follows_reservations")]


@pytest.mark.parametrize("status, read", [("pending", "reserved"), ("confirmed", "sold")])
def test_a_reserved_or_sold_booth_cannot_be_blocked_or_released(
    organiser, hall, exhibitor, db, status, read
):
    booth = organiser.make("/booths", {"plan_id": hall})
    reserve(db, booth, exhibitor, status)
    address = f"/booths/{booth['id']}"
    record = organiser.data(address)
    assert (record["status"], record["event_participant_id"]) == (read, exhibitor["id"])
    assert organiser.put(address, record, status=200).json["data"] == record, (
        "a booth that was read can be sent back"
    )
    for wanted in ("blocked", "available"):
        answer = organiser.patch(address, {"status": wanted}, status=409).json
        assert answer["code"] == "booth_unavailable" and answer["blocked_by"]["status"] == status
    assert organiser.patch(address, {"width": 5}, status=200).json["data"]["status"] == read


def test_a_booth_with_an_overdue_hold_reads_as_available(organiser, hall, exhibitor, db):
    booth = organiser.make("/booths", {"plan_id": hall})
    reserve(db, booth, exhibitor, expires_at="2020-01-01T00:00:00Z")
    record = organiser.data(f"/booths/{booth['id']}")
    assert (record["status"], record["event_participant_id"]) == ("available", None)
    assert organiser.data("/booths?status=available&include=custom_fields") == [record]
    assert organiser.data("/booths?status=reserved") == []


def test_a_booth_with_an_overdue_hold_stays_reserved_for_its_waiting_list(
    organiser, hall, exhibitor, db
):
    booth = organiser.make("/booths", {"plan_id": hall})
    reserve(db, booth, exhibitor, expires_at="2020-01-01T00:00:00Z")
    organiser.make("/contacts", {"company_name": "Kordes", "customer_number": "K1"})
    reserve(
        db,
        booth,
        organiser.make("/participants", {"event_key": "fair", "customer_number": "K1"}),
        "waitlisted",
        None,
    )
    record = organiser.data(f"/booths/{booth['id']}")
    assert (record["status"], record["event_participant_id"]) == ("reserved", None)
    assert organiser.data("/booths?status=available") == []
    assert organiser.data("/booths?status=reserved&include=custom_fields") == [record]


def test_a_booth_with_an_overdue_hold_can_be_blocked(organiser, hall, exhibitor, db):
    booth = organiser.make("/booths", {"plan_id": hall})
    reserve(db, booth, exhibitor, expires_at="2020-01-01T00:00:00Z")
    blocked = organiser.patch(f"/booths/{booth['id']}", {"status": "blocked"}, status=200).json[
        "data"
    ]
    assert (blocked["status"], blocked["event_participant_id"]) == ("blocked", None)
    assert db.connection.execute("SELECT status FROM booth_reservations").fetchall() == [
        ("expired",)
    ]


@pytest.mark.parametrize(
    "change", [{"pos_x": 20}, {"width": 1}, {"pos_x": None, "pos_y": None}, {"rotation": 90}]
)
def test_moving_a_booth_away_offers_the_overlapped_booth_to_its_waiting_list(
    organiser, hall, exhibitor, db, change
):
    organiser.make("/booths/types", ROW)
    sold = organiser.make(
        "/booths", {"plan_id": hall, "pos_x": 0, "pos_y": 0, "width": 5, "depth": 1}
    )
    wanted = organiser.make(
        "/booths",
        {"plan_id": hall, "pos_x": 4, "pos_y": 0, "width": 3, "depth": 1, "booth_type_key": "row"},
    )
    reserve(db, sold, exhibitor, "confirmed")
    reserve(db, wanted, exhibitor, "waitlisted", None)
    organiser.patch(f"/booths/{sold['id']}", {"notes": "Not moved"}, status=200)
    assert organiser.data(f"/booths/{wanted['id']}")["status"] == "available"
    organiser.patch(f"/booths/{sold['id']}", change, status=200)
    assert organiser.data(f"/booths/{wanted['id']}")["status"] == "reserved"


@pytest.mark.parametrize("change", [{"pos_x": 2}, {"width": 9}, {"rotation": 90}])
def test_a_reserved_booth_cannot_move_onto_another_reserved_booth(
    organiser, hall, exhibitor, db, change
):
    organiser.make("/booths/types", ROW)
    long = {
        "plan_id": hall,
        "booth_type_key": "row",
        "pos_x": 10,
        "pos_y": 10,
        "width": 7,
        "depth": 1,
    }
    mine = organiser.make("/booths", {**long, "booth_number": "A1"})
    for place, at in enumerate(({"pos_x": 2}, {"pos_x": 18}, {"pos_x": 13, "pos_y": 12})):
        reserve(
            db,
            organiser.make(
                "/booths", {**long, **at, "width": 1 + place, "booth_number": f"B{place}"}
            ),
            exhibitor,
            "confirmed",
        )
    address = f"/booths/{mine['id']}"
    # Allowed without a reservation: the checks of the plan report the overlap.
    organiser.patch(address, change, status=200)
    organiser.patch(address, {"pos_x": 10, "width": 7, "rotation": 0}, status=200)
    reserve(db, mine, exhibitor)
    over = organiser.patch(address, change, status=409).json
    assert over["code"] == "booth_unavailable" and over["blocked_by"]["booth_number"].startswith(
        "B"
    )
    with db.write():
        db.connection.execute(
            "UPDATE booth_reservations SET expires_at = '2020-01-01T00:00:00Z' WHERE booth_id = ?",
            (mine["id"],),
        )
    organiser.patch(address, change, status=200)


def test_unblocking_a_booth_offers_it_to_its_waiting_list(organiser, hall, exhibitor, db):
    organiser.make("/booths/types", ROW)
    booth = organiser.make(
        "/booths", {"plan_id": hall, "booth_type_key": "row", "status": "blocked"}
    )
    reserve(db, booth, exhibitor, "waitlisted", None)
    offered = organiser.patch(f"/booths/{booth['id']}", {"status": "available"}, status=200).json[
        "data"
    ]
    assert (offered["status"], offered["event_participant_id"]) == ("reserved", exhibitor["id"])


# Lists


def test_a_list_is_filtered(organiser, hall, db):
    organiser.make("/booths/types", ROW)
    other = add_plan(db, "fair", "Hall B")
    for number, body in {
        "1": {"booth_type_key": "row"},
        "2": {"width": 6, "fixed_price": 900},
        "3": {"status": "blocked"},
        "x": {"plan_id": other},
    }.items():
        organiser.make("/booths", {"plan_id": hall, "booth_number": number, **body})

    def found(query):
        return [
            booth["booth_number"]
            for booth in organiser.data(f"/booths?sort=booth_number&order=ASC&{query}")
        ]

    assert found("event_key=fair") == ["1", "2", "3", "x"] and found("event_key=none") == []
    assert found(f"plan_id={other}") == ["x"] and found("status=blocked") == ["3"]
    assert found("status=available") == ["1", "2", "x"]
    assert found("booth_type_key=row") == ["1"] and found("min_area=9.000001") == ["2"]
    assert found("min_area=9") == ["1", "2", "3", "x"] and found("min_area=9.0000001") == ["2"]
    assert found("max_area=9") == ["1", "3", "x"]
    assert found("max_price=1705.50") == ["1", "2"] and found("max_price=1705.499") == ["2"]
    assert found("booth_number=X") == ["x"]
    assert [booth["price"] for booth in organiser.data("/booths?sort=price&order=DESC")] == [
        1705.5,
        900,
        None,
        None,
    ]


def test_a_list_names_the_exhibitors_for_those_who_may_read_them(organiser, person, hall, db):
    participants = []
    for number in ("T1", "T2", "T3"):
        contact = {"T1": {"company_name": "Tantau"}, "T2": {"last_name": "Sommer"}}.get(number, {})
        contact = {"email": f"{number}@flora.example", "customer_number": number, **contact}
        organiser.make("/contacts", {"last_name": "Late", **contact})
        body = {"event_key": "fair", "customer_number": number}
        participants.append(organiser.make("/participants", body))
    booths = [organiser.make("/booths", {"plan_id": hall}) for _ in range(4)]
    reserve(db, booths[0], participants[0], "confirmed", None)
    reserve(db, booths[1], participants[1])
    reserve(db, booths[2], participants[2], expires_at="2020-01-01T00:00:00Z")

    rows = organiser.data("/booths?include=exhibitor&sort=id&order=ASC")
    expected = [
        {
            "participant_id": participants[0]["id"],
            "name": "Tantau",
            "status": "confirmed",
            "expires_at": None,
        },
        {
            "participant_id": participants[1]["id"],
            "name": "Sommer",
            "status": "pending",
            "expires_at": "2099-01-01T00:00:00Z",
        },
        None,  # the hold has run out
        None,
    ]
    assert [row["exhibitor"] for row in rows] == expected
    one = organiser.data(f"/booths/{booths[1]['id']}?include=exhibitor")
    assert one["exhibitor"]["name"] == "Sommer"
    table = organiser.get("/booths?include=exhibitor", headers={"Accept": "text/csv"}).text
    assert "exhibitor.name" in table.splitlines()[0] and ",Tantau," in table

    reader = person("booths:read")
    assert "exhibitor" not in reader.data("/booths")[0]
    for address in ("/booths", f"/booths/{booths[0]['id']}"):
        refused = reader.get(f"{address}?include=exhibitor", status=403)
        assert refused.json["scope"] == "participants:read"
    both = person("booths:read participants:read").data(
        "/booths?include=exhibitor&sort=id&order=ASC"
    )
    assert [row["exhibitor"] for row in both] == expected


# Price


def test_a_fixed_price_overrides_the_formula_and_a_formula_overrides_the_type(organiser, hall):
    organiser.make("/booths/types", ROW)
    formula = organiser.make(
        "/booths/formulas", {"name": "f", "expression": "{booth_size} * 100 + {days}"}
    )
    booth = organiser.make(
        "/booths",
        {
            "plan_id": hall,
            "booth_type_key": "row",
            "formula_id": formula["id"],
            "fixed_price": 500.5,
        },
    )
    assert (booth["price"], booth["price_breakdown"]) == (
        500.5,
        {"model": "fixed_price", "total": 500.5},
    )
    address = f"/booths/{booth['id']}"
    booth = organiser.patch(address, {"fixed_price": None}, status=200).json["data"]
    assert booth["price"] == 903
    assert booth["price_breakdown"] == {
        "model": "formula",
        "formula": "f",
        "expression": "{booth_size} * 100 + {days}",
        "total": 903,
        "result_type": "currency",
        "values": {"booth_size": 9, "days": 3},
    }
    assert (
        organiser.patch(address, {"formula_id": None}, status=200).json["data"]["price"] == 1705.5
    )
    assert (
        organiser.patch(address, {"booth_type_key": None}, status=200).json["data"]["price"] is None
    )


@pytest.mark.parametrize(
    "width, depth, price",
    [(3, 3, 1800.09), (0.001, 0.001, 0), (2.5, 1.999, 999.55), (0.005, 0.005, 0.01)],
)
def test_a_price_per_square_metre_is_exact_and_rounded_once(organiser, hall, width, depth, price):
    organiser.make("/booths/types", {**ROW, "price": 200.01})
    assert (
        organiser.make(
            "/booths", {"plan_id": hall, "booth_type_key": "row", "width": width, "depth": depth}
        )["price"]
        == price
    )


def test_the_tax_rate_comes_from_the_booth_then_its_type_then_the_tenant(organiser, hall):
    row = organiser.make("/booths/types", {**ROW, "tax_rate": 7})
    booth = organiser.make("/booths", {"plan_id": hall, "booth_type_key": "row"})
    address = f"/booths/{booth['id']}"
    organiser.put(address, booth, status=200)
    organiser.patch(f"/booths/types/{row['id']}", {"tax_rate": None}, status=200)
    assert organiser.data(address)["tax_rate"] == 19, (
        "sending it back does not make it the rate of the booth"
    )
    organiser.patch(address, {"tax_rate": 7.5}, status=200)
    organiser.patch(f"/booths/types/{row['id']}", {"tax_rate": 3}, status=200)
    assert organiser.data(address)["tax_rate"] == 7.5
    assert organiser.patch(address, {"tax_rate": None}, status=200).json["data"]["tax_rate"] == 3


def test_changing_the_dates_of_the_event_updates_the_prices(organiser, hall, prices):
    formula = organiser.make("/booths/formulas", {"name": "days", "expression": "900 / {days}"})
    organiser.make("/booths", {"plan_id": hall, "formula_id": formula["id"], "booth_number": "1"})
    event = organiser.data("/events")[0]
    assert prices() == {"1": 300}
    organiser.patch(f"/events/{event['id']}", {"date_to": "2027-05-02"}, status=200)
    assert prices() == {"1": 450}
    organiser.patch(f"/events/{event['id']}", {"date_from": None, "date_to": None}, status=200)
    assert prices() == {"1": None}
    assert "dates of the event" in organiser.data("/booths")[0]["price_breakdown"]["note"]


def test_a_price_that_depends_on_the_participant_is_null_until_reserved(
    organiser, hall, exhibitor, db
):
    formula = organiser.make(
        "/booths/formulas", {"name": "fee", "expression": "{category_price} * 2 + {booth_width}"}
    )
    booth = organiser.make("/booths", {"plan_id": hall, "formula_id": formula["id"]})
    assert booth["price"] is None and "category" in booth["price_breakdown"]["note"]
    with db.write():
        row = booth_rows.row(db, booth["id"])
        quoted = pricing.quote(db, row, db.one(PARTICIPANTS.get, id=exhibitor["id"]))
        assert pricing.quote(db, row)["price"] is None
    assert (quoted["price"], quoted["tax_rate"]) == (90300, 1900)
    assert quoted["breakdown"]["values"] == {"category_price": 450, "booth_width": 3}
    assert quoted["breakdown"]["total"] == 903


def test_a_formula_that_fails_for_a_participant_is_reported_and_no_category_means_no_fee(
    organiser, hall, exhibitor, db
):
    formula = organiser.make(
        "/booths/formulas", {"name": "share", "expression": "1000 / {category_price}"}
    )
    booth = organiser.make("/booths", {"plan_id": hall, "formula_id": formula["id"]})
    participant = db.one(PARTICIPANTS.get, id=exhibitor["id"])
    assert pricing.quote(db, booth_rows.row(db, booth["id"]), participant)["price"] == 222
    with pytest.raises(Problem) as refused:
        pricing.quote(db, booth_rows.row(db, booth["id"]), {**participant, "category_id": None})
    assert [(entry["pointer"], entry["code"]) for entry in refused.value.errors] == [
        ("/booth_id", "impossible_price")
    ]
    assert "division by zero" in refused.value.errors[0]["detail"]


def test_a_formula_with_a_custom_field_has_no_price_and_a_note(organiser, hall, exhibitor, db):
    formula = organiser.make(
        "/booths/formulas",
        {"name": "field", "expression": "IF({booth_size} > 20, 100, {field:members} * 5)"},
    )
    small = organiser.make("/booths", {"plan_id": hall, "formula_id": formula["id"]})
    large = organiser.make("/booths", {"plan_id": hall, "formula_id": formula["id"], "width": 10})
    assert (small["price"], large["price"]) == (None, 100), "only the branch that is taken counts"
    assert "{field:members}" in small["price_breakdown"]["note"]
    with db.write():
        participant = db.one(PARTICIPANTS.get, id=exhibitor["id"])
        assert pricing.quote(db, booth_rows.row(db, small["id"]), participant)["price"] is None


def test_a_percentage_formula_applies_to_the_price_of_the_type(organiser, hall):
    organiser.make("/booths/types", ROW)
    formula = organiser.make(
        "/booths/formulas",
        {"name": "p", "expression": "IF({open_sides} > 1, 110, 90.5)", "result_type": "percentage"},
    )
    booth = organiser.make(
        "/booths", {"plan_id": hall, "formula_id": formula["id"], "booth_type_key": "row"}
    )
    assert booth["price"] == 1543.48 and booth["price_breakdown"]["percent"] == 90.5
    assert booth["price_breakdown"]["of"]["unit_price"] == 189.5
    without = organiser.patch(
        f"/booths/{booth['id']}", {"booth_type_id": None, "booth_type_key": None}, status=200
    ).json["data"]
    assert without["price"] is None and "type" in without["price_breakdown"]["note"]


@pytest.mark.parametrize(
    "expression", ["1 / ({booth_size} - 9)", "5 - {booth_size}", "{booth_size} * 1000000000000"]
)
def test_a_booth_that_its_formula_cannot_price_is_refused(organiser, hall, expression):
    formula = organiser.make("/booths/formulas", {"name": "f", "expression": expression})
    answer = organiser.post(
        "/booths", {"plan_id": hall, "formula_id": formula["id"], "booth_number": "A7"}, status=422
    )
    assert (
        pointers(answer) == [("/formula_id", "impossible_price")]
        and "A7" in answer.json["errors"][0]["detail"]
    )
    assert organiser.data("/booths") == []


def test_concurrent_requests_get_different_numbers(organiser, hall):
    with ThreadPoolExecutor(8) as pool:
        numbers = [
            booth["booth_number"]
            for booth in pool.map(lambda _: organiser.make("/booths", {"plan_id": hall}), range(40))
        ]
    assert sorted(numbers) == sorted(f"A{number}" for number in range(1, 41))
