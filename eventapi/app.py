"""The application: the plugins in order, then the resources in the order of the catalogue."""
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module

from bottle import Bottle, HTTPError, Route, Router, request, response

from eventapi import plugins, resources
from eventapi.errors import Problem, internal_error, listed
from eventapi.plugins.request import log_request, problem_response, request_id
from eventapi.storage import database, migrations
from eventapi.storage import errors as storage_errors
from eventapi.storage.connections import Connections
from eventapi.web import cors, masking, uploads
from eventapi.web import routes as routing
from eventapi.web.rest import Response

MAX_ID = 2 ** 63 - 1                       # of SQLite
ROOT, PREFIX = "/api/v1", re.compile(r"/api(/v\d+)?(?=/|$)")
NUMBER = re.compile(r"(?<=/)[1-9]\d{0,18}(?=/|$)", re.ASCII)


class App(Bottle):
    """Bottle with problem documents for requests that reach no route and therefore no plugin."""

    def wsgi(self, environ, start_response):
        """Run a request. Plugins and handlers find configuration and connections in `environ`."""
        path = environ.get("PATH_INFO", "")
        if len(path) > 1 and path.endswith("/"):
            environ["PATH_INFO"] = path[:-1]           # a trailing slash is ignored
        environ["eventapi.config"] = self.settings
        environ["eventapi.connections"] = self.connections
        environ.setdefault("eventapi.places", self.places)      # the own server has set those of the connection
        return super().wsgi(environ, start_response)

    __call__ = wsgi

    def default_error_handler(self, error):
        """Return the problem document for an error of Bottle, such as 404, and log the request."""
        response.set_header("X-Request-ID", request_id(request.environ))
        response.set_header("X-Content-Type-Options", "nosniff")
        body = problem_response(_problem_of(error))
        log_request(request.environ, None, body)
        return body


class Paths(Router):
    """Bottle's router, which also matches OPTIONS on every path."""

    def __init__(self, app):
        super().__init__()
        self.options = {public: Route(app, "<path>", "OPTIONS", _options, options=routing.Options(
            resource="options", singular="options", scope="any", public=public)) for public in (True, False)}
        self.uncompiled = set()

    def _compile(self, method):
        """Record that the patterns of this method have changed.

        Bottle would compile all of them again for each route.
        """
        self.uncompiled.add(method)

    def compile(self):
        """Compile the patterns of all methods. Call it after the last route and before the first `match`."""
        for method in self.uncompiled:
            super()._compile(method)
        self.uncompiled.clear()

    def match(self, environ):
        """Return the route of a request and its arguments. OPTIONS matches every path that has another method."""
        try:
            return super().match(environ)
        except HTTPError as error:
            if environ["REQUEST_METHOD"].upper() != "OPTIONS" or error.status_code != 405:
                raise
            allow, method = _allowed(error), error.headers["Allow"].partition(",")[0]
        route, _ = super().match({**environ, "REQUEST_METHOD": method})
        needs_no_key = route.config["options"].public or cors.is_preflight(environ)
        return self.options[needs_no_key], {"allow": allow}


def _options(allow):
    headers = {"Allow": allow}
    if cors.is_preflight(request.environ):
        headers.update(cors.preflight_headers(cors.origin_of(request.environ), allow))
    return Response(status=204, headers=headers)


def _allowed(error):
    """Return the methods of a path for the header Allow, from Bottle's 405."""
    methods = set(error.headers["Allow"].split(","))
    return ", ".join(sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])}))


def _id(text):
    """Return the id in a path. Raise 404 for one that SQLite cannot store."""
    if int(text) > MAX_ID:
        raise HTTPError(404)
    return int(text)


ID = (r"[1-9][0-9]{0,18}", _id, str)       # an id in a path; any other text makes the path unknown


def _read_path():
    """Refuse paths that Bottle would change.

    It drops bytes that are not UTF-8, and its patterns ignore a line break at the end. The pages of the newsletter
    accept any token, and respond to one with a line break as to every other wrong one.
    """
    try:
        path = request.environ["bottle.raw_path"].encode("latin-1").decode()
    except UnicodeError:
        raise HTTPError(400) from None
    if "\n" in path and not path.startswith(("/newsletter/confirm/", "/newsletter/unsubscribe/")):
        raise HTTPError(404)


def _problem_of(error):
    if error.status_code == 404:
        path = masking.path(request.path)
        return Problem("not_found", f"The path {path} does not exist{_nearest(path[:200]) or '.'}")
    if error.status_code == 405:
        allowed = _allowed(error)
        return Problem("method_not_allowed",
                       f"The path does not support {request.method}. It supports {listed(allowed.split(', '))}.",
                       headers={"Allow": allowed})
    if error.status_code < 500:
        return Problem("malformed_request", "The path is not valid UTF-8. Percent-encode it as UTF-8.")
    return internal_error()


@lru_cache(maxsize=1)
def _known_paths():
    """Return {path: whether it is below /api/v1} of all routes. Ids are written as `<id>`."""
    return {re.sub(r"<\w*id>", "<id>", route.path.removeprefix(ROOT)): route.path.startswith(ROOT)
            for route in routes()}


@lru_cache(maxsize=256)
def _nearest(path):
    """Return "; did you mean …?" with the known path that is most like `path`, or "" if none is like it."""
    from difflib import get_close_matches
    known, wanted = _known_paths(), NUMBER.sub("<id>", PREFIX.sub("", path.lower(), 1))
    # A comparison is slow and needs no API key, therefore only paths with as many parts are compared.
    near = get_close_matches(wanted, [other for other in known if other.count("/") == wanted.count("/")], 1)
    if not near:
        return ""
    numbers = iter(NUMBER.findall(path))
    found = re.sub("<(.+?)>", lambda name: next(numbers, f"{{{name[1]}}}"), near[0])
    found = f"{ROOT}{found}" if known[near[0]] else found
    return "" if found == path else f"; did you mean {found}?"          # equal: its id is beyond 64 bits


def routes() -> Iterator[routing.Route]:
    """Yield every route of the service, in the order of the catalogue."""
    for name in (*resources.CATALOGUE, *resources.OUTSIDE):
        yield from import_module(f"eventapi.{name}").routes.routes


def create_app(config, connections=None) -> App:
    """Return the application: the plugins, then every route. `connections` replaces those to its database."""
    app = App()
    app.settings, app.places = config, uploads.places(config.threads)
    app.connections = connections or Connections(config)
    del app.router                                 # Bottle does not allow replacing it
    app.router = Paths(app)
    app.router.add_filter("id", lambda _: ID)
    app.add_hook("before_request", _read_path)
    app.uninstall(True)                            # Bottle's own JSON and template plugins
    for plugin in plugins.IN_ORDER:
        app.install(plugin(config))
    for route in routes():                         # plugins are applied at the first request of a route
        app.route(_bottle_path(route.path), route.method, route.handler, options=route.options)
    app.router.compile()
    return app


def _bottle_path(path):
    """Return the path with `<id>`, `<item_id>` and `<refund_id>` restricted to numbers."""
    for name in ("id", "item_id", "refund_id"):
        path = path.replace(f"<{name}>", f"<{name}:id>")
    return path


def ready(config, *, to_write: bool = False) -> None:
    """Raise SchemaError if the database is missing or of another version.

    With `to_write`, raise ReadOnly if it cannot be written.
    """
    if not config.database.exists() or not config.database.stat().st_size:
        raise migrations.SchemaError(f"database {config.database} is missing or empty. Check that the file system is "
                                     "mounted. If there was a database, run 'eventapi restore FILE' with the newest "
                                     "backup; otherwise run 'eventapi migrate' to create one")
    if to_write:
        storage_errors.require_writable(config.database)
    connection = database.connect(config.database, readonly=True)
    try:
        migrations.check_schema_version(connection)
    finally:
        connection.close()
