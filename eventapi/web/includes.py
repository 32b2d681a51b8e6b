"""The parts of a record that a client asks for with `include`, added to all records of a page at
once.
"""

from collections.abc import Callable

from eventapi.storage.database import as_json
from eventapi.storage.statements import Statement


def ids_of(records: list[dict], field: str = "id") -> str:
    """Return the ids of the records as a JSON list: the parameter `ids` of statements."""
    return as_json([record[field] for record in records])


def attach_one(records: list[dict], field: str, rows: list[dict], key: str) -> None:
    """Add to each record the row that belongs to it, or None.

    `key` is the column with the record's id; it is removed.
    """
    known = {row.pop(key): row for row in rows}
    for record in records:
        record[field] = known.get(record["id"])


def attach_list(records: list[dict], field: str, rows: list[dict], key: str) -> None:
    """Add to each record the list of the rows that belong to it. `key` is as for `attach_one`."""
    known = {record["id"]: [] for record in records}
    for row in rows:
        known[row.pop(key)].append(row)
    for record in records:
        record[field] = known[record["id"]]


def include_one(field: str, statement: Statement, key: str) -> Callable:
    """Return the function of `include=` a field that `attach_one` adds: the row that `statement`
    reads for each id.
    """
    return lambda db, records: attach_one(
        records, field, db.all(statement, ids=ids_of(records)), key
    )


def include_list(field: str, statement: Statement, key: str) -> Callable:
    """Return the function of `include=` a field that `attach_list` adds."""
    return lambda db, records: attach_list(
        records, field, db.all(statement, ids=ids_of(records)), key
    )


def include_found(field: str, read: Callable) -> Callable:
    """Return the function of `include=` a field: the values that `read(db, ids)` returns by id, or
    else [].
    """

    def include(db, records):
        found = read(db, [record["id"] for record in records])
        for record in records:
            record[field] = found.get(record["id"], [])

    return include


def allowed_actions(actions_of: Callable[[dict], list]) -> Callable:
    """Return the function of `include=allowed_actions`.

    `actions_of(record)` returns the actions that its state allows.
    """

    def include(_, records):
        for record in records:
            record["allowed_actions"] = actions_of(record)

    return include
