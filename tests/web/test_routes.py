"""Every route of the service is tested with the same requests.

A new resource is covered as soon as its module is in the catalogue.
"""

import ast
import csv
import dataclasses
import inspect
import io
import re
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from eventapi.app import routes
from eventapi.errors import CODES
from eventapi.validation.schema_files import definition, query_schema, response_schema
from eventapi.web.routes import Options, Routes
from tests.support import openapi_check
from tests.support.client import SCOPES
from tests.support.each import check_each, each_group
from tests.support.examples import (
    FILLED_BY,
    KEPT,
    OUTCOMES,
    SHOWN_ONCE,
    address_of_list,
    all_routes,
    as_read,
    body_for,
    collections,
    example,
    make,
    query_for,
    updates,
    without_secrets,
)

ROUTES = all_routes()
OPEN_ROUTES = [route for route in routes() if route.options.public]
LISTS = [route for route in ROUTES if route.options.listing]
WITH_BODY = [
    route
    for route in ROUTES
    if route.method in ("POST", "PUT", "PATCH") and not route.options.raw_body
]
NEEDS_TIER = [route for route in ROUTES if route.options.scope != "none"]
CREATIONS = sorted(collections().items())
# checked by the handler, and tested with these resources
OWN_SCOPE = (
    "by_entity_type",
    "any",
    "all",
    "none",
)


def name_of(value):
    return f"{value.method} {value.path}" if hasattr(value, "path") else str(value)


def each(name, values):
    return pytest.mark.parametrize(name, values, ids=name_of)


def each_resource(routes):
    """Call the test once for each resource, with its routes among these as {name: route}."""
    cases = [(route.options.resource, name_of(route), route) for route in routes]
    return each_group("of_resource", cases)


def kind(route):
    """Return what plugins distinguish before the handler is called, apart from names."""
    options = route.options
    scope = options.scope if options.scope in OWN_SCOPE else "a scope"
    return (
        route.method,
        options.public,
        options.listing,
        scope,
        bool(options.narrow_scopes or options.further_scopes),
        bool(options.raw_body),
        options.reads or options.dry_run,
        options.batch,
    )


def first_of_each_kind(routes):
    """Return the routes as parameters of a test.

    `make test` takes the first of each kind, and `make processes` the others: what is tested is in
    a plugin, which every route has.
    """
    found, parameters = set(), []
    for route in routes:
        marks = [pytest.mark.processes] if kind(route) in found else []
        parameters.append(pytest.param(route, marks=marks))
        found.add(kind(route))
    return parameters


def each_creation(function):
    return pytest.mark.parametrize(
        "singular, path", CREATIONS, ids=[singular for singular, _ in CREATIONS]
    )(function)


def address(route, id=999999):
    """Return the path of the route with ids in it."""
    return re.sub(
        r"<(\w+)(:int)?>",
        lambda part: str(id) if part[1].endswith("id") or part[2] else "nothing",
        route.path,
    )


def problem(answer, status, code):
    """Assert that the response is this problem, complete and well-formed.

    Return the problem document.
    """
    assert answer.status_int == status, f"{answer.status}: {answer.text[:500]}"
    assert answer.content_type == "application/problem+json"
    found = answer.json
    assert found["type"].endswith(f"/problems/{code}") and found["code"] == code
    assert found["status"] == status and found["title"] == CODES[code][1] and found["detail"]
    assert found["meta"]["request_id"] == answer.headers["X-Request-ID"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return found


def ask(client, route, path=None, **options):
    return client(route.method, path or address(route), **options)


def valid_body(client, route):
    """Return a body that the schema of the route accepts, or None."""
    name = route.options.schema
    if not name or route.options.raw_body or route.method not in ("POST", "PUT", "PATCH"):
        return None
    if (
        "." in name
        and not definition(name).get("required")
        and not definition(name).get("examples")
    ):
        return {}
    return body_for(client, name)


# Authentication and permissions


@each("route", first_of_each_kind(ROUTES))
def test_requests_without_a_valid_key_are_refused(shared, route):
    problem(ask(shared.anonymous, route), 401, "missing_credentials")
    problem(
        ask(shared.anonymous, route, headers={"Authorization": "Bearer wrong"}),
        401,
        "invalid_api_key",
    )


@each("route", ROUTES[:1])
def test_each_kind_of_invalid_key_is_refused(shared, route):
    gone = "2020-01-01T00:00:00Z"
    revoked = shared.person(SCOPES, name="Rita Revoked")
    shared.db.connection.execute(
        "UPDATE api_keys SET revoked_at = ? WHERE name = 'Rita Revoked'", [gone]
    )
    answer = ask(shared.anonymous, route)
    problem(answer, 401, "missing_credentials")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    for header in ("Bearer", "Bearer ", "Basic YTpi", "Token x"):
        problem(
            ask(shared.anonymous, route, headers={"Authorization": header}),
            401,
            "missing_credentials",
        )
    for client in (revoked, shared.person(SCOPES, name="Eve Expired", expires_at=gone)):
        answer = ask(client, route)
        problem(answer, 401, "invalid_api_key")
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    for header in ("Bearer wrong", "Bearer é", "bearer " + "x" * 2000):
        problem(
            ask(shared.anonymous, route, headers={"Authorization": header}), 401, "invalid_api_key"
        )


@each_resource([route for route in ROUTES if route.options.scope not in OWN_SCOPE])
def test_a_key_without_the_scope_is_refused(shared, of_resource):
    def check(route):
        scope, writes = route.options.scope, route.method != "GET" and not route.options.reads
        others = " ".join(word for word in SCOPES.split() if word != scope)
        needed = scope if writes else f"{scope}:read"
        refused = problem(ask(shared.person(others), route), 403, "insufficient_scope")
        assert refused["scope"] == needed
        scopes = scope, *route.options.further_scopes
        for missing in scopes[1:]:
            rest = shared.person(" ".join(word for word in SCOPES.split() if word != missing))
            refused = problem(ask(rest, route), 403, "insufficient_scope")
            assert refused["scope"].removesuffix(":read") == missing
        reader = ask(shared.person(" ".join(f"{name}:read" for name in scopes)), route)
        if writes:
            assert problem(reader, 403, "insufficient_scope")["scope"] == scope
        else:
            assert reader.status_int != 403, reader.text
        assert ask(shared.person(" ".join(scopes)), route).status_int not in (401, 403)

    check_each(of_resource, check)


@each_resource(ROUTES)
def test_a_route_declares_its_scope_and_flag(of_resource):
    def check(route):
        known = set(SCOPES.split())
        assert route.options.scope in known | set(OWN_SCOPE)
        assert route.options.flag in {
            None,
            "invoices",
            "booths",
            "plans",
            "services",
            "service_orders",
            "tasks",
            "documents",
            "schedules",
            "webhooks",
            "pages",
        }

    check_each(of_resource, check)


@each_resource([route for route in ROUTES if route.options.flag])
def test_a_flag_disables_and_enables_the_route_at_once(shared, of_resource):
    def check(route):
        flag, switch = route.options.flag, "UPDATE flags SET enabled = ? WHERE name = ?"
        shared.db.connection.execute(switch, [0, flag])
        try:
            assert problem(ask(shared.organiser, route), 403, "feature_disabled")["flag"] == flag
        finally:
            shared.db.connection.execute(switch, [1, flag])
        assert ask(shared.organiser, route).status_int != 403

    check_each(of_resource, check)


@each("route", first_of_each_kind(NEEDS_TIER))
def test_a_lower_plan_tier_is_refused(shared, route):
    for tier in ("Starter", "Business"):
        shared.db.connection.execute("UPDATE tenant SET tier = ?", [tier])
        try:
            problem(ask(shared.organiser, route), 403, "plan_required")
        finally:
            shared.db.connection.execute("UPDATE tenant SET tier = 'Business+'")


# The request


@each_resource(ROUTES)
def test_an_unknown_parameter_is_named(shared, of_resource):
    def check(route):
        found = problem(
            ask(shared.organiser, route, f"{address(route)}?nonsense=1"), 422, "validation_failed"
        )
        assert "nonsense" in [entry.get("parameter") for entry in found["errors"]]

    check_each(of_resource, check)


def parameters_of_lists():
    """Return the names of all parameters that any list has."""
    return sorted(
        {
            name
            for route in LISTS
            for name in query_schema(route.options.query, listing=True)["properties"]
        }
    )


@each("route", first_of_each_kind(route for route in routes() if not route.options.listing))
def test_a_parameter_of_lists_is_refused_where_there_is_no_list(shared, route):
    own = query_schema(route.options.query, listing=False)["properties"]
    unknown = [name for name in parameters_of_lists() if name not in own]
    for value in ("asc", "1", "", "2026-01-01"):
        answer = ask(
            shared.organiser,
            route,
            f"{address(route)}?{'&'.join(f'{name}={value}' for name in unknown)}",
        )
        if route.options.public:
            assert answer.status_int < 500, answer.text[:500]
        else:
            found = problem(answer, 422, "validation_failed")["errors"]
            assert set(unknown) <= {
                entry.get("parameter") for entry in found if entry["code"] == "unknown"
            }


# The tests of a route with a raw body send it a file.
@each_resource([route for route in ROUTES if "id>" in route.path and not route.options.raw_body])
def test_an_unknown_id_is_404(shared, of_resource):
    def check(route):
        required = (
            route.method == "GET"
            and query_schema(route.options.query, listing=route.options.listing)["required"]
        )
        assert not required, f"{route.method} {route.path} requires {required} beside an id"
        problem(
            ask(shared.organiser, route, body=valid_body(shared.organiser, route)), 404, "not_found"
        )

    check_each(of_resource, check)


@each_resource(ROUTES)
def test_an_invalid_id_is_an_unknown_path(shared, of_resource):
    def check(route):
        for id in ("0", "07", "x", "9" * 30, "%F0"):
            if "id>" in route.path and re.search(r"<(item_)?id>", route.path):
                answer = ask(shared.organiser, route, address(route, id))
                assert answer.status_int in (400, 404, 405), answer.text
        problem(ask(shared.organiser, route, address(route) + "/nothing/here"), 404, "not_found")

    check_each(of_resource, check)


def test_a_route_without_a_scope_stops_the_start():
    with pytest.raises(ValueError, match="/nowhere has no scope="):
        Routes("nowhere").get("/nowhere")


def test_a_misspelt_option_stops_the_start():
    with pytest.raises(TypeError, match="route /api/v1/nowhere: there is no option 'shcema'"):
        Routes("nowhere", scope="events").get("/nowhere", shcema="event")
    with pytest.raises(TypeError, match="there is no option 'flags'"):
        Routes("nowhere", scope="events", flags="events").get("/nowhere")


def test_every_option_of_a_route_is_documented():
    tree = ast.parse(inspect.getsource(Options)).body[0]
    documented = [
        field.target.id
        for field, text in pairwise(tree.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and len(text.value.value) > 20
    ]
    assert documented == [field.name for field in dataclasses.fields(Options)]


@each("path", sorted({route.path for route in ROUTES}))
def test_options_and_405_list_the_allowed_methods(shared, path):
    here = [route for route in ROUTES if route.path == path]
    answer = shared.organiser("OPTIONS", address(here[0]), status=204)
    allowed = set(answer.headers["Allow"].split(", "))
    assert allowed == {route.method for route in here} | {"OPTIONS"} | (
        {"HEAD"} if "GET" in allowed else set()
    )
    problem(shared.anonymous("OPTIONS", address(here[0])), 401, "missing_credentials")
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - allowed:
        answer = shared.organiser(method, address(here[0]), status=405)
        assert method == "HEAD" or problem(answer, 405, "method_not_allowed")
        assert set(answer.headers["Allow"].split(", ")) == allowed


@each_resource(ROUTES)
def test_one_trailing_slash_is_the_same_resource(shared, of_resource):
    def check(route):
        with_slash = ask(shared.organiser, route, address(route) + "/")
        without = ask(shared.organiser, route)
        assert with_slash.status_int == without.status_int
        assert with_slash.content_type == without.content_type
        has_body = without.status_int != 204
        if has_body and without.content_type.endswith("json"):
            assert with_slash.json.get("code") == without.json.get("code")

    check_each(of_resource, check)


@each_resource(ROUTES)
def test_the_request_id_is_kept(shared, of_resource):
    def check(route):
        answer = ask(shared.anonymous, route, headers={"X-Request-ID": "Job-7_a.b"})
        assert answer.headers["X-Request-ID"] == "Job-7_a.b"

    check_each(of_resource, check)


@each("route", ROUTES[:1])
def test_a_request_id_that_is_not_well_formed_is_replaced(shared, route):
    for strange in ("", "a b", "x" * 65, "é", '"'):
        given = ask(shared.anonymous, route, headers={"X-Request-ID": strange}).headers[
            "X-Request-ID"
        ]
        assert given != strange and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", given)


@each("route", [route for route in ROUTES if route.method == "GET"])
def test_a_format_that_is_not_offered_is_406(shared, route):
    if "image/png" in route.options.forms:
        pytest.skip("offers image/png")
    problem(ask(shared.organiser, route, headers={"Accept": "image/png"}), 406, "not_acceptable")


@each("route", WITH_BODY)
def test_a_body_that_is_no_json_object_is_refused(shared, route):
    for raw, kind, status, code in (
        (b"{}", "text/plain", 415, "unsupported_media_type"),
        (b"[" + b" " * 2**20 + b"]", "application/json", 413, "body_too_large"),
        (b'{"a":', "application/json", 400, "malformed_json"),
        (b"[]", "application/json", 422, "validation_failed"),
    ):
        problem(ask(shared.organiser, route, raw=raw, headers={"Content-Type": kind}), status, code)


@each("route", WITH_BODY[:1])
def test_each_kind_of_body_that_cannot_be_read_is_refused(shared, route):
    def send(raw, **headers):
        return ask(
            shared.organiser,
            route,
            raw=raw,
            headers={"Content-Type": "application/json", **headers},
        )

    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin-1",
        "",
    ):
        problem(send(b"{}", **{"Content-Type": kind}), 415, "unsupported_media_type")
    for raw in (b"[" + b" " * 2**20 + b"]", b"[" * 100_000, b'{"a": [' + b"0," * 100_000 + b"0]}"):
        problem(send(raw), 413, "body_too_large")
    for raw in (
        b'{"a":',
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b'{"a": 1, "a": 2}',
        b'{"a": 18446744073709551616}',
        b"\xff",
        b'{"a": "\\ud800"}',
        b'{"a": "\\u0000"}',
        b"[" * 10000,
        b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}",
    ):
        problem(send(raw), 400, "malformed_json")
    for raw in (b"[]", b"3", b'"x"', b"null", b"true"):
        found = problem(send(raw), 422, "validation_failed")
        shown = "" if raw == b"[]" else f", but is {raw.decode().strip(chr(34))}"
        assert found["errors"] == [
            {"pointer": "", "code": "type", "detail": f"must be an object{shown}"}
        ]


@each("route", WITH_BODY)
def test_an_unknown_field_is_named(shared, route):
    found = problem(
        ask(shared.organiser, route, body={"non/sense~": 1, "id": 1}), 422, "validation_failed"
    )
    assert ("/non~1sense~0", "unknown") in [
        (entry["pointer"], entry["code"]) for entry in found["errors"]
    ]


# Creating, reading, changing


@each_creation
def test_location_is_the_url_of_the_new_record(shared, singular, path):
    answer = shared.organiser.post(path, body_for(shared.organiser, singular), status=201)
    record = answer.json["data"]
    assert answer.headers["Location"].endswith(f"{path}/{record['id']}")
    read = shared.organiser.get(urlsplit(answer.headers["Location"]).path, status=200)
    assert read.json["data"] == as_read(singular, record)
    assert {"id", "created_at", "updated_at"} <= record.keys()


@each_creation
def test_prefer_minimal_returns_a_small_object(shared, singular, path):
    minimal = {"Prefer": "return=minimal"}
    answer = shared.organiser.post(
        path, body_for(shared.organiser, singular), status=None, headers=minimal
    )
    small = answer.json["data"]
    only_here = {"effect"} if singular == "check_in" else {SHOWN_ONCE.get(singular)}
    assert answer.status_int == 201 and answer.headers["Preference-Applied"] == "return=minimal"
    assert small.keys() - only_here == {f"{singular}_id", "created_at", "updated_at"}
    assert all(type(small[name]) is int for name in small.keys() - only_here)
    assert answer.headers["Location"].endswith(f"/{small[f'{singular}_id']}")


@each_creation
def test_an_idempotency_key_makes_a_creation_happen_once(shared, singular, path):
    body, key = body_for(shared.organiser, singular), {"Idempotency-Key": f"once-{singular}"}
    first = shared.organiser.post(path, body, status=201, headers=key)
    before = shared.version()
    again = shared.organiser.post(path, body, status=201, headers=key)
    assert again.json["data"] == without_secrets(singular, first.json["data"])
    assert again.headers["Location"] == first.headers["Location"]
    assert (
        again.headers["Idempotency-Replayed"] == "true"
        and "Idempotency-Replayed" not in first.headers
    )
    assert shared.version() == before
    assert problem(
        shared.organiser.post(path, {**body, "id": 1}, headers=key), 422, "idempotency_key_reused"
    )
    colleague = shared.person(SCOPES, name="Colleague").post(
        path, body_for(shared.organiser, singular), headers=key, status=201
    )
    assert colleague.json["data"]["id"] != first.json["data"]["id"], "keys belong to the API key"


@each("route", [route for route in ROUTES if route.method == "POST"])
def test_an_idempotency_key_is_1_to_255_visible_characters(shared, route):
    for key in ("", "a b", "x" * 256, "é"):
        answer = ask(
            shared.organiser,
            route,
            headers={"Idempotency-Key": key},
            body=valid_body(shared.organiser, route),
        )
        if not route.options.raw_body:
            found = problem(answer, 422, "validation_failed")
            assert [entry["parameter"] for entry in found["errors"]] == ["Idempotency-Key"]


@each_creation
def test_the_etag_is_checked_by_if_none_match_and_if_match(shared, singular, path):
    record = make(shared.organiser, singular)
    address = f"{path}/{record['id']}"
    read = shared.organiser.get(address, status=200)
    tag = read.headers["ETag"]
    assert re.fullmatch(r'"[^"]+"', tag)
    for known in (tag, f'"x", {tag}', f"W/{tag}", "*"):
        same = shared.organiser.get(address, headers={"If-None-Match": known}, status=304)
        assert same.body == b"" and same.headers["ETag"] == tag
    shared.organiser.get(address, headers={"If-None-Match": '"stale"'}, status=200)
    for method, body in (*((method, record) for method in updates(singular)), ("DELETE", None)):
        problem(
            shared.organiser(method, address, body, headers={"If-Match": '"stale"'}),
            412,
            "precondition_failed",
        )
        problem(
            shared.organiser(method, address, body, headers={"If-Match": f"W/{tag}"}),
            412,
            "precondition_failed",
        )
    assert shared.organiser.get(address).headers["ETag"] == tag, "a refused change changes nothing"
    for method in updates(singular):
        shared.organiser(method, address, record, headers={"If-Match": tag}, status=200)
    shared.organiser.patch(address, record, headers={"If-Match": f'"x", {tag}'}, status=200)
    shared.organiser.delete(address, headers={"If-Match": "*"}, status=204)
    assert shared.organiser.get(address).status_int == (200 if singular in KEPT else 404)


@each_creation
def test_head_is_get_without_a_body(shared, singular, path):
    record = make(shared.organiser, singular)
    needed = query_for(shared.organiser, next(route for route in LISTS if route.path == path))
    for address in (f"{path}/{record['id']}", path + needed):
        same = {"X-Request-ID": "same"}
        get = shared.organiser.get(address, headers=same, status=200)
        head = shared.organiser("HEAD", address, headers=same, status=200)
        assert head.body == b"" and dict(head.headers) == dict(get.headers)


@each_creation
def test_a_deleted_record_is_not_found_and_its_id_is_not_reused(shared, singular, path):
    record = make(shared.organiser, singular)
    gone = shared.organiser.delete(f"{path}/{record['id']}", status=204)
    assert gone.body == b"" and gone.headers["X-Request-ID"]
    if singular in KEPT:
        assert shared.organiser.data(f"{path}/{record['id']}")["status"] == KEPT[singular]
        return
    for method in ("GET", "DELETE"):
        problem(shared.organiser(method, f"{path}/{record['id']}"), 404, "not_found")
    problem(shared.organiser.patch(f"{path}/{record['id']}", example(singular)), 404, "not_found")
    assert make(shared.organiser, singular)["id"] > record["id"]


# Lists


@pytest.fixture(scope="module")
def stocked(shared):
    """Return a function that fills the list of a route with several records and returns its
    (address, query).
    """
    kept, addresses = {}, {}

    def stock(route):
        if route.path not in kept:
            singular, query = route.options.singular, query_for(shared.organiser, route)
            if collections().get(singular) == route.path:
                for _ in range(5):
                    body = body_for(shared.organiser, singular)
                    shared.organiser.make(route.path, {**body, **fixed(query, body)})
            for _ in range(5 * (singular in FILLED_BY)):
                path, name = FILLED_BY[singular]
                shared.organiser.make(path, example(name))
            kept[route.path] = query
            addresses[route.path] = address_of_list(shared.organiser, route)
        return addresses[route.path], kept[route.path] or "?"

    return stock


def fixed(query, body):
    """Return the fields of the body that the query requires, so that the list contains the record."""
    pairs = dict(pair.split("=") for pair in query.lstrip("?").split("&") if pair)
    return {
        field: int(value) if value.isdigit() else value
        for field, value in pairs.items()
        if field in body
    }


def walked(client, address, ids=()):
    """Return the ids of a list, read to its end by cursor."""
    after = ""
    while after is not None:
        answer = client.get(f"{address}&after={after}", status=200).json
        own = {"custom_fields"} if address.startswith("/api/v1/applications/events") else set()
        assert answer["meta"].keys() == {"request_id", "per_page", "next", *own}
        ids = [*ids, *(record["id"] for record in answer["data"])]
        after = answer["meta"]["next"]
    return ids


@each("route", LISTS)
def test_a_list_is_paginated(shared, stocked, route):
    path, query = stocked(route)
    whole = shared.organiser.get(path + query, status=200)
    meta = whole.json["meta"]
    assert meta["page"] == 1 and meta["per_page"] == 20 and meta["total"] >= len(whole.json["data"])
    assert meta["total_pages"] == -(-meta["total"] // 20)
    ids = [
        record["id"] for record in shared.organiser.get(f"{path}{query}&per_page=100").json["data"]
    ]
    pages, page = [], 1
    while page and len(pages) < 100:
        answer = shared.organiser.get(f"{path}{query}&per_page=2&page={page}", status=200)
        pages += [record["id"] for record in answer.json["data"]]
        links = {
            rel: int(number)
            for number, rel in re.findall(r'[?&]page=(\d+)>; rel="(\w+)"', answer.headers["Link"])
        }
        assert ("prev" in links) == (page > 1)
        assert links["first"] == 1 and links["last"] == max(1, answer.json["meta"]["total_pages"])
        page = links.get("next")
    assert pages[:100] == ids
    last = f"{path}{query}&per_page=2&page={max(1, -(-meta['total'] // 2))}"
    assert 'rel="next"' not in shared.organiser.get(last, status=200).headers["Link"]
    beyond = shared.organiser.get(f"{path}{query}&page=1000", status=200).json
    assert beyond["data"] == [] and beyond["meta"]["total"] == meta["total"]
    for wrong in (
        "page=0",
        "page=-1",
        "page=x",
        "page=",
        "page=1.5",
        "per_page=0",
        "per_page=101",
        "per_page=x",
        "page=99999999999",
    ):
        found = problem(shared.organiser.get(f"{path}{query}&{wrong}"), 422, "validation_failed")
        assert [entry["parameter"] for entry in found["errors"]] == [wrong.partition("=")[0]]


@each("route", LISTS)
def test_a_list_can_be_sorted_by_each_key_in_both_directions_and_paginated_by_cursor(
    shared, stocked, route
):
    path, query = stocked(route)
    for word in query_schema(route.options.query, listing=True)["properties"]["sort"]["enum"]:
        for order in ("ASC", "DESC"):
            sorted_ = f"{path}{query}&sort={word}&order={order}"
            answer = shared.organiser.get(f"{sorted_}&per_page=100", status=200).json
            records, pages_of = answer["data"], max(2, min(100, answer["meta"]["total"] // 5))
            ids = [record["id"] for record in records]
            assert walked(shared.organiser, f"{sorted_}&per_page={pages_of}")[:100] == ids, (
                word,
                order,
            )
            values = [record[word] for record in records if word in record]
            values = [value for value in values if value is not None] + [None] * values.count(None)
            assert [record[word] for record in records if word in record] == values, (
                f"nulls come last: {word} {order}"
            )
            if word == "id":
                assert ids == sorted(ids, reverse=order.upper() == "DESC")
    same = shared.organiser.data(f"{path}{query}&sort={word}&order=desc&per_page=100")
    assert [record["id"] for record in same] == ids, "the order may be written in lower case"
    for wrong in ("sort=nonsense", "sort=", "order=up", "sort=id%3B--"):
        found = problem(shared.organiser.get(f"{path}{query}&{wrong}"), 422, "validation_failed")
        assert [entry["parameter"] for entry in found["errors"]] == [wrong.partition("=")[0]]


@each("route", LISTS)
def test_a_cursor_belongs_to_its_list_and_order(shared, stocked, route):
    path, query = stocked(route)
    cursor = shared.organiser.get(
        f"{path}{query}&after=&per_page=1&sort=id&order=ASC", status=200
    ).json["meta"]["next"]
    for wrong in (
        "x",
        "bnVsbA",
        "W10",
        "*",
        "%C3%A9",
        *([f"{cursor}&order=DESC", cursor[:-4]] if cursor else []),
    ):
        found = problem(
            shared.organiser.get(
                f"{path}{query}&after={wrong}&sort=id" + ("" if "order" in wrong else "&order=ASC")
            ),
            422,
            "validation_failed",
        )
        assert [entry["parameter"] for entry in found["errors"]] == ["after"], wrong


@each("route", LISTS)
def test_a_list_is_the_same_while_another_thread_writes(shared, stocked, route):
    path, query = stocked(route)
    pages = [f"{path}{query}&per_page=3{more}" for more in ("", "&page=2", "&after=")]
    before = [shared.organiser.get(page, status=200).json["data"] for page in pages]
    with shared.db.write_lock.thread_lock:
        for _ in range(2):  # the first request reads the columns
            assert [shared.organiser.get(page, status=200).json["data"] for page in pages] == before


@each("route", LISTS)
def test_a_list_can_be_filtered_by_ids_and_time_of_change(shared, stocked, route):
    path, query = stocked(route)
    ids = [
        record["id"] for record in shared.organiser.get(f"{path}{query}&per_page=100").json["data"]
    ]
    chosen = shared.organiser.get(
        f"{path}{query}&ids={','.join(map(str, [*ids[:2], 999999]))}&order=ASC&sort=id", status=200
    ).json
    assert [record["id"] for record in chosen["data"]] == sorted(ids[:2])
    changed = shared.organiser.get(
        f"{path}{query}&updated_since=2020-01-01T00:00:00%2B02:00&per_page=100"
    ).json["data"]
    assert changed != [] or not ids
    for number in (1, 2):
        none = shared.organiser.get(
            f"{path}{query}&updated_since=2999-01-01T00:00:00Z&page={number}", status=200
        ).json
        assert (none["data"], none["meta"]["total"]) == ([], 0)
    for wrong in (
        "ids=x",
        "ids=",
        "ids=0",
        "ids=1,,2",
        f"ids={'1,' * 100}1",
        "updated_since=yesterday",
        "updated_since=2026-02-30T00:00:00Z",
    ):
        found = problem(shared.organiser.get(f"{path}{query}&{wrong}"), 422, "validation_failed")
        assert {entry["parameter"] for entry in found["errors"]} == {wrong.partition("=")[0]}


@each("route", LISTS)
def test_a_list_as_csv_is_complete(shared, stocked, route):
    path, query = stocked(route)
    answer = shared.organiser.get(
        f"{path}{query}&per_page=1", headers={"Accept": "text/csv"}, status=200
    )
    assert answer.content_type == "text/csv" and answer.headers["Content-Disposition"].startswith(
        "attachment"
    )
    header, *lines = csv.reader(io.StringIO(answer.body.decode()))
    schema = response_schema(route.options.response or route.options.singular)
    always = {"/api/v1/applications/events": ["opening_hours", "categories", "form"]}.get(
        route.path, []
    )
    missing = OUTCOMES.get(route.options.singular, ())
    fields = [
        field
        for field, sub in schema["properties"].items()
        if (not sub.get("x-include") or field in always) and field not in missing
    ]
    assert list(dict.fromkeys(column.partition(".")[0] for column in header)) == fields
    assert len(set(header)) == len(header) and all(len(line) == len(header) for line in lines)
    assert len(lines) == shared.organiser.get(path + query).json["meta"]["total"]


@each(
    "route",
    [
        route
        for route in ROUTES
        if "include" in query_schema(route.options.query, listing=False)["properties"]
    ],
)
def test_each_include_adds_its_field(shared, stocked, route):
    include = query_schema(route.options.query, listing=False)
    words = include["properties"]["include"]
    words = include["$defs"][words["$ref"].rpartition("/")[2]] if "$ref" in words else words
    words = words["items"]["enum"]
    if route.options.listing:
        path, query = stocked(route)
    else:
        record = make(shared.organiser, route.options.singular)
        path, query = f"{collections()[route.options.singular]}/{record['id']}", "?"
    for asked in (*words, ",".join(words)):
        answer = shared.organiser.get(f"{path}{query}&include={asked}", status=200)
        found = answer.json["data"] if route.options.listing else [answer.json["data"]]
        assert found and all(word in record for record in found for word in asked.split(","))
        assert "ETag" not in answer.headers
    for wrong in ("nonsense", f"{words[0]},nonsense", ""):
        problem_ = problem(
            shared.organiser.get(f"{path}{query}&include={wrong}"), 422, "validation_failed"
        )
        assert {entry["parameter"] for entry in problem_["errors"]} == {"include"}


# Outside the root


def covers(other, route):
    """Return whether the path of a route is one of another route, too."""
    pattern = re.sub(r"<\w+>", "[^/]+", other.path)
    return route.path == other.path or re.fullmatch(pattern, route.path) is not None


@each("route", OPEN_ROUTES)
def test_a_page_outside_the_api_needs_no_key_and_sets_security_headers(shared, route):
    path = address(route)
    answer = shared.app.request(path, method=route.method, expect_errors=True)
    if not route.options.page:
        openapi_check.check_response(shared.config, route.method, path, answer)
    assert answer.status_int < 500 or route.path == "/healthz"
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["X-Request-ID"]
    if answer.content_type == "text/html":
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    for method in ("POST", "PUT", "DELETE"):
        if not any(other.method == method and covers(other, route) for other in OPEN_ROUTES):
            problem(
                shared.app.request(path, method=method, expect_errors=True),
                405,
                "method_not_allowed",
            )
