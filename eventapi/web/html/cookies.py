"""Cookies of sessions.

Their names contain the ref of the link, so that a person can act for two companies.
"""

import re

from bottle import request

from eventapi.errors import Problem
from eventapi.web import client

DAYS_OF_OWN_DEVICE = 60  # that its cookie lasts
DAYS_OF_PERSON = 30  # of the office, on the own device
DAYS_OF_KNOWN = 400  # that a browser stays known in which a person of the office has signed in
DAYS_OF_DOOR = 400  # longer than its link, whose end the server decides; browsers keep none longer


def is_secure() -> bool:
    """Return whether the browser has opened the page by https."""
    environ = request.environ
    forwarded = environ.get("HTTP_X_FORWARDED_PROTO")
    if forwarded and client.is_from_proxy():
        return forwarded == "https"
    return environ["wsgi.url_scheme"] == "https"


def name_of(ref: str) -> str:
    """Return the name of the cookie of a link.

    By https, `__Host-` keeps other hosts from setting it.
    """
    return f"__Host-evs-{ref}" if is_secure() else f"evs-{ref}"


def get(ref: str) -> str | None:
    """Return the secret of the session of a link. Raise 400 if the browser sends two of this name."""
    wanted = name_of(ref)
    pairs = (
        part.strip().partition("=") for part in request.environ.get("HTTP_COOKIE", "").split(";")
    )
    found = [value for name, _, value in pairs if name == wanted]
    if len(found) > 1:
        raise Problem(
            "malformed_request",
            f"The cookie {wanted} was sent twice. Close the browser, and open your link again.",
        )
    return found[0] if found else None


def is_possible() -> bool:
    """Return whether a session can be opened: by https, or by a browser on this machine."""
    return is_secure() or client.is_local()


def refuse_impossible() -> None:
    """Raise 409 by http, unless the browser runs on this machine."""
    if not is_possible():
        raise Problem(
            "page_incomplete",
            "Sessions need https. Set the option base_url to an https address, and open "
            "the link there.",
            missing=["https"],
        )


def plain(name: str) -> str:
    """Return the value of a cookie that is no secret, or "". The first one counts."""
    for part in request.environ.get("HTTP_COOKIE", "").split(";"):
        found, _, value = part.strip().partition("=")
        if found == name:
            return value
    return ""


def language() -> str | None:
    """Return the language that somebody has chosen on a page with a session, or None."""
    found = re.search(
        r"(?:^|;)\s*evs-language=([a-z]{2})\s*(?:;|$)", request.environ.get("HTTP_COOKIE", "")
    )
    return found and found[1]


def keep_language(code: str) -> str:
    """Return the header Set-Cookie that keeps a chosen language until the browser ends."""
    return f"evs-language={code}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure() else ''}"


def header(ref: str, secret: str, *, days: int = 0) -> str:
    """Return the header Set-Cookie. Raise 409 by http, unless the browser runs on this machine.

    The cookie ends after these days, or with the browser.
    """
    refuse_impossible()
    return (
        f"{name_of(ref)}={secret}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure() else ''}"
        f"{f'; Max-Age={days * 24 * 3600}' if days else ''}"
    )


def gone(ref: str) -> str:
    """Return the header Set-Cookie that removes the cookie of a link."""
    return f"{name_of(ref)}=; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure() else ''}; Max-Age=0"
