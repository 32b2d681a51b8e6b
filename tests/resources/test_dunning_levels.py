"""Dunning levels."""

import time

import pytest

from eventapi.domain.dunning import letters
from eventapi.errors import Faults

LEVEL = {"name": "Reminder", "days": 7}
PATH = "/invoices/dunning-levels"


def test_a_level_has_defaults_and_the_next_number(organiser):
    first = organiser.make(PATH, LEVEL)
    assert {
        name: first[name]
        for name in (
            "level",
            "deadline_days",
            "fee",
            "has_lump_sum",
            "interest",
            "interest_rate",
            "title_de",
            "text_en",
        )
    } == {
        "level": 1,
        "deadline_days": 7,
        "fee": 0,
        "has_lump_sum": False,
        "interest": "none",
        "interest_rate": None,
        "title_de": None,
        "text_en": None,
    }
    organiser.make(PATH, {**LEVEL, "level": 20})
    assert organiser.make(PATH, LEVEL)["level"] == 21
    assert [level["level"] for level in organiser.data(PATH)] == [1, 20, 21]


def test_a_level_can_change_and_be_deleted(organiser):
    level = organiser.make(PATH, {**LEVEL, "fee": 5.55, "interest": "fixed", "interest_rate": 4.25})
    assert (level["fee"], level["interest_rate"]) == (5.55, 4.25)
    path = f"{PATH}/{level['id']}"
    changed = organiser.patch(
        path, {"interest": "business", "interest_rate": None}, status=200
    ).json["data"]
    assert (
        changed
        == organiser.data(path)
        == {
            **level,
            "interest": "business",
            "interest_rate": None,
            "updated_at": changed["updated_at"],
        }
    )
    organiser.delete(path, status=204)
    organiser.get(path, status=404)


def test_a_number_is_given_once(organiser):
    one, two = organiser.make(PATH, LEVEL), organiser.make(PATH, LEVEL)
    problem = organiser.post(PATH, {**LEVEL, "level": 1}, status=409).json
    assert (problem["code"], problem["member"], problem["dunning_level_id"]) == (
        "duplicate",
        "level",
        one["id"],
    )
    organiser.patch(f"{PATH}/{two['id']}", {"level": 1}, status=409)
    organiser.patch(f"{PATH}/{two['id']}", {"level": 2, "days": 9}, status=200)


@pytest.mark.parametrize(
    "fields, pointer, code",
    [
        ({"fee": 1.005}, "/fee", "decimals"),
        ({"fee": -1}, "/fee", "minimum"),
        ({"days": 0}, "/days", "minimum"),
        ({"interest": "fixed"}, "/interest_rate", "required"),
        ({"interest_rate": 5}, "/interest_rate", "excluded"),
        ({"interest": "fixed", "interest_rate": 1.234}, "/interest_rate", "decimals"),
        ({"interest": "usury"}, "/interest", "enum"),
        ({"text_en": "Pay {{amount}}!"}, "/text_en", "unknown_placeholder"),
        ({"title_de": "{{ nummer }}"}, "/title_de", "unknown_placeholder"),
    ],
)
def test_wrong_fields_are_refused(organiser, fields, pointer, code):
    errors = organiser.post(PATH, {**LEVEL, **fields}, status=422).json["errors"]
    assert [(error["pointer"], error["code"]) for error in errors] == [(pointer, code)]


def test_the_error_names_the_placeholders(organiser):
    (error,) = organiser.post(PATH, {**LEVEL, "text_en": "Pay {{amount}}!"}, status=422).json[
        "errors"
    ]
    assert error["detail"].startswith(
        "contains the unknown placeholder {{amount}}. The placeholders are {{number}}, "
    )
    (error,) = organiser.post(PATH, {**LEVEL, "text_en": "{{nummer}} {{open}}"}, status=422).json[
        "errors"
    ]
    assert error["detail"].startswith(
        "contains the unknown placeholders {{nummer}} and {{open}}. The placeholders are"
    )


def test_days_never_decrease_from_level_to_level(organiser):
    first = organiser.make(PATH, {**LEVEL, "days": 10})
    _ = organiser.make(PATH, {**LEVEL, "days": 35})
    for fields, said in (
        (
            {"level": 3, "days": 14},
            "must be at least 35, the days of the level before it, but is 14",
        ),
        (
            {"level": 3, "days": 34},
            "must be at least 35, the days of the level before it, but is 34",
        ),
    ):
        (error,) = organiser.post(PATH, {**LEVEL, **fields}, status=422).json["errors"]
        assert (error["pointer"], error["detail"]) == ("/days", said)
    (error,) = organiser.patch(f"{PATH}/{first['id']}", {"days": 36}, status=422).json["errors"]
    assert error["detail"] == "must be at most 35, the days of the level after it, but is 36"
    organiser.patch(f"{PATH}/{first['id']}", {"days": 35}, status=200)
    organiser.make(PATH, {**LEVEL, "days": 35})


def test_any_text_is_checked_in_linear_time():
    began, faults = time.process_time(), Faults()
    letters.check("/text_de", "{{" + " " * 4998, faults)
    assert time.process_time() - began < 0.5 and not faults
