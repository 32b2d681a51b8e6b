"""What a handler may say about HTTP. Small, and closed."""
import base64
import binascii
import json
import re
from dataclasses import dataclass, field
from hashlib import blake2b

from bottle import request

from eventapi import __version__, spreadsheet
from eventapi.errors import Problem, fault, invalid, not_found
from eventapi.storage.database import as_json

HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")       # what else a client sends as Host has no place in an address of ours


@dataclass
class Response:
    """More than plain data: `data` goes into the envelope, `body` (bytes or an iterable of them) goes out as it is.

    `secret` names the member of data that is shown in this answer and in no other.
    """
    data: object = None
    status: int = 200
    headers: dict = field(default_factory=dict)
    meta: dict = field(default_factory=dict)
    has_etag: bool = True
    body: object = None
    secret: str = None


def base_url():
    """The public address of the service, without a slash at its end."""
    environ = request.environ
    configured = environ["eventapi.config"].base_url
    if configured:
        return configured
    scheme, host = environ.get("HTTP_X_FORWARDED_PROTO"), environ.get("HTTP_HOST", "")
    scheme = scheme if scheme in ("http", "https") else environ["wsgi.url_scheme"]
    return f"{scheme}://{host if HOST.fullmatch(host) else environ['SERVER_NAME']}"


def location(path):
    return f"{base_url()}/api/v1{path}"


def created(record, path, **more):
    """201: a new record that stands at `path` below the root."""
    return Response(record, 201, {"Location": location(path)}, **more)


def deleted():
    return Response(status=204)


def found(record, noun, key):
    """The record, or 404."""
    if record is None:
        raise not_found(noun, key)
    return record


def etag(text):
    """A strong entity tag (RFC 9110): the hash of a record as JSON, or of a page."""
    return f'"{blake2b(text.encode(), digest_size=12).hexdigest()}"'


def is_known(tag):
    """Whether If-None-Match (RFC 9110, 13.1.2) has the tag already."""
    known = request.environ.get("HTTP_IF_NONE_MATCH", "")
    return known.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in known.split(",")]


def drawn(what, form, draw):
    """What `draw()` makes of `what`, as bytes of a form: the ETag says which state that is, and saves the drawing."""
    headers = {"Content-Type": form, "ETag": etag(as_json([__version__, form, what])), "Vary": "Accept"}
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    return Response(body=draw(), headers=headers)


def picture(what, form, draw):
    """`drawn`, for what a browser may show: it runs and fetches nothing."""
    answer = drawn(what, form, draw)
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return answer


def unchanged(record):
    """Raises 412 when If-Match (RFC 9110, 13.1.1) names another state of the record; call it inside the write."""
    wanted = request.environ.get("HTTP_IF_MATCH")
    if wanted and wanted.strip() != "*" and etag(as_json(record)) not in [tag.strip() for tag in wanted.split(",")]:
        raise Problem("precondition_failed", "The record was changed since you read it; read it again.")
    return record


# Lists

def one(db, record, query, includes):
    """A single record with what `include` asks for. With include it has no ETag, since more than the record is in it."""
    asked = query.get("include")
    if not asked:
        return record
    _include(db, [record], asked, includes)
    return Response(record, has_etag=False)


def page(db, statement, query, represent=lambda row: row, includes=None):
    """A list: a page of it, the piece after a cursor, or all of it as CSV.

    `includes`: word -> function(db, records) that adds the member to each record, in one statement for all of them. Where the parts of
    a member are not in its schema, `function.columns(db)` names them for CSV.
    """
    values = {name: value for name, value in query.items() if value is not None}
    given = frozenset(values)
    if "ids" in values:
        values["ids"] = as_json(values["ids"])
    asked = query.get("include") or []

    def records(rows):
        rows = [represent(row) for row in rows]
        _include(db, rows, asked, includes)
        return rows

    if request.environ.get("eventapi.form") == "text/csv":
        return _csv(db, statement, given, values, records, asked, includes)
    if "after" in values:
        return _piece(db, statement, given, values, records)
    return _page(db, statement, given, values, records)


def _include(db, records, asked, includes):
    if records:
        for word in asked:
            includes[word](db, records)


def _page(db, statement, given, values, records):
    number, size = values["page"], values["per_page"]
    with db.snapshot():
        rows = db.rows(statement.page(given, values["sort"], values["order"]),
                       {**values, "limit": size, "offset": (number - 1) * size})
        short = len(rows) < size and (rows or number == 1)     # then the total is known without counting
        total = (number - 1) * size + len(rows) if short else db.count(statement.count(given), values)
        data = records(rows)
    last = max(1, -(-total // size))
    links = {"first": 1, "prev": min(number - 1, last), "next": number + 1 if number < last else 0, "last": last}
    address = _address("page")
    return Response(data, meta={"page": number, "per_page": size, "total": total, "total_pages": -(-total // size)},
                  headers={"Link": ", ".join(f'<{address}{page}>; rel="{rel}"' for rel, page in links.items() if page)})


def _address(parameter):
    """The address of this request, ending where the value of the parameter belongs. The query stays in the client's own encoding."""
    environ = request.environ
    pieces = [piece for piece in environ.get("QUERY_STRING", "").split("&") if piece and piece.partition("=")[0] != parameter]
    query = "".join(f"{piece}&" for piece in pieces).replace("<", "%3C").replace(">", "%3E").replace('"', "%22")
    return f'{base_url()}{environ["PATH_INFO"]}?{query}{parameter}='


def _piece(db, statement, given, values, records):
    cursor = _read_cursor(values["after"], values["sort"], values["order"])
    with db.snapshot():
        rows, following = _after(db, statement, given, values, cursor, values["per_page"])
        data = records(rows)
    next_cursor = following and _write_cursor(values["sort"], values["order"], following)
    links = {"Link": f'<{_address("after")}{next_cursor}>; rel="next"'} if next_cursor else {}
    return Response(data, meta={"per_page": values["per_page"], "next": next_cursor}, headers=links)


def _after(db, statement, given, values, cursor, size):
    """Rows after (value, id), and the cursor behind the last of them, or None at the end. Rows without a value come last."""
    rows, part = [], "value" if cursor else "first"
    if cursor and cursor[0] is None:
        part = "null"
    while part and len(rows) <= size:
        value, last = cursor or (None, None)
        text = statement.after(given, values["sort"], values["order"], part)
        rows += db.rows(text, {**values, "after_value": value, "after_id": last, "limit": size + 1 - len(rows)})
        part = "first null" if part in ("first", "value") else None
    more, rows = len(rows) > size, rows[:size]
    following = (rows[-1]["after_value"], rows[-1]["id"]) if more else None
    for row in rows:
        del row["after_value"]
    return rows, following


def _write_cursor(sort, order, position):
    return base64.urlsafe_b64encode(as_json([sort, order, *position]).encode()).decode().rstrip("=")


def _read_cursor(text, sort, order):
    """(value, id) of a cursor; None for an empty one, which stands for the beginning."""
    if not text:
        return None
    try:
        used_sort, used_order, value, last = json.loads(base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)))
        if (used_sort, used_order) == (sort, order) and type(last) is int and _storable(last) and _storable(value):
            return value, last
    except (ValueError, TypeError, binascii.Error):
        pass
    raise invalid([fault("cursor", "is not a cursor of this list and this order", parameter="after")])


def _storable(value):
    """Whether SQLite takes it: a cursor comes from a client, and may hold anything."""
    if type(value) is int:
        return -2 ** 63 <= value < 2 ** 63
    if type(value) is str:
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or type(value) is float


def _csv(db, statement, given, values, records, asked, includes):
    def pieces():
        cursor = None
        while True:
            with db.snapshot():
                rows, cursor = _after(db, statement, given, values, cursor, 500)
                data = records(rows)
            yield data
            if cursor is None:
                return
    options = request.route.config["options"]
    parts = {word: includes[word].columns(db) for word in asked if hasattr(includes[word], "columns")}
    return Response(body=spreadsheet.lines(options.singular, asked, pieces(), parts), headers={
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": f'attachment; filename="{options.resource}.csv"'})
