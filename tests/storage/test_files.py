"""The file store."""

import errno
import hashlib
import io
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from eventapi.storage import files
from eventapi.storage.errors import Full

DAY = 86400


@pytest.fixture
def stored(settings):
    return files.store(settings, b"a signed contract")


def names(settings):
    return sorted(
        str(file.relative_to(settings.files))
        for file in settings.files.rglob("*")
        if file.is_file()
    )


def make_old(path):
    os.utime(path, (time.time() - 2 * DAY,) * 2)


def test_a_file_is_stored_under_its_hash(settings, stored):
    assert stored == hashlib.sha256(b"a signed contract").hexdigest()
    assert files.read(settings, stored) == b"a signed contract"
    assert files.path(settings, stored) == settings.files / stored[:2] / stored[2:]
    assert names(settings) == [f"{stored[:2]}/{stored[2:]}"]


def test_others_cannot_read_the_files(settings, stored):
    path = files.path(settings, stored)
    for place, most in ((path, 0o640), (path.parent, 0o750), (settings.files, 0o750)):
        assert stat.S_IMODE(place.stat().st_mode) & ~most == 0


def test_storing_the_same_bytes_again_keeps_one_file_and_updates_its_time(settings, stored):
    path = files.path(settings, stored)
    make_old(path)
    before = path.stat()
    assert files.store(settings, b"a signed contract") == stored
    assert path.stat().st_ino == before.st_ino and path.stat().st_mtime > before.st_mtime
    assert len(names(settings)) == 1


def test_an_empty_file_can_be_stored(settings):
    assert files.read(settings, files.store(settings, b"")) == b""


def test_a_damaged_file_is_detected_and_repaired_by_storing_it_again(settings, stored):
    files.path(settings, stored).write_bytes(b"a singed contract")
    assert not files.verify(settings, stored)
    files.store(settings, b"a signed contract")
    assert files.verify(settings, stored)


def test_missing_names_the_files_that_are_gone(settings, stored):
    gone = hashlib.sha256(b"gone").hexdigest()
    assert files.missing(settings, [stored, gone]) == [gone]
    assert not files.verify(settings, gone)
    with pytest.raises(FileNotFoundError):
        files.read(settings, gone)


@pytest.mark.parametrize(
    "name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n", "a" * 62 + "/.."]
)
def test_only_a_hash_names_a_file(settings, name):
    with pytest.raises(ValueError):
        files.path(settings, name)


def test_a_full_disk_raises_full_and_leaves_nothing_behind(settings, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(Full):
        files.store(settings, b"too much")
    assert names(settings) == []


@pytest.mark.processes
def test_a_temporary_file_left_by_a_crash_is_deleted_by_the_sweep(settings):
    dies = (
        "import os, sys; from eventapi import config; from eventapi.storage import files; os.replace = lambda "
        "*_: os._exit(9); "
    )
    dies += "files.store(config.load(sys.argv[1], data_dir=sys.argv[2]), b'half way')"
    ended = subprocess.run(
        [sys.executable, "-c", dies, settings.data_dir / "eventapi.conf", settings.data_dir],
        cwd=Path(files.__file__).parents[2],
    )
    assert ended.returncode == 9
    (left,) = names(settings)
    assert left.endswith(".tmp") and list(files.all_stored(settings)) == []
    assert files.sweep(settings, set(), DAY) == 0  # its writer may still be working
    make_old(settings.files / left)
    assert files.sweep(settings, set(), DAY) == 1 and names(settings) == []


def test_the_sweep_deletes_only_old_files_without_a_row(settings, stored):
    orphan, young = files.store(settings, b"orphan"), files.store(settings, b"young")
    make_old(files.path(settings, stored))
    make_old(files.path(settings, orphan))
    assert files.sweep(settings, {stored}, DAY) == 1
    assert {sha256 for sha256, _, _ in files.all_stored(settings)} == {stored, young}
    assert files.missing(settings, [orphan]) == [orphan]


def test_the_sweep_keeps_a_file_that_was_stored_again_since_it_was_listed(
    settings, stored, monkeypatch
):
    make_old(files.path(settings, stored))
    listed = list(files.all_stored(settings))
    monkeypatch.setattr(files, "all_stored", lambda config: listed)
    files.store(settings, b"a signed contract")
    assert files.sweep(settings, set(), DAY) == 0 and files.verify(settings, stored)


def test_foreign_files_are_not_changed(settings, stored):
    for name in ("README", f"{stored[:2]}/notes.txt"):
        (settings.files / name).write_text("by hand")
        make_old(settings.files / name)
    assert [sha256 for sha256, _, _ in files.all_stored(settings)] == [stored]
    assert files.sweep(settings, {stored}, DAY) == 0


def test_an_installation_without_files_has_none(settings):
    assert list(files.all_stored(settings)) == [] and files.sweep(settings, set(), DAY) == 0


def test_concurrent_stores_and_sweeps_lose_no_file(settings):
    done = []

    def work(number):
        for turn in range(20):
            data = b"%d" % (turn % 5)
            done.append(files.verify(settings, files.store(settings, data)))
            files.sweep(settings, set(), DAY)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert done == [True] * 80 and len(names(settings)) == 5


class Stream(io.BytesIO):
    """A stream that records how much is read at once."""

    most = 0

    def read(self, size=-1):
        self.most = max(self.most, size if size >= 0 else 2**40)
        return super().read(size)


def store_stream(settings, stream, limit):
    with files.received(settings, stream, limit) as upload:
        files.keep(settings, upload)
    return upload


def test_a_stream_is_stored_in_chunks(settings):
    data = os.urandom(300_000)
    stream = Stream(data)
    upload = store_stream(settings, stream, 300_000)
    assert (upload.sha256, upload.size, upload.head) == (
        hashlib.sha256(data).hexdigest(),
        300_000,
        data[: files.HEAD],
    )
    assert files.read(settings, upload.sha256) == data and stream.most <= files.PIECE
    assert names(settings) == [f"{upload.sha256[:2]}/{upload.sha256[2:]}"]
    assert stat.S_IMODE(files.path(settings, upload.sha256).stat().st_mode) & ~0o640 == 0


def test_a_stream_that_is_too_long_or_breaks_leaves_nothing(settings):
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            if self.tell_once:
                raise ConnectionResetError
            self.tell_once = True
            return b"x" * 1000

        tell_once = False

    with pytest.raises(files.TooLarge):
        store_stream(settings, io.BytesIO(b"x" * 1001), 1000)
    with pytest.raises(ConnectionResetError):
        store_stream(settings, Broken(), 5000)
    assert names(settings) == []


def test_a_received_file_that_is_not_kept_is_deleted(settings):
    with files.received(settings, io.BytesIO(b"refused"), 100) as upload:
        assert upload.path.read_bytes() == b"refused"
    assert names(settings) == []


def test_concurrent_uploads_of_the_same_stream_store_one_complete_file(settings):
    data = os.urandom(200_000)
    threads = [
        threading.Thread(target=store_stream, args=(settings, io.BytesIO(data), 10**6))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (
        len(names(settings)) == 1 and files.read(settings, hashlib.sha256(data).hexdigest()) == data
    )


@pytest.mark.processes
def test_the_partial_file_of_a_killed_upload_is_swept(settings):
    dies = "import io, os, sys; from eventapi import config; from eventapi.storage import files\n"
    dies += "class Dying(io.BytesIO):\n  def read(self, size):\n    return super().read(10) or os._exit(9)\n"
    dies += "files.received(config.load(sys.argv[1], data_dir=sys.argv[2]), Dying(b'half a file'), 1000).__enter__()"
    ended = subprocess.run(
        [sys.executable, "-c", dies, settings.data_dir / "eventapi.conf", settings.data_dir],
        cwd=Path(files.__file__).parents[2],
    )
    assert ended.returncode == 9
    (left,) = names(settings)
    assert left.endswith(".tmp") and list(files.all_stored(settings)) == []
    make_old(settings.files / left)
    assert files.sweep(settings, set(), DAY) == 1 and names(settings) == []
