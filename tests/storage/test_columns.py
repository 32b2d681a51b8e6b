"""The lists of columns in sql/: each column is in the table, in the schema and in the statements of
its file.
"""

import re

import pytest

from eventapi import paths
from eventapi.domain.records.entities import KINDS
from eventapi.storage.statements import columns, statements
from eventapi.storage.statements.columns import expanded, read
from eventapi.validation.schema_files import body_schema, document

SOURCE = """-- Widgets.

-- columns: fields = title city country
--   colour
-- columns: texts = fields without country colour

-- name: get
"""
LISTS = {"fields": ("title", "city", "country", "colour"), "texts": ("title", "city")}


def own(file):
    """Return the columns that the file lists of its own table.

    Those with a table before them are of several tables, and test_statements.py reads them.
    """
    return {column for names in columns(file).values() for column in names if "." not in column}


# File of statements that adds records -> (entity type, table) of its lists.
FILES = {
    file: (kind.entity_type, kind.table)
    for file in (path.stem for path in (paths.folder("sql")).glob("*.sql"))
    if own(file) and hasattr(statements(file), "add")
    for kind in KINDS.values()
    if kind.table == re.match(r"INSERT INTO (\w+)", statements(file).add.plain())[1]
}
# Fields that a body may have and the table of the record has not.
ELSEWHERE = {
    "application": {"booth_type_key", "category_keys", "custom_fields", "event_keys"},
    "booth": {"booth_type_key", "custom_fields"},
    "booth_reservation": {"cancellation_reason", "participant_id", "waitlist"},
    "category": {"event_keys", "parent_category_key"},
    "contact": {"category_keys", "custom_fields", "event_keys", "tags"},
    "document": {"category_key", "esign_status", "template_key"},
    "document_category": {"default_template_key"},
    "event": {"custom_fields"},
    "link": {"event_key"},
    "newsletter_subscriber": {"consent", "send_confirmation"},
    "payment": {"invoice_number"},
    "plan": {"event_key"},
    "schedule": {"assignments", "event_key"},
    "service": {"category_key", "events"},
    "submission_type": {"event_key"},
}
# Copies from another table, which triggers write.
COPIED = {"booth_reservations": {"booth_number", "booth_number_natural"}}
# Columns that sql/reach.sql writes: how far links lead.
OF_REACH = {
    "contacts": {"email_changed_at", "email_before", "email_unproven_at"},
    "applications": {"email_changed_at", "may_lack_badge"},
}
# Columns that nothing uses any more.
UNUSED = {"links": {"admin_id"}}


def test_lists_are_read():
    assert read(SOURCE) == LISTS


def test_columns_of_several_tables_are_written_with_commas():
    lists = read("-- columns: shown = k.id, e.title AS event_title,\n--   k.station\n")
    assert lists == {"shown": ("k.id", "e.title AS event_title", "k.station")}
    assert expanded("SELECT {shown} FROM", lists) == (
        "SELECT k.id, e.title AS event_title, k.station FROM"
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "SELECT e.id, {e.fields} FROM events e",
            "SELECT e.id, e.title, e.city, e.country, e.colour FROM events e",
        ),
        ("VALUES ({:texts}, :now)", "VALUES (:title, :city, :now)"),
        ("SET {texts = :texts}", "SET title = :title, city = :city"),
        (
            "SET {texts_folded = fold(:texts)}",
            "SET title_folded = fold(:title), city_folded = fold(:city)",
        ),
        ("ORDER BY {sort} {order}, e.id {order}", "ORDER BY {sort} {order}, e.id {order}"),
    ],
)
def test_braces_stand_for_the_columns_of_a_list(text, expected):
    assert expanded(text, LISTS) == expected


def test_braces_without_a_list_are_refused():
    with pytest.raises(ValueError, match=r"\{e\.field\} names no list of columns"):
        expanded("SELECT {e.field}", LISTS)


@pytest.mark.parametrize("file", FILES)
def test_every_listed_column_is_in_the_table(db, file):
    table = FILES[file][1]
    found = {
        name for (name,) in db.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    }
    assert own(file) - found == set(), (
        f"write a migration that adds these columns of sql/{file}.sql to the table {table}"
    )


@pytest.mark.parametrize("file", FILES)
def test_every_column_of_the_table_is_written(db, file):
    table, sql = FILES[file][1], statements(file)
    written = " ".join(
        statement.form(statement.words)
        for statement in vars(sql).values()
        if re.match(rf"(INSERT INTO|UPDATE) {table}\b", statement.plain())
    )
    found = {
        name for (name,) in db.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    }
    found -= {"id"} | COPIED.get(table, set()) | OF_REACH.get(table, set())
    found -= UNUSED.get(table, set())
    missing = {name for name in found if not re.search(rf"\b{name}\b", written)}
    assert missing == set(), (
        f"add these columns of the table {table} to `-- columns: fields` of sql/{file}.sql"
    )


@pytest.mark.parametrize("file", FILES)
def test_every_field_of_a_body_is_stored(file):
    name = FILES[file][0]
    schema = {field for field, sub in body_schema(name)["properties"].items() if sub is not True}
    stored = set(re.findall(r":(\w+)", statements(file).add.plain()))
    assert schema - stored - ELSEWHERE.get(name, set()) == set(), (
        f"add these fields of schemas/{name}.json to `-- columns: fields` of sql/{file}.sql"
    )


@pytest.mark.parametrize("file", FILES)
def test_every_listed_field_is_in_the_schema(file):
    name = FILES[file][0]
    listed = set(columns(file).get("fields", ()))
    assert listed - document(name)["properties"].keys() == set(), (
        f"add these columns of sql/{file}.sql to schemas/{name}.json"
    )
