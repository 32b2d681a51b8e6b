"""The database: errors of SQLite and of the system as StorageErrors, and the totals that a
connection caches.
"""

import errno
import sqlite3

import pytest

from eventapi.storage.database import Database, Duplicate
from eventapi.storage.errors import (
    Busy,
    Damaged,
    Full,
    ReadOnly,
    StorageError,
    storage_error,
    translated,
)


def sqlite_error(code):
    error = sqlite3.OperationalError("it broke on purpose")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "error, kind",
    [
        (sqlite_error(sqlite3.SQLITE_BUSY), Busy),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), Busy),
        (sqlite_error(sqlite3.SQLITE_LOCKED), Busy),
        (sqlite_error(sqlite3.SQLITE_FULL), Full),
        (OSError(errno.ENOSPC, "No space left on device"), Full),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), Full),
        (sqlite_error(sqlite3.SQLITE_READONLY), ReadOnly),
        (sqlite_error(sqlite3.SQLITE_IOERR_WRITE), ReadOnly),
        (sqlite_error(sqlite3.SQLITE_IOERR_FSYNC), ReadOnly),
        (sqlite_error(sqlite3.SQLITE_IOERR_TRUNCATE), ReadOnly),
        (OSError(errno.EIO, "Input/output error"), ReadOnly),
        (OSError(errno.EROFS, "Read-only file system"), ReadOnly),
        (PermissionError(errno.EACCES, "Permission denied"), ReadOnly),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), Damaged),
        (sqlite_error(sqlite3.SQLITE_NOTADB), Damaged),
        (sqlite_error(sqlite3.SQLITE_IOERR_READ), StorageError),
    ],
)
def test_an_error_code_becomes_a_storage_error(error, kind):
    with pytest.raises(StorageError) as raised, translated:
        raise error
    assert type(raised.value) is kind and raised.value.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.IntegrityError("UNIQUE"),
        sqlite3.ProgrammingError("closed"),
        FileNotFoundError(errno.ENOENT, "x"),
        ValueError("x"),
    ],
)
def test_other_errors_are_raised_unchanged(error):
    with pytest.raises(type(error)) as raised, translated:
        raise error
    assert raised.value is error and storage_error(error) is None


def test_the_text_of_an_error_names_the_file():
    assert (
        str(storage_error(PermissionError(errno.EACCES, "Permission denied", "/data/eventapi.db")))
        == "/data/eventapi.db: Permission denied"
    )


def test_a_file_that_is_no_database_is_damaged(settings):
    settings.database.write_bytes(b"not a database" * 1000)
    with pytest.raises(Damaged):
        Database(settings)


def test_a_violated_constraint_is_a_duplicate(db):
    with pytest.raises(Duplicate), db.write():
        for _ in range(2):
            db.connection.execute(
                "INSERT INTO admins (id, name, created_at, updated_at) VALUES (1, 'Ada', '', '')"
            )


def test_a_total_is_cached_by_the_parameters_of_its_statement_only(db):
    text = (
        "SELECT count(*) FROM events WHERE id IN (SELECT value FROM json_each(:ids)) AND created_at < "
        "strftime('%H:id', 'now')"
    )
    with db.snapshot():
        db.count(text, {"ids": "[1]", "id": 1, "page": 1})
        db.count(text, {"ids": "[1]", "id": 2, "page": 2})
        assert len(db.counts) == 1
        db.count(text, {"ids": "[2]", "id": 2, "page": 2})
        assert len(db.counts) == 2
