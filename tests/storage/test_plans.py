"""No statement except those of lists reads a large table: query plans with the statistics of the
big database.

Without statistics SQLite guesses, and its guesses are those for small tables. `big_statistics.txt`
has the statistics of the big database. Loaded into an empty database they give the plans that a
show of ten years gets, and say how many rows each step reads. After a migration that adds an index,
write them again, with a copy of that database:

    python3 tests/load/planner_statistics.py FOLDER > tests/storage/big_statistics.txt
"""

import re
from collections import defaultdict

import pytest

from eventapi.storage import database, migrations
from tests.load.planner_statistics import load_statistics, read_statistics
from tests.storage.plan_exceptions import READS_ALL, WORSE
from tests.storage.test_statements import EVERY, SCANS, each_file
from tests.support.all_tests import only_in_all
from tests.support.each import check_each

LARGE = 10_000  # rows of a table
OTHERS = [
    (file, statement)
    for file, statement in EVERY
    if not statement.sorts and statement.name not in SCANS
]
STATISTICS = read_statistics()
ROWS = {}  # table -> number of rows; a partial index has fewer
for one in STATISTICS:
    # the table of a full-text index with a row per record
    name = one.table.removesuffix("_docsize")
    ROWS[name] = max(int(one.exact.split()[0]), ROWS.get(name, 0))
# A Bloom filter is made of all rows of its table. It appears only with statistics.
STEP = re.compile(r"(?P<verb>SCAN|SEARCH|BLOOM FILTER ON) (?P<alias>\w+)")
KEYWORDS = "WHERE|LEFT|JOIN|ON|ORDER|SET|GROUP|UNION|LIMIT|CROSS|INDEXED|USING|VALUES"
NAMED = re.compile(
    rf"(?:\b(?:FROM|JOIN|UPDATE|INTO)|,)\s+(\w+)\b(?!\.)(?:\s+(?:AS\s+)?(?!(?:{KEYWORDS})\b)(\w+))?"
)


class Planner:
    """An empty database that plans with the statistics of the big one: `sampled`, as the worker
    gathers them.
    """

    def __init__(self, path, statistics):
        migrations.migrate(path)
        self.connection = database.connect(path)
        load_statistics(self.connection, statistics, "sampled")

    def plan(self, text):
        """Return the lines of EXPLAIN QUERY PLAN."""
        return [
            row[3]
            for row in self.connection.execute(
                f"EXPLAIN QUERY PLAN {text}", defaultdict(lambda: None)
            )
        ]


@pytest.fixture(scope="module")
def planner(tmp_path_factory):
    planner = Planner(tmp_path_factory.mktemp("big") / "eventapi.db", STATISTICS)
    yield planner
    planner.connection.close()


@pytest.fixture(scope="module")
def guesser(tmp_path_factory):
    """Return a Planner of a new installation, which has no statistics."""
    planner = Planner(tmp_path_factory.mktemp("new") / "eventapi.db", [])
    yield planner
    planner.connection.close()


def forms(statement):
    """Return the texts of a statement without its optional lines, and with all of them."""
    return {statement.plain(), statement.form(statement.words)}


def tables_of(text):
    """Return alias -> table of a statement; of an alias that several parts use, the largest table."""
    found = {}
    for table, alias in NAMED.findall(text):
        name = alias or table
        if ROWS.get(table, 0) >= ROWS.get(found.get(name), 0):
            found[name] = table
    return found


def findings(text, lines):
    """Return the large tables that a plan reads completely."""
    aliases = tables_of(text)
    steps = [STEP.match(line) for line in lines if "VIRTUAL TABLE" not in line]
    tables = {
        aliases.get(step["alias"], step["alias"])
        for step in steps
        if step and step["verb"] != "SEARCH"
    }
    return {table for table in tables if ROWS.get(table, 0) > LARGE}


def found_in(planner, statement):
    return set().union(*(findings(text, planner.plan(text)) for text in forms(statement)))


@each_file(OTHERS)
def test_a_statement_reads_no_large_table(planner, of_file):
    def check(statement):
        if statement.name not in READS_ALL:
            assert not found_in(planner, statement), (
                f"{statement.name}: change it or add an index, or add it to "
                "plan_exceptions.py with the reason"
            )

    check_each(of_file, check)


@only_in_all
def test_no_plan_is_worse_with_statistics_than_without(planner, guesser):
    def check(statement):
        if statement.name not in WORSE:
            for text in forms(statement):
                worse = findings(text, planner.plan(text)) - findings(text, guesser.plan(text))
                assert not worse, f"{worse} only with statistics:\n{text}"

    check_each({statement.name: statement for _, statement in OTHERS}, check)


def test_every_exception_is_still_needed(planner):
    by_name = {statement.name: statement for _, statement in EVERY}
    assert [name for name in READS_ALL if not found_in(planner, by_name[name])] == []


def test_the_statistics_are_those_of_the_big_database():
    assert (
        ROWS["contacts"] >= 1_000_000
        and ROWS["payments"] >= 900_000
        and ROWS["audit_log"] >= 2_000_000
    )
