"""An upgrade converts the rows that an older database has."""
from eventapi.storage import migrations
from eventapi.storage.database import connect

NOW = "2026-11-22T09:00:00Z"


def at_schema(path, number):
    """Create a database with the schema version `number`, and return a connection to it."""
    path.touch()
    connection = connect(path)
    connection.execute("PRAGMA foreign_keys = OFF")
    for version, file in migrations.migration_files():
        if version <= number:
            connection.executescript(f"{file.read_text(encoding='utf-8')}\nPRAGMA user_version = {version};")
    return connection


def upgraded(path, connection):
    """Upgrade the database, and return a new connection to it."""
    connection.close()
    migrations.migrate(path)
    return connect(path)


def insert(connection, table, **values):
    """Insert a row with these columns, and both timestamps where the caller gives none. Return its id."""
    values = {"created_at": NOW, "updated_at": NOW, **values}
    marks = ", ".join("?" * len(values))
    return connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})",
                              list(values.values())).lastrowid


def submission_type(connection):
    """Insert an event and a submission type. Return the ids of both."""
    event_id = insert(connection, "events", event_key="fair", title="Fair", country="DE", timezone="UTC",
                      is_visible=1)
    return event_id, insert(
        connection, "submission_types", event_id=event_id, type_key="logo", title="Logo", input="text",
        allowed_extensions="[]", needs_approval=1, is_required=1, roles='["exhibitor"]', is_active=1, sort_order=0)


def test_the_key_of_a_submission_type_is_kept(tmp_path):
    path = tmp_path / "old.db"
    old = at_schema(path, 19)
    submission_type(old)
    new = upgraded(path, old)
    assert new.execute("SELECT key, title FROM submission_types").fetchall() == [("logo", "Logo")]
