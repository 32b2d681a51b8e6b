"""Named SQL statements, read from the files in sql/.

Each statement has a heading `-- name: NAME`. A line that ends in `-- when WORD [WORD …]` is part of the statement only
if all these words are given: a filter that is not used costs nothing. What lists have besides is in lists.py.

    from eventapi.storage.statements import statements
    sql = statements("payments")            # sql.get, sql.list, sql.add …
"""
from functools import lru_cache
from types import SimpleNamespace

from eventapi import paths
from eventapi.storage.statements.lists import MERGED, ROWS, SORT, ListStatement
from eventapi.storage.statements.merges import Merge
from eventapi.storage.statements.named import NAME, NOTHING, Statement

__all__ = ["NOTHING", "ListStatement", "Merge", "Statement", "statements"]


@lru_cache(maxsize=None)
def statements(name: str) -> SimpleNamespace:
    """Return the statements of sql/NAME.sql as attributes.

    Raise ValueError, which names the statement, if a list lacks a line that lists.py needs.
    """
    source = (paths.folder("sql") / f"{name}.sql").read_text(encoding="utf-8")
    _, *parts = NAME.split(source)
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    found = {part: kind(text)(f"{name}.{part}", text) for part, text in texts.items()}
    for part, statement in found.items():
        statement.totals = [total for other, total in found.items() if other.startswith(f"{part}_total")]
        statement.rows = next((found[other] for other in ROWS.findall(texts[part])), None)
    return SimpleNamespace(**found)


def kind(text: str) -> type:
    """Return the class of the statement with this text: Merge, ListStatement or Statement."""
    if MERGED.search(text):
        return Merge
    return ListStatement if SORT.search(text) else Statement
