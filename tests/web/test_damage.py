"""A damaged database: every request that meets the damage gets 503, and then no process writes any
more.
"""

import shutil
import sqlite3
import time
import types

import pytest
import webtest

from eventapi import cli, logs
from eventapi.app import App
from eventapi.cli import inspections, servers
from eventapi.cli.terminal import Refused
from eventapi.storage import errors, schema
from eventapi.storage.database import Database
from eventapi.worker import Worker, daily
from tests.support.client import SCOPES, Client, add_key, make_settings


@pytest.fixture
def broken(tmp_path, template):
    """Return an app whose table of events is damaged, its client, and its settings.

    A sound copy lies beside.
    """
    settings = make_settings(tmp_path, template)
    db = Database(settings)
    key = add_key(db, SCOPES)
    app = App(settings)
    client = Client(webtest.TestApp(app), key)
    for number in range(60):
        client.make("/events", {"title": f"Fair {number}", "description": "A fair. " * 100})
    contact = client.make("/contacts", {"last_name": "Lovelace"})
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    root = db.connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'events'"
    ).fetchone()[0]
    size = 4096
    assert db.connection.execute("PRAGMA page_size").fetchone()[0] == size
    db.close()
    app.connections.close()
    shutil.copy(settings.database, tmp_path / "sound.db")
    with open(settings.database, "r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    app = App(settings)
    yield Client(webtest.TestApp(app), key), settings, contact
    app.connections.close()


def unhealthy(answer):
    assert answer.status_int == 503 and answer.json["code"] == "unhealthy", answer.text
    assert (
        "sqlite" not in answer.text.lower()
        and "malformed" not in answer.text
        and answer.headers["Retry-After"]
    )


def test_requests_that_meet_the_damage_get_503_and_the_log_names_it(broken, caplog):
    client, settings, _ = broken
    unhealthy(client.get("/events"))
    assert "malformed" in caplog.text
    assert "malformed" in errors.damage(settings.database)


def test_a_response_that_has_begun_when_it_meets_the_damage_marks_it_too(broken):
    client, settings, _ = broken
    with pytest.raises((errors.Damaged, sqlite3.DatabaseError), match="malformed"):
        client.get("/events", headers={"Accept": "text/csv"})
    assert "malformed" in errors.damage(settings.database)


def test_a_write_that_meets_the_damage_changes_nothing(broken):
    client, _, contact = broken
    unhealthy(client.post("/events", {"title": "Fair"}))
    assert client.data(f"/contacts/{contact['id']}") == contact, "reads of sound tables continue"
    unhealthy(client.patch(f"/contacts/{contact['id']}", {"last_name": "Byron"}))


def test_after_the_damage_was_found_every_process_refuses_writes(broken):
    client, damaged, contact = broken
    client.patch(f"/contacts/{contact['id']}", {"last_name": "King"}, status=200)
    unhealthy(client.get("/events"))
    other = App(damaged)
    second = Client(webtest.TestApp(other), client.key)
    unhealthy(second.patch(f"/contacts/{contact['id']}", {"last_name": "Byron"}))
    assert second.data(f"/contacts/{contact['id']}")["last_name"] == "King"
    other.connections.close()


def test_the_mark_ends_with_the_damaged_file(broken):
    client, settings, _ = broken
    unhealthy(client.get("/events"))
    client.app.app.connections.close()
    for suffix in ("-wal", "-shm"):
        settings.database.with_name(settings.database.name + suffix).unlink(missing_ok=True)
    shutil.copy(settings.data_dir / "sound.db", settings.data_dir / "restored.db")
    (settings.data_dir / "restored.db").replace(settings.database)
    assert errors.damage(settings.database) is None
    app = App(settings)
    Client(webtest.TestApp(app), client.key).post("/events", {"title": "Fair"}, status=201)
    app.connections.close()


def test_a_check_without_findings_removes_the_mark(settings, organiser, capsys):
    organiser.make("/events", {"title": "Fair"})
    errors.mark_damaged(settings.database, "a cable was loose")
    unhealthy(organiser.post("/events", {"title": "Fair"}))
    inspections.check(type("Arguments", (), {"json": False})(), settings)
    assert capsys.readouterr().out == "ok\n" and errors.damage(settings.database) is None
    organiser.post("/events", {"title": "Fair"}, status=201)


def test_damage_that_a_request_met_turns_health_to_503(broken):
    client, _, _ = broken
    client.app.get("/healthz", status=200)
    unhealthy(client.get("/events"))
    answer = client.app.get("/healthz", status=503)
    assert answer.json["code"] == "unhealthy" and answer.headers["Retry-After"]


def test_the_daily_check_finds_damage_that_no_request_has_met(broken, caplog):
    client, settings, _ = broken
    job = daily.run, daily.finish
    db = Database(settings)
    job[0](db, lambda: False)
    job[1]()
    db.close()
    assert "the database is damaged" in caplog.text
    client.app.get("/healthz", status=503)


def test_the_check_of_a_sound_database_marks_nothing_and_ends_when_the_worker_stops(
    organiser, settings, db
):
    # quick_check of SQLite 3.40 fails
    organiser.make("/contacts", {"last_name": "Lovelace", "tags": ["press"]})
    for stopping in (lambda: False, lambda: True):
        daily.work(settings, stopping)
    assert errors.damage(settings.database) is None and not daily.failed


def test_the_whole_file_is_read_once_a_day_and_not_at_each_start(settings, organiser, monkeypatch):
    read, check, now = [], schema.integrity_faults, time.time()
    monkeypatch.setattr(
        schema, "integrity_faults", lambda *given, most: read.append(1) or check(*given, most)
    )

    def readings(seconds=0):
        """Return how often the file has been read after a worker ran `seconds` from now."""
        monkeypatch.setattr(time, "time", lambda: now + seconds)
        assert Worker(settings, jobs=(daily,)).once() == []
        return len(read)

    assert [readings(), readings(), readings(23 * 3600)] == [1, 1, 1]
    assert [readings(25 * 3600), readings(26 * 3600)] == [2, 2]
    assert readings() == 3, "the clock was wrong"
    shutil.copy(settings.database, settings.data_dir / "restored.db")
    organiser.app.app.connections.close()
    (settings.data_dir / "restored.db").rename(settings.database)
    assert readings() == 4, "another file"


def test_the_daily_check_gathers_statistics(settings, organiser, db):
    organiser.make("/events", {"title": "Fair"})
    daily.work(settings, lambda: False)
    assert db.connection.execute(
        "SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'events'"
    ).fetchone()[0]


def test_the_worker_does_nothing_with_a_damaged_database(settings, db):
    errors.mark_damaged(settings.database, "a cable was loose")
    rounds = []
    job = types.ModuleType("eventapi.worker.made_for_a_test")
    job.run, job.EVERY, job.ON_CHANGE = lambda *_: rounds.append(1), 3600, True
    Worker(settings, (job,)).round(db)
    assert rounds == []
    errors.forget_damage(settings.database)
    Worker(settings, (job,)).round(db)
    assert rounds == [1]


def test_a_single_round_of_the_worker_refuses_a_damaged_database(settings, db, monkeypatch):
    monkeypatch.setattr(logs, "start", lambda *_: None)
    arguments = types.SimpleNamespace(once=True, parent=None)
    servers.work(arguments, settings)
    errors.mark_damaged(settings.database, "a cable was loose")
    monkeypatch.setattr(Worker, "once", lambda worker: pytest.fail("the jobs ran"))
    with pytest.raises(Refused, match="a cable was loose"):
        servers.work(arguments, settings)


def test_a_single_round_of_the_worker_that_finds_damage_fails(broken, monkeypatch):
    monkeypatch.setattr(logs, "start", lambda *_: None)
    with pytest.raises(Refused, match="damaged"):
        servers.work(types.SimpleNamespace(once=True, parent=None), broken[1])


COMMANDS = (
    "admin add Ada",
    "admin disable 1",
    "admin invite Ada ada@example.org",
    "desk end --all",
    "key create --name office --all-scopes",
    "key revoke 1",
    "key rotate 1",
    "flag enable plans",
    "flag disable plans",
    "tier set Business",
    "gateway add stripe Stripe",
    "gateway remove bank_transfer",
    "mail retry 1",
    "demo",
    "migrate",
    "backup",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_write_refuse_a_damaged_database(
    settings, organiser, monkeypatch, capsys, command
):
    monkeypatch.setattr("eventapi.config.load", lambda file: settings)
    errors.mark_damaged(settings.database, "a cable was loose")
    before = settings.database.read_bytes(), entries(settings)
    assert cli.main(command.split()) == 1
    told = capsys.readouterr().err
    assert "a cable was loose" in told and "eventapi restore" in told and "eventapi check" in told
    assert (
        settings.database.read_bytes(),
        entries(settings),
    ) == before and not settings.backups.exists()


def entries(settings):
    db = Database(settings)
    try:
        return db.connection.execute("SELECT count(*) FROM audit_log").fetchone()[0]
    finally:
        db.close()


def test_commands_that_read_show_a_damaged_database(settings, organiser, monkeypatch, capsys):
    monkeypatch.setattr("eventapi.config.load", lambda file: settings)
    errors.mark_damaged(settings.database, "a cable was loose")
    for command in (
        "key list",
        "admin list",
        "flag list",
        "tier show",
        "gateway list",
        "mail list",
    ):
        assert cli.main(command.split()) == 0, capsys.readouterr().err


def test_a_database_that_is_locked_is_not_called_damaged():
    def locked(_):
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    with pytest.raises(errors.Busy):
        schema.integrity_faults(
            types.SimpleNamespace(execute=locked, set_progress_handler=lambda *_: None)
        )
