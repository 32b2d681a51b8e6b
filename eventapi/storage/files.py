"""The file store: files under DATA_DIR/files, named by the SHA-256 of their bytes.

A file is written once and never changed. It is stored before the row that names it is committed. A
crash leaves at most a file without a row, and `sweep` removes it.

All functions take the configuration and the hash as 64 hexadecimal digits. Those that write raise
Full or ReadOnly if the disk does not take the bytes.
"""

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from eventapi.paths import NotRegular, open_regular
from eventapi.storage.errors import Full, translated

if TYPE_CHECKING:
    from eventapi.config import Config

NAME = re.compile(r"[0-9a-f]{64}")
FOLDER = re.compile(r"[0-9a-f]{2}")
UNFINISHED = ".tmp"
PIECE = 64 * 1024  # bytes read at once
HEAD = 4096  # bytes from the beginning, enough to recognise the type of a file


class TooLarge(Exception):
    """The stream is longer than allowed. The argument is the limit in bytes."""


class Source(Protocol):
    """A source of bytes."""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, b"" at the end."""


@dataclass(frozen=True)
class Upload:
    """A received stream, on the disk under a temporary name.

    `head` are its first HEAD bytes, `size` is in bytes.
    """

    path: Path
    sha256: str
    size: int
    head: bytes


def path(config: "Config", sha256: str) -> Path:
    """Return the path of the file of this hash, whether it exists or not."""
    if not NAME.fullmatch(sha256):
        raise ValueError("not the SHA-256 of a file")
    return config.files / sha256[:2] / sha256[2:]


def opened(file: Path) -> BinaryIO:
    """Open a stored file for reading.

    Raise NotRegular if it is a link, and FileNotFoundError if it is missing.
    """
    return open(file, "rb", opener=open_regular)


@translated
def store(config: "Config", data: bytes) -> str:
    """Store the bytes, sync them to the disk and return their hash.

    A file with these bytes is not written again, unless it is damaged. The caller has a day to
    commit the row that names the file.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    target = path(config, sha256)
    for folder in (config.files, target.parent):
        folder.mkdir(mode=0o750, exist_ok=True)
    with _locked(config, fcntl.LOCK_SH):
        if verify(config, sha256):
            os.utime(target)  # `sweep` counts the day from now
        else:
            _write(target, data)
    for folder in (target.parent, config.files, config.data_dir):
        sync_folder(folder)  # also an existing one: its creator may not have synced it yet
    return sha256


@contextmanager
def received(config: "Config", stream: Source, limit: int) -> Iterator[Upload]:
    """Write a stream of at most `limit` bytes to the disk in bounded memory and yield it as an
    Upload.

    The file is removed after the block unless `keep` was called for it. Raise TooLarge, and what
    the stream raises.
    """
    # a folder of the store, so that `sweep` finds the file after a crash
    folder = config.files / "00"
    unfinished = _temporary(folder)
    try:
        with translated:
            for place in (config.files, folder):
                place.mkdir(mode=0o750, exist_ok=True)
            with _opened(unfinished) as file:
                upload = _received(stream, file, unfinished, limit)
            path(config, upload.sha256).parent.mkdir(mode=0o750, exist_ok=True)
            for place in (config.files, config.data_dir):
                sync_folder(place)  # here, since `keep` is called under the write lock
        yield upload
    finally:
        unfinished.unlink(missing_ok=True)


@translated
def keep(config: "Config", upload: Upload) -> str:
    """Move the received file into the store and return its hash.

    As with `store`, the caller has a day to commit the row.
    """
    target = path(config, upload.sha256)
    with _locked(config, fcntl.LOCK_SH):
        os.utime(upload.path)
        os.replace(upload.path, target)
    sync_folder(target.parent)
    return upload.sha256


@translated
def set_aside(config: "Config", upload: Upload, name: str) -> None:
    """Keep the received file under `name` until it is removed, at most for a day.

    It has a temporary name, so no backup contains it, and `sweep` removes it when it is old.
    """
    os.utime(upload.path)
    os.replace(upload.path, _aside(config, name))


def set_aside_as(config: "Config", prefix: str) -> dict[str, Path]:
    """Return {name: path} of the files that were set aside under names with this prefix."""
    found = _aside(config, "").parent.glob(f"{prefix}*{UNFINISHED}")
    return {file.name.removesuffix(UNFINISHED): file for file in found}


def _aside(config, name):
    return config.files / "00" / f"{name}{UNFINISHED}"


def _received(stream, file, place, limit):
    hashing, size, head = hashlib.sha256(), 0, b""
    while piece := stream.read(PIECE):
        size += len(piece)
        if size > limit:
            raise TooLarge(limit)
        hashing.update(piece)
        head += piece[: HEAD - len(head)] if len(head) < HEAD else b""
        file.write(piece)
    file.flush()
    os.fsync(file.fileno())
    return Upload(place, hashing.hexdigest(), size, head)


@contextmanager
def claimed(config: "Config", sha256: str) -> Iterator[bool]:
    """Yield true if this process holds the lock of the file.

    Only one process holds it, until the block or the process ends.
    """
    with opened(path(config, sha256)) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@translated
def read(config: "Config", sha256: str) -> bytes:
    """Return the bytes of a file. Raise FileNotFoundError if it is missing."""
    with opened(path(config, sha256)) as file:
        return file.read()


@translated
def head(config: "Config", sha256: str) -> bytes:
    """Return the first HEAD bytes of a file. Raise FileNotFoundError if it is missing."""
    with opened(path(config, sha256)) as file:
        return file.read(HEAD)


@translated
def size(config: "Config", sha256: str) -> int:
    """Return the size of a file in bytes. Raise FileNotFoundError if it is missing."""
    facts = os.lstat(path(config, sha256))
    if not stat.S_ISREG(facts.st_mode):
        raise NotRegular(path(config, sha256))
    return facts.st_size


def verify(config: "Config", sha256: str) -> bool:
    """Return whether the file exists, as a regular file, and its bytes still have this hash."""
    try:
        with opened(path(config, sha256)) as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except (FileNotFoundError, NotRegular):
        return False


def missing(config: "Config", used: Iterable[str]) -> list[str]:
    """Return the hashes among `used` that have no file."""
    return [sha256 for sha256 in used if not _is_regular(path(config, sha256))]


def _is_regular(file):
    try:
        return stat.S_ISREG(os.lstat(file).st_mode)
    except FileNotFoundError:
        return False


def all_stored(config: "Config") -> Iterator[tuple[str, Path, float]]:
    """Yield (hash, path, mtime) of every file."""
    for entry in _entries(config):
        sha256 = os.path.basename(os.path.dirname(entry.path)) + entry.name
        if NAME.fullmatch(sha256):
            with suppress(FileNotFoundError):  # removed since the folder was read
                yield sha256, config.files / entry.path, entry.stat(follow_symlinks=False).st_mtime


def unfinished(config: "Config") -> Iterator[tuple[Path, float]]:
    """Yield (path, mtime) of every file under a temporary name: it is being written, or its writer
    was killed.
    """
    for entry in _entries(config):
        if entry.name.endswith(UNFINISHED):
            with suppress(FileNotFoundError):  # finished since the folder was read
                yield config.files / entry.path, entry.stat(follow_symlinks=False).st_mtime


def sweep(config: "Config", used: Container[str], older_than_seconds: float) -> int:
    """Remove old files that are not in `used`, and old unfinished ones. Return their number.

    The caller must hold the write lock.
    """
    limit = time.time() - older_than_seconds
    doomed = [
        file
        for sha256, file, changed in all_stored(config)
        if sha256 not in used and changed < limit
    ]
    doomed += [file for file, changed in unfinished(config) if changed < limit]
    return sum(_remove_old(config, file, limit) for file in doomed)


def _remove_old(config, file, limit):
    # `store` of the same bytes may have touched it since it was listed
    with _locked(config, fcntl.LOCK_EX):
        try:
            old = file.lstat().st_mtime < limit
        except FileNotFoundError:
            return False
        if old:
            file.unlink()
        return old


def _entries(config):
    """Yield the directory entries in the folders of the store."""
    try:
        folders = sorted(
            folder.path for folder in os.scandir(config.files) if FOLDER.fullmatch(folder.name)
        )
    except FileNotFoundError:
        return
    for folder in folders:
        with os.scandir(folder) as entries:
            yield from entries


def _write(target, data):
    """Write under a temporary name first, so that the file never exists in part under its final
    name.
    """
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
    return open(
        os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o640), "wb"
    )


def require_space(folder: Path, size: int) -> None:
    """Raise Full unless the disk of the folder has `size` bytes of free space, and 5 % more."""
    needed, free = size * 21 // 20, shutil.disk_usage(folder).free
    if free < needed:
        raise Full(
            f"{folder} has {free / 1e6:,.1f} MB of free space, but {needed / 1e6:,.1f} MB are needed. Free "
            "space on that disk, or set backup_dir to a folder on a larger one"
        )


def sync_folder(folder: str | os.PathLike) -> None:
    """Sync the names in a folder, so that they survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(config, kind):
    """Hold the lock between `store` and `sweep` of all processes: shared to store, exclusive to
    remove.
    """
    handle = os.open(config.files, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, kind)
        yield
    finally:
        os.close(handle)
