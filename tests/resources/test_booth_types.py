"""Booth types."""

import pytest

from tests.resources.test_booths import ROW


def test_a_type_is_created_read_changed_and_deleted(organiser):
    booth_type = organiser.make(
        "/booths/types",
        {
            "booth_type_name": "Corner booth",
            "open_sides": 2,
            "color": "#2e7d32",
            "price_model": "per_m2",
            "price": 189.5,
            "tax_rate": 7,
        },
    )
    assert booth_type["booth_type_key"] == "corner-booth" and booth_type["price"] == 189.5
    assert booth_type["tax_rate"] == 7
    address = f"/booths/types/{booth_type['id']}"
    assert organiser.data(address) == booth_type
    changed = organiser.patch(address, {"price": 199}, status=200).json["data"]
    assert changed == {**booth_type, "price": 199, "updated_at": changed["updated_at"]}
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)


def test_generated_keys_are_unique_and_a_taken_key_is_refused(organiser):
    assert [organiser.make("/booths/types", ROW)["booth_type_key"] for _ in range(2)] == [
        "row",
        "row-2",
    ]
    answer = organiser.post("/booths/types", {**ROW, "booth_type_key": "row"}, status=409)
    assert (answer.json["code"], answer.json["member"]) == ("duplicate", "booth_type_key")


def test_changing_a_type_updates_the_prices_of_its_booths_only(organiser, hall, prices):
    row = organiser.make("/booths/types", ROW)
    organiser.make("/booths", {"plan_id": hall, "booth_type_key": "row", "booth_number": "1"})
    organiser.make(
        "/booths",
        {"plan_id": hall, "booth_type_key": "row", "booth_number": "2", "fixed_price": 700},
    )
    address = f"/booths/types/{row['id']}"
    organiser.patch(address, {"price": 200.01}, status=200)
    assert prices() == {"1": 1800.09, "2": 700}
    organiser.patch(address, {"price_model": "per_front_m"}, status=200)
    assert prices() == {"1": 600.03, "2": 700}
    organiser.patch(address, {"price_model": "fixed"}, status=200)
    assert prices() == {"1": 200.01, "2": 700}


def test_each_new_price_is_journalled(organiser, hall, db):
    row = organiser.make("/booths/types", ROW)
    booth = organiser.make("/booths", {"plan_id": hall, "booth_type_key": "row"})
    organiser.patch(f"/booths/types/{row['id']}", {"price": 200}, status=200)
    entries = db.connection.execute(
        "SELECT entity_type, action, entity_id FROM audit_log WHERE entity_type LIKE 'booth%' ORDER BY id"
    ).fetchall()
    assert entries == [
        ("booth_type", "created", row["id"]),
        ("booth", "created", booth["id"]),
        ("booth_type", "updated", row["id"]),
        ("booth", "updated", booth["id"]),
    ]


def test_a_price_that_is_too_high_for_a_booth_is_refused(organiser, hall, prices):
    row = organiser.make("/booths/types", ROW)
    for number in "12":
        organiser.make(
            "/booths",
            {
                "plan_id": hall,
                "booth_type_key": "row",
                "booth_number": number,
                "width": 1000,
                "depth": 1000,
            },
        )
    before = prices()
    errors = organiser.patch(f"/booths/types/{row['id']}", {"price": 10**7}, status=422).json[
        "errors"
    ]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [
        ("/price", "impossible_price")
    ] * 2
    assert "booth 1" in errors[0]["detail"] and prices() == before
    assert organiser.data(f"/booths/types/{row['id']}") == row


def test_a_type_in_use_cannot_be_deleted(organiser, hall):
    row = organiser.make("/booths/types", ROW)
    booth = organiser.make("/booths", {"plan_id": hall, "booth_type_key": "row"})
    answer = organiser.delete(f"/booths/types/{row['id']}", status=409)
    assert (answer.json["code"], answer.json["used_by"]) == ("in_use", ["booths"])
    organiser.delete(f"/booths/{booth['id']}", status=204)
    organiser.delete(f"/booths/types/{row['id']}", status=204)


@pytest.mark.parametrize(
    "field, value, code",
    [
        ("open_sides", 5, "maximum"),
        ("open_sides", 0, "minimum"),
        ("price", -1, "minimum"),
        ("price", 1.005, "decimals"),
        ("tax_rate", 19.005, "decimals"),
        ("price_model", "per_wish", "enum"),
        ("color", "red", "pattern"),
        ("price", 10**12, "exclusive_maximum"),
    ],
)
def test_invalid_values_are_refused(organiser, field, value, code):
    errors = organiser.post("/booths/types", {**ROW, field: value}, status=422).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [(f"/{field}", code)]
