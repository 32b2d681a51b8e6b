"""Cross-origin requests of browsers (Fetch standard, CORS protocol), allowed for the origins in
`cors_origins`.

A web page shows its API key to everybody who reads it. Only keys that can do no harm there get CORS
headers: those whose scopes all end in `:create` or are `public`.
"""

import logging
import time

from eventapi.errors import Problem
from eventapi.web import masking

HEADERS = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-ID"
EXPOSED = (
    "Deprecation, ETag, Idempotency-Replayed, Link, Location, Retry-After, Sunset, X-Request-ID"
)
PREFLIGHT_SECONDS = 600  # how long a browser may keep the response to a preflight
WARN_EVERY = 60  # seconds between two lines in the log about refused origins
log = logging.getLogger("eventapi.cors")
_next_warning = 0.0  # on the monotonic clock


def origin_of(environ: dict) -> str | None:
    """Return the value of the header Origin if `cors_origins` allows it, otherwise None."""
    origin = environ.get("HTTP_ORIGIN")
    return origin if origin in environ["eventapi.config"].cors_origins else None


def is_preflight(environ: dict) -> bool:
    """Return whether the request is a CORS preflight, and `cors_origins` is set.

    A preflight carries no key.
    """
    return (
        environ["REQUEST_METHOD"].upper() == "OPTIONS"
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
        and "HTTP_ORIGIN" in environ
        and bool(environ["eventapi.config"].cors_origins)
    )


def preflight_headers(environ: dict, allow: str) -> dict[str, str]:
    """Return the headers of the response to a preflight. `allow` lists the methods of the path.

    Raise Problem `origin_not_allowed` if `cors_origins` does not contain the origin.
    """
    origin = origin_of(environ)
    if origin is None:
        raise _not_allowed(environ["HTTP_ORIGIN"])
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": allow,
        "Access-Control-Allow-Headers": HEADERS,
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
        "Vary": "Origin",
    }


def _not_allowed(origin):
    """Return the 403 Problem for an origin, and log it, at most once in WARN_EVERY seconds in each
    process.
    """
    global _next_warning
    origin = "".join(filter(str.isprintable, masking.text(origin)))[:200]
    if time.monotonic() >= _next_warning:
        _next_warning = time.monotonic() + WARN_EVERY
        log.warning(
            "a web page of the origin %s was refused: the option cors_origins does not contain it. If it is "
            "your page, add this origin and reload the service.",
            origin,
        )
    return Problem(
        "origin_not_allowed",
        f"The option `cors_origins` of the server does not contain the origin "
        f"{origin}. If it is your web page, the administrator adds exactly this origin to the option and "
        "reloads the service.",
        headers={"Vary": "Origin"},
    )


def share(headers: dict[str, str], environ: dict, scopes: frozenset[str]) -> None:
    """Add headers that allow the page which sent the request to read the response, if its origin
    and key permit it.
    """
    headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
    origin = origin_of(environ)
    if origin and all(scope == "public" or scope.endswith(":create") for scope in scopes):
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED
