"""`make schema` prints the complete schema in a readable order."""

import re
import sqlite3

from eventapi.storage import database, schema


def created(connection):
    """Return (type, name, sql) of everything in the database, except what SQLite creates for
    itself.
    """
    return set(
        connection.execute(
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
        )
    )


def test_the_printed_schema_creates_the_same_database(tmp_path, db):
    copy = tmp_path / "copy.db"
    copy.touch()
    connection = database.connect(copy)
    connection.executescript(schema.ddl())
    assert created(connection) == created(db.connection)
    connection.close()


def test_the_sqlite3_shell_reads_writes_and_checks_the_database(organiser, db):
    """Indexes, views and triggers call no function that only connections of eventapi have."""
    names = ("Müller", "Straße")
    ids = [organiser.make("/contacts", {"company_name": name})["id"] for name in names]
    plain = sqlite3.connect(db.path)
    assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for (name,) in plain.execute(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
    ).fetchall():
        plain.execute(f"SELECT count(*) FROM {name}").fetchall()
    found = plain.execute(
        "SELECT rowid FROM contacts_search WHERE contacts_search MATCH 'strasse'"
    ).fetchall()
    assert found == [(ids[1],)]
    plain.execute(
        "UPDATE contacts SET city = 'Leipzig', city_folded = 'leipzig', company_name_folded = 'muller gmbh'"
    )
    plain.execute("DELETE FROM contacts WHERE id = ?", ids[:1])
    for table, columns in (
        ("applications", "company_name_folded"),
        ("events", "title_folded"),
        ("tasks", "title_folded"),
        ("participants", "badge_name_folded"),
        ("services", "service_name_folded"),
        ("newsletter_subscribers", "name_folded"),
        ("booths", "booth_number_natural"),
    ):
        plain.execute(f"UPDATE {table} SET {columns} = 'x'")
        plain.execute(f"DELETE FROM {table}")
    for table in ("contacts", "participants"):
        plain.execute(f"INSERT INTO {table}_search ({table}_search) VALUES ('integrity-check')")
    plain.close()


def test_a_table_is_followed_by_its_indexes_and_triggers():
    paragraphs = schema.ddl().split("\n\n")
    (payments,) = (text for text in paragraphs if text.startswith("CREATE TABLE payments "))
    assert "CREATE UNIQUE INDEX payments_by_transaction ON payments " in payments
    begins = [re.match(r"CREATE (?:VIRTUAL )?(TABLE|VIEW) (\w+)", text) for text in paragraphs]
    assert all(begins), [text for text, begin in zip(paragraphs, begins, strict=True) if not begin]
    names = [begin[2] for begin in begins]
    assert (
        names.index("tenant")
        < names.index("contacts")
        < names.index("claims")
        < names.index("mails")
    )
