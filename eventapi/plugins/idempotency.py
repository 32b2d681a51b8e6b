"""Seventh plugin: Idempotency-Key. A repeated POST gets the first response again, for 24 hours.

It runs inside the transaction of the database plugin, so a response is kept if and only if its
write is.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from hashlib import sha256

from bottle import Route, request

from eventapi import times
from eventapi.domain.access import sessions
from eventapi.errors import Problem, invalid_parameter
from eventapi.storage.database import Database, as_json
from eventapi.storage.statements import statements
from eventapi.web import masking
from eventapi.web.dry_runs import DRY_RUN
from eventapi.web.html import page_requests
from eventapi.web.rest import Response, base_url

sql = statements("idempotency")
KEEP = timedelta(hours=24)
KEY = re.compile(r"[\x21-\x7e]{1,255}")


class Idempotency:
    name, api = "idempotency", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Wrap the handlers of POST requests that are sent with an API key; leave the others as
        they are.
        """
        options = route.config["options"]
        if route.method == "POST" and options.session and not options.batch:
            return lambda **values: form_once(request.environ, lambda: callback(**values))
        # a batch keeps its results itself
        if route.method != "POST" or options.public or options.batch:
            return callback

        def once(**values):
            key = request.environ.get("HTTP_IDEMPOTENCY_KEY")
            if key is None:
                return callback(**values)
            check(key)
            # What only reads may be repeated anyway, and has no transaction.
            if options.reads or (options.dry_run and values["body"]["dry_run"]):
                return callback(**values)
            if request.environ.get(DRY_RUN):
                return callback(**values)
            return respond_once(request.environ, key, lambda: callback(**values))

        return once


def form_once(environ: dict, act: Callable[[], Response]) -> Response:
    """Return the redirection to which the form has led before, or the response of `act`, and keep a
    redirection.

    So a button that is pressed twice acts once. Raise idempotency_key_reused if the form was sent
    with other values.
    """
    form_id = environ.get("eventapi.form_id")
    if form_id is None:  # JSON of a page
        return act()
    db, owner = environ["eventapi.connections"].writer(), environ["eventapi.form_owner"]
    fingerprint = _fingerprint(environ)
    if kept := sessions.sent_form(db, owner, form_id):
        if kept["fingerprint"] != fingerprint:
            raise Problem(
                "idempotency_key_reused",
                "This form was sent before with other values. Send it again from "
                "the page that shows it now.",
            )
        return page_requests.redirect(kept["location"])
    response = act()
    if response.status == 303:
        keep_form(environ, response)
    return response


def keep_form(environ: dict, redirection: Response) -> None:
    """Let the form of the request lead to a redirection if it is sent again.

    A page that shows a secret once calls this: a reload must neither show nor do it again.
    """
    sessions.keep_form(
        environ["eventapi.connections"].writer(),
        environ["eventapi.form_owner"],
        environ["eventapi.form_id"],
        _fingerprint(environ),
        redirection.headers["Location"],
    )


def check(key: str) -> None:
    """Raise 422 unless the value of the header is allowed."""
    if not KEY.fullmatch(key):
        raise invalid_parameter(
            "Idempotency-Key", "format", "must have 1 to 255 visible characters"
        )
    if masking.text(key) != key:
        raise invalid_parameter(
            "Idempotency-Key",
            "format",
            "must not contain an API key. Send a new random value with each request",
        )


def kept_response(environ: dict, db: Database, api_key_id: int, key: str) -> dict | None:
    """Return the row of the response that is kept for this key, or None.

    Raise idempotency_key_reused if the key was sent with another request.
    """
    kept = db.one(
        sql.get, api_key_id=api_key_id, key=key, since=times.text(datetime.now(timezone.utc) - KEEP)
    )
    if kept and kept["fingerprint"] != _fingerprint(environ):
        raise Problem(
            "idempotency_key_reused",
            "This Idempotency-Key was used for another request. Send a new key "
            "with each new request.",
        )
    return kept


def is_repeated(environ: dict, db: Database) -> bool:
    """Return whether the request has a key, and the response to it is kept.

    Raise as the plugin does. `db` reads.
    """
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return False
    check(key)
    return kept_response(environ, db, environ["eventapi.who"].key_id, key) is not None


def respond_once(environ: dict, key: str, act: Callable[[], object]) -> Response:
    """Return the kept response to this key, or the response of `act`, and keep that in the same
    transaction.

    Raise idempotency_key_reused if the key was sent with another request. A secret that is shown
    only once is not
    kept: the repeated request finds null in its place.
    """
    db = environ["eventapi.connections"].writer()
    values = {"api_key_id": db.actor.key_id, "key": key}
    if kept := kept_response(environ, db, **values):
        return _replayed(kept)
    response = act()
    if not isinstance(response, Response):
        response = Response(response)
    keep(environ, db, key, response, db.actor.request_id)
    return response


def keep(environ: dict, db: Database, key: str, response: Response, request_id: str | None) -> None:
    """Keep the response to this key, in place of an earlier one.

    The write transaction has the caller as its actor.

    `request_id` finds the audit entries of the records in the response, so that erasing a person
    erases it. With None, it is erased with any person.
    """
    db.run(
        sql.keep,
        api_key_id=db.actor.key_id,
        key=key,
        fingerprint=_fingerprint(environ),
        status=response.status,
        request_id=request_id,
        now=db.now,
        location=response.headers.get("Location", "").removeprefix(base_url()) or None,
        data=None if response.status == 204 else as_json(response.later_data()),
        meta=as_json(response.meta) if response.meta else None,
    )


def _fingerprint(environ):
    """Return a hash of method, path, query and body: requests with the same key must have the same
    one.
    """
    parts = (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""))
    return sha256(
        "\0".join(parts).encode() + b"\0" + (environ.get("eventapi.raw_body") or b"")
    ).hexdigest()


def _replayed(kept):
    headers = {"Idempotency-Replayed": "true"}
    if kept["location"]:
        headers["Location"] = base_url() + kept["location"]
    data, meta = kept["data"] and json.loads(kept["data"]), json.loads(kept["meta"] or "{}")
    return Response(data, kept["status"], headers, meta)
