"""Cross-origin requests of browsers (Fetch standard, CORS protocol), allowed for the origins in `cors_origins`.

A web page shows its API key to everybody who reads it. Only keys that can do no harm there get CORS headers: those
whose scopes all end in `:create` or are `public`.
"""
HEADERS = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-ID"
EXPOSED = "Deprecation, ETag, Idempotency-Replayed, Link, Location, Retry-After, Sunset, X-Request-ID"
PREFLIGHT_SECONDS = 600         # how long a browser may keep the response to a preflight


def origin_of(environ: dict) -> str | None:
    """Return the value of the header Origin if `cors_origins` allows it, otherwise None."""
    origin = environ.get("HTTP_ORIGIN")
    return origin if origin in environ["eventapi.config"].cors_origins else None


def is_preflight(environ: dict) -> bool:
    """Return whether the request is a CORS preflight from an allowed origin. It carries no key."""
    return (environ["REQUEST_METHOD"].upper() == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
            and origin_of(environ) is not None)


def preflight_headers(origin: str, allow: str) -> dict[str, str]:
    """Return the headers of the response to a preflight. `allow` lists the methods of the path."""
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": HEADERS, "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
            "Vary": "Origin"}


def share(headers: dict[str, str], environ: dict, scopes: frozenset[str]) -> None:
    """Add headers that allow the page which sent the request to read the response, if its origin and key permit it."""
    headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
    origin = origin_of(environ)
    if origin and all(scope == "public" or scope.endswith(":create") for scope in scopes):
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED
