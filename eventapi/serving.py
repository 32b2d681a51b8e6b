"""A gunicorn worker that serves each request in the thread that wakes up for it; conf/gunicorn.conf.py names it.

gunicorn's gthread hands each request from its loop to a thread and back, which costs more than a cheap answer itself. Here the threads
share one epoll, where a connection is armed for a single event: one thread has it until it arms it again. What must be strict about
HTTP stays gunicorn's: its parser reads, its Response writes. There is no access log and no TLS: eventapi and nginx have these.

gunicorn's first process loads this module, so what a reload shall renew (all else of eventapi) is imported where it is needed.
"""
import itertools
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

from eventapi.connection import Connection, Gone

LINGER = 10                 # seconds in which a client may still send what is thrown away, so that it gets to read the answer
LAST_CALL = 1               # seconds in which connections without a request stay open when the worker stops
ARMED = select.EPOLLIN | select.EPOLLONESHOT
REFUSALS = {errors.LimitRequestLine: 414, errors.LimitRequestHeaders: 431, errors.UnsupportedTransferCoding: 501,
            errors.ForbiddenProxyRequest: 403}


class Worker(base.Worker):
    """`waiting` holds what is armed, by file descriptor; whoever pops a connection from there has it alone."""

    @classmethod
    def check_config(cls, cfg, log):
        if cfg.is_ssl:
            sys.exit("eventapi: this worker speaks no TLS: leave it to nginx (remove certfile and keyfile), or set worker_class = \"gthread\"")

    def run(self):
        self.epoll, self.waiting, self.connections, self.done = select.epoll(), {}, set(), False
        self.requests, self.wake = itertools.count(1), os.eventfd(0)
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
        self._finish()
        for thread in threads:
            thread.join(LAST_CALL)

    def _look_after(self):
        """What the main thread does each second; a signal wakes it at once."""
        self.notify()
        if self.ppid != os.getppid():
            self.log.info("Parent changed, shutting down: %s", self)
            self.alive = False
        self._expire()
        if len(self.connections) < self.cfg.worker_connections:
            for fd in self.listeners:                       # they rest when there were too many connections, or no more files
                self.epoll.modify(fd, ARMED)
        if select.select([self.PIPE[0]], [], [], 1)[0]:
            os.read(self.PIPE[0], 4096)

    def _expire(self, idle=False):
        """Closes connections that take too long, and with `idle` all that wait for a request."""
        now = time.monotonic()
        for fd, connection in list(self.waiting.items()):
            if (connection.expires < now or idle and not connection.lingering) and self.waiting.pop(fd, None) is connection:
                self._close(connection)

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
            time.sleep(0.02)
        self.done = True
        os.eventfd_write(self.wake, 1)

    def _work(self):
        """The life of a thread."""
        while not self.done:
            for fd, _ in self.epoll.poll(-1, 1):
                connection = self.waiting.pop(fd, None)
                if connection:
                    self._serve(connection)
                elif self.alive and fd in self.listeners and self._admit(*self.listeners[fd]) is not None:
                    self._arm(fd)

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
        connection = Connection(sock, client, server, self.cfg)
        self.connections.add(connection)
        self._wait(connection, self.cfg.keepalive, select.epoll.register)
        return True
