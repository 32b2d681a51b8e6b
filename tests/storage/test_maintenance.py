"""Statistics of the query planner cover every table, and connections that are open already use
them.
"""

from eventapi.storage import maintenance, schema
from eventapi.storage.database import Database


def plan(db, remark=""):
    """Return the plan of a statement that may use either of two indexes.

    Statistics show which one is better.

    EXPLAIN itself does not look whether the schema has changed, so that another statement must run
    first. `remark` makes another text, since a connection keeps the statements that it knows.
    """
    db.connection.execute("SELECT count(*) FROM flags").fetchall()
    found = db.connection.execute(
        "EXPLAIN QUERY PLAN SELECT 1 FROM audit_log "
        f"WHERE request_id = '1' AND entity_type = 'x5'{remark}"
    )
    return [row[3] for row in found]


def fill(db):
    """Add audit entries of one request about records of a thousand types, without the journal."""
    with db.write():
        db.connection.execute("""
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
            INSERT INTO audit_log (id, action, entity_type, entity_id, request_id, created_at, salt, digest,
                                   previous_hash, hash, search_text)
            SELECT n + 1000, 'created', 'x' || n, n, '1', '', '', '', '', n, '' FROM number""")


def test_every_table_with_rows_has_statistics(organiser, db):
    organiser.make("/contacts", {"last_name": "Tantau", "tags": ["rose"]})
    organiser.make("/events", {"title": "Garden Fair"})
    maintenance.analyze(db)
    names = db.values(maintenance.sql.tables)
    wanted = {
        name
        for name in names
        if db.connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()
    }
    found = {name for (name,) in db.connection.execute("SELECT DISTINCT tbl FROM sqlite_stat1")}
    assert (
        wanted == found
        and {"contacts", "contact_tags", "events", "audit_log", "outgoing_events"} <= found
    )


def test_open_connections_plan_their_statements_by_new_statistics(organiser, db, settings):
    maintenance.analyze(db)  # creates the tables of the statistics, which changes the schema
    other = Database(settings)
    fill(db)
    before = plan(other)
    maintenance.analyze(db)
    after = plan(other, " -- again")
    other.close()
    assert before != after and "audit_log_by_entity" in after[0]


def test_all_indexes_of_a_table_have_the_same_number_of_rows(organiser, db):
    """Else SQLite reads and sorts the whole audit log to find its last entry, after old entries
    were deleted.
    """
    fill(db)
    for act in (lambda: maintenance.analyze(db), lambda: maintenance.analyze_all(db.connection)):
        act()
        for table in db.values(maintenance.sql.tables):
            partial = {
                row[1] for row in db.connection.execute(f"PRAGMA index_list({table})") if row[4]
            }
            number = db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for index, stat in db.connection.execute(
                "SELECT idx, stat FROM sqlite_stat1 WHERE tbl = ?", (table,)
            ):
                found = int(stat.split()[0])
                assert found == number or (index in partial and found < number), (
                    table,
                    index,
                    stat,
                )


def test_statistics_leave_nothing_else_in_the_database(organiser, db):
    fill(db)
    maintenance.analyze(db)
    assert schema.changed(db.connection) == schema.foreign(db.connection) == []
