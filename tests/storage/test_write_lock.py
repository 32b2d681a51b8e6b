"""The write lock by itself: what happens to the file lock, and to a transaction that its holder
left open.
"""

import fcntl
import time
from collections import Counter
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from eventapi.storage.errors import Busy
from eventapi.storage.write_lock import end_late_waits, write_lock
from tests.support.processes import until


@pytest.fixture
def lock(tmp_path):
    return write_lock(tmp_path / "eventapi.db")


def file_lock_is_free(lock):
    with open(lock.path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_database_has_one_lock_in_a_process(lock, tmp_path):
    assert write_lock(tmp_path / "eventapi.db") is lock
    assert write_lock(tmp_path / "other.db") is not lock


def test_release_commits_before_it_releases_the_file_lock(lock):
    seen = []
    lock.acquire()
    lock.release(commit=lambda: seen.append(file_lock_is_free(lock)))
    assert seen == [False] and file_lock_is_free(lock)


@contextmanager
def next_writer(lock, **options):
    """Release the lock that the caller has, while a thread waits for it.

    That thread has it inside of the block.
    """
    acquired, done = Event(), Event()

    def write():
        lock.acquire(**options)
        acquired.set()
        done.wait(10)
        lock.release()

    thread = Thread(target=write)
    thread.start()
    until(lambda: lock.waiting)
    yield acquired
    done.set()
    thread.join(10)


@pytest.mark.parametrize("join", [True, False])
def test_only_a_writer_that_joins_finds_the_transaction_open(lock, join):
    commits = []
    lock.acquire()
    with next_writer(lock, join=join) as acquired:
        lock.release(lambda: commits.append(file_lock_is_free(lock)))
        assert acquired.wait(10)
        assert commits == ([] if join else [False]) and not file_lock_is_free(lock)
    assert file_lock_is_free(lock)


def test_a_transaction_that_was_left_open_is_committed_if_the_thread_gives_up(lock):
    """The thread for which the file lock was kept cannot take the thread lock in time."""
    commits, errors = [], []

    def attempt():
        try:
            lock.acquire(timeout=0.2)
        except Busy as error:
            errors.append(error)

    lock.acquire()
    thread = Thread(target=attempt)
    thread.start()
    until(lambda: lock.waiting)
    taken = lock.thread_lock
    lock.thread_lock = SimpleLock(taken, thread)  # releases it only once the thread has given up
    lock.release(lambda: commits.append(1))
    assert len(errors) == 1 and commits == [1] and file_lock_is_free(lock)


class SimpleLock:
    """A lock whose first release waits for the end of a thread."""

    def __init__(self, lock, thread):
        self.acquire, self._lock, self._thread = lock.acquire, lock, thread

    def release(self):
        self._thread.join(10)
        self._lock.release()


def test_the_lock_is_free_after_a_commit_that_raises(lock):
    def commit():
        raise OSError("disk")

    lock.acquire()
    with pytest.raises(OSError, match="disk"):
        lock.release(commit)
    assert file_lock_is_free(lock) and not lock.thread_lock.locked()
    lock.acquire(timeout=0)
    lock.release()


def test_a_thread_that_does_not_wait_gets_busy_and_changes_nothing(lock):
    lock.acquire()
    errors = []

    def attempt():
        try:
            lock.acquire(timeout=0)
        except Busy as error:
            errors.append(error)

    thread = Thread(target=attempt)
    thread.start()
    thread.join(10)
    assert len(errors) == 1 and not lock.congested and lock.has_file_lock
    lock.release()
    assert file_lock_is_free(lock)


def test_a_wait_for_another_process_ends_after_its_deadline_and_the_lock_works_afterwards(lock):
    outcomes = []

    def attempt():
        try:
            lock.acquire(timeout=0.1)
        except Busy as error:
            outcomes.append(error)

    with open(lock.path, "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        thread = Thread(target=attempt)
        thread.start()
        while thread.is_alive():
            end_late_waits()
            time.sleep(0.01)
        assert len(outcomes) == 1 and lock.congested and not lock.thread_lock.locked()
        with pytest.raises(Busy):
            lock.acquire(timeout=0.1)
    lock.acquire()
    assert not file_lock_is_free(lock)
    lock.release()
    assert file_lock_is_free(lock)


def test_waits_that_end_at_any_moment_never_let_two_in(lock):
    """Threads wait for less time than another holder takes, and the main thread ends their waits
    all the time.
    """
    inside, failures, counts, stop = [], [], Counter(), Event()

    def hold():
        while not stop.is_set():
            with open(lock.path, "w") as other:
                fcntl.flock(other, fcntl.LOCK_EX)
                use("other")
            time.sleep(0.01)

    def use(name):
        inside.append(name)
        time.sleep(0.005)
        if inside != [name]:
            failures.append(list(inside))
        inside.remove(name)
        counts[name] += 1

    def write(name):
        while not stop.is_set():
            try:
                lock.congested = False
                lock.acquire(timeout=0.006)
            except Busy:
                counts["busy"] += 1
                continue
            use(name)
            lock.release()

    threads = [Thread(target=hold), *(Thread(target=write, args=(name,)) for name in "ab")]
    for thread in threads:
        thread.start()
    names, deadline = ("other", "a", "b", "busy"), time.monotonic() + 60
    while min(counts[name] for name in names) < 10 and time.monotonic() < deadline:
        end_late_waits()
        time.sleep(0.001)
    stop.set()
    while any(thread.is_alive() for thread in threads):
        end_late_waits()
    assert failures == [] and min(counts[name] for name in names) >= 10, counts
    assert file_lock_is_free(lock)
