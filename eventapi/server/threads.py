"""The threads of a server process, and which of them is the leader.

The leader waits for events and handles them itself. A request that is handled by the thread that received it costs
less than one that is passed to another thread, and threads that do not run do not compete for the interpreter lock.

Invariants:

1. There is at most one leader. A thread that stops being the leader schedules the task that makes another one.
2. Before a leader waits (for a commit, or for a client), it steps down. `replace_stuck_leader` does it for a leader
   whose event takes longer than SLOW_EVENT.
"""
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from gunicorn.glogging import Logger

SLOW_EVENT = 0.005          # seconds


class Threads:
    """A fixed number of threads that run tasks; one task is to lead.

    Attributes:
        handled: number of events that leaders have handled.
    """

    def __init__(self, handle_event: Callable[[], None], log: Logger):
        """`handle_event` waits for one event and handles it; the leader calls it again and again."""
        self._handle_event, self._log = handle_event, log
        self._tasks, self._leaders, self._threads = SimpleQueue(), {}, []
        self.handled, self._stopping = 0, False

    def start(self, number: int) -> None:
        """Start so many threads; the first of them becomes the leader."""
        self._threads = [threading.Thread(target=self._work, name=f"server {n}", daemon=True) for n in range(number)]
        for thread in self._threads:
            thread.start()
        self.submit(self._lead)

    def submit(self, task: Callable[[], None]) -> None:
        """Run `task` in the next free thread."""
        self._tasks.put(task)

    def number_waiting(self) -> int:
        """Return the number of tasks that wait for a free thread."""
        return self._tasks.qsize()

    def step_down(self, thread: int | None = None) -> None:
        """Make another thread the leader, if `thread` (the calling one by default) is. May be called at any time.

        Two threads may do so for the same leader at the same moment; only one of them finds its entry.
        """
        if self._leaders.pop(thread or threading.get_ident(), None):
            self.submit(self._lead)

    def replace_stuck_leader(self) -> None:
        """Make another thread the leader if the present one handles the same event for longer than SLOW_EVENT."""
        handled = self.handled
        time.sleep(SLOW_EVENT)
        if self.handled == handled:
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

    def _work(self):
        while task := self._tasks.get():
            self.run(task)

    def run(self, task: Callable[[], None]) -> None:
        """Run a task in the calling thread. An error of the task is logged and does not end the thread."""
        try:
            task()
        except Exception:
            self._log.exception("unhandled error in a task of the server")

    def _lead(self):
        me = threading.get_ident()
        self._leaders[me] = True
        while me in self._leaders and not self._stopping:
            try:
                self._handle_event()
            except Exception:               # without this, the process would have no leader
                self._log.exception("unhandled error in the handling of an event")
            self.handled += 1
