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
from eventapi.storage.statements.lists import FEW, WALK
from eventapi.web.rest import Response, base_url
from eventapi.web.routes import CSV

COUNTED = 1000              # a page that begins before this row is read without counting the list before
CSV_ROWS = 500              # rows that a CSV response reads at a time
CHANGED = frozenset(["updated_since"])
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


def page(db: Database, statement: ListStatement, query: dict, represent: Callable[[dict], dict] = lambda row: row,
         includes: Includes | None = None) -> Response:
    """Return a list: a page of it, the records after a cursor, or all records as CSV.

    `represent` turns a row into an API object. `includes`: word of `include` -> function(db, records) that adds a field
    to every record, with one statement for all of them. If the schema of that field does not list its parts,
    `function.columns(db)` returns the names of its CSV columns.
    """
    values = {name: value for name, value in query.items() if value is not None}
    given = frozenset(values)
    if "ids" in values:
        values["ids"] = as_json(values["ids"])
    include = query.get("include") or []

    def records(rows):
        rows = [represent(row) for row in rows]
        _include(db, rows, include, includes)
        return rows

    if request.environ.get("eventapi.form") == CSV:
        return _csv(db, statement, given, values, records, include, includes)
    if "after" in values:
        return _after_cursor(db, statement, given, values, records)
    return _page(db, statement, given, values, records)


def _include(db, records, include, includes):
    if records:
        for word in include:
            includes[word](db, records)


def _page(db, statement, given, values, records):
    number, size = values["page"], values["per_page"]
    with db.snapshot():
        rows, total = _numbered(db, statement, given, values, (number - 1) * size, size)
        data = records(rows)
    last = max(1, -(-total // size))
    links = {"first": 1, "prev": min(number - 1, last), "next": number + 1 if number < last else 0, "last": last}
    address = _address("page")
    return Response(data, meta={"page": number, "per_page": size, "total": total, "total_pages": -(-total // size)},
                  headers={"Link": ", ".join(f'<{address}{page}>; rel="{rel}"' for rel, page in links.items() if page)})


def _numbered(db, statement, given, values, offset, size):
    """Return the rows of a page and the total. Pages behind the middle are read from the end of the list."""
    if offset < COUNTED:
        rows = _rows(db, statement, given, values, limit=size, offset=offset)
        is_last = len(rows) < size and (rows or not offset)      # the total is known without counting
        return rows, offset + len(rows) if is_last else _total(db, statement, given, values)
    total = _total(db, statement, given, values)
    size = min(size, total - offset)
    if size <= 0:
        return [], total
    if offset > total // 2:
        return _rows(db, statement, given, values, is_backwards=True, limit=size, offset=total - offset - size), total
    return _rows(db, statement, given, values, limit=size, offset=offset), total


def _total(db, statement, given, values):
    """Return the number of rows of a list.

    If nearly all rows have changed at `updated_since` or later, the others are counted.
    """
    text = statement.count(given)
    if _many_changed(db, statement, given, values):
        if not db.rows(statement.unchanged(statement.many(CHANGED)), values):
            others = db.count(statement.unchanged(text), values)
            return db.count(statement.count(given - {"updated_since"}), values) - others
        if given & statement.words > {"updated_since"}:
            text = statement.without_hint(text)
    return db.count(text, values)


def _many_changed(db, statement, given, values):
    return "updated_since" in given and statement.changed and db.rows(statement.many(CHANGED), values)


def _rows(db, statement, given, values, part="page", is_backwards=False, **position):
    """Return the rows of a page or of a part after a cursor (ListStatement.after).

    With a filter, or behind the first page, their ids are read first: to sort and to skip ids is cheap.
    """
    order, values = (values["sort"], values["order"], part), {"offset": 0, **values, **position}
    if given & statement.words:
        return _filtered(db, statement, given, values, order, is_backwards)
    if is_backwards or values["offset"] or statement.rows:
        return db.rows(statement.rows_of(statement.ids(given, *order, is_backwards=is_backwards), *order), values)
    return db.rows(statement.page(given, *order[:2]) if part == "page" else statement.after(given, *order), values)


def _filtered(db, statement, given, values, order, is_backwards):
    """Return the rows of a part of a list with filters. `order` is the sort key, the direction and the part.

    If no index has what the filters select in this order, SQLite would sort all of it, or read the list until it finds
    enough. So if more than FEW rows match, the next WALK rows of the list are tested first.
    """
    def read(ids, fit=lambda text: text):
        return db.rows(statement.rows_of(fit(ids), *order), values)

    many_changed = _many_changed(db, statement, given, values)
    fit = statement.without_hint if many_changed else str
    ids = statement.ids(given, *order, is_backwards=is_backwards)
    if not statement.tests_rows(given) or _reads_in_order(db, fit(ids), values):
        return read(ids, fit)
    if _match_many(db, statement, given, values, order[2]):
        walk = statement.walk(given, *order, is_backwards=is_backwards)
        rows = read(statement.near_ids(given, *order, is_backwards=is_backwards))
        if len(rows) == values["limit"] or db.rows(f"SELECT count(*) AS rows FROM ({walk})", values)[0]["rows"] < WALK:
            return rows
    if given & statement.words == {"updated_since"}:
        fit = str
    return read(statement.ids(given, *order, is_backwards=is_backwards, by_filter=True), fit)


def _match_many(db, statement, given, values, part):
    """Return whether more than FEW rows match the filters. A page shows the total, so that it is counted anyway."""
    if part == "page" and "updated_since" not in given:
        return db.count(statement.count(given), values) > FEW
    return all(db.rows(statement.many(words), values) for words in statement.columns(given))


def _reads_in_order(db, ids, values):
    """Return whether SQLite reads the ids by the index of a filter that has them in the right order.

    It does not if it sorts them, or if it reads a whole table or index in the right order and tests each row.
    """
    plan = [step["detail"] for step in db.rows(f"EXPLAIN QUERY PLAN {ids}", values)]
    return not plan[0].startswith("SCAN") and not any("TEMP B-TREE" in step for step in plan)


def _address(parameter):
    """Return the address of this request up to the value of `parameter`. The query keeps the encoding of the client."""
    environ = request.environ
    pieces = [piece for piece in environ.get("QUERY_STRING", "").split("&")
              if piece and piece.partition("=")[0] != parameter]
    query = "".join(f"{piece}&" for piece in pieces).replace("<", "%3C").replace(">", "%3E").replace('"', "%22")
    return f'{base_url()}{environ["PATH_INFO"]}?{query}{parameter}='


def _after_cursor(db, statement, given, values, records):
    cursor = _read_cursor(values)
    with db.snapshot():
        rows, following = _after(db, statement, given, values, cursor, values["per_page"])
        data = records(rows)
    next_cursor = following and _write_cursor(values, following)
    links = {"Link": f'<{_address("after")}{next_cursor}>; rel="next"'} if next_cursor else {}
    return Response(data, meta={"per_page": values["per_page"], "next": next_cursor}, headers=links)


def _after(db, statement, given, values, cursor, size):
    """Return the rows after the cursor (value, id), and the cursor after the last of them, None at the end."""
    rows, (value, last) = [], cursor or (None, None)
    for part in statement.parts(values["sort"], cursor):
        if len(rows) <= size:
            rows += _rows(db, statement, given, values, part, after_value=value, after_id=last,
                          limit=size + 1 - len(rows))
    more, rows = len(rows) > size, rows[:size]
    following = (rows[-1]["after_value"], rows[-1]["id"]) if more else None
    for row in rows:
        del row["after_value"]
    return rows, following


def _write_cursor(values, position):
    return base64.urlsafe_b64encode(as_json([*_place(values), *position]).encode()).decode().rstrip("=")


def _place(values):
    """Return what a cursor belongs to: the list, as a checksum of its path, and its order."""
    return crc32(request.environ["PATH_INFO"].encode()), values["sort"], values["order"]


def _read_cursor(values):
    """Return (value, id) of the cursor `after`, None for the empty cursor at the beginning, or without a cursor.

    Raise 422 if it is not a cursor of this list in this order.
    """
    text = values.get("after")
    if not text:
        return None
    try:
        encoded = text.encode() + b"=" * (-len(text) % 4)
        *place, value, last = json.loads(base64.urlsafe_b64decode(encoded))
        if place == [*_place(values)] and type(last) is int and _storable(last) and _storable(value):
            return value, last
    except (ValueError, TypeError, binascii.Error):
        pass
    raise invalid_parameter("after", "cursor", "is not a cursor of this list with this `sort` and "
                            "`order`. Start again with an empty `after`")


def _storable(value):
    """Return whether SQLite can store the value. A cursor comes from a client and may contain anything."""
    if type(value) is int:
        return -2 ** 63 <= value < 2 ** 63
    if type(value) is str:
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or type(value) is float


def _csv(db, statement, given, values, records, include, includes):
    first = _read_cursor(values)

    def pieces():
        cursor = first
        while True:
            with db.snapshot():
                rows, cursor = _after(db, statement, given, values, cursor, CSV_ROWS)
                data = records(rows)
            yield data
            if cursor is None:
                return

    options = request.route.config["options"]
    parts = {word: includes[word].columns(db) for word in include if hasattr(includes[word], "columns")}
    return Response(body=spreadsheet.lines(options.singular, include, pieces(), db.config.timezone, parts), headers={
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": f'attachment; filename="{options.resource}.csv"'})
