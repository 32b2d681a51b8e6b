"""A gunicorn worker that answers each request in the thread that receives it; conf/gunicorn.conf.py names it.

gunicorn's gthread hands each request from its loop to a thread and back, which costs more than a cheap answer itself. Here one thread
leads: it waits for events and answers what reads, one request after the other, so that threads do not fight for the interpreter lock.
It steps down, and the next thread leads, before what waits for others (a write for the disk, a body or an answer for its client), and
when it takes long. What must be strict about HTTP stays gunicorn's: its parser reads, its Response writes. There is no access log and
no TLS: eventapi and nginx have these.

gunicorn's first process loads this module, so what a reload shall renew (all else of eventapi) is imported where it is needed.
"""
import itertools
import json
import logging
import os
import select
import socket
import sys
import threading
import time
from http import HTTPStatus

from gunicorn import util
from gunicorn.http import errors, wsgi
from gunicorn.workers import base

from eventapi.connection import PATIENCE, Connection, Gone

LINGER = 10                 # seconds in which a client may still send what is thrown away, so that it gets to read the answer
LAST_CALL = 1               # seconds in which connections without a request stay open when the worker stops
SLOW = 0.005                # seconds of one request after which another thread leads, if something waits
ARMED = select.EPOLLIN | select.EPOLLONESHOT
REFUSALS = {errors.LimitRequestLine: 414, errors.LimitRequestHeaders: 431, errors.UnsupportedTransferCoding: 501,
            errors.ForbiddenProxyRequest: 403}


class Worker(base.Worker):
    """`waiting` holds the connections that are armed for one event, by file descriptor: whoever pops one has it alone until it arms it
    again. `leading` holds the thread that has the turn."""
    looked_after = 0.0

    @classmethod
    def check_config(cls, cfg, log):
        if cfg.is_ssl:
            sys.exit("eventapi: this worker speaks no TLS: leave it to nginx (remove certfile and keyfile), or set worker_class to gthread")

    def run(self):
        self.epoll, self.wake = select.epoll(), os.eventfd(0)
        self.waiting, self.connections, self.requests, self.done = {}, set(), itertools.count(1), False
        self.turn, self.leading, self.handled = threading.Lock(), {}, 0
        self.epoll.register(self.wake, select.EPOLLIN)
        self.listeners = {listener.fileno(): (listener, listener.getsockname()) for listener in self.sockets}
        for fd, (listener, _) in self.listeners.items():
            listener.setblocking(False)
            self.epoll.register(fd, ARMED)
        threads = [threading.Thread(target=self._work, name=f"serving {number}", daemon=True) for number in range(self.cfg.threads)]
        for thread in threads:
            thread.start()
        while self.alive:
            self._look_after()
            self._watch(1)
        self._finish()
        for thread in threads:
            thread.join(LAST_CALL)

    # The main thread

    def _watch(self, seconds):
        """Sleeps until a signal comes, and sees to it that a slow request holds up no other."""
        ready = select.select([self.PIPE[0], self.epoll], [], [], seconds)[0]
        if self.PIPE[0] in ready:
            os.read(self.PIPE[0], 4096)
        if self.epoll in ready:
            handled = self.handled
            time.sleep(SLOW)
            if self.handled == handled:
                for thread in list(self.leading):
                    self._step_down(thread)

    def _look_after(self):
        """What is to be done once a second."""
        now = time.monotonic()
        if now < self.looked_after + 1:
            return
        self.looked_after = now
        self.notify()
        if self.ppid != os.getppid():
            self.log.info("Parent changed, shutting down: %s", self)
            self.alive = False
        self._expire()
        if len(self.connections) < self.cfg.worker_connections:
            for fd in self.listeners:                       # they rest when there were too many connections, or no more files
                self._arm(fd)

    def _expire(self, idle=False):
        """Closes connections that take too long, and with `idle` all that wait for a request."""
        now = time.monotonic()
        for fd, connection in list(self.waiting.items()):
            if connection.expires < now or idle and not connection.lingering:
                if self.waiting.pop(fd, None) is connection:
                    self._part(connection)

    def _part(self, connection):
        """Closes a connection, unless something has come in the last moment."""
        late = connection.expires < time.monotonic() and (connection.buffer or connection.lingering)
        if late or connection.silent():
            self._close(connection)
        else:
            self.waiting[connection.fd] = connection
            self._arm(connection.fd)

    def _finish(self):
        """Takes what has connected, no more; each request that has come is answered, and its connection closed."""
        started = time.monotonic()
        for fd, (listener, server) in self.listeners.items():
            self.epoll.unregister(fd)
            while self._admit(listener, server):
                pass
            listener.close()
        while self.connections and time.monotonic() < started + self.cfg.graceful_timeout:
            self.notify()
            self._expire(idle=time.monotonic() > started + LAST_CALL)
            self._watch(0.05)
        self.done = True
        os.eventfd_write(self.wake, 1)

    # The threads

    def _work(self):
        """The life of a thread."""
        me = threading.get_ident()
        while not self.done:
            if me not in self.leading:
                self.turn.acquire()
                self.leading[me] = True
            try:
                for fd, _ in self.epoll.poll(-1, 1):
                    self._handle(fd)
            except Exception:               # a thread that ended here would take the turn with it
                self.log.exception("an event was lost")
            self.handled += 1
        self._step_down(me)

    def _handle(self, fd):
        connection = self.waiting.pop(fd, None)
        if connection:
            self._serve(connection)
        elif self.alive and fd in self.listeners and self._admit(*self.listeners[fd]) is not None:
            self._arm(fd)

    def _step_down(self, thread=None):
        """Lets the next thread lead. The main thread may do the same for us at the same moment: only one of the two has the entry."""
        if self.leading.pop(thread or threading.get_ident(), None):
            self.turn.release()

    def _arm(self, fd):
        try:
            self.epoll.modify(fd, ARMED)
        except OSError as error:            # closed meanwhile: the worker stops
            self.log.debug("not armed: %s", error)

    def _admit(self, listener, server):
        """Takes one new connection. True when there was one, False when there is none, None when no more can be taken."""
        if len(self.connections) >= self.cfg.worker_connections:
            return None
        try:
            sock, client = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):   # another process was faster, or the client has gone
            return False
        except OSError as error:
            self.log.warning("cannot take a connection: %s", error)
            return None
        connection = Connection(sock, client, server, self.cfg, self._step_down)
        self.connections.add(connection)
        connection.expires = time.monotonic() + self.cfg.keepalive
        self.waiting[connection.fd] = connection
        self.epoll.register(connection.fd, ARMED)
        return True

    def _close(self, connection):
        self.connections.discard(connection)
        connection.sock.close()

    def _serve(self, connection):
        """Answers what has come, and arms the connection again."""
        try:
            connection.receive()
            if connection.lingering:
                connection.buffer.clear()
            while not connection.lingering and connection.whole():
                if not self._answer(connection):
                    self._linger(connection)
            self._await(connection)
        except Gone as reason:
            self.log.debug("connection closed: %s", reason)
            self._close(connection)
        except BaseException:
            self.log.exception("connection closed")
            self._close(connection)

    def _await(self, connection):
        if not connection.lingering:
            connection.expires = connection.since + PATIENCE if connection.buffer else time.monotonic() + self.cfg.keepalive
        self.waiting[connection.fd] = connection
        self._arm(connection.fd)

    def _linger(self, connection):
        """Ends our side. Closing both would take the answer from a client that still sends."""
        connection.buffer.clear()
        connection.lingering, connection.expires = True, time.monotonic() + (LINGER if self.alive else LAST_CALL)
        try:
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise Gone(error) from None

    def _answer(self, connection):
        """Answers one request; whether the connection stays open for another."""
        try:
            request, response, environ = connection.request()
        except Gone:
            raise
        except Exception as error:
            return self._refuse(connection, error)
        try:
            self._run(connection, response, environ)
        except Gone:
            raise
        except Exception:
            self.log.exception("Error handling a request of %s", request.method)       # its address may hold a secret
            return self._fail(connection)
        connection.keep()
        return not response.should_close()

    def _run(self, connection, response, environ):
        environ["wsgi.multithread"] = True
        if next(self.requests) >= self.max_requests:
            self.alive = False
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            self._step_down()
        body = self.wsgi(environ, response.start_response)
        try:
            status = response.status_code
            if not (connection.drained(environ, status) and self.alive and self.cfg.keepalive):
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
        connection.sendall(problem("malformed_request", f"The request is not valid HTTP: {error}"[:300], self._base_url(),
                                   REFUSALS.get(type(error))))
        connection.flush()
        return False

    def _fail(self, connection):
        """500 where nothing was sent yet; else the connection ends, so that the client sees that the answer is not whole."""
        if connection.answering:
            raise Gone("the answer broke off")
        connection.drop()
        connection.sendall(problem("internal_error", "The server failed; the log has the details under this request id.", self._base_url()))
        connection.flush()
        return False

    def _base_url(self):
        return self.wsgi.settings.base_url or ""


def problem(code, detail, base_url, status=None):
    """A whole answer: a problem document (RFC 9457), after which the connection is closed."""
    from eventapi import masking
    from eventapi.errors import Problem
    from eventapi.plugins.request import request_id
    refusal, known = Problem(code, masking.path(detail)), request_id({})
    refusal.status = status or refusal.status
    body = json.dumps(refusal.document(base_url, known)).encode()
    head = (f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}", f"Date: {util.http_date()}", "Connection: close",
            "Content-Type: application/problem+json", f"Content-Length: {len(body)}", f"X-Request-ID: {known}",
            "X-Content-Type-Options: nosniff", "", "")
    return "\r\n".join(head).encode() + body
