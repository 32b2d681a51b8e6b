"""Nightly backups: verified by a trial restore, and only deleted when newer verified ones hold
their changes.
"""

import errno
import os
from types import SimpleNamespace

import pytest

from eventapi import cli
from eventapi.domain.upkeep import nightly, restoring
from eventapi.storage import backups, files, process_locks
from eventapi.storage.backups import BackupError
from eventapi.storage.errors import Full
from tests.domain.test_check import stored_for

DAY = 24 * 3600


@pytest.fixture
def night(settings, monkeypatch):
    """Return a function that makes the nightly backup of a night; the nights before grow older by
    days.
    """
    nights = []

    def make(days=1):
        nights.append(days)
        monkeypatch.setattr(backups, "stamp", lambda: f"2026{len(nights):04}T023000Z")
        age(settings, days)
        return nightly.back_up(settings)[0]

    return make


def age(settings, days):
    if settings.backups.exists():
        for file in settings.backups.glob("*.tar"):
            seconds = file.stat().st_mtime - days * DAY
            os.utime(file, (seconds, seconds))


def kept(settings):
    return sorted(file.name for file in settings.backups.iterdir())


def test_a_nightly_backup_is_restored_and_checked_and_marked(settings, organiser, night):
    organiser.make("/events", {"title": "Fair"})
    made = night()
    assert kept(settings) == [made.name, f"{made.name}.verified"], "nothing else is left"


def test_backups_are_deleted_after_keep_days_but_never_the_last_five_verified_ones(
    settings, organiser, night
):
    organiser.make("/events", {"title": "Fair"})
    made = [night(days=100) for _ in range(5)]
    assert kept(settings) == sorted(
        [file.name for file in made] + [f"{file.name}.verified" for file in made]
    )
    made.append(night(days=100))
    assert kept(settings) == sorted(
        [file.name for file in made[1:]] + [f"{file.name}.verified" for file in made[1:]]
    )
    young = [night(days=0) for _ in range(6)]
    assert all(file.exists() for file in young), "keep_days has not passed"


def test_failed_backups_do_not_count_and_delete_nothing(settings, organiser, night, monkeypatch):
    organiser.make("/events", {"title": "Fair"})
    made = [night(days=100) for _ in range(5)]
    monkeypatch.setattr(
        nightly.checks, "contents", lambda db, _: [("money", "the sums of invoice 5 are wrong")]
    )
    for _ in range(7):
        with pytest.raises(BackupError, match=r"no older backup was deleted.*invoice 5"):
            night(days=100)
    assert all(file.exists() for file in made)
    assert len(list(settings.backups.glob("*.verified"))) == 5


@pytest.mark.parametrize("name", ["webhooks", "mail", "bulk imports"])
def test_work_that_failed_says_nothing_against_a_backup(
    settings, organiser, night, monkeypatch, name
):
    monkeypatch.setattr(nightly.checks, "contents", lambda db, _: [(name, "one is late")])
    assert nightly._mark(night()).exists()


def test_a_damaged_stored_file_is_in_the_backup_but_the_backup_is_not_verified(
    settings, organiser, db, night
):
    contact = organiser.make("/contacts", {"last_name": "Lovelace"})
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 5}],
        },
    )
    sha256 = stored_for(db, invoice)
    files.path(settings, sha256).write_bytes(b"%PDF-1.8")
    with pytest.raises(BackupError, match=f"was written, but .*{sha256} was changed"):
        night()
    assert [file.suffix for file in settings.backups.iterdir()] == [".tar"]


def test_a_new_backup_that_is_damaged_on_the_disk_is_not_verified(
    settings, organiser, night, monkeypatch
):
    organiser.make("/events", {"title": "Fair"})
    made = [night(days=100) for _ in range(5)]
    create = backups.create

    def rot(config, target, report):
        manifest = create(config, target, report)
        data = bytearray(target.read_bytes())
        data[20_000] ^= 1
        target.write_bytes(data)
        return manifest

    monkeypatch.setattr(backups, "create", rot)
    with pytest.raises(BackupError, match="no older backup was deleted"):
        night(days=100)
    assert all(file.exists() for file in made)


def test_a_damaged_database_deletes_nothing(settings, organiser, db, night):
    made = [night(days=100) for _ in range(5)]
    db.connection.executescript("""
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET rootpage = 2 WHERE name IN ('events', 'contacts'); PRAGMA writable_schema = RESET;""")
    with pytest.raises(BackupError, match="damaged"):
        night(days=100)
    assert all(file.exists() for file in made)


def test_too_little_space_for_the_trial_keeps_the_backup_and_deletes_nothing(
    settings, organiser, night, monkeypatch
):
    made = [night(days=100) for _ in range(5)]
    free = iter([10**12, 1000])
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _: SimpleNamespace(free=next(free)))
    with pytest.raises(BackupError, match=r"was written.*no older backup was deleted.*free space"):
        night(days=100)
    assert all(file.exists() for file in made) and len(list(settings.backups.glob("*.tar"))) == 6


def test_too_little_space_for_a_backup_is_found_before_anything_is_written(
    settings, organiser, night, monkeypatch
):
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(Full, match=r"MB of free space, but .* are needed.*backup_dir"):
        night()
    assert kept(settings) == []


def test_backups_of_a_new_database_never_displace_those_of_the_old_one(
    settings, organiser, night, template, monkeypatch
):
    organiser.make("/events", {"title": "Fair"})
    old = night(days=100)
    for file in settings.data_dir.glob("eventapi.db*"):
        file.unlink()
    settings.database.write_bytes(template)
    for _ in range(8):
        night(days=100)
    assert old.exists() and not (settings.backups / "eventapi-20260002T023000Z.tar").exists()
    monkeypatch.setattr(backups, "stamp", lambda: "20270101T023000Z")
    assert nightly.back_up(settings)[1] == [old]


def test_a_backup_of_a_branch_that_a_restore_has_left_is_kept(settings, organiser, night):
    organiser.make("/events", {"title": "Fair"})
    first = night(days=100)
    organiser.make("/events", {"title": "lost by the restore"})
    left = night(days=100)
    organiser.app.app.connections.close()
    restoring.restore(settings, first, force=True)
    for _ in range(6):
        night(days=100)
    assert left.exists() and not first.exists()


def test_old_backups_that_cannot_be_read_are_deleted(settings, organiser, night):
    settings.backups.mkdir()
    junk = settings.backups / "eventapi-20200101T000000Z.tar"
    other = settings.backups / "before-migration-from-1.tar"
    for file in (junk, other):
        file.write_text("old")
        os.utime(file, (0, 0))
    for _ in range(5):
        assert junk.exists()
        night()
    assert not junk.exists() and other.exists()


def upgrade(settings, stamp, days):
    """Make a backup as a migration does, and let it be some days old."""
    file = settings.backups / f"before-migration-from-25-{stamp}.tar"
    backups.create(settings, file)
    seconds = file.stat().st_mtime - days * DAY
    os.utime(file, (seconds, seconds))
    return file


def test_an_old_backup_before_a_migration_is_deleted_like_a_nightly_one(settings, organiser, night):
    organiser.make("/events", {"title": "Fair"})
    settings.backups.mkdir()
    old = upgrade(settings, "20250101T000000Z", 100)
    young = upgrade(settings, "20250102T000000Z", 1)
    for _ in range(5):
        assert old.exists(), "it may be the last good one until five newer ones are verified"
        night(days=0)
    assert not old.exists() and young.exists()


def test_a_backup_before_a_migration_with_changes_of_its_own_is_kept_and_named(
    settings, organiser, night, template, monkeypatch
):
    organiser.make("/events", {"title": "only in this backup"})
    settings.backups.mkdir()
    other = upgrade(settings, "20250101T000000Z", 100)
    for file in settings.data_dir.glob("eventapi.db*"):
        file.unlink()
    settings.database.write_bytes(template)
    for _ in range(5):
        night(days=0)
    monkeypatch.setattr(backups, "stamp", lambda: "20270101T023000Z")
    assert nightly.back_up(settings)[1] == [other] and other.exists()


def test_an_old_backup_that_may_not_be_opened_is_kept_and_named(
    settings, organiser, night, monkeypatch
):
    """It may be a good one: root has made it, or the disk of the backups fails for a moment."""
    old, opened = night(days=100), nightly.open_regular

    def refusing(path, *more):
        if str(path) == str(old):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *more)

    for _ in range(4):
        night(days=100)
    age(settings, 100)
    monkeypatch.setattr(nightly, "open_regular", refusing)
    monkeypatch.setattr(backups, "stamp", lambda: "20270101T023000Z")
    assert nightly.back_up(settings)[1] == [old] and old.exists()


def test_what_killed_backups_have_left_is_removed_but_not_while_one_runs(
    settings, organiser, night
):
    settings.backups.mkdir()
    left = [settings.backups / ".eventapi-backup-a", settings.backups / ".eventapi-check-b"]
    for folder in left:
        folder.mkdir()
        (folder / "eventapi.db").write_bytes(b"a whole copy")
    partials = [
        settings.backups / f"{name}-20260101T000000Z.tar.partial"
        for name in ("eventapi", "before-migration-from-25")
    ]
    for partial in partials:
        partial.write_bytes(b"half")
    with process_locks.scratch(settings.backups, process_locks.COPY) as used:
        night()
        assert used.exists()
    assert not any(path.exists() for path in (*left, *partials))


def test_the_command_says_what_is_wrong_and_fails(settings, organiser, monkeypatch, capsys):
    monkeypatch.setattr("eventapi.config.load", lambda file: settings)
    assert cli.main(["backup"]) == 0
    monkeypatch.setattr(
        nightly.checks, "contents", lambda db, _: [("money", "the sums of invoice 5 are wrong")]
    )
    monkeypatch.setattr(backups, "stamp", lambda: "20270101T000000Z")
    assert cli.main(["backup"]) == 1
    assert "no older backup was deleted" in capsys.readouterr().err
    files.path(settings, files.store(settings, b"a file")).write_bytes(b"another")
    assert cli.main(["backup", str(settings.data_dir / "by-hand.tar")]) == 0
    assert (
        "damaged before" in capsys.readouterr().err and (settings.data_dir / "by-hand.tar").exists()
    )
