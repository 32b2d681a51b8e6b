"""The application: the plugins in order, then the resources in the order of the catalogue."""

import logging
from collections.abc import Iterator
from functools import cache, lru_cache
from http import HTTPStatus
from importlib import import_module

from bottle import Bottle, HTTPError, request

from eventapi import plugins, resources
from eventapi.errors import internal_error
from eventapi.plugins.request import log_request, problem_response, request_id
from eventapi.storage.connections import Connections
from eventapi.web import uploads
from eventapi.web.nearest import KnownPaths
from eventapi.web.router import Router, bottle_path, path_of, problem_of
from eventapi.web.routes import Route

STATUS_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
# Headers about a body, which a response without one must not have (RFC 9110, 8.6 and 15.4.5).
NOT_IN = {
    204: ("Content-Type", "Content-Length"),
    304: (
        "Allow",
        "Content-Encoding",
        "Content-Language",
        "Content-Length",
        "Content-Range",
        "Content-Type",
        "Last-Modified",
    ),
}
log = logging.getLogger("eventapi.app")


def routes() -> Iterator[Route]:
    """Yield every route of the service, in the order of the catalogue."""
    for name in (*resources.CATALOGUE, *resources.OUTSIDE):
        yield from import_module(f"eventapi.{name}").routes.routes


@cache
def router() -> Router:
    """Return the router of all routes, with their plugins.

    It knows no configuration, so a process makes it once.
    """
    app = Bottle()
    del app.router  # Bottle does not allow replacing it
    app.router = Router(app)
    app.uninstall(True)  # Bottle's own JSON and template plugins
    for plugin in plugins.IN_ORDER:
        app.install(plugin())
    for route in routes():  # plugins are applied at the first request of a route
        app.route(bottle_path(route.path), route.method, route.handler, options=route.options)
    app.router.compile()
    return app.router


class App:
    """The WSGI application: the routes of the service with one configuration and one database.

    What a route returns, a Response, goes to the server without Bottle's own response.
    """

    def __init__(self, config, connections=None):
        self.settings = config
        self.places = uploads.places(config.threads)
        self.connections = connections or Connections(config)
        self.router = router()

    def __call__(self, environ, start_response):
        """Run a request. Plugins and handlers find configuration and connections in `environ`."""
        environ["eventapi.config"] = self.settings.live.current
        environ["eventapi.connections"] = self.connections
        # the own server has set those of the connection
        environ.setdefault("eventapi.places", self.places)
        request.bind(environ)
        try:
            environ["PATH_INFO"] = path_of(environ)
            route, values = self.router.match(environ)
            environ["bottle.route"] = route
            response = route.call(**values)
        except HTTPError as error:  # no route, and therefore no plugin
            response = _refused(environ, problem_of(error, _hint))
        except Exception:
            log.exception("request %s failed outside of its handler", request_id(environ))
            response = _refused(environ, internal_error())
        return _sent(response, environ, start_response)


def _refused(environ, problem):
    """Return the problem document for a request that reached no handler, and log the request."""
    headers = {"X-Request-ID": request_id(environ), "X-Content-Type-Options": "nosniff"}
    response = problem_response(problem, headers)
    log_request(environ, None, response)
    return response


@cache
def _known_paths():
    return KnownPaths(route.path for route in routes())


@lru_cache(maxsize=256)
def _hint(path):
    return _known_paths().hint(path)


def _lines(headers):
    """Return the lines of the head as (name, value). Set-Cookie has a cookie in each line."""
    lines = list(headers.items())
    several = headers.get("Set-Cookie", "")
    if "\n" in several:
        lines = [pair for pair in lines if pair[0] != "Set-Cookie"]
        lines += [("Set-Cookie", cookie) for cookie in several.split("\n")]
    return lines


def _sent(response, environ, start_response):
    """Start a response as WSGI requires (PEP 3333), and return its body."""
    status, headers, body = response.status, response.headers, response.body
    if isinstance(body, bytes):
        headers.setdefault("Content-Length", str(len(body)))
    headers.setdefault("Content-Type", "text/html; charset=UTF-8")
    for name in NOT_IN.get(status, ()):
        headers.pop(name, None)
    if not "".join(headers.values()).isascii():
        headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    start_response(STATUS_LINES[status], _lines(headers))

    if environ["REQUEST_METHOD"] == "HEAD" or status in NOT_IN:
        if hasattr(body, "close"):
            body.close()
        return []
    if isinstance(body, bytes):
        return [body]
    if hasattr(body, "read"):
        return environ.get("wsgi.file_wrapper", iter)(body)
    return body
