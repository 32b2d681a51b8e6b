"""The router: the route of each request, and the problem of a request that has none."""

from collections.abc import Callable

from bottle import Bottle, HTTPError, Route, request
from bottle import Router as BottleRouter

from eventapi.errors import Problem, internal_error, listed
from eventapi.web import cors, masking
from eventapi.web.rest import Response
from eventapi.web.routes import Options

MAX_ID = 2**63 - 1  # of SQLite
NAMES_OF_IDS = ("id", "item_id", "refund_id", "write_off_id")
# They accept any token, and respond to one with a line break as to every other wrong one.
NEWSLETTER = ("/newsletter/confirm/", "/newsletter/unsubscribe/")


class Router(BottleRouter):
    """Bottle's router, which knows ids and also matches OPTIONS on every path."""

    def __init__(self, app: Bottle):
        super().__init__()
        self.add_filter("id", lambda _: ID)
        self.options = {public: _options_route(app, public) for public in (True, False)}
        self.uncompiled = set()

    def _compile(self, method):
        """Record that the patterns of this method have changed.

        Bottle would compile all of them again for each route.
        """
        self.uncompiled.add(method)

    def compile(self) -> None:
        """Compile the patterns of all methods.

        Call it after the last route and before the first `match`.
        """
        for method in self.uncompiled:
            super()._compile(method)
        self.uncompiled.clear()

    def match(self, environ: dict) -> tuple[Route, dict]:
        """Return the route of a request and its arguments. Raise HTTPError 404 or 405 without one.

        OPTIONS matches every path that has another method.
        """
        try:
            return super().match(environ)
        except HTTPError as error:
            if environ["REQUEST_METHOD"].upper() != "OPTIONS" or error.status_code != 405:
                raise
            allow = allowed_methods(error)
            method = error.headers["Allow"].partition(",")[0]

        route, _ = super().match({**environ, "REQUEST_METHOD": method})
        needs_no_key = route.config["options"].public or cors.is_preflight(environ)
        return self.options[needs_no_key], {"allow": allow}


def _id(text):
    """Return the id in a path. Raise 404 for one that SQLite cannot store."""
    if int(text) > MAX_ID:
        raise HTTPError(404)
    return int(text)


# Bottle's filter of an id in a path. Any other text makes the path unknown.
ID = (r"[1-9][0-9]{0,18}", _id, str)


def bottle_path(path: str) -> str:
    """Return the path of a route with its ids, such as `<item_id>`, restricted to numbers."""
    for name in NAMES_OF_IDS:
        path = path.replace(f"<{name}>", f"<{name}:id>")
    return path


def _options_route(app, public):
    """Return the route of OPTIONS for paths that need no key, or for those that need one."""
    options = Options(resource="options", singular="options", scope="any", public=public)
    return Route(app, "<path>", "OPTIONS", _options, options=options)


def _options(allow):
    headers = {"Allow": allow}
    if cors.is_preflight(request.environ):
        headers.update(cors.preflight_headers(request.environ, allow))
    return Response(status=204, headers=headers)


def allowed_methods(error: HTTPError) -> str:
    """Return the methods of a path for the header Allow, from Bottle's 405."""
    methods = {*error.headers["Allow"].split(","), "OPTIONS"}
    if "GET" in methods:
        methods.add("HEAD")
    return ", ".join(sorted(methods))


def path_of(environ: dict) -> str:
    """Return the path of a request as text, without a slash at its end.

    Set `eventapi.slash` if it has one. Raise HTTPError 400 for a path that is not UTF-8, and 404
    for one that Bottle's patterns would take for another one: they ignore a line break at the end.
    """
    path = environ.get("PATH_INFO") or "/"
    if not path.isascii():
        try:
            path = path.encode("latin-1").decode()
        except UnicodeError:
            raise HTTPError(400) from None
    if "\n" in path and not path.startswith(NEWSLETTER):
        raise HTTPError(404)
    if path.endswith("/") and len(path) > 1:
        environ["eventapi.slash"] = True
        return path[:-1]
    return path


def problem_of(error: HTTPError, hint: Callable[[str], str]) -> Problem:
    """Return the problem of the running request, which has no route.

    `hint` returns the end of the error text about a wrong path, or "".
    """
    if error.status_code == 404:
        path = masking.path(request.path)
        end = hint(path[:200]) or "."
        return Problem("not_found", f"The path {path} does not exist{end}")
    if error.status_code == 405:
        allow = allowed_methods(error)
        methods = listed(allow.split(", "))
        return Problem(
            "method_not_allowed",
            f"The path does not support {request.method}. It supports {methods}.",
            headers={"Allow": allow},
        )
    if error.status_code < 500:
        return Problem(
            "malformed_request", "The path is not valid UTF-8. Percent-encode it as UTF-8."
        )
    return internal_error()
