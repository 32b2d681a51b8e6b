"""Lists: pages, cursors and CSV."""

import base64
import binascii
import json
from collections.abc import Callable
from zlib import crc32

from bottle import request

from eventapi import spreadsheet
from eventapi.errors import invalid_parameter
from eventapi.storage.database import Database, as_json
from eventapi.storage.statements import ListStatement
from eventapi.web.rest import Response, base_url
from eventapi.web.routes import CSV

CSV_ROWS = 500  # rows that a CSV response reads at a time
Includes = dict[str, Callable[[Database, list[dict]], None]]


def one(db: Database, record: dict, query: dict, includes: Includes) -> dict | Response:
    """Return a single record with the fields that `include` asks for.

    With `include` there is no ETag: it covers only the record.
    """
    include = query.get("include")
    if not include:
        return record
    _include(db, [record], include, includes)
    return Response(record, has_etag=False)


def page(
    db: Database,
    statement: ListStatement,
    query: dict,
    represent: Callable[[dict], dict] = lambda row: row,
    includes: Includes | None = None,
    totals: Callable[[Callable], dict] | None = None,
) -> Response:
    """Return a list: a page of it, the records after a cursor, or all records as CSV.

    `represent` turns a row into an API object. `includes`: word of `include` -> function(db,
    records) that adds a field to every record, with one statement for all of them. If the schema of
    that field does not list its parts, `function.columns(db)` returns the names of its CSV columns.
    `totals` returns what `meta.totals` has beside `count`, if the parameter `totals` asks for it: it
    gets a function (statement) -> rows of the statement for all records of the list.
    """
    values = {name: value for name, value in query.items() if value is not None}
    if "ids" in values:
        values["ids"] = as_json(values["ids"])
    include = query.get("include") or []

    def records(rows):
        rows = [represent(row) for row in rows]
        _include(db, rows, include, includes)
        return rows

    if request.environ.get("eventapi.form") == CSV:
        return _csv(db, statement, values, records, include, includes)
    with db.snapshot():
        read = _after_cursor if "after" in values else _page
        answer = read(db, statement, values, records)
        if values.get("totals"):
            answer.meta["totals"] = _totals(db, statement, values, totals)
    return answer


def _totals(db, statement, values, totals):
    given = frozenset(values)

    def rows(added_up):
        return db.rows(statement.totals(added_up, given), values)

    return {"count": db.count(statement.count(given), values), **totals(rows)}


def _include(db, records, include, includes):
    if records:
        for word in include:
            includes[word](db, records)


def _page(db, statement, values, records):
    number, size, given = values["page"], values["per_page"], frozenset(values)
    offset = (number - 1) * size
    with db.snapshot():
        text = statement.page(given, values["sort"], values["order"])
        rows = db.rows(text, {**values, "limit": size, "offset": offset})
        is_last = len(rows) < size and (rows or not offset)  # the total is known without counting
        total = offset + len(rows) if is_last else db.count(statement.count(given), values)
        data = records(rows)
    last = max(1, -(-total // size))
    links = {
        "first": 1,
        "prev": min(number - 1, last),
        "next": number + 1 if number < last else 0,
        "last": last,
    }
    address = _address("page")
    return Response(
        data,
        meta={"page": number, "per_page": size, "total": total, "total_pages": -(-total // size)},
        headers={
            "Link": ", ".join(
                f'<{address}{page}>; rel="{rel}"' for rel, page in links.items() if page
            )
        },
    )


def _address(parameter):
    """Return the address of this request up to the value of `parameter`.

    The query keeps the encoding of the client.
    """
    environ = request.environ
    pieces = [
        piece
        for piece in environ.get("QUERY_STRING", "").split("&")
        if piece and piece.partition("=")[0] != parameter
    ]
    query = (
        "".join(f"{piece}&" for piece in pieces)
        .replace("<", "%3C")
        .replace(">", "%3E")
        .replace('"', "%22")
    )
    return f"{base_url()}{environ['PATH_INFO']}?{query}{parameter}="


def _after_cursor(db, statement, values, records):
    cursor = _read_cursor(values)
    with db.snapshot():
        rows, following = _rows_after(db, statement, values, cursor, values["per_page"])
        data = records(rows)
    next_cursor = following and _write_cursor(values, following)
    links = {"Link": f'<{_address("after")}{next_cursor}>; rel="next"'} if next_cursor else {}
    return Response(data, meta={"per_page": values["per_page"], "next": next_cursor}, headers=links)


def _rows_after(db, statement, values, cursor, size):
    """Return the rows after the cursor (value, id), and the cursor after the last of them, None at
    the end.
    """
    rows, (value, last) = [], cursor or (None, None)
    for part in statement.parts(values["sort"], cursor):
        if len(rows) <= size:
            text = statement.after(frozenset(values), values["sort"], values["order"], part)
            place = {
                "after_value": value,
                "after_id": last,
                "limit": size + 1 - len(rows),
                "offset": 0,
            }
            rows += db.rows(text, {**values, **place})
    following = (rows[size - 1]["after_value"], rows[size - 1]["id"]) if len(rows) > size else None
    for row in rows:
        del row["after_value"]
    return rows[:size], following


def _write_cursor(values, position):
    return (
        base64.urlsafe_b64encode(as_json([*_place(values), *position]).encode())
        .decode()
        .rstrip("=")
    )


def _place(values):
    """Return what a cursor belongs to: the list, as a checksum of its path, and its order."""
    return crc32(request.environ["PATH_INFO"].encode()), values["sort"], values["order"]


def _read_cursor(values):
    """Return (value, id) of the cursor `after`, None for the empty cursor at the beginning, or
    without a cursor.

    Raise 422 if it is not a cursor of this list in this order.
    """
    text = values.get("after")
    if not text:
        return None
    try:
        encoded = text.encode() + b"=" * (-len(text) % 4)
        *place, value, last = json.loads(base64.urlsafe_b64decode(encoded))
        if (
            place == [*_place(values)]
            and type(last) is int
            and _storable(last)
            and _storable(value)
        ):
            return value, last
    except (ValueError, TypeError, binascii.Error):
        pass
    raise invalid_parameter(
        "after",
        "cursor",
        "is not a cursor of this list with this `sort` and "
        "`order`. Start again with an empty `after`",
    )


def _storable(value):
    """Return whether SQLite can store the value.

    A cursor comes from a client and may contain anything.
    """
    if type(value) is int:
        return -(2**63) <= value < 2**63
    if type(value) is str:
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or type(value) is float


def _csv(db, statement, values, records, include, includes):
    first = _read_cursor(values)

    def pieces():
        cursor = first
        while True:
            with db.snapshot():
                rows, cursor = _rows_after(db, statement, values, cursor, CSV_ROWS)
                data = records(rows)
            yield data
            if cursor is None:
                return

    options = request.route.config["options"]
    parts = {
        word: includes[word].columns(db) for word in include if hasattr(includes[word], "columns")
    }
    dialect = spreadsheet.DIALECTS[values["dialect"]]
    zone = db.config.timezone
    return Response(
        body=spreadsheet.lines(options.singular, include, pieces(), zone, parts, dialect),
        headers={
            "Content-Type": "text/csv; charset=utf-8; header=present",
            "Content-Disposition": f'attachment; filename="{options.resource}.csv"',
        },
    )
