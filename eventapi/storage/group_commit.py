"""Group commit: writes of several threads share one transaction and its COMMIT, which costs a sync of the disk.

Steps of one write, in this order. Steps 1, 2 and 7 belong to the write lock (`write_lock.py`), the others to `Writer`:

1. Acquire the write lock: the thread lock, then the file lock.
2. If another connection of this process has the lock next, it first commits the open transaction.
3. `BEGIN IMMEDIATE`, or `SAVEPOINT` if a transaction of this process is open.
4. Run the block (the handler).
5. On success release the savepoint. On an error roll back to it, or roll back the transaction if it has no other write.
6. Decide whether another write of this process follows: a thread that waits for the lock, or the next write of a queue.
7. If none follows, or after MAX_HANDOVERS writes: `COMMIT`, then release the file lock. Release the thread lock.
8. Wait until the transaction has ended, and raise its error. With a DeferredCommit, the server does this.

Invariants:

1. Only the holder of the write lock uses the connection of the Writer.
2. A transaction is OPEN, then COMMITTED or FAILED; it ends once. Only the holder of the write lock ends it.
3. No write counts as done, and no response to it is sent, before its transaction is COMMITTED.
4. A refusal (an error raised by the block) undoes its own write only. Its response is deferred like a success if the
   refusal was made inside a transaction with other writes, since it may depend on what they have written. Without a
   DeferredCommit, the refusal is raised after the commit, like the return of a success.
5. If COMMIT or a rollback to a savepoint fails, or SQLite gives up the transaction (as on a full disk), nothing of the
   transaction is stored. All its writes fail with a StorageError, never with the refusal of one of them.
6. Between two writes the transaction stays open only while a thread waits for the lock or a queue announces its next
   write. A thread that stops waiting, and a queue that stops, calls `Transaction.finish`.
"""
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from eventapi.storage.database import Database, Error
from eventapi.storage.errors import StorageError, require_writable, storage_error, translated
from eventapi.storage.write_lock import TIMEOUT, WriteLock

if TYPE_CHECKING:
    from eventapi.config import Config

log = logging.getLogger("eventapi.storage")

State = Enum("State", "OPEN COMMITTED FAILED")


def gave_up() -> StorageError:
    """Return the error of a transaction that SQLite rolled back by itself, as on a full disk."""
    return StorageError("database error: the transaction was rolled back")


class Transaction:
    """A transaction that several writes may share.

    Attributes:
        state: OPEN, COMMITTED or FAILED.
        error: why it FAILED, else None.
    """

    def __init__(self, write_lock: WriteLock):
        self.state, self.error = State.OPEN, None
        self._write_lock, self._ended, self._after_commit = write_lock, threading.Event(), deque()

    def wait(self) -> None:
        """Wait for the end of the transaction. Raise its error if it has FAILED."""
        self._ended.wait()
        if self.error:
            raise self.error

    def finish(self) -> None:
        """Commit now, unless a thread has the write lock or waits for it: then that thread commits."""
        if self.state is State.OPEN:
            self._write_lock.release_unused_file_lock()

    def after_commit(self, act: Callable[[], None]) -> None:
        """Call `act` once the transaction is COMMITTED, at once if it is already. Never call it if the commit fails.

        An exception of `act` is logged and goes no further.
        """
        self._after_commit.append(act)
        if self.state is State.COMMITTED:
            self._run_after_commit()

    def end(self, error: Exception | None) -> None:
        """Set the final state, wake up the waiting threads and call what `after_commit` was given."""
        self.error = error
        self.state = State.FAILED if error else State.COMMITTED
        self._ended.set()
        if not error:
            self._run_after_commit()

    def _run_after_commit(self):
        while self._after_commit:
            try:
                act = self._after_commit.popleft()
            except IndexError:              # another thread has taken the last one since the check
                return
            try:
                act()
            except Exception:               # the commit has succeeded, and its writes must not seem to have failed
                log.exception("an action after a commit failed")


class DeferredCommit:
    """The agreement between the server and the Writer about one request. It is in the environ as DEFERRED_COMMIT.

    The server holds the response of the request back. So `Writer.write` neither waits for the commit nor commits, if
    the same thread continues with another write. The server then waits for `transaction`.

    Attributes:
        allowed: the server agrees. Without it, `Writer.write` returns after the commit, and `transaction` stays None.
        received: when the server received the request, of time.monotonic(). The timeout of the write lock counts from
            here, since the request has already waited in a queue.
        transaction: the transaction that the response depends on; None if it depends on none.
        waits_for_lock: the thread waits for the write lock at the moment.
    """

    def __init__(self, *, allowed: bool, next_write: Callable[[], bool] = lambda: False,
                 leave_queue: Callable[[], None] = lambda: None):
        """`next_write` returns whether the thread continues with another write; `leave_queue` passes the others on."""
        self.allowed, self.received = allowed, time.monotonic()
        self.transaction, self.waits_for_lock = None, False
        self.next_write, self._leave_queue = next_write, leave_queue

    def leave_queue(self) -> None:
        """Let another thread continue with the queued writes, since slow work follows. This write commits alone."""
        self.allowed = False
        self._leave_queue()

    def after_commit(self, act: Callable[[], None]) -> None:
        """Call `act` after the commit that the response depends on, at once if it depends on none."""
        if self.transaction:
            self.transaction.after_commit(act)
        else:
            act()


DEFERRED_COMMIT = "eventapi.deferred_commit"
NOT_DEFERRED = DeferredCommit(allowed=False)


def deferred_commit(environ: dict) -> DeferredCommit:
    """Return the agreement with the server about this request. Servers other than our own have none."""
    return environ.get(DEFERRED_COMMIT, NOT_DEFERRED)


class Writer(Database):
    """The connection of this process that handlers write with. Only the holder of the write lock may use it.

    Attributes:
        transaction: the open Transaction; None while there is none.
    """

    def __init__(self, config: "Config"):
        """Raise ReadOnly if the database cannot be written."""
        require_writable(config.database)
        super().__init__(config)
        self.transaction = None

    @contextmanager
    def write(self, wait: float = TIMEOUT, deferred: DeferredCommit = NOT_DEFERRED) -> Iterator["Writer"]:
        """Open a write transaction, or join the open one. Return after its commit, unless `deferred` allows otherwise.

        Raise Busy if the write lock is not free within `wait` seconds, and StorageError if the commit fails.
        """
        with translated:
            yield from self._write(wait, deferred)

    def _write(self, wait, deferred):
        is_deferred, transaction = deferred.allowed, None
        self._acquire(wait, deferred if is_deferred else None)
        try:
            transaction, is_first = self._begin_or_join()
            if is_deferred:
                deferred.transaction = transaction
            try:
                self._take_time(is_first)
                yield self
                self._keep(is_first)
            except BaseException as error:
                self._undo(is_first, error)
                if is_first:                            # nothing of the transaction is left to wait for
                    transaction = None
                    if is_deferred:
                        deferred.transaction = None
                raise
        finally:
            self.now = None
            self._release(deferred if is_deferred else None)
            if transaction and not is_deferred:
                transaction.wait()                      # a refusal waits, too: see invariant 4

    def _acquire(self, timeout, deferred):
        if deferred is None:
            self.write_lock.acquire(timeout, join=True)
            return
        deferred.waits_for_lock = True
        try:
            self.write_lock.acquire(max(0, timeout + deferred.received - time.monotonic()), join=True)
        finally:
            deferred.waits_for_lock = False

    def _release(self, deferred):
        """Release the write lock. The lock commits, unless another write of this process follows."""
        if self.transaction is None:
            self.write_lock.release()
            return
        follows = deferred is not None and deferred.transaction is self.transaction and deferred.next_write()
        self.write_lock.release(commit=self.commit, keep_file_lock=follows)

    def _begin_or_join(self):
        """Return the transaction and whether this write is its first. The first needs no savepoint."""
        if self.transaction:
            self.connection.execute("SAVEPOINT one")
            return self.transaction, False
        try:
            self.connection.execute("BEGIN IMMEDIATE")
        except Error:                       # a program that does not use the write lock has locked the database
            self.write_lock.congested = True
            raise
        self.transaction, self.known = Transaction(self.write_lock), {}
        return self.transaction, True

    def _keep(self, is_first):
        if not self.connection.in_transaction:
            raise gave_up()
        if not is_first:
            self.connection.execute("RELEASE one")

    def _undo(self, is_first, error):
        """Roll back this write. The other writes stay, unless SQLite gave up the whole transaction."""
        self.counts, self.known = {}, {}
        if not is_first and self.connection.in_transaction:
            try:
                self.connection.execute("ROLLBACK TO one")
                self.connection.execute("RELEASE one")
                return
            except Error as failure:        # then nothing of the transaction can be trusted
                error = failure
        self._give_up(error)

    def commit(self) -> None:
        """Commit the open transaction, if there is one. Its error goes to the writes, and is not raised here."""
        if self.transaction is None:
            return
        try:
            self._commit()
        except Exception as error:
            self._give_up(error)
        else:
            self.write_lock.congested = False
            self._end(None)

    def _give_up(self, error):
        """Roll back the whole transaction. Its writes fail with an error of the database, whatever `error` was."""
        self.counts, self.known = {}, {}
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        finally:
            self._end(storage_error(error) or gave_up())

    def _end(self, error):
        transaction, self.transaction = self.transaction, None
        transaction.end(error)

    def close(self) -> None:
        """Commit the open transaction, unless another thread does it, and close the connection."""
        if self.transaction:
            self.transaction.finish()
        super().close()
