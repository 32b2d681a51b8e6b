"""The watchdog of a server process: it ends the process if work waits and nothing progresses.

gunicorn's heartbeat comes from the main thread, so it does not notice that all threads hang. gunicorn replaces a
process that ends. systemd hears WATCHDOG=1 only from processes that work, so it restarts the service if none does.
"""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable

import gunicorn
from gunicorn.glogging import Logger
from gunicorn.workers.base import Worker
from gunicorn.workers.workertmp import WorkerTmp

from eventapi.server import systemd
from eventapi.storage.write_lock import end_late_waits

LIMIT = 30  # checks, which are a second or more apart; a stopped process (SIGSTOP) makes none


class Watchdog:
    """Checks once a second that a process works.

    Attributes:
        progress: changes when a request is finished, and when a client sends or takes bytes. Threads may change it at
            once, since only the change counts.
        waiting: ids of the threads that wait for a client. Such a wait has a deadline of its own (patience.py).
    """

    def __init__(self, work_waits: Callable[[], bool], main: int, log: Logger):
        """`work_waits` returns whether something waits for a thread; `main` is the process id that systemd knows."""
        self._work_waits, self._main, self._log = work_waits, main, log
        self.progress = self._seen = self._stalled = 0
        self._checked, self.waiting = 0.0, set()

    def check(self) -> None:
        """Tell systemd that the process works. End it after LIMIT checks without progress while work waits.

        Before, end waits for the write lock that are too long. Only the main thread may call this.
        """
        now = time.monotonic()
        if now < self._checked + 1:
            return
        self._checked = now
        end_late_waits()
        if self.progress != self._seen or not self._work_waits():
            self._seen, self._stalled = self.progress, 0
            systemd.report_alive(self._main)
            return
        self._stalled += 1
        if self._stalled >= LIMIT:
            self._end()

    def _end(self):
        """End the process at once: threads that hang cannot be stopped. Nothing that was acknowledged is lost."""
        self._log.critical(
            "requests wait and none has finished for %d s; the stacks of all threads follow, then this "
            "process ends and is replaced",
            LIMIT,
            extra={"traceback": stacks()},
        )
        os._exit(1)


class Heartbeat(WorkerTmp):
    """The file by which gunicorn sees that a process works, for gunicorn before 22.

    Those versions compare the time of the file with the clock. If the clock is set forward by more than `timeout`, as
    after the pause of a virtual machine, they would end every process, with the requests in it.
    """

    def notify(self) -> None:
        """Store the time of time.monotonic(), as newer versions do."""
        now = time.monotonic()
        os.utime(self.fileno(), (now, now))

    def last_update(self) -> float:
        """Return the stored time, as gunicorn expects it: as a time of the clock."""
        return time.time() - time.monotonic() + os.fstat(self.fileno()).st_mtime


def ignore_clock(server: object, worker: Worker) -> None:
    """Let the clock end no process. gunicorn calls this before it starts one (`pre_fork` in conf/gunicorn.conf.py)."""
    if gunicorn.version_info < (22,):
        worker.tmp.close()
        worker.tmp = Heartbeat(worker.cfg)
        worker.tmp.notify()


def stacks() -> str:
    """Return the stacks of all threads of this process, as text for the log."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"Thread {names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame)).rstrip()}"
        for ident, frame in sys._current_frames().items()
    )
