"""First plugin: request id, envelope, ETag, every error as a problem document, one line in the log."""
import logging
import random
import re
import time

from bottle import HTTPResponse, request, response

from eventapi import times
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.errors import Busy, Full, ReadOnly, storage_error
from eventapi.storage.group_commit import deferred_commit
from eventapi.web import masking, request_log
from eventapi.web.rest import Response, base_url, etag, is_known

REQUEST_ID = re.compile(r"(?!evk_)[A-Za-z0-9._-]{1,64}", re.ASCII)         # a key that was sent as one is none
MINIMAL = re.compile(r'(?:^|,)\s*return\s*=\s*(?:minimal|"minimal")\s*(?:[,;]|$)', re.I)
log = logging.getLogger("eventapi.request")
JSON = "application/json"


def request_id(environ):
    """The id of this request: the client's, when it is well-formed, else a new one."""
    known = environ.get("eventapi.request_id")
    if known is None:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        known = environ["eventapi.request_id"] = given if REQUEST_ID.fullmatch(given) else new_id()
    return known


def new_id():
    """Time comes first, in milliseconds, so that the audit log's index of request ids grows at its end."""
    return f"req_{time.time_ns() // 1_000_000:011x}{random.getrandbits(36):09x}"


def problem_response(problem):
    """A problem document (RFC 9457) as bytes; sets status and headers of the response."""
    response.status = problem.status
    for name, value in problem.headers.items():
        response.set_header(name, value)
    response.content_type = "application/problem+json"
    return masking.text(as_json(problem.document(base_url(), request_id(request.environ)))).encode()


def storage_problem(error):
    """Return the problem of an error of the storage or of a file; None where the client can do nothing about it, as for a damaged database."""
    failure = storage_error(error)
    if isinstance(failure, Busy):
        return Problem("database_busy", "Another change is taking long; try again.", headers={"Retry-After": "2"})
    if isinstance(failure, Full):
        return Problem("insufficient_storage", "The disk of the server is full; nothing was changed.")
    if isinstance(failure, ReadOnly):
        return Problem("unhealthy", "The data cannot be written; nothing was changed.", headers={"Retry-After": "5"})
    return None


class Request:
    name, api = "request", 2

    def __init__(self, config):
        self.config = config

    def apply(self, callback, route):
        singular, reads = route.config["options"].singular, route.method == "GET"

        def handle(**values):
            environ, start = request.environ, time.perf_counter()
            response.set_header("X-Request-ID", request_id(environ))
            response.set_header("Cache-Control", "private, no-cache")
            response.set_header("X-Content-Type-Options", "nosniff")
            try:
                return succeed(callback(**values), environ)
            except HTTPResponse:
                raise
            except Exception as error:
                return problem_response(self.problem(error))
            finally:
                tell(environ, start)

        def succeed(answer, environ):
            if not isinstance(answer, Response):
                answer = Response(answer)
            if answer.status != 200:
                response.status = answer.status
            for name, value in answer.headers.items():
                response.set_header(name, value)
            if answer.body is not None:
                return answer.body
            if answer.status == 204:
                return b""
            response.content_type = JSON
            data = minimal(answer.data, environ) or as_json(answer.data)
            if reads and answer.has_etag and isinstance(answer.data, dict):
                if not_modified(data):
                    return b""
            meta = "," + as_json(answer.meta)[1:] if answer.meta else "}"
            return f'{{"data":{data},"meta":{{"request_id":"{environ["eventapi.request_id"]}"{meta}}}'.encode()

        def minimal(data, environ):
            """The small object of Prefer: return=minimal (RFC 7240), or None; what is no record has none."""
            if reads or not isinstance(data, dict) or "id" not in data or not MINIMAL.search(environ.get("HTTP_PREFER", "")):
                return None
            response.set_header("Preference-Applied", "return=minimal")
            small = {f"{singular}_id": data.get("id")}
            return as_json({**small, **{name: times.unix(data[name]) for name in ("created_at", "updated_at") if name in data}})

        return handle

    def problem(self, error):
        """The problem that an exception stands for; what somebody has to mend goes to the log with its trace."""
        if isinstance(error, Problem):
            return error
        problem = storage_problem(error) or Problem("internal_error", "The server failed; the log has the details under this request id.")
        if problem.code in ("internal_error", "unhealthy"):
            log.error("request %s failed", request_id(request.environ), exc_info=error)
        return problem


def tell(environ, start=None):
    """The line of this request in the log, after the commit that its answer waits for."""
    if not log.isEnabledFor(logging.INFO):
        return
    who, path = environ.get("eventapi.who"), masking.path(environ["PATH_INFO"])
    words = f"{environ['eventapi.request_id']} {environ['REQUEST_METHOD']} {path!a} {response.status_code}"

    def say():
        seconds = time.perf_counter() - start if start else 0.0
        request_log.tell(f"{words} {seconds * 1000:.1f}ms key={who.key_id if who else '-'}")
    deferred_commit(environ).after_commit(say)


def not_modified(data):
    """Sets the ETag; True when the client has it already."""
    tag = etag(data)
    response.set_header("ETag", tag)
    if is_known(tag):
        response.status = 304
        return True
    return False
