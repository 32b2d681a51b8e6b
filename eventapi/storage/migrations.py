"""Migrations: the numbered scripts of sql/migrations/, and the schema version that a database has."""

import logging
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from eventapi import times
from eventapi.paths import has_content
from eventapi.storage import maintenance, versions
from eventapi.storage.database import Connection, Duplicate, connect
from eventapi.storage.errors import StorageError, require_writable, translated
from eventapi.storage.maintenance import Report, silent
from eventapi.storage.write_lock import write_lock

if TYPE_CHECKING:
    from eventapi.config import Config

log = logging.getLogger("eventapi.migrations")
UPGRADING = "upgrade the database"  # the part of a job for `migrate`
# SQL functions that migrations call. A migration is never edited, so that these keep their names
# and meanings.
FUNCTIONS: dict[str, Callable] = {
    # day_end(timestamp, '06:00', 'Europe/Berlin'): the first such local time after the timestamp,
    # as a timestamp.
    "day_end": lambda timestamp, ends_at, zone_name: times.day_around(
        timestamp, ends_at, zone_name
    )[1],
    # note('…'): tell the administrator something that the upgrade has found.
    "note": log.warning,
}


class SchemaError(Exception):
    """The schema version of the database is not that of this program. The text says what to do."""


def define_functions(connection: Connection) -> None:
    """Define the SQL functions that migrations call."""
    for name, function in FUNCTIONS.items():
        connection.create_function(name, -1, function, deterministic=True)


@translated
def schema_version(connection: Connection) -> int:
    """Return the number of the last migration that was applied to the database; 0 for a new file."""
    return connection.execute("PRAGMA user_version").fetchone()[0]


def check_schema_version(connection: Connection) -> None:
    """Raise SchemaError unless the database has exactly the schema version of this program."""
    have, want = schema_version(connection), versions.newest()
    if have < want:
        raise SchemaError(
            f"the database has schema {have}, this version of eventapi needs {want}; "
            "run 'eventapi migrate'"
        )
    if have > want:
        raise SchemaError(
            f"the database has schema {have}, newer than schema {want} of this version of eventapi; "
            "install the newer version again, or restore the backup that was made before the upgrade"
        )


def ready(config: "Config", *, to_write: bool = False) -> None:
    """Raise SchemaError if the database is missing or of another version.

    With `to_write`, raise ReadOnly if it cannot be written.
    """
    if not has_content(config.database):
        raise SchemaError(
            f"database {config.database} is missing or empty. Check that the file system is "
            "mounted. If there was a database, run 'eventapi restore FILE' with the newest "
            "backup; otherwise run 'eventapi migrate' to create one"
        )
    if to_write:
        require_writable(config.database)
    connection = connect(config.database, readonly=True)
    try:
        check_schema_version(connection)
    finally:
        connection.close()


def is_current(path: Path) -> bool:
    """Return whether the database exists, with the schema of this program and a write-ahead log,
    without any lock.

    A file that a repair or VACUUM INTO has made has no such log. Raise SchemaError if the schema is
    newer.
    """
    if not has_content(path):
        return False
    with closing(connect(path, readonly=True)) as connection:
        if schema_version(connection) > versions.newest():
            check_schema_version(connection)
        has_log = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        return has_log and schema_version(connection) == versions.newest()


@translated
def migrate(
    path: str | os.PathLike,
    *,
    before: Callable[[int], None] | None = None,
    create: Callable[[], None] | None = None,
    last: int | None = None,
    report: Report = silent,
) -> tuple[int, int]:
    """Create or upgrade the database. Return (old schema version, new schema version).

    Under the write lock, `before(version)` is called before an existing database is changed, and
    makes the backup; `create()` is called before a database is created in a missing or empty file,
    and raises to prevent it. All migrations up to the number `last` (default: all) run in one
    transaction: if one fails, the database stays as it was. `report` is told how far the part
    UPGRADING is. Two processes may call this at once: the second finds nothing to do. The caller
    makes sure that no server and no worker uses the database.
    """
    path = Path(path)
    lock = write_lock(path)
    lock.acquire(timeout=600)
    try:
        if create and not has_content(path):
            create()
        path.touch(mode=0o640)
        connection = connect(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            start = schema_version(connection)
            todo = [
                (number, file)
                for number, file in versions.migration_files()
                if start < number <= (number if last is None else last)
            ]
            if start > versions.newest():
                check_schema_version(connection)
            if todo and start and before:
                before(start)
            define_functions(connection)
            connection.execute("PRAGMA foreign_keys = OFF")  # has no effect inside a transaction
            if todo:
                with maintenance.large_cache(connection):
                    _apply(connection, todo, report)
            if todo and start:  # a new database has no rows yet
                maintenance.analyze_all(connection)
            return start, schema_version(connection)
        finally:
            connection.close()
    finally:
        lock.release()


def _apply(connection, todo, report):
    """Apply the migrations in one transaction.

    `report` is told before each: the script calls it as an SQL function.
    """
    connection.create_function(
        "begin_migration", 1, lambda place: report(UPGRADING, place, len(todo))
    )
    scripts = [
        f"SELECT begin_migration({place});\n{file.read_text(encoding='utf-8')}\n"
        f"PRAGMA user_version = {number};"
        for place, (number, file) in enumerate(todo)
    ]
    try:
        # One script, since executescript commits a transaction that is already open.
        connection.executescript("\n".join(["BEGIN IMMEDIATE;", *scripts]))
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise SchemaError(
                f"the migration leaves rows that refer to rows that do not exist: {broken[:5]}"
            )
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, Duplicate):  # no caller expects that a migration violates a constraint
            raise StorageError(f"database error: {error}") from error
        raise
