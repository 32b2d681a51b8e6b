"""Checkpoints happen under the write lock: beside a commit, two of them can damage the file (SQLite
before 3.51.3).

Only a checkpoint writes to the database file, since it is in WAL mode. So each statement of each
connection is watched: if the file was written to while it ran, the kernel is asked whether anybody
holds the lock of the file `.lock`. That finds PRAGMA wal_checkpoint, the automatic checkpoints of
SQLite, VACUUM, and the checkpoint of a connection that is closed. SQLite itself makes the last one
only if nobody else has opened the database.
"""

import fcntl
import os
import sqlite3
import urllib.parse

import pytest

from eventapi import paths
from eventapi.domain.privacy import remnants
from eventapi.domain.upkeep import nightly, restoring
from eventapi.storage import backups, maintenance, migrations
from eventapi.storage.database import Database
from eventapi.worker import Worker, housekeeping
from tests.resources.test_bulk_import import people, run_worker, send

OLDER = 60  # a schema that is upgraded in a test


class Watch:
    """The checkpoints of one database: how many were made under the lock, and what made one without
    it.

    Attributes:
        path: path of the database.
        locked: number of statements that have made a checkpoint under the lock.
        unlocked: their texts if nobody held the lock.
        opened: number of open connections.
        at_close: number of open connections, for each checkpoint of a connection that was closed.
    """

    def __init__(self, path):
        self.path, self.locked, self.unlocked, self.opened, self.at_close = str(path), 0, [], 0, []

    def run(self, call, *arguments):
        """Return what `call` returns, and record whether it has made a checkpoint."""
        if os.path.exists(self.path):
            os.utime(self.path, ns=(0, 0))
        try:
            return call(*arguments)
        finally:
            if self.was_written():
                if self.is_locked():
                    self.locked += 1
                elif call.__name__ == "close":
                    self.at_close.append(self.opened)
                else:
                    self.unlocked.append(arguments[0])

    def was_written(self):
        return os.path.exists(self.path) and os.stat(self.path).st_mtime_ns != 0

    def is_locked(self):
        """Ask the kernel whether a process holds the file lock."""
        if not os.path.exists(f"{self.path}.lock"):
            return False
        file = os.open(f"{self.path}.lock", os.O_RDWR)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        except BlockingIOError:
            return True
        finally:
            os.close(file)


@pytest.fixture
def watch(settings, monkeypatch):
    """Watch all connections to the database of the settings that are opened from now on."""
    watch, connect = Watch(settings.database), sqlite3.connect

    class Watched(sqlite3.Connection):
        is_open = True

        def execute(self, *arguments):
            return watch.run(super().execute, *arguments)

        def executemany(self, *arguments):
            return watch.run(super().executemany, *arguments)

        def executescript(self, *arguments):
            return watch.run(super().executescript, *arguments)

        def close(self):
            watch.opened -= self.is_open
            self.is_open = False
            watch.run(super().close)

    def connected(address, **given):
        path = urllib.parse.unquote(urllib.parse.urlsplit(address).path)
        if path != watch.path:
            return connect(address, **given)
        watch.opened += 1
        return connect(address, factory=Watched, **given)

    monkeypatch.setattr(sqlite3, "connect", connected)
    return watch


def import_in_batches(db, organiser, settings):
    send(organiser, people(2001), status=202)
    run_worker(db)


def import_at_once(db, organiser, settings):
    send(organiser, people(2001), status=202, skip_on_error=False)
    run_worker(db)


def keep_house(db, organiser, settings):
    housekeeping.run(db, lambda: False)


def write_much(db, organiser, settings):
    """Write as many pages as SQLite makes a checkpoint for by itself, in one transaction and in
    many.
    """
    send(organiser, [{**person, "notes": "n" * 1000} for person in people(1500)], status=201)
    for number in range(30):
        organiser.make("/contacts", {"last_name": f"Writer {number}"})


def run_all_jobs(db, organiser, settings):
    assert Worker(settings).once() == []


def restore(db, organiser, settings):
    backups.create(settings, settings.data_dir / "one.tar")
    restoring.restore(settings, settings.data_dir / "one.tar", force=True)


def back_up(db, organiser, settings):
    nightly.back_up(settings)


ACTS = {
    "an import in batches": import_in_batches,
    "an import in one transaction": import_at_once,
    "housekeeping": keep_house,
    "requests": write_much,
    "all jobs of the worker": run_all_jobs,
    "rewriting": lambda db, organiser, settings: remnants.rewrite(db),
    "statistics": lambda db, organiser, settings: maintenance.analyze(db),
    "a restore": restore,
    "the nightly backup": back_up,
}
WITHOUT = {"statistics", "the nightly backup"}  # they make none


@pytest.mark.parametrize("name", ACTS)
def test_every_checkpoint_is_made_under_the_write_lock(watch, db, organiser, settings, name):
    organiser.make("/contacts", {"last_name": "First"})  # something is in the log
    ACTS[name](db, organiser, settings)
    assert watch.unlocked == [] and not any(watch.at_close)
    assert watch.locked or name in WITHOUT, "the test has seen no checkpoint"


def test_an_upgrade_makes_its_checkpoints_under_the_write_lock(settings, watch):
    settings.database.unlink()
    migrations.migrate(settings.database, last=OLDER)
    migrations.migrate(settings.database)
    assert watch.unlocked == [] and not any(watch.at_close) and watch.locked


def test_only_the_last_connection_makes_a_checkpoint_when_it_is_closed(settings, watch):
    one, other = Database(settings), Database(settings)
    with one.write():
        one.connection.execute("CREATE TABLE log (n INTEGER)")
    for db in (one, other):
        db.connection.execute("SELECT count(*) FROM log").fetchone()
        db.close()
    assert watch.at_close == [0] and watch.unlocked == []


def test_the_watch_sees_checkpoints_without_the_lock(settings, watch):
    db = Database(settings)
    for text in ("PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(TRUNCATE)"):
        with db.write():
            db.connection.execute("PRAGMA user_version = 1")
        db.connection.execute(text)
    with db.write():
        db.connection.execute("CREATE TABLE pages (text TEXT)")
    db.connection.execute("INSERT INTO pages VALUES (hex(zeroblob(5000000)))")
    assert watch.unlocked == [
        "PRAGMA wal_checkpoint(PASSIVE)",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "INSERT INTO pages VALUES (hex(zeroblob(5000000)))",
    ]
    db.close()


def test_no_other_code_asks_for_a_checkpoint():
    """Each place is in ACTS, and holds the lock. Another one needs both."""
    places = []
    for folder in (paths.folder("sql"), paths.PACKAGE):
        places += [
            file.name
            for file in sorted(folder.rglob("*"))
            if file.suffix in (".py", ".sql")
            for line in file.read_text(encoding="utf-8").splitlines()
            if "wal_checkpoint" in line
        ]
    assert places == ["database.py", "maintenance.py", "maintenance.py"]
