"""The worker: its loop, its heartbeat, housekeeping, and a worker beside a server."""

import os
import signal
import sqlite3
import threading
import time
import types
from datetime import datetime, timedelta, timezone
from functools import partial

import pytest

from eventapi import errors, journal, times
from eventapi.cli import main
from eventapi.domain.halls import booking
from eventapi.domain.imports import job as import_job
from eventapi.domain.imports import runs
from eventapi.domain.records import entities
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import process_locks
from eventapi.storage.database import Database
from eventapi.storage.errors import Busy, Full
from eventapi.worker import AFTER_FAILURE, Worker, bulk_import
from tests.support import processes


def ago(**age):
    return times.text(datetime.now(timezone.utc) - timedelta(**age))


def job(run, every=3600, on_change=False):
    made = types.ModuleType("eventapi.worker.made_for_a_test")
    made.run, made.EVERY, made.ON_CHANGE = run, every, on_change
    return made


@pytest.fixture
def audited(db):
    """Create ten entries in the audit log, five of them from 2001."""
    for number in range(10):
        with db.write():
            if number < 5:
                db.now = "2001-01-01T00:00:00Z"
            journal.administered(db, entities.TENANT, "tested", number)
    return db


def count(db, table):
    return db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_responses_of_idempotency_keys_are_kept_for_24_hours(db, organiser):
    organiser.post(
        "/events", {"title": "Garden Fair"}, headers={"Idempotency-Key": "young"}, status=201
    )
    organiser.post(
        "/events", {"title": "Garden Fair"}, headers={"Idempotency-Key": "old"}, status=201
    )
    db.connection.execute(
        "UPDATE idempotency_keys SET created_at = ? WHERE idempotency_key = 'old'", (ago(hours=25),)
    )
    assert housekeeping.delete_old_idempotency_keys(db) == 1
    assert db.connection.execute("SELECT idempotency_key FROM idempotency_keys").fetchall() == [
        ("young",)
    ]


def test_events_for_the_feed_are_kept_for_30_days(db, organiser):
    for title in ("old", "young"):
        organiser.make("/events", {"title": title})
    db.connection.execute("UPDATE outgoing_events SET created_at = ? WHERE id = 1", (ago(days=31),))
    assert housekeeping.delete_old_events(db) == 1
    assert db.connection.execute("SELECT id FROM outgoing_events").fetchall() == [(2,)]


def test_a_thread_of_a_job_reports_nothing_to_systemd_while_the_worker_hangs(settings):
    """An import or a check for damage would hide for hours that no other job runs."""
    reports, during = [], []

    def run(db, stopping):
        before = len(reports)
        thread = threading.Thread(target=lambda: [stopping() for _ in range(3)])
        thread.start()
        thread.join()  # the worker hangs for so long
        during.append(len(reports) - before)

    worker = Worker(settings, jobs=[job(run)], report=lambda: reports.append(1))
    assert worker.once() == [] and during == [0]
    worker.stopping()
    assert reports


def test_a_batch_is_bounded_and_the_job_processes_all_batches(db, monkeypatch, organiser):
    for _ in range(5):
        organiser.make("/events", {"title": "Garden Fair"})
    db.connection.execute("UPDATE outgoing_events SET created_at = ?", (ago(days=31),))
    monkeypatch.setattr(housekeeping, "BATCH", 2)
    assert housekeeping.delete_old_events(db) == 2
    assert Worker(db.config).once() == []
    assert count(db, "outgoing_events") == 0


@pytest.mark.parametrize(
    "forget, table, columns",
    [
        (housekeeping.delete_old_events, "outgoing_events", "name, entity_type, entity_id, scope"),
        (
            partial(runs.delete_old_rejected_records, size=500),
            "bulk_import_errors",
            "bulk_import_id, record_index, faults, source",
        ),
    ],
)
def test_a_big_table_without_old_rows_is_not_scanned(db, forget, table, columns):
    steps = []
    db.connection.execute("PRAGMA foreign_keys = OFF")
    db.connection.execute(f"""INSERT INTO {table} ({columns},
        created_at) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
                              SELECT {", ".join("i" for _ in columns.split())}, '2999-01-01T00:00:00Z' FROM n""")
    db.connection.set_progress_handler(lambda: steps.append(None), 1000)
    assert forget(db) == 0
    assert len(steps) < 30, f"{len(steps)} thousand steps"


def test_the_audit_log_is_pruned_and_still_verifies(audited):
    assert housekeeping.prune_audit_log(audited) == 5
    assert housekeeping.prune_audit_log(audited) == 0
    assert journal.verify(audited) == []
    assert audited.connection.execute("SELECT min(id), max(id) FROM audit_log").fetchone() == (
        6,
        11,
    )
    assert audited.connection.execute(
        "SELECT action, new_values FROM audit_log WHERE id = 11"
    ).fetchone() == ("pruned", '{"first_id":1,"last_id":5}')
    with audited.write():
        journal.administered(audited, entities.TENANT, "tested", 1)
    assert journal.verify(audited) == []


def test_pruning_in_batches_leaves_one_anchor(audited, monkeypatch):
    monkeypatch.setattr(housekeeping, "BATCH", 2)
    Worker(audited.config).once()
    assert journal.verify(audited) == []
    assert audited.connection.execute("SELECT last_id FROM audit_anchors").fetchall() == [(5,)]


def test_an_audit_log_of_old_entries_only_keeps_its_chain(db):
    with db.write():
        db.now = "2001-01-01T00:00:00Z"
        journal.administered(db, entities.TENANT, "tested", 1)
    assert housekeeping.prune_audit_log(db) == 1
    with db.write():
        journal.administered(db, entities.TENANT, "tested", 2)
    assert journal.verify(db) == []


def test_the_worker_writes_a_heartbeat_but_not_in_every_round(db):
    worker = Worker(db.config, jobs=())
    worker.round(db)
    assert housekeeping.worker_age(db) <= 1
    with db.write():
        db.connection.execute("UPDATE worker_heartbeats SET seen_at = '2001-01-01T00:00:00Z'")
    worker.round(db)
    assert housekeeping.worker_age(db) > 1000
    worker.signed -= 10
    worker.round(db)
    assert housekeeping.worker_age(db) <= 1


def test_a_failed_heartbeat_is_logged_only_now_and_then(db, caplog, monkeypatch):
    def full(db):
        raise Full("database or disk is full")

    monkeypatch.setattr(housekeeping, "record_heartbeat", full)
    worker = Worker(db.config, jobs=())
    for _ in range(3):
        worker.round(db)
    assert caplog.text.count("the heartbeat could not be written") == 1
    worker.signed -= 10
    worker.round(db)
    assert caplog.text.count("the heartbeat could not be written") == 2


def test_a_failed_job_is_retried_later_and_blocks_no_other_job(db, caplog):
    rounds = []

    def fail(db, stopping):
        rounds.append("failed")
        raise RuntimeError("broken on purpose")

    failing = job(fail, on_change=True)
    other = job(lambda db, stopping: rounds.append("worked"), on_change=True)
    worker = Worker(db.config, jobs=(failing, other))
    worker.round(db)
    worker.seen = None  # as if the database had changed
    worker.round(db)
    assert rounds == ["failed", "worked", "worked"]
    assert "broken on purpose" in caplog.text
    worker.due[failing] = 0
    worker.round(db)
    assert rounds[-1] == "failed"


def test_a_busy_database_does_not_count_as_a_failure_of_the_job(db, caplog):
    rounds = []

    def wait(db, stopping):
        rounds.append("tried")
        if len(rounds) == 1:
            raise Busy

    waiting = job(wait, every=0)
    worker = Worker(db.config, jobs=(waiting,))
    worker.round(db)
    worker.round(db)
    assert rounds == ["tried"] * 2 and "Another change is taking long" in caplog.text


def test_a_job_fails_when_a_rule_refuses_it(db, caplog):
    rounds = []

    def refuse(db, stopping):
        rounds.append("tried")
        raise errors.Problem("invalid_transition", "The booth is not reserved.")

    refused = job(refuse, every=0, on_change=True)
    worker = Worker(db.config, jobs=(refused,))
    assert worker.once() == [refused]
    worker.round(db)
    assert rounds == ["tried"] and worker.due[refused] > time.monotonic() + AFTER_FAILURE / 2
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert (
        "made_for_a_test failed" in record.message and "The booth is not reserved." in caplog.text
    )


def test_once_exits_with_an_error_when_a_rule_refuses_a_job(settings, db, monkeypatch, capsys):
    def refuse(db, number):
        raise errors.Problem("invalid_transition", "The booth is not reserved.")

    monkeypatch.setattr(booking, "expire_due", refuse)
    monkeypatch.setenv("EVENTAPI_DATA_DIR", str(settings.data_dir))
    assert main(["worker", "--once"]) == 1
    assert "these jobs failed: expiry" in capsys.readouterr().err


def test_once_reports_a_job_whose_thread_failed(db):
    threaded = job(lambda db, stopping: None)
    threaded.finish = lambda patience: threaded.failed.add(db.path)
    threaded.failed = set()
    assert Worker(db.config, jobs=(threaded,)).once() == [threaded]


def test_a_bulk_import_that_a_rule_refuses_fails_its_job_and_pauses(db, monkeypatch, caplog):
    attempts = []

    def refuse(db, id, stopping):
        attempts.append(id)
        raise errors.Problem("invalid_transition", "The import was cancelled.")

    monkeypatch.setattr(runs, "waiting", lambda db: [1, 2])
    monkeypatch.setattr(import_job, "run", refuse)
    worker = Worker(db.config, jobs=(bulk_import,))
    assert worker.once() == [bulk_import] and attempts == [1, 2]
    assert "bulk import 1 failed" in caplog.text
    assert bulk_import.run(db, lambda: False) is None and attempts == [1, 2]


def test_a_bulk_import_that_fails_ten_times_by_a_fault_of_the_program_ends_as_failed(
    db, organiser, monkeypatch
):
    """A fault of the storage does not count: it may pass, and the import can go on."""
    people = [{"email": f"p{place}@example.org", "last_name": "A"} for place in range(2001)]
    id = organiser.post("/bulk-import/contacts", {"records": people}, status=202).json["data"]["id"]
    attempts = []

    def fail(db, id, stopping):
        attempts.append(id)
        raise (
            sqlite3.OperationalError("disk I/O error")
            if len(attempts) <= 20
            else TypeError("unhashable")
        )

    monkeypatch.setattr(
        sqlite3.OperationalError, "sqlite_errorcode", sqlite3.SQLITE_IOERR, raising=False
    )
    monkeypatch.setattr(import_job, "run", fail)
    for _ in range(40):
        bulk_import.paused.clear()
        bulk_import.run(db, lambda: False)
        bulk_import.finish()
    assert len(attempts) == 30
    record = organiser.data(f"/bulk-import/{id}")
    assert (
        record["status"] == "failed"
        and "failed 10 times by an error of the server" in record["failure"]
    )
    assert runs.waiting(db) == []


def test_a_job_wakes_up_when_another_process_changes_the_database(db):
    rounds = []
    wakes = job(lambda db, stopping: rounds.append("wakes"), on_change=True)
    sleeps = job(lambda db, stopping: rounds.append("sleeps"))
    worker = Worker(db.config, jobs=(wakes, sleeps))
    other = Database(db.config)
    worker.round(db)
    worker.round(db)
    assert rounds == ["wakes", "sleeps"]
    with other.write():
        journal.administered(other, entities.TENANT, "tested", 1)
    other.close()
    worker.round(db)
    assert rounds == ["wakes", "sleeps", "wakes"]


@pytest.mark.processes
def test_once_runs_the_due_jobs_and_ends(tmp_path, settings):
    done = processes.eventapi(tmp_path, "worker", "--once")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.processes
def test_the_worker_ends_within_a_second_of_sigterm_and_logs_start_and_end(tmp_path, settings, db):
    worker = processes.start(tmp_path, "worker")
    processes.until(lambda: housekeeping.worker_age(db) is not None)
    with pytest.raises(
        process_locks.InUse, match=rf"a worker \(process {worker.pid}\) is running; stop it first"
    ):
        process_locks.alone(settings)
    worker.terminate()
    assert worker.wait(1.5) == 0
    process_locks.alone(settings).close()


@pytest.mark.processes
def test_two_workers_can_run_at_the_same_time(tmp_path, db, organiser):
    for _ in range(30):
        organiser.make("/events", {"title": "Garden Fair"})
    db.connection.execute("UPDATE outgoing_events SET created_at = ?", (ago(days=31),))
    both = [processes.start(tmp_path, "worker", "--once") for _ in range(2)]
    assert [worker.wait(30) for worker in both] == [0, 0]
    assert count(db, "outgoing_events") == 0
    assert journal.verify(db) == []


@pytest.mark.processes
def test_the_worker_ends_when_its_server_is_gone(tmp_path, settings, db):
    worker = processes.start(tmp_path, "worker", "--parent", "1" if os.getppid() != 1 else "2")
    assert worker.wait(10) == 0


@pytest.mark.processes
def test_a_server_restarts_its_worker_and_stops_it(tmp_path, settings):
    with processes.Server(tmp_path, "--workers", "1", "--with-worker") as server:
        first = processes.until(server.worker)
        os.kill(first, signal.SIGKILL)
        second = processes.until(lambda: server.worker() not in (None, first) and server.worker())
        assert processes.get(f"{server.url}/healthz")[0] == 200
        assert server.stop() == 0
        assert not processes.alive(second)


@pytest.mark.processes
def test_the_worker_of_a_killed_server_ends_and_releases_the_data(tmp_path, settings):
    with processes.Server(tmp_path, "--workers", "1", "--with-worker") as server:
        worker = processes.until(server.worker)
        server.stop(signal.SIGKILL)
        processes.until(lambda: not processes.alive(worker))

    def free():
        try:
            return process_locks.alone(settings).close() is None
        except process_locks.InUse:
            return False

    processes.until(free)
