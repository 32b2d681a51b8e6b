"""Maintenance of the database: statistics of the query planner, the write-ahead log, and the
rewriting of the file.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count

from eventapi.storage.database import Connection, Database, Error, connect, require_current
from eventapi.storage.errors import translated
from eventapi.storage.statements import statements
from eventapi.storage.write_lock import write_lock

sql = statements("maintenance")

ROWS = 400  # rows of an index that ANALYZE reads, so that it takes milliseconds for any table
LARGE_CACHE = 64_000  # kB
STEPS = 1_000_000  # steps of SQLite between two reports of progress, about 50 ms
REWRITING, STEPS_PER_PAGE = "rewrite the file", 100
Report = Callable[[str, int, int], None]
PIECE_SECONDS = 0.03  # intended duration of a transaction, so that other writes need not wait long


# ANALYZE with a limit estimates the rows of each index by itself, by the pages at its beginning.
# After old rows were deleted, an index may seem to have a tenth of the rows of its table, and
# SQLite would rather read and sort all of it than read the last row of the table. So each index
# gets the number of rows of its table; a partial one may have fewer.
SAME_NUMBER = """
UPDATE sqlite_stat1
   SET stat = CASE WHEN idx IN (SELECT name FROM pragma_index_list(:tbl) WHERE partial)
                   THEN min(CAST(stat AS INTEGER), :number) ELSE :number END || substr(stat, instr(stat || ' ', ' '))
 WHERE tbl = :tbl AND idx IS NOT NULL"""


@translated
def analyze(db: Database) -> None:
    """Gather the statistics of all tables for the query planner, in short transactions, and let
    every process use them.

    A connection reads the statistics only when it reads the schema. So the schema gets a new
    version at the end, which lets all open connections read it again and plan their statements
    anew.
    """
    db.connection.execute(f"PRAGMA analysis_limit = {ROWS}")
    tables = _numbers(db.connection)  # without the write lock
    while tables:
        with db.write():
            until = time.monotonic() + PIECE_SECONDS
            while tables and time.monotonic() < until:
                _analyze_table(db.connection, *tables.pop())
    with db.write():
        db.connection.execute("CREATE VIEW renewed AS SELECT 1")
        db.connection.execute("DROP VIEW renewed")
        db.connection.execute("ANALYZE sqlite_schema")  # lets this connection read the statistics


@translated
def analyze_all(connection: Connection) -> None:
    """Gather the statistics of all tables at once, on a database that nobody else uses."""
    connection.execute(f"PRAGMA analysis_limit = {ROWS}")
    connection.execute("BEGIN IMMEDIATE")
    for table, number in _numbers(connection):
        _analyze_table(connection, table, number)
    connection.execute("COMMIT")


def _numbers(connection):
    """Return (table, number of its rows) for all tables."""
    tables = [name for (name,) in connection.execute(sql.tables.plain())]
    return [
        (table, connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
        for table in tables
    ]


def _analyze_table(connection, table, number):
    connection.execute(f'ANALYZE "{table}"')
    connection.execute(SAME_NUMBER, {"tbl": table, "number": number})


def silent(part: str, done: int, total: int) -> None:
    """Report no progress.

    Every long function takes such a function: `done` of `total` units of a part are done.
    """


@contextmanager
def reporting(
    connection: Connection,
    report: Report,
    part: str,
    steps_per_page: int,
    stopping: Callable[[], bool] = lambda: False,
) -> Iterator[None]:
    """Report the progress of the statements in the block, measured in steps of SQLite's virtual
    machine.

    The expected number of steps is `steps_per_page` times the pages of the file. Interrupt the
    statements once `stopping()` is true. An exception of `report` or `stopping` ends the statement
    and is raised from the block.
    """
    total = connection.execute("PRAGMA page_count").fetchone()[0] * steps_per_page
    done = count(STEPS, STEPS)
    raised = []

    def step():
        try:
            report(part, next(done), total)
            return stopping()
        except (
            BaseException
        ) as error:  # Ctrl-C too: sqlite3 would end the statement and drop the exception
            raised.append(error)
            return True

    connection.set_progress_handler(step, STEPS)
    try:
        report(part, 0, total)
        yield
    except Error:
        if raised:
            raise raised[0] from None
        raise
    finally:
        connection.set_progress_handler(None, 0)


@contextmanager
def large_cache(connection: Connection) -> Iterator[None]:
    """Give a connection a page cache for looking up each row of an index: half the time in a large
    file.
    """
    before = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size = -{LARGE_CACHE}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {before}")


@translated
def checkpoint(db: Database) -> None:
    """Write the write-ahead log into the database file as far as readers allow.

    Readers need not wait.

    Hold the write lock: a checkpoint beside a commit and another checkpoint can damage the file, by
    a fault of SQLite before 3.51.3. Raise Busy if the lock is not free in time.
    """
    db.write_lock.acquire()
    try:
        db.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        db.write_lock.release()


def vacuum(path: str | os.PathLike, report: Report = silent) -> None:
    """Rewrite the whole file, so that nothing of deleted data is left in it.

    Others can read meanwhile, but not write. Raise Busy if the write lock is not free within a
    minute, and Outdated if the database has a newer schema than this program.
    """
    lock = write_lock(path)
    lock.acquire(timeout=60)
    try:
        with (
            translated,
            closing(connect(path)) as connection,
            reporting(connection, report, REWRITING, STEPS_PER_PAGE),
        ):
            require_current(connection)
            connection.executescript(
                "PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"
            )
    finally:
        lock.release()
