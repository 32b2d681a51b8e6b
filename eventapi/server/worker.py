"""A gunicorn worker class: connections by epoll, requests handled by the thread that receives them.

gunicorn's gthread passes each request from its main loop to a thread and back, which costs more than a cheap response.
conf/gunicorn.conf.py chooses between the two by the option `server`. This worker has no access log and no TLS: eventapi
and nginx have these.

gunicorn's first process imports this module, those that it imports, and what conf/gunicorn.conf.py imports. A reload
applies new options and does not renew these modules, so a new version of eventapi needs a restart. Everything else of
eventapi is imported in `run`, in the process that uses it.
"""

import os
import select
import sys
import time
from enum import Enum
from functools import partial

from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http import wsgi
from gunicorn.workers import base

from eventapi.server.connection import Connection, Gone, Outcome, environ_of
from eventapi.server.patience import CLIENT_TIMEOUT, MIN_RATE, Patience
from eventapi.server.threads import Threads
from eventapi.server.watchdog import Watchdog

# After an accept, an idle process leaves new connections to other processes for ACCEPT_PAUSE seconds. A busy one
# handles one event before the next accept, and one more for every ACCEPT_TURN connections that it has.
ACCEPT_PAUSE, ACCEPT_TURN = 0.001, 8
LINGER = 10  # seconds in which a client may read the last response, while it still sends
LINGER_AT_STOP = 1  # the same when the worker stops; also for connections that have sent no request
SHORT_BODY = 100_000  # bytes of a body for which there is always room,
MAX_BUFFERED = 64 * 1024**2  # and bytes of requests beyond which there is none for longer ones
WRITES = ("POST", "PUT", "PATCH", "DELETE")
ARMED = select.EPOLLIN | select.EPOLLONESHOT
Accept = Enum("Accept", "ACCEPTED NONE_WAITING LIMIT_REACHED")


class Worker(base.Worker):
    """The worker: it owns the connections and the listening sockets.

    Attributes:
        connections: all open connections.
        waiting: connections that wait for their client, by file descriptor. Each is armed in epoll for one event. A
            thread that pops a connection owns it, until `wait_for`, `close` or a task for another thread.
        pausing: the number of events until the next connection is accepted; 0 if there was none for ACCEPT_PAUSE.
    """

    checked_at = 0.0

    @classmethod
    def check_config(cls, cfg: Config, log: Logger) -> None:
        """Exit with a message if gunicorn is configured for TLS. gunicorn calls this before it starts workers."""
        if cfg.is_ssl:
            sys.exit(
                "eventapi: server = own has no TLS. Leave TLS to nginx (remove certfile and keyfile), "
                "or set server = gthread."
            )

    def run(self) -> None:
        """Serve until a signal clears `alive`. gunicorn calls this in the main thread of the process."""
        from eventapi import config as configuration
        from eventapi.server.requests import Requests
        from eventapi.web import client, uploads

        self.epoll, self.wake_up, self.handled_requests = select.epoll(), os.eventfd(0), 0
        self.waiting, self.connections, self.pausing = {}, set(), 0
        networks = configuration.load().trusted_proxies
        self.environ = wsgi.base_environ(self.cfg)
        self.is_proxy = lambda peer: client.is_trusted(peer, networks)
        self.places = uploads.places(self.cfg.threads)
        self.watchdog = Watchdog(self._work_waits, self.ppid, self.log)
        self.threads = Threads(self._wait_for_event, self._handle, self.log)
        self.requests = Requests(self.wsgi, self.log, lambda: self.alive and self.cfg.keepalive > 0)
        self.epoll.register(self.wake_up, select.EPOLLIN)
        self.listeners = {
            listener.fileno(): (listener, listener.getsockname()) for listener in self.sockets
        }
        for fd, (listener, _) in self.listeners.items():
            listener.setblocking(False)
            self.epoll.register(fd, ARMED)
        self.threads.start(self.cfg.threads)
        while self.alive:
            self._check()
            self._sleep(1)
        self._stop()
        self.threads.join(LINGER_AT_STOP)

    # The main thread

    def _sleep(self, seconds):
        """Sleep until a signal arrives. Meanwhile replace a leader that does not come back for the next event."""
        ready = select.select([self.PIPE[0], self.epoll], [], [], seconds)[0]
        if self.PIPE[0] in ready:
            os.read(self.PIPE[0], 4096)
        if self.epoll in ready:
            self.threads.replace_stuck_leader()

    def _check(self):
        """Do the checks that are due once a second."""
        now = time.monotonic()
        if now < self.checked_at + 1:
            return
        self.checked_at = now
        self.notify()
        if self.ppid != os.getppid():
            self.log.info("Parent changed, shutting down: %s", self)
            self.alive = False
        self._close_expired()
        self.watchdog.check()
        self._accept_again()  # the limit of connections or of open files may have been reached

    def _close_expired(self, idle=False):
        """Close connections whose time is over, and with `idle` all that wait for a request."""
        now = time.monotonic()
        for fd, connection in list(self.waiting.items()):
            if connection.expires < now or (idle and not connection.lingering):
                is_late = connection.expires < now and bool(
                    connection.buffer or connection.lingering
                )
                self._close_waiting(fd, connection, is_late)

    def _make_room(self):
        """Close the connection that has been idle the longest, or else waits the longest for the rest of its request.

        Return whether one was closed.
        """
        oldest_first = sorted(list(self.waiting.items()), key=lambda pair: bool(pair[1].buffer))
        return any(self._close_waiting(*pair) for pair in oldest_first)

    def _close_waiting(self, fd, connection, is_late=False):
        """Close a connection that waits for its client, unless bytes have just arrived. Return whether it is closed."""
        found = self.waiting.pop(fd, None)
        if found is None:  # a thread has it
            return False
        if found is connection and (is_late or connection.is_silent()):
            self.close(connection)
            return True
        self.waiting[fd] = found
        self._arm(fd)
        return False

    def _stop(self):
        """Accept what has connected, then no more. Respond to each request that has arrived, then close."""
        started = time.monotonic()
        for fd, (listener, server) in self.listeners.items():
            self.epoll.unregister(fd)
            while self._accept(listener, server) is Accept.ACCEPTED:
                pass
            listener.close()
        for connection in self.connections.copy():
            if connection.lingering:
                connection.expires = min(connection.expires, started + LINGER_AT_STOP)
        while self.connections and time.monotonic() < started + self.cfg.graceful_timeout:
            self._check()
            self._close_expired(idle=time.monotonic() > started + LINGER_AT_STOP)
            self._sleep(0.05)
        self.threads.finish()
        os.eventfd_write(self.wake_up, 1)

    # The threads: connections

    def _wait_for_event(self):
        """Return a list with the next event. It may be empty while no connections are accepted."""
        return self.epoll.poll(ACCEPT_PAUSE if self.pausing else -1, 1)

    def _handle(self, events):
        if self.pausing:
            self.pausing = self.pausing - 1 if events else 0
            if not self.pausing:
                self._accept_next()
        for fd, _ in events:
            connection = self.waiting.pop(fd, None)
            if connection:
                self._guarded(self._receive, connection)
            elif self.alive and fd in self.listeners:
                if self._accept(*self.listeners[fd]) is not Accept.LIMIT_REACHED:
                    self._pause()

    def _pause(self):
        self.pausing = 1 + len(self.connections) // ACCEPT_TURN

    def _accept_next(self):
        """Accept another connection if one waits, without its turn in epoll.

        There, it would wait until all that are open have had theirs: the last of 64 clients that connect at once for
        two thousand responses to the others.
        """
        has_room = self.alive and len(self.connections) < self.cfg.worker_connections
        if has_room and Accept.ACCEPTED in [
            self._accept(*each) for each in self.listeners.values()
        ]:
            self._pause()
        else:
            self._accept_again()

    def _accept_again(self):
        """Arm the listening sockets, if another connection is allowed."""
        self.pausing = 0
        if self.alive and (len(self.connections) < self.cfg.worker_connections or self.waiting):
            for fd in self.listeners:
                self._arm(fd)

    def _arm(self, fd):
        try:
            self.epoll.modify(fd, ARMED)
        except OSError as error:  # closed meanwhile, since the worker stops
            self.log.debug("not armed: %s", error)

    def _accept(self, listener, server):
        """Accept one connection and wait for its first request, in place of an idle one if there are too many.

        LIMIT_REACHED if none is idle, or if the process has no more files.
        """
        if len(self.connections) >= self.cfg.worker_connections and not self._make_room():
            return Accept.LIMIT_REACHED
        try:
            sock, client = listener.accept()
        except (
            BlockingIOError,
            ConnectionAbortedError,
        ):  # another process was faster, or the client has gone
            return Accept.NONE_WAITING
        except OSError as error:
            self.log.warning("cannot accept a connection: %s", error)
            return Accept.LIMIT_REACHED
        environ = {**self.environ, **environ_of(client, server)}
        is_proxy = self.is_proxy(environ["REMOTE_ADDR"])
        patience = Patience(
            sock.fileno(), self.places, self.threads.step_down, self.watchdog, is_proxy
        )
        connection = Connection(sock, environ, patience, self._has_room)
        self.connections.add(connection)
        connection.expires = time.monotonic() + self.cfg.keepalive
        self.waiting[connection.fd] = connection
        self.epoll.register(connection.fd, ARMED)
        return Accept.ACCEPTED

    def _has_room(self, size):
        """Return whether a body of so many bytes may be received in advance, beside those of the other connections."""
        return (
            size <= SHORT_BODY
            or size + sum(other.length for other in self.connections.copy()) <= MAX_BUFFERED
        )

    def _work_waits(self):
        """Return whether a task or an event waits for a thread, and not all threads wait for clients.

        The task that makes a leader is no work.
        """
        if len(self.watchdog.waiting) >= self.cfg.threads:
            return False
        tasks = self.threads.number_waiting()
        if self.threads.has_leader():
            return tasks > 0
        return tasks > 1 or (tasks == 1 and self.epoll in select.select([self.epoll], [], [], 0)[0])

    def close(self, connection: Connection) -> None:
        """Close a connection that the calling thread owns."""
        self.connections.discard(connection)
        connection.sock.close()

    def wait_for(self, connection: Connection) -> None:
        """Wait for the next bytes of the client. Another thread may own the connection as soon as this returns."""
        if connection.buffer and not connection.lingering:
            connection.expires = (
                connection.first_byte + CLIENT_TIMEOUT + len(connection.buffer) / MIN_RATE
            )
        elif not connection.lingering:
            connection.expires = time.monotonic() + self.cfg.keepalive
        self.waiting[connection.fd] = connection
        self._arm(connection.fd)

    # The threads: requests

    def _guarded(self, act, connection, *values):
        """Do something with a connection that this thread owns. Close the connection if that fails."""
        try:
            act(connection, *values)
        except Gone as reason:
            self.log.debug("connection closed: %s", reason)
            self.close(connection)
        except BaseException:
            self.log.exception("connection closed")
            self.close(connection)

    def _receive(self, connection):
        connection.receive()
        if connection.lingering:
            connection.buffer.clear()
        self._handle_requests(connection)

    def _handle_requests(self, connection):
        """Handle the requests in the buffer, then wait for the next one. A write gives the connection away."""
        while not connection.lingering and connection.has_request():
            environ = self.requests.read(connection)
            if isinstance(environ, Outcome):
                self._end_unless_kept(connection, environ)
                continue
            self._count_request()
            if environ["REQUEST_METHOD"] in WRITES:
                self.threads.run_aside(partial(self._guarded, self._write, connection, environ))
                return
            self._end_unless_kept(connection, self.requests.respond(connection, environ))
        self.wait_for(connection)

    def _write(self, connection, environ):
        """Handle a write. The application returns after its commit, and then the response is sent."""
        self._end_unless_kept(connection, self.requests.respond(connection, environ))
        if connection.buffer:  # the next requests are left to a thread that has time
            self.threads.submit(partial(self._guarded, self._handle_requests, connection))
        else:
            self.wait_for(connection)

    def _count_request(self):
        """Stop after gunicorn's max_requests. Threads may count at once; the limit need not be exact."""
        self.handled_requests += 1
        if self.handled_requests >= self.max_requests:
            self.alive = False

    def _end_unless_kept(self, connection, outcome):
        """Begin to close the connection after the last response. Raise Gone if it is closed."""
        if outcome is Outcome.GONE:
            raise Gone("no response could be sent")
        if outcome is Outcome.CLOSE:
            connection.linger(time.monotonic() + (LINGER if self.alive else LINGER_AT_STOP))
