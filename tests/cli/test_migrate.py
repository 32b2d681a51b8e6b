"""`eventapi migrate` beside servers, workers and other upgrades: it changes the database only while
nobody uses it.
"""

import os
import re
import signal
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from eventapi.storage import holders, process_locks, versions
from tests.support import processes
from tests.support.newer_version import NewerVersion

SLOW = """
CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;
INSERT INTO later WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000000)
SELECT count(*) FROM number;"""


@pytest.fixture
def newer(tmp_path_factory):
    return NewerVersion(tmp_path_factory.mktemp("newer"))


def schema_of(settings):
    with closing(sqlite3.connect(settings.database)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


@pytest.mark.processes
def test_an_upgrade_is_refused_while_a_server_or_a_worker_runs_and_says_which(
    tmp_path, settings, newer
):
    with processes.Server(tmp_path, "--workers", "2", "--with-worker") as server:
        processes.until(server.worker)
        code, out, error = newer.run(tmp_path, "migrate")
        assert (code, out) == (1, "")
        assert (
            error
            == f"eventapi: a server (process {server.process.pid}) is running; stop it first\n"
        )
    worker = processes.start(tmp_path, "worker")
    try:
        processes.until(lambda: holders_of(settings))
        code, _, error = newer.run(tmp_path, "migrate")
    finally:
        worker.terminate()
        worker.wait(10)
    assert (
        code == 1
        and error == f"eventapi: a worker (process {worker.pid}) is running; stop it first\n"
    )
    assert schema_of(settings) == versions.newest() and not settings.backups.exists(), (
        "nothing was changed"
    )
    code, out, error = newer.run(tmp_path, "migrate")
    assert (code, error) == (
        0,
        "",
    ) and f"upgraded from schema {versions.newest()} to {newer.schema}" in out


def holders_of(settings):
    try:
        process_locks.alone(settings).close()
    except process_locks.InUse as refusal:
        return str(refusal)
    return None


@pytest.mark.processes
def test_an_upgrade_is_refused_while_a_command_writes(tmp_path, settings, newer):
    with closing(process_locks.together(settings)):
        code, _, error = newer.run(tmp_path, "migrate")
    assert code == 1 and "running" in error and "stop it first" in error and error.count("\n") == 1
    assert schema_of(settings) == versions.newest()


@pytest.mark.processes
def test_of_two_upgrades_at_once_the_second_waits_and_finds_nothing_to_do(
    tmp_path, settings, newer
):
    both = [newer.start(tmp_path, "migrate") for _ in range(2)]
    outputs = sorted(process.communicate(timeout=60) for process in both)
    waited = "eventapi: another upgrade of this database is running; waiting until it is done\n"
    assert [process.returncode for process in both] == [0, 0]
    assert {error for _, error in outputs} <= {"", waited}
    assert f"schema {newer.schema} is up to date" in "".join(out for out, _ in outputs)
    assert len([file for file in settings.backups.iterdir() if file.suffix == ".tar"]) == 1


@pytest.mark.processes
def test_nothing_starts_during_an_upgrade_and_a_killed_one_leaves_no_lock(
    tmp_path, settings, tmp_path_factory
):
    newer = NewerVersion(tmp_path_factory.mktemp("slow"), SLOW)
    upgrade = newer.start(tmp_path, "migrate")
    processes.until(lambda: upgrade.poll() is not None or list(settings.backups.glob("*.tar")))
    assert upgrade.poll() is None, "the upgrade was too fast for this test"
    for words in (
        ("serve", "--bind", f"127.0.0.1:{processes.free_port()}"),
        ("worker", "--once"),
        ("admin", "add", "Ada"),
    ):
        refused = processes.eventapi(tmp_path, *words)
        assert refused.returncode != 0 and "an upgrade or a restore is running" in refused.stderr, (
            refused.stderr
        )
    assert upgrade.poll() is None, "the upgrade was too fast for this test"
    upgrade.send_signal(signal.SIGKILL)
    upgrade.communicate(timeout=10)
    assert schema_of(settings) == versions.newest()
    with processes.Server(tmp_path, "--workers", "1") as server:
        assert processes.get(f"{server.url}/healthz")[0] == 200, "the old version goes on"
    code, out, _ = newer.run(tmp_path, "migrate")
    assert code == 0 and f"to {newer.schema}" in out


def test_a_current_database_needs_no_lock(run, settings):
    """The package, `make run` and an administrator may call it beside a server."""
    with closing(process_locks.alone(settings)), closing(process_locks.migrating(settings, print)):
        code, lines, error = run("migrate")
    assert (code, error) == (0, "")
    assert lines == [f"{settings.database}: schema {versions.newest()} is up to date"]


def test_a_current_database_without_a_write_ahead_log_gets_one(run, settings):
    """A file that VACUUM INTO or a repair has made."""
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    assert run("migrate") == (
        0,
        [f"{settings.database}: schema {versions.newest()} is up to date"],
        "",
    )
    with closing(sqlite3.connect(settings.database)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_an_upgrade_that_waits_for_another_one_says_so_and_ends(run, settings, db, monkeypatch):
    db.connection.execute(f"PRAGMA user_version = {versions.newest() - 1}")
    monkeypatch.setattr(process_locks, "LONGEST_UPGRADE", 0.5)
    with closing(process_locks.migrating(settings, print)):
        code, lines, error = run("migrate")
    assert (code, lines) == (1, [])
    assert "another upgrade of this database is running; waiting until it is done" in error
    assert "has run for ten minutes" in error


def test_a_newer_database_is_refused_without_a_lock(run, settings, db):
    db.connection.execute("PRAGMA user_version = 9999")
    code, _, error = run("migrate")
    assert (
        code == 1
        and "newer than schema" in error
        and not (settings.data_dir / "eventapi.migrating").exists()
    )


def test_an_interrupted_creation_is_no_sign_of_a_lost_database(run, settings):
    """A process that is killed before the database exists leaves only the file of the lock of
    upgrades.
    """
    for file in settings.data_dir.glob("eventapi.db*"):
        file.unlink()
    process_locks.migrating(settings, print).close()
    process_locks.alone_if_used(settings).close()
    code, lines, _ = run("migrate")
    assert code == 0 and "created" in lines[0]


def test_a_server_that_still_runs_on_a_deleted_database_prevents_a_new_one(run, settings):
    with closing(process_locks.together(settings)):
        settings.database.unlink()
        code, _, error = run("migrate", "--new")
    assert code == 1 and "stop it first" in error and not settings.database.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can create a file for another user")
def test_a_lock_that_root_creates_belongs_to_the_owner_of_the_folder(settings):
    """Otherwise the next upgrade, which the user of the service makes, could not open it."""
    os.chown(settings.data_dir, 65534, 65533)
    process_locks.migrating(settings, print).close()
    process_locks.alone(settings).close()
    for name in ("migrating", "running"):
        facts = (settings.data_dir / f"eventapi.{name}").stat()
        assert (facts.st_uid, facts.st_gid) == (65534, 65533)


# The names of the processes that hold a lock

OF_MASTER = ["/usr/bin/python3", "-m", "gunicorn", "-c", "/x/gunicorn.conf.py", "eventapi.wsgi:app"]
OF_WORKER = ["/usr/bin/python3", "-P", "-m", "eventapi", "worker"]


@pytest.fixture
def proc(tmp_path, monkeypatch):
    """Return a function that writes a /proc: the locks of a file by processes, as (pid, parent,
    words, cgroup).
    """
    monkeypatch.setattr(holders, "PROC", tmp_path / "proc")

    def make(file, *running, others=""):
        inode = os.fstat(file.fileno()).st_ino
        locks = [
            f"{place}: FLOCK  ADVISORY  READ  {pid} fe:00:{inode} 0 EOF"
            for place, (pid, *_) in enumerate(running, 1)
        ]
        (tmp_path / "proc").mkdir()
        (tmp_path / "proc" / "locks").write_text("\n".join([*locks, others]) + "\n")
        for pid, parent, words, group in running:
            folder = tmp_path / "proc" / str(pid)
            folder.mkdir()
            (folder / "cmdline").write_bytes("\0".join([*words, ""]).encode())
            (folder / "stat").write_text(f"{pid} (a ) name) S {parent} 1 1")
            (folder / "cgroup").write_text(f"0::{group}\n")

    with open(tmp_path / "lock", "w") as file:
        yield SimpleNamespace(file=file, make=lambda *running, **more: make(file, *running, **more))


def test_units_of_systemd_are_named_with_the_socket_that_would_start_the_server_again(proc):
    proc.make(
        (812, 1, OF_MASTER, "/system.slice/eventapi.service"),
        (813, 812, OF_MASTER, "/system.slice/eventapi.service"),
        (815, 1, OF_WORKER, "/system.slice/eventapi-worker.service"),
    )
    assert holders.refusal(proc.file) == (
        "a server (process 812) and a worker (process 815) are running; stop them first with 'systemctl stop "
        "eventapi-worker.service eventapi.service eventapi.socket'"
    )


def test_units_of_a_tenant_are_those_of_the_tenant(proc):
    proc.make((812, 1, OF_MASTER, "/system.slice/system-eventapi.slice/eventapi@acme.service"))
    assert holders.refusal(proc.file) == (
        "a server (process 812) is running; stop it first with 'systemctl stop "
        "eventapi@acme.service eventapi@acme.socket'"
    )


def test_a_command_is_named_by_its_words(proc):
    proc.make(
        (
            77,
            1,
            ["/usr/bin/python3", "/usr/bin/eventapi", "vacuum", "--now"],
            "/user.slice/session-1.scope",
        )
    )
    assert holders.refusal(proc.file) == "'eventapi vacuum' (process 77) is running; stop it first"


def test_a_process_of_another_program_with_a_reused_id_is_not_named(proc):
    proc.make((812, 1, ["/usr/sbin/nginx", "-g"], "/system.slice/nginx.service"))
    assert holders.refusal(proc.file) == (
        "a server or worker is running, or a command that writes; stop it first"
    )


@pytest.mark.parametrize(
    "other",
    [
        "7: POSIX  ADVISORY  READ  9 fe:00:{inode} 0 EOF",
        "7: FLOCK  ADVISORY  READ  9 fe:00:1 0 EOF",
        "7: -> FLOCK  ADVISORY  WRITE  9 fe:00:{inode} 0 EOF",
        "",
    ],
)
def test_other_locks_are_not_those_of_the_file(proc, other, tmp_path):
    inode = os.fstat(proc.file.fileno()).st_ino
    proc.make((8, 1, OF_WORKER, "/"), others=other.format(inode=inode))
    (tmp_path / "proc" / "9").symlink_to(tmp_path / "proc" / "8")
    assert re.findall(r"process (\d+)", holders.refusal(proc.file)) == ["8"]


def test_without_proc_the_sentence_names_no_process(proc, monkeypatch, tmp_path):
    monkeypatch.setattr(holders, "PROC", tmp_path / "none")
    assert "stop it first" in holders.refusal(proc.file)
