"""The order of checks, for every route.

404 unknown path, 405, 401, plan, flag, scope, 415, 413 and 400, 422 of the input, 404 of the
record, 412, 422 against other records, 409.
"""

import pytest

from eventapi.validation.schema_files import body_schema
from tests.support.client import SCOPES
from tests.support.examples import REFERENCES, collections, make
from tests.web.test_numbers import integers
from tests.web.test_routes import NEEDS_TIER, OWN_SCOPE, WITH_BODY, address, ask, each, problem

TEXT, LONG = {"Content-Type": "text/plain"}, b"{" + b" " * 2**20


@each("route", NEEDS_TIER)
def test_the_key_is_checked_before_tier_flag_scope_and_input(shared, route):
    flags = {route.options.flag} - {None}
    others = " ".join(word for word in SCOPES.split() if word != route.options.scope)
    other, wrong = shared.person(others), f"{address(route)}?nonsense=1"
    run = shared.db.connection.execute
    run("UPDATE tenant SET tier = 'Business'")
    run("UPDATE flags SET enabled = 0")
    try:
        problem(ask(shared.anonymous, route, wrong, raw=b"{"), 401, "missing_credentials")
        problem(ask(other, route, wrong, raw=b"{"), 403, "plan_required")
        run("UPDATE tenant SET tier = 'Business+'")
        if flags:
            problem(ask(other, route, wrong, raw=b"{"), 403, "feature_disabled")
    finally:
        run("UPDATE tenant SET tier = 'Business+'")
        run("UPDATE flags SET enabled = 1")
    if route.options.scope not in OWN_SCOPE and not isinstance(route.options.scope, tuple):
        problem(ask(other, route, wrong, raw=b"{"), 403, "insufficient_scope")


@each("route", WITH_BODY)
def test_a_body_that_cannot_be_read_comes_before_faults_of_the_query_and_unknown_records(
    shared, route
):
    path = f"{address(route)}?nonsense=1"
    problem(
        ask(shared.organiser, route, path, raw=b"{", headers=TEXT), 415, "unsupported_media_type"
    )
    problem(ask(shared.organiser, route, path, raw=LONG), 413, "body_too_large")
    problem(ask(shared.organiser, route, path, raw=b"{"), 400, "malformed_json")
    found = problem(
        ask(shared.organiser, route, path, body={"non-sense": 1}), 422, "validation_failed"
    )
    assert {"nonsense", "/non-sense"} <= {
        entry.get("parameter") or entry["pointer"] for entry in found["errors"]
    }


@pytest.mark.parametrize("singular", sorted(collections()))
def test_if_match_comes_before_faults_against_other_records(shared, singular):
    record = make(shared.organiser, singular)
    path, stale = f"{collections()[singular]}/{record['id']}", {"If-Match": '"stale"'}
    fields = [name for name in integers(body_schema(singular, "PATCH")) if name in REFERENCES]
    for name in fields:
        wrong = {name: 2**63 - 1}
        problem(shared.organiser.patch(path, wrong, headers=stale), 412, "precondition_failed")
        problem(
            shared.organiser.patch(f"{collections()[singular]}/999999", wrong, headers=stale),
            404,
            "not_found",
        )
        assert shared.organiser.patch(path, wrong).status_int in (409, 422), name
    problem(shared.organiser.patch(path, {"non-sense": 1}, headers=stale), 422, "validation_failed")
