"""The threads of a server process without its connections: events come from a queue."""

import logging
import threading
from queue import SimpleQueue

import pytest

from eventapi.server.threads import Threads


class Events:
    """Events for Threads: `put` adds one, which is a function that the leader calls.

    `waiting` counts who waits.
    """

    def __init__(self):
        self.queue, self.waiting, self.most, self.lock = SimpleQueue(), 0, 0, threading.Lock()
        self.put = self.queue.put

    def wait(self):
        with self.lock:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        try:
            return self.queue.get()
        finally:
            with self.lock:
                self.waiting -= 1

    def handled(self):
        """Wait until an event that is put now was handled."""
        done = threading.Event()
        self.put(done.set)
        assert done.wait(20)


@pytest.fixture
def events():
    return Events()


@pytest.fixture
def threads(events):
    threads = Threads(events.wait, lambda event: event(), logging.getLogger("tests"))
    threads.start(3)
    events.handled()
    yield threads
    threads.finish()
    events.put(lambda: None)
    threads.join(20)


def test_a_leader_that_waits_for_events_is_not_replaced(threads, events):
    """Otherwise the first one would go on waiting, and not be free for tasks."""
    for _ in range(10):
        threads.replace_stuck_leader()
        events.handled()
    assert events.most == 1


def test_a_leader_that_is_stuck_is_replaced_and_then_free_for_tasks(threads, events):
    go_on, done = threading.Event(), threading.Event()
    events.put(lambda: go_on.wait(20))
    while events.waiting:
        pass
    threads.replace_stuck_leader()
    events.handled()
    go_on.set()
    threads.submit(done.set)
    assert done.wait(20) and events.most == 1
