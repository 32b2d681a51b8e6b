"""First plugin: request id, envelope, ETag, problem documents, and one line per request in the log.

Handlers that name them receive `config`, `connections` and `request_id`.
"""
import inspect
import logging
import random
import re
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

from bottle import HTTPResponse, Route, request, response

from eventapi import logs, times
from eventapi.config import Config
from eventapi.errors import Problem, damaged, internal_error
from eventapi.storage.database import as_json
from eventapi.storage.errors import Busy, Damaged, Full, ReadOnly, mark_damaged, storage_error
from eventapi.storage.group_commit import deferred_commit
from eventapi.web import client, masking, request_log
from eventapi.web.rest import Response, base_url, envelope, etag, is_known
from eventapi.web.routes import JSON

REQUEST_ID = re.compile(r"(?!evk_)[A-Za-z0-9._-]{1,64}", re.ASCII)         # never an API key
MINIMAL = re.compile(r'(?:^|,)\s*return\s*=\s*(?:minimal|"minimal")\s*(?:[,;]|$)', re.I)
PARTS = ("config", "connections", "request_id")       # arguments of handlers, in the environ as eventapi.NAME
log = logging.getLogger("eventapi.request")


def request_id(environ: dict) -> str:
    """Return the id of this request: that of the client if it is well-formed, otherwise a new one."""
    known = environ.get("eventapi.request_id")
    if known is None:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        known = environ["eventapi.request_id"] = given if REQUEST_ID.fullmatch(given) else new_id()
    return known


def new_id() -> str:
    """Return a new request id.

    It begins with the time in milliseconds, so that the index of the audit log grows at its end.
    """
    return f"req_{time.time_ns() // 1_000_000:011x}{random.getrandbits(36):09x}"


def problem_response(problem: Problem) -> bytes:
    """Set status and headers of the response; return the problem document (RFC 9457)."""
    response.status = problem.status
    for name, value in problem.headers.items():
        response.set_header(name, value)
    response.content_type = "application/problem+json"
    return masking.text(as_json(problem.document(base_url(), request_id(request.environ)))).encode()


def storage_problem(error: BaseException) -> Problem | None:
    """Return the problem of an error of the storage or of a file. Return None if no client can do anything about it.

    A damaged database is marked, so that every process refuses to write to it.
    """
    failure = storage_error(error)
    if isinstance(failure, Busy):
        return Problem("database_busy", str(failure), headers={"Retry-After": "2"})
    if isinstance(failure, Full):
        return Problem("insufficient_storage", "The disk of the server is full; nothing was changed.")
    if isinstance(failure, ReadOnly):
        return Problem("unhealthy", "The data cannot be written; nothing was changed.", headers={"Retry-After": "5"})
    if isinstance(failure, Damaged):
        mark_damaged(request.environ["eventapi.config"].database, str(failure))
        return damaged()
    return None


class Request:
    name, api = "request", 2

    def __init__(self, config: Config):
        pass

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler as an Exchange."""
        exchange, deprecated = Exchange(callback, route), route.config["options"].deprecated
        return announcing(exchange, deprecated.headers()) if deprecated else exchange


def announcing(exchange: Callable, headers: list[tuple[str, str]]) -> Callable:
    """Return the exchange of a deprecated route. Each of its responses, also of an error, has these headers."""
    def announced(**values):
        body = exchange(**values)
        for name, value in headers:
            response.add_header(name, value)            # a list has a header Link already
        return body
    return announced


class Exchange:
    """The handler of one route, with the response to what it returns or raises."""

    def __init__(self, callback: Callable, route: Route):
        takes = inspect.signature(route.callback).parameters
        self.callback = callback
        self.id_name = f"{route.config['options'].singular}_id"
        self.reads = route.method == "GET"
        self.varies = len(route.config["options"].offered) > 1
        self.takes = [name for name in PARTS if name in takes]

    def __call__(self, **values: object) -> bytes | Iterable[bytes]:
        """Call the handler. Return the body of its response, or a problem document if it raises."""
        environ, start = request.environ, time.perf_counter()
        response.set_header("X-Request-ID", request_id(environ))
        response.set_header("Cache-Control", "private, no-cache")
        response.set_header("X-Content-Type-Options", "nosniff")
        if self.varies:
            response.set_header("Vary", "Accept")
        for name in self.takes:
            values[name] = environ[f"eventapi.{name}"]
        body = b""
        try:
            body = self.respond(self.callback(**values), environ)
        except HTTPResponse:
            raise
        except Exception as error:
            body = problem_response(problem_of(error))
        finally:
            log_request(environ, start, body)
        return body

    def respond(self, result: object, environ: dict) -> bytes | Iterable[bytes]:
        """Set status and headers of the response; return its body. `result` is what the handler returned."""
        if not isinstance(result, Response):
            result = Response(result)
        if result.status != 200:
            response.status = result.status
        for name, value in result.headers.items():
            response.set_header(name, value)
        if isinstance(result.body, Generator):
            return watched(result.body, environ["eventapi.config"].database)
        if result.body is not None:
            return result.body
        if result.status == 204:
            return b""
        response.content_type = JSON
        data = as_json(result.data)
        if not self.reads:
            data = self.written(result, data, environ)
        elif result.has_etag and isinstance(result.data, dict) and not_modified(data):
            return b""
        before, after = envelope(environ["eventapi.request_id"], result.meta)
        return f"{before}{data}{after}".encode()

    def written(self, result: Response, data: str, environ: dict) -> str:
        """Set the ETag of a record that a write returns. Return `data`, the JSON of the record.

        With `Prefer: return=minimal` (RFC 7240), return a small object instead. A secret that is shown once is in both.
        """
        record = result.data
        if not isinstance(record, dict) or "id" not in record:
            return data
        if result.has_etag:
            response.set_header("ETag", etag(as_json(result.later_data()) if result.secret else data))
        if not MINIMAL.search(environ.get("HTTP_PREFER", "")):
            return data
        response.set_header("Preference-Applied", "return=minimal")
        shown = {result.secret: record[result.secret]} if result.secret else {}
        times_of = {name: times.unix(record[name]) for name in ("created_at", "updated_at") if name in record}
        return as_json({self.id_name: record["id"], **shown, **times_of})


def watched(pieces: Iterable[bytes], database: Path) -> Iterable[bytes]:
    """Yield the pieces of a body. If damage ends them, mark the database; the response stays incomplete."""
    try:
        yield from pieces
    except Exception as error:
        failure = storage_error(error)
        if isinstance(failure, Damaged):
            mark_damaged(database, str(failure))
        raise


def problem_of(error: Exception) -> Problem:
    """Return the problem of an exception. Log the traceback if the administrator must act on it."""
    if isinstance(error, Problem):
        return error
    problem = storage_problem(error) or internal_error()
    if problem.code in ("internal_error", "unhealthy"):
        log.error("request %s failed", request_id(request.environ), exc_info=error)
    return problem


def log_request(environ: dict, start: float | None, body: object) -> None:
    """Write the log line of this request, after the commit that its response waits for.

    `start` is the time at which the request began (time.perf_counter), None if it reached no route. The size of a body
    that is sent in pieces is not known.
    """
    if not log.isEnabledFor(logging.INFO):
        return
    who = environ.get("eventapi.who")
    pairs = {"request_id": environ["eventapi.request_id"], "client": client.address(),
             "key": who.key_id if who else None, "method": environ["REQUEST_METHOD"],
             "path": masking.path(environ["PATH_INFO"]), "status_code": response.status_code}
    size = len(body) if isinstance(body, bytes) else None

    def write_line():
        milliseconds = round((time.perf_counter() - start) * 1000, 1) if start else 0.0
        request_log.write(logs.line("info", **pairs, ms=milliseconds, bytes=size))
    deferred_commit(environ).after_commit(write_line)


def not_modified(data: str) -> bool:
    """Set the ETag of the response. Return True, with status 304, if the client already has it."""
    tag = etag(data)
    response.set_header("ETag", tag)
    if is_known(tag):
        response.status = 304
        return True
    return False
