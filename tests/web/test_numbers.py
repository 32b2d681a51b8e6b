"""Ids up to 2^63-1 are ids everywhere, a whole number may be written 3.0, and array parameters may
be repeated.
"""

import json

import pytest

from eventapi.validation.schema_files import body_schema, query_schema
from tests.support.examples import (
    address_of_list,
    all_routes,
    body_for,
    collections,
    make,
    query_for,
)
from tests.web.test_bad_input import kinds_of, resolved
from tests.web.test_routes import LISTS, ROUTES, address, ask, each, problem, valid_body

LARGEST = 2**63 - 1
LIMITED = {"page", "per_page"}


def integers(schema):
    """Return the names of the fields or parameters that are integers without a limit."""
    found = {
        name: resolved(sub, schema) for name, sub in schema["properties"].items() if sub is not True
    }
    return sorted(
        name
        for name, sub in found.items()
        if "integer" in kinds_of(sub) and not {"maximum", "enum"} & sub.keys()
    )


@each("route", [route for route in ROUTES if "id>" in route.path and not route.options.raw_body])
def test_the_largest_id_is_not_found_and_a_larger_one_is_no_path(shared, route):
    body = valid_body(shared.organiser, route)
    problem(ask(shared.organiser, route, address(route, LARGEST), body=body), 404, "not_found")
    problem(ask(shared.organiser, route, address(route, LARGEST + 1), body=body), 404, "not_found")
    if "<id>" in route.path:
        assert (
            "does not exist"
            in ask(shared.organiser, route, address(route, LARGEST + 1), body=body).json["detail"]
        )


@each("route", LISTS)
def test_the_largest_id_in_a_filter_finds_nothing(shared, route):
    path = address_of_list(shared.organiser, route)
    query = query_for(shared.organiser, route) or "?"
    assert shared.organiser.data(f"{path}{query}&ids={LARGEST}") == []
    schema = query_schema(route.options.query, listing=True)
    for name in set(integers(schema)) - LIMITED:
        if name.removesuffix("_id") not in query:  # it must agree with the key of the same record
            assert shared.organiser.data(f"{path}{query}&{name}={LARGEST}") == [], name
        found = problem(
            shared.organiser.get(f"{path}?{name}={LARGEST + 1}"), 422, "validation_failed"
        )
        assert name in [entry["parameter"] for entry in found["errors"]]


@pytest.mark.parametrize("singular", sorted(collections()))
def test_the_largest_id_in_a_body_is_an_unknown_record(shared, singular):
    body = body_for(shared.organiser, singular)
    for name in [name for name in integers(body_schema(singular)) if name.endswith("_id")]:
        answer = shared.organiser.post(collections()[singular], {**body, name: LARGEST}, status=422)
        assert not {"type", "maximum"} & {entry["code"] for entry in answer.json["errors"]}, (
            answer.text
        )


def with_point(value, schema, root):
    """Return the JSON of a value of the schema, with every integer written as a number with a
    decimal point.
    """
    schema = resolved(schema, root)
    if isinstance(value, dict) and isinstance(schema, dict):
        fields = schema.get("properties", {})
        return {name: with_point(part, fields.get(name, {}), root) for name, part in value.items()}
    if isinstance(value, list):
        return [with_point(part, schema.get("items", {}), root) for part in value]
    return float(value) if "integer" in kinds_of(schema) and type(value) is int else value


@pytest.mark.parametrize("singular", sorted(collections()))
def test_an_integer_may_be_written_with_a_decimal_point(shared, singular):
    schema, body = body_schema(singular), body_for(shared.organiser, singular)
    fields = schema["properties"]
    small = {
        name: fields[name].get("minimum", 1)
        for name in integers(
            {
                **schema,
                "properties": {
                    name: sub
                    for name, sub in fields.items()
                    if sub is not True and "default" in sub
                },
            }
        )
        if name not in body
    }
    body |= {name: value for name, value in small.items() if not name.endswith("_id")}
    raw = json.dumps(with_point(body, schema, schema)).encode()
    record = shared.organiser.post(collections()[singular], raw=raw, status=201).json["data"]
    for name, value in body.items():
        if (
            type(value) is int
            and name in record
            and "integer" in kinds_of(resolved(fields[name], schema))
        ):
            assert record[name] == value and type(record[name]) is int, name


@pytest.mark.parametrize(
    "text, status",
    [
        ("2.0", 201),
        ("2e0", 201),
        ("0.2e1", 201),
        ("20e-1", 201),
        ("2.5", 422),
        ("2e-1", 422),
        ("1e30", 422),
        ("9223372036854775808.0", 422),
        ('"2.0"', 422),
        ("true", 422),
    ],
)
def test_only_a_whole_number_is_an_integer(shared, text, status):
    answer = shared.organiser.post(
        "/contacts", raw=b'{"last_name": "Lovelace", "rating": %s}' % text.encode(), status=status
    )
    if status == 201:
        assert answer.json["data"]["rating"] == 2
    else:
        assert {entry["pointer"] for entry in answer.json["errors"]} == {"/rating"}


def test_a_query_takes_integers_in_digits_only(shared):
    for text in ("2.0", "2e0", "+2", "%202", "0x2", "٢"):
        problem(shared.organiser.get(f"/events?page={text}"), 422, "validation_failed")


@pytest.mark.parametrize(
    "text, status",
    [
        ("16.235510488227746", 200),
        ("2.50000000000000000001", 200),
        ("2,5", 422),
        ("2.5e0", 422),
        (".5", 422),
        ("", 422),
    ],
)
def test_a_number_in_a_query_may_have_as_many_decimals_as_programs_print(shared, text, status):
    event = make(shared.organiser, "event")
    booths = shared.organiser.get(f"/booths?event_id={event['id']}&min_area={text}", status=status)
    if status == 422:
        assert [entry["parameter"] for entry in booths.json["errors"]] == ["min_area"]


# Array parameters


@each(
    "route",
    [
        route
        for route in all_routes()
        if any(
            sub.get("type") == "array"
            for sub in query_schema(route.options.query, listing=False)["properties"].values()
        )
    ],
)
def test_a_repeated_array_parameter_is_read_like_a_list(shared, route):
    if route.options.raw_body:
        pytest.skip("its own tests send it a file")
    schema = query_schema(route.options.query, listing=False)
    path = f"/api/v1{route.path.removeprefix('/api/v1')}"
    if "<id>" in path:
        path = path.replace("<id>", str(make(shared.organiser, route.options.singular)["id"]))
    query = query_for(shared.organiser, route) or "?"
    for name, sub in schema["properties"].items():
        words = resolved(resolved(sub, schema).get("items", {}), schema).get("enum", [])
        for given in (words, [*words, words[0]] if words else []):
            if given:
                repeated = "".join(f"&{name}={word}" for word in given)
                same = {"X-Request-ID": "same"}
                one = shared.organiser.get(f"{path}{query}{repeated}", headers=same, status=200)
                other = shared.organiser.get(
                    f"{path}{query}&{name}={','.join(given)}", headers=same, status=200
                )
                assert _body(one) == _body(other)


def doubled(value):
    """Return a JSON value whose lists have each entry twice."""
    if isinstance(value, dict):
        return {name: doubled(part) for name, part in value.items()}
    return [doubled(part) for part in [*value, *value]] if isinstance(value, list) else value


@pytest.mark.parametrize("singular", sorted(collections()))
def test_an_entry_that_is_sent_twice_in_a_list_of_a_body_is_no_fault_of_the_server(
    shared, singular
):
    body = doubled(body_for(shared.organiser, singular))
    assert shared.organiser.post(collections()[singular], body).status_int < 500


def _body(answer):
    """Return the body without the addresses of pages, which repeat the query."""
    return answer.json if answer.content_type == "application/json" else answer.text


def test_repeated_ids_are_a_list_and_repeated_scalars_are_refused(shared):
    ids = [make(shared.organiser, "event")["id"] for _ in range(3)]
    query = "&".join(f"ids={id}" for id in ids[:2])
    assert {event["id"] for event in shared.organiser.data(f"/events?{query}")} == set(ids[:2])
    assert {
        event["id"]
        for event in shared.organiser.data(f"/events?ids={ids[0]},{ids[1]}&ids={ids[2]}")
    } == set(ids)
    for repeated in ("visible=1&visible=1", "page=1&page=2", "search=a&search=b"):
        found = problem(shared.organiser.get(f"/events?{repeated}"), 422, "validation_failed")
        assert [entry["code"] for entry in found["errors"]] == ["repeated"]
    too_many = "&".join(["ids=1"] * 60 + ["ids=1,1"] * 21)
    found = problem(shared.organiser.get(f"/events?{too_many}"), 422, "validation_failed")
    assert [entry["code"] for entry in found["errors"]] == ["max_items"]


def included(route, listing):
    """Return the values of `include` that a route accepts."""
    schema = query_schema(route.options.query, listing=listing)
    sub = resolved(schema["properties"].get("include", {}), schema)
    return set(resolved(sub.get("items", {}), schema).get("enum", []))


def test_a_single_record_accepts_every_include_of_its_list():
    single = {route.path: route for route in all_routes() if route.method == "GET"}
    # an import has no parameters
    lists = [
        route
        for route in all_routes()
        if route.options.listing
        and f"{route.path}/<id>" in single
        and not route.path.endswith("/bulk-import")
    ]
    refused = {
        route.path: included(route, True) - included(single[f"{route.path}/<id>"], False)
        for route in lists
    }
    assert lists and not any(refused.values()), refused
