"""Second plugin: bearer key to who is asking (RFC 6750). A revocation bites at the next request."""
import logging
from dataclasses import dataclass

from bottle import request

from eventapi import times
from eventapi.domain.access.api_keys import key_hash
from eventapi.errors import Problem
from eventapi.storage.errors import StorageError
from eventapi.storage.statements import statements
from eventapi.web import client

sql = statements("api_keys")
log = logging.getLogger("eventapi.authentication")
HOUR = len("2026-05-01T09")         # the use of a key is noted once in each


@dataclass(slots=True)
class Who:
    """The key behind a request, the admin it belongs to, and what the tenant allows now."""
    key_id: int
    admin_id: int
    admin_name: str
    scopes: frozenset
    tier: str
    disabled_flags: frozenset
    request_id: str
    address: str
    agent: str


class Authentication:
    name, api = "authentication", 2

    def __init__(self, config):
        self.config = config

    def apply(self, callback, route):
        if route.config["options"].public:
            return callback

        def authenticated(**values):
            environ = request.environ
            db = environ["eventapi.connections"].reader()
            db.actor = environ["eventapi.who"] = identify(db, environ)
            return callback(**values)
        return authenticated


def identify(db, environ):
    scheme, _, key = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Problem("missing_credentials", "Send the header Authorization: Bearer <API_KEY>.",
                      headers={"WWW-Authenticate": 'Bearer realm="eventapi"'})
    now = times.now()
    row = db.one(sql.identify, key_hash=key_hash(key.strip()), now=now)
    if row is None:
        raise Problem("invalid_api_key", "The API key is unknown, expired or revoked.",
                      headers={"WWW-Authenticate": 'Bearer realm="eventapi", error="invalid_token"'})
    if (row["last_used_at"] or "")[:HOUR] != now[:HOUR]:
        _touch(db, row["id"], now)
    return Who(row["id"], row["admin_id"], row["admin_name"], frozenset(row["scopes"].split()), row["tier"],
               frozenset((row["disabled_flags"] or "").split()), environ["eventapi.request_id"], client.address(), client.agent())


def _touch(db, key_id, now):
    """Notes the use of a key, unless somebody else is writing or the disk is full: it is not worth a wait or a failure."""
    try:
        with db.write(wait=0):
            db.run(sql.touch, id=key_id, now=now)
    except StorageError as error:
        log.debug("the use of key %s was not noted: %s", key_id, error)
