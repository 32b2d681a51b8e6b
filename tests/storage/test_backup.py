"""Backup and restore: a verified, consistent snapshot while others write, and no loss of existing
data.
"""

import errno
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from eventapi import config as configuration
from eventapi import journal, times
from eventapi.domain.records import entities
from eventapi.domain.upkeep import checks, housekeeping, restoring
from eventapi.storage import backups, database, files, migrations, process_locks, versions
from eventapi.storage.backups import BackupError
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError
from tests.domain.test_check import damage
from tests.support import processes
from tests.support.client import make_settings, write_empty_config


@pytest.fixture
def file(tmp_path):
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "backup.tar"


@pytest.fixture
def elsewhere(tmp_path):
    """Return a configuration whose data directory is empty."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return configuration.load(
        environ={
            "EVENTAPI_DATA_DIR": str(folder),
            "EVENTAPI_CONFIG": str(write_empty_config(tmp_path)),
        }
    )


def titles(config):
    with closing(Database(config)) as db:
        return [row[0] for row in db.connection.execute("SELECT title FROM events ORDER BY id")]


def packed(file, members, **manifest):
    """Write a tar with `members` (name -> bytes or TarInfo) and a matching manifest."""
    entries = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
        if isinstance(data, bytes)
    }
    text = json.dumps(
        {
            "format": 1,
            "program": "eventapi",
            "version": "1",
            "created_at": "2026-01-01T00:00:00Z",
            "last_change": None,
            "entries": entries,
            **manifest,
        }
    ).encode()
    with tarfile.open(file, "w") as tar:
        for name, data in {**members, "manifest.json": text}.items():
            member = data if isinstance(data, tarfile.TarInfo) else tarfile.TarInfo(name)
            if isinstance(data, bytes):
                member.size = len(data)
            tar.addfile(member, io.BytesIO(data) if isinstance(data, bytes) else None)
    return file


# Backup


def test_a_backup_restores_records_and_files_in_another_directory(
    settings, organiser, file, elsewhere
):
    organiser.make("/events", {"title": "Garden Fair"})
    sha256 = files.store(settings, b"%PDF-1.7 an invoice")
    backups.create(settings, file)
    assert restoring.restore(elsewhere, file) == (None, 0)
    assert titles(elsewhere) == ["Garden Fair"]
    assert files.read(elsewhere, sha256) == b"%PDF-1.7 an invoice"
    with closing(Database(elsewhere)) as db:
        assert checks.findings(db) == []
        assert db.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_backup_is_private_and_nothing_else_is_left_beside_it(settings, file):
    backups.create(settings, file)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in file.parent.iterdir()] == ["backup.tar"]


def test_a_backup_is_never_overwritten(settings, file):
    file.write_text("precious")
    with pytest.raises(BackupError, match="already exists"):
        backups.create(settings, file)
    assert file.read_text() == "precious"


def test_two_backups_into_one_file_do_not_mix(settings, file):
    with backups._exclusive(file.with_name("backup.tar.partial")):
        with pytest.raises(BackupError, match="another backup"):
            backups.create(settings, file)


def test_a_partial_file_left_by_a_crash_does_not_disturb_the_next_backup(settings, file):
    file.with_name("backup.tar.partial").write_bytes(b"x" * 10**6)
    backups.create(settings, file)
    with open(file, "rb") as made:
        assert backups.read(made, file)["program"] == "eventapi"


def test_a_backup_that_fails_leaves_nothing(settings, file, monkeypatch):
    monkeypatch.setattr(
        backups, "read", lambda *_, **__: (_ for _ in ()).throw(BackupError("damaged"))
    )
    with pytest.raises(BackupError):
        backups.create(settings, file)
    assert list(file.parent.iterdir()) == []


def test_a_backup_on_a_full_disk_names_its_file_and_leaves_nothing(settings, file, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BackupError, match=f"{file}.*No space left"):
        backups.create(settings, file)
    assert list(file.parent.glob(f"*{file.name}*")) == []


def test_a_damaged_database_is_not_backed_up(settings, file, db):
    damage(db)
    with pytest.raises(BackupError, match="damaged"):
        backups.create(settings, file)


def test_a_backup_during_writes_is_a_consistent_snapshot(settings, organiser, file, elsewhere):
    """Each write adds a note with the number that the event has in the audit log.

    The copy must hold both or neither.
    """
    stop, failures = threading.Event(), []

    def write():
        with closing(Database(settings)) as db:
            while not stop.is_set():
                try:
                    with db.write():
                        journal.administered(db, entities.TENANT, "tested")
                        db.connection.execute(
                            "UPDATE counters SET value = value + 1 WHERE name = 'test'"
                        )
                except Exception as error:
                    failures.append(error)

    with closing(Database(settings)) as db, db.write():
        db.connection.execute("INSERT INTO counters VALUES ('test', 0)")
    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for number in range(5):
        backups.create(settings, file.with_name(f"{number}.tar"))
    stop.set()
    for writer in writers:
        writer.join()
    assert failures == []
    seen = []
    for number in range(5):
        restoring.restore(elsewhere, file.with_name(f"{number}.tar"), force=True)
        with closing(Database(elsewhere)) as db:
            (counted,) = db.connection.execute(
                "SELECT value FROM counters WHERE name = 'test'"
            ).fetchone()
            assert db.connection.execute(
                "SELECT count(*) FROM audit_log WHERE action = 'tested'"
            ).fetchone() == (counted,)
            assert journal.verify(db) == []
            seen.append(counted)
    assert seen == sorted(seen) and seen[-1] > 0


def test_a_file_deleted_during_the_backup_restarts_it(settings, file, monkeypatch):
    sha256 = files.store(settings, b"going")
    files.store(settings, b"staying")
    copy = backups._copy_database

    def sweeping(config, target, report):
        files.path(settings, sha256).unlink(missing_ok=True)
        return copy(config, target, report)

    monkeypatch.setattr(backups, "_copy_database", sweeping)
    manifest = backups.create(settings, file)
    assert len(manifest["entries"]) == 2


# Verification


def test_a_changed_or_truncated_backup_is_refused_and_changes_nothing(
    settings, organiser, file, db
):
    organiser.make("/events", {"title": "Garden Fair"})
    files.store(settings, b"x" * 5000)
    backups.create(settings, file)
    whole = file.read_bytes()
    spoilt = bytearray(whole)
    spoilt[whole.rindex(b"x" * 100)] = ord("y")
    for data in (
        bytes(spoilt),
        whole[: len(whole) // 2],
        whole[:700],
        b"",
        whole.replace(b'"program": "eventapi"', b'"program": "otherapi"'),
    ):
        file.write_bytes(data)
        with pytest.raises(BackupError):
            restoring.restore(settings, file, force=True)
    assert titles(settings) == ["Garden Fair"]
    assert not list(settings.data_dir.glob("*.before-restore-*")) and not list(
        settings.data_dir.glob(".restore-*")
    )


def link(name, target, kind=tarfile.SYMTYPE):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


NAME = "files/ab/" + "c" * 62


@pytest.mark.parametrize(
    "members",
    [
        {"../evil": b"x"},
        {"/tmp/evil": b"x"},
        {"files/../../evil": b"x"},
        {"files/ab/../../evil": b"x"},
        {"evil": b"x"},
        {NAME: link(NAME, "/etc/passwd")},
        {NAME: link(NAME, "eventapi.db", tarfile.LNKTYPE)},
        {NAME: link(NAME, "", tarfile.FIFOTYPE)},
        {"files/ab": link("files/ab", "/tmp")},
        {NAME + "\n": b"x"},
    ],
)
def test_a_hostile_backup_is_refused(settings, elsewhere, file, members):
    packed(file, {"eventapi.db": settings.database.read_bytes(), **members})
    with pytest.raises(BackupError):
        restoring.restore(elsewhere, file)
    assert not list(elsewhere.data_dir.glob("*.db")) and not list(file.parent.parent.glob("evil*"))


def test_the_same_name_twice_is_refused(settings, elsewhere, file):
    packed(file, {"eventapi.db": settings.database.read_bytes()})
    with tarfile.open(file, "a") as tar:
        member = tarfile.TarInfo("eventapi.db")
        tar.addfile(member, io.BytesIO(b""))
    with pytest.raises(BackupError):
        restoring.restore(elsewhere, file)


def test_the_database_in_a_backup_must_belong_to_eventapi(elsewhere, file):
    packed(file, {"eventapi.db": b"no database" * 1000})
    with pytest.raises((BackupError, StorageError)):
        restoring.restore(elsewhere, file)
    assert not elsewhere.database.exists()


# Restore


def test_the_old_data_are_set_aside_and_the_restore_is_audited(settings, organiser, file):
    organiser.make("/events", {"title": "kept"})
    first = files.store(settings, b"first")
    backups.create(settings, file)
    organiser.make("/events", {"title": "later"})
    second = files.store(settings, b"second")
    aside, _ = restoring.restore(settings, file, force=True)
    assert titles(settings) == ["kept"]
    assert files.missing(settings, [first, second]) == [], "housekeeping removes the second one"
    old = database.connect(aside)
    assert old.execute("SELECT count(*) FROM events").fetchone() == (2,)
    old.close()
    assert len(list(settings.data_dir.glob("files.before-restore-*/*/*"))) == 2
    with closing(Database(settings)) as restored:
        assert restored.connection.execute(
            "SELECT action FROM audit_log ORDER BY id DESC"
        ).fetchone() == ("restored",)
        assert journal.verify(restored) == []


def test_restoring_twice_in_a_second_overwrites_nothing(settings, file):
    backups.create(settings, file)
    first, second = (restoring.restore(settings, file, force=True)[0] for _ in range(2))
    assert first != second and first.exists() and second.exists()


def test_a_newer_database_is_overwritten_only_with_force(settings, organiser, file):
    backups.create(settings, file)
    organiser.make("/events", {"title": "newer"})
    with pytest.raises(BackupError, match="--force"):
        restoring.restore(settings, file)
    assert titles(settings) == ["newer"]
    restoring.restore(settings, file, force=True)
    assert titles(settings) == []


def test_contacts_anonymised_after_the_backup_stay_anonymised(settings, organiser, file):
    _, later = (
        organiser.make(
            "/contacts", {"first_name": "Ada", "last_name": name, "email": f"{name}@messe.test"}
        )["id"]
        for name in ("Lovelace", "Byron")
    )
    backups.create(settings, file)
    organiser.post(f"/contacts/{later}/anonymize", status=200)
    assert restoring.restore(settings, file, force=True)[1] == 1
    assert b"Byron" not in settings.database.read_bytes()
    with closing(Database(settings)) as db:
        names = db.connection.execute("SELECT last_name FROM contacts ORDER BY id").fetchall()
        assert names == [("Lovelace",), (None,)]
        assert checks.findings(db) == []


def make_contact(client, name):
    return client.make("/contacts", {"last_name": name, "email": f"{name}@messe.test"})["id"]


def last_names(config):
    with closing(Database(config)) as db:
        return [
            row[0] for row in db.connection.execute("SELECT last_name FROM contacts ORDER BY id")
        ]


def test_a_contact_that_was_created_while_the_clock_was_years_ahead_stays_anonymised(
    settings, organiser, file, monkeypatch
):
    now = times.now
    monkeypatch.setattr(times, "now", lambda: "2041-01-01T00:00:00Z")
    id = make_contact(organiser, "Byron")
    monkeypatch.setattr(times, "now", now)
    backups.create(settings, file)
    organiser.post(f"/contacts/{id}/anonymize", status=200)
    assert restoring.restore(settings, file, force=True)[1] == 1
    assert last_names(settings) == [None]


def test_another_contact_that_got_the_id_of_an_anonymised_one_stays_as_it_is(
    settings, organiser, file
):
    """Restores in turn: the backup of the first branch has another contact with the id than the
    second branch.
    """
    backups.create(settings, file)
    make_contact(organiser, "Lovelace")
    left = file.with_name("left.tar")
    backups.create(settings, left)
    organiser.app.app.connections.close()
    restoring.restore(settings, file, force=True)
    assert last_names(settings) == []
    organiser.post(f"/contacts/{make_contact(organiser, 'Byron')}/anonymize", status=200)
    assert last_names(settings) == [None]
    assert restoring.restore(settings, left, force=True)[1] == 0
    assert last_names(settings) == ["Lovelace"]


def test_contacts_stay_anonymised_after_the_audit_log_was_pruned(
    settings, organiser, db, file, monkeypatch
):
    monkeypatch.setattr(times, "now", lambda: "2010-01-01T00:00:00Z")
    first = make_contact(organiser, "Lovelace")
    monkeypatch.undo()
    second = make_contact(organiser, "Byron")
    housekeeping.prune_audit_log(db)
    backups.create(settings, file)
    for id in (first, second):
        organiser.post(f"/contacts/{id}/anonymize", status=200)
    assert restoring.restore(settings, file, force=True)[1] == 2
    assert last_names(settings) == [None, None]


def test_a_damaged_database_is_set_aside_only_with_force(settings, organiser, file):
    backups.create(settings, file)
    settings.database.write_bytes(b"ruined" * 1000)
    with pytest.raises(BackupError, match="--force"):
        restoring.restore(settings, file)
    aside, again = restoring.restore(settings, file, force=True)
    assert again is None
    assert aside.read_bytes() == b"ruined" * 1000
    assert titles(settings) == []


def test_a_directory_of_another_program_is_not_changed(settings, elsewhere, file):
    backups.create(settings, file)
    (elsewhere.data_dir / "holiday.jpg").write_text("sea")
    with pytest.raises(BackupError, match=r"holiday\.jpg"):
        restoring.restore(elsewhere, file, force=True)


def test_a_restore_beside_a_lost_database_keeps_all_that_is_left_of_it(settings, organiser, file):
    organiser.make("/events", {"title": "Fair"})
    backups.create(settings, file)
    later = files.store(settings, b"stored after the backup")
    organiser.app.app.connections.close()
    settings.database.unlink()
    left = [
        "eventapi.mailing",
        "eventapi.running",
        "eventapi.db.damaged",
        "eventapi-20260101T000000Z.tar.verified",
        "before-migration-from-25-20260101T000000Z.tar",
        ".sqlite_history",
        ".eventapi-backup-a",
        "lost+found",
    ]
    for name in left:
        (settings.data_dir / name).write_text("")
    settings.backup_dir = file.parent
    assert restoring.restore(settings, file) == (None, None), (
        "it is unknown who was anonymised after the backup"
    )
    assert titles(settings) == ["Fair"]
    assert {path.name for path in settings.data_dir.iterdir()} >= set(left) - {
        "eventapi.db.damaged"
    }
    (kept,) = settings.data_dir.glob("files.before-restore-*")
    assert (kept / later[:2] / later[2:]).read_bytes() == b"stored after the backup", (
        "housekeeping deletes the other"
    )


def test_without_hard_links_a_restore_changes_nothing_and_says_what_to_do(
    settings, organiser, file, tmp_path, monkeypatch
):
    backups.create(settings, file)
    organiser.make("/events", {"title": "present"})
    organiser.app.app.connections.close()

    def refused(source, target):
        raise PermissionError(
            errno.EPERM, "Operation not permitted", str(source), None, str(target)
        )

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(
        BackupError,
        match=r"eventapi\.db cannot get a second name: .*move eventapi\.db, .*and files",
    ):
        restoring.restore(settings, file, force=True)
    assert titles(settings) == ["present"] and not list(settings.data_dir.glob("*before-restore*"))
    for name in ("eventapi.db", "eventapi.db-wal", "files"):
        if (settings.data_dir / name).exists():
            os.rename(settings.data_dir / name, file.parent / name)
    settings.backup_dir = file.parent
    restoring.restore(settings, file)
    assert titles(settings) == []


def test_a_database_of_another_program_is_not_changed(settings, elsewhere, file):
    backups.create(settings, file)
    elsewhere.database.touch()
    other = database.connect(elsewhere.database)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.close()
    with pytest.raises(BackupError, match="another program"):
        restoring.restore(elsewhere, file, force=True)


def test_restore_refuses_while_another_process_uses_the_data(settings, file):
    backups.create(settings, file)
    with process_locks.together(settings), pytest.raises(process_locks.InUse):
        restoring.restore(settings, file, force=True)


@pytest.mark.processes
def test_restore_and_server_refuse_to_run_at_the_same_time(tmp_path, settings, file):
    with processes.Server(tmp_path, "--workers", "1") as server:
        done = processes.eventapi(tmp_path, "backup", str(file))
        assert (done.returncode, done.stderr) == (0, "")
        refused = processes.eventapi(tmp_path, "restore", "--force", str(file))
        assert (
            refused.returncode == 1
            and "running" in refused.stderr
            and refused.stderr.count("\n") == 1
        )
        assert processes.get(f"{server.url}/healthz")[0] == 200
        server.stop()
    with process_locks.alone(settings):
        refused = processes.eventapi(
            tmp_path, "serve", "--bind", f"127.0.0.1:{processes.free_port()}"
        )
        assert refused.returncode != 0 and "an upgrade or a restore is running" in refused.stderr
    assert processes.eventapi(tmp_path, "restore", "--force", str(file)).returncode == 0


def test_a_backup_with_an_older_schema_is_migrated_by_the_restore(
    settings, elsewhere, file, tmp_path, monkeypatch
):
    backups.create(settings, file)
    later = tmp_path / "9000_test.sql"
    later.write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;")
    known = versions.migration_files()
    monkeypatch.setattr(versions, "migration_files", lambda: [*known, (9000, later)])
    restoring.restore(elsewhere, file)
    with closing(Database(elsewhere)) as db:
        assert migrations.schema_version(db.connection) == 9000


def test_a_backup_of_a_newer_program_is_refused(settings, elsewhere, file, db):
    db.connection.execute("PRAGMA user_version = 9999")
    backups.create(settings, file)
    with pytest.raises(migrations.SchemaError, match="9999"):
        restoring.restore(elsewhere, file)
    assert not elsewhere.database.exists()


# Parts that are not as eventapi made them


def test_a_stored_file_whose_name_is_not_its_hash_is_restored_only_with_force_and_left_out(
    settings, elsewhere, file
):
    good, bad = files.store(settings, b"good"), files.store(settings, b"bad")
    files.path(settings, bad).write_bytes(b"worse")
    backups.create(settings, file)
    with pytest.raises(BackupError, match=r"1 damaged files, such as files/.*--force"):
        restoring.restore(elsewhere, file)
    assert not elsewhere.database.exists()
    restoring.restore(elsewhere, file, force=True)
    assert files.missing(elsewhere, [good, bad]) == [bad]


@pytest.mark.parametrize(
    "part",
    [
        "CREATE TRIGGER evil AFTER INSERT ON api_keys BEGIN UPDATE api_keys SET scopes = '[]'; END",
        "CREATE VIEW evil AS SELECT * FROM contacts",
        "CREATE TABLE evil (id)",
        "CREATE INDEX evil ON events (city)",
    ],
)
def test_a_backup_with_foreign_parts_is_restored_only_with_force_and_then_checked(
    settings, elsewhere, file, db, part
):
    db.connection.execute(part)
    backups.create(settings, file)
    with pytest.raises(BackupError, match=r"evil.* is not part of eventapi.*--force"):
        restoring.restore(elsewhere, file)
    assert not elsewhere.database.exists()
    restoring.restore(elsewhere, file, force=True)
    with closing(Database(elsewhere)) as restored:
        assert [name for name, _ in checks.findings(restored)] == ["schema"]


def test_foreign_parts_of_an_older_schema_are_found_before_its_migrations_run(
    settings, elsewhere, tmp_path
):
    (tmp_path / "old").mkdir()
    old = tmp_path / "old" / "eventapi.db"
    migrations.migrate(old, last=20)
    connection = database.connect(old)
    connection.execute("PRAGMA journal_mode = DELETE")
    sound = packed(tmp_path / "sound.tar", {"eventapi.db": old.read_bytes()})
    connection.execute("CREATE TRIGGER evil AFTER UPDATE ON events BEGIN DELETE FROM contacts; END")
    connection.close()
    with pytest.raises(BackupError, match="the trigger evil on the table events"):
        restoring.restore(
            elsewhere, packed(tmp_path / "foreign.tar", {"eventapi.db": old.read_bytes()})
        )
    restoring.restore(elsewhere, sound)


def test_a_database_is_newer_by_its_audit_log_and_not_by_the_clock(
    settings, organiser, file, monkeypatch
):
    organiser.make("/events", {"title": "old"})
    backups.create(settings, file)
    monkeypatch.setattr(times, "now", lambda: "2001-01-01T00:00:00Z")
    organiser.make("/events", {"title": "made after the clock was set back"})
    with pytest.raises(BackupError, match="--force"):
        restoring.restore(settings, file)
    assert len(titles(settings)) == 2


# Restores that are killed


def steps():
    """Return the functions of the operating system that change names, by which a restore replaces
    the data.
    """
    return {
        name: getattr(os, name)
        for name in ("link", "replace", "rename", "unlink", "mkdir", "rmdir")
    }


def killed_at(number):
    """Let this process be killed before the step `number`."""
    count = iter(range(10**9))

    def before(step):
        def act(*values, **options):
            if next(count) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*values, **options)

        return act

    for name, step in steps().items():
        setattr(os, name, before(step))


@pytest.mark.parametrize("state", ["sound", "damaged"])
def test_a_restore_that_is_killed_at_any_step_leaves_whole_data_and_can_be_repeated(
    tmp_path, template, state
):
    place = tmp_path / "data"
    place.mkdir()
    settings, file, number = make_settings(place, template), tmp_path / "backup.tar", 0
    old, kept = files.store(settings, b"old"), files.store(settings, b"in both")
    add_document(settings, "backup", kept)
    backups.create(settings, file)
    add_document(settings, "present", old)
    if state == "damaged":
        with closing(Database(settings)) as db:
            damage(db)
    shutil.copytree(place, tmp_path / "before")
    while True:
        shutil.rmtree(place)
        shutil.copytree(tmp_path / "before", place)
        child = os.fork()
        if not child:
            killed_at(number)
            try:
                restoring.restore(settings, file, force=True)
            finally:
                os._exit(0)
        whole = os.waitpid(child, 0)[1] == 0
        found = documents(settings)
        assert found in (["backup"], ["backup", "present"]), number
        if found == ["backup"]:
            (aside,) = settings.data_dir.glob("eventapi.db.before-restore-????????T??????Z")
            with closing(database.connect(aside)) as connection:
                assert len(connection.execute("SELECT * FROM documents").fetchall()) == 2
        with closing(Database(settings)) as db:
            assert state == "damaged" or checks.findings(db) == []
            used = {row[0] for row in db.connection.execute("SELECT sha256 FROM documents")}
        assert used and files.missing(settings, used) == []
        if whole:
            break
        restoring.restore(settings, file, force=True)
        assert documents(settings) == ["backup"]
        assert not list(settings.data_dir.glob(".restore-*"))
        with closing(Database(settings)) as db:
            assert checks.findings(db) == []
        for aside in settings.data_dir.glob("eventapi.db.before-restore-????????T??????Z*"):
            assert aside.stat().st_nlink == 1, "no second name of the database is left"
        number += 1
    assert number > 8


@pytest.mark.processes
@pytest.mark.parametrize(
    "mount",
    [
        "mount -t tmpfs none {0}/data/files",
        "mount --bind {0}/other {0}/data/files",
        "mount -t tmpfs none {0}/other; rm -r {0}/data/files; ln -s {0}/other {0}/data/files",
    ],
)
def test_a_restore_works_if_files_is_a_mount_of_its_own_also_after_it_was_killed(tmp_path, mount):
    for name in ("data/files", "other"):
        (tmp_path / name).mkdir(parents=True)
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-ec"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*alone, mount.format(tmp_path)], capture_output=True).returncode
    ):
        pytest.skip("this user cannot mount file systems")
    program = (
        f"from tests.storage import test_backup; test_backup.restore_in_a_mount({str(tmp_path)!r})"
    )
    done = subprocess.run(
        [
            *alone,
            f'{mount.format(tmp_path)}; mkdir {tmp_path}/data/files/lost+found; exec "$@"',
            "sh",
            sys.executable,
            "-c",
            program,
        ],
        env=processes.environment(tmp_path / "data"),
        cwd=processes.ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def restore_in_a_mount(folder):
    """Restore a backup again and again, killed one step later each time, until a restore is not
    killed.
    """
    data, file = Path(folder) / "data", Path(folder) / "backup.tar"
    assert processes.eventapi(data, "migrate").returncode == 0, "lost+found is nothing of eventapi"
    settings, whole, number = configuration.load(), False, 0
    old, kept = files.store(settings, b"old"), files.store(settings, b"in both")
    add_document(settings, "backup", kept)
    backups.create(settings, file)
    add_document(settings, "present", old)
    while not whole:
        child = os.fork()
        if not child:
            killed_at(number)
            try:
                restoring.restore(settings, file, force=True)
                os._exit(0)
            finally:
                os._exit(1)
        status, number = os.waitpid(child, 0)[1], number + 1
        whole = not os.WIFSIGNALED(status)
        assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL
        with closing(Database(settings)) as db:
            used = {row[0] for row in db.connection.execute("SELECT sha256 FROM documents")}
        assert used and files.missing(settings, used) == []
    assert number > 8 and documents(settings) == ["backup"]
    assert not list(data.glob(".restore-*")) and not list(data.glob("files/.restore-*"))
    assert files.path(settings, old).relative_to(settings.files) in {
        kept.relative_to(place)
        for place in data.glob("files/.before-restore-*")
        for kept in place.glob("*/*")
    }
    with closing(Database(settings)) as db:
        assert checks.findings(db) == []


def documents(settings):
    """Return the titles of the documents."""
    with closing(Database(settings)) as db:
        return [row[0] for row in db.connection.execute("SELECT title FROM documents ORDER BY id")]


def add_document(settings, title, sha256):
    """Add a document with a stored file."""
    with closing(Database(settings)) as db, db.write():
        db.connection.execute(
            """
            INSERT INTO documents (title, entity_type, entity_id, sha256, size, content_type, is_contract, created_at,
              updated_at) VALUES (?, 'contact', 1, ?, 3, 'application/pdf', 0, ?, ?)""",
            (title, sha256, db.now, db.now),
        )
        journal.administered(db, entities.TENANT, "tested")
