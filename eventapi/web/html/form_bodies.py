"""Bodies of HTML forms.

Nothing else reads them: the parsers of Bottle differ between versions and have no limits.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl

from bottle import request

from eventapi.config import Config
from eventapi.errors import Problem
from eventapi.storage import files
from eventapi.storage.database import Database
from eventapi.web import uploads
from eventapi.web.html import cookies, shell
from eventapi.web.json_bodies import parse, read_body, received

FORM, FILE_FORM = "application/x-www-form-urlencoded", "multipart/form-data"
LARGEST, MOST = 512 * 1024, 3000  # bytes and fields of a form; 200 questions have twelve each
# Limits of a form with a file.
HEAD = 64 * 1024  # bytes before the file
PARTS = 20
LINES = 8  # header lines of a part
BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")  # RFC 2046, 5.1.1
NAME = re.compile(r'form-data; name="([^"\r\n]{1,100})"(?:; filename="([^"\r\n]{0,255})")?', re.I)


def form(environ: dict) -> dict[str, list[str]]:
    """Return the texts of a form by name. Line breaks are \\n.

    Raise 415 for another media type, 413 for a form that is too large, 400 for one that cannot be
    read.
    """
    raw = received(environ, LARGEST)
    if raw:
        _check_kind(environ, FORM)
    if raw.count(b"&") >= MOST:
        raise Problem("body_too_large", f"A form may have at most {MOST} fields.")
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST
        )
    except ValueError:
        raise Problem(
            "malformed_request", "The form cannot be read. Send it percent-encoded, in UTF-8."
        ) from None
    found = {}
    for name, text in pairs:
        _add(found, name, text)
    return found


def _check_kind(environ, kind):
    sent = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if sent != kind or environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in (
        "",
        "identity",
    ):
        raise Problem("unsupported_media_type", f"Send the form as {kind}, not compressed.")


def _add(found, name, text):
    if "\0" in name + text:
        raise Problem("malformed_request", "The form contains NUL, which no text may contain.")
    found.setdefault(name, []).append(text.replace("\r\n", "\n").replace("\r", "\n"))


@contextmanager
def file_form(
    environ: dict, config: Config, limit: int, check: Callable[[dict], None]
) -> Iterator[tuple[dict[str, list[str]], files.Upload | None]]:
    """Yield the texts of a form, and the file in its last field as an Upload; None if no file was
    chosen.

    `check(texts)` is called before the file is read, and raises if it must not be. `limit` is in
    bytes. The texts have `filename` besides their fields. Raise 411 without Content-Length, 413,
    415, 400 for what cannot be read, 503 if too many bodies are being received.
    """
    _check_kind(environ, FILE_FORM)
    length = uploads.content_length(environ)
    if uploads.is_chunked(environ) or not length:
        raise _length_required()
    if length > limit + HEAD:
        raise uploads.too_large(limit)
    body = uploads.Body(environ["wsgi.input"], length)
    with uploads.place(environ):
        head = _Head(body, _boundary(environ))
        check(head.texts)
        try:
            with files.received(config, _File(body, head.rest, head.boundary), limit) as upload:
                if not head.texts["filename"][0] and not upload.size:
                    upload = None
                yield head.texts, upload
        except files.TooLarge:
            raise uploads.too_large(limit) from None


def texts_before_file(environ: dict) -> dict[str, list[str]]:
    """Return the texts of a form whose file is not read. Raise as `file_form` does."""
    _check_kind(environ, FILE_FORM)
    length = uploads.content_length(environ)
    if uploads.is_chunked(environ) or not length:
        raise _length_required()
    with uploads.place(environ):
        head = _Head(uploads.Body(environ["wsgi.input"], length), _boundary(environ))
    return head.texts


def is_without_file(environ: dict) -> bool:
    """Return whether a form is sent as one that cannot contain a file."""
    return environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower() == FORM


def _length_required():
    return Problem(
        "length_required", "Send the form with the header Content-Length, and not in chunks."
    )


def _boundary(environ):
    """Return the boundary that Content-Type names, in bytes.

    Raise 400 unless it is one of RFC 2046.
    """
    found = re.search(
        r';\s*boundary=(?:"([^"]*)"|([^\s;"]*))\s*(?:;|$)', environ["CONTENT_TYPE"], re.I
    )
    boundary = found and (found[1] or found[2] or "")
    if not boundary or not BOUNDARY.fullmatch(boundary):
        raise Problem(
            "malformed_request", "The header Content-Type has no boundary of 1 to 70 characters."
        )
    return boundary.encode()


def _unreadable():
    return Problem(
        "malformed_request",
        "The form cannot be read. Send its fields first and one file as its last field, in UTF-8.",
    )


class _Head:
    """What stands before the file: `texts` by name, with `filename`.

    `rest` are the first bytes of the file.
    """

    def __init__(self, body, boundary):
        self.body, self.boundary, self.rest, self.texts, self.taken = body, boundary, b"", {}, 0
        delimiter = b"\r\n--" + boundary
        # RFC 2046 allows a preamble; browsers send none
        if self._until(b"--" + boundary + b"\r\n"):
            raise _unreadable()
        for _ in range(PARTS):
            name, filename = self._header()
            if filename is not None:
                self.texts["filename"] = [filename]
                return
            try:
                _add(self.texts, name, self._until(delimiter + b"\r\n").decode())
            except UnicodeDecodeError:
                raise _unreadable() from None
        raise Problem("body_too_large", f"A form with a file may have at most {PARTS} fields.")

    def _header(self):
        """Return (name, file name or None) of the next part."""
        lines = self._until(b"\r\n\r\n").split(b"\r\n")
        if len(lines) > LINES:
            raise Problem(
                "body_too_large", f"A field of a form may have at most {LINES} header lines."
            )
        try:
            heads = [line.decode().partition(":")[::2] for line in lines]
        except UnicodeDecodeError:
            raise _unreadable() from None
        found = [
            NAME.fullmatch(value.strip())
            for name, value in heads
            if name.lower() == "content-disposition"
        ]
        if len(found) != 1 or not found[0] or (name := found[0][1]) == "filename":
            raise _unreadable()
        return name, found[0][2]

    def _until(self, end):
        """Return the bytes before `end`.

        Raise 413 if it is not within HEAD bytes, 400 if it does not come.
        """
        while end not in self.rest:
            if self.taken > HEAD:
                raise Problem(
                    "body_too_large", f"The fields before the file may have at most {HEAD} bytes."
                )
            piece = self.body.read(8192)
            if not piece:
                raise _unreadable()
            self.rest, self.taken = self.rest + piece, self.taken + len(piece)
        before, _, self.rest = self.rest.partition(end)
        return before


class _File:
    """The bytes of the file as a stream: all up to the last delimiter, which must end the body."""

    def __init__(self, body, first, boundary):
        self.body, self.kept, self.end = body, first, b"\r\n--" + boundary + b"--"
        self.is_over = False

    def read(self, size):
        """Return bytes of the file, b"" at its end.

        Raise 400 unless the body ends with the delimiter.
        """
        longest = len(self.end) + 2
        while not self.is_over and len(self.kept) <= longest:
            piece = self.body.read(size)
            self.kept += piece
            if not piece:
                self.kept, self.is_over = self._without_end(), True
        if self.is_over:
            piece, self.kept = self.kept, b""
            return piece
        piece, self.kept = self.kept[:-longest], self.kept[-longest:]
        return piece

    def _without_end(self):
        for end in (self.end + b"\r\n", self.end):
            if self.kept.endswith(end):
                return self.kept[: -len(end)]
        raise _unreadable()


def before(db: Database) -> dict[str, list[str]] | Problem:
    """Return the form of the running request, or the problem with it.

    The option `before` of a route that has a form.

    So the form is received before a transaction begins, and a slow client delays no write.
    """
    return _received()


def before_link(db: Database) -> dict[str, list[str]] | Problem:
    """Return `before` of the form of a link, whose page has no referrer and therefore the Origin
    `null`.
    """
    return _received(accepts_null=True)


def before_asking(db: Database) -> dict[str, list[str]] | Problem:
    """R7: return `before` of the form on the page of a link that has ended, with which people ask
    for a new one.

    That page has no referrer either, so that no other site learns the secret in its address. Its
    form has a signed token, and a browser that names the site at all must name this one.
    """
    if request.environ.get("HTTP_SEC_FETCH_SITE", "same-origin") != "same-origin":
        return foreign()
    return _received(accepts_null=True)


def before_json(db: Database) -> object | Problem:
    """Return the value of a JSON body that a page of ours sends without a session, or the problem
    with it.
    """
    try:
        refuse_foreign(request.environ)
        return parse(read_body(request.environ, LARGEST))
    except Problem as problem:
        return problem


def _received(**options):
    try:
        refuse_foreign(request.environ, **options)
        return form(request.environ)
    except Problem as problem:
        return problem


def refuse_foreign(environ: dict, *, accepts_null: bool = False) -> None:
    """Raise 403 for a form on another web site: its Origin is not ours, or the browser says that it
    is another site.

    `accepts_null`: a page that sends no referrer has the Origin `null`. By https, a page of http is
    another site: anybody on the way can write it.
    """
    origin, host = environ.get("HTTP_ORIGIN"), environ.get("HTTP_HOST", "")
    origin = None if origin == "null" and accepts_null else origin
    scheme, _, place = (origin or "").lower().partition("://")
    if (
        (origin and (place != host.lower() or (scheme != "https" and cookies.is_secure())))
        or (environ.get("HTTP_SEC_FETCH_SITE", "none") not in ("none", "same-origin"))
        or shell.elsewhere()
    ):
        raise foreign()


def foreign() -> Problem:
    """Return the 403 Problem for a form on another web site."""
    return Problem(
        "origin_not_allowed",
        "The form was sent from another web site. Open the page of the form on this "
        "server, and send it there.",
    )
