"""Fifth plugin: `Accept`, query string and body, checked by the schemas of the route.

Handlers receive valid input, as the arguments that they name: `form` (the media type of the
response), `query`, `body`, and `upload` for a route with `raw_body`.
"""

import inspect
from collections.abc import Callable
from functools import cache, partial
from urllib.parse import parse_qsl

from bottle import Route, request

from eventapi.errors import Problem, fault, invalid, listed
from eventapi.validation.batches import BatchBody
from eventapi.validation.bodies import Body
from eventapi.validation.queries import Query
from eventapi.web import uploads
from eventapi.web.json_bodies import parse, read_body

MAX_BODY = 1024 * 1024
MAX_PARAMETERS = 200  # a list of 100 ids may be sent as 100 parameters
WITH_BODY = ("POST", "PUT", "PATCH")


# Schemas are compiled when a request first needs them, and shared by routes. Unused ones cost
# neither memory nor start-up time.


@cache
def query_of(name: str | None, listing: bool, zone_name: str) -> Query:
    """Return the compiled query schema of a route."""
    return Query(name, listing=listing, zone_name=zone_name)


@cache
def body_of(name: str | None, method: str, zone_name: str) -> Body:
    """Return the compiled body schema of a route."""
    return Body(name, method, zone_name)


@cache
def batch_of(name: str, zone_name: str) -> BatchBody:
    """Return the compiled body schema of a batch."""
    return BatchBody(name.partition(".")[0], zone_name)


class Validation:
    name, api = "validation", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler as ValidatedHandler. Public routes stay as they are."""
        if route.config["options"].public or route.method == "OPTIONS":
            return callback
        return ValidatedHandler(callback, route)


class ValidatedHandler:
    """The handler of one route, called with checked arguments."""

    def __init__(self, callback: Callable, route: Route):
        options, takes = route.config["options"], inspect.signature(route.callback).parameters
        self.callback, self.forms, self.prepare = callback, options.offered, options.prepare
        self.query = partial(query_of, options.query, options.listing)
        self.reads_body = route.method in WITH_BODY and not options.raw_body
        self.body = partial(body_of, options.schema, route.method)
        if options.batch:
            self.body = partial(batch_of, options.schema)
        self.receive = options.receive or uploads.received
        self.takes_form = "form" in takes
        self.takes_query = "query" in takes
        self.takes_upload = "upload" in takes
        self.takes_body = self.reads_body and "body" in takes

    def __call__(self, **values: object) -> object:
        """Check the request and call the handler.

        Raise 400, 406, 413, 415 or 422 if it is not valid.
        """
        environ = request.environ
        environ["eventapi.form"] = form = accepted(environ.get("HTTP_ACCEPT"), self.forms)
        query, body = self.input(environ)
        if self.takes_form:
            values["form"] = form
        if self.takes_query:
            values["query"] = query
        if self.takes_body:
            values["body"] = body
        if not self.takes_upload:
            return self.callback(**values)
        with self.receive(environ, environ["eventapi.config"], query) as upload:
            return self.callback(**values, upload=upload)

    def input(self, environ: dict) -> tuple[dict, dict | None]:
        """Return query and body, checked.

        Raise 422 with the faults of both. The body is None on a route that does not read it.
        """
        raw, sent, config = None, None, environ["eventapi.config"]
        if self.reads_body:
            raw = read_body(environ, MAX_BODY)
            sent = parse(raw)
        environ["eventapi.raw_body"] = raw
        environ["eventapi.sent"] = sent
        faults, check = [], self.query(config.timezone)
        pairs = parse_query(environ.get("QUERY_STRING", ""))
        query = (
            _collected(check, pairs, faults) if pairs or check.requires else dict(check.defaults)
        )
        body = _collected(self.body(config.timezone), sent, faults) if self.reads_body else None
        if self.prepare and body is not None:
            faults += self.prepare(body, config)
        if faults:
            raise invalid(faults)
        return query, body


def _collected(check, value, faults):
    """Return `check(value)`.

    Add its faults to `faults` instead of raising them, so that those of query and body are reported
    together.
    """
    try:
        return check(value)
    except Problem as problem:
        if problem.errors is None:
            raise
        faults += problem.errors


def accepted(header: str | None, forms: tuple[str, ...]) -> str:
    """Return the media type that `Accept` prefers (RFC 9110, 12.5.1) among `forms`, best first.

    Raise 406 if it accepts none.
    """
    if not header or header == "*/*":
        return forms[0]
    wanted = {}
    for part in header.split(","):
        kind, *parameters = [piece.strip() for piece in part.lower().split(";")]
        quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
        try:
            wanted[kind] = float(quality)
        except ValueError:
            wanted[kind] = 0.0

    def quality_of(form):
        family = form.partition("/")[0] + "/*"
        return next((wanted[kind] for kind in (form, family, "*/*") if kind in wanted), 0.0)

    best = max(forms, key=quality_of)
    if not quality_of(best):
        raise Problem(
            "not_acceptable",
            f"No media type in Accept fits. The response is available as {listed(forms, 'or')}.",
            offered=list(forms),
        )
    return best


def parse_query(text: str) -> list[tuple[str, str]]:
    """Return the (name, text) pairs of a query string."""
    if not text:
        return []
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except (UnicodeDecodeError, ValueError):
        raise Problem(
            "malformed_request",
            f"The query must be UTF-8 and have at most {MAX_PARAMETERS} parameters.",
        ) from None
    faults = [
        fault("characters", "must not contain NUL", parameter=name.replace("\0", ""))
        for name, value in pairs
        if "\0" in name + value
    ]
    if faults:
        raise invalid(faults)
    return pairs
