"""Booth formulas."""

import pytest

from tests.resources.test_booths import pointers

PLAIN = {"name": "By area", "expression": "{booth_size} * 100"}


def test_a_formula_is_created_read_changed_and_deleted(organiser):
    formula = organiser.make("/booths/formulas", PLAIN)
    assert formula["result_type"] == "currency" and formula["description"] is None
    address = f"/booths/formulas/{formula['id']}"
    assert organiser.data(address) == formula and organiser.data(
        "/booths/formulas?name=by%20AREA"
    ) == [formula]
    changed = organiser.patch(address, {"expression": " {booth_size} * 110 "}, status=200).json[
        "data"
    ]
    assert changed["expression"] == "{booth_size} * 110"
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)


def test_names_are_unique_ignoring_case(organiser):
    organiser.make("/booths/formulas", PLAIN)
    answer = organiser.post("/booths/formulas", {**PLAIN, "name": "BY AREA"}, status=409)
    assert (answer.json["code"], answer.json["member"]) == ("duplicate", "name")


@pytest.mark.parametrize(
    "expression, detail",
    [
        (
            "1 +",
            "expected a number, a variable such as {booth_size}, a function or (, found the end, at character 4",
        ),
        ("{booth_sise} * 2", "{booth_sise} is not a variable; the variables are {booth_size}"),
        ("100 / (3 - 3)", "division by zero, at character 5"),
        ("IF({days} > 2, 100)", "IF requires 3 arguments, and has 2, at character 1"),
        ("__import__('os')", "__IMPORT__ is not a function"),
        ("(" * 60 + "1" + ")" * 60, "must not be nested more than 40 deep"),
        ("1 < 2 < 3", "expected an operator or the end, found <, at character 7"),
        ("1" * 400, "the numbers have too many digits"),
    ],
)
def test_an_invalid_formula_is_refused_with_the_position(organiser, expression, detail):
    errors = organiser.post(
        "/booths/formulas", {"name": "f", "expression": expression}, status=422
    ).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [("/expression", "formula")]
    assert detail in errors[0]["detail"]


def test_a_formula_of_ten_thousand_characters_is_refused(organiser):
    answer = organiser.post(
        "/booths/formulas", {"name": "f", "expression": "1+" * 5000 + "1"}, status=422
    )
    assert pointers(answer) == [("/expression", "max_length")]


def test_changing_a_formula_updates_the_prices_of_its_booths(organiser, hall, prices):
    formula = organiser.make("/booths/formulas", PLAIN)
    for number, width in (("1", 3), ("2", 4)):
        organiser.make(
            "/booths",
            {"plan_id": hall, "formula_id": formula["id"], "booth_number": number, "width": width},
        )
    assert prices() == {"1": 900, "2": 1200}
    address = f"/booths/formulas/{formula['id']}"
    organiser.patch(address, {"expression": "{booth_size} * 100 / {days}"}, status=200)
    assert prices() == {"1": 300, "2": 400}
    organiser.patch(address, {"expression": "{category_price}"}, status=200)
    assert prices() == {"1": None, "2": None}


def test_a_formula_that_leaves_booths_without_a_price_is_refused(organiser, hall, prices):
    formula = organiser.make("/booths/formulas", PLAIN)
    for number, width in (("1", 3), ("2", 4), ("3", 4)):
        organiser.make(
            "/booths",
            {"plan_id": hall, "formula_id": formula["id"], "booth_number": number, "width": width},
        )
    errors = organiser.patch(
        f"/booths/formulas/{formula['id']}", {"expression": "100 / ({booth_width} - 4)"}, status=422
    ).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [
        ("/expression", "impossible_price")
    ] * 3
    assert "booth 1" in errors[0]["detail"] and "negative" in errors[0]["detail"]
    assert "division by zero" in errors[1]["detail"]
    assert organiser.data("/booths/formulas") == [formula] and prices() == {
        "1": 900,
        "2": 1200,
        "3": 1200,
    }


def test_a_formula_that_prices_booths_cannot_be_deleted(organiser, hall):
    formula = organiser.make("/booths/formulas", PLAIN)
    organiser.make("/booths", {"plan_id": hall, "formula_id": formula["id"]})
    answer = organiser.delete(f"/booths/formulas/{formula['id']}", status=409)
    assert (answer.json["code"], answer.json["used_by"]) == ("in_use", ["booths"])
