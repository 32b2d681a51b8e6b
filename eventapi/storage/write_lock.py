"""The one door for writes: a lock file in front of BEGIN IMMEDIATE, since SQLite's own waiting is unfair and slow."""
import fcntl
import os
import threading
import time
import weakref
from collections import deque

from eventapi.errors import Problem

WAIT = 10                   # seconds until a write gives up as database_busy
IMPATIENT = 0.5             # the same while nobody gets through, so that the threads are free for those who read
IN_A_ROW = 16               # writes of one process before it lets another one in

_doors = weakref.WeakValueDictionary()
_finding = threading.Lock()


def busy():
    return Problem("database_busy", "Another change is taking long; try again.", headers={"Retry-After": "2"})


def door_of(path):
    """The door of this database in this process."""
    path = os.path.abspath(path)
    with _finding:
        door = _doors.get(path)
        if door is None:
            door = _doors[path] = Door(path)
        return door


class Door:
    """Threads wait for `inside`, processes for the file.

    Whoever leaves while another thread of the process waits keeps the file for it, a few times in a row: a change of process
    costs the kernel a wake-up, and each connection the pages that it knows.
    """

    def __init__(self, path):
        self.path = f"{path}.lock"
        self.inside = threading.Lock()
        self.waiting = deque()              # one entry for each thread that waits; its append and pop are atomic
        self.file, self.held, self.row = None, False, 0
        self.stuck = False                  # since the last write that came through, one did not
        self.before_release = None          # called while the file is still ours: commits what a row of writes has gathered

    def enter(self, wait=WAIT):
        """Raises database_busy when the turn does not come in `wait` seconds."""
        wait = min(wait, IMPATIENT) if self.stuck else wait
        deadline = time.monotonic() + wait
        self.waiting.append(None)
        try:
            entered = self.inside.acquire(timeout=wait)
        finally:
            self.waiting.pop()
        if not entered:
            self.stuck = self.stuck or wait > 0
            self.rest()
            raise busy()
        if not self.held:
            self._take_file(wait, deadline)

    def leave(self, follows=False):
        """Where another write `follows` that need not wait here, who leaves enters again at once, or calls `rest`."""
        self.row += 1
        try:
            if not (follows or self.waiting) or self.row >= IN_A_ROW:
                self._release_file()
        finally:
            self.inside.release()
        if not follows:
            self.rest()                     # whom we kept it for may have given up meanwhile

    def _take_file(self, wait, deadline):
        """Waits in the kernel, which wakes whoever comes next at once, and sees afterwards whether it is too late.

        Such a wait cannot be cut short: while another process is stopped in the door, one thread of ours hangs here and the others
        give up in time. gunicorn kills a process of its own that gives no sign of life, and with it goes its lock.
        """
        try:
            if self.file is None:
                self.file = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o660)
                weakref.finalize(self, os.close, self.file)
            fcntl.flock(self.file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.held = True
            if wait and time.monotonic() > deadline:
                self.stuck = True
                self._release_file()
                raise busy()
        except BlockingIOError:
            self.inside.release()
            raise busy() from None
        except BaseException:
            self.inside.release()
            raise

    def settle(self):
        """Commits what other threads have gathered; for who enters with a connection of his own."""
        if self.before_release:
            self.before_release()

    def _release_file(self):
        try:
            self.settle()
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)
            self.held, self.row = False, 0

    def rest(self):
        """Lets go of the file that may have been kept for who no longer wants it.

        Everybody asks this after having let go of `inside`, so whoever makes our try fail will see to it.
        """
        while self.held and not self.waiting and self.inside.acquire(blocking=False):
            try:
                if self.held and not self.waiting:
                    self._release_file()
            finally:
                self.inside.release()
