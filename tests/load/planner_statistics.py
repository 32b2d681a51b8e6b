"""Print the statistics of the query planner of a database: python3 tests/load/planner_statistics.py
FOLDER.

tests/storage/test_plans.py loads them into an empty database, which then plans as the database in
FOLDER does. Each line has the table, the index (`-`: the table has none), the exact statistics of
ANALYZE, and those of a sample, as the worker gathers them. The statistics in FOLDER/eventapi.db are
replaced by the sample.
"""

import sqlite3
import sys
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from eventapi.storage import maintenance

FILE = Path(__file__).resolve().parents[1] / "storage" / "big_statistics.txt"

Statistic = namedtuple("Statistic", "table index exact sampled")


def main(folder):
    connection = sqlite3.connect(Path(folder, "eventapi.db"), isolation_level=None)
    exact = analysed(
        connection, lambda: connection.executescript("PRAGMA analysis_limit = 0; ANALYZE")
    )
    sampled = analysed(connection, lambda: maintenance.analyze_all(connection))
    connection.close()
    print(
        "# table, index, exact and sampled statistics. Written by tests/load/planner_statistics.py."
    )
    for table, index in sorted(exact):
        if not table.startswith("sqlite_"):
            print(table, index, exact[table, index], sampled.get((table, index), "-"), sep="\t")


def analysed(connection, analyze):
    """Return {(table, index): numbers} as `analyze()` stores them."""
    analyze()
    return {
        (table, index or "-"): numbers
        for table, index, numbers in connection.execute("SELECT tbl, idx, stat FROM sqlite_stat1")
    }


def read_statistics(path=FILE):
    """Return the Statistics of a file that `main` has written."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Statistic(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def load_statistics(connection, statistics, column):
    """Let a database plan with these statistics: those of `column`, `exact` or `sampled`, of what
    it knows.
    """
    connection.execute("ANALYZE")  # creates sqlite_stat1
    connection.execute("DELETE FROM sqlite_stat1")
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    connection.executemany(
        "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, nullif(?, '-'), ?)",
        [
            (one.table, one.index, getattr(one, column))
            for one in statistics
            if one.table in known and one.index in {*known, "-"} and getattr(one, column) != "-"
        ],
    )
    connection.execute("ANALYZE sqlite_schema")  # reads sqlite_stat1 again


if __name__ == "__main__":
    main(*sys.argv[1:])
