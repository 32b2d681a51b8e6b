"""The threads of a server process, and which of them is the leader.

The leader waits for events and handles them itself. A request that is handled by the thread that received it costs
less than one that is passed to another thread, and threads that do not run do not compete for the interpreter lock.

Invariants:

1. There is at most one leader. A thread that stops being the leader schedules the task that makes another one, before
   all other tasks.
2. The leader runs no task that may wait, such as a write (`run_aside`). So there is a leader for reads even while all
   other threads wait for the write lock.
3. Before a leader waits for a client, it steps down. `replace_stuck_leader` does it for a leader whose event takes
   longer than SLOW_EVENT.
4. Only the leader waits for events. A thread that waited for them without being the leader would be missing for tasks,
   so `replace_stuck_leader` leaves a leader alone that waits, also if an event has just arrived for it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

from gunicorn.glogging import Logger

SLOW_EVENT = 0.05  # seconds; most reads are faster, and threads side by side compete for the interpreter lock
Events = list[tuple[int, int]]  # what epoll returns


class Threads:
    """A fixed number of threads that run tasks; one task is to lead.

    Attributes:
        handled: number of events that leaders have handled.
    """

    def __init__(self, wait: Callable[[], Events], handle: Callable[[Events], None], log: Logger):
        """The leader calls `wait`, which returns events, and `handle` with them, again and again."""
        self._wait, self._handle, self._log = wait, handle, log
        self._tasks, self._scheduled = (
            deque(),
            SimpleQueue(),
        )  # tasks that wait, and an item for each of them
        self._leaders, self._threads = {}, []
        self._waits, self._leading = False, threading.Lock()  # whether the leader waits for events
        self.handled, self._stopping = 0, False
        self._unfinished, self._counting = (
            0,
            threading.Lock(),
        )  # tasks: those that wait, and those that run

    def start(self, number: int) -> None:
        """Start so many threads; the first of them becomes the leader."""
        self._threads = [
            threading.Thread(target=self._work, name=f"server {n}", daemon=True)
            for n in range(number)
        ]
        for thread in self._threads:
            thread.start()
        self._make_leader()

    def submit(self, task: Callable[[], None]) -> None:
        """Run `task` in the next free thread."""
        self._schedule(task, self._tasks.append)

    def _make_leader(self):
        self._schedule(self._lead, self._tasks.appendleft)

    def _schedule(self, task, put):
        with self._counting:
            self._unfinished += 1
        put(task)
        self._scheduled.put(None)

    def run_aside(self, task: Callable[[], None]) -> None:
        """Run a task that may wait in a thread that is not the leader.

        That is the calling thread: if it is the leader, another thread becomes it. If none is free, the calling thread
        stays the leader, and the task waits for a free thread.
        """
        if threading.get_ident() in self._leaders and self._unfinished >= len(self._threads):
            self.submit(task)
            return
        self.step_down()
        self._run(task)

    def number_waiting(self) -> int:
        """Return the number of tasks that wait for a free thread."""
        return len(self._tasks)

    def step_down(self, thread: int | None = None) -> None:
        """Make another thread the leader, if `thread` (the calling one by default) is. May be called at any time.

        Two threads may do so for the same leader at the same moment; only one of them finds its entry.
        """
        if self._leaders.pop(thread or threading.get_ident(), None):
            self._make_leader()

    def replace_stuck_leader(self) -> None:
        """Make another thread the leader if the present one handles the same event for longer than SLOW_EVENT."""
        handled = self.handled
        time.sleep(SLOW_EVENT)
        with self._leading:
            if self.handled == handled and not self._waits:
                for thread in list(self._leaders):
                    self.step_down(thread)

    def finish(self) -> None:
        """Stop leading after the present event. `join` ends the threads."""
        self._stopping = True

    def join(self, timeout: float) -> None:
        """End the threads when all tasks are done. Wait at most `timeout` seconds for each."""
        for _ in self._threads:
            self.submit(None)
        for thread in self._threads:
            thread.join(timeout)

    def has_leader(self) -> bool:
        """Return whether a thread is the leader at the moment."""
        return bool(self._leaders)

    def _work(self):
        while True:
            self._scheduled.get()
            task = self._tasks.popleft()
            if task is None:
                return
            self._run(task)
            with self._counting:
                self._unfinished -= 1

    def _run(self, task):
        """Run a task in the calling thread. An error of the task is logged and does not end the thread."""
        try:
            task()
        except Exception:
            self._log.exception("unhandled error in a task of the server")

    def _lead(self):
        me = threading.get_ident()
        self._leaders[me] = True
        while self._begins_to_wait(me):
            try:
                try:
                    events = self._wait()
                finally:
                    self._waits = False
                self._handle(events)
            except Exception:  # without this, the process would have no leader
                self._log.exception("unhandled error in the handling of an event")
            self.handled += 1

    def _begins_to_wait(self, me):
        """Note that the calling thread waits for events. Return False if it is no longer the leader."""
        with self._leading:
            leads = me in self._leaders and not self._stopping
            self._waits = self._waits or leads
            return leads
