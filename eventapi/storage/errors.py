"""Errors of the storage: the codes of SQLite and of the operating system as classes, and the mark
of damage.

Damage that any process finds is marked in a file beside the database, so that all processes know of
it: writes are refused, and /healthz fails. The mark names the inode of the database. A restored
database has another one, so the mark ends with the file that it describes. `eventapi check` removes
it once the database is sound.

Nothing here knows HTTP. plugins/request.py makes problem documents of these errors, and the command
line prints their texts.
"""

import errno
import logging
import os
import sqlite3
import time
from contextlib import ContextDecorator
from pathlib import Path

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
OF_CALLERS = (sqlite3.IntegrityError, sqlite3.ProgrammingError)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ELOOP, errno.EIO)
NOT_WRITTEN = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_DIR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)


log = logging.getLogger("eventapi.storage")
_sound_until = {}  # path of a database -> time.monotonic() until which no mark is looked for


class StorageError(Exception):
    """The database or the file store failed.

    The text is one line for the operator; it may contain paths.
    """


class Busy(StorageError):
    """The write lock or the database is held by another writer.

    The same call may succeed when it is repeated.
    """

    def __init__(self):
        super().__init__("Another change is taking long; try again.")


class Full(StorageError):
    """There is no space left on the disk, or the quota of the user is used up."""


class ReadOnly(StorageError):
    """The database or the file store cannot be written: owner, mode or mount forbids it, a link is in
    its place, or the disk fails."""


class Outdated(StorageError):
    """The database was upgraded by a newer version of the program while this process ran."""

    def __init__(self, schema: int):
        super().__init__(
            f"The database was upgraded to schema {schema} by a newer version. Restart this server with "
            "that version."
        )


class Damaged(StorageError):
    """The database file is not a sound SQLite database."""


def storage_error(error: BaseException) -> StorageError | None:
    """Return the StorageError that an error of SQLite or of the operating system stands for.

    Return None for every other error. That includes a violated constraint and a wrong use of
    sqlite3, which only the caller understands, and a missing file.
    """
    if isinstance(error, StorageError):
        return error
    if isinstance(error, OSError):
        return _of_system(error)
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, OF_CALLERS):
        return _of_sqlite(error)
    return None


def _of_system(error):
    kind = Full if error.errno in NO_SPACE else ReadOnly if error.errno in NOT_WRITABLE else None
    return kind and kind(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _of_sqlite(error):
    exact = getattr(error, "sqlite_errorcode", 0)
    code = exact & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy()
    if code == sqlite3.SQLITE_FULL:
        kind = Full
    elif code == sqlite3.SQLITE_READONLY or exact in NOT_WRITTEN:
        kind = ReadOnly
    elif code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        kind = Damaged
    else:
        kind = StorageError
    return kind(f"database error: {error}")


def was_interrupted(error: sqlite3.Error) -> bool:
    """Return whether a progress handler has ended the statement."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_INTERRUPT


class _Translated(ContextDecorator):
    """Context manager and decorator: raise the StorageError that an error of the block stands for.

    Other errors pass unchanged.
    """

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        found = error and storage_error(error)
        if found is not None and found is not error:
            raise found from error


translated = _Translated()  # has no state, so that all threads share it


def require_writable(path: str | os.PathLike) -> None:
    """Raise ReadOnly unless this process may write the file.

    SQLite would open such a file for reading, and the connection would stay read-only after the
    mode is corrected. The file is not opened for the test: closing it would release the locks that
    SQLite holds on it for this process (fcntl locks).
    """
    if not os.access(path, os.W_OK, effective_ids=True):
        code = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
        raise ReadOnly(f"{path}: {os.strerror(code)}")


# The mark of a damaged database


def mark_damaged(database: Path, reason: str) -> None:
    """Record that the database is damaged, for all processes.

    `reason` is one line for the operator.
    """
    _sound_until.pop(database, None)
    try:
        _mark(database).write_text(f"{os.stat(database).st_ino} {reason}\n", encoding="utf-8")
    except OSError as error:
        log.error("the damage of the database cannot be recorded: %s", error)


def damage(database: Path) -> str | None:
    """Return the recorded damage of the database, None if it is sound as far as is known.

    Every write asks, so the file is looked for once per second only.
    """
    if time.monotonic() < _sound_until.get(database, 0.0):
        return None
    mark = _mark(database)
    if not mark.exists():
        _sound_until[database] = time.monotonic() + 1
        return None
    inode, _, reason = mark.read_text(encoding="utf-8").strip().partition(" ")
    return reason if database.exists() and inode == str(os.stat(database).st_ino) else None


def forget_damage(database: Path) -> None:
    """Remove the mark, after a check of the whole database has found no fault."""
    _mark(database).unlink(missing_ok=True)


def _mark(database):
    return database.with_name(f"{database.name}.damaged")
