"""Plans."""

import csv
import json

import pytest

from eventapi.domain.halls import layout_checks

HALL = {"event_key": "fair", "plan_name": "Hall 1", "width": 60, "height": 40.5}


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events", {"title": "Garden Fair", "event_key": "fair", "date_from": "2027-05-01"}
    )


@pytest.fixture
def hall(organiser, fair):
    return organiser.make("/plans", HALL)


@pytest.fixture
def build(organiser, hall):
    """Return build(x, y), which adds a booth to the hall.

    Metres; without arguments the booth has no position.
    """

    def booth(x=None, y=None, width=3, depth=3, **values):
        place = {} if x is None else {"pos_x": x, "pos_y": y}
        return organiser.make(
            "/booths", {"plan_id": hall["id"], "width": width, "depth": depth, **place, **values}
        )

    return booth


def warnings(client, plan, query=""):
    checked = client.data(f"/plans/{plan['id']}/checks{query}")
    assert checked["plan_id"] == plan["id"] and checked["is_complete"]
    return checked["warnings"]


def warning_summaries(client, plan, query=""):
    """Return (code, ids of the booths, distance) of each warning."""
    return [
        (found["code"], found["booth_ids"], found["measure"])
        for found in warnings(client, plan, query)
    ]


def furnish(client, plan, *objects):
    return client.patch(f"/plans/{plan['id']}", {"objects": list(objects)}, status=200).json["data"]


def journal(db, entity_type):
    return db.connection.execute(
        "SELECT action, entity_id FROM audit_log WHERE entity_type = ? ORDER BY id", (entity_type,)
    ).fetchall()


def reserve(client, booth):
    contact = client.make("/contacts", {"company_name": "Rose & Sons"})
    participant = client.make(
        "/participants", {"event_id": booth["event_id"], "contact_id": contact["id"]}
    )
    return client.make(
        "/booth-reservations",
        {"booth_id": booth["id"], "event_participant_id": participant["id"], "final_price": 900},
    )


def test_a_plan_is_created_read_changed_and_deleted(organiser, fair, db):
    plan = organiser.make(
        "/plans", {**HALL, "area_name": "North", "background_image": "https://example.org/hall.png"}
    )
    assert (plan["event_id"], plan["event_key"], plan["event_title"]) == (
        fair["id"],
        "fair",
        "Garden Fair",
    )
    assert (plan["plan_key"], plan["width"], plan["height"]) == ("hall-1", 60, 40.5)
    assert (plan["floor_plan_width"], plan["floor_plan_height"]) == (60, 40.5)
    assert plan["floor_plan_svg"] == f"http://localhost:80/api/v1/plans/{plan['id']}/svg"
    assert plan["is_active"] is True and plan["sort_order"] == 0 and plan["objects"] == []
    address = f"/plans/{plan['id']}"
    assert organiser.data(address) == plan
    changed = organiser.patch(address, {"width": 12.345, "is_active": False}, status=200).json[
        "data"
    ]
    assert changed == {
        **plan,
        "width": 12.345,
        "floor_plan_width": 12.345,
        "is_active": False,
        "updated_at": changed["updated_at"],
    }
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert [action for action, _ in journal(db, "plan")] == ["created", "updated", "deleted"]


def test_objects_are_stored_in_millimetres_and_replaced_as_a_whole(organiser, hall):
    door = {"kind": "door", "x": 28.123, "y": -0.2, "width": 4, "depth": 0.2, "label": " Entrance "}
    plan = furnish(organiser, hall, door, {"kind": "text", "x": 1, "y": 2})
    assert plan["objects"] == [
        {**door, "label": "Entrance"},
        {"kind": "text", "x": 1, "y": 2, "width": 1, "depth": 1, "label": None},
    ]
    assert (
        organiser.data(f"/plans?ids={hall['id']}&include=objects")[0]["objects"] == plan["objects"]
    )
    assert "objects" not in organiser.data("/plans")[0]
    assert furnish(organiser, hall)["objects"] == []


def test_all_faults_are_reported_together(organiser, fair):
    thing = {"kind": "door", "x": 0.0005, "y": 0, "width": 1.00005}
    errors = organiser.post(
        "/plans", {**HALL, "event_key": "nowhere", "width": 1.2345, "objects": [thing]}, status=422
    ).json["errors"]
    assert {(error["pointer"], error["code"]) for error in errors} == {
        ("/event_key", "unknown"),
        ("/width", "decimals"),
        ("/objects/0/x", "decimals"),
        ("/objects/0/width", "decimals"),
    }
    errors = organiser.post(
        "/plans",
        {
            **HALL,
            "width": -1,
            "height": 1000.5,
            "background_image": "javascript:alert(1)",
            "objects": [{"kind": "window", "x": 0}],
        },
        status=422,
    ).json["errors"]
    assert [error["pointer"] for error in errors] == [
        "/background_image",
        "/height",
        "/objects/0/kind",
        "/objects/0/y",
        "/width",
    ]


@pytest.mark.parametrize("size", (0, -3, 1001, "12", None))
def test_a_hall_has_a_size(organiser, fair, size):
    organiser.post("/plans", {**HALL, "width": size}, status=422)


def test_a_hall_has_at_most_two_thousand_objects(organiser, hall):
    pillar = {"kind": "pillar", "x": 1, "y": 1}
    organiser.patch(f"/plans/{hall['id']}", {"objects": [pillar] * 2000}, status=200)
    organiser.patch(f"/plans/{hall['id']}", {"objects": [pillar] * 2001}, status=422)


def test_keys_are_unique_within_an_event(organiser, hall):
    assert organiser.make("/plans", HALL)["plan_key"] == "hall-1-2"
    problem = organiser.post("/plans", {**HALL, "plan_key": "hall-1"}, status=409).json
    assert (problem["code"], problem["member"]) == ("duplicate", "plan_key")
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    other = organiser.make("/plans", {**HALL, "event_key": "other"})
    assert other["plan_key"] == "hall-1"
    assert (
        organiser.patch(f"/plans/{other['id']}", {"event_key": "fair"}, status=409).json["code"]
        == "duplicate"
    )
    organiser.patch(
        f"/plans/{other['id']}", {"event_key": "fair", "plan_key": "hall-9"}, status=200
    )


def test_a_plan_with_booths_cannot_move_to_another_event(organiser, hall, build):
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    build(0, 0)
    assert (
        organiser.patch(f"/plans/{hall['id']}", {"event_key": "other"}, status=409).json["code"]
        == "in_use"
    )
    assert organiser.data(f"/plans/{hall['id']}")["event_key"] == "fair"
    organiser.patch(
        f"/plans/{hall['id']}", {"event_key": "fair", "event_id": hall["event_id"]}, status=200
    )


def test_plans_are_filtered_and_sorted(organiser, hall):
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    organiser.make("/plans", {**HALL, "plan_name": "Attic", "is_active": False})
    organiser.make("/plans", {**HALL, "event_key": "other", "plan_name": "Meadow"})
    assert [
        plan["plan_name"]
        for plan in organiser.data("/plans?event_key=fair&sort=plan_name&order=asc")
    ] == ["Attic", "Hall 1"]
    assert [plan["plan_name"] for plan in organiser.data("/plans?is_active=0")] == ["Attic"]
    assert organiser.data("/plans?event_key=nowhere") == []


def test_included_booths_equal_the_booths_resource(organiser, hall, build):
    booths = [build(0, 0), build(3, 0)]
    empty = organiser.make("/plans", HALL)
    plans = organiser.data("/plans?include=booths,booth_count&order=asc")
    assert [(plan["id"], plan["booth_count"]) for plan in plans] == [
        (hall["id"], 2),
        (empty["id"], 0),
    ]
    assert plans[0]["booths"] == [organiser.data(f"/booths/{booth['id']}") for booth in booths]
    assert plans[1]["booths"] == []
    assert organiser.data(f"/plans/{hall['id']}?include=booth_count")["booth_count"] == 2


def test_booths_are_json_in_the_csv_of_plans(organiser, hall, build):
    build(0, 0)
    [row] = csv.DictReader(
        organiser.get(
            "/plans?include=booths", headers={"Accept": "text/csv"}, status=200
        ).text.splitlines()
    )
    assert json.loads(row["booths"])["dimensions"] == {"width": 3, "depth": 3, "area": 9}


def test_deleting_a_plan_deletes_its_booths(organiser, hall, build, db):
    booths = [build(0, 0)["id"], build()["id"]]
    organiser.delete(f"/plans/{hall['id']}", status=204)
    assert [row for row in journal(db, "booth") if row[0] == "deleted"] == [
        ("deleted", id) for id in booths
    ]
    for id in booths:
        organiser.get(f"/booths/{id}", status=404)


def test_a_plan_with_a_reserved_booth_cannot_be_deleted(organiser, hall, build):
    reservation = reserve(organiser, build(0, 0))
    organiser.post(f"/booth-reservations/{reservation['id']}/cancel", status=200)
    problem = organiser.delete(f"/plans/{hall['id']}", status=409).json
    assert (problem["code"], problem["used_by"]) == ("in_use", ["booth reservations"])


def test_deleting_an_event_deletes_its_plans_and_booths(organiser, fair, hall, build, db):
    booth = build(0, 0)
    organiser.delete(f"/events/{fair['id']}", status=204)
    assert journal(db, "plan")[-1] == ("deleted", hall["id"]) and journal(db, "booth")[-1] == (
        "deleted",
        booth["id"],
    )
    organiser.get(f"/plans/{hall['id']}", status=404)


def test_an_event_with_reservations_cannot_be_deleted(organiser, fair, build):
    reserve(organiser, build(0, 0))
    problem = organiser.delete(f"/events/{fair['id']}", status=409).json
    assert problem["used_by"] == ["booth reservations", "participants"]


# Checks


def test_a_tidy_hall_has_no_warnings(organiser, hall, build):
    for x in range(3, 57, 3):
        for y in (3, 8.5, 14):
            build(x, y)
    furnish(organiser, hall, {"kind": "door", "x": 28, "y": 40.3, "width": 4, "depth": 0.2})
    assert warnings(organiser, hall) == []


def test_overlapping_booths_are_reported_once(organiser, hall, build):
    a, b = build(10, 10), build(12.5, 12)
    [found] = warnings(organiser, hall)
    assert found == {
        "code": "overlap",
        "detail": f"Booth {a['booth_number']} and booth {b['booth_number']} overlap by 0.5 m.",
        "booth_ids": [a["id"], b["id"]],
        "object_index": None,
        "measure": 0.5,
    }


def test_warnings_write_booth_numbers_as_they_are(organiser, hall, build):
    furnish(organiser, hall, {"kind": "pillar", "x": 30, "y": 20, "width": 1, "depth": 1})
    build(10, 10, booth_number="Nord-A1"), build(12, 10, booth_number="Nord-A2")
    build(59, 20, booth_number="Süd-B1"), build(30, 20, booth_number="Mitte-C1")
    assert {
        found["code"]: found["detail"].split(" ", 2)[:2]
        for found in warnings(organiser, hall)
        if found["code"] != "narrow_aisle"
    } == {
        "overlap": ["Booth", "Nord-A1"],
        "outside": ["Booth", "Süd-B1"],
        "on_pillar": ["Booth", "Mitte-C1"],
    }


def test_adjoining_booths_do_not_overlap(organiser, hall, build):
    build(10, 10), build(13, 10), build(16.05, 10), build(10, 13)
    assert warnings(organiser, hall) == []


def test_a_booth_outside_the_hall_is_reported(organiser, hall, build):
    a, b = build(58, 10), build(0, 37.5)
    # turned it reaches from 2 to 4 across, 18 to 24 down
    turned = build(0, 20, width=6, depth=2, rotation=90)
    assert warning_summaries(organiser, hall) == [
        ("outside", [a["id"]], 1),
        ("narrow_aisle", [turned["id"]], 2),
    ]
    organiser.patch(f"/plans/{hall['id']}", {"height": 40}, status=200)
    assert ("outside", [b["id"]], 0.5) in warning_summaries(organiser, hall)


def test_aisles_are_measured_between_booths_and_to_the_walls(organiser, hall, build):
    a, b, c = build(10, 10), build(15, 10), build(1.2, 30)
    assert warning_summaries(organiser, hall) == [
        ("narrow_aisle", [a["id"], b["id"]], 2),
        ("narrow_aisle", [c["id"]], 1.2),
    ]
    assert warning_summaries(organiser, hall, "?min_aisle=1.5") == [
        ("narrow_aisle", [c["id"]], 1.2)
    ]
    assert warning_summaries(organiser, hall, "?min_aisle=1.2") == []


def test_an_aisle_is_measured_from_corner_to_corner(organiser, hall, build):
    a, b = build(10, 10), build(13.6, 13.8)
    assert warning_summaries(organiser, hall) == [("narrow_aisle", [a["id"], b["id"]], 1)]


def test_booths_of_one_row_have_no_aisle_between_them(organiser, hall, build):
    """Other booths fill the gap: behind each other, beside each other, and across."""
    for x in (10, 12, 14, 16):
        for y in (10, 12, 14):
            build(x, y, 2, 2)
    assert warnings(organiser, hall) == []


def test_the_warning_about_a_narrow_aisle_names_the_wall(organiser, hall, build):
    near, far = build(1, 2)["booth_number"], build(55, 36.5)["booth_number"]
    assert [found["detail"] for found in warnings(organiser, hall)] == [
        f"The aisle between booth {near} and the left wall is 1.0 m wide.",
        f"The aisle between booth {near} and the top wall is 2.0 m wide.",
        f"The aisle between booth {far} and the right wall is 2.0 m wide.",
        f"The aisle between booth {far} and the bottom wall is 1.0 m wide.",
    ]


@pytest.mark.parametrize("order", (1, -1))
def test_a_narrow_aisle_is_reported_for_facing_booths(organiser, hall, build, order):
    left = [build(10, y)["id"] for y in (10, 13, 16)]
    right = [build(15, y)["id"] for y in (10, 13, 16)[::order]][::order]
    assert warning_summaries(organiser, hall) == [("narrow_aisle", sorted(left + right), 2)]


def test_an_aisle_that_begins_where_two_booths_meet_is_reported(organiser, hall, build):
    a, b = build(10, 10), build(10, 13)
    # its left corner is 2 m to the right of where they meet
    corner = build(15.621, 11.5, rotation=45)
    assert warning_summaries(organiser, hall) == [
        ("narrow_aisle", [a["id"], b["id"], corner["id"]], 2)
    ]


def test_each_narrow_aisle_is_reported_once_with_its_booths(organiser, hall, build):
    """Two double rows, 0.2 m apart back to back, with an aisle of 2 m between them, and one of 1.5
    m along the wall.
    """
    made = {
        f"{row}{number}": build(3 + 3 * number, y, booth_number=f"{row}{number}")["id"]
        for row, y in (("A", 1.5), ("B", 4.7), ("C", 9.7), ("D", 12.9))
        for number in range(1, 6)
    }
    moved = build(21, 9.3, booth_number="C6")["id"]
    found = warnings(organiser, hall)
    assert [(entry["detail"], entry["measure"]) for entry in found] == [
        ("The aisle between booths A1, A2, A3, A4 and A5 and the top wall is 1.5 m wide.", 1.5),
        (
            "The aisle between booths B1, B2, B3, B4 and B5 and booths C1, C2, C3, C4, C5 and C6 "
            "is 1.6 m to 2.0 m wide.",
            1.6,
        ),
    ]
    assert [entry["booth_ids"] for entry in found] == [
        [id for name, id in made.items() if name[0] == "A"],
        [*(id for name, id in made.items() if name[0] in "BC"), moved],
    ]


def test_booths_at_the_same_wall_belong_to_different_rows(organiser, hall, build):
    a, b, c = build(0, 10), build(0, 15), build(0, 20)
    assert warning_summaries(organiser, hall) == [
        ("narrow_aisle", [a["id"], b["id"]], 2),
        ("narrow_aisle", [b["id"], c["id"]], 2),
    ]


def test_the_warning_about_a_long_aisle_names_some_of_its_booths(organiser, hall, build):
    for y in (10, 15):
        for number in range(1, 15):
            build(3 * number, y, booth_number=f"{'A' if y == 10 else 'B'}{number:02}")
    [found] = warnings(organiser, hall)
    first = ", ".join(f"A{number:02}" for number in range(1, 13))
    assert (
        found["detail"]
        == f"The aisle between booths {first} and 2 more and booths {first.replace('A', 'B')} "
        "and 2 more is 2.0 m wide."
    )
    assert len(found["booth_ids"]) == 28


def test_too_many_gaps_end_the_check(organiser, hall, build, monkeypatch):
    for y in (10, 15):
        for x in (3, 6, 9):
            build(x, y)
    monkeypatch.setattr(layout_checks, "MAX_GAPS", 2)
    checked = organiser.data(f"/plans/{hall['id']}/checks")
    assert len(checked["warnings"]) == 1 and not checked["is_complete"]


@pytest.mark.parametrize("min_aisle", ("0.4", "20.1", "wide", "-1", "NaN"))
def test_the_minimum_width_of_aisles_has_limits(organiser, hall, min_aisle):
    error = organiser.get(f"/plans/{hall['id']}/checks?min_aisle={min_aisle}", status=422).json[
        "errors"
    ][0]
    assert error["parameter"] == "min_aisle"


def test_booths_on_pillars_stages_or_aisles_are_reported(organiser, hall, build):
    booth = build(10, 10)
    kinds = ("pillar", "stage", "aisle", "power", "text")
    furnish(
        organiser,
        hall,
        *(
            {"kind": kind, "x": 12.6, "y": 11, "width": 2, "depth": 1, "label": "B"}
            for kind in kinds
        ),
    )
    found = warnings(organiser, hall)
    assert [
        (one["code"], one["booth_ids"], one["object_index"], one["measure"]) for one in found
    ] == [
        ("on_pillar", [booth["id"]], 0, 0.4),
        ("on_stage", [booth["id"]], 1, 0.4),
        ("on_aisle", [booth["id"]], 2, 0.4),
    ]
    furnish(organiser, hall, {"kind": "pillar", "x": 13, "y": 11})
    assert warnings(organiser, hall) == []


@pytest.mark.parametrize(
    "door, x, y",
    (
        ({"x": 20, "y": 0, "width": 4, "depth": 0.2}, 22, 1.5),
        ({"x": 20, "y": -0.2, "width": 4, "depth": 0.2}, 22, 1.3),
        ({"x": 20, "y": 40.3, "width": 4, "depth": 0.2}, 22, 36),
        ({"x": 0, "y": 20, "width": 0.2, "depth": 4}, 1.5, 18),
        ({"x": 59.8, "y": 20, "width": 0.2, "depth": 4}, 55.5, 18),
    ),
    ids=("top", "in the wall", "bottom", "left", "right"),
)
def test_a_booth_before_a_door_blocks_it(organiser, hall, build, door, x, y):
    booth = build(x, y)
    furnish(organiser, hall, {"kind": "door", **door})
    [found] = [found for found in warnings(organiser, hall) if found["code"] == "blocked_door"]
    assert (found["booth_ids"], found["object_index"], found["measure"]) == ([booth["id"]], 0, 1.3)
    assert not [
        found
        for found in warnings(organiser, hall, "?min_aisle=1.3")
        if found["code"] == "blocked_door"
    ]


def test_a_booth_beside_a_door_does_not_block_it(organiser, hall, build):
    build(17, 0), build(24, 0)
    furnish(organiser, hall, {"kind": "door", "x": 20, "y": 0, "width": 4, "depth": 0.2})
    assert warnings(organiser, hall) == []


def test_a_freestanding_door_needs_one_free_side(organiser, hall, build):
    door = {"kind": "door", "x": 20, "y": 20, "width": 4, "depth": 0.2}
    a = build(20, 15)
    furnish(organiser, hall, door)
    assert warnings(organiser, hall) == []
    b = build(20, 21.2)
    assert warning_summaries(organiser, hall) == [("blocked_door", [a["id"], b["id"]], 2)]


def test_a_door_without_a_hall_behind_it_is_reported(organiser, fair):
    low = organiser.make(
        "/plans",
        {
            **HALL,
            "height": 2,
            "objects": [
                {"kind": "door", "x": 2, "y": 0, "width": 1, "depth": 0.1},
                {"kind": "door", "x": 100, "y": 0, "width": 1, "depth": 0.1},
            ],
        },
    )
    assert warning_summaries(organiser, low) == [("blocked_door", [], None)] * 2
    assert [found["object_index"] for found in warnings(organiser, low, "?min_aisle=0.5")] == [1]


def test_unplaced_booths_are_reported(organiser, hall, build):
    booth = build()
    assert warning_summaries(organiser, hall) == [("unplaced", [booth["id"]], None)]


def test_the_list_of_warnings_is_limited(organiser, hall, db, monkeypatch):
    with db.write():
        # 60 booths in the same place make 1,770 overlapping pairs.
        rows = [
            (hall["id"], hall["event_id"], f"B{number}", db.now, db.now) for number in range(60)
        ]
        db.connection.executemany(
            """
            INSERT INTO booths (plan_id, event_id, booth_number, width, depth, pos_x, pos_y, rotation, status,
              created_at, updated_at)
            VALUES (?, ?, ?, 3000, 3000, 0, 0, 45, 'available', ?, ?)""",
            rows,
        )
    checked = organiser.data(f"/plans/{hall['id']}/checks")
    assert len(checked["warnings"]) == 1000 and not checked["is_complete"]
    monkeypatch.setattr(layout_checks, "MAX_PAIRS", 100)
    checked = organiser.data(f"/plans/{hall['id']}/checks")
    assert 100 <= len(checked["warnings"]) < 1000 and not checked["is_complete"]


def test_the_checks_of_an_unknown_plan_return_404(organiser):
    organiser.get("/plans/1/checks", status=404)


def test_lengths_are_stored_in_millimetres(organiser, hall, db):
    furnish(organiser, hall, {"kind": "power", "x": 0.001, "y": 999.999})
    width, height, objects = db.connection.execute(
        "SELECT width, height, objects FROM plans"
    ).fetchone()
    assert (width, height) == (60000, 40500)
    assert json.loads(objects) == [
        {"kind": "power", "x": 1, "y": 999999, "width": 1000, "depth": 1000, "label": None}
    ]
