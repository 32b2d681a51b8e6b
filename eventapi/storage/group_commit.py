"""Group commit: writes of several threads share one transaction and its COMMIT, which costs a sync
of the disk.

The way of one write. Steps 1 and 5 are in `write_lock.py`, the others in `Writer`:

1. Acquire the write lock. If a connection other than the Writer has acquired it, that one commits what was left open.
2. `BEGIN IMMEDIATE`, or `SAVEPOINT` if another thread has left its transaction open.
3. Run the block (the handler).
4. On success release the savepoint. On an error roll back to it, or roll back the transaction if it has no other write.
5. Release the write lock. If another thread waits for it, the transaction stays open for that one. If none waits, or
   after MAX_HANDOVERS writes, `COMMIT` first.
6. Wait until the transaction has ended, and raise its error.

Invariants:

1. Only the holder of the write lock uses the connection of the Writer, and only it ends a transaction.
2. `Writer.write` returns after the commit of its transaction, never before. So its response can be sent at once.
3. A refusal (an error raised by the block) undoes its own write only. It is raised after the commit, too, if the
   transaction has other writes: the refusal may depend on what they have written.
4. If COMMIT or a rollback to a savepoint fails, or SQLite gives up the transaction (as on a full disk), nothing of the
   transaction is stored. All its writes fail with a StorageError, never with the refusal of one of them.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eventapi.storage.database import Database, Error
from eventapi.storage.disk import Watching
from eventapi.storage.errors import StorageError, require_writable, storage_error, translated
from eventapi.storage.write_lock import TIMEOUT

if TYPE_CHECKING:
    from eventapi.config import Config


def gave_up() -> StorageError:
    """Return the error of a transaction that SQLite rolled back by itself, as on a full disk."""
    return StorageError("database error: the transaction was rolled back")


class Transaction:
    """A transaction that several writes may share.

    Its lock is held while it is open, and the other threads wait for that lock. A threading.Event
    would do the same with several calls of Python.
    """

    def __init__(self):
        self._open, self._error = threading.Lock(), None
        self._open.acquire()

    def wait(self) -> None:
        """Wait for the end of the transaction. Raise its error if it was not committed."""
        with self._open:
            pass
        if self._error:
            raise self._error

    def end(self, error: Exception | None) -> None:
        """Wake up the waiting threads. `error` is None after a commit."""
        self._error = error
        self._open.release()


class Writer(Database):
    """The connection of this process that handlers write with.

    Only the holder of the write lock may use it.

    Attributes:
        transaction: the open Transaction; None while there is none.
    """

    def __init__(self, config: "Config"):
        """Raise ReadOnly if the database cannot be written."""
        require_writable(config.database)
        super().__init__(config)
        self.transaction = None

    @contextmanager
    def write(self, wait: float = TIMEOUT) -> Iterator["Writer"]:
        """Open a write transaction, or join the open one. Return after its commit.

        Raise Busy if the write lock is not free within `wait` seconds, and StorageError if the
        commit fails.
        """
        with Watching(self.path), translated:
            yield from self._write(wait)

    def _write(self, wait):
        transaction = None
        self.write_lock.acquire(wait, join=True)
        try:
            transaction, is_first = self._begin_or_join()
            try:
                self._take_time(is_first)
                yield self
                self._keep(is_first)
            except BaseException as error:
                self._undo(is_first, error)
                if is_first:  # nothing of the transaction is left to wait for
                    transaction = None
                raise
        finally:
            self.now = None
            self.write_lock.release(self.commit if self.transaction else None)
            if transaction:
                transaction.wait()  # a refusal waits, too: see invariant 3

    def _begin_or_join(self):
        """Return the transaction and whether this write is its first. The first needs no savepoint."""
        if self.transaction:
            self.connection.execute("SAVEPOINT one")
            return self.transaction, False
        try:
            self._begin()
        except Error:  # a program that does not use the write lock has locked the database
            self.write_lock.congested = True
            raise
        self.transaction, self.known = Transaction(), {}
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
            except Error as failure:  # then nothing of the transaction can be trusted
                error = failure
        self._give_up(error)

    def commit(self) -> None:
        """Commit the open transaction, if there is one.

        Its error goes to the writes, and is not raised here.
        """
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
        """Roll back the whole transaction.

        Its writes fail with an error of the database, whatever `error` was.
        """
        self.counts, self.known = {}, {}
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        finally:
            self._end(storage_error(error) or gave_up())

    def _end(self, error):
        transaction, self.transaction = self.transaction, None
        transaction.end(error)
