"""The checker checks an object and its fields one by one.

It finds the errors that jsonschema finds in the whole.
"""

import random
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from eventapi.validation.checker import Checker
from eventapi.validation.schema_files import body_schema, document, resource_names
from eventapi.validation.validators import CHECKER

VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**40,
    Decimal("0.5"),
    Decimal("-3"),
    Decimal("1E+20"),
    "",
    "x",
    "DE",
    "EUR",
    "info",
    "2026-05-01",
    "2026-02-30",
    "2026-05-01T10:00:00Z",
    "09:00",
    "25:00",
    "a@b.example",
    "a@b",
    "https://example.org",
    "Europe/Berlin",
    "x" * 300,
    "x" * 30000,
    [],
    ["x"],
    ["x", "x"],
    [1],
    [None],
    {},
    {"a": 1},
    [{"date": "2026-05-01", "opens": "09:00", "closes": "10:00"}],
    [{"unknown": 1}] * 3,
]


def compare(checker, judge, body):
    ours = {(tuple(path), error.validator) for path, error in checker.errors(body)}
    assert ours == {
        (tuple(error.absolute_path), error.validator) for error in judge.iter_errors(body)
    }, body


@pytest.mark.parametrize(
    "name", [name for name in resource_names() if "properties" in document(name)]
)
def test_the_errors_are_those_of_jsonschema(name):
    rnd = random.Random(name)
    compared = {}
    for method in ("POST", "PUT", "PATCH"):
        schema = body_schema(name, method)
        checker, judge = Checker(schema), Draft202012Validator(schema, format_checker=CHECKER)
        for field, sub in schema["properties"].items():
            if compared.get(field) != sub:  # most fields have one schema for all methods
                compared[field] = sub
                for value in VALUES:
                    compare(checker, judge, {field: value})
        for _ in range(60):
            fields = rnd.sample(
                [*schema["properties"], "strange"], min(4, len(schema["properties"]))
            )
            compare(checker, judge, {field: rnd.choice(VALUES) for field in fields})
        for value in VALUES:
            compare(checker, judge, value)


def test_the_parts_of_an_array_with_far_too_many_are_not_checked():
    checker = Checker(
        {"properties": {"ids": {"type": "array", "maxItems": 10, "items": {"type": "integer"}}}}
    )
    assert [error.validator for _, error in checker.errors({"ids": ["x"] * 11})] == [
        "maxItems",
        *["type"] * 11,
    ]
    assert [error.validator for _, error in checker.errors({"ids": ["x"] * 1000})] == ["maxItems"]
