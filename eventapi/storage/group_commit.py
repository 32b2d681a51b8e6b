"""The writing connection of a process: the writes of its threads, one after the other, share a commit (group commit).

A commit costs a sync of the disk. Writes that are wanted together therefore go into one transaction, each inside a savepoint of its
own, and none is answered before the commit that holds it. When it fails, all of them fail.
"""
import threading
import time
from collections import deque
from contextlib import contextmanager

from eventapi import times
from eventapi.storage.database import Database, Error, require_writable
from eventapi.storage.errors import StorageError, storage_error, translated
from eventapi.storage.write_lock import TIMEOUT


def gave_up() -> StorageError:
    """Return the error of a transaction that SQLite rolled back by itself, as on a full disk."""
    return StorageError("database error: the transaction was rolled back")


class Group:
    """Writes that share a commit."""

    def __init__(self, write_lock):
        self.write_lock, self.settled, self.error, self.afterwards = write_lock, threading.Event(), None, deque()

    def wait(self):
        """Until the commit; raises what it failed of."""
        self.settled.wait()
        if self.error:
            raise self.error

    def finish(self):
        """Sees to the commit, for who has left it for later."""
        if not self.settled.is_set():
            self.write_lock.release_unused_file_lock()

    def then(self, act):
        """Calls `act` after the commit, never when it fails."""
        self.afterwards.append(act)
        if self.settled.is_set():
            self._act()

    def settle(self, error):
        self.error = error
        self.settled.set()
        self._act()

    def _act(self):
        while self.afterwards and not self.error:
            try:
                act = self.afterwards.popleft()
            except IndexError:              # another thread came at the same moment
                return
            act()


class Writer(Database):
    """Only who stands in the door may touch it."""

    def __init__(self, config):
        require_writable(config.database)
        super().__init__(config)
        self.group = None

    @contextmanager
    def write(self, wait=TIMEOUT, request=None):
        """`request` is one whose answer the server holds back (write_queue.Write): what it waits for is noted in its `group`."""
        with translated:
            yield from self._write(wait, request)

    def _write(self, wait, request):
        shares = request is not None and request.shares
        self._enter(wait, request if shares else None)
        try:
            first, group = self._join()
            if shares:
                request.group = group
            self.now = times.now()
            try:
                yield self
                self._keep(first)
            except BaseException as error:
                self._undo(first, error)
                if shares and first:                            # nothing is left that could be waited for
                    request.group = None
                raise
        finally:
            self.now = None
            follows = shares and self.group is not None and request.group is self.group and request.follows()
            # commits, unless another write of this process follows
            self.write_lock.release(commit=self.commit if self.group else None, keep_file_lock=follows)
        if not shares:
            group.wait()

    def _enter(self, wait, request):
        if request is None:
            self.write_lock.acquire(wait, join=True)
            return
        request.at_door = True
        try:
            self.write_lock.acquire(max(0, wait + request.since - time.monotonic()), join=True)
        finally:
            request.at_door = False

    def _join(self):
        """Joins the open group, or opens one: its first write needs no savepoint, since there is nothing else to keep."""
        if self.group:
            self.connection.execute("SAVEPOINT one")
            return False, self.group
        try:
            self.connection.execute("BEGIN IMMEDIATE")
        except Error:                       # a program that does not use the door holds the database
            self.write_lock.congested = True
            raise
        self.group, self.known = Group(self.write_lock), {}
        return True, self.group

    def _keep(self, first):
        if not self.connection.in_transaction:
            raise gave_up()
        if not first:
            self.connection.execute("RELEASE one")

    def _undo(self, first, error):
        """Takes one write back; the others of the group stay, unless SQLite gave up the whole transaction, as on a full disk."""
        self.counts, self.known = {}, {}
        if not first and self.connection.in_transaction:
            try:
                self.connection.execute("ROLLBACK TO one")
                self.connection.execute("RELEASE one")
                return
            except Error as failure:        # then nothing of the group can be trusted
                error = failure
        self._give_up(error)

    def commit(self):
        """Commits the open group, if there is one."""
        if self.group is None:
            return
        try:
            self.connection.execute("COMMIT")
        except Exception as error:
            self._give_up(error)
        else:
            self.write_lock.congested = False
            self._settle(None)

    def _give_up(self, error):
        """Takes the whole group back. What others hear is the fault of the database, never the refusal of one write."""
        self.counts, self.known = {}, {}
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        finally:
            self._settle(storage_error(error) or gave_up())

    def _settle(self, error):
        group, self.group = self.group, None
        group.settle(error)

    def close(self):
        if self.group:
            self.group.finish()
        super().close()
