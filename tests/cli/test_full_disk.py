"""A full disk: `eventapi` and /healthz say so, also where no byte is left, and no longer when there
is room again.
"""

import errno
import os
import subprocess
from contextlib import ExitStack, closing, suppress
from types import ModuleType, SimpleNamespace

import pytest
import webtest

from eventapi.app import App
from eventapi.cli import status
from eventapi.storage import disk
from eventapi.storage.database import Database
from eventapi.storage.errors import Full
from eventapi.storage.group_commit import Writer
from eventapi.worker import Worker
from tests.cli.test_status import complete
from tests.support.client import SCOPES, Client, add_key, make_settings


@pytest.fixture
def looked_at(run, monkeypatch):
    """Return a function that calls `eventapi` for some settings, and returns its exit status and
    its text.

    The installation lacks nothing, and its server responds.
    """
    monkeypatch.setattr(status.hybrid, "obstacle", lambda: None)
    monkeypatch.setattr(status, "_checkout", lambda: None)
    monkeypatch.setattr(status, "_responds", lambda *_: True)

    def look(settings):
        monkeypatch.setenv("EVENTAPI_DATA_DIR", str(settings.data_dir))
        monkeypatch.setenv("EVENTAPI_CONFIG", str(settings.file))
        code, lines, error = run()
        assert error == ""
        return code, "\n".join(lines)

    return look


class Disk:
    """A file system of 60 MB in memory, with an installation on it, and a file that fills it."""

    def __init__(self, folder, template):
        self.folder, self.filler = folder, folder / "filler"
        self.settings = make_settings(folder, template)
        self.db = Database(self.settings)
        complete(self.db, self.settings, folder)
        self.app = App(self.settings)
        self.client = Client(webtest.TestApp(self.app), add_key(self.db, SCOPES))

    def fill(self, left=0):
        """Leave so many bytes free."""
        with open(self.filler, "wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * 4096)
        os.truncate(self.filler, max(0, self.filler.stat().st_size - left))

    @property
    def health(self):
        return self.client.app.get("/healthz", status=200).json["disk"]


@pytest.fixture
def small(tmp_path_factory, template):
    folder = tmp_path_factory.mktemp("disk")
    if (
        os.geteuid()
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", folder], capture_output=True
        ).returncode
    ):
        pytest.skip("this user may not mount a file system")
    with ExitStack() as stack:
        stack.callback(subprocess.run, ["umount", "--lazy", folder], check=True)
        small = Disk(folder, template)
        stack.callback(small.app.connections.close)
        stack.callback(small.db.close)
        yield small


def test_without_a_free_byte_status_is_1_and_0_when_there_is_room_and_a_write_has_succeeded(
    small, looked_at
):
    assert looked_at(small.settings)[0] == 0 and small.health == "ok"
    small.client.make("/contacts", {"last_name": "Lovelace"})
    small.fill()
    refused = small.client.post(
        "/bulk-import/contacts",
        {
            "records": [
                {"last_name": f"P {number}", "email": f"p{number}@example.org", "notes": "n" * 900}
                for number in range(1500)
            ]
        },
    )
    assert refused.status_int == 507
    code, text = looked_at(small.settings)
    assert (
        code == 1
        and f"Free space: 0 MB on {small.folder}. Writes are refused. Make room outside of" in text
    )
    assert small.health == "full"
    assert len(small.client.get("/contacts", status=200).json["data"]) == 1, "reads go on"
    small.filler.unlink()
    assert looked_at(small.settings)[0] == 1, "nobody knows yet whether a write succeeds"
    small.client.make("/contacts", {"last_name": "Byron"})
    assert looked_at(small.settings)[0] == 0 and small.health == "ok"


def test_a_disk_with_little_space_is_urgent_before_writes_are_refused(small, looked_at):
    small.fill(left=12_000_000)
    code, text = looked_at(small.settings)
    assert code == 1 and f"Free space: 12 MB on {small.folder}. Soon, writes are refused." in text
    assert small.health == "low"
    small.client.make("/contacts", {"last_name": "Lovelace"})
    small.fill(left=34_000_000)
    assert looked_at(small.settings)[0] == 0 and small.health == "ok"


def test_a_backup_that_does_not_fit_is_urgent(small, looked_at):
    (small.settings.files / "ab").mkdir(parents=True)
    with open(small.settings.files / "ab" / ("c" * 62), "wb") as file:
        file.write(bytes(16_000_000))
    code, text = looked_at(small.settings)
    assert code == 0, text
    small.fill(left=33_000_000)
    code, text = looked_at(small.settings)
    assert code == 1 and "The next backup does not fit: " in text and "MB are needed" in text
    assert small.health == "ok"


# The mark


def mark(settings):
    return (settings.data_dir / "eventapi.full").exists()


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device", "/x")


@pytest.mark.parametrize("kind", [Database, Writer])
def test_the_mark_is_set_by_a_write_that_finds_no_space_and_removed_by_the_next_one(settings, kind):
    with closing(kind(settings)) as db, closing(kind(settings)) as other:
        with pytest.raises(Full), db.write():
            full()
        assert mark(settings)
        with other.write():
            other.connection.execute("SELECT 1")
        assert mark(settings), "a transaction that changes nothing writes nothing"
        with other.write():
            other.connection.execute("UPDATE tenant SET id = id")
        assert not mark(settings)


def test_other_errors_set_no_mark(settings, db):
    for error in (OSError(errno.EIO, "x"), ValueError("x")):
        with pytest.raises(Exception, match="x"), db.write():
            raise error
    assert not mark(settings)


def test_a_mark_that_cannot_be_written_is_no_error_of_its_own(settings, db, monkeypatch, caplog):
    with monkeypatch.context() as patch, pytest.raises(Full, match="/x"), db.write():
        patch.setattr(disk.os, "open", full)
        full()
    assert "the full disk cannot be recorded" in caplog.text and not mark(settings)


def test_a_job_of_the_worker_that_finds_no_space_sets_the_mark(settings, db):
    job = ModuleType("job")
    job.EVERY, job.ON_CHANGE, job.run = 1, False, full
    worker = Worker(settings, jobs=(job,))
    worker.attempt(job, db)
    assert mark(settings)


def test_a_quota_is_named_if_the_disk_itself_has_space(settings, looked_at, db):
    complete(db, settings, settings.data_dir)
    disk.mark_full(settings.database)
    code, text = looked_at(settings)
    assert code == 1 and "Writes are refused." in text and "look at quotas, too" in text


# btrfs counts no inodes
@pytest.mark.parametrize(
    "facts, state",
    [
        ({"f_bavail": 8000, "f_favail": 9}, "ok"),
        ({"f_bavail": 7812, "f_favail": 9}, "low"),
        ({"f_bavail": 200, "f_favail": 9}, "full"),
        ({"f_bavail": 8000, "f_favail": 0}, "full"),
        ({"f_bavail": 8000, "f_favail": 0, "f_files": 0}, "ok"),
    ],
)
def test_the_state_follows_from_the_file_system(settings, monkeypatch, facts, state):
    """32 MB are 7812.5 blocks of 4,096 bytes."""
    monkeypatch.setattr(
        disk.os, "statvfs", lambda _: SimpleNamespace(**{"f_frsize": 4096, "f_files": 9, **facts})
    )
    assert disk.room(settings).state == state


def test_the_marks_of_two_tenants_are_their_own(tmp_path, template):
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        make_settings(folder, template)
    disk.mark_full(one / "eventapi.db")
    assert os.path.exists(one / "eventapi.full") and not os.path.exists(other / "eventapi.full")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EPERM])
def test_a_mark_that_cannot_be_removed_fails_no_write(organiser, settings, monkeypatch, code):
    """Some file systems refuse to remove a file while they are full.

    The write is stored, and must not be repeated.
    """
    real = os.unlink

    def refuse(path, *args, **options):
        if os.path.basename(path) == "eventapi.full":
            raise OSError(code, os.strerror(code), path)
        real(path, *args, **options)

    monkeypatch.setattr(disk.os, "unlink", refuse)
    organiser.make("/contacts", {"last_name": "Lovelace"})
    assert [contact["last_name"] for contact in organiser.data("/contacts")] == ["Lovelace"]


@pytest.mark.parametrize("put", [os.mkfifo, os.mkdir, lambda path: os.symlink("/nowhere", path)])
def test_what_is_no_file_in_place_of_the_mark_stops_nothing(organiser, settings, put):
    put(settings.data_dir / "eventapi.full")
    disk.mark_full(settings.database)
    organiser.make("/contacts", {"last_name": "Lovelace"})


def test_status_says_the_rest_if_the_folder_of_backups_is_not_for_this_user(
    looked_at, settings, monkeypatch
):
    def refuse(config):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(config.backups))

    monkeypatch.setattr(status.nightly, "require_space", refuse)
    assert str(settings.database) in looked_at(settings)[1]
