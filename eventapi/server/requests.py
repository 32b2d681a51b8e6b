"""What is done for a connection: its requests are read, answered by the application, and the answers written.

What must be strict about HTTP stays gunicorn's: its parser reads, its Response writes.
"""
import itertools
import json
import logging
import socket
import time
from functools import partial
from http import HTTPStatus

from gunicorn import util
from gunicorn.http import errors, wsgi

from eventapi.server.connection import Gone
from eventapi.server.write_queue import WriteQueue

LINGER = 10                 # seconds in which a client may still send what is thrown away, so that it gets to read the answer
LAST_CALL = 1               # seconds in which connections without a request stay open when the worker stops
WRITES = ("POST", "PUT", "PATCH", "DELETE")
REFUSALS = {errors.LimitRequestLine: 414, errors.LimitRequestHeaders: 431, errors.UnsupportedTransferCoding: 501,
            errors.ForbiddenProxyRequest: 403}


class Answering:
    """`worker` waits for connections (eventapi/server/worker.py); one that it gives us is ours until `wait_for` or `close`."""

    def __init__(self, worker):
        self.worker, self.log, self.base_url = worker, worker.log, worker.wsgi.settings.base_url or ""
        self.writes, self.requests = WriteQueue(worker, self), itertools.count(1)

    def attempt(self, act, connection, *values):
        """What is done for a client; whatever fails of it ends its connection, and no more."""
        try:
            act(connection, *values)
        except Gone as reason:
            self.log.debug("connection closed: %s", reason)
            self.worker.close(connection)
        except BaseException:
            self.log.exception("connection closed")
            self.worker.close(connection)

    def serve(self, connection):
        """Takes what has come."""
        connection.receive()
        if connection.lingering:
            connection.buffer.clear()
        self._answer_all(connection)

    def _answer_all(self, connection):
        """Answers what is here, and arms the connection again."""
        while not connection.lingering and connection.whole():
            stays = self._answer(connection)
            if stays is None:
                return
            if not stays:
                self._linger(connection)
        self.worker.wait_for(connection)

    def go_on(self, connection, stays):
        """After an answer that was given elsewhere. What the client has sent meanwhile is left to a thread that has time."""
        if not stays:
            self._linger(connection)
        if connection.buffer:
            self.worker.tasks.put(partial(self.attempt, self._answer_all, connection))
        else:
            self.worker.wait_for(connection)

    def _linger(self, connection):
        """Ends our side. Closing both would take the answer from a client that still sends."""
        connection.buffer.clear()
        connection.lingering, connection.expires = True, time.monotonic() + (LINGER if self.worker.alive else LAST_CALL)
        try:
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise Gone(error) from None

    def _answer(self, connection):
        """Answers one request; whether the connection stays open for another, or None when it was left to whoever writes."""
        try:
            response, environ = connection.request()
        except Gone:
            raise
        except Exception as error:
            return self._refuse(connection, error)
        if environ["REQUEST_METHOD"] in WRITES:
            if connection.is_short(environ):
                return self.writes.put(connection, response, environ)
            self.worker.step_down()
        return self.respond(connection, response, environ)

    def respond(self, connection, response, environ):
        """Lets the application answer; whether the connection stays open."""
        try:
            self._run(connection, response, environ)
        except Gone:
            raise
        except Exception:
            self.log.exception("Error handling a request of %s", environ["REQUEST_METHOD"])       # its address may hold a secret
            return self._fail(connection)
        connection.keep()
        return not response.should_close()

    def _run(self, connection, response, environ):
        environ["wsgi.multithread"] = True
        if next(self.requests) >= self.worker.max_requests:
            self.worker.alive = False
        body = self.worker.wsgi(environ, response.start_response)
        try:
            status = response.status_code
            if not (connection.drained(environ, status) and self.worker.alive and self.worker.cfg.keepalive):
                response.force_close()
            if status == 204:               # which has no length (RFC 9110, 8.6); gunicorn 20.1 sends one
                response.headers = [(name, value) for name, value in response.headers if name.lower() != "content-length"]
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

    def _refuse(self, connection, error):
        """Answers what is no HTTP."""
        known = isinstance(error, (errors.ParseException, OSError))
        self.log.log(logging.DEBUG if known else logging.ERROR, "request refused: %s", type(error).__name__, exc_info=not known)
        connection.sendall(problem("malformed_request", f"The request is not valid HTTP: {error}"[:300], self.base_url,
                                   REFUSALS.get(type(error))))
        connection.flush()
        return False

    def _fail(self, connection):
        """500 where nothing was sent yet; else the connection ends, so that the client sees that the answer is not whole."""
        if connection.answering:
            raise Gone("the answer broke off")
        connection.drop()
        connection.sendall(problem("internal_error", "The server failed; the log has the details under this request id.", self.base_url))
        connection.flush()
        return False


def problem(code, detail, base_url, status=None):
    """A whole answer: a problem document (RFC 9457), after which the connection is closed."""
    from eventapi.errors import Problem
    from eventapi.plugins.request import request_id
    from eventapi.web import masking
    refusal, known = Problem(code, masking.path(detail)), request_id({})
    refusal.status = status or refusal.status
    body = json.dumps(refusal.document(base_url, known)).encode()
    head = (f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}", f"Date: {util.http_date()}", "Connection: close",
            "Content-Type: application/problem+json", f"Content-Length: {len(body)}", f"X-Request-ID: {known}",
            "X-Content-Type-Options: nosniff", "", "")
    return "\r\n".join(head).encode() + body
