"""Calls of the API's own routes by pages of this process, for the person whose session the page
belongs to.

A call passes the plugins that a request with a key passes: feature, scope, schema, `before`,
`in_pieces`, one transaction with the journal, If-Match. So a page needs no rule of its own.
"""

import inspect
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from bottle import request

from eventapi.plugins.access import Access
from eventapi.plugins.database import DatabasePlugin
from eventapi.plugins.idempotency import Idempotency
from eventapi.plugins.request import PARTS
from eventapi.plugins.validation import Validation
from eventapi.storage.database import as_json
from eventapi.web.rest import Response
from eventapi.web.routes import JSON, Route

# Headers of the page's own request that the API would read as those of the call.
OWN = (
    "HTTP_IF_NONE_MATCH",
    "HTTP_IF_MATCH",
    "HTTP_PREFER",
    "HTTP_RANGE",
    "HTTP_IDEMPOTENCY_KEY",
    "HTTP_ACCEPT",
    "HTTP_CONTENT_ENCODING",
    "HTTP_TRANSFER_ENCODING",
    "HTTP_ORIGIN",
    "eventapi.slash",
)


def call(
    route: Route,
    ids: dict[str, int],
    *,
    query: str = "",
    body: dict | None = None,
    tag: str | None = None,
    key: str | None = None,
    form: str = JSON,
    within: Callable | None = None,
    keeper: object | None = None,
    upload: tuple[str, io.BufferedIOBase, int] | None = None,
) -> Response:
    """Return the response of an API route, before its envelope.

    Raise the Problem that it refuses the call with.

    `ids` are those of its path, `query` is a query string, `tag` an ETag for If-Match, `key` an
    Idempotency-Key, `form` the media type of the response. `within(act)` runs the handler `act`
    inside its transaction and returns its result. `keeper` keeps the results of a batch, as KeptByKey
    of calls/batches.py does. `upload` is (media type, stream, length) of a raw
    body. The caller is the `eventapi.who` of the running request.
    """
    raw = as_json(body).encode() if body is not None else b""
    kind, stream, length = upload or (JSON, io.BytesIO(raw), len(raw))
    environ = {name: value for name, value in request.environ.items() if name not in OWN}
    environ.update(
        {
            "REQUEST_METHOD": route.method,
            "QUERY_STRING": query,
            "CONTENT_TYPE": kind,
            "CONTENT_LENGTH": str(length),
            "PATH_INFO": path_of(route, ids),
            "wsgi.input": stream,
            "HTTP_ACCEPT": form,
            "bottle.route": routed(route),  # a list as CSV is named after it
            "eventapi.within": within,
            "eventapi.keeper": keeper,
            "eventapi.raw_body": None,
        }
    )
    environ |= {
        name: value
        for name, value in (("HTTP_IF_MATCH", tag), ("HTTP_IDEMPOTENCY_KEY", key))
        if value
    }
    with bound(environ):
        found = checked(route)(**ids)
    return found if isinstance(found, Response) else Response(found)


def path_of(route: Route, ids: dict[str, int]) -> str:
    """Return the path of a route with these ids."""
    path = route.path
    for name, value in ids.items():
        path = path.replace(f"<{name}>", str(value))
    return path


def running() -> dict:
    """Return the running request: that of the page outside of a call, and within one that of the
    call.
    """
    return request.environ


@contextmanager
def bound(environ: dict) -> Iterator[None]:
    """Let a call be the running request."""
    outer = request.environ
    request.bind(environ)
    try:
        yield
    finally:
        request.bind(outer)


def routed(route: Route) -> SimpleNamespace:
    """Return a route as bottle has it, for plugins and for the running request."""
    return SimpleNamespace(
        method=route.method, callback=route.handler, config={"options": route.options}
    )


CHECKED = {}  # (method, path) -> handler behind the plugins, once a page has called it


def checked(route: Route) -> Callable:
    """Return the handler of a route behind the plugins that check a request and open its
    transaction.
    """
    known = CHECKED.get((route.method, route.path))
    if known:
        return known
    seen = routed(route)
    takes = [name for name in PARTS if name in inspect.signature(route.handler).parameters]

    def found(**values):
        values |= {name: request.environ[f"eventapi.{name}"] for name in takes}
        within = request.environ["eventapi.within"]
        return within(lambda: route.handler(**values)) if within else route.handler(**values)

    for plugin in (Idempotency(), DatabasePlugin(), Validation(), Access()):
        found = plugin.apply(found, seen)
    CHECKED[route.method, route.path] = found
    return found
