"""Inspections of a database: the structure of its file, and its schema, compared with what the
migrations make.

`make schema` runs this module to print the schema.

SQLite stores the text of each CREATE statement, but not the comments above it. These are in
sql/migrations/.
"""

import signal
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from eventapi.storage import database, migrations
from eventapi.storage.errors import Damaged, storage_error, translated, was_interrupted
from eventapi.storage.maintenance import Report, reporting, silent
from eventapi.storage.statements import statements

sql = statements("schema")
INTEGRITY, STEPS_PER_PAGE = "structure of the file", 730  # the part of a job for `integrity_faults`
Objects = dict[tuple[str, str], tuple[str, str]]  # (type, name) -> (table, normalised text)


def changed(connection: database.Connection) -> list[str]:
    """Return a sentence for each table, index, view and trigger that is missing or differs from
    what migrations make.

    Without an index or trigger the program is slow, or its data wrong.
    """
    wanted, found = _made_by_migrations(migrations.schema_version(connection)), objects(connection)
    return [
        f"the {kind} {name} {'differs from that of eventapi' if (kind, name) in found else 'is missing'}. "
        "Restore a backup, or create it again with its statement in sql/migrations"
        for kind, name in sorted(wanted)
        if wanted[kind, name] != found.get((kind, name))
    ]


def foreign(connection: database.Connection) -> list[str]:
    """Return a sentence for each table, index, view and trigger that no migration made.

    A foreign trigger can change data unseen.
    """
    wanted, found = _made_by_migrations(migrations.schema_version(connection)), objects(connection)
    return [
        f"the {kind} {name}{on_table(kind, found[kind, name][0])} is not part of eventapi. Find out who made it. "
        f'To remove it, run DROP {kind.upper()} "{name}" with sqlite3 while no server and no worker runs'
        for kind, name in sorted(found.keys() - wanted.keys())
    ]


def on_table(kind: str, table: str) -> str:
    """Return the words that name the table of an index or trigger."""
    return f" on the table {table}" if kind in ("index", "trigger") else ""


def integrity_faults(
    connection: database.Connection,
    stopping: Callable[[], bool] = lambda: False,
    most: int = 100,
    report: Report = silent,
) -> list[str]:
    """Check the structure of the file with SQLite.

    Return a line for each fault, at most `most`; [] if it is sound.

    Return [] as well if `stopping()` becomes true.
    """
    try:
        with reporting(connection, report, INTEGRITY, STEPS_PER_PAGE, stopping):
            # Not quick_check: in SQLite 3.40 it reports NULL values in contact_tags that do not
            # exist.
            lines = [row[0] for row in connection.execute(f"PRAGMA integrity_check({most})")]
    except database.Error as error:
        if was_interrupted(error):
            return []
        found = storage_error(error) or error
        if not isinstance(found, Damaged):
            raise found from error
        return [str(error)]
    return [] if lines == ["ok"] else [" ".join(line.split()) for line in lines]


def broken_foreign_keys(connection: database.Connection) -> list[str]:
    """Return a line for each row that refers to a row which does not exist."""
    with translated:
        return [
            f"row {row} of {table} refers to a row of {parent} that does not exist"
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
        ]


def objects(connection: database.Connection) -> Objects:
    """Return the tables, indexes, views and triggers.

    Those that SQLite creates for itself are left out.

    The texts are without white space and quotes, because versions of SQLite write changed
    statements differently.
    """
    return {
        (kind, name): (table, "".join((text or "").replace('"', "").split()))
        for kind, name, table, text in connection.execute(sql.objects.plain())
    }


@lru_cache(maxsize=4)
def _made_by_migrations(version) -> Objects:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "eventapi.db"
        migrations.migrate(path, last=version)
        connection = database.connect(path)
        try:
            return objects(connection)
        finally:
            connection.close()


def ddl() -> str:
    """Return the CREATE statements of a new database: a paragraph per table or view, with its
    indexes and triggers.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "eventapi.db"
        migrations.migrate(path)
        connection = database.connect(path)
        try:
            rows = connection.execute(sql.ddl.plain()).fetchall()
        finally:
            connection.close()
    paragraphs = groupby(rows, key=itemgetter(0))
    return "\n\n".join("\n".join(f"{text};" for _, text in created) for _, created in paragraphs)


def main() -> None:
    """Print the schema on stdout."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a pager may end before it has read everything
    print(ddl())


if __name__ == "__main__":
    main()
