"""Invalid input: each field of each body and each parameter of each query, with every violation
that its schema allows for.

The expected response is a 4xx that points at the field, and nothing is written. The values are
derived from the schema, so that a field added later is tested too.
"""

import json
import re
from urllib.parse import quote

import pytest

from eventapi.validation.formats import FORMATS
from eventapi.validation.schema_files import body_schema, query_schema
from tests.support.examples import address_of_list, all_routes, body_for, example
from tests.web.test_routes import each

WRONG_OF_TYPE = {
    "integer": ["x", 1.5, True, [], {}, 2**63],
    "number": ["x", True, [], {}],
    "string": [1, True, [], {}, 1.5],
    "boolean": ["x", 1, 0, [], {}],
    "array": ["x", 1, {}, True],
    "object": ["x", 1, [], True],
}
NEVER_OF_FORMAT = ["not that", "2026-02-30", "9999-99-99T99:99:99Z", "ß", "-1"]
SURROGATE, NUL = "half \ud800", "nul \0"
BODIES = [
    route
    for route in all_routes()
    if route.method in ("POST", "PUT", "PATCH")
    and route.options.schema
    and not route.options.raw_body
]
QUERIES = [
    route
    for route in all_routes()
    if query_schema(route.options.query, listing=route.options.listing)["properties"]
]


def resolved(schema, root):
    while isinstance(schema, dict) and "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def kinds_of(schema):
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def wrong_values(schema, root):
    """Yield values that the schema must refuse."""
    kinds = kinds_of(schema)
    if kinds:
        common = [set(map(json.dumps, WRONG_OF_TYPE[kind])) for kind in kinds if kind != "null"]
        yield from map(json.loads, sorted(set.intersection(*common)))
        if "null" not in kinds:
            yield None
    for key, step in (
        ("minimum", -1),
        ("exclusiveMinimum", 0),
        ("maximum", 1),
        ("exclusiveMaximum", 0),
    ):
        if key in schema:
            yield schema[key] + step
    if "string" in kinds:
        if schema.get("maxLength", 10**6) < 10**6:
            yield "x" * (schema["maxLength"] + 1)
        if schema.get("minLength") and "null" not in kinds:
            yield ""
            yield "  "
        yield SURROGATE
        yield NUL
    if schema.get("format") in FORMATS:
        yield from (value for value in NEVER_OF_FORMAT if not FORMATS[schema["format"]][0](value))
    if "enum" in schema:
        yield "nonsense-word" if "string" in kinds or not kinds else 987
    if "maxItems" in schema and schema["maxItems"] <= 1000 and "items" in schema:
        yield [None] * (schema["maxItems"] + 1)


def wrong_bodies(value, schema, root, pointer="", known=None):
    """Yield ([pointer, …], body) for every wrong value of every place in a valid value, which may
    lack the place.

    Wrong fields of one object share a body: all its faults are reported, so each of them is refused
    by itself, too. The faults of a long list leave no room for others. A value that no JSON may
    have is refused before anything knows the field, so one of each kind is enough; `known` holds
    those that were yielded.
    """
    schema, known, rounds = resolved(schema, root), set() if known is None else known, []
    if schema is True or schema.get("readOnly"):
        return
    whole = value if isinstance(value, dict) else {}
    for field, sub in schema.get("properties", {}).items():
        sub = resolved(sub, root)
        if sub is True or sub.get("readOnly"):
            continue
        place = f"{pointer}/{field}"
        for wrong in wrong_values(sub, root):
            if strange(wrong):
                if not strange(wrong) <= known:
                    known |= strange(wrong)
                    yield [place], {**whole, field: wrong}
            elif isinstance(wrong, list):
                yield [place], {**whole, field: wrong}
            else:
                put(rounds, field, wrong)
        inner = whole.get(field)
        if sub.get("properties"):
            for deeper, part in wrong_bodies(inner, sub, root, place, known):
                yield deeper, {**whole, field: part}
        if "items" in sub:
            items = resolved(sub["items"], root)
            entry = inner[0] if inner else {}
            for wrong in wrong_values(items, root):
                if not strange(wrong):
                    yield [f"{place}/0"], {**whole, field: [wrong]}
            for deeper, part in wrong_bodies(entry, items, root, f"{place}/0", known):
                yield deeper, {**whole, field: [part]}
    for fields in rounds:
        yield [f"{pointer}/{field}" for field in fields], {**whole, **fields}


def put(rounds, field, value):
    """Put a value into the first of these dicts that has none of the field, or into a new one."""
    free = next((fields for fields in rounds if field not in fields), None)
    if free is None:
        rounds.append(free := {})
    free[field] = value


def strange(body):
    """Return which values that our JSON never allows the body contains."""
    text = json.dumps(body)
    return {part for part in ("\\ud800", "\\u0000", str(2**63)) if part in text}


@each("route", BODIES)
def test_invalid_fields_are_refused_with_their_pointer_and_nothing_is_written(shared, route):
    name, method = route.options.schema, route.method
    schema = body_schema(name, method)
    good = example(name) if "." not in name or schema.get("required") else {}
    path = (
        route.path.replace("<id>", "999999")
        .replace("<item_id>", "999999")
        .replace("<refund_id>", "999999")
    )
    before, tried = shared.version(), 0
    for pointers, body in wrong_bodies(good, schema, schema):
        answer = shared.organiser(method, path, raw=json.dumps(body).encode())
        where = f"{method} {path} {pointers}: {json.dumps(body)[:300]} -> {answer.status} {answer.text[:500]}"
        if strange(body):
            assert answer.status_int == 400 and answer.json["code"] == "malformed_json", where
        else:
            assert answer.status_int == 422, where
            places = [entry["pointer"] for entry in answer.json["errors"]]
            for pointer in pointers:
                assert any(
                    place == pointer or place.startswith(f"{pointer}/") for place in places
                ), where
        tried += 1
    assert shared.version() == before, "something was written"
    assert tried or not schema["properties"]


def wrong_texts(schema, root):
    """Yield texts that a parameter must refuse."""
    schema = resolved(schema, root)
    kinds = kinds_of(schema)
    if "integer" in kinds or "number" in kinds:
        yield from ("x", "", "1e99", "0x1", "١", "9" * 30, "1;DROP TABLE events", "NaN", "1,5")
        yield from (
            str(schema[key] + step)
            for key, step in (("minimum", -1), ("maximum", 1))
            if key in schema
        )
    if "enum" in schema:
        yield "nonsense" if "string" in kinds else "987"
    if schema.get("format") in FORMATS:
        yield from NEVER_OF_FORMAT
        yield ""
    if schema.get("maxLength", 10**6) < 5000:
        yield "x" * (schema["maxLength"] + 1)
    if schema.get("minLength"):
        yield ""
    if "array" in kinds:
        yield from ("nonsense", "", ",")
    yield "nul\0"


@each("route", QUERIES)
def test_invalid_parameters_are_refused_by_name(shared, route):
    schema = query_schema(route.options.query, listing=route.options.listing)
    path = (
        route.path.replace("<id>", "999999")
        .replace("<item_id>", "999999")
        .replace("<refund_id>", "999999")
    )
    before = shared.version()
    for name, sub in schema["properties"].items():
        for text in wrong_texts(sub, schema):
            answer = shared.organiser(route.method, f"{path}?{name}={quote(text)}")
            where = f"{route.method} {path}?{name}={text[:100]!r} -> {answer.status} {answer.text[:500]}"
            assert answer.status_int == 422, where
            assert name in [entry.get("parameter") for entry in answer.json["errors"]], where
        if "array" in kinds_of(resolved(sub, schema)):
            continue  # a list may be repeated
        twice = shared.organiser(route.method, f"{path}?{name}=1&{name}=1")
        assert twice.status_int == 422 and (name, "repeated") in [
            (entry.get("parameter"), entry["code"]) for entry in twice.json["errors"]
        ], twice.text
    for text in ("%FF=1", "a=%FF", "&".join("a=1" for _ in range(201))):
        assert shared.organiser(route.method, f"{path}?{text}").status_int == 400
    assert shared.version() == before


# what a parameter may only be sent with
COLUMNS = "&column_booked_on=Day&column_amount=Amount"
NEEDED = dict.fromkeys(("decimal_separator", "thousands_separator", "dates"), COLUMNS)


@each("route", QUERIES)
def test_each_value_that_the_schema_lists_can_be_sent(shared, route):
    """A query string holds texts: a type to which no text is converted would make a parameter
    unusable.
    """
    schema = query_schema(route.options.query, listing=route.options.listing)
    path = re.sub("<[^>]+>", "999999", route.path)
    for name, sub in schema["properties"].items():
        sub = resolved(sub, schema)
        assert "boolean" not in kinds_of(sub), f"{route.path}: send 0 or 1 as {name}"
        for value in sub.get("enum", ()):
            answer = shared.organiser(route.method, f"{path}?{name}={value}{NEEDED.get(name, '')}")
            errors = answer.json.get("errors", ()) if answer.status_int >= 400 else ()
            assert name not in [entry.get("parameter") for entry in errors], answer.text[:500]


HOSTILE = [
    "' OR 1=1 --",
    '"; DROP TABLE events; --',
    "*",
    '"',
    "(",
    "NEAR(",
    "a AND",
    "\\",
    "%",
    "_",
    "../../etc/passwd",
    "{{x}}",
    "${x}",
    "\u202e",
    "\U0001f3aa" * 20,
    "﷽" * 50,
    "-",
    "^a",
    "a:b",
    "title:x",
    "e\u0301",
]


@each("route", [route for route in QUERIES if route.options.listing])
def test_hostile_text_in_a_filter_is_treated_as_text(shared, route):
    """For any text the response is a list or 422, never a server error."""
    schema = query_schema(route.options.query, listing=True)
    address = address_of_list(shared.organiser, route)
    needed = {
        name: str(resolved(schema["properties"][name], schema).get("enum", ["1"])[0])
        for name in schema["required"]
    }
    for name, sub in schema["properties"].items():
        if "string" in kinds_of(resolved(sub, schema)) and "enum" not in resolved(sub, schema):
            for text in HOSTILE:
                query = "&".join(
                    f"{key}={quote(value)}" for key, value in {**needed, name: text}.items()
                )
                answer = shared.organiser.get(f"{address}?{query}")
                assert answer.status_int in (200, 422), f"{name}={text!r}: {answer.text[:300]}"


@each(
    "route",
    [
        route
        for route in BODIES
        if route.method == "POST" and "<" not in route.path and "." not in route.options.schema
    ],
)
def test_hostile_text_in_a_body_is_stored_unchanged_or_refused(shared, route):
    schema = body_schema(route.options.schema, "POST")
    good = body_for(shared.organiser, route.options.schema)
    for field, sub in schema["properties"].items():
        if sub is not True and "integer" in kinds_of(sub):
            for number in (2**63 - 1, -(2**63)):
                assert shared.organiser.post(route.path, {**good, field: number}).status_int == 422
    texts = {
        field: sub
        for field, sub in schema["properties"].items()
        if sub is not True
        and "string" in kinds_of(sub)
        and not {"pattern", "enum"} & sub.keys()
        and sub.get("format") in (None, "line")
    }

    def refused(fields, text):
        """Send the text in all these fields.

        Return those that are refused, None if that is not clear.

        If none is refused, all are stored unchanged.
        """
        answer = shared.organiser.post(route.path, {**good, **dict.fromkeys(fields, text)})
        assert answer.status_int in (201, 409, 422), answer.text
        if answer.status_int != 201:
            pointers = [entry["pointer"] for entry in answer.json.get("errors", ())]
            return {field for field in fields if f"/{field}" in pointers} or None
        for field in fields:
            assert texts[field].get("writeOnly") or answer.json["data"][field] == text
        shared.organiser.delete(f"{route.path}/{answer.json['data']['id']}", status=204)
        return set()

    for text in HOSTILE:
        left = set(texts)
        while out := refused(left, text):
            left -= out
        if out is None:
            for field in texts:
                refused([field], text)


@pytest.mark.parametrize("length", ["-1", "x", "1.5", "9" * 40])
def test_a_strange_content_length_is_not_a_failure(shared, length):
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/v1/events",
        "CONTENT_LENGTH": length,
        "CONTENT_TYPE": "application/json",
    }
    assert plain(shared, environ)[0] in (400, 413, 422)


def plain(shared, environ):
    """Send a request without WebTest, which would refuse to send it."""
    import io

    statuses = []
    environ = {
        "SCRIPT_NAME": "",
        "QUERY_STRING": "",
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(b"{}"),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "HTTP_AUTHORIZATION": f"Bearer {shared.organiser.key}",
        **environ,
    }
    body = b"".join(
        shared.app.app(environ, lambda status, headers, *_: statuses.append(int(status.split()[0])))
    )
    return statuses[0], body
