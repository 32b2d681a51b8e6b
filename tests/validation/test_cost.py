"""The cost of hostile bodies is bounded. Function calls are counted, not seconds, so that the machine does not matter.

tests/load/hostile_bodies.py measures CPU seconds.
"""
import json
import sys

import pytest

from eventapi.app import routes
from eventapi.errors import Problem
from eventapi.validation.bodies import Body
from eventapi.validation.schema_files import body_schema, resolved
from eventapi.web.json_bodies import parse

MANY = 12_000               # more than any array may have
CALLS = 1_300_000           # at most some tenths of a second
ITEMS = ({}, 1, {"unknown": 1})


class TooManyCalls(Exception):
    """A function made more calls than it may."""


def bounded(function, *arguments):
    """Call a function. Raise TooManyCalls if it calls more than CALLS functions; ignore a Problem."""
    count = 0

    def counted(*_):
        nonlocal count
        count += 1
        if count > CALLS:
            sys.setprofile(None)                    # an exception in a profiler may be swallowed
            raise TooManyCalls
    sys.setprofile(counted)
    try:
        function(*arguments)
    except Problem as problem:
        assert len(problem.errors or []) <= 1100
    finally:
        sys.setprofile(None)
    assert count <= CALLS


BODIES = sorted({route.options.schema for route in routes() if route.options.schema})


@pytest.mark.parametrize("name", BODIES)
def test_the_cost_of_a_body_with_many_parts_is_bounded(name):
    schema, body = body_schema(name), Body(name, "POST", "Europe/Berlin")
    bounded(body, {f"k{number}": None for number in range(MANY)})
    for field, sub in schema["properties"].items():
        sub = resolved(sub, schema)
        if sub is not True and "array" in sub.get("type", ()):
            for item in ITEMS:
                bounded(body, {field: [item] * MANY})
                bounded(body, {field: [item] * sub["maxItems"]})
        if sub is not True and "object" in sub.get("type", ()):
            bounded(body, {field: {f"k{number}": "x" for number in range(MANY)}})


@pytest.mark.parametrize("name", BODIES)
def test_every_array_and_object_of_a_body_has_a_limit(name):
    schema = body_schema(name)
    places = [(name, schema)]
    while places:
        place, sub = places.pop()
        sub = resolved(sub, schema)
        if sub is True or sub.get("readOnly"):
            continue
        kinds = sub.get("type", ())
        if "array" in kinds:
            assert "maxItems" in sub, place
            places.append((f"{place}[]", sub["items"]))
        if "object" in kinds:
            is_open = sub.get("additionalProperties") is not False or "patternProperties" in sub
            assert "maxProperties" in sub or not is_open, place
            places += [(f"{place}.{field}", part) for field, part in sub.get("properties", {}).items()]


@pytest.mark.parametrize("raw", [
    b"[" * 1_000_000, b"[" + b"1," * 500_000 + b"1]", b"[" + b"[]," * 300_000 + b"1]", b"[" + b"{}," * 300_000 + b"1]",
    b"[" + b"0.1," * 250_000 + b"1]", b"{" + b",".join(b'"k%d":1' % number for number in range(90_000)) + b"}",
    b'[' + b'"",' * 300_000 + b'""]', b"[" + b"[" * 30 + b"]" * 30 + b"]" * 30, b'"' + b'\\"' * 500_000,
    b'["' + b'","' * 300_000, b"9" * 1_000_000, b"1e" + b"9" * 1_000_000, b"0." + b"1" * 1_000_000],
    ids=lambda raw: raw[:12].decode())
def test_the_cost_of_parsing_a_hostile_body_is_bounded(raw):
    bounded(parse, raw)


def test_a_body_may_have_fifty_thousand_values_and_any_text():
    with pytest.raises(Problem) as refused:
        parse(b"[" + b"1," * 50_001 + b"1]")
    assert (refused.value.status, refused.value.code) == (413, "body_too_large")
    assert len(parse(b"[" + b"1," * 49_000 + b"1]")) == 49_001
    for text in ("," * 60_000, '"[{,\\' * 60_000, "[[{{" * 60_000):
        assert parse(json.dumps({"description": text}).encode()) == {"description": text}
