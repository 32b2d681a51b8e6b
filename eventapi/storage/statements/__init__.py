"""Named SQL statements, read from the files in sql/.

Each statement has a heading `-- name: NAME`. A line that ends in `-- when WORD [WORD …]` is part of
the statement only if all these words are given: a filter that is not used costs nothing. What lists
have besides is in lists.py.

    from eventapi.storage.statements import statements
    sql = statements("payments")            # sql.get, sql.list, sql.add …

Columns that several statements of a file name are written once, above the first statement
(columns.py):

    -- columns: fields = title city country
"""

from functools import lru_cache
from types import SimpleNamespace

from eventapi import paths
from eventapi.storage.statements.columns import expanded, read
from eventapi.storage.statements.lists import SORT, ListStatement
from eventapi.storage.statements.named import NAME, NOTHING, Statement

__all__ = ["NOTHING", "ListStatement", "Statement", "columns", "statements"]


@lru_cache(maxsize=None)
def columns(name: str) -> dict[str, tuple[str, ...]]:
    """Return the lists of columns in sql/NAME.sql by their names."""
    return read(_source(name))


@lru_cache(maxsize=None)
def statements(name: str) -> SimpleNamespace:
    """Return the statements of sql/NAME.sql as attributes.

    Raise ValueError, which names the statement, if a list lacks a line that lists.py needs.
    """
    _, *parts = NAME.split(_source(name))
    lists = columns(name)
    texts = {
        part: expanded(text, lists) for part, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return SimpleNamespace(
        **{
            part: (ListStatement if SORT.search(text) else Statement)(f"{name}.{part}", text)
            for part, text in texts.items()
        }
    )


def _source(name):
    return (paths.folder("sql") / f"{name}.sql").read_text(encoding="utf-8")
