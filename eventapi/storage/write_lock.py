"""The write lock: one writer at a time, across threads and processes.

SQLite waits for its own lock by polling with sleeps of up to 100 ms, and not in order of arrival,
so writers starve under load. Every writer therefore acquires this lock before BEGIN IMMEDIATE. It
has two levels: a threading.Lock for the threads of this process, and an exclusive flock(2) on
`<database>.lock` for processes.

Invariants:

1. A thread is inside a write transaction only while it holds the thread lock and the process holds the file lock.
2. The process keeps the file lock after `release` only while another thread waits for it: until that one acquires it,
   or has given up and called `release_unused_file_lock`.
3. The process writes at most MAX_HANDOVERS times in a row with the same file lock. Then other processes get their turn.
4. A transaction that `release` leaves open (the group commit) ends before the file lock is released, and before
   another connection of this process writes. Its commit callback runs exactly once, in the thread that holds the lock.
"""

import ctypes
import errno
import fcntl
import os
import signal
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable

from eventapi.paths import open_regular
from eventapi.storage.errors import Busy

TIMEOUT = 10  # seconds until `acquire` gives up
CONGESTED_TIMEOUT = 0.5  # the same while the lock is congested, so that threads stay free for reads
MAX_HANDOVERS = 16  # writes of one process before another process gets its turn
PAUSE = 0.005  # seconds between two attempts to lock the file while the lock is congested

_libc = ctypes.CDLL(None, use_errno=True)  # _wait_for_file_lock says why
_locks = weakref.WeakValueDictionary()
_registering = threading.Lock()


def write_lock(path: str | os.PathLike) -> "WriteLock":
    """Return the write lock of the database at `path`: one object for all threads and connections
    of this process.
    """
    path = os.path.abspath(path)
    with _registering:
        lock = _locks.get(path)
        if lock is None:
            lock = _locks[path] = WriteLock(path)
        return lock


def end_late_waits() -> None:
    """Let the threads of this process that wait for a file lock past their deadline give up.

    The main thread of a server calls this about once a second; only that one may.
    """
    signal.signal(signal.SIGURG, lambda *_: None)  # a signal without a handler interrupts nothing
    for lock in list(_locks.values()):
        with lock.ending:
            if lock.blocked and time.monotonic() > lock.blocked[1]:
                signal.pthread_kill(lock.blocked[0], signal.SIGURG)


class WriteLock:
    """The write lock of one database, shared by all threads of this process.

    Get it from `write_lock`.

    Attributes:
        thread_lock: the lock of the threads. `has_file_lock` and `handovers` change only while it is held.
        waiting: one item for each thread that waits in `acquire` (a deque, since its append and pop are atomic).
        has_file_lock: the process holds the file lock.
        handovers: number of writes since the process acquired the file lock.
        congested: the last attempt to write timed out. Until a write succeeds, `acquire` waits at most
            CONGESTED_TIMEOUT. Writers set and clear it; a stale value costs a shorter wait, so it needs no lock.
        blocked: (id, deadline) of the thread that waits for the file lock in the kernel, else None.
        ending: held while `blocked` becomes None, and while its thread gets a signal.
        commit: ends the transaction that was left open by the last `release`; None if there is none.
    """

    def __init__(self, path: str):
        self.path = f"{path}.lock"
        self.thread_lock = threading.Lock()
        self.waiting = deque()
        self.file = None
        self.has_file_lock, self.handovers = False, 0
        self.congested = False
        self.commit = None
        self.blocked, self.ending = None, threading.Lock()

    def acquire(self, timeout: float = TIMEOUT, *, join: bool = False) -> None:
        """Acquire the lock for the calling thread.

        Wait at most `timeout` seconds; 0 tries once. Raise Busy if the lock is not free by then. A
        transaction that another thread has left open is committed, unless the caller uses the same
        connection and wants to `join` it.
        """
        if self.congested:
            timeout = min(timeout, CONGESTED_TIMEOUT)
        deadline = time.monotonic() + timeout
        self._acquire_thread_lock(timeout)
        try:
            if not self.has_file_lock:
                self._acquire_file_lock(timeout, deadline)
        except BaseException:
            self.thread_lock.release()
            raise
        if not join:
            self._commit_or_release()

    def release(self, commit: Callable[[], None] | None = None) -> None:
        """Release the lock.

        If another thread waits, keep the file lock for it, and leave the transaction open.

        `commit` ends the transaction: it is called before the file lock is released, now or later.
        """
        self.commit = commit
        self.handovers += 1
        try:
            if not self.waiting or self.handovers >= MAX_HANDOVERS:
                self._release_file_lock()
        finally:
            self.thread_lock.release()
        self.release_unused_file_lock()

    def release_unused_file_lock(self) -> None:
        """Release the file lock if it was kept for a thread that has stopped waiting.

        Commit what was left open.

        Each thread calls this after it has released the thread lock. So if the attempt of this
        thread fails because another one holds the lock, that one repeats it.
        """
        while self.has_file_lock and not self.waiting and self.thread_lock.acquire(blocking=False):
            try:
                if self.has_file_lock and not self.waiting:
                    self._release_file_lock()
            finally:
                self.thread_lock.release()

    def _acquire_thread_lock(self, timeout):
        self.waiting.append(None)
        try:
            acquired = self.thread_lock.acquire(timeout=timeout)
        finally:
            self.waiting.pop()
        if not acquired:
            if timeout > 0:
                self.congested = True
            self.release_unused_file_lock()
            raise Busy()

    def _acquire_file_lock(self, timeout, deadline):
        if self.file is None:
            self.file = open_regular(self.path, os.O_CREAT | os.O_RDWR, 0o660)
            weakref.finalize(self, os.close, self.file)
        if self.congested or not timeout:
            self._poll_file_lock(deadline)
        else:
            self._wait_for_file_lock(deadline)
        self.has_file_lock = True

    def _poll_file_lock(self, deadline):
        while True:
            try:
                return fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise Busy() from None
            time.sleep(PAUSE)

    def _wait_for_file_lock(self, deadline):
        """Wait for the file lock in the kernel. Raise Busy after the deadline.

        The kernel wakes the next process at once, in order of arrival, but it knows no deadline:
        `end_late_waits` interrupts the call with the signal SIGURG. fcntl.flock would repeat it
        (PEP 475), so this calls flock(2) of the C library, by ctypes.

        With `_poll_file_lock` alone, neither would be necessary. But two processes at 16
        connections then record half of the payments per second, and the 99th percentile of their
        requests doubles: a process that has just released the lock takes it again before the other
        one asks (docs/performance.md, section "What was tried and not taken").
        """
        self.blocked = threading.get_ident(), deadline
        try:
            while _libc.flock(self.file, fcntl.LOCK_EX):
                if ctypes.get_errno() != errno.EINTR:
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), self.path)
                if time.monotonic() > deadline:
                    self.congested = True
                    raise Busy()
        finally:
            with self.ending:
                self.blocked = None

    def _commit_or_release(self):
        """Commit what was left open.

        Release the lock if that raises: the caller does not get it then.
        """
        commit, self.commit = self.commit, None
        if commit is None:
            return
        try:
            commit()
        except BaseException:
            self.release()
            raise

    def _release_file_lock(self):
        commit, self.commit = self.commit, None
        try:
            if commit:
                commit()
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)
            self.has_file_lock, self.handovers = False, 0
