"""Bodies of HTML forms. Nothing else reads them: the parsers of Bottle differ between versions and have no limits."""
from urllib.parse import parse_qsl

from bottle import request

from eventapi.errors import Problem
from eventapi.storage.database import Database
from eventapi.web.json_bodies import received

FORM = "application/x-www-form-urlencoded"
LARGEST, MOST = 512 * 1024, 1000        # bytes and fields of a form


def form(environ: dict) -> dict[str, list[str]]:
    """Return the texts of a form by name. Line breaks are \\n.

    Raise 415 for another media type, 413 for a form that is too large, 400 for one that cannot be read.
    """
    raw = received(environ, LARGEST)
    kind = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if kind != FORM or environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in ("", "identity"):
        raise Problem("unsupported_media_type", f"Send the form as {FORM}, not compressed.")
    if raw.count(b"&") >= MOST:
        raise Problem("body_too_large", f"A form may have at most {MOST} fields.")
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST)
    except ValueError:
        raise Problem("malformed_request", "The form cannot be read. Send it percent-encoded, in UTF-8.") from None
    found = {}
    for name, text in pairs:
        if "\0" in name + text:
            raise Problem("malformed_request", "The form contains NUL, which no text may contain.")
        found.setdefault(name, []).append(text.replace("\r\n", "\n").replace("\r", "\n"))
    return found


def before(db: Database) -> dict[str, list[str]] | Problem:
    """Return the form of the running request, or the problem with it. The option `before` of a route that has a form.

    So the form is received before a transaction begins, and a slow client delays no write.
    """
    try:
        _refuse_foreign(request.environ)
        return form(request.environ)
    except Problem as problem:
        return problem


def _refuse_foreign(environ):
    """Raise 403 for a form on another web site: its Origin is not ours, or the browser says that it is another site."""
    origin, host = environ.get("HTTP_ORIGIN"), environ.get("HTTP_HOST", "")
    if (origin and origin.partition("://")[2].lower() != host.lower()) or (
            environ.get("HTTP_SEC_FETCH_SITE", "none") not in ("none", "same-origin")):
        raise Problem("origin_not_allowed", "The form was sent from another web site. Open the page of the form on "
                      "this server, and send it there.")
