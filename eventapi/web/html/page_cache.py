"""Rendered pages and drawn files that a process keeps.

Each process has its own, and makes each of them once.
"""

import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from copy import copy
from threading import Lock
from weakref import WeakValueDictionary

from bottle import request

from eventapi.errors import Problem
from eventapi.web.pages import Page

# bytes that an entry takes beside its page: its key, its headers, and Python's objects
COST = 2_000
LONGEST_WAIT = 20  # seconds for which a thread waits for another one; the watchdog allows 30
RETRY_AFTER = 5  # seconds
REFUSED_FOR = 60  # seconds for which a file whose drawing has raised a Problem is not drawn again


class PageCache:
    """Pages, and texts for them, by what they depend on; the least used go beyond a number of
    bytes.

    Threads that ask for the same page at once wait for the first of them, which makes it: to make
    it as well would take longer, since they would share the processor. If it fails, the next one
    makes the page.

    Attributes:
        bytes: what all pages take, with COST for each.
    """

    def __init__(self, most: int):
        """`most` is the largest number of bytes that are kept."""
        self.pages = OrderedDict()
        self.sizes = {}  # key -> bytes of its page
        self.bytes = 0
        self.most = most
        self.lock = Lock()  # of all attributes
        # key -> lock of the threads that make its page, while there are any
        self.makers = WeakValueDictionary()

    def find(self, key: Hashable) -> Page | str | None:
        """Return the page or text with this key, or None if it is not kept."""
        with self.lock:
            if key in self.pages:
                self.pages.move_to_end(key)
            return self.pages.get(key)

    def get(self, key: Hashable, make: Callable[[], Page | str]) -> Page | str:
        """Return the page or text with this key. `make()` renders it if it is not kept.

        Everything that `make` reads must be as new as the key, or newer. Raise 503 `unavailable` if
        another thread makes the page for longer than LONGEST_WAIT.
        """
        page = self.find(key)
        if page is None:
            with self.turn(key):
                page = self.find(key)  # another thread may have made it meanwhile
                if page is None:
                    page = make()
                    self.keep(key, page)
        return page

    def keep(self, key: Hashable, page: Page | str) -> None:
        """Keep a page that is not kept, unless it alone is larger than all may be."""
        size = size_of(page)
        if size > self.most:
            return
        with self.lock:
            self.pages[key] = page
            self.sizes[key] = size  # what a text takes may grow while it is kept
            self.bytes += size
            while self.bytes > self.most:
                oldest, _ = self.pages.popitem(last=False)
                self.bytes -= self.sizes.pop(oldest)

    @contextmanager
    def turn(self, key: Hashable) -> Iterator[None]:
        """Let one thread at a time make the page with this key."""
        with self.lock:
            maker = self.makers.setdefault(key, Lock())
        if not maker.acquire(timeout=LONGEST_WAIT):
            raise busy()
        try:
            yield
        finally:
            maker.release()


class FileCache(PageCache):
    """Files whose drawing takes long.

    A process draws one file at a time, so that it keeps time for everything else.

    Drawing one file and waiting for it takes at most half of the threads of the process. Further
    threads get 503 at once, so that the other half serves pages, forms and /healthz, whatever is
    asked for.

    A Problem of a drawing is the answer for REFUSED_FOR seconds: otherwise each request would draw
    the file again, and all other files would wait for that.

    Attributes:
        waiting: number of threads that wait for the drawing of another one.
        problems: key -> (when it ends on the monotonic clock, Problem of the drawing).
    """

    def __init__(self, most: int):
        """`most` is the largest number of bytes that are kept."""
        super().__init__(most)
        self.drawing = Lock()
        self.waiting = 0
        self.problems = {}

    def get(self, key: Hashable, make: Callable[[], Page | str]) -> Page | str:
        """Return the file with this key.

        `make()` draws it if it is not kept, unless it has just raised a Problem.
        """
        self._refuse(key)
        return super().get(key, lambda: self._draw(key, make))

    def _draw(self, key, make):
        self._refuse(key)  # another thread may have tried meanwhile
        try:
            return make()
        except Problem as problem:
            now = time.monotonic()
            with self.lock:
                self.problems = {
                    other: found for other, found in self.problems.items() if found[0] > now
                }
                self.problems[key] = (
                    now + REFUSED_FOR,
                    copy(problem),  # without the frames of its traceback
                )
            raise

    def _refuse(self, key):
        """Raise the Problem of the last drawing with this key, for REFUSED_FOR seconds."""
        with self.lock:
            until, problem = self.problems.get(key, (0, None))
        if problem and time.monotonic() < until:
            raise copy(problem)

    @contextmanager
    def turn(self, key: Hashable) -> Iterator[None]:
        """Let one thread at a time draw, whatever the key is.

        Raise 503 `unavailable` if too many wait already.
        """
        if not self.drawing.acquire(blocking=False):
            self._wait()
        try:
            yield
        finally:
            self.drawing.release()

    def _wait(self):
        """Acquire the lock of the thread that draws.

        Raise 503 if too many wait for it, or after LONGEST_WAIT.
        """
        most = request.environ["eventapi.config"].threads // 2 - 1
        with self.lock:
            if self.waiting >= most:
                raise busy()
            self.waiting += 1
        try:
            is_free = self.drawing.acquire(timeout=LONGEST_WAIT)
        finally:
            with self.lock:
                self.waiting -= 1
        if not is_free:
            raise busy()


def size_of(page: Page | str) -> int:
    """Return the bytes that an entry takes.

    One emoji in a text lets each of its letters take four bytes.
    """
    own = sys.getsizeof(page) if isinstance(page, str) else len(page)
    return own + COST


def busy() -> Problem:
    """Return the problem of a page or file that the process cannot make now."""
    return Problem(
        "unavailable",
        f"The server draws as many files as it can. Retry in {RETRY_AFTER} seconds.",
        headers={"Retry-After": str(RETRY_AFTER)},
    )
