"""No statement reads or sorts a large table: query plans with the statistics of the big database of tests/load.

Without statistics SQLite guesses, and its guesses are those for small tables. `big_statistics.txt` has the statistics
of the big database. Loaded into an empty database they give the plans that a show of ten years gets, and say how many
rows each step reads. After a migration that adds an index, write them again, with a copy of that database:

    python3 tests/load/planner_statistics.py FOLDER > tests/storage/big_statistics.txt
"""
import re
from collections import defaultdict, namedtuple
from itertools import combinations

import pytest

from eventapi.storage import database, migrations
from eventapi.storage.statements import NOTHING, Merge
from tests.load.planner_statistics import load_statistics, read_statistics
from tests.storage.plan_exceptions import READS_ALL, SORTS_MANY, WALKS, WORSE
from tests.storage.test_statements import EVERY, SCANS, name_of, parts

LARGE = 10_000              # rows of a table, or rows that a step is expected to read
STATISTICS = read_statistics()
ROWS = {}                   # table -> number of rows; a partial index has fewer
for one in STATISTICS:
    name = one.table.removesuffix("_docsize")               # the table of a full-text index with a row per record
    ROWS[name] = max(int(one.exact.split()[0]), ROWS.get(name, 0))
ROWS_PER_VALUE = {one.index: [int(number) for number in one.exact.split() if number.isdigit()] for one in STATISTICS}
# A Bloom filter is made of all rows of its table. It appears only with statistics.
STEP = re.compile(r"(?P<verb>SCAN|SEARCH|BLOOM FILTER ON) (?P<alias>\w+)"
                  r"(?: USING (?:AUTOMATIC )?(?:PARTIAL )?(?:COVERING )?INDEX (?P<index>\w+))?"
                  r"(?P<key> USING INTEGER PRIMARY KEY)?(?: USING PRIMARY KEY)?(?: \((?P<bound>[^)]*)\))?")
KEYWORDS = "WHERE|LEFT|JOIN|ON|ORDER|SET|GROUP|UNION|LIMIT|CROSS|INDEXED|USING|VALUES"
NAMED = re.compile(rf"(?:\b(?:FROM|JOIN|UPDATE|INTO)|,)\s+(\w+)\b(?!\.)(?:\s+(?:AS\s+)?(?!(?:{KEYWORDS})\b)(\w+))?")

Form = namedtuple("Form", "text filter sort is_page")


class Planner:
    """An empty database that plans with the statistics of the big one: `sampled`, as the worker gathers them."""

    def __init__(self, path, statistics):
        migrations.migrate(path)
        self.connection = database.connect(path)
        load_statistics(self.connection, statistics, "sampled")

    def plan(self, text):
        """Return (line, whether it is part of a correlated subquery) of each line of EXPLAIN QUERY PLAN."""
        rows, correlated = self.connection.execute(f"EXPLAIN QUERY PLAN {text}", defaultdict(lambda: None)), set()
        lines = []
        for id, parent, _, line in rows:
            if line.startswith("CORRELATED") or parent in correlated:
                correlated.add(id)
            lines.append((line, id in correlated))
        return lines


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
    """Yield each Form that requests can produce with at most one filter; of other statements those with all words.

    `updated_since` is left out: lists read a bounded number of rows for it (web/lists.py), whatever its plan.
    """
    if isinstance(statement, Merge):
        for words in combinations(sorted(statement.words), 2):
            yield Form(statement.count(frozenset(words)), "", "count", False)
            yield from (Form(statement.ids(frozenset(words), "id", order, part), "", "id", True)
                        for order in ("ASC", "DESC") for part in ("page", "first", "next"))
        return
    if not statement.sorts:
        yield from (Form(text, "", "", False) for text in {statement.plain(), statement.form(statement.words)})
        return
    for word in ("", *sorted(statement.words - {"updated_since"})):
        given = frozenset([word]) if word else NOTHING
        yield Form(statement.count(given), word, "count", False)
        for sort in statement.sorts:
            for order in ("ASC", "DESC"):
                yield from (Form(text, word, sort, True) for text in pages(statement, given, sort, order))


def pages(statement, given, sort, order):
    """Yield the texts that read a page, or a part after a cursor, as lists do: with a filter only its ids."""
    if given:
        yield from (statement.ids(given, sort, order, part) for part in ("page", *parts(statement, sort)))
    else:
        yield statement.page(given, sort, order)
        yield from (statement.after(given, sort, order, part) for part in parts(statement, sort))
    yield statement.ids(given, sort, order, is_backwards=True)


def tables_of(text):
    """Return alias -> table of a statement; of an alias that several parts use, the largest table."""
    found = {}
    for table, alias in NAMED.findall(text):
        name = alias or table
        if ROWS.get(table, 0) >= ROWS.get(found.get(name), 0):
            found[name] = table
    return found


def expected_rows(step, table):
    """Return how many rows a step of a plan reads, by the statistics."""
    if step["key"]:
        return 1
    bound = (step["bound"] or "").count("=?")
    per_value = ROWS_PER_VALUE.get(step["index"] or table, [])              # a table without rowid is an index itself
    if step["verb"] == "SEARCH" and bound and per_value:
        return per_value[bound] if bound < len(per_value) else 1            # behind all columns comes the rowid
    return ROWS.get(table, 0)


def findings(form, lines):
    """Return what a plan does to large tables: `reads TABLE`, `walks TABLE` (in order, until the page is full) and
    `sorts`.

    Rows that are read for each row of the result do not count as sorted.
    """
    aliases, found, most = tables_of(form.text), set(), 0
    sorts = any("TEMP B-TREE FOR ORDER BY" in line for line, _ in lines)
    for line, is_correlated in lines:
        step = STEP.match(line)
        table = aliases.get(step["alias"], step["alias"]) if step else ""
        if ROWS.get(table, 0) <= LARGE:
            continue
        if not is_correlated:
            most = max(most, expected_rows(step, table))
        if step["verb"] != "SEARCH" and "VIRTUAL TABLE" not in line:
            found.add(f"walks {table}" if form.is_page and not sorts else f"reads {table}")
    if sorts and form.sort and most > LARGE:
        found.add("sorts")
    if form.is_page and (not form.filter or form.filter.endswith("_many")):
        found = {text for text in found if not text.startswith("walks")}       # it soon meets enough rows for the page
    return found - {"sorts"} if form.filter.endswith("_few") else found


def found_in(planner, statement):
    """Return {finding: (filter, sort) of the forms that have it} of a statement."""
    found = defaultdict(set)
    for form in forms(statement):
        for text in findings(form, planner.plan(form.text)):
            found[text].add((form.filter, form.sort))
    return found


EXCEPTIONS = {"reads": READS_ALL, "walks": WALKS, "sorts": SORTS_MANY}


def entries(statement, finding, word):
    """Return the names that excuse a finding: that of the statement, and that with the filter."""
    return {statement.name, f"{statement.name} {word}"} & EXCEPTIONS[finding.split()[0]].keys()


@pytest.mark.parametrize("file, statement", EVERY, ids=name_of)
def test_a_statement_reads_and_sorts_no_large_table(planner, file, statement):
    if statement.name in SCANS:
        return
    left = {finding: sorted(where for where in places if not entries(statement, finding, where[0]))
            for finding, places in found_in(planner, statement).items()}
    assert not {finding: places for finding, places in left.items() if places}, (
        f"{statement.name}, as (filter, sort). Change the statement or add an index, or add it to plan_exceptions.py "
        "with the reason")


@pytest.mark.parametrize("file, statement", EVERY, ids=name_of)
def test_no_plan_is_worse_with_statistics_than_without(planner, guesser, file, statement):
    for form in () if statement.name in SCANS else forms(statement):
        worse = findings(form, planner.plan(form.text)) - findings(form, guesser.plan(form.text))
        if f"{statement.name} {form.filter}".strip() not in WORSE:
            assert not worse, f"{worse} only with statistics:\n{form.text}"


@pytest.mark.parametrize("kind", EXCEPTIONS)
def test_every_exception_is_still_needed(planner, kind):
    by_name = {statement.name: statement for _, statement in EVERY}
    for entry in EXCEPTIONS[kind]:
        found = found_in(planner, by_name[entry.split()[0]])
        assert any(finding.startswith(kind) and entry in entries(by_name[entry.split()[0]], finding, word)
                   for finding, places in found.items() for word, _ in places), (
            f"{entry} needs no exception any more: remove it from plan_exceptions.py")


def test_the_statistics_are_those_of_the_big_database():
    assert ROWS["contacts"] >= 1_000_000 and ROWS["payments"] >= 900_000 and ROWS["audit_log"] >= 2_000_000
