"""Outermost plugin: CORS headers on the responses to keys that are meant for web pages.

See web/cors.py.
"""

from collections.abc import Callable

from bottle import Route, request

from eventapi.web import cors


class CrossOrigin:
    name, api = "cross_origin", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler. Its responses get CORS headers if the option `cors_origins` is set."""
        if route.config["options"].public:
            return callback

        def shared(**values):
            response = callback(**values)  # the plugins inside have set the other headers
            who = request.environ.get("eventapi.who")
            if who and request.environ["eventapi.config"].cors_origins:
                cors.share(response.headers, request.environ, who.scopes)
            return response

        return shared
