"""Links, pipes and folders in place of files of the data directory: each opener refuses them and
touches no target.
"""

import os
import stat
from contextlib import closing

import pytest

from eventapi.domain.upkeep import checks
from eventapi.storage import backups, files, process_locks, write_lock
from eventapi.storage.errors import StorageError
from eventapi.web import downloads

CONTENT = b"%PDF-1.7 an invoice"
REFUSAL = "and not a regular file"
REFUSED = (OSError, StorageError)


def replace_by_link(path, target):
    target.write_bytes(b"a secret of somebody else")
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def replace_by_dangling_link(path, target):
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def replace_by_pipe(path, target):
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.fixture(params=[replace_by_link, replace_by_dangling_link, replace_by_pipe])
def replace(request, tmp_path):
    """Return a function that puts something else in place of a file.

    Afterwards the target of a link is unchanged.
    """
    target = tmp_path / "target"
    yield lambda path: request.param(path, target)
    if request.param is replace_by_link:
        assert target.read_bytes() == b"a secret of somebody else"
        assert stat.S_IMODE(target.stat().st_mode) != 0o600 and target.stat().st_nlink == 1
    else:
        assert not target.exists()


@pytest.mark.parametrize(
    "acquire", [process_locks.together, process_locks.alone, process_locks.mailing]
)
def test_a_process_lock_is_a_regular_file(settings, replace, acquire):
    kind = "mailing" if acquire is process_locks.mailing else "running"
    replace(settings.data_dir / f"eventapi.{kind}")
    with pytest.raises(REFUSED, match=REFUSAL):
        acquire(settings)


def test_the_lock_of_the_database_is_a_regular_file(tmp_path, replace):
    replace(tmp_path / "eventapi.db.lock")
    with pytest.raises(REFUSED, match=REFUSAL):
        write_lock.WriteLock(str(tmp_path / "eventapi.db")).acquire(timeout=1)


@pytest.mark.parametrize(
    "opened",
    [
        files.read,
        files.head,
        files.size,
        lambda config, sha256: files.claimed(config, sha256).__enter__(),
        lambda config, sha256: downloads.FileRange(files.path(config, sha256), 0, 10),
    ],
)
def test_a_stored_file_is_a_regular_file(settings, replace, opened):
    sha256 = files.store(settings, CONTENT)
    replace(files.path(settings, sha256))
    with pytest.raises(REFUSED, match=REFUSAL):
        opened(settings, sha256)


def test_the_check_reports_a_stored_file_that_is_none(settings, replace):
    sha256 = files.store(settings, CONTENT)
    replace(files.path(settings, sha256))
    assert [sentence for sentence in checks.damaged_files(settings, {sha256}) if sha256 in sentence]


def test_storing_the_bytes_again_replaces_what_is_no_file(settings, replace):
    sha256 = files.store(settings, CONTENT)
    replace(files.path(settings, sha256))
    files.store(settings, CONTENT)
    assert files.read(settings, sha256) == CONTENT and not files.path(settings, sha256).is_symlink()


def test_the_sweep_removes_what_is_no_file(settings, replace):
    place = files.path(settings, files.store(settings, CONTENT))
    replace(place)
    assert files.sweep(settings, set(), -10) == 1 and not os.path.lexists(place)


def test_a_backup_refuses_stored_files_that_are_none(settings, organiser, replace, tmp_path):
    sha256 = files.store(settings, CONTENT)
    replace(files.path(settings, sha256))
    with pytest.raises(REFUSED, match=REFUSAL):
        backups.create(settings, tmp_path / "backup.tar")
    assert not list(tmp_path.glob("backup.tar*"))


def test_the_partial_file_of_a_backup_is_a_regular_file(settings, organiser, replace, tmp_path):
    replace(tmp_path / "backup.tar.partial")
    with pytest.raises(REFUSED, match=REFUSAL):
        backups.create(settings, tmp_path / "backup.tar")
    assert not (tmp_path / "backup.tar").exists()


def test_a_link_at_the_place_of_a_backup_is_not_replaced(settings, organiser, tmp_path):
    (tmp_path / "backup.tar").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(backups.BackupError, match="already exists"):
        backups.create(settings, tmp_path / "backup.tar")
    assert (tmp_path / "backup.tar").is_symlink()


def test_a_lock_is_not_followed_by_its_own_process(settings):
    """The same opener still opens regular files."""
    with closing(process_locks.together(settings)), closing(process_locks.together(settings)):
        assert stat.S_ISREG(os.lstat(settings.data_dir / "eventapi.running").st_mode)
