"""The application: the plugins in order, then the resources in the order of the catalogue."""
from importlib import import_module

from bottle import Bottle, HTTPError, request, response

from eventapi import db, plugins, resources
from eventapi.errors import Problem
from eventapi.plugins.request import problem_answer, request_id, tell
from eventapi.routes import Route

ID = (r"[1-9][0-9]{0,17}", int, str)       # ids in a path: what cannot be an id is an unknown path


class App(Bottle):
    """Bottle, answering in problem documents where no route and so no plugin is reached."""

    def wsgi(self, environ, start_response):
        path = environ.get("PATH_INFO", "")
        if len(path) > 1 and path.endswith("/"):
            environ["PATH_INFO"] = path[:-1]           # one trailing slash is the same resource
        environ["eventapi.config"] = self.settings
        return super().wsgi(environ, start_response)

    __call__ = wsgi

    def default_error_handler(self, error):
        response.set_header("X-Request-ID", request_id(request.environ))
        response.set_header("X-Content-Type-Options", "nosniff")
        answer = problem_answer(_problem_of(error))
        tell(request.environ)
        return answer


def _read_path():
    """Bottle leaves out bytes that are not UTF-8, and its patterns overlook a line break at the end: another path than was sent."""
    try:
        path = request.environ["bottle.raw_path"].encode("latin-1").decode()
    except UnicodeError:
        raise HTTPError(400) from None
    if "\n" in path:
        raise HTTPError(404)


def _problem_of(error):
    if error.status_code == 404:
        return Problem("not_found", f"There is nothing at {request.path}.")
    if error.status_code == 405:
        methods = set(error.headers.get("Allow", "").split(","))
        allow = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        return Problem("method_not_allowed", f"{request.method} is not possible here.", headers={"Allow": allow})
    if error.status_code < 500:
        return Problem("malformed_request", "The request cannot be read.")
    return Problem("internal_error", "The server failed; the log has the details under this request id.")


def routes():
    """Every route of the service, in the order of the catalogue."""
    for name in (*resources.CATALOGUE, *resources.OUTSIDE):
        yield from import_module(f"eventapi.{name}").routes.routes


def create_app(config):
    app = App()
    app.settings = config
    app.router.add_filter("id", lambda _: ID)
    app.add_hook("before_request", _read_path)
    app.uninstall(True)                            # Bottle's own JSON and template plugins
    for plugin in plugins.IN_ORDER:
        app.install(plugin(config))
    all_routes = list(routes())
    for route in (*all_routes, *_options(all_routes)):
        path = _bottle_path(route.path)
        app.route(path, route.method, route.handler, **route.words)
    for route in app.routes:
        route.prepare()                            # a route without scope= stops the start
    return app


def _bottle_path(path):
    """`<id>` and `<item_id>` are numbers."""
    for name in ("id", "item_id"):
        path = path.replace(f"<{name}>", f"<{name}:id>")
    return path


def _options(all_routes):
    """OPTIONS on every path says what is allowed."""
    paths = {}
    for route in all_routes:
        paths.setdefault(route.path, (route, []))[1].append(route.method)
    for path, (route, methods) in paths.items():
        allow = ", ".join(sorted({*methods, "OPTIONS", *(["HEAD"] if "GET" in methods else [])}))
        words = {name: route.words.get(name) for name in ("resource", "singular", "public")}
        yield Route("OPTIONS", path, _allowing(allow), {"scope": "any", **words})


def _allowing(allow):
    from eventapi.rest import Answer

    def options(**_):
        return Answer(status=204, headers={"Allow": allow})
    return options


def ready(config):
    """Raises SchemaError unless the database is there and fits this program."""
    if not config.database.exists():
        raise db.SchemaError(f"there is no database at {config.database}: run 'eventapi migrate'")
    connection = db.connect(config.database, readonly=True)
    try:
        db.check_version(connection)
    finally:
        connection.close()
