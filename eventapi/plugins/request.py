"""First plugin: request id, envelope, ETag, problem documents, and one line per request in the log.

Handlers that name them receive `config`, `connections` and `request_id`.
"""

import inspect
import logging
import random
import re
import time
from collections.abc import Callable, Generator, Iterable
from itertools import chain
from pathlib import Path

from bottle import Route, request

from eventapi import logs, times
from eventapi.config import ConfigError
from eventapi.errors import Problem, damaged, internal_error
from eventapi.storage.database import as_json
from eventapi.storage.disk import mark_full
from eventapi.storage.errors import (
    Busy,
    Damaged,
    Full,
    Outdated,
    ReadOnly,
    mark_damaged,
    storage_error,
)
from eventapi.validation.schema_files import outcome_fields
from eventapi.web import client, masking, pages, request_log
from eventapi.web.compression import compress
from eventapi.web.html import page_requests
from eventapi.web.rest import Response, base_url, envelope, etag, is_known
from eventapi.web.routes import JSON

REQUEST_ID = re.compile(r"(?!evk_)[A-Za-z0-9._-]{1,64}", re.ASCII)  # never an API key
MINIMAL = re.compile(r'(?:^|,)\s*return\s*=\s*(?:minimal|"minimal")\s*(?:[,;]|$)', re.I)
# arguments of handlers, in the environ as eventapi.NAME
PARTS = ("config", "connections", "request_id")
log = logging.getLogger("eventapi.request")


class Request:
    name = "request"
    api = 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler as a RequestHandler."""
        handler = RequestHandler(callback, route)
        deprecated = route.config["options"].deprecated
        return announcing(handler, deprecated.headers()) if deprecated else handler


def announcing(handler: Callable, headers: list[tuple[str, str]]) -> Callable:
    """Return the handler of a deprecated route.

    Each of its responses, also of an error, has these headers.
    """

    def announced(**values):
        response = handler(**values)
        for name, value in headers:
            if name in response.headers:  # a list has a header Link already
                value = f"{response.headers[name]}, {value}"
            response.headers[name] = value
        return response

    return announced


class RequestHandler:
    """The handler of one route, with the response to what it returns or raises."""

    def __init__(self, callback: Callable, route: Route):
        options = route.config["options"]
        takes = inspect.signature(route.callback).parameters
        self.callback = callback
        self.takes = [name for name in PARTS if name in takes]
        self.id_name = f"{options.singular}_id"
        self.reads = route.method == "GET"
        self.deletes = route.method == "DELETE"
        self.is_page = options.page and options.offered == ("text/html",)
        self.is_file = options.page and not self.is_page
        # A page shows secrets of its session, beside what somebody else may have chosen.
        self.is_compressed = self.reads and route.rule.startswith("/api/v1") and not options.session
        is_record = options.schema is not None and "." not in options.schema
        self.outcomes = outcome_fields(options.schema) if is_record else []
        self.headers = {"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}
        if len(options.offered) > 1:
            self.headers["Vary"] = "Accept"

    def __call__(self, **values: object) -> Response:
        """Call the handler.

        Return its response with all headers, or a problem document if it raises.
        """
        environ = request.environ
        start = time.perf_counter()
        headers = {"X-Request-ID": request_id(environ), **self.headers}
        for name in self.takes:
            values[name] = environ[f"eventapi.{name}"]
        try:
            response = self.respond(self.callback(**values), headers, environ)
        except Exception as error:
            response = self.refused(problem_of(error), headers)
        log_request(environ, start, response)
        return response

    def refused(self, problem: Problem, headers: dict) -> Response:
        """Return the problem document, or its page if the route is a page.

        Somebody who opens a file of a page in a browser while the server is busy gets the page as
        well.
        """
        if self.is_page:
            is_shown = problem.status != 404 or pages.wants_page()
        else:
            is_shown = self.is_file and problem.status == 503 and pages.wants_page()
        if not is_shown:
            return problem_response(problem, headers)

        response = page_requests.problem_page(problem, headers["X-Request-ID"])
        response.headers = {**headers, **response.headers}
        return response

    def respond(self, result: object, headers: dict, environ: dict) -> Response:
        """Return what the handler returned as a Response with a body, and with `headers` unless it
        has its own.

        Nothing is the result of a deletion.
        """
        if isinstance(result, Response):
            response = result
        else:
            response = Response(result, 204 if self.deletes else 200)
        response.headers = {**headers, **response.headers}

        if isinstance(response.body, Generator):
            response.body = watched(response.body, environ["eventapi.config"].database)
        elif response.body is None:
            response.body = b"" if response.status == 204 else self.enveloped(response, environ)
        if self.is_compressed:
            compress(response)
        if isinstance(response.body, Generator):
            response.body = StartedBody(response.body)
        return response

    def enveloped(self, response: Response, environ: dict) -> bytes:
        """Return the data of a response in its envelope.

        Set its ETag, and its status if the client has this state.
        """
        headers = response.headers
        headers["Content-Type"] = JSON
        data = as_json(response.data)
        if not self.reads:
            data = self.written(response, data, environ)
        elif response.has_etag and isinstance(response.data, dict):
            tag = etag(data)
            headers["ETag"] = tag
            if is_known(tag):
                response.status = 304
                return b""

        before, after = envelope(environ["eventapi.request_id"], response.meta)
        return f"{before}{data}{after}".encode()

    def written(self, response: Response, data: str, environ: dict) -> str:
        """Set the ETag of a record that a write returns. Return `data`, the JSON of the record.

        With `Prefer: return=minimal` (RFC 7240), return a small object instead. A secret that is
        shown once and what the write did are in both.
        """
        record = response.data
        secret = response.secret
        if not isinstance(record, dict) or "id" not in record:
            return data

        if response.has_etag:
            is_as_later = not secret and not self.outcomes
            response.headers["ETag"] = etag(data if is_as_later else self.later(response))
        if not MINIMAL.search(environ.get("HTTP_PREFER", "")):
            return data

        response.headers["Preference-Applied"] = "return=minimal"
        minimal = {self.id_name: record["id"]}
        for name in [secret, *self.outcomes] if secret else self.outcomes:
            if name in record:
                minimal[name] = record[name]
        for name in ("created_at", "updated_at"):
            if record.get(name) is not None:  # pages of an event have none until they are changed
                minimal[name] = times.unix(record[name])
        return as_json(minimal)

    def later(self, response: Response) -> str:
        """Return the JSON of a record as a later GET returns it."""
        record = dict(response.later_data())
        for field in self.outcomes:
            record.pop(field, None)
        return as_json(record)


def watched(pieces: Iterable[bytes], database: Path) -> Iterable[bytes]:
    """Yield the pieces of a body.

    If damage ends them, mark the database; the response stays incomplete.
    """
    try:
        yield from pieces
    except Exception as error:
        failure = storage_error(error)
        if isinstance(failure, Damaged):
            mark_damaged(database, str(failure))
        raise


class StartedBody:
    """The pieces of a body, of which the first exists: an error of it can still be a problem
    document.

    The server calls `close` in any case, as of every body (PEP 3333).
    """

    def __init__(self, pieces: Generator[bytes]):
        self._pieces = chain([next(pieces, b"")], pieces)
        self.close = pieces.close

    def __iter__(self):
        return self._pieces


# Problems


def problem_of(error: Exception) -> Problem:
    """Return the problem of an exception. Log the traceback if the administrator must act on it."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ConfigError):
        log.error("request %s was refused: %s", request_id(request.environ), error)
        return Problem(
            "unhealthy",
            "A setting of the organiser is not valid, and this process of the server has never had a valid one. The "
            "administrator finds its name in the log. Repeat the request when it is corrected.",
            headers={"Retry-After": "60"},
        )
    problem = storage_problem(error) or internal_error()
    if problem.code in ("internal_error", "unhealthy"):
        log.error("request %s failed", request_id(request.environ), exc_info=error)
    return problem


def storage_problem(error: BaseException) -> Problem | None:
    """Return the problem of an error of the storage or of a file.

    Return None if no client can do anything about it.

    A damaged database is marked, so that every process refuses to write to it. So is a full disk,
    on which an upload may fail before its transaction.
    """
    failure = storage_error(error)
    if isinstance(failure, Busy):
        return Problem("database_busy", str(failure), headers={"Retry-After": "2"})
    if isinstance(failure, Full):
        mark_full(request.environ["eventapi.config"].database)
        return Problem(
            "insufficient_storage", "The disk of the server is full; nothing was changed."
        )
    if isinstance(failure, ReadOnly):
        return Problem(
            "unhealthy",
            "The server cannot write its data; nothing was changed. The administrator finds "
            "the cause in the log. Repeat the request when it is removed.",
            headers={"Retry-After": "5"},
        )
    if isinstance(failure, Outdated):
        return Problem("unhealthy", str(failure), headers={"Retry-After": "60"})
    if isinstance(failure, Damaged):
        mark_damaged(request.environ["eventapi.config"].database, str(failure))
        return damaged()
    return None


def problem_response(problem: Problem, headers: dict) -> Response:
    """Return the problem document (RFC 9457) with its status, and with its own headers besides
    `headers`.

    A browser that opens an unknown address outside of the API gets a page instead.
    """
    if problem.status == 404 and pages.wants_page():
        response = pages.not_found()
        response.headers = {**headers, **response.headers}
        return response
    text = masking.text(as_json(problem.document(base_url(), request_id(request.environ))))
    return Response(
        body=text.encode(),
        status=problem.status,
        headers={**headers, **problem.headers, "Content-Type": "application/problem+json"},
    )


# Ids and lines of the log


def request_id(environ: dict) -> str:
    """Return the id of this request: that of the client if it is well-formed, otherwise a new one."""
    id = environ.get("eventapi.request_id")
    if id is None:
        id = environ.get("HTTP_X_REQUEST_ID", "")
        if not REQUEST_ID.fullmatch(id):
            id = new_id()
        environ["eventapi.request_id"] = id
    return id


def new_id() -> str:
    """Return a new request id.

    It begins with the time in milliseconds, so that the index of the audit log grows at its end.
    """
    return f"req_{time.time_ns() // 1_000_000:011x}{random.getrandbits(36):09x}"


def log_request(environ: dict, start: float | None, response: Response) -> None:
    """Write the log line of this request.

    `start` is the time at which the request began (time.perf_counter), None if it reached no route.
    The size of a body that is sent in pieces is not known.
    """
    if not log.isEnabledFor(logging.INFO):
        return
    who = environ.get("eventapi.who")
    request_log.write(
        logs.line(
            "info",
            request_id=environ["eventapi.request_id"],
            client=client.address(),
            key=who.key_id if who else None,
            admin=who.admin_id if who and who.key_id is None else None,
            method=environ["REQUEST_METHOD"],
            path=masking.path(environ["PATH_INFO"]),
            status_code=response.status,
            ms=round((time.perf_counter() - start) * 1000, 1) if start else 0.0,
            bytes=len(response.body) if isinstance(response.body, bytes) else None,
        )
    )
