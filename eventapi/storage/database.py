"""The database: connections, statements and transactions.

SQLite in WAL mode; every commit is synced to the disk.
"""

import json
import logging
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from eventapi import times
from eventapi.storage import folding, versions
from eventapi.storage.disk import Watching, forget_full
from eventapi.storage.errors import Outdated, translated
from eventapi.storage.statements import NOTHING, Statement, statements
from eventapi.storage.write_lock import TIMEOUT, write_lock

if TYPE_CHECKING:
    from eventapi.config import Config

sql = statements("stamps")
settings = statements("settings")
log = logging.getLogger("eventapi.storage")
Value = str | int | float | bytes | None  # of a column, or of a parameter of a statement
Connection = sqlite3.Connection
Error = sqlite3.Error
Duplicate = sqlite3.IntegrityError
PARAMETER = re.compile(r"'[^']*'|:(\w+)")
BEHIND = 60  # seconds that the clock may be behind the last stamp without a warning
WARN_EVERY = 3600  # seconds between two warnings
COUNTS = 1000  # totals of lists that a connection remembers, in 0.3 MB

# Write compact JSON, for a column or a response. Decimals are the only numbers that the encoder
# cannot write by itself. No record contains itself, so the encoder need not look for that.
as_json = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), default=float, check_circular=False
).encode


class Nobody:
    """The actor of the command line and of the worker, which act without an API key."""

    key_id = admin_id = admin_name = request_id = address = agent = None


def connect(path: str | os.PathLike, *, readonly: bool = False) -> Connection:
    """Return a connection to an existing database, with the settings that every connection of this
    project has.

    Its statements may call the functions of folding.py. Indexes, views and triggers must not call
    them: the sqlite3 shell does not have them.
    """
    address = f"{Path(path).absolute().as_uri()}?mode={'ro' if readonly else 'rw'}"
    with translated:
        connection = sqlite3.connect(
            address,
            uri=True,
            isolation_level=None,
            timeout=5,
            cached_statements=256,
            check_same_thread=False,
        )
        connection.executescript("""
            PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -1000; PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = 67108864;""")
        for function in (
            folding.fold,
            folding.natural_key,
            folding.letters,
            folding.number_key,
            folding.number_letters,
        ):
            connection.create_function(function.__name__, 1, function, deterministic=True)
        return connection


def require_current(connection: Connection) -> None:
    """Raise Outdated if the database has a newer schema than this program."""
    schema = connection.execute("PRAGMA user_version").fetchone()[0]
    if schema > versions.newest():
        raise Outdated(schema)


class Database:
    """One connection to the database. Only one thread may use it at a time.

    All methods raise StorageError (storage/errors.py), and Duplicate if a statement violates a
    constraint.

    Attributes:
        actor: the API key that acts (plugins/authentication.Who), or Nobody. The journal stores it.
        now: the time of the clock at the start of the running write transaction, as UTC text; None outside one.
        stamp: `updated_at` of what the transaction changes: `now`, but never earlier than that of a previous commit.
            Every statement that changes rows can use it as `:stamp`.
        known: values that are valid until the end of the running transaction. The journal keeps its last entry here.
        config: the configuration with the settings of the database. Only `follow` replaces it: at the start of a
            request or of a write transaction, so that nothing mixes two states of the settings.
    """

    def __init__(self, config: "Config", *, readonly: bool = False):
        self.config, self.path = config, config.database
        self.connection = connect(self.path, readonly=readonly)
        self.write_lock = write_lock(self.path)
        self.actor, self.now, self.stamp = Nobody, None, ""
        self.last_stamp, self.changes, self.warned = "", 0, float("-inf")
        self.counts, self.counted_at = {}, None
        self.known = {}

    # Reading. `given` names the optional lines of the statement (`-- when`) that shall be part of
    # it.

    def one(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> dict | None:
        """Return the first row, or None if there is none."""
        with translated:
            cursor = self.connection.execute(statement.form(given), values)
            row = cursor.fetchone()
        return row and dict(zip([column[0] for column in cursor.description], row, strict=True))

    def all(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> list[dict]:
        """Return all rows."""
        return self.rows(statement.form(given), values)

    def rows(self, text: str, values: dict) -> list[dict]:
        """Return all rows of a statement that is assembled already, as Statement.page and
        Statement.after do.
        """
        with translated:
            cursor = self.connection.execute(text, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def iterate(self, statement: Statement, **values: Value) -> Iterator[dict]:
        """Return the rows one by one, for results that may not fit into memory."""
        cursor = self.tuples(statement, **values)
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor)

    def tuples(self, statement: Statement, **values: Value) -> sqlite3.Cursor:
        """Return the rows one by one as tuples, for so many rows that their dicts would cost more
        than reading them.
        """
        with translated:
            return self.connection.execute(statement.plain(), values)

    def value(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> Value:
        """Return the first column of the first row, or None if there is no row."""
        with translated:
            row = self.connection.execute(statement.form(given), values).fetchone()
        return row and row[0]

    def values(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> list:
        """Return the first column of all rows."""
        with translated:
            return [row[0] for row in self.connection.execute(statement.form(given), values)]

    def count(self, text: str, values: dict) -> int:
        """Return the number of rows of a list (Statement.count).

        Each number is counted once for each state of the database. data_version changes with every
        commit of another connection, and total_changes with every change through this one. Call
        this inside a snapshot, so that the number and the rows are of the same state.
        """
        state = self.data_version(), self.connection.total_changes
        if state != self.counted_at:
            self.counts, self.counted_at = {}, state
        key = text, *[values.get(name) for name in _parameters(text)]
        if key not in self.counts:
            if len(self.counts) >= COUNTS:
                del self.counts[next(iter(self.counts))]
            with translated:
                self.counts[key] = self.connection.execute(text, values).fetchone()[0]
        return self.counts[key]

    @contextmanager
    def snapshot(self) -> Iterator["Database"]:
        """Let several reads see the same state of the database.

        Inside a write transaction they do so anyway.
        """
        if self.connection.in_transaction:
            yield self
            return
        with translated:
            self.connection.execute("BEGIN")
            try:
                yield self
            finally:
                # SQLite may have rolled it back, as on a disk that fails
                if self.connection.in_transaction:
                    self.connection.execute("COMMIT")

    def follow(self, revision: int | None = None) -> None:
        """Let `config` have the settings of this revision, or of the last one, which is read then.

        Raise ConfigError for a setting that cannot be parsed, unless the process has started.
        """
        if revision is None:
            revision = self.value(settings.revision)
        live = self.config.live
        if revision != self.config.revision:
            self.config = live.at(self, revision)
        live.has_started = True

    def data_version(self) -> int:
        """Return a number that changes when another connection commits."""
        with translated:
            return self.connection.execute("PRAGMA data_version").fetchone()[0]

    # Writing

    def run(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> int:
        """Run a statement that changes rows and return their number."""
        with translated:
            values["stamp"] = self.stamp
            return self.connection.execute(statement.form(given), values).rowcount

    def insert(self, statement: Statement, **values: Value) -> int:
        """Add one row and return its id."""
        with translated:
            values["stamp"] = self.stamp
            return self.connection.execute(statement.plain(), values).lastrowid

    def run_many(self, statement: Statement, rows: Iterable[dict]) -> None:
        """Run a statement once for each dict of values.

        `:stamp` must be among them if the statement uses it.
        """
        with translated:
            self.connection.executemany(statement.plain(), rows)

    @contextmanager
    def write(self, wait: float = TIMEOUT) -> Iterator["Database"]:
        """Open a write transaction.

        Raise Busy if the write lock is not free within `wait` seconds; 0 tries once.

        Prepare and check before: nobody else can write while it is open. It is rolled back if the
        block raises.
        """
        with Watching(self.path), translated:
            self.write_lock.acquire(wait)
            try:
                yield from self._transaction()
            finally:
                self.now = None
                self.write_lock.release()

    def _transaction(self):
        self._begin()
        try:
            self.known = {}
            self._take_time(is_first=True)
            yield self
            self._commit()
            self.write_lock.congested = False
        except BaseException:
            self.counts = {}
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def _begin(self):
        """Begin a write transaction.

        Raise Outdated if the database has a newer schema than this program.
        """
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self.require_current()
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise

    def require_current(self) -> None:
        """Raise Outdated if the database has a newer schema than this program.

        Inside a transaction it stays so.
        """
        with translated:
            require_current(self.connection)

    def _take_time(self, is_first):
        """Set `now` and `stamp` for a write of the open transaction.

        The first write also brings the settings up to date. Later ones of a group commit keep them:
        they count as having come before a change of the settings in the same transaction.
        """
        self.now = times.now()
        if is_first:
            last = self.one(sql.last)
            self.stamp = self.last_stamp = last["stamped_at"]
            self.follow(last["settings_revision"])
            self.changes = self.connection.total_changes
        if self.now >= self.stamp:
            self.stamp = self.now
        else:
            self._warn(times.unix(self.stamp) - times.unix(self.now))

    def _warn(self, seconds):
        if seconds > BEHIND and time.monotonic() > self.warned + WARN_EVERY:
            self.warned = time.monotonic()
            log.warning(
                "the clock is %d s behind the last change: it was set back, or was ahead before. Check it. "
                "Until it has caught up, every change gets the updated_at %s",
                seconds,
                self.stamp,
            )

    def _commit(self):
        """Commit, and store the stamp if the transaction has changed anything: at most once a
        second.
        """
        is_changed = self.connection.total_changes != self.changes
        if is_changed and self.stamp > self.last_stamp:
            self.run(sql.keep)
        try:
            self.connection.execute("COMMIT")
        except Error:
            with suppress(Error):  # the error of the commit is the one that counts
                self._overwrite()
            raise
        if is_changed:  # else nothing was written, also on a full disk
            forget_full(self.path)

    def _overwrite(self):
        """Overwrite a failed commit in the write-ahead log.

        It may be complete there: a crash would bring it back.
        """
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        # writes a page even if nothing changes
        self.connection.execute(f"PRAGMA user_version = {version}")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo the block, and nothing else of the running write transaction, if it raises.

        Savepoints may be nested.
        """
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.counts, self.known = {}, {}
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
            raise
        self.connection.execute("RELEASE part")

    # Maintenance

    def empty_log(self) -> bool:
        """Write the write-ahead log into the database file and empty it.

        Return false if another connection reads.
        """
        with translated:
            return not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def close(self) -> None:
        """Close the connection. This happens as well when the thread that owns it ends."""
        self.connection.close()

    def __del__(self) -> None:
        if hasattr(self, "connection"):
            self.close()


@lru_cache(maxsize=1000)
def _parameters(text: str) -> tuple[str, ...]:
    """Return the names of the parameters that the SQL text binds.

    A colon inside a quoted string is none.
    """
    return tuple(sorted({name for name in PARAMETER.findall(text) if name}))
