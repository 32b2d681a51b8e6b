"""Requests: each is read from its connection and passed to the application; the response is written.

Errors become states: no method of Requests raises, whatever the client, the application or the connection does.
"""

import json
import logging
import re
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from http import HTTPStatus

from gunicorn import SERVER, util
from gunicorn.glogging import Logger
from gunicorn.http import errors, wsgi

from eventapi import config as configuration
from eventapi.errors import Problem, internal_error
from eventapi.plugins.request import request_id
from eventapi.server.connection import Connection, Gone, Outcome
from eventapi.web import masking

# By name: gunicorn 20.1 does not have all of these errors.
STATUSES = {
    "LimitRequestLine": 414,
    "LimitRequestHeaders": 431,
    "UnsupportedTransferCoding": 501,
    "ForbiddenProxyRequest": 403,
    "ExpectationFailed": 417,
}


# Header lines of a response: without this check, a value with a line break would be a header of its own.
FIELDS = re.compile(r"(?:[-!#$%&'*+.^_`|~0-9A-Za-z]++: [\t -~\x80-\xff]*+\r\n)*+")


class Requests:
    """Reads requests and writes responses, for all threads of the process. It keeps nothing between two calls."""

    def __init__(self, application: Callable, log: Logger, may_keep_alive: Callable[[], bool]):
        """`may_keep_alive` returns whether connections may stay open, which they may not while the worker stops."""
        self._application, self._log, self._may_keep_alive = application, log, may_keep_alive
        self._base_url = configuration.load().base_url or ""

    def read(self, connection: Connection) -> dict | Outcome:
        """Return the environ of the next request. If it is not valid HTTP, send a problem document instead."""
        try:
            return connection.request()
        except Exception as error:
            refusal = error
        return self._guarded(self._refuse, connection, refusal)

    def respond(self, connection: Connection, environ: dict) -> Outcome:
        """Call the application and write its response, or a 500 if it raises."""
        return self._guarded(self._respond, connection, environ)

    def _guarded(self, act, connection, *values):
        try:
            return act(connection, *values)
        except Gone as reason:
            self._log.debug("connection closed: %s", reason)
        except BaseException:
            self._log.exception("connection closed")
        finally:
            connection.patience.end()
        return Outcome.GONE

    def _respond(self, connection, environ):
        try:
            outcome = self._run(connection, environ)
        except Gone:
            raise
        except Exception:
            self._log.exception(
                "Error handling a request of %s", environ["REQUEST_METHOD"]
            )  # the path may be secret
            return self._fail(connection)
        connection.keep()
        return outcome

    def _run(self, connection, environ):
        response = Response(environ)
        body = self._application(environ, response.start)
        try:
            stays = (
                stays_open(environ)
                and connection.drained(environ, int(response.status[:3]))
                and self._may_keep_alive()
            )
            return response.send(connection, body, stays)
        finally:
            if hasattr(body, "close"):
                body.close()

    def _refuse(self, connection, error):
        if isinstance(error, Gone):
            raise error
        expected = isinstance(error, (errors.ParseException, OSError))
        self._log.log(
            logging.DEBUG if expected else logging.ERROR,
            "request refused: %s",
            type(error).__name__,
            exc_info=None if expected else error,
        )
        return self._send_problem(connection, refusal(error))

    def _fail(self, connection):
        """Send a 500 if nothing was sent yet. Otherwise end the connection: the client sees an incomplete response."""
        if connection.sending:
            raise Gone("the response is incomplete")
        connection.discard()
        return self._send_problem(connection, internal_error())

    def _send_problem(self, connection, problem):
        connection.sendall(problem_response(problem, self._base_url))
        connection.flush()
        return Outcome.CLOSE


def stays_open(environ: dict) -> bool:
    """Return whether the client wants to send more requests over its connection."""
    wish = environ.get("HTTP_CONNECTION", "").lower()
    return wish == "keep-alive" if environ["SERVER_PROTOCOL"] == "HTTP/1.0" else "close" not in wish


class Response:
    """The response to one request, as the application starts it (PEP 3333)."""

    def __init__(self, environ: dict):
        self._method, self._protocol = environ["REQUEST_METHOD"], environ["SERVER_PROTOCOL"]
        self.status, self._headers = "", []

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        """Set status line and headers. The application calls this before it returns the body."""
        self.status, self._headers = status, headers

    def send(self, connection: Connection, body: Iterable[bytes], stays: bool) -> Outcome:
        """Send head and body. Return KEEP_ALIVE if the connection stays open. Raise Gone if the body is too short."""
        code = self.status[:3]
        if code == "204":  # it has no length (RFC 9110, 8.6), but Bottle 0.12 sets one
            self._headers = [field for field in self._headers if field[0] != "Content-Length"]
        has_body = self._method != "HEAD" and code not in ("204", "304")
        length = dict(self._headers).get("Content-Length")
        is_chunked = has_body and length is None and self._protocol != "HTTP/1.0"
        stays = stays and not (has_body and length is None and not is_chunked)
        connection.sendall(self._head(stays, is_chunked))
        if is_chunked:
            _send_chunks(connection, body)
        elif has_body and length is not None:
            _send_exactly(connection, body, int(length))
        elif has_body:
            for piece in body:
                connection.sendall(piece)
        connection.flush()
        return Outcome.KEEP_ALIVE if stays else Outcome.CLOSE

    def _head(self, stays, is_chunked):
        fields = "".join([f"{name}: {value}\r\n" for name, value in self._headers])
        if not FIELDS.fullmatch(fields) or fields.count("\n") != len(self._headers):
            raise ValueError("the application has set an invalid header")
        connection, coding = (
            "keep-alive" if stays else "close",
            "Transfer-Encoding: chunked\r\n" if is_chunked else "",
        )
        return (
            f"{self._protocol} {self.status}\r\nServer: {SERVER}\r\nDate: {_date(int(time.time()))}\r\n"
            f"Connection: {connection}\r\n{coding}{fields}\r\n"
        ).encode("latin-1")


@lru_cache(maxsize=1)
def _date(second):
    """Return the header Date. It is the same for all responses of a second."""
    return util.http_date(second)


def _send_chunks(connection, body):
    for piece in body:
        if piece:  # an empty chunk would end the body
            connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
    connection.sendall(b"0\r\n\r\n")


def _send_exactly(connection, body, length):
    if isinstance(body, wsgi.FileWrapper) and util.has_fileno(body.filelike):
        connection.sendfile(body.filelike, body.filelike.tell(), length)
        return
    for piece in body:
        connection.sendall(piece[: max(length, 0)])
        length -= len(piece)
    if length > 0:
        raise Gone("the body is shorter than announced")


def refusal(error: Exception) -> Problem:
    """Return the problem of a request that is not valid HTTP. `error` is what gunicorn's parser or `heads` raised."""
    problem = Problem(
        "malformed_request", masking.path(f"The request is not valid HTTP: {error}"[:300])
    )
    problem.status = getattr(error, "status", None) or STATUSES.get(
        type(error).__name__, problem.status
    )
    return problem


def problem_response(problem: Problem, base_url: str) -> bytes:
    """Return a whole response: a problem document (RFC 9457) that announces the end of the connection."""
    id = request_id({})
    body = json.dumps(problem.document(base_url, id)).encode()
    head = (
        f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}",
        f"Date: {util.http_date()}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        f"X-Request-ID: {id}",
        "X-Content-Type-Options: nosniff",
        "",
        "",
    )
    return "\r\n".join(head).encode() + body
