"""The fast path (eventapi/validation/fast_path.py) never accepts a body that jsonschema refuses, and accepts the
examples.
"""
import random
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from eventapi.validation import fast_path
from eventapi.validation.bodies import Body
from eventapi.validation.checker import Checker
from eventapi.validation.formats import CHECKER, CHECKS
from eventapi.validation.schema_files import body_schema, document, resource_names

VALUES = [None, True, False, 0, 1, -1, 2 ** 40, Decimal("0.5"), Decimal("-3"), Decimal("1E+20"), "", "x", "DE", "EUR",
          "info", "2026-05-01",
          "2026-02-30", "2026-05-01T10:00:00Z", "09:00", "25:00", "a@b.example", "a@b", "https://example.org",
          "Europe/Berlin",
          "x" * 300, "x" * 30000, [], ["x"], ["x", "x"], [1], [None], {}, {"a": 1},
          [{"date": "2026-05-01", "opens": "09:00", "closes": "10:00"}]]


def judges(schema):
    return fast_path.compile_schema(schema, CHECKS), Draft202012Validator(schema, format_checker=CHECKER)


@pytest.mark.parametrize("name", resource_names())
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_bodies_accepted_by_the_fast_path_are_valid(name, method):
    if "properties" not in document(name):
        pytest.skip("holds no record")
    schema, rnd = body_schema(name, method), random.Random(name + method)
    accepts, judge = judges(schema)
    agreed = 0
    for _ in range(3000):
        body = {member: rnd.choice(VALUES)
                for member in rnd.sample(list(schema["properties"]), rnd.randint(0, min(4, len(schema["properties"]))))}
        body |= {member: 1 for member in rnd.sample(["strange", "id"], rnd.randint(0, 1))}
        said = accepts(body)
        assert not said or judge.is_valid(body), body
        agreed += said
    for member, sub in schema["properties"].items():
        for value in VALUES:
            one, judge_one = judges({"type": "object", "properties": {member: sub}, "$defs": schema["$defs"]})
            assert not one({member: value}) or judge_one.is_valid({member: value}), (member, value)


@pytest.mark.parametrize("name", resource_names())
def test_the_examples_are_accepted_by_the_fast_path(name):
    for example in document(name).get("examples", []):
        if {"anyOf", "allOf"} & body_schema(name).keys():
            continue                                      # these are left to jsonschema
        assert Body(name, "POST", "Europe/Berlin").checker.accepts(example), name


def test_an_unknown_keyword_accepts_nothing():
    accepts, _ = judges({"type": "integer", "multipleOf": 2})
    assert not accepts(2)


@pytest.mark.parametrize("name", resource_names())
def test_the_errors_are_those_of_jsonschema(name):
    if "properties" not in document(name):
        pytest.skip("holds no record")
    schema, rnd = body_schema(name, "POST"), random.Random(name)
    judge, whole = Checker(schema), Draft202012Validator(schema, format_checker=CHECKER)
    for _ in range(500):
        body = {member: rnd.choice(VALUES) for member in rnd.sample([*schema["properties"], "strange"], 3)}
        ours = {(tuple(path), error.validator) for path, error in judge.errors(body)}
        assert ours == {(tuple(error.absolute_path), error.validator) for error in whole.iter_errors(body)}, body
