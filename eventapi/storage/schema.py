"""Print the current schema: `make schema` runs this module.

SQLite stores the text of each CREATE statement, but not the comments above it. These are in sql/migrations/.
"""
import signal
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from eventapi.storage import database, migrations
from eventapi.storage.statements import statements

sql = statements("schema")


def ddl() -> str:
    """Return the CREATE statements of a new database: a paragraph per table or view, with its indexes and triggers."""
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
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)       # a pager may end before it has read everything
    print(ddl())


if __name__ == "__main__":
    main()
