"""Requests: each is read from its connection and passed to the application; the response is written.

gunicorn's parser reads and its Response writes, so that they decide what is valid HTTP. Errors become states: no method
of Requests raises, whatever the client, the application or the connection does.
"""
import json
import logging
from collections.abc import Callable
from http import HTTPStatus

from gunicorn import util
from gunicorn.glogging import Logger
from gunicorn.http import errors, wsgi

from eventapi import config as configuration
from eventapi.errors import Problem, internal_error
from eventapi.plugins.request import request_id
from eventapi.server.connection import Connection, Gone, Outcome
from eventapi.web import masking

# By name: gunicorn 20.1 does not have all of these errors.
STATUSES = {"LimitRequestLine": 414, "LimitRequestHeaders": 431, "UnsupportedTransferCoding": 501,
            "ForbiddenProxyRequest": 403, "ExpectationFailed": 417}


class Requests:
    """Reads requests and writes responses, for all threads of the process. It keeps nothing between two calls."""

    def __init__(self, application: Callable, log: Logger, may_keep_alive: Callable[[], bool]):
        """`may_keep_alive` returns whether connections may stay open, which they may not while the worker stops."""
        self._application, self._log, self._may_keep_alive = application, log, may_keep_alive
        self._base_url = configuration.load().base_url or ""

    def read(self, connection: Connection) -> tuple[wsgi.Response, dict] | Outcome:
        """Return (Response, environ) of the next request. If it is not valid HTTP, send a problem document instead."""
        try:
            return connection.request()
        except Exception as error:
            refusal = error
        return self._guarded(self._refuse, connection, refusal)

    def respond(self, connection: Connection, response: wsgi.Response, environ: dict) -> Outcome:
        """Call the application and write its response, or a 500 if it raises."""
        return self._guarded(self._respond, connection, response, environ)

    def send_held(self, connection: Connection, outcome: Outcome) -> Outcome:
        """Send the response that the connection holds back."""
        return outcome if outcome is Outcome.GONE else self._guarded(self._release, connection, outcome)

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

    def _respond(self, connection, response, environ):
        try:
            self._run(connection, response, environ)
        except Gone:
            raise
        except Exception:
            self._log.exception("Error handling a request of %s", environ["REQUEST_METHOD"])  # the path may be secret
            return self._fail(connection)
        connection.keep()
        return Outcome.CLOSE if response.should_close() else Outcome.KEEP_ALIVE

    def _run(self, connection, response, environ):
        environ["wsgi.multithread"] = True
        body = self._application(environ, response.start_response)
        try:
            status = response.status_code
            if not (connection.drained(environ, status) and self._may_keep_alive()):
                response.force_close()
            if status == 204:               # it has no length (RFC 9110, 8.6), but gunicorn 20.1 sends one
                response.headers = [(name, value) for name, value in response.headers
                                    if name.lower() != "content-length"]
            if isinstance(body, wsgi.FileWrapper):
                response.write_file(body)
            else:
                for piece in body:
                    response.write(piece)
            response.close()
            connection.flush()
        finally:
            if hasattr(body, "close"):
                body.close()

    def _release(self, connection, outcome):
        connection.release()
        return outcome

    def _refuse(self, connection, error):
        if isinstance(error, Gone):
            raise error
        expected = isinstance(error, (errors.ParseException, OSError))
        self._log.log(logging.DEBUG if expected else logging.ERROR, "request refused: %s", type(error).__name__,
                      exc_info=None if expected else error)
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


def refusal(error: Exception) -> Problem:
    """Return the problem of a request that is not valid HTTP. `error` is what gunicorn's parser or `heads` raised."""
    problem = Problem("malformed_request", masking.path(f"The request is not valid HTTP: {error}"[:300]))
    problem.status = getattr(error, "status", None) or STATUSES.get(type(error).__name__, problem.status)
    return problem


def problem_response(problem: Problem, base_url: str) -> bytes:
    """Return a whole response: a problem document (RFC 9457) that announces the end of the connection."""
    id = request_id({})
    body = json.dumps(problem.document(base_url, id)).encode()
    head = (f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}", f"Date: {util.http_date()}",
            "Connection: close", "Content-Type: application/problem+json", f"Content-Length: {len(body)}",
            f"X-Request-ID: {id}", "X-Content-Type-Options: nosniff", "", "")
    return "\r\n".join(head).encode() + body
