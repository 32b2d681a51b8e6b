"""Every SQL statement: it is valid with all its lines, no list sorts or scans a big table, no request asks more often
than it must.
"""
import re
from collections import defaultdict
from importlib import import_module

import pytest

from eventapi import paths
from eventapi.resources import CATALOGUE
from eventapi.storage import database, migrations
from eventapi.storage.statements import NOTHING, statements
from eventapi.validation.schema_files import query_schema
from tests.support.examples import address_of_list, all_routes, collections, make, query_for
from tests.web.test_routes import each

FILES = sorted(file.stem for file in (paths.folder("sql")).glob("*.sql"))
EVERY = [(file, statement) for file in FILES for statement in vars(statements(file)).values()]
LISTS = [(file, statement) for file, statement in EVERY if statement.sorts]

# Tables that stay small, whatever the trade show: a scan of them costs nothing.
SMALL = {"tenant", "bulk_imports", "flags", "admins", "api_keys", "gateways", "counters", "worker_signs",
         "audit_anchors", "categories", "booth_types", "booth_formulas", "service_categories", "document_categories",
         "document_templates", "custom_field_definitions", "sqlite_sequence", "newsletter_secret", "webhooks"}
# Statements that read a whole table on purpose, and why.
SCANS = {
    "admission.wrong_counts": "eventapi check counts everything",
    "billing.wrong_stock": "eventapi check adds up everything",
    "housekeeping.used_files": "the worker compares all files with all rows that name them",
    "journal.last": "two rows, each the last of its table by primary key",
    "journal.entries": "verifying the chain reads all of it",
    "ledger.lines": "eventapi check adds up everything",
    "ledger.wrong_groups": "eventapi check adds up everything",
    "ledger.taxes": "eventapi check adds up everything",
    "privacy.outgoing_events": "anonymising is rare; an index would cost every write",
    "privacy.blank_outgoing_events": "anonymising is rare; an index would cost every write",
    "privacy.blank_answers": "anonymising is rare, and the table holds one day",
    "privacy.made": "restore applies every anonymisation again",
}
# Lists that may sort what they found, and why.
SORTS = {
    "contacts.list_in_category": "what is in one category is sorted by the contact's own columns",
    "contacts.duplicates": "a report: every pair is found anew",
    "notes.list": "the notes of one record are few",
    "submissions.revisions": "the revisions of one submission are few",
    "schedules.list": "only the rows without a value, of which there are none",
}


def name_of(value):
    return value.name if hasattr(value, "name") else value


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """plan(text): the lines of EXPLAIN QUERY PLAN."""
    path = tmp_path_factory.mktemp("plan") / "eventapi.db"
    migrations.migrate(path)
    connection = database.connect(path)

    def explain(text):
        values = defaultdict(lambda: None)
        connection.execute(f"EXPLAIN {text}", values)
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)]
    explain.tables = dict(connection.execute("SELECT name, name FROM sqlite_schema WHERE type = 'table'"))
    yield explain
    connection.close()


def forms(statement):
    """Every text that is made of a statement with all its lines."""
    if not statement.sorts:
        yield statement.form(statement.words)
        return
    yield statement.count(statement.words)
    for sort in statement.sorts:
        for order in ("ASC", "DESC"):
            yield statement.page(statement.words, sort, order)
            for part in ("first", "value", "first null", "null"):
                yield statement.after(statement.words, sort, order, part)


def unfiltered(statement):
    """A list as it is without any filter, by page and by cursor."""
    for sort in statement.sorts:
        for order in ("ASC", "DESC"):
            yield statement.page(NOTHING, sort, order)
            yield from (statement.after(NOTHING, sort, order, part)
                        for part in ("first", "value", "first null", "null"))


def filtered(statement):
    """A list and its count with one filter."""
    for word in statement.words:
        yield statement.count(frozenset([word]))
        yield from (statement.page(frozenset([word]), sort, order) for sort in statement.sorts
                    for order in ("ASC", "DESC"))


def scanned(statement_text, lines, tables):
    """The tables that a plan reads whole, without an index. The first rows by id are not a whole table."""
    if " LIMIT " in statement_text and not any("TEMP B-TREE" in line for line in lines):
        return set()
    aliases = {alias or table: table for table, alias in re.findall(
        r"\b(?:FROM|JOIN|,|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(?!WHERE|LEFT|JOIN|ON|ORDER|SET|GROUP|UNION|LIMIT|CROSS|INDEXED|USING|VALUES)(\w+))?",
        statement_text)}
    found = {name for line in lines for name in re.findall(r"^SCAN (\w+)$", line)}
    return {aliases.get(name, name) for name in found} & tables.keys() - SMALL


@pytest.mark.parametrize("file, statement", EVERY, ids=name_of)
def test_a_statement_is_valid_and_scans_no_big_table(plan, file, statement):
    for text in forms(statement):
        lines = plan(text)
        if statement.name not in SCANS and not statement.sorts:
            assert not scanned(text, lines, plan.tables), f"{statement.name} reads all of a table: {lines}\n{text}"


@pytest.mark.parametrize("file, statement", LISTS, ids=name_of)
def test_a_list_sorts_by_index_and_filters_by_index(plan, file, statement):
    for text in unfiltered(statement) if statement.name not in SORTS else ():
        lines = plan(text)
        assert not any("TEMP B-TREE FOR ORDER BY" in line for line in lines), f"{lines}\n{text}"
    for text in filtered(statement) if statement.name not in SCANS else ():
        lines = plan(text)
        assert not scanned(text, lines, plan.tables), f"{lines}\n{text}"


def test_every_listed_exception_is_still_needed(plan):
    by_name = {statement.name: statement for _, statement in EVERY}
    for name in SCANS:
        assert any(scanned(text, plan(text), plan.tables)
                   for text in forms(by_name[name])), f"{name} scans no more: take it out"
    for name in SORTS:
        assert any("TEMP B-TREE FOR ORDER BY" in line for text in unfiltered(by_name[name])
                   for line in plan(text)), name


@pytest.mark.parametrize("name", CATALOGUE)
def test_sort_keys_and_includes_are_those_of_the_schema(name):
    module = import_module(f"eventapi.{name}")
    sorts = [set(statement.sorts) for _, statement in LISTS]
    included = set()
    for route in module.routes.routes:
        schema = query_schema(route.options.query, listing=route.options.listing)
        if route.options.listing:
            assert set(schema["properties"]["sort"]["enum"]) in sorts, f"{route.path}: the sort words of schema and SQL differ"
        include = schema["properties"].get("include", {})
        while "$ref" in include:
            include = schema["$defs"][include["$ref"].rpartition("/")[2]]
        included |= set(include.get("items", {}).get("enum", ()))
    assert included == set(getattr(module, "INCLUDES", included))


def counted(client, path, **options):
    """How many statements a request takes, besides those that begin and end its snapshot."""
    client.get(path, status=200, **options)                 # opens the connection, notes the use of the key
    told, connection = [], client.app.app.connections.reader().connection
    connection.set_trace_callback(told.append)
    try:
        client.get(path, status=200, **options)
    finally:
        connection.set_trace_callback(None)
    told = [text for text in told if not text.startswith(("BEGIN", "COMMIT", "PRAGMA"))]
    return len(told), "\n".join(told)


@pytest.mark.parametrize("singular, path", sorted(collections().items()), ids=sorted(collections()))
def test_a_read_by_id_takes_at_most_three_statements(shared, singular, path):
    record = make(shared.organiser, singular)
    count, told = counted(shared.organiser, f"{path}/{record['id']}")
    assert count <= 3, told


@each("route", [route for route in all_routes() if route.options.listing])
def test_a_list_takes_at_most_four_statements_and_one_for_each_include(shared, route):
    query = query_for(shared.organiser, route) or "?"
    if route.options.singular in collections():
        for _ in range(3):
            make(shared.organiser, route.options.singular)
    schema = query_schema(route.options.query, listing=True)
    include = schema["properties"].get("include", {})
    include = schema["$defs"][include["$ref"].rpartition("/")[2]] if "$ref" in include else include
    words = include.get("items", {}).get("enum", [])
    for asked in ([], words):
        extra = f"&include={','.join(asked)}" if asked else ""
        count, told = counted(shared.organiser, f"{address_of_list(shared.organiser, route)}{query}&per_page=2{extra}")
        assert count <= 4 + len(asked), told                # who asks, the page, the count, the parts that always come


def test_every_statement_is_used_by_the_module_that_loads_its_file():
    used = set()
    for file in (paths.folder("sql").parent / "eventapi").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for names, files in re.findall(r"^([\w, ]+) = (statements\(.*)$", text, re.M):
            for name, loaded in zip(names.split(", "), re.findall(r'"(\w+)"', files), strict=True):
                used |= {(loaded, statement) for statement in re.findall(rf"\b{name}\.(\w+)", text)}
    every = {(file, name) for file in FILES for name in vars(statements(file))}
    assert every - used == set()
