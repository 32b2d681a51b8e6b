"""The cost of hostile bodies is bounded.

Function calls are counted, not seconds, so that the machine does not matter.

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

MANY = 12_000  # more than any array may have
CALLS = 1_300_000  # at most some tenths of a second
ITEMS = ({}, 1, {"unknown": 1})
NO_RULES = ("title", "description", "examples", "$defs")
OF_FIELDS = ("properties", "required", "x-required", "dependentRequired", "maxProperties")


class TooManyCalls(Exception):
    """A function made more calls than it may."""


def bounded(function, *arguments):
    """Call a function. Raise TooManyCalls if it calls more than CALLS functions; ignore a Problem."""
    count = 0

    def counted(*_):
        nonlocal count
        count += 1
        if count > CALLS:
            sys.setprofile(None)  # an exception in a profiler may be swallowed
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


def rules(schema, root):
    """Return a schema with what `$ref` names in its place, and without what only describes it."""
    schema = resolved(schema, root)
    if isinstance(schema, list):
        return [rules(part, root) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: rules(part, root) for name, part in schema.items() if name not in NO_RULES}


def different(schemas):
    """Return the keys of a dict of schemas, without those whose rules another one has: these cost
    the same.
    """
    return list(
        {json.dumps(schema, sort_keys=True): key for key, schema in schemas.items()}.values()
    )


SCHEMAS = {name: rules(body_schema(name), body_schema(name)) for name in BODIES}
OPEN = different({name: {**schema, **dict.fromkeys(OF_FIELDS)} for name, schema in SCHEMAS.items()})
PARTS = different(
    {
        (name, field): sub
        for name, schema in SCHEMAS.items()
        for field, sub in schema["properties"].items()
        if sub is not True and any(kind in sub.get("type", ()) for kind in ("array", "object"))
    }
)


@pytest.mark.parametrize("name", OPEN)
def test_the_cost_of_a_body_with_many_fields_is_bounded(name):
    bounded(Body(name, "POST", "Europe/Berlin"), {f"k{number}": None for number in range(MANY)})


@pytest.mark.parametrize(("name", "field"), PARTS)
def test_the_cost_of_a_field_with_many_parts_is_bounded(name, field):
    body, sub = Body(name, "POST", "Europe/Berlin"), SCHEMAS[name]["properties"][field]
    if "array" in sub["type"]:
        for item in ITEMS:
            bounded(body, {field: [item] * MANY})
            bounded(body, {field: [item] * sub["maxItems"]})
    if "object" in sub["type"]:
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
            places += [
                (f"{place}.{field}", part) for field, part in sub.get("properties", {}).items()
            ]


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 1_000_000,
        b"[" + b"1," * 500_000 + b"1]",
        b"[" + b"[]," * 300_000 + b"1]",
        b"[" + b"{}," * 300_000 + b"1]",
        b"[" + b"0.1," * 250_000 + b"1]",
        b"{" + b",".join(b'"k%d":1' % number for number in range(90_000)) + b"}",
        b"[" + b'"",' * 300_000 + b'""]',
        b"[" + b"[" * 30 + b"]" * 30 + b"]" * 30,
        b'"' + b'\\"' * 500_000,
        b'["' + b'","' * 300_000,
        b"9" * 1_000_000,
        b"1e" + b"9" * 1_000_000,
        b"0." + b"1" * 1_000_000,
    ],
    ids=lambda raw: raw[:12].decode(),
)
def test_the_cost_of_parsing_a_hostile_body_is_bounded(raw):
    bounded(parse, raw)


def test_a_body_may_have_fifty_thousand_values_and_any_text():
    with pytest.raises(Problem) as refused:
        parse(b"[" + b"1," * 50_001 + b"1]")
    assert (refused.value.status, refused.value.code) == (413, "body_too_large")
    assert len(parse(b"[" + b"1," * 49_000 + b"1]")) == 49_001
    for text in ("," * 60_000, '"[{,\\' * 60_000, "[[{{" * 60_000):
        assert parse(json.dumps({"description": text}).encode()) == {"description": text}
