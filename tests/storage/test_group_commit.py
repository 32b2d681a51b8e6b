"""Group commit: writes that share a transaction, when each returns, and what a failed commit
undoes.
"""

import fcntl
import os
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from threading import Event, Thread

import pytest
import webtest

from eventapi import config as configuration
from eventapi import journal
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage import database, schema
from eventapi.storage.errors import Busy, StorageError
from eventapi.storage.group_commit import Writer
from eventapi.storage.write_lock import MAX_HANDOVERS, write_lock
from tests.support import processes
from tests.support.client import SCOPES, add_key


@pytest.fixture
def writer(settings):
    with closing(Writer(settings)) as writer:
        writer.connection.execute("PRAGMA busy_timeout = 100")
        yield writer


def add(db, number):
    journal.administered(db, entities.TENANT, "counted", number)


def numbers(db):
    assert journal.verify(db) == []
    return [
        number
        for (number,) in db.connection.execute(
            "SELECT entity_id FROM audit_log WHERE action = 'counted' ORDER BY id"
        )
    ]


def count(db):
    return db.count("SELECT count(*) FROM audit_log WHERE action = 'counted'", {})


class Write(Thread):
    """A thread that writes a number, calls `inside` in its transaction, and keeps the error, if
    any.
    """

    def __init__(self, db, number, inside=None, **options):
        super().__init__(daemon=True)
        self.db, self.number, self.inside, self.options = db, number, inside, options
        self.entered, self.error = Event(), None
        self.start()

    def run(self):
        try:
            with self.db.write(**self.options):
                self.entered.set()
                add(self.db, self.number)
                if self.inside:
                    self.inside()
        except BaseException as error:
            self.error = error

    def outcome(self):
        self.join(10)
        assert not self.is_alive(), f"the write of {self.number} hangs"
        return self.error


def waiting(lock, number):
    processes.until(lambda: len(lock.waiting) == number)


def together(writer, *inside):
    """Run writes 1, 2 … in one transaction, each with its own function inside.

    Return their errors, None for success.
    """
    threads, lock = [], writer.write_lock
    lock.acquire()
    for number, act in enumerate(inside, 1):
        threads.append(Write(writer, number, act))
        waiting(lock, number)
    lock.release()
    return [thread.outcome() for thread in threads]


def raising(error):
    def act():
        raise error

    return act


def transactions(writer):
    """Return a list that collects the BEGIN, COMMIT and ROLLBACK statements from now on."""
    said = []
    writer.connection.set_trace_callback(
        lambda text: (
            said.append(text.split()[0]) if text[:5] in ("BEGIN", "COMMI", "ROLLB") else None
        )
    )
    return said


def test_writes_that_wait_together_share_a_commit(writer, db):
    said = transactions(writer)
    assert together(writer, None, None, None) == [None, None, None]
    assert sorted(numbers(db)) == [1, 2, 3]
    assert said == ["BEGIN", "COMMIT"]


def test_no_write_returns_before_the_commit(writer, db):
    def look():
        time.sleep(0.05)
        seen.append((first.is_alive(), numbers(db)))

    seen, go = [], Event()
    first = Write(writer, 1, lambda: go.wait(10))
    first.entered.wait(10)
    second = Write(writer, 2, look)
    waiting(writer.write_lock, 1)
    go.set()
    assert [first.outcome(), second.outcome()] == [None, None]
    assert seen == [(True, [])]
    assert numbers(db) == [1, 2]


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_refusal_undoes_no_other_write(writer, db, failing):
    refusal = Problem("in_use", "No.")
    outcomes = together(
        writer, *[raising(refusal) if number == failing else None for number in (1, 2, 3)]
    )
    assert outcomes.count(refusal) == 1
    assert sorted(numbers(db)) == [number for number in (1, 2, 3) if number != failing]


def test_all_writes_fail_when_sqlite_rolls_the_transaction_back(writer, db):
    """As on a full disk.

    The other writes get an error of the database, not the refusal of one of them.
    """

    def give_up(error=None):
        def act():
            if writer.transaction and len(numbers(writer)) == 2:
                writer.connection.execute("ROLLBACK")
                if error:
                    raise error

        return act

    for error in (Problem("in_use", "Refused."), None):  # None: the handler ignores the error
        outcomes = together(writer, give_up(error), give_up(error))
        assert [isinstance(outcome, StorageError) for outcome in outcomes] == [True, True]
        assert numbers(db) == []
    assert together(writer, None, None) == [None, None]
    assert sorted(numbers(db)) == [1, 2]


def test_a_refusal_is_raised_after_the_commit_of_the_writes_that_it_depends_on(writer, db):
    """Its reason may be what they have written: it must be stored by then, and if it is not, there
    is no reason.
    """

    def refuse():
        raise Problem("in_use", f"The first is stored: {1 in numbers(writer)}.")

    def add_third():
        time.sleep(0.05)
        seen.append(second.is_alive())

    for word, expected in (
        (None, [None, "The first is stored: True.", None]),
        ("COMMIT", ["StorageError"] * 3),
    ):
        seen, go = [], Event()
        first = Write(writer, 1, lambda go=go: go.wait(10))
        assert first.entered.wait(10)
        second = Write(writer, 2, refuse)
        waiting(writer.write_lock, 1)
        third = Write(writer, 3, add_third)
        waiting(writer.write_lock, 2)
        writer.connection = FailingConnection(writer.connection, word)
        go.set()
        outcomes = [write.outcome() for write in (first, second, third)]
        assert [
            getattr(error, "detail", None) or (error and type(error).__name__) for error in outcomes
        ] == expected
        assert seen == [True] and numbers(db) == [1, 3]


class FailingConnection:
    """A connection on which one statement fails once."""

    def __init__(self, connection, word):
        self.connection, self.word = connection, word

    def execute(self, text, *values):
        if text == self.word:
            self.word = None
            raise database.Error("disk I/O error")
        return self.connection.execute(text, *values)

    def __getattr__(self, name):
        return getattr(self.connection, name)


@pytest.mark.parametrize("word", ["COMMIT", "ROLLBACK TO one"])
def test_all_writes_fail_with_a_failed_commit_or_rollback(writer, db, word):
    counts = []

    def act():
        """Refuse the write that runs second, whichever it is: only that one rolls back to a
        savepoint.
        """
        counts.append(count(writer))
        if len(counts) == 2 and "TO" in word:
            raise Problem("in_use", "No.")

    writer.connection = FailingConnection(writer.connection, word)
    outcomes = together(writer, act, act)
    assert [type(outcome) for outcome in outcomes] == [StorageError, StorageError]
    assert counts == [1, 2] and numbers(db) == []
    with writer.write():
        assert count(writer) == 0, "nothing is remembered of the transaction"
        add(writer, 9)
    assert numbers(db) == [9]


def test_a_transaction_ends_after_max_handovers(writer, db):
    seen = []
    outcomes = together(writer, *[lambda: seen.append(len(numbers(db)))] * (MAX_HANDOVERS + 1))
    assert outcomes == [None] * (MAX_HANDOVERS + 1)
    assert sorted(set(seen)) in ([0, MAX_HANDOVERS], [0, MAX_HANDOVERS - 1]), seen
    assert not writer.write_lock.has_file_lock


class GivingUp(deque):
    """Reports a waiting thread that gives up before the caller uses the report."""

    meanwhile = None

    def __len__(self):
        there, act = super().__len__(), self.meanwhile
        if there and act:
            self.meanwhile = None
            act()
        return there


def test_file_lock_is_released_when_the_next_writer_times_out(writer, settings):
    lock = writer.write_lock
    lock.waiting = GivingUp()
    go = Event()
    first = Write(writer, 1, lambda: go.wait(10))
    first.entered.wait(10)
    second = Write(writer, 2, wait=0.1)
    processes.until(lambda: deque.__len__(lock.waiting))
    lock.waiting.meanwhile = second.outcome
    go.set()
    assert first.outcome() is None
    assert isinstance(second.error, Busy)
    assert not lock.has_file_lock
    with closing(os.fdopen(os.open(lock.path, os.O_RDWR))) as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_another_connection_commits_the_open_transaction_first(writer, db):
    go = Event()
    first = Write(writer, 1, lambda: go.wait(10))
    first.entered.wait(10)
    second = Write(db, 2, lambda: seen.append((first.outcome(), numbers(db))))
    seen = []
    waiting(writer.write_lock, 1)
    go.set()
    assert second.outcome() is None
    assert seen == [(None, [1, 2])]


def test_a_write_without_waiting_fails_at_once(writer, db):
    go = Event()
    first = Write(writer, 1, lambda: go.wait(10))
    first.entered.wait(10)
    for _ in range(3):
        with pytest.raises(Busy), db.write(wait=0):
            pass
    go.set()
    assert first.outcome() is None
    assert numbers(db) == [1]


def test_a_process_with_the_file_lock_keeps_others_out(writer, db):
    with open(writer.write_lock.path, "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(Busy), db.write(wait=0):
            pass
        first = Write(writer, 1)
        processes.until(lambda: writer.write_lock.thread_lock.locked())
        fcntl.flock(other, fcntl.LOCK_UN)
        assert first.outcome() is None
    assert numbers(db) == [1]


def test_a_program_without_the_write_lock_makes_writes_busy(writer, settings, db):
    with closing(database.connect(settings.database)) as outside:
        outside.execute("BEGIN IMMEDIATE")
        outcomes = together(writer, None, None)
        assert [type(outcome) for outcome in outcomes] == [Busy, Busy]
        assert writer.transaction is None and not writer.write_lock.has_file_lock
    assert together(writer, None) == [None]
    assert numbers(db) == [1]


def test_timeout_is_short_while_the_lock_is_congested(writer, settings):
    with closing(database.connect(settings.database)) as outside:
        outside.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError), writer.write():
            add(writer, 1)
        with writer.write_lock.thread_lock:  # another thread has the lock
            start = time.monotonic()
            with pytest.raises(Busy), writer.write():
                add(writer, 2)
            assert time.monotonic() - start < 5  # not ten seconds as usual
        outside.execute("ROLLBACK")
    with writer.write():
        add(writer, 3)
    assert writer.write_lock.congested is False and numbers(writer) == [3]


def test_a_closed_writer_does_not_affect_the_next_one(writer, settings, db):
    earlier = Writer(settings)
    later = Writer(settings)
    earlier.close()
    del earlier
    assert Write(later, 1).outcome() is None
    later.close()
    assert numbers(db) == [1]


def test_equal_requests_in_one_transaction_get_one_response(app, settings, db):
    key, lock = add_key(db, SCOPES), write_lock(settings.database)
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "once"}

    def post(_):
        return webtest.TestApp(app.app).post_json(
            "/api/v1/contacts", {"company_name": "Muster AG"}, headers=headers
        )

    # notes the use of the key
    app.get("/api/v1/contacts", headers={"Authorization": f"Bearer {key}"})
    lock.acquire()
    with ThreadPoolExecutor(3) as pool:
        answers = [pool.submit(post, number) for number in range(3)]
        waiting(lock, 3)
        lock.release()
        answers = [answer.result(10) for answer in answers]
    assert len({answer.json["data"]["id"] for answer in answers}) == 1
    assert sorted(answer.headers.get("Idempotency-Replayed", "") for answer in answers) == [
        "",
        "true",
        "true",
    ]
    assert db.connection.execute("SELECT count(*) FROM contacts").fetchone() == (1,)
    assert journal.verify(db) == []


THREADS, WRITES = 8, 60


def write_many(folder, process, ready):
    """Run valid, refused, failing and short-waiting writes in several threads.

    Return (acknowledged, refused).
    """
    config = configuration.load(
        environ={"EVENTAPI_DATA_DIR": folder, "EVENTAPI_CONFIG": f"{folder}/eventapi.conf"}
    )
    ready.wait(30)
    kept, refused, shared = [], [], Writer(config)

    def work(thread):
        own = database.Database(config)
        for turn in range(WRITES):
            number = (process * THREADS + thread) * WRITES + turn + 1
            db, wait = (own, 0) if turn % 7 == 3 else (shared, 0.002 if turn % 5 == 2 else 10)
            try:
                with db.write(wait=wait):
                    add(db, number)
                    if turn % 6 == 1:
                        raise Problem("in_use", "No.")
                    if turn % 11 == 4:
                        db.connection.execute("INSERT INTO nowhere VALUES (1)")
                kept.append(number)
            except (Problem, StorageError, database.Error):
                refused.append(number)
        own.close()

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    shared.close()
    return kept, refused


@pytest.mark.processes
def test_two_processes_with_many_threads_lose_and_duplicate_no_write(settings, db):
    spawn = get_context("spawn")
    with spawn.Manager() as manager, spawn.Pool(2) as pool:
        ready = manager.Event()
        runs = [
            pool.apply_async(write_many, (str(settings.data_dir), process, ready))
            for process in range(2)
        ]
        ready.set()
        results = [run.get(120) for run in runs]
    kept = [number for result in results for number in result[0]]
    refused = [number for result in results for number in result[1]]
    assert len(kept) + len(refused) == 2 * THREADS * WRITES
    assert len(kept) > THREADS * WRITES and len(refused) > THREADS * WRITES / 4
    assert sorted(numbers(db)) == sorted(kept)
    assert schema.integrity_faults(db.connection) == []
