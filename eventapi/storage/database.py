"""The database: connections, transactions, migrations. SQLite in WAL, every commit synced to the disk."""
import errno
import json
import os
import re
import sqlite3
from contextlib import contextmanager
from pathlib import Path

from eventapi import paths, times
from eventapi.storage.errors import ReadOnly, translated
from eventapi.storage.statements import NOTHING
from eventapi.storage.write_lock import TIMEOUT, write_lock

Connection = sqlite3.Connection
Error = sqlite3.Error
Duplicate = sqlite3.IntegrityError
COUNTS = 1000               # totals of lists that a connection remembers, in 0.3 MB


class Nobody:
    """Who acts where no API key does: the command line and the worker."""
    key_id = admin_id = admin_name = request_id = address = agent = None


def connect(path, *, readonly=False):
    """A bare connection with this project's settings."""
    address = f"{Path(path).absolute().as_uri()}?mode={'ro' if readonly else 'rw'}"
    with translated:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=5, cached_statements=256,
                                     check_same_thread=False)
        connection.executescript("""
            PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -1000; PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = FAST; PRAGMA journal_size_limit = 67108864;""")
        return connection


def writable(path):
    """Raise ReadOnly unless this process may write the file.

    SQLite would open such a file for reading, and the connection would stay read-only after the mode is corrected. The file is not
    opened for the test: closing it would release the locks that SQLite holds on it for this process (fcntl locks).
    """
    if not os.access(path, os.W_OK, effective_ids=True):
        code = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
        raise ReadOnly(f"{path}: {os.strerror(code)}")


class Database:
    """One connection, for one thread, and who acts through it.

    `now` is the moment of the running write: stamped inside the lock, so that it never runs behind an earlier commit.
    """

    def __init__(self, config, *, readonly=False):
        self.config, self.path = config, config.database
        self.connection = connect(self.path, readonly=readonly)
        self.write_lock = write_lock(self.path)
        self.actor, self.now = Nobody, None
        self.counts, self.counted_at = {}, None
        self.known = {}                     # what holds until the end of the running transaction, for who wrote it last
        self.wholes = {}

    def one(self, statement, **values):
        """The first row as a dict, or None."""
        with translated:
            cursor = self.connection.execute(statement.plain(), values)
            row = cursor.fetchone()
        return row and dict(zip([column[0] for column in cursor.description], row, strict=True))

    def all(self, statement, given=NOTHING, **values):
        """All rows as dicts; `given` names the optional lines to take."""
        return (self.few if "ids" in values else self.rows)(statement.form(given), values)

    def rows(self, text, values):
        with translated:
            cursor = self.connection.execute(text, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def few(self, text, values):
        """The rows of a page. While another thread writes they come as one row of JSON: Python's sqlite3 lets go of the interpreter
        lock at each row, and then each is a fight to get it back.
        """
        if not self.write_lock.thread_lock.locked():
            return self.rows(text, values)
        if text not in self.wholes:
            names = [column[0] for column in self.connection.execute(text, values).description]
            columns = ", ".join(f"c{number}" for number in range(len(names)))
            self.wholes[text] = names, f"WITH page ({columns}) AS MATERIALIZED ({text}) SELECT json_group_array(json_array({columns})) FROM page"
        names, whole = self.wholes[text]
        with translated:
            return [dict(zip(names, row, strict=True)) for row in json.loads(self.connection.execute(whole, values).fetchone()[0])]

    def iterate(self, statement, **values):
        """Rows as dicts, one after the other: for what may not fit into memory."""
        with translated:
            cursor = self.connection.execute(statement.plain(), values)
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor)

    def value(self, statement, **values):
        """The first column of the first row, or None."""
        with translated:
            row = self.connection.execute(statement.plain(), values).fetchone()
        return row and row[0]

    def values(self, statement, **values):
        """The first column of all rows."""
        with translated:
            return [row[0] for row in self.connection.execute(statement.plain(), values)]

    def count(self, text, values):
        """How many rows a list has: counted once for each state of the database.

        data_version changes with every commit of another connection, total_changes with every change of this one;
        call it inside a snapshot, so that number and rows are of the same state.
        """
        state = self.data_version(), self.connection.total_changes
        if state != self.counted_at:
            self.counts, self.counted_at = {}, state
        key = text, *[value for name, value in values.items() if f":{name}" in text]
        if key not in self.counts:
            if len(self.counts) >= COUNTS:
                del self.counts[next(iter(self.counts))]
            with translated:
                self.counts[key] = self.connection.execute(text, values).fetchone()[0]
        return self.counts[key]

    def run(self, statement, **values):
        """Changes rows; gives how many."""
        with translated:
            return self.connection.execute(statement.plain(), values).rowcount

    def insert(self, statement, **values):
        """Adds one row; gives its id."""
        with translated:
            return self.connection.execute(statement.plain(), values).lastrowid

    def many(self, statement, rows):
        with translated:
            self.connection.executemany(statement.plain(), rows)

    @contextmanager
    def write(self, wait=TIMEOUT):
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
    def part(self):
        """A part of a running write: what fails inside takes back that part and nothing else. Parts may hold parts."""
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

    @contextmanager
    def snapshot(self):
        """Several reads that see the same moment; inside a write they do anyway."""
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

    def data_version(self):
        """Changes when another connection commits: a cheap way to see that there is something new."""
        with translated:
            return self.connection.execute("PRAGMA data_version").fetchone()[0]

    def tend(self):
        """Fresh statistics for the query planner, and the write-ahead log back into the file as far as readers allow."""
        self.connection.execute("PRAGMA analysis_limit = 400")       # so that it stays short
        with self.write():
            self.connection.execute("PRAGMA optimize")
        with translated:
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def rewrite(self):
        """Writes the file anew, so that nothing of deleted data is left in it. Reading goes on; writing waits, or gives up as busy."""
        connection = connect(self.path)
        self.write_lock.acquire(timeout=60)
        try:
            with translated:
                connection.executescript("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
        finally:
            self.write_lock.release()
            connection.close()

    def integrity(self):
        """What SQLite finds wrong with the file, as lines; nothing when it is sound."""
        try:
            lines = [row[0] for row in self.connection.execute("PRAGMA integrity_check")]
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return [] if lines == ["ok"] else lines

    def broken_foreign_keys(self):
        """Rows that name a record which is not there, as lines."""
        return [f"row {row} of {table} refers to a row of {parent} that does not exist"
                for table, row, parent, _ in self.connection.execute("PRAGMA foreign_key_check")]

    def copy_to(self, path):
        """An exact copy of one moment, made while others write."""
        Path(path).touch(mode=0o640)
        target = sqlite3.connect(path, isolation_level=None)
        try:
            with translated:
                self.connection.backup(target)
        finally:
            target.close()

    def close(self):
        self.connection.close()

    def __del__(self):
        if hasattr(self, "connection"):            # a thread's connection goes with the thread
            self.close()


# Compact JSON, for a column or an answer. The only numbers it cannot write by itself are Decimals.
as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=float).encode


# Migrations

class SchemaError(Exception):
    """The database and this program do not fit together."""


def migrations():
    """(number, path) of every migration, in order."""
    files = sorted((paths.folder("sql") / "migrations").glob("*.sql"))
    return [(int(re.match(r"\d{4}", file.name)[0]), file) for file in files]


@translated
def version(connection):
    return connection.execute("PRAGMA user_version").fetchone()[0]


def check_version(connection):
    """Raises SchemaError unless the database has just the version of this program."""
    have, want = version(connection), migrations()[-1][0]
    if have < want:
        raise SchemaError(f"the database has schema {have}, this version of eventapi needs {want}: "
                          "run 'eventapi migrate'")
    if have > want:
        raise SchemaError(f"the database has schema {have}, newer than schema {want} of this version of eventapi: "
                          "install the newer version again, or restore the backup that was made before the upgrade")


@translated
def migrate(path, *, before=None):
    """Creates or upgrades the database; gives (old version, new version). Safe when two run at once: the second finds it done.

    `before(version)` is called under the lock before anything is changed; it makes the backup.
    All migrations are one transaction: when one fails, the database stays as it was.
    """
    path = Path(path)
    lock = write_lock(path)
    lock.acquire(timeout=600)
    try:
        path.touch(mode=0o640)
        connection = connect(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            start = version(connection)
            todo = [(number, file) for number, file in migrations() if number > start]
            if start > migrations()[-1][0]:
                check_version(connection)
            if todo and start and before:
                before(start)
            connection.execute("PRAGMA foreign_keys = OFF")      # inside a transaction this would do nothing
            if todo:
                _apply(connection, todo)
                connection.execute("PRAGMA optimize")
            return start, version(connection)
        finally:
            connection.close()
    finally:
        lock.release()


def _apply(connection, todo):
    scripts = [f"{file.read_text(encoding='utf-8')}\nPRAGMA user_version = {number};" for number, file in todo]
    try:
        connection.executescript("\n".join(["BEGIN IMMEDIATE;", *scripts]))       # at once: executescript ends a transaction that is open
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise SchemaError(f"the migration leaves rows that refer to rows that do not exist: {broken[:5]}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
