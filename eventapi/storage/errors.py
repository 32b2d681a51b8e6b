"""Errors of the storage: the codes of SQLite and of the operating system as classes.

Nothing here knows HTTP. plugins/request.py makes problem documents of these errors, and the command line prints their
texts.
"""
import errno
import sqlite3
from contextlib import ContextDecorator

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
OF_CALLERS = (sqlite3.IntegrityError, sqlite3.ProgrammingError)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


class StorageError(Exception):
    """The database or the file store failed. The text is one line for the operator; it may contain paths."""


class Busy(StorageError):
    """The write lock or the database is held by another writer. The same call may succeed when it is repeated."""

    def __init__(self):
        super().__init__("Another change is taking long; try again.")


class Full(StorageError):
    """There is no space left on the disk, or the quota of the user is used up."""


class ReadOnly(StorageError):
    """The database or the file store cannot be written: owner, mode or mount forbids it, or the disk fails."""


class Damaged(StorageError):
    """The database file is not a sound SQLite database."""


def storage_error(error: BaseException) -> StorageError | None:
    """Return the StorageError that an error of SQLite or of the operating system stands for.

    Return None for every other error. That includes a violated constraint and a wrong use of sqlite3, which only the
    caller understands, and a missing file.
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
    elif code == sqlite3.SQLITE_READONLY or exact == sqlite3.SQLITE_IOERR_WRITE:
        kind = ReadOnly
    elif code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        kind = Damaged
    else:
        kind = StorageError
    return kind(f"database error: {error}")


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


translated = _Translated()          # has no state, so that all threads share it
