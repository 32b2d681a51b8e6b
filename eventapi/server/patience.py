"""Waiting for one client: until when, and whether the thread may.

A thread that waits for a client serves nobody else, so at most half of the threads of a process do (web/uploads.py
counts the places). Waiting for a body needs a place from the start. A reader of a response gets a moment without one. A
proxy takes even a long response soon, whoever it is for, and may be busy for some seconds, so it is given more time.
"""

import select
import threading
import time
from collections.abc import Callable
from threading import BoundedSemaphore

from eventapi.server.watchdog import Watchdog

CLIENT_TIMEOUT = 30  # seconds for a request head, and again for a body and a response,
MIN_RATE = 16 * 1024  # which get one more second for each so many bytes
BRIEF = 0.1  # seconds of waiting without a place for the reader of a response,
FAST_RATE = 32 * 1024**2  # which get one more second for each so many bytes
PROXY_BRIEF = 10  # the same for a proxy: behind it are many clients
PROXY_RATE = 1024**2


class Patience:
    """The waiting for the client of one connection. Only the thread that owns the connection uses it.

    The plugins see it as a semaphore: `acquire` and `release` take and return the one place of the connection.

    Attributes:
        deadline: when the client is too slow (time.monotonic()); 0 if the thread must not wait.
    """

    def __init__(
        self,
        fd: int,
        places: BoundedSemaphore,
        before_waiting: Callable[[], None],
        watchdog: Watchdog,
        is_proxy: bool,
    ):
        """`before_waiting` is called before the calling thread waits for the client."""
        self._fd, self._places, self._before_waiting, self._watchdog = (
            fd,
            places,
            before_waiting,
            watchdog,
        )
        self.deadline, self._brief, self._has_place = 0.0, 0.0, False
        self._allowed, self._rate = (PROXY_BRIEF, PROXY_RATE) if is_proxy else (BRIEF, FAST_RATE)

    def begin(self) -> None:
        """Start the time of a body or of a response."""
        self.deadline, self._brief = time.monotonic() + CLIENT_TIMEOUT, self._allowed

    def extend(self, size: int) -> None:
        """Allow more time, since so many bytes were received or sent."""
        self.deadline += size / MIN_RATE
        self._brief += size / self._rate
        self._watchdog.progress += 1

    def end(self) -> None:
        """Return the place after a request."""
        self._watchdog.progress += 1
        if self._has_place:
            self.release()

    def wait(self, event: int) -> None:
        """Wait for the client: for select.POLLIN or POLLOUT.

        Raise TimeoutError after the deadline, and if the wait is not brief and no place is free.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the client is too slow")
        self._before_waiting()
        me = threading.get_ident()
        self._watchdog.waiting.add(me)
        try:
            self._wait(event, left)
        finally:
            self._watchdog.waiting.discard(me)

    def _wait(self, event, left):
        start, poll = time.monotonic(), select.poll()
        poll.register(self._fd, event)
        if not self._has_place:
            if poll.poll(min(self._brief, left) * 1000):
                self._brief = max(0.0, self._brief - (time.monotonic() - start))
                return
            self._brief = 0.0
            if not self.acquire():
                raise TimeoutError(
                    "the client is slow, and as many threads as possible wait for others"
                )
        if not poll.poll(max(0.0, self.deadline - time.monotonic()) * 1000):
            raise TimeoutError("the client is too slow")

    def acquire(self, blocking: bool = False) -> bool:
        """Take a place, unless the connection has one. Return False if none is free. `blocking` must be False."""
        self._has_place = self._has_place or self._places.acquire(blocking=blocking)
        return self._has_place

    def release(self) -> None:
        """Return the place."""
        self._has_place = False
        self._places.release()
