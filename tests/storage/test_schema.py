"""`make schema` prints the complete schema in a readable order."""
import re

from eventapi.storage import database, schema


def created(connection):
    """Return (type, name, sql) of everything in the database, except what SQLite creates for itself."""
    return set(connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"))


def test_the_printed_schema_creates_the_same_database(tmp_path, db):
    copy = tmp_path / "copy.db"
    copy.touch()
    connection = database.connect(copy)
    connection.executescript(schema.ddl())
    assert created(connection) == created(db.connection)
    connection.close()


def test_a_table_is_followed_by_its_indexes_and_triggers():
    paragraphs = schema.ddl().split("\n\n")
    payments, = (text for text in paragraphs if text.startswith("CREATE TABLE payments "))
    assert "CREATE UNIQUE INDEX payments_by_transaction ON payments " in payments
    begins = [re.match(r"CREATE (?:VIRTUAL )?(TABLE|VIEW) (\w+)", text) for text in paragraphs]
    assert all(begins), [text for text, begin in zip(paragraphs, begins, strict=True) if not begin]
    names = [begin[2] for begin in begins]
    assert names.index("tenant") < names.index("contacts") < names.index("claims") < names.index("mails")
