"""The file store: bytes under DATA_DIR/files, named by their sha256, written once and never changed.

A file is there before the row that names it, so a crash leaves at most a file without a row, which `sweep` takes away.
"""
import fcntl
import hashlib
import os
import re
import secrets
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from eventapi.storage.errors import translated

NAME = re.compile(r"[0-9a-f]{64}")
FOLDER = re.compile(r"[0-9a-f]{2}")
UNFINISHED = ".tmp"
PIECE = 64 * 1024
HEAD = 512                  # bytes from the beginning, enough to judge what a file is


class TooLarge(Exception):
    """More came than is allowed; its argument is the limit in bytes."""


@dataclass(frozen=True)
class Upload:
    """Bytes that have come and are on the disk, still under a temporary name."""
    path: Path
    sha256: str
    size: int
    head: bytes


def path(config, sha256):
    """Where the bytes of this hash lie, or would lie."""
    if not NAME.fullmatch(sha256):
        raise ValueError("not the sha256 of a file")
    return config.files / sha256[:2] / sha256[2:]


@translated
def store(config, data):
    """Store the bytes and return their sha256. Raise Full or ReadOnly if the disk does not take them.

    Bytes that are there already are not written again, unless the file was damaged. The row that names it has a day to
    come before the sweep takes the file.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    target = path(config, sha256)
    for folder in (config.files, target.parent):
        folder.mkdir(mode=0o750, exist_ok=True)
    with _locked(config, fcntl.LOCK_SH):
        if verify(config, sha256):
            os.utime(target)                        # young again: the sweep must wait for the row of this time
        else:
            _write(target, data)
    for folder in (target.parent, config.files, config.data_dir):
        sync_folder(folder)                               # also where another request has just made it and may not have synced yet
    return sha256


@contextmanager
def received(config, stream, limit):
    """Takes a stream in, piece by piece, as an Upload, which is gone afterwards unless `keep` was called for it.

    Raise TooLarge, Full, ReadOnly, or what the stream raises.
    """
    folder = config.files / "00"                          # a folder of the store, so that the sweep finds what a crash leaves
    unfinished = _temporary(folder)
    try:
        with translated:
            for place in (config.files, folder):
                place.mkdir(mode=0o750, exist_ok=True)
            with _opened(unfinished) as file:
                upload = _received(stream, file, unfinished, limit)
        yield upload
    finally:
        unfinished.unlink(missing_ok=True)


@translated
def keep(config, upload):
    """Keeps what was received for good and gives its sha256. As with `store`, the row that names it has a day to come."""
    target = path(config, upload.sha256)
    target.parent.mkdir(mode=0o750, exist_ok=True)
    with _locked(config, fcntl.LOCK_SH):
        os.utime(upload.path)
        os.replace(upload.path, target)
    for folder in (target.parent, config.files, config.data_dir):
        sync_folder(folder)
    return upload.sha256


def store_stream(config, stream, limit):
    """Keeps what a stream gives, in bounded memory; gives the Upload."""
    with received(config, stream, limit) as upload:
        keep(config, upload)
    return upload


def _received(stream, file, place, limit):
    hashing, size, head = hashlib.sha256(), 0, b""
    while piece := stream.read(PIECE):
        size += len(piece)
        if size > limit:
            raise TooLarge(limit)
        hashing.update(piece)
        head += piece[:HEAD - len(head)] if len(head) < HEAD else b""
        file.write(piece)
    file.flush()
    os.fsync(file.fileno())
    return Upload(place, hashing.hexdigest(), size, head)


@contextmanager
def claimed(config, sha256):
    """Whether a file is ours to work on: to one at a time, and no longer than its process lives."""
    with open(path(config, sha256), "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@translated
def read(config, sha256):
    """The bytes; raises FileNotFoundError."""
    return path(config, sha256).read_bytes()


def verify(config, sha256):
    """Whether the file is there and its bytes still have this hash."""
    try:
        with open(path(config, sha256), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except FileNotFoundError:
        return False


def missing(config, used):
    """The hashes among `used` that have no file."""
    return [sha256 for sha256 in used if not path(config, sha256).is_file()]


def all_stored(config):
    """(sha256, path, mtime) of every file."""
    for entry in _entries(config):
        sha256 = os.path.basename(os.path.dirname(entry.path)) + entry.name
        if NAME.fullmatch(sha256):
            with suppress(FileNotFoundError):       # gone since the folder was read
                yield sha256, config.files / entry.path, entry.stat().st_mtime


def unfinished(config):
    """(path, mtime) of what is being written, or was when a process died."""
    for entry in _entries(config):
        if entry.name.endswith(UNFINISHED):
            with suppress(FileNotFoundError):       # finished since the folder was read
                yield config.files / entry.path, entry.stat().st_mtime


def sweep(config, used, older_than_seconds):
    """Removes old files that are not in `used`, and what crashes left half written; gives how many. Needs the write lock."""
    limit = time.time() - older_than_seconds
    doomed = [file for sha256, file, changed in all_stored(config) if sha256 not in used and changed < limit]
    doomed += [file for file, changed in unfinished(config) if changed < limit]
    return sum(_remove_old(config, file, limit) for file in doomed)


def _remove_old(config, file, limit):
    with _locked(config, fcntl.LOCK_EX):            # a store of the same bytes may have made it young since it was listed
        try:
            old = file.stat().st_mtime < limit
        except FileNotFoundError:
            return False
        if old:
            file.unlink()
        return old


def _entries(config):
    """What lies in the folders of the store."""
    try:
        folders = sorted(folder.path for folder in os.scandir(config.files) if FOLDER.fullmatch(folder.name))
    except FileNotFoundError:
        return
    for folder in folders:
        with os.scandir(folder) as entries:
            yield from entries


def _write(target, data):
    """Under a temporary name first, so that the final name never shows half a file."""
    unfinished = _temporary(target.parent)
    try:
        with _opened(unfinished) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _temporary(folder):
    return folder / f"{secrets.token_hex(8)}{UNFINISHED}"


def _opened(unfinished):
    return open(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o640), "wb")


def sync_folder(folder):
    """Makes the names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(config, kind):
    """Between those who store and the sweep, over all processes."""
    handle = os.open(config.files, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, kind)
        yield
    finally:
        os.close(handle)
