"""The client of the current request: its address, its program and its languages."""
from bottle import request


def address() -> str | None:
    """Return the IP address of the client.

    X-Real-IP is trusted only behind a unix socket, where only nginx can connect.
    """
    environ = request.environ
    return environ.get("REMOTE_ADDR") or environ.get("HTTP_X_REAL_IP") or None


def agent() -> str | None:
    """Return the header User-Agent, at most 200 characters of it."""
    return request.environ.get("HTTP_USER_AGENT", "")[:200] or None


def languages() -> list[str]:
    """Return the two-letter languages of Accept-Language, in the order in which the header lists them."""
    return [part.strip()[:2].lower() for part in request.environ.get("HTTP_ACCEPT_LANGUAGE", "").split(",")]
