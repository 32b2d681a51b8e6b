"""Sixth plugin: Idempotency-Key. A repeated POST gets the first response again, for 24 hours.

It runs inside the transaction of the database plugin, so a response is kept if and only if its write is.
"""
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from hashlib import sha256

from bottle import Route, request

from eventapi import times
from eventapi.config import Config
from eventapi.errors import Problem, invalid_parameter
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web import masking
from eventapi.web.rest import Response, base_url

sql = statements("idempotency")
KEEP = timedelta(hours=24)
KEY = re.compile(r"[\x21-\x7e]{1,255}")


class Idempotency:
    name, api = "idempotency", 2

    def __init__(self, config: Config):
        pass

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Wrap the handlers of POST requests that are sent with an API key; leave the others as they are."""
        if route.method != "POST" or route.config["options"].public:
            return callback

        def once(**values):
            key = request.environ.get("HTTP_IDEMPOTENCY_KEY")
            if key is None:
                return callback(**values)
            if not KEY.fullmatch(key):
                raise invalid_parameter("Idempotency-Key", "format", "must have 1 to 255 visible characters")
            if masking.text(key) != key:
                raise invalid_parameter("Idempotency-Key", "format", "must not contain an API key. Send a new random "
                                                                     "value with each request")
            return respond_once(request.environ, key, lambda: callback(**values))
        return once


def respond_once(environ: dict, key: str, act: Callable[[], object]) -> Response:
    """Return the kept response to this key, or the response of `act`, and keep that in the same transaction.

    Raise idempotency_key_reused if the key was sent with another request. A secret that is shown only once is not
    kept: the repeated request finds null in its place.
    """
    db = environ["eventapi.connections"].writer()
    values = {"api_key_id": db.actor.key_id, "key": key}
    fingerprint = _fingerprint(environ)
    kept = db.one(sql.get, **values, since=times.text(datetime.now(timezone.utc) - KEEP))
    if kept:
        if kept["fingerprint"] != fingerprint:
            raise Problem("idempotency_key_reused", "This Idempotency-Key was used for another request. Send a new key "
                          "with each new request.")
        return _replayed(kept)
    response = act()
    if not isinstance(response, Response):
        response = Response(response)
    db.run(sql.keep, **values, fingerprint=fingerprint, status=response.status, request_id=db.actor.request_id,
           now=db.now, location=response.headers.get("Location", "").removeprefix(base_url()) or None,
           data=None if response.status == 204 else as_json(response.later_data()),
           meta=as_json(response.meta) if response.meta else None)
    return response


def _fingerprint(environ):
    """Return a hash of method, path, query and body: requests with the same key must have the same one."""
    parts = (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""))
    return sha256("\0".join(parts).encode() + b"\0" + (environ.get("eventapi.raw_body") or b"")).hexdigest()


def _replayed(kept):
    headers = {"Idempotency-Replayed": "true"}
    if kept["location"]:
        headers["Location"] = base_url() + kept["location"]
    data, meta = kept["data"] and json.loads(kept["data"]), json.loads(kept["meta"] or "{}")
    return Response(data, kept["status"], headers, meta)
