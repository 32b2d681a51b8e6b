"""The application: the plugins in order, then the resources in the order of the catalogue."""

import logging
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from http import HTTPStatus
from importlib import import_module

from bottle import Bottle, HTTPError, Route, Router, request

from eventapi import plugins, resources
from eventapi.errors import Problem, internal_error, listed
from eventapi.plugins.request import log_request, problem_response, request_id
from eventapi.storage.connections import Connections
from eventapi.web import cors, masking, uploads
from eventapi.web import routes as routing
from eventapi.web.rest import Response

MAX_ID = 2**63 - 1  # of SQLite
ROOT, PREFIX = "/api/v1", re.compile(r"/api(/v\d+)?(?=/|$)")
NUMBER = re.compile(r"(?<=/)[1-9]\d{0,18}(?=/|$)", re.ASCII)


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


class App:
    """The WSGI application: the routes of the service with one configuration and one database.

    What a route returns, a Response, goes to the server without Bottle's own response.
    """

    def __init__(self, config, connections=None):
        self.settings, self.places = config, uploads.places(config.threads)
        self.connections = connections or Connections(config)
        self.router = router()

    def __call__(self, environ, start_response):
        """Run a request. Plugins and handlers find configuration and connections in `environ`."""
        environ["eventapi.config"] = self.settings
        environ["eventapi.connections"] = self.connections
        # the own server has set those of the connection
        environ.setdefault("eventapi.places", self.places)
        request.bind(environ)
        try:
            environ["PATH_INFO"] = _path(environ)
            route, values = self.router.match(environ)
            environ["bottle.route"] = route
            response = route.call(**values)
        except HTTPError as error:  # no route, and therefore no plugin
            response = _refused(environ, _problem_of(error))
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
    start_response(STATUS_LINES[status], list(headers.items()))
    if environ["REQUEST_METHOD"] == "HEAD" or status in NOT_IN:
        if hasattr(body, "close"):
            body.close()
        return []
    if isinstance(body, bytes):
        return [body]
    return environ.get("wsgi.file_wrapper", iter)(body) if hasattr(body, "read") else body


class Paths(Router):
    """Bottle's router, which also matches OPTIONS on every path."""

    def __init__(self, app):
        super().__init__()
        self.options = {
            public: Route(
                app,
                "<path>",
                "OPTIONS",
                _options,
                options=routing.Options(
                    resource="options", singular="options", scope="any", public=public
                ),
            )
            for public in (True, False)
        }
        self.uncompiled = set()

    def _compile(self, method):
        """Record that the patterns of this method have changed.

        Bottle would compile all of them again for each route.
        """
        self.uncompiled.add(method)

    def compile(self):
        """Compile the patterns of all methods.

        Call it after the last route and before the first `match`.
        """
        for method in self.uncompiled:
            super()._compile(method)
        self.uncompiled.clear()

    def match(self, environ):
        """Return the route of a request and its arguments.

        OPTIONS matches every path that has another method.
        """
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
        headers.update(cors.preflight_headers(request.environ, allow))
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


ID = (r"[1-9][0-9]{0,18}", _id, str)  # an id in a path; any other text makes the path unknown


def _path(environ):
    """Return the path of a request as text, without a slash at its end.

    Set `eventapi.slash` if it has one.

    Refuse paths that Bottle's patterns would take for another one: they ignore a line break at the
    end. The pages of the newsletter accept any token, and respond to one with a line break as to
    every other wrong one.
    """
    path = environ.get("PATH_INFO") or "/"
    if not path.isascii():
        try:
            path = path.encode("latin-1").decode()
        except UnicodeError:
            raise HTTPError(400) from None
    if "\n" in path and not path.startswith(("/newsletter/confirm/", "/newsletter/unsubscribe/")):
        raise HTTPError(404)
    if path.endswith("/") and len(path) > 1:
        environ["eventapi.slash"] = True
        return path[:-1]
    return path


def _problem_of(error):
    if error.status_code == 404:
        path = masking.path(request.path)
        return Problem("not_found", f"The path {path} does not exist{_nearest(path[:200]) or '.'}")
    if error.status_code == 405:
        allowed = _allowed(error)
        return Problem(
            "method_not_allowed",
            f"The path does not support {request.method}. It supports {listed(allowed.split(', '))}.",
            headers={"Allow": allowed},
        )
    if error.status_code < 500:
        return Problem(
            "malformed_request", "The path is not valid UTF-8. Percent-encode it as UTF-8."
        )
    return internal_error()


@lru_cache(maxsize=1)
def _known_paths():
    """Return {path: whether it is below /api/v1} of all routes. Ids are written as `<id>`."""
    return {
        re.sub(r"<\w*id>", "<id>", route.path.removeprefix(ROOT)): route.path.startswith(ROOT)
        for route in routes()
    }


@lru_cache(maxsize=1)
def _parts_at():
    """Return {(place, the other parts): the parts that known paths have at this place}."""
    found = {}
    for path in _known_paths():
        for place, other, part in _without_one(path):
            found.setdefault((place, other), []).append(part)
    return found


def _without_one(path):
    """Yield (place, the other parts, part) for each part of a path."""
    parts = path.split("/")
    for place in range(1, len(parts)):
        yield place, "/".join([*parts[:place], *parts[place + 1 :]]), parts[place]


@lru_cache(maxsize=256)
def _nearest(path):
    """Return the end of the message: the nearest known path, or that a resource has no batch, or ""
    for neither.

    The nearest path differs least in one part, or has an id more.
    """
    known, wanted = _known_paths(), NUMBER.sub("<id>", PREFIX.sub("", path.lower(), 1))
    near = wanted if wanted in known else _with_other_part(wanted) or _with_id(wanted)
    if not near:
        single = wanted.removesuffix("/batch")
        is_single = single != wanted and known.get(single)
        return (
            f": {ROOT}{single} has no batch, so send a request for each record."
            if is_single
            else ""
        )
    numbers = iter(NUMBER.findall(path))
    found = re.sub("<([^<>]+)>", lambda name: next(numbers, f"{{{name[1]}}}"), near)
    found = f"{ROOT}{found}" if known[near] else found
    return "" if found == path else f"; did you mean {found}?"  # equal: its id is beyond 64 bits


def _with_other_part(wanted):
    """Return the known path with one part in place of a similar one, or None."""
    from difflib import get_close_matches

    for place, other, part in _without_one(wanted):
        known = _parts_at().get((place, other), ())
        near = get_close_matches(part[:40], known, 1)
        if (
            not near and "<id>" in known and not part.strip("-+.0123456789")
        ):  # no id, as in /events/0
            near = ["<id>"]
        if near:
            parts = wanted.split("/")
            return "/".join([*parts[:place], near[0], *parts[place + 1 :]])
    return None


def _with_id(wanted):
    """Return the known path that has an id more, as /participants/<id>/invoice for
    /participants/invoice, or None.
    """
    parts = wanted.split("/")
    found = ("/".join([*parts[:place], "<id>", *parts[place:]]) for place in range(2, len(parts)))
    return next((path for path in found if path in _known_paths()), None)


def routes() -> Iterator[routing.Route]:
    """Yield every route of the service, in the order of the catalogue."""
    for name in (*resources.CATALOGUE, *resources.OUTSIDE):
        yield from import_module(f"eventapi.{name}").routes.routes


@cache
def router() -> Paths:
    """Return the router of all routes, with their plugins.

    It knows no configuration, so a process makes it once.
    """
    app = Bottle()
    del app.router  # Bottle does not allow replacing it
    app.router = Paths(app)
    app.router.add_filter("id", lambda _: ID)
    app.uninstall(True)  # Bottle's own JSON and template plugins
    for plugin in plugins.IN_ORDER:
        app.install(plugin())
    for route in routes():  # plugins are applied at the first request of a route
        app.route(_bottle_path(route.path), route.method, route.handler, options=route.options)
    app.router.compile()
    return app.router


def _bottle_path(path):
    """Return the path with its ids, such as `<item_id>`, restricted to numbers."""
    for name in ("id", "item_id", "refund_id", "write_off_id"):
        path = path.replace(f"<{name}>", f"<{name}:id>")
    return path
