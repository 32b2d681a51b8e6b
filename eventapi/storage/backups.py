"""Backups: one tar file with a copy of the database, the stored files, and a manifest with the
SHA-256 of each.
"""

import fcntl
import hashlib
import io
import json
import os
import re
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from eventapi import __version__, times
from eventapi.paths import open_regular
from eventapi.storage import files, process_locks, schema
from eventapi.storage.database import Database, connect
from eventapi.storage.errors import NO_SPACE, translated
from eventapi.storage.maintenance import Report, silent
from eventapi.storage.migrations import schema_version
from eventapi.storage.statements import statements

if TYPE_CHECKING:
    from eventapi.config import Config

sql = statements("backups")

FORMAT = 1
DATABASE, MANIFEST = "eventapi.db", "manifest.json"
ENTRY = re.compile(
    rf"{re.escape(DATABASE)}|{re.escape(MANIFEST)}|files/[0-9a-f]{{2}}/[0-9a-f]{{62}}"
)
LARGEST_MANIFEST = 64 * 1024 * 1024
ATTEMPTS = 3
PIECE = 1024 * 1024
STEP = 2048  # pages of the database that are copied between two reports
COPYING, WRITING, READING = "copy the database", "write the backup", "read the backup"
# of `create`, for a progress.Progress
PARTS = {
    COPYING: 10,
    schema.INTEGRITY: 30,
    WRITING: 12,
    READING: 8,
}


class BackupError(Exception):
    """A backup cannot be made, read or restored. The text says why, in one line."""


# Writing a backup


def create(config: "Config", target: str | os.PathLike, report: Report = silent) -> dict:
    """Write a backup of one state of the data, while others write, and return its manifest.

    `report` is told how far it is, in PARTS. The file appears complete or not at all. Raise
    BackupError if it exists or if the database is damaged, and Full if the disk has too little
    space.
    """
    target = Path(target).absolute()
    if os.path.lexists(target):
        raise BackupError(
            f"{target} already exists and is not overwritten; choose another file name"
        )
    files.require_space(target.parent, _size(config))
    partial = target.with_name(f"{target.name}.partial")
    with _exclusive(partial) as file:
        manifest = _written(config, file, partial, target.parent, report)
        os.rename(partial, target)
    files.sync_folder(target.parent)
    return manifest


def create_in(
    config: "Config", file: BinaryIO, name: str | os.PathLike, report: Report = silent
) -> dict:
    """Write a backup to a new file called `name`, which is open for reading and writing.

    Return its manifest.

    The caller renames the file when this has returned, and removes it if this raises.
    """
    config.backups.mkdir(mode=0o750, parents=True, exist_ok=True)
    files.require_space(config.backups, _size(config))
    return _written(config, file, name, config.backups, report)


def _size(config):
    """Return the bytes that a backup needs while it is written: the copy of the database, and the
    archive.
    """
    database, stored = sizes(config)
    return 2 * database + stored


def sizes(config: "Config") -> tuple[int, int]:
    """Return the bytes of the database with its log, and those of the stored files."""
    database = [config.database, config.database.with_name(f"{DATABASE}-wal")]
    return tuple(
        sum(path.stat().st_size for path in paths if path.exists())
        for paths in (database, _stored(config).values())
    )


def stamp() -> str:
    """Return the current time for the name of a file, such as 20260501T120000Z."""
    return datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")


def _written(config, file, name, folder, report):
    """Write a backup to a new file, read it back, and return its manifest.

    Errors call the file `name`.
    """
    try:
        _fill(config, file, folder, report)
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno in NO_SPACE:
            raise BackupError(f"{name}: {error.strerror}") from None
        raise
    file.seek(0)
    return read(file, name, report=report)


@contextmanager
def _exclusive(partial):
    """Open the unfinished file for this process alone. Delete it if the block raises."""
    with open(open_regular(partial, os.O_CREAT | os.O_RDWR), "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.lstat(partial).st_ino != os.fstat(file.fileno()).st_ino:
                raise FileNotFoundError  # another process has just renamed the file that was opened
        except (BlockingIOError, FileNotFoundError):
            raise BackupError(
                f"another backup is being written to {partial}; wait until it is done"
            ) from None
        try:
            file.truncate()
            yield file
        except BaseException:
            with suppress(FileNotFoundError):
                partial.unlink()
            raise


def _fill(config, file, folder, report):
    """Write the archive.

    Start again if the sweep has removed a stored file: the next copy of the database does not name
    that file.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            file.seek(0)
            file.truncate()
            return _write(config, file, folder, report)
        except FileNotFoundError:
            if attempt == ATTEMPTS:
                raise


def _write(config, file, folder, report):
    archive, stored = Archive(file), _stored(config)
    with process_locks.scratch(folder, process_locks.COPY) as private:
        copy = private / DATABASE
        facts = _copy_database(config, copy, report)
        with open(copy, "rb") as source:
            archive.add(DATABASE, source, report)
    # Listed again after the copy of the database: each file that the copy names was stored before.
    for sha256, path in sorted({**_stored(config), **stored}.items()):
        with files.opened(path) as source:
            archive.add(f"files/{sha256[:2]}/{sha256[2:]}", source)
    archive.close(facts)


def _stored(config):
    return {sha256: path for sha256, path, _ in files.all_stored(config)}


def _copy_database(config, copy, report):
    """Copy one state of the database, while others write.

    Check the copy, and return its entries for the manifest.
    """
    copy.touch(mode=0o640)
    with translated, closing(connect(config.database)) as source, closing(connect(copy)) as target:
        source.execute("BEGIN")
        source.execute(
            "PRAGMA user_version"
        ).fetchone()  # this state is read until the end of the copy
        source.backup(
            target, pages=STEP, progress=lambda _, left, all: report(COPYING, all - left, all)
        )
        source.execute("COMMIT")
    with opened(config, copy) as db:
        wrong = schema.integrity_faults(db.connection, report=report)
        if wrong:
            raise BackupError(
                f"the database is damaged and was not backed up: {wrong[0]}. "
                "Restore the last good backup"
            )
        return {"schema": schema_version(db.connection), "last_change": last_change(db)}


@contextmanager
def opened(config: "Config", path: Path) -> Iterator[Database]:
    """Open the database `eventapi.db` at `path`, outside data_dir. Close it after the block."""
    db = Database(config.with_options(data_dir=path.parent))
    try:
        yield db
    finally:
        db.close()


def is_eventapi(db: Database) -> bool:
    """Return whether the database is one of eventapi, and not that of another program."""
    return db.value(sql.is_eventapi) == 3


def last_change(db: Database) -> list | None:
    """Return [time, id, hash] of the last audit entry, None if there is none.

    Each change has an entry.
    """
    last = db.one(sql.last_change)
    return last and [last["at"], last["id"], last["hash"]]


class Archive:
    """An archive that is being written.

    The manifest comes last, so that an incomplete archive has none.
    """

    def __init__(self, file: BinaryIO):
        self.tar = tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)
        self.entries = {}

    def add(self, name: str, source: BinaryIO, report: Report = silent) -> None:
        """Add a file from the disk under this name, and its size and SHA-256 to the manifest."""
        size = os.fstat(source.fileno()).st_size
        hashing = Hashing(source, lambda done: report(WRITING, done, size))
        self._member(name, size, hashing)
        self.entries[name] = {"size": size, "sha256": hashing.hash.hexdigest()}

    def close(self, facts: dict) -> None:
        """Write the manifest, with `facts` about the database, and the end of the archive."""
        manifest = {
            "format": FORMAT,
            "program": "eventapi",
            "version": __version__,
            "created_at": times.now(),
            **facts,
            "entries": self.entries,
        }
        text = json.dumps(manifest, indent=1).encode()
        self._member(MANIFEST, len(text), io.BytesIO(text))
        self.tar.close()

    def _member(self, name, size, source):
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.mtime = size, 0o640, int(time.time())
        self.tar.addfile(member, source)


class Hashing:
    """A source for tarfile that hashes the bytes it reads, and tells `told` how many these are so
    far.
    """

    def __init__(self, file: BinaryIO, told: Callable[[int], None]):
        self.file, self.told, self.done, self.hash = file, told, 0, hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, and add them to the hash."""
        data = self.file.read(size)
        self.hash.update(data)
        self.done += len(data)
        self.told(self.done)
        return data


# Reading a backup


def read(
    file: BinaryIO, source: str | os.PathLike, folder: Path | None = None, report: Report = silent
) -> dict:
    """Check a backup completely and return its manifest. Unpack it into `folder` if one is given.

    `file` is open for reading at its beginning; errors call it `source`. Raise BackupError if it is
    damaged. Nothing in the file is trusted: names, sizes and kinds of its members are checked
    first.
    """
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            manifest, found = _read_members(tar, folder, report)
    except (tarfile.TarError, EOFError, UnicodeDecodeError) as error:
        raise BackupError(
            f"{source} is not a complete backup of eventapi: {error}. Use another backup"
        ) from None
    return _proven(source, manifest, found)


def _read_members(tar, folder, report):
    manifest, found = None, {}
    for member in tar:
        if not ENTRY.fullmatch(member.name) or not member.isreg() or member.issparse():
            raise tarfile.TarError(f"it contains {member.name!r}, which is not part of a backup")
        if member.name in found or manifest is not None:
            raise tarfile.TarError(f"{member.name} appears twice or after the manifest")
        content = tar.extractfile(member)
        if member.name == MANIFEST:
            manifest = content.read(LARGEST_MANIFEST)
        else:
            found[member.name] = _hashed(
                content, folder and folder / member.name, member.size, report
            )
    return manifest, found


def _hashed(content, target, size, report):
    """Return size and SHA-256 of a member of so many bytes.

    Write its bytes to `target` unless that is None.
    """
    reader = Hashing(content, lambda done: report(READING, done, size))
    with _writing(target) as out:
        while data := reader.read(PIECE):
            out.write(data)
    return {"size": reader.done, "sha256": reader.hash.hexdigest()}


@contextmanager
def _writing(target):
    if target is None:
        with open(os.devnull, "wb") as nowhere:
            yield nowhere
        return
    target.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    with open(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o640), "wb") as out:
        yield out


def _proven(source, text, found):
    try:
        manifest = json.loads(text or b"null")
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("program") != "eventapi":
        raise BackupError(
            f"{source} is not a complete backup of eventapi: it has no manifest. Use another backup"
        )
    if manifest.get("format") != FORMAT:
        raise BackupError(
            f"{source} was made by a newer version of eventapi ({manifest.get('version')}); "
            "install that version first"
        )
    entries = manifest.get("entries")
    if not isinstance(entries, dict) or DATABASE not in found or entries.keys() != found.keys():
        raise BackupError(
            f"{source} is damaged: its content differs from the list in its manifest. Use another backup"
        )
    for name, facts in found.items():
        if entries[name] != facts:
            raise BackupError(
                f"{source} is damaged: {name} was changed after the backup. Use another backup"
            )
    return manifest
