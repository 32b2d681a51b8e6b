"""Last plugin: a connection, one transaction round a write, idempotency inside it."""
import inspect
import re
import threading
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from types import SimpleNamespace

from bottle import request

from eventapi import times
from eventapi.errors import Problem, fault, invalid
from eventapi.storage.database import Database, Nobody, as_json
from eventapi.storage.group_commit import Writer
from eventapi.storage.statements import statements
from eventapi.web.rest import Response, base_url

sql = statements("idempotency")
KEEP = timedelta(hours=24)
KEY = re.compile(r"[\x21-\x7e]{1,255}")
threads = threading.local()
writing = SimpleNamespace(db=None, opening=threading.Lock())


def database(config):
    """The database of this thread; opened anew when the file was replaced, as restore does."""
    db = getattr(threads, "db", None)
    if db is None or db.config is not config:
        if db is not None:
            db.close()
        db = threads.db = Database(config)
        db.connection.execute("PRAGMA cache_size = -300")       # kB in each thread; the system has the rest of the file at hand
    return db


def writer(config):
    """The one connection of this process that writes; who stands in the door has it to himself."""
    with writing.opening:
        if writing.db is None or writing.db.config is not config:
            if writing.db is not None:
                writing.db.close()
            writing.db = Writer(config)
        return writing.db


class DatabasePlugin:
    name, api = "database", 2

    def __init__(self, config):
        self.config = config

    def apply(self, callback, route):
        takes = inspect.signature(route.callback).parameters
        writes = route.method not in ("GET", "OPTIONS")
        wants_db, wants_who, posts = "db" in takes, "who" in takes, route.method == "POST" and not route.config["options"].public

        def connected(**values):
            environ = request.environ
            if wants_who:
                values["who"] = environ.get("eventapi.who")
            if not (wants_db or writes):               # /healthz answers even where there is no database
                return callback(**values)
            db = writer(self.config) if writes else database(self.config)
            if wants_db:
                values["db"] = db
            if not writes:
                return callback(**values)
            key = idempotency_key(environ) if posts else None
            with db.write(request=environ.get("eventapi.write")):
                db.actor = environ.get("eventapi.who") or Nobody
                try:
                    if key is None:
                        return callback(**values)
                    return once(db, key, environ, lambda: callback(**values))
                except Problem as problem:
                    if not problem.keeps:
                        raise
                    refusal = problem
            raise refusal
        return connected


def idempotency_key(environ):
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not KEY.fullmatch(key):
        raise invalid([fault("format", "must have 1 to 255 visible characters", parameter="Idempotency-Key")])
    return key


def once(db, key, environ, act):
    """The first answer to this key within 24 hours, or the answer of `act`, kept in the same transaction.

    A secret that is shown once is not kept: who repeats the request finds null in its place.
    """
    values = {"api_key_id": db.actor.key_id, "key": key}
    fingerprint = _fingerprint(environ)
    kept = db.one(sql.get, **values, since=times.text(datetime.now(timezone.utc) - KEEP))
    if kept:
        if kept["fingerprint"] != fingerprint:
            raise Problem("idempotency_key_reused", "This Idempotency-Key was used for another request.")
        return _replayed(kept)
    answer = act()
    if not isinstance(answer, Response):
        answer = Response(answer)
    data = {**answer.data, answer.secret: None} if answer.secret else answer.data
    db.run(sql.keep, **values, fingerprint=fingerprint, status=answer.status, request_id=db.actor.request_id, now=db.now,
           location=answer.headers.get("Location", "").removeprefix(base_url()) or None,
           data=None if answer.status == 204 else as_json(data), meta=as_json(answer.meta) if answer.meta else None)
    return answer


def _fingerprint(environ):
    parts = (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""))
    return sha256("\0".join(parts).encode() + b"\0" + (environ.get("eventapi.raw_body") or b"")).hexdigest()


def _replayed(kept):
    import json
    headers = {"Idempotency-Replayed": "true"}
    if kept["location"]:
        headers["Location"] = base_url() + kept["location"]
    return Response(kept["data"] and json.loads(kept["data"]), kept["status"], headers, json.loads(kept["meta"] or "{}"))
