"""A gunicorn worker that answers each request in the thread that receives it; conf/gunicorn.conf.py names it.

gunicorn's gthread hands each request from its loop to a thread and back, which costs more than a cheap answer itself. Here one thread
leads: it waits for events and answers what reads, one request after the other, so that threads do not fight for the interpreter lock.
It steps down, and the next thread leads, before what waits for others (a write for the disk, a body or an answer for its client), and
when it takes long. There is no access log and no TLS: eventapi and nginx have these.

gunicorn's first process loads this module, and those of answering, write_queue and connection; what a reload shall renew (all else of
eventapi) is imported where it is needed.
"""
import os
import select
import sys
import threading
import time
from queue import SimpleQueue

from gunicorn.workers import base

from eventapi.server.connection import PATIENCE, Connection
from eventapi.server.requests import LAST_CALL, Answering

SLOW = 0.005                # seconds of one request after which another thread leads, if something waits
REST = 0.001                # seconds in which a process that has taken a connection leaves the next one to another process
ARMED = select.EPOLLIN | select.EPOLLONESHOT


class Worker(base.Worker):
    """`waiting` holds the connections that are armed for one event, by file descriptor: whoever pops one has it alone until it arms it
    again. `tasks` is what threads do next; `leading` holds the thread that leads; `resting` says that we take no connection for now.
    """
    looked_after = 0.0

    @classmethod
    def check_config(cls, cfg, log):
        if cfg.is_ssl:
            sys.exit("eventapi: this worker speaks no TLS: leave it to nginx (remove certfile and keyfile), or set worker_class to gthread")

    def run(self):
        self.epoll, self.wake = select.epoll(), os.eventfd(0)
        self.waiting, self.connections, self.done = {}, set(), False
        self.tasks, self.leading, self.resting, self.handled = SimpleQueue(), {}, False, 0
        self.answering = Answering(self)
        self.writes = self.answering.writes
        self.epoll.register(self.wake, select.EPOLLIN)
        self.listeners = {listener.fileno(): (listener, listener.getsockname()) for listener in self.sockets}
        for fd, (listener, _) in self.listeners.items():
            listener.setblocking(False)
            self.epoll.register(fd, ARMED)
        threads = [threading.Thread(target=self._work, name=f"serving {number}", daemon=True) for number in range(self.cfg.threads)]
        for thread in threads:
            thread.start()
        self.tasks.put(self._lead)
        while self.alive:
            self._look_after()
            self._watch(1)
        self._finish()
        for _ in threads:
            self.tasks.put(None)
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
                    self.step_down(thread)

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
        self.writes.look_after()
        self._open()                                        # there may have been too many connections, or no more files

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
            self.close(connection)
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
            self._look_after()
            self._expire(idle=time.monotonic() > started + LAST_CALL)
            self._watch(0.05)
        self.done = True
        os.eventfd_write(self.wake, 1)

    # The threads

    def _work(self):
        """The life of a thread."""
        while task := self.tasks.get():
            self.perform(task)

    def perform(self, task):
        """Does a task; the thread is still wanted when it fails."""
        try:
            task()
        except Exception:
            self.log.exception("a task was lost")

    def _lead(self):
        """Waits for what comes and answers it, until it stepped down."""
        me = threading.get_ident()
        self.leading[me] = True
        while me in self.leading and not self.done:
            try:
                events = self.epoll.poll(REST if self.resting else -1, 1)
                if self.resting:
                    self._open()
                for fd, _ in events:
                    self._handle(fd)
            except Exception:               # a leader that ended here would leave nobody to lead
                self.log.exception("an event was lost")
            self.handled += 1

    def _handle(self, fd):
        connection = self.waiting.pop(fd, None)
        if connection:
            self.answering.attempt(self.answering.serve, connection)
        elif self.alive and fd in self.listeners and self._admit(*self.listeners[fd]) is not None:
            self.resting = True

    def step_down(self, thread=None):
        """Lets the next thread lead. The main thread may do the same for us at the same moment: only one of the two has the entry."""
        if self.leading.pop(thread or threading.get_ident(), None):
            self.tasks.put(self._lead)

    def _before_waiting(self):
        """A thread is about to wait for a client."""
        self.step_down()
        self.writes.pass_on(threading.get_ident())

    def _open(self):
        """Lets connections in, if there is room for them."""
        self.resting = False
        if self.alive and len(self.connections) < self.cfg.worker_connections:
            for fd in self.listeners:
                self._arm(fd)

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
        connection = Connection(sock, client, server, self.cfg, self._before_waiting)
        self.connections.add(connection)
        connection.expires = time.monotonic() + self.cfg.keepalive
        self.waiting[connection.fd] = connection
        self.epoll.register(connection.fd, ARMED)
        return True

    def close(self, connection):
        self.connections.discard(connection)
        connection.sock.close()

    def wait_for(self, connection):
        """Arms a connection for what its client sends next."""
        if not connection.lingering:
            connection.expires = connection.since + PATIENCE if connection.buffer else time.monotonic() + self.cfg.keepalive
        self.waiting[connection.fd] = connection
        self._arm(connection.fd)
