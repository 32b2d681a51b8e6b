"""Second plugin: identifies the caller by the bearer key (RFC 6750).

A revoked key is refused from the next request on.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bottle import Route, request

from eventapi import times
from eventapi.domain.access.api_keys import key_hash
from eventapi.errors import Problem
from eventapi.plugins.settings import follow
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError
from eventapi.storage.statements import statements
from eventapi.web import client

sql = statements("api_keys")
log = logging.getLogger("eventapi.authentication")
HOUR = len("2026-05-01T09")  # the use of a key is recorded once per hour


@dataclass(slots=True)
class Who:
    """The caller of a request: the API key, its admin, and the plan and features of the tenant at
    this time.
    """

    key_id: int
    admin_id: int
    admin_name: str
    scopes: frozenset[str]
    tier: str
    disabled_flags: frozenset[str]
    request_id: str
    address: str | None
    agent: str | None


class Authentication:
    name, api = "authentication", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler, called with the caller in the environ as eventapi.who.

        Public routes stay as they are.
        """
        if route.config["options"].public:
            return callback

        def authenticated(**values):
            environ = request.environ
            db = environ["eventapi.connections"].reader()
            who, revision = identify(db, environ)
            db.actor = environ["eventapi.who"] = who
            follow(db, revision, values)
            return callback(**values)

        return authenticated


def identify(db: Database, environ: dict) -> tuple[Who, int]:
    """Return the caller, and the revision of the settings.

    Raise 401 if the key is missing, unknown, expired or revoked.
    """
    scheme, _, key = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Problem(
            "missing_credentials",
            "Send the header Authorization: Bearer <API_KEY>.",
            headers={"WWW-Authenticate": 'Bearer realm="eventapi"'},
        )
    now = times.now()
    row = db.one(sql.identify, key_hash=key_hash(key.strip()), now=now)
    if row is None:
        raise Problem(
            "invalid_api_key",
            "The API key is unknown, expired or revoked. Ask the administrator of the "
            "service for a new key.",
            headers={"WWW-Authenticate": 'Bearer realm="eventapi", error="invalid_token"'},
        )
    if (row["last_used_at"] or "")[:HOUR] != now[:HOUR]:
        _touch(db, row["id"], now)
    who = Who(
        row["id"],
        row["admin_id"],
        row["admin_name"],
        frozenset(row["scopes"].split()),
        row["tier"],
        frozenset((row["disabled_flags"] or "").split()),
        environ["eventapi.request_id"],
        client.address(),
        client.agent(),
    )
    return who, row["settings_revision"]


def _touch(db, key_id, now):
    """Record the use of a key.

    Skip it if the database is busy or the disk is full: the request must neither wait nor fail for
    it.
    """
    try:
        with db.write(wait=0):
            db.run(sql.touch, id=key_id, now=now)
    except StorageError as error:
        log.debug("the use of key %s was not recorded: %s", key_id, error)
