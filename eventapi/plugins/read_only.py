"""Eighth plugin: read-only fields of a body (validation/read_only.py).

It runs inside the transaction, so a request that is refused changes nothing, and inside the plugin
idempotency, so a repetition names the same fields.
"""

from collections.abc import Callable
from functools import cache

from bottle import Route, request

from eventapi.storage.database import as_json
from eventapi.validation.read_only import ReadOnlyFields
from eventapi.web.json_bodies import parse
from eventapi.web.rest import Response
from eventapi.web.routes import called


@cache
def fields_of(name: str) -> ReadOnlyFields:
    """Return the read-only fields of a record. `name` is that of its schema."""
    return ReadOnlyFields(name)


class ReadOnly:
    name, api = "read_only", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Wrap the handlers whose body is a record; leave the others as they are."""
        options = route.config["options"]
        schema = options.schema
        if options.public or options.session or options.batch or not schema or "." in schema:
            return callback
        read = None if route.method == "POST" else reader(route)

        def handle(**values):
            body = request.environ["eventapi.sent"]
            if not fields_of(schema).sent_in(body):
                return callback(**values)
            before = read(values) if read else None
            return compared(schema, body, before, callback(**values))

        return handle


def reader(route: Route) -> Callable[[dict], dict]:
    """Return a function that returns the record of a PUT or PATCH as GET does.

    Its parameter is the dict of the arguments of the handler of the request.
    """
    handler = next(
        other.callback
        for other in route.app.routes
        if other.rule == route.rule and other.method == "GET"
    )

    def read(values):
        found = called(handler, **{"who": request.environ["eventapi.who"], **values, "query": {}})
        return found.data if isinstance(found, Response) else found

    return read


def compared(schema: str, body: dict, before: dict | None, result: object) -> Response:
    """Return what a handler returned as a Response whose `meta` has `ignored`, if fields of the
    body had no effect.

    `schema` and `before` are those of `ignored_in`. Raise 422 `read_only`.
    """
    response = result if isinstance(result, Response) else Response(result)
    if before is None and response.status == 200:  # a POST has found the record
        before = response.data
    ignored = ignored_in(schema, body, before, response.data)
    if ignored:
        response.meta = {**response.meta, "ignored": ignored}
    return response


def ignored_in(schema: str, body: dict, before: dict | None, after: dict) -> list[str]:
    """Return JSON pointers to the read-only fields of the body that had no effect.

    `schema` is the name of that of the record, `before` the record before the request, None for a
    new one. Raise 422 `read_only`.
    """
    fields = fields_of(schema)
    sent = fields.sent_in(body)
    if not sent:
        return []
    return fields.compared(sent, before and plain(before), plain(after))


def plain(record: dict) -> dict:
    """Return a record as a client reads it, with numbers of the same types as in a body."""
    return parse(as_json(record).encode())
