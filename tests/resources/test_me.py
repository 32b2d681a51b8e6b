"""GET /me: what a key may do, for the set-up of an integration."""

import pytest

from eventapi import __version__
from tests.support.client import SCOPES, Client, add_key
from tests.web.test_leaks import CATALOGUE
from tests.web.test_routes import problem

ORGANISER = {
    "name": "Messe Test GmbH",
    "country": "DE",
    "currency": "EUR",
    "timezone": "Europe/Berlin",
    "language": "en",
}
FLAGS = "booths desk documents door invoices pages plans schedules service_orders services tasks webhooks"
# Lists that need a parameter
QUERIES = {"notes": "?entity_type=contact&entity_id=1", "schedules": "?event_id=1"}


@pytest.fixture
def key_with(app, db):
    """Return a function that returns the client of a key with these scopes."""
    return lambda scopes, **values: Client(app, add_key(db, scopes, **values))


def test_a_key_learns_what_it_is_and_may_do(key_with, settings):
    settings.organiser_name = "Messe Test GmbH"
    client = key_with("contacts participants:read", expires_at="2999-01-01T00:00:00Z")
    found = client.get("/me", status=200).json["data"]
    assert found == {
        "key": {
            "id": found["key"]["id"],
            "name": "Ada Lovelace",
            "expires_at": "2999-01-01T00:00:00Z",
            "last_used_at": found["key"]["last_used_at"],
        },
        "admin": {"id": found["admin"]["id"], "name": "Ada Lovelace"},
        "scopes": ["contacts", "participants:read"],
        "tier": "Business+",
        "flags": dict.fromkeys(FLAGS.split(), True),
        "organiser": ORGANISER,
        "version": __version__,
    }
    assert found["key"]["last_used_at"] is not None


@pytest.mark.parametrize("scopes", ["", "applications:create", "webhooks:read"])
@pytest.mark.parametrize("tier", ["Starter", "Business"])
def test_no_scope_flag_or_tier_is_needed(key_with, db, scopes, tier):
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0")
        db.connection.execute("UPDATE tenant SET tier = ?", [tier])
    found = key_with(scopes).get("/me", status=200).json["data"]
    assert found["scopes"] == scopes.split()
    assert found["tier"] == tier
    assert found["flags"] == dict.fromkeys(FLAGS.split(), False)


def test_a_valid_key_is_needed(app, key_with):
    problem(Client(app, None).get("/me"), 401, "missing_credentials")
    problem(Client(app, "evk_unknown").get("/me"), 401, "invalid_api_key")
    gone = key_with(SCOPES, expires_at="2020-01-01T00:00:00Z")
    problem(gone.get("/me"), 401, "invalid_api_key")


@pytest.mark.parametrize(
    ("scopes", "is_told"),
    [
        ("applications:create", False),
        ("public", False),
        ("applications:create public", False),
        ("applications:create contacts:read", True),
        ("events:read", True),
        ("", True),
    ],
)
def test_a_key_that_everybody_can_read_does_not_name_the_admin(key_with, scopes, is_told):
    admin = key_with(scopes).get("/me", status=200).json["data"]["admin"]
    assert (admin is not None) == is_told


def test_the_scopes_are_those_that_open_the_lists(key_with):
    """With each single scope, exactly the lists of the paths that the specification gives to it
    open.
    """
    paths = {
        path for path in CATALOGUE if path not in ("booth-reservations", "bulk-import", "notes")
    }
    lists = {"reports": "reports/participants", "calendar-feed": "calendar-feed/subscriptions"}
    for scope in (*SCOPES.split(), *(f"{scope}:read" for scope in SCOPES.split())):
        client = key_with(scope)
        (named,) = client.get("/me", status=200).json["data"]["scopes"]
        assert named == scope
        opened = {
            path
            for path in paths
            if client.get(f"/{lists.get(path, path)}{QUERIES.get(path, '')}").status_int != 403
        }
        assert opened == {path for path in paths if CATALOGUE[path] == scope.removesuffix(":read")}
