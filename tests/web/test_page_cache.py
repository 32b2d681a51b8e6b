"""Pages and files that a process keeps: made once, within a number of bytes, and by at most half of
the threads.
"""

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from bottle import request

from eventapi.errors import Problem
from eventapi.web.html import page_cache
from eventapi.web.html.page_cache import FileCache, PageCache

LIMIT = 10  # seconds for which a test waits at most


class Work:
    """Something to make, which takes until it may end.

    Attributes:
        made: the names that were made, in their order.
        running: number of threads that make something now; `most` is the largest number so far.
    """

    def __init__(self):
        self.made = []
        self.running = self.most = 0
        self.begun = threading.Event()
        self.may_end = threading.Event()

    def maker(self, name, error=None):
        """Return a function that makes `name`, or raises `error`."""

        def make():
            self.running += 1
            self.most = max(self.most, self.running)
            self.made.append(name)
            self.begun.set()
            try:
                assert self.may_end.wait(LIMIT)
                if error:
                    raise error
                return name
            finally:
                self.running -= 1

        return make


@contextmanager
def threads(number):
    """Yield a function that calls another one in a thread, as in a process with so many threads."""

    def call(function, *arguments):
        request.bind({"eventapi.config": SimpleNamespace(threads=number)})
        return function(*arguments)

    with ThreadPoolExecutor(64) as pool:
        yield lambda *call_with: pool.submit(call, *call_with)


def until(is_true):
    """Wait until `is_true()`."""
    end = time.monotonic() + LIMIT
    while not is_true():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.002)


def refusal(call):
    """Return the problem with which a call ends."""
    with pytest.raises(Problem) as found:
        call.result(LIMIT)
    return found.value


@pytest.mark.parametrize("make_keeper", [PageCache, FileCache])
def test_forty_threads_that_ask_at_once_get_what_one_of_them_makes(make_keeper):
    keeper, work, asking = make_keeper(100_000), Work(), []

    def ask():
        asking.append(True)
        return keeper.get("page", work.maker("page"))

    with threads(82) as call:
        calls = [call(ask) for _ in range(40)]
        until(lambda: len(asking) == 40)
        time.sleep(0.05)  # all are in `get` now
        work.may_end.set()
        assert [each.result(LIMIT) for each in calls] == ["page"] * 40
    assert (work.made, keeper.get("page", work.maker("again"))) == (["page"], "page")


@pytest.mark.parametrize(("make_keeper", "most"), [(PageCache, 6), (FileCache, 1)])
def test_pages_are_made_side_by_side_and_files_one_after_the_other(make_keeper, most):
    keeper, work = make_keeper(100_000), Work()
    with threads(82) as call:
        calls = [call(keeper.get, number, work.maker(str(number))) for number in range(6)]
        until(lambda: work.running + getattr(keeper, "waiting", 0) == 6)
        work.may_end.set()
        assert [each.result(LIMIT) for each in calls] == list("012345")
    assert (work.most, sorted(work.made)) == (most, list("012345"))


@pytest.mark.parametrize(("number", "waiting"), [(2, 0), (3, 0), (4, 1), (8, 3), (9, 3), (64, 31)])
def test_drawing_and_waiting_takes_at_most_half_of_the_threads(number, waiting):
    """The others are refused at once, whether they ask for the same file or for another one."""
    keeper, work = FileCache(100_000), Work()
    with threads(number) as call:
        calls = [call(keeper.get, "first", work.maker("first"))]
        work.begun.wait(LIMIT)
        calls += [
            call(keeper.get, f"file {place % 2}", work.maker(f"file {place % 2}"))
            for place in range(waiting)
        ]
        until(lambda: keeper.waiting == waiting)
        assert len(calls) <= max(1, number // 2)
        for name in ("first", "another"):
            problem = refusal(call(keeper.get, name, work.maker(name)))
            assert (problem.status, problem.code, problem.headers) == (
                503,
                "unavailable",
                {"Retry-After": "5"},
            )
        work.may_end.set()
        assert [each.result(LIMIT)[:4] for each in calls] == ["firs", *["file"] * waiting]
        assert call(keeper.get, "another", work.maker("another")).result(LIMIT) == "another"
    assert keeper.waiting == 0 and len(work.made) == len(set(work.made)), "each is made once"


@pytest.mark.parametrize("make_keeper", [PageCache, FileCache])
@pytest.mark.parametrize("error", [ValueError("no font"), MemoryError(), SystemExit(1)])
def test_nothing_is_kept_of_a_failure_and_the_next_thread_makes_the_page(make_keeper, error):
    keeper, bad, good = make_keeper(100_000), Work(), Work()
    with threads(8) as call:
        failing = call(keeper.get, "page", bad.maker("bad", error))
        bad.begun.wait(LIMIT)
        waiting = call(keeper.get, "page", good.maker("good"))
        good.may_end.set()
        assert not good.begun.is_set() and keeper.bytes == 0
        bad.may_end.set()
        with pytest.raises(type(error)):
            failing.result(LIMIT)
        assert waiting.result(LIMIT) == "good"
    assert (keeper.find("page"), bad.made, good.made) == ("good", ["bad"], ["good"])


def test_a_page_that_is_refused_is_tried_again_at_once():
    keeper = PageCache(100_000)

    def refuse():
        raise Problem("not_found", "It is gone.")

    with pytest.raises(Problem):
        keeper.get("page", refuse)
    assert keeper.get("page", lambda: "page") == "page"


def test_a_file_that_cannot_be_drawn_is_drawn_once_a_minute(monkeypatch):
    """Also for the threads that waited for it, and no other file waits for it."""
    at, made, keeper, work = [1_000.0], [], FileCache(100_000), Work()
    monkeypatch.setattr(page_cache, "time", SimpleNamespace(monotonic=lambda: at[0]))

    def refuse():
        made.append(at[0])
        raise Problem(
            "not_installed", "No font has it.", headers={"X-Why": "font"}, package="fonts"
        )

    with threads(8) as call:
        first = call(
            keeper.get, "file", work.maker("file", Problem("not_installed", "No font has it."))
        )
        work.begun.wait(LIMIT)
        others = [call(keeper.get, "file", refuse) for _ in range(3)]
        until(lambda: keeper.waiting == 3)
        work.may_end.set()
        assert {refusal(each).detail for each in (first, *others)} == {"No font has it."}
    assert (work.made, made) == (["file"], [])
    for at[0] in (1_059.9, 1_060.1, 1_061.0, 1_120.0, 1_120.2):
        with pytest.raises(Problem) as found:
            keeper.get("file", refuse)
    problem = found.value
    assert (problem.status, problem.headers, problem.members) == (
        501,
        {"X-Why": "font"},
        {"package": "fonts"},
    )
    assert made == [1_060.1, 1_120.2]
    assert keeper.get("other", lambda: "other") == "other"
    assert list(keeper.pages) == ["other"]


def test_files_that_cannot_be_drawn_are_forgotten_after_a_minute(monkeypatch):
    at, keeper = [1_000.0], FileCache(100_000)
    monkeypatch.setattr(page_cache, "time", SimpleNamespace(monotonic=lambda: at[0]))

    def refuse():
        raise Problem("not_installed", "No font has it.")

    for number in range(200):
        at[0] += 1
        with pytest.raises(Problem):
            keeper.get(number, refuse)
    assert len(keeper.problems) <= 60


@pytest.mark.parametrize("make_keeper", [PageCache, FileCache])
def test_a_thread_that_waits_too_long_is_refused_and_leaves_its_place(make_keeper, monkeypatch):
    monkeypatch.setattr(page_cache, "LONGEST_WAIT", 0.05)
    keeper, work = make_keeper(100_000), Work()
    with threads(4) as call:
        first = call(keeper.get, "page", work.maker("page"))
        work.begun.wait(LIMIT)
        assert refusal(call(keeper.get, "page", work.maker("page"))).code == "unavailable"
        assert refusal(call(keeper.get, "page", work.maker("page"))).code == "unavailable"
        work.may_end.set()
        assert first.result(LIMIT) == "page"
    assert work.made == ["page"] and getattr(keeper, "waiting", 0) == 0


def test_no_more_bytes_are_kept_than_allowed_and_what_was_used_last_stays():
    keeper = PageCache(10 * (1_000 + page_cache.COST))
    for number in range(40):
        keeper.get(number, lambda: b"x" * 1_000)
        keeper.get(0, lambda: pytest.fail("page 0 is used all the time"))
        assert keeper.bytes == len(keeper.pages) * (1_000 + page_cache.COST) <= keeper.most
    assert sorted(keeper.pages) == [0, *range(31, 40)]


@pytest.mark.parametrize(("letter", "width"), [("x", 1), ("ő", 2), ("\U0001f339", 4)])
def test_a_text_counts_with_the_bytes_that_its_letters_take_in_memory(letter, width):
    """Python stores all letters of a text as wide as the widest of them."""
    keeper = PageCache(1_000_000)
    keeper.get("text", lambda: letter + "x" * 19_999)
    assert 20_000 * width <= keeper.bytes - page_cache.COST <= 20_000 * width + 100
    for number in range(1_000):
        keeper.get(number, lambda: letter + "x" * 19_999)
    assert len(keeper.pages) == 1_000_000 // (20_000 * width + page_cache.COST)
    for number in range(1_000):
        keeper.get(f"small {number}", lambda: b"x")
    assert keeper.bytes == len(keeper.pages) * (1 + page_cache.COST), (
        "what is driven out is counted alike"
    )


def test_small_pages_count_with_what_they_take_beside_their_text():
    keeper = PageCache(100_000)
    for number in range(1_000):
        keeper.get(number, lambda: "x")
    assert len(keeper.pages) <= 50


def test_a_page_that_is_larger_than_all_may_be_drives_out_no_other():
    keeper = PageCache(10_000)
    keeper.get("small", lambda: "x")
    assert keeper.get("large", lambda: "x" * 10_000) == "x" * 10_000
    assert list(keeper.pages) == ["small"]


def test_no_lock_stays_behind_for_a_page_that_nobody_makes():
    """Addresses that do not exist are made up without end."""
    keeper = PageCache(100_000)

    def lost():
        raise LookupError("there is no such page")

    for number in range(100):
        with pytest.raises(LookupError):
            keeper.get(number, lost)
    gc.collect()
    assert (len(keeper.makers), keeper.pages, keeper.bytes) == (0, {}, 0)
