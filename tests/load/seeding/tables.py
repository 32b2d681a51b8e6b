"""Write rows into tables fast: without their indexes and triggers, which are created again at the
end.
"""

import time
from contextlib import contextmanager

# Tables that are small, or whose triggers keep counters of other tables while rows are added.
KEPT_TABLES = ("calendar_entries", "flags", "booth_reservations", "check_in_visitors")
KEPT = (
    "calendar_",
    "check_in_rosters_insert",
    "check_ins_count_insert",
    "check_ins_by_participant",
    *KEPT_TABLES,
)
FAST = """PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1200000; PRAGMA foreign_keys = OFF;
          PRAGMA temp_store = FILE; PRAGMA locking_mode = EXCLUSIVE"""
SEARCHED = ("contacts", "applications", "events", "services", "tasks", "newsletter")
started = time.time()


def say(text):
    """Print a line with the seconds since the start."""
    print(f"{time.time() - started:7.1f} s {text}", flush=True)


def put(connection, table, columns, rows):
    """Insert rows, given as tuples in the order of the columns."""
    marks = ", ".join("?" * len(columns.split(",")))
    connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
    say(table)


@contextmanager
def without_indexes(connection):
    """Drop indexes and triggers, and create them again after the block.

    All of it is one transaction.
    """
    connection.executescript(FAST)
    objects = connection.execute(
        "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') "
        "AND sql IS NOT NULL ORDER BY type, name"
    ).fetchall()
    dropped = [one for one in objects if not one[1].startswith(KEPT)]
    for kind, name, _ in dropped:
        connection.execute(f"DROP {kind} {name}")
    connection.execute("BEGIN")
    yield
    for table in SEARCHED:
        connection.execute(f"INSERT INTO {table}_search ({table}_search) VALUES ('rebuild')")
    say("full-text search")
    for _, _, text in dropped:
        connection.execute(text)
    connection.execute("COMMIT")
    say("indexes and triggers")
    connection.execute("PRAGMA journal_mode = WAL")
