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
    `group` what the answer waits for, and whether it stands `at_door`. Who is about to do what takes long, before his transaction, calls
    `alone`.
    """

    def __init__(self, queue, connection, response, environ):
        self.queue, self.connection, self.response, self.environ = queue, connection, response, environ
        self.body, self.since = environ["wsgi.input"].read(), time.monotonic()
        self.shares, self.group, self.at_door, self.stays = True, None, False, True

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
        self.queue.pass_on(threading.get_ident())


class WriteQueue:
    """`writing` holds the thread that has the pen: whoever pops it from there decides who gets the pen next. `busy` holds what each thread
    is answering, also one that has lost the pen meanwhile.
    """

    def __init__(self, worker, answering):
        self.worker, self.answering = worker, answering
        self.coming, self.held = deque(), deque()
        self.pen, self.writing, self.busy = threading.Lock(), {}, {}
        self.answered = self.seen = 0

    def put(self, connection, response, environ):
        """Takes a request in. The thread that finds the pen free writes, and lets another one lead."""
        self.coming.append(Write(self, connection, response, environ))
        if self.pen.acquire(blocking=False):
            self.worker.step_down()
            self.worker.perform(self.write)

    def write(self):
        """Answers what has come until nothing is left, or another thread got the pen."""
        me = threading.get_ident()
        self.writing[me] = True
        try:
            while (self.coming or self.held) and me in self.writing:
                while self.coming and me in self.writing:
                    self._answer_next(me)
                self._tell()
            self._tell()                            # what we have answered after another thread got the pen
        finally:
            if self.writing.pop(me, False):
                self.pen.release()
                if self.coming and self.pen.acquire(blocking=False):       # it came in this moment
                    self.worker.tasks.put(self.write)

    def follows(self):
        return bool(self.coming) and threading.get_ident() in self.writing

    def pass_on(self, thread):
        """Lets another thread write, if this one does. Nothing is answered here: a thread may be inside of the application."""
        if self.writing.pop(thread, False):
            try:
                self._finish_groups()
            finally:
                self.worker.tasks.put(self.write)

    def look_after(self):
        """Once a second: a write that takes long holds up no other. At the door others can but wait too, one of them for all."""
        if self.answered == self.seen:
            self._finish_groups()
            if self.coming and sum(write.at_door for write in list(self.busy.values())) < 2:
                for thread in list(self.writing):
                    self.pass_on(thread)
        self.seen = self.answered

    def _answer_next(self, me):
        try:
            write = self.busy[me] = self.coming.popleft()
        except IndexError:                          # who had the pen before took it
            return
        self.answering.attempt(self._answer, write.connection, write)
        del self.busy[me]
        self.answered += 1

    def _answer(self, connection, write):
        connection.holding = True
        write.stays = self.answering.respond(connection, write.response, write.fresh_environ())
        group = write.group
        if group is None:                           # nothing was written: who did write before shall not wait for many such
            self._tell()
            self._send(connection, write)
            return
        self.held.append(write)
        if group.settled.is_set():
            self._tell()

    def _tell(self):
        """Sends the answers that were held back, each when it is true."""
        self._finish_groups()
        while self.held:
            try:
                write = self.held.popleft()
            except IndexError:
                return
            self.answering.attempt(self._finish, write.connection, write, write.group)

    def _finish_groups(self):
        """Before anything that takes time: what is not committed keeps other processes out."""
        for write in self.held.copy():
            group = write.group
            if group:                               # else it is being tried again
                group.finish()

    def _finish(self, connection, write, group):
        try:
            group.finish()
            group.wait()
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
