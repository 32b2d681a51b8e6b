"""Every SQL statement is valid with all its optional lines, no list sorts or scans a big table, and
no request runs more statements than necessary.
"""

import re
from collections import defaultdict
from importlib import import_module

import pytest

from eventapi import paths
from eventapi.resources import CATALOGUE
from eventapi.storage import database, migrations
from eventapi.storage.statements import NOTHING, ListStatement, statements
from eventapi.validation.schema_files import query_schema
from tests.support.each import check_each, each_group
from tests.support.examples import address_of_list, all_routes, collections, make, query_for
from tests.web.test_routes import each

FILES = sorted(file.stem for file in (paths.folder("sql")).glob("*.sql"))
EVERY = [(file, statement) for file in FILES for statement in vars(statements(file)).values()]
LISTS = [(file, statement) for file, statement in EVERY if statement.sorts]

# Tables that stay small at any trade show: to scan and to sort them is cheap.
SMALL = {
    "tenant",
    "bulk_imports",
    "flags",
    "admins",
    "bank_rules",
    "api_keys",
    "gateways",
    "settings",
    "counters",
    "worker_heartbeats",
    "audit_anchors",
    "categories",
    "booth_types",
    "booth_formulas",
    "service_categories",
    "document_categories",
    "document_templates",
    "custom_field_definitions",
    "sqlite_sequence",
    "newsletter_secret",
    "webhooks",
    "bank_formats",
    "event_pages",
    "periods",
    "period_files",
    "period_file_ends",
    "participant_counts",
    "contact_duplicates",
    "check_in_counts",
}
# Statements that read a whole table on purpose, with the reason.
SCANS = {
    "admission.wrong_counts": "eventapi check counts everything",
    "audit_log.list": "by admin, actor or key: 120 ms for 440,000 entries, while an index would cost every write",
    "billing.wrong_stock": "eventapi check adds up everything",
    "e_invoices.all": "eventapi check compares all e-invoices",
    "events.undecided_abroad": "eventapi check reads all events",
    "housekeeping.used_files": "the worker compares all files with all rows that name them",
    "journal.last": "two rows, each the last of its table by primary key",
    "journal.entries": "verifying the chain reads all of it",
    "balance.lines": "eventapi check adds up everything",
    "balance.wrong_groups": "eventapi check adds up everything",
    "balance.taxes": "eventapi check adds up everything",
    "deposits.wrong": "eventapi check adds up everything",
    "dunning.wrong_levels": "eventapi check adds up everything",
    "refunds.wrong_sums": "eventapi check adds up everything",
    "bank_statements.wrong_sums": "eventapi check adds up everything",
    "bank_statements.wrong_statements": "eventapi check adds up everything",
    "privacy.blank_answers": "anonymising is rare, and the table holds one day",
    "privacy.anonymized": "a restore compares every anonymisation",
}
# Lists that may sort their results, with the reason.
SORTS = {
    "dunning.list": "only by id: open invoices that are overdue are few among all",
    "participants.list": "by name and booth: of an event, or what a person sees at once; id and time have indexes",
    "notes.list": "the notes of one record are few",
    "submissions.revisions": "the revisions of one submission are few",
}


def name_of(value):
    return value.name if hasattr(value, "name") else value


def each_file(pairs):
    """Call the test once for each .sql file, with its statements among these as {name: statement}."""
    cases = [(file, statement.name, statement) for file, statement in pairs]
    return each_group("of_file", cases)


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Return a function that returns the lines of EXPLAIN QUERY PLAN for a text."""
    path = tmp_path_factory.mktemp("plan") / "eventapi.db"
    migrations.migrate(path)
    connection = database.connect(path)

    def explain(text):
        values = defaultdict(lambda: None)
        connection.execute(f"EXPLAIN {text}", values)
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)]

    explain.tables = dict(
        connection.execute("SELECT name, name FROM sqlite_schema WHERE type = 'table'")
    )
    explain.columns = {
        table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        for table in explain.tables
    }
    yield explain
    connection.close()


def parts(statement, sort):
    """Return the parts of a list after each kind of cursor: none, with a value, and with NULL."""
    return {part for cursor in (None, (1, 1), (None, 1)) for part in statement.parts(sort, cursor)}


def forms(statement):
    """Yield every text that a statement can produce with its optional lines."""
    if not statement.sorts:
        yield statement.form(statement.words)
        return
    yield statement.count(statement.words)
    for sort in statement.sorts:
        for order in ("ASC", "DESC"):
            yield statement.page(statement.words, sort, order)
            yield from (
                statement.after(statement.words, sort, order, part)
                for part in parts(statement, sort)
            )


def unfiltered(statement):
    """Yield the texts that select the ids of a list without filters, by page and by cursor."""
    for sort in statement.sorts:
        for order in ("ASC", "DESC"):
            yield from (
                statement.ids(NOTHING, sort, order, part)
                for part in ("page", *parts(statement, sort))
            )


def filtered(statement):
    """Yield the texts of a list and of its count with one filter."""
    for word in statement.words:
        yield statement.count(frozenset([word]))
        yield from (
            statement.ids(frozenset([word]), sort, order)
            for sort in statement.sorts
            for order in ("ASC", "DESC")
        )


def listed_table(statement):
    """Return the table that a list reads first."""
    return re.search(r"^\s*FROM (\w+)", statement.plain(), re.M)[1]


def scanned(statement_text, lines, tables):
    """Return the tables that a plan reads completely, without an index.

    Reading the first rows by id does not count.
    """
    if " LIMIT " in statement_text and not any("TEMP B-TREE" in line for line in lines):
        return set()
    keywords = "WHERE|LEFT|JOIN|ON|ORDER|SET|GROUP|UNION|LIMIT|CROSS|INDEXED|USING|VALUES"
    named = rf"\b(?:FROM|JOIN|,|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(?!{keywords})(\w+))?"
    aliases = {alias or table: table for table, alias in re.findall(named, statement_text)}
    found = {name for line in lines for name in re.findall(r"^SCAN (\w+)$", line)}
    return {aliases.get(name, name) for name in found} & tables.keys() - SMALL


def test_what_only_a_search_finds_is_counted_in_its_index():
    payments = statements("payments").list
    assert payments.count(frozenset(["search"])) == (
        "SELECT count(*) FROM payments_search WHERE payments_search MATCH :search"
    )
    assert payments.count(frozenset(["search", "status"])).startswith(
        "SELECT count(*)\n  FROM payments p\n WHERE TRUE"
    )
    assert "payments_search" not in payments.count(NOTHING)


@each_file(EVERY)
def test_a_statement_is_valid_and_scans_no_big_table(plan, of_file):
    def check(statement):
        for text in forms(statement):
            lines = plan(text)
            if statement.name not in SCANS and not statement.sorts:
                assert not scanned(text, lines, plan.tables), (
                    f"{statement.name} reads all of a table: {lines}\n{text}"
                )

    check_each(of_file, check)


@each_file(LISTS)
def test_a_list_sorts_by_index_and_filters_by_index(plan, of_file):
    def check(statement):
        if statement.name not in SORTS and listed_table(statement) not in SMALL:
            for text in unfiltered(statement):
                lines = plan(text)
                sorts = any("TEMP B-TREE FOR ORDER BY" in line for line in lines)
                assert not sorts, f"{lines}\n{text}"
        if statement.name not in SCANS:
            for text in filtered(statement):
                lines = plan(text)
                assert not scanned(text, lines, plan.tables), f"{lines}\n{text}"

    check_each(of_file, check)


@pytest.fixture
def analysed(tmp_path):
    """Return EXPLAIN QUERY PLAN for a database with statistics: 2,000 invoices without a credit
    note among them.
    """
    path = tmp_path / "eventapi.db"
    migrations.migrate(path)
    connection = database.connect(path)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("""WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
        INSERT INTO invoices (id, invoice_number, invoice_type, contact_id, status, currency, due_date, issue_date,
                              created_at, updated_at)
        SELECT n, 'R-' || n, 'invoice', n % 50, 'sent', 'EUR', '2026-01-01', '2026-01-01', '', '' FROM number""")
    connection.execute("ANALYZE")  # as `PRAGMA optimize` of the worker does
    connection.close()
    connection = database.connect(path)  # reads the statistics
    assert (
        connection.execute("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'invoices'").fetchone()[0]
        > 5
    )
    yield lambda text: [
        row[3]
        for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", defaultdict(lambda: None))
    ]
    connection.close()


def test_statistics_of_a_year_without_credit_notes_lead_to_no_scan(analysed):
    """While no invoice has a related invoice, an index of all of them looks useless to SQLite."""
    found = 0
    for file, statement in EVERY:
        for name in set(re.findall(r"(\w+)\.related_invoice_id = ", statement.plain())):
            for text in forms(statement):
                if f"{name}.related_invoice_id = " in text:
                    assert f"SCAN {name}" not in analysed(text), (
                        f"{file}.{statement.name}: {analysed(text)}\n{text}"
                    )
                    found += 1
    assert found > 20


def test_every_listed_exception_is_still_needed(plan):
    by_name = {statement.name: statement for _, statement in EVERY}
    for name in SCANS:
        texts = filtered(by_name[name]) if by_name[name].sorts else forms(by_name[name])
        assert any(scanned(text, plan(text), plan.tables) for text in texts), (
            f"{name} scans no more: take it out"
        )
    for name in SORTS:
        assert any(
            "TEMP B-TREE FOR ORDER BY" in line
            for text in unfiltered(by_name[name])
            for line in plan(text)
        ), name


@pytest.mark.parametrize("name", CATALOGUE)
def test_sort_keys_and_includes_are_those_of_the_schema(name):
    module = import_module(f"eventapi.{name}")
    sorts = [set(statement.sorts) for _, statement in LISTS]
    included = set()
    for route in module.routes.routes:
        schema = query_schema(route.options.query, listing=route.options.listing)
        if route.options.listing:
            assert set(schema["properties"]["sort"]["enum"]) in sorts, (
                f"{route.path}: the sort words of schema and SQL differ"
            )
        include = schema["properties"].get("include", {})
        while "$ref" in include:
            include = schema["$defs"][include["$ref"].rpartition("/")[2]]
        included |= set(include.get("items", {}).get("enum", ()))
    assert included == set(getattr(module, "INCLUDES", included))


def written(text):
    """Yield (table, columns) for each INSERT and UPDATE of a statement."""
    for table, names in re.findall(r"INSERT (?:OR \w+ )?INTO (\w+) \(([^)]*)\)", text):
        yield table, set(re.findall(r"\w+", names))
    for table, changes in re.findall(
        r"UPDATE (?:OR \w+ )?(\w+) SET (.*?)(?:\n? WHERE |$)", text, re.S
    ):
        yield table, set(re.findall(r"(\w+) = ", changes))


def test_a_statement_that_writes_a_text_writes_its_folded_form(plan):
    """Lists are sorted and searched by the folded form, which no trigger keeps up to date."""
    found = 0
    for _, statement in EVERY:
        for table, columns in written(statement.form(statement.words)):
            folded = {
                column for column in plan.columns[table] if column.endswith(("_folded", "_natural"))
            }
            wanted = {
                column for column in folded if re.sub("_(folded|natural)$", "", column) in columns
            }
            assert wanted <= columns, f"{statement.name} does not write {sorted(wanted - columns)}"
            found += len(wanted)
    assert found > 50


def counted(client, path, **options):
    """Return the number of statements of a request, except those that begin and end its snapshot."""
    client.get(path, status=200, **options)  # opens the connection, notes the use of the key
    statements_run, connection = [], client.app.app.connections.reader().connection
    connection.set_trace_callback(statements_run.append)
    try:
        client.get(path, status=200, **options)
    finally:
        connection.set_trace_callback(None)
    statements_run = [
        text for text in statements_run if not text.startswith(("BEGIN", "COMMIT", "PRAGMA"))
    ]
    return len(statements_run), "\n".join(statements_run)


@pytest.mark.parametrize("singular, path", sorted(collections().items()), ids=sorted(collections()))
def test_a_read_by_id_takes_at_most_three_statements(shared, singular, path):
    record = make(shared.organiser, singular)
    count, statements_run = counted(shared.organiser, f"{path}/{record['id']}")
    assert count <= 3, statements_run


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
        path = address_of_list(shared.organiser, route)
        count, statements_run = counted(shared.organiser, f"{path}{query}&per_page=2{extra}")
        # One each for the caller, the page, the count and the parts of every response. Forms get
        # three parts more.
        more = 3 if route.path == "/api/v1/applications/events" else 0
        assert count <= 4 + more + len(asked), statements_run


def test_every_statement_is_used_by_the_module_that_loads_its_file():
    used = set()
    for file in (paths.folder("sql").parent / "eventapi").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for names, files in re.findall(r"^([\w, ]+) = (statements\(.*)$", text, re.M):
            for name, loaded in zip(names.split(", "), re.findall(r'"(\w+)"', files), strict=True):
                used |= {(loaded, statement) for statement in re.findall(rf"\b{name}\.(\w+)", text)}
    every = {(file, name) for file in FILES for name in vars(statements(file))}
    assert every - used == set()


GOOD = """SELECT w.id, w.title
  FROM widgets w
 WHERE TRUE
   AND w.id IN (SELECT value FROM json_each(:ids))      -- when ids
 ORDER BY {sort} {order} NULLS LAST, w.id {order}  -- sort: id=w.id title=w.title
"""


@pytest.mark.parametrize(
    "old, new",
    [
        ("  FROM", "   \b FROM"),
        ("id=w.id title", "title"),
        ("ORDER BY {sort}", "ORDER BY title"),
        ("-- when ids", "-- when id"),
        (" WHERE", "  LEFT JOIN parts p ON p.id = w.id\n WHERE"),
        ("w.id IN", "w.uid IN"),
        ("IN (SELECT value FROM json_each(:ids))", "= :ids"),
    ],
)
def test_a_list_that_lacks_a_line_prevents_the_start(old, new):
    assert (
        ListStatement("widgets.list", GOOD)
        .ids(NOTHING, "title", "ASC")
        .endswith("ORDER BY w.title ASC NULLS LAST, w.id ASC LIMIT :limit OFFSET :offset")
    )
    with pytest.raises(ValueError, match=r"widgets\.list is a list, but lacks"):
        ListStatement("widgets.list", GOOD.replace(old, new).replace("=w.title", "=p.title"))
