"""The database: connections, statements and transactions. SQLite in WAL mode; every commit is synced to the disk."""
import errno
import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from eventapi import times
from eventapi.storage import folding
from eventapi.storage.errors import Damaged, ReadOnly, storage_error, translated
from eventapi.storage.statements import NOTHING, Statement
from eventapi.storage.write_lock import TIMEOUT, write_lock

if TYPE_CHECKING:
    from eventapi.config import Config

Value = str | int | float | bytes | None        # of a column, or of a parameter of a statement
Connection = sqlite3.Connection
Error = sqlite3.Error
Duplicate = sqlite3.IntegrityError
PARAMETER = re.compile(r"'[^']*'|:(\w+)")
COUNTS = 1000               # totals of lists that a connection remembers, in 0.3 MB

# Write compact JSON, for a column or a response. Decimals are the only numbers that the encoder cannot write by itself.
as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=float).encode


class Nobody:
    """The actor of the command line and of the worker, which act without an API key."""
    key_id = admin_id = admin_name = request_id = address = agent = None


def connect(path: str | os.PathLike, *, readonly: bool = False) -> Connection:
    """Return a connection to an existing database, with the settings that every connection of this project has.

    Its statements may call the functions of folding.py. Indexes, views and triggers must not call them: the sqlite3
    shell does not have them.
    """
    address = f"{Path(path).absolute().as_uri()}?mode={'ro' if readonly else 'rw'}"
    with translated:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=5, cached_statements=256,
                                     check_same_thread=False)
        connection.executescript("""
            PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -1000; PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = 67108864;""")
        for function in (folding.fold, folding.natural_key, folding.letters):
            connection.create_function(function.__name__, 1, function, deterministic=True)
        return connection


def require_writable(path: str | os.PathLike) -> None:
    """Raise ReadOnly unless this process may write the file.

    SQLite would open such a file for reading, and the connection would stay read-only after the mode is corrected. The
    file is not opened for the test: closing it would release the locks that SQLite holds on it for this process (fcntl
    locks).
    """
    if not os.access(path, os.W_OK, effective_ids=True):
        code = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
        raise ReadOnly(f"{path}: {os.strerror(code)}")


class Database:
    """One connection to the database. Only one thread may use it at a time.

    All methods raise StorageError (storage/errors.py), and Duplicate if a statement violates a constraint.

    Attributes:
        actor: the API key that acts (plugins/authentication.Who), or Nobody. The journal stores it.
        now: the timestamp of the running write transaction, as UTC text; None outside one. It is taken after the write
            lock is acquired, so that it is never earlier than that of a previous commit.
        known: values that are valid until the end of the running transaction. The journal keeps its last entry here.
    """

    def __init__(self, config: "Config", *, readonly: bool = False):
        self.config, self.path = config, config.database
        self.connection = connect(self.path, readonly=readonly)
        self.write_lock = write_lock(self.path)
        self.actor, self.now = Nobody, None
        self.counts, self.counted_at = {}, None
        self.known = {}

    # Reading. `given` names the optional lines of the statement (`-- when`) that shall be part of it.

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
        """Return all rows of a statement that is assembled already, as Statement.page and Statement.after do."""
        with translated:
            cursor = self.connection.execute(text, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def iterate(self, statement: Statement, **values: Value) -> Iterator[dict]:
        """Return the rows one by one, for results that may not fit into memory."""
        with translated:
            cursor = self.connection.execute(statement.plain(), values)
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor)

    def value(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> Value:
        """Return the first column of the first row, or None if there is no row."""
        with translated:
            row = self.connection.execute(statement.form(given), values).fetchone()
        return row and row[0]

    def values(self, statement: Statement, **values: Value) -> list:
        """Return the first column of all rows."""
        with translated:
            return [row[0] for row in self.connection.execute(statement.plain(), values)]

    def count(self, text: str, values: dict) -> int:
        """Return the number of rows of a list (Statement.count).

        Each number is counted once for each state of the database. data_version changes with every commit of another
        connection, and total_changes with every change through this one. Call this inside a snapshot, so that the
        number and the rows are of the same state.
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
        """Let several reads see the same state of the database. Inside a write transaction they do so anyway."""
        if self.connection.in_transaction:
            yield self
            return
        with translated:
            self.connection.execute("BEGIN")
            try:
                yield self
            finally:
                if self.connection.in_transaction:       # SQLite may have rolled it back, as on a disk that fails
                    self.connection.execute("COMMIT")

    def data_version(self) -> int:
        """Return a number that changes when another connection commits."""
        with translated:
            return self.connection.execute("PRAGMA data_version").fetchone()[0]

    # Writing

    def run(self, statement: Statement, given: frozenset = NOTHING, **values: Value) -> int:
        """Run a statement that changes rows and return their number."""
        with translated:
            return self.connection.execute(statement.form(given), values).rowcount

    def insert(self, statement: Statement, **values: Value) -> int:
        """Add one row and return its id."""
        with translated:
            return self.connection.execute(statement.plain(), values).lastrowid

    def run_many(self, statement: Statement, rows: Iterable[dict]) -> None:
        """Run a statement once for each dict of values."""
        with translated:
            self.connection.executemany(statement.plain(), rows)

    @contextmanager
    def write(self, wait: float = TIMEOUT) -> Iterator["Database"]:
        """Open a write transaction. Raise Busy if the write lock is not free within `wait` seconds; 0 tries once.

        Prepare and check before: nobody else can write while it is open. It is rolled back if the block raises.
        """
        with translated:
            self.write_lock.acquire(wait)
            try:
                yield from self._transaction()
            finally:
                self.now = None
                self.write_lock.release()

    def _transaction(self):
        self.connection.execute("BEGIN IMMEDIATE")
        self.now, self.known = times.now(), {}
        try:
            yield self
            self.connection.execute("COMMIT")
            self.write_lock.congested = False
        except BaseException:
            self.counts = {}
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo the block, and nothing else of the running write transaction, if it raises. Savepoints may be nested."""
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

    def optimize(self) -> None:
        """Update the statistics of the query planner, and checkpoint the write-ahead log as far as readers allow."""
        with translated:
            self.connection.execute("PRAGMA analysis_limit = 400")       # keeps the write transaction short
            with self.write():
                self.connection.execute("PRAGMA optimize")
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def empty_log(self) -> bool:
        """Write the write-ahead log into the database file and empty it. Return false if another connection reads."""
        with translated:
            return not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def vacuum(self) -> None:
        """Rewrite the whole file, so that nothing of deleted data is left in it.

        Others can read meanwhile, but not write. Raise Busy if the write lock is not free within a minute.
        """
        connection = connect(self.path)
        self.write_lock.acquire(timeout=60)
        try:
            with translated:
                connection.executescript("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
        finally:
            self.write_lock.release()
            connection.close()

    def integrity_faults(self, stopping: Callable[[], bool] = lambda: False, most: int = 100) -> list[str]:
        """Check the structure of the file with SQLite. Return a line for each fault, at most `most`; [] if it is sound.

        Return [] as well if `stopping()` becomes true.
        """
        self.connection.set_progress_handler(stopping, 1_000_000)
        try:
            # Not quick_check: in SQLite 3.40 it reports NULL values in contact_tags that do not exist.
            lines = [row[0] for row in self.connection.execute(f"PRAGMA integrity_check({most})")]
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_INTERRUPT:
                return []
            found = storage_error(error) or error
            if not isinstance(found, Damaged):
                raise found from error
            return [str(error)]
        finally:
            self.connection.set_progress_handler(None, 0)
        return [] if lines == ["ok"] else [" ".join(line.split()) for line in lines]

    def broken_foreign_keys(self) -> list[str]:
        """Return a line for each row that refers to a row which does not exist."""
        with translated:
            return [f"row {row} of {table} refers to a row of {parent} that does not exist"
                    for table, row, parent, _ in self.connection.execute("PRAGMA foreign_key_check")]

    def copy_to(self, path: str | os.PathLike) -> None:
        """Write an exact copy of one state of the database to a new file. Others can write meanwhile."""
        Path(path).touch(mode=0o640)
        target = sqlite3.connect(path, isolation_level=None)
        try:
            with translated:
                self.connection.backup(target)
        finally:
            target.close()

    def close(self) -> None:
        """Close the connection. This happens as well when the thread that owns it ends."""
        self.connection.close()

    def __del__(self) -> None:
        if hasattr(self, "connection"):
            self.close()


@lru_cache(maxsize=1000)
def _parameters(text: str) -> tuple[str, ...]:
    """Return the names of the parameters that the SQL text binds. A colon inside a quoted string is none."""
    return tuple(sorted({name for name in PARAMETER.findall(text) if name}))
