"""The write queue: one thread runs all writes of a server process, and holds their responses back until the commit.

A thread for each write would be woken for the write lock, for the interpreter lock and for the commit, which costs
more than the write. With a queue, as many writes share a commit as clients wait, not as many as there are threads.

Invariants:

1. At most one thread is the writer: it takes writes from the queue and runs them in the order in which they came.
2. While the queue is not empty, there is a writer, or one is starting. Both change only under the mutex.
3. A response is sent only after the transaction that it depends on is committed. If that fails, nothing of the write
   is stored, and the write runs once more, alone. The client gets the response of this second attempt.
4. The writer waits for no client. Before it would, and before slow work that its handler announces (`leave_queue`), it
   passes the queue on. `check_progress` passes it on for a handler that is slow unannounced.
5. Before the queue is passed on, and before the writer stops, it finishes the transaction of the held responses.
"""
import io
import threading
from collections import deque
from collections.abc import Callable

from gunicorn.glogging import Logger

from eventapi.server.connection import Connection, Outcome
from eventapi.server.requests import Requests
from eventapi.storage.group_commit import DEFERRED_COMMIT, DeferredCommit, State

STARTING = -1               # as the writer: a task that becomes the writer is scheduled
MOST_WAITING = 2            # threads that wait for the write lock; more would wait for the same thing


class QueuedWrite:
    """A request with its whole body.

    Attributes:
        deferred: what the server and the database have agreed about the commit of the first attempt.
        outcome: what follows on its connection; set when the handler has returned.
    """

    def __init__(self, connection: Connection, environ: dict, deferred: DeferredCommit):
        self.connection, self.environ, self.deferred = connection, environ, deferred
        self.body, self.outcome = environ["wsgi.input"].read(), None

    def fresh_environ(self, deferred: DeferredCommit) -> dict:
        """Return an environ for one attempt.

        It has no wsgi.file_wrapper, which would send the response at once, and no `Expect: 100-continue`, since the
        body is here: the writer must not wait for a place.
        """
        environ = {**self.environ, "wsgi.input": io.BytesIO(self.body), DEFERRED_COMMIT: deferred}
        environ.pop("wsgi.file_wrapper", None)
        environ.pop("HTTP_EXPECT", None)
        return environ


class WriteQueue:
    """The writes of a server process that are not finished.

    Attributes:
        queued: writes whose handler has not begun.
        running: thread id -> the write whose handler runs in it. A thread that has passed the queue on still has one.
        held: writes whose handler has returned and whose response is not sent.
        writer: id of the thread that is the writer; STARTING; or None.
        finished: number of handlers that have returned.
    """

    def __init__(self, requests: Requests, submit: Callable[[Callable[[], None]], None],
                 after_response: Callable[[Connection, Outcome], None], log: Logger):
        """`submit` runs a task in another thread; `after_response` takes the connection of a finished write back."""
        self._requests, self._submit, self._after_response, self._log = requests, submit, after_response, log
        self._mutex, self.writer = threading.Lock(), None
        self.queued, self.held, self.running = deque(), deque(), {}
        self.finished = self._finished_before = 0

    def put(self, connection: Connection, environ: dict) -> bool:
        """Take over a request and its connection. Return whether the caller must call `run`: there is no writer."""
        deferred = DeferredCommit(allowed=True, next_write=self._has_next, leave_queue=self.pass_on)
        write = QueuedWrite(connection, environ, deferred)
        with self._mutex:
            self.queued.append(write)
            if self.writer is not None:
                return False
            self.writer = STARTING
            return True

    def run(self) -> None:
        """Be the writer until the queue is empty, or until another thread is the writer."""
        me = threading.get_ident()
        self.writer = me
        try:
            while self._goes_on(me):
                while self.queued and self.writer == me:
                    self._run_next(me)
                self._send_held()
            self._send_held()               # what this thread has run, if another thread is the writer now
        finally:
            self._stop(me)

    def pass_on(self, thread: int | None = None) -> None:
        """Make another thread the writer, if `thread` (the calling one by default) is. It may be inside a handler."""
        with self._mutex:
            if self.writer != (thread or threading.get_ident()):
                return
            self.writer = STARTING
        try:
            self._finish_transactions()
        finally:
            self._submit(self.run)

    def check_progress(self) -> None:
        """Pass the queue on if no handler has returned since the last call. Called once a second.

        It stays with a writer that waits for the write lock if enough threads do that already.
        """
        if self.finished == self._finished_before:
            self._finish_transactions()
            waiting = sum(write.deferred.waits_for_lock for write in list(self.running.values()))
            writer = self.writer
            if self.queued and waiting < MOST_WAITING and writer not in (None, STARTING):
                self.pass_on(writer)
        self._finished_before = self.finished

    def _has_next(self):
        """Return whether the calling thread continues with another write."""
        return bool(self.queued) and self.writer == threading.get_ident()

    def _goes_on(self, me):
        """Return whether this thread is the writer and has work. If it has none, it is the writer no longer."""
        with self._mutex:
            if self.writer == me and not self.queued and not self.held:
                self.writer = None
            return self.writer == me

    def _stop(self, me):
        """Let another thread be the writer after an error, if there is work."""
        with self._mutex:
            if self.writer != me:
                return
            self.writer = STARTING if self.queued or self.held else None
            starting = self.writer == STARTING
        if starting:
            self._submit(self.run)

    def _run_next(self, me):
        try:
            write = self.running[me] = self.queued.popleft()
        except IndexError:                  # the previous writer has taken the last one since the check
            return
        try:
            self._run_handler(write)
        finally:
            del self.running[me]
            self.finished += 1

    def _run_handler(self, write):
        write.connection.hold()
        write.outcome = self._requests.respond(write.connection, write.fresh_environ(write.deferred))
        transaction = write.deferred.transaction
        if transaction is None:             # nothing was written: earlier writes need not wait for many such requests
            try:
                self._send_held()
            finally:
                self._send(write)
            return
        self.held.append(write)
        if transaction.state is not State.OPEN:
            self._send_held()

    def _send_held(self):
        """Send the held responses, each after its commit."""
        self._finish_transactions()
        while self.held:
            try:
                write = self.held.popleft()
            except IndexError:              # another thread has taken the last one since the check
                return
            self._commit_and_send(write)

    def _finish_transactions(self):
        """Commit now: an open transaction keeps other processes from writing."""
        for write in self.held.copy():
            write.deferred.transaction.finish()

    def _commit_and_send(self, write):
        transaction = write.deferred.transaction
        transaction.finish()
        try:
            transaction.wait()
        except Exception as error:
            self._log.warning("a commit failed; each of its writes is tried again alone: %s", error)
            self._run_again(write)
        self._send(write)

    def _run_again(self, write):
        """Run a write once more whose transaction has failed. It waits for its own commit and returns its error."""
        write.connection.discard()
        alone = DeferredCommit(allowed=False, leave_queue=self.pass_on)
        write.outcome = self._requests.respond(write.connection, write.fresh_environ(alone))

    def _send(self, write):
        self._after_response(write.connection, self._requests.send_held(write.connection, write.outcome))
