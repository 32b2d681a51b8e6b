"""The page of the desk that follows a sign-in.

Its address comes with the request, so it may be anybody's text: only that of a page of the desk is
taken, relative to `desk/`.
"""

import re
from urllib.parse import parse_qsl, urlencode

from bottle import HTTPError, request

from eventapi.web.html import shell

SAFE = re.compile(r"[A-Za-z0-9_./?=&%-]{0,500}")
LONGEST_QUERY = 2000  # characters of the query of a request that are read
HTML = "text/html"


def asked() -> str:
    """Return the page that the query of the request names, "" for the first page of the desk."""
    query = request.environ.get("QUERY_STRING", "")[:LONGEST_QUERY]
    return checked(dict(parse_qsl(query, errors="replace")).get("next", ""))


def checked(text: str) -> str:
    """Return the address of a page of the desk as it is. Return "" for any other text."""
    path, _, _ = text.partition("?")
    is_plain = SAFE.fullmatch(text) and "//" not in text and ".." not in text and "%" not in path
    if not is_plain or path.startswith("/") or path.endswith("/"):
        return ""
    return text if path and is_page(f"/desk/{path}") else ""


def is_page(path: str) -> bool:
    """Return whether a path is that of a page which somebody who has signed in can open."""
    router = request.environ["bottle.route"].app.router
    try:
        route, _ = router.match({"REQUEST_METHOD": "GET", "PATH_INFO": path})
    except HTTPError:
        return False
    options = route.config["options"]
    return options.session == "admin" and options.page and HTML in options.offered


def query() -> str:
    """Return `?next=…` for the page of the running request, "" for the first one of the desk."""
    path = shell.address().removeprefix("/desk/")
    asked_for = request.environ.get("QUERY_STRING")
    found = checked(f"{path}?{asked_for}" if asked_for else path) or checked(path)
    return f"?{urlencode({'next': found})}" if found else ""
