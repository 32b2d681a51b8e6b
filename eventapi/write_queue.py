"""The writes that a server process has received: one thread at a time answers them, and holds the answers back until their commit.

A thread for each write would be woken for the door, for the interpreter lock and for the commit; that costs more than writing. And so
many writes share a commit as clients wait, not only as many as there are threads. What takes long leaves this queue to the next thread.
"""
import io
import threading
import time
from collections import deque

from gunicorn.http.wsgi import Response


class Write:
    """A request, whole, that came at `since`. The application finds it in its environ as `eventapi.write`.

    Where it `shares`, its answer is held back, so that the commit may be left for the write that `follows`; the application notes in
    `group` what the answer waits for. Who is about to do what takes long, before his transaction, calls `alone`.
    """

    def __init__(self, queue, connection, response, environ):
        self.queue, self.connection, self.response, self.environ = queue, connection, response, environ
        self.body, self.since = environ["wsgi.input"].read(), time.monotonic()
        self.shares, self.group, self.stays = True, None, True

    def fresh_environ(self):
        environ = {**self.environ, "wsgi.input": io.BytesIO(self.body), "eventapi.write": self}
        environ.pop("wsgi.file_wrapper", None)      # what it sends goes out at once
        return environ

    def follows(self):
        """Whether this thread goes on with another write, so that the commit may wait for it."""
        return self.queue.follows()

    def alone(self):
        """Lets others write meanwhile. This one waits for its own commit."""
        self.shares = False
        self.queue.leave()


class WriteQueue:
    """`writing` holds the thread that has the pen: whoever pops it from there decides who gets the pen next."""

    def __init__(self, worker, answering):
        self.worker, self.answering = worker, answering
        self.coming, self.held = deque(), deque()
        self.pen, self.writing = threading.Lock(), {}
        self.answered = self.seen = 0

    def put(self, connection, response, environ):
        """Takes a request in. The thread that finds the pen free writes, and lets another one lead."""
        self.coming.append(Write(self, connection, response, environ))
        if self.pen.acquire(blocking=False):
            self.worker.step_down()
            self.write()

    def write(self):
        """Answers what has come until nothing is left, or another thread got the pen."""
        me, mine = threading.get_ident(), True
        while mine:
            self.writing[me] = True
            try:
                while self.coming and me in self.writing:
                    self._answer_next()
                self._tell()
            finally:
                mine = self.writing.pop(me, False)
                if mine:
                    self.pen.release()
            mine = mine and self.coming and self.pen.acquire(blocking=False)

    def follows(self):
        return bool(self.coming) and threading.get_ident() in self.writing

    def leave(self):
        """For the thread that writes and is about to do something else."""
        self._tell()
        self.pass_on(threading.get_ident())

    def pass_on(self, thread):
        """Lets another thread write, if this one does."""
        if self.writing.pop(thread, False):
            self._finish_groups()
            self.worker.tasks.put(self.write)

    def look_after(self):
        """Once a second: a write that takes long holds up no other, unless it stands in the door."""
        if self.answered == self.seen:
            self._finish_groups()
            for thread in list(self.writing) if self.coming else ():
                self.pass_on(thread)
        self.seen = self.answered

    def _answer_next(self):
        try:
            write = self.coming.popleft()
        except IndexError:                          # who had the pen before took it
            return
        self.answering.attempt(self._answer, write.connection, write)
        self.answered += 1

    def _answer(self, connection, write):
        connection.holding = True
        write.stays = self.answering.respond(connection, write.response, write.fresh_environ())
        if write.group is None:
            self._send(connection, write)
            return
        self.held.append(write)
        if write.group.settled.is_set():
            self._tell()

    def _tell(self):
        """Sends the answers that were held back, each when it is true."""
        self._finish_groups()
        while self.held:
            try:
                write = self.held.popleft()
            except IndexError:
                return
            self.answering.attempt(self._finish, write.connection, write)

    def _finish_groups(self):
        """Before anything that takes time: what is not committed keeps other processes out."""
        for write in self.held.copy():
            write.group.finish()

    def _finish(self, connection, write):
        try:
            write.group.wait()
        except Exception as error:
            self.worker.log.warning("a commit failed, each of its writes is tried again by itself: %s", error)
            self._again(connection, write)
        self._send(connection, write)

    def _again(self, connection, write):
        """Nothing of the write is there: by itself, it hears what its own commit says."""
        connection.drop()
        response = Response(write.response.req, connection, write.response.cfg)
        write.shares, write.group = False, None
        write.stays = self.answering.respond(connection, response, write.fresh_environ())

    def _send(self, connection, write):
        connection.holding = False
        connection.flush()
        self.answering.go_on(connection, write.stays)
