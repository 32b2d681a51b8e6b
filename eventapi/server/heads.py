"""Checks of request heads that gunicorn's parser does not make, so that every version of it reads the same requests.

gunicorn 20.1 accepts much that RFC 9112 forbids, and each newer version refuses more of it. What two parsers read
differently is a way to hide a request inside of another one, so it is refused, or ignored as nginx does.
"""
import re

from gunicorn.http import errors
from gunicorn.http.body import Body
from gunicorn.http.message import Request

from eventapi.server.chunks import FIELD, Chunks

MAX_HEAD = 64 * 1024        # bytes of a request head
MAX_LINE = 8190             # bytes of its first line, as limit_request_line in conf/gunicorn.conf.py
FIRST_LINE = re.compile(rb"(?:[-!$%&'*+.^_`|~0-9A-Z]{3,20} (?:/|https?://)[!-~]*+|OPTIONS \*) HTTP/1\.[01]")
HEAD = re.compile(FIRST_LINE.pattern + rb"(?:\r\n" + FIELD.pattern + rb")*+")
HOST = re.compile(r"[-._~%!$&'()*+;=:\[\]0-9A-Za-z]+")
ONCE = ("HOST", "CONTENT-LENGTH", "CONTENT-TYPE", "TRANSFER-ENCODING", "EXPECT")


class Refused(errors.ParseException):
    """A head that no version of gunicorn may accept. `status` is that of the response."""

    def __init__(self, text: str, status: int = 400):
        super().__init__(text)
        self.status = status


def check_bytes(data: bytes, end: int) -> None:
    """Raise Refused unless `data` begins with a head in the form of RFC 9112, of HTTP/1.0 or 1.1.

    `end` is the place of its empty line, -1 if there is none although no valid request can begin like this.
    """
    if 0 <= end <= MAX_HEAD and HEAD.fullmatch(data, 0, end):
        return
    first, *lines = data[:end if end >= 0 else len(data)].split(b"\r\n")
    if len(first) > MAX_LINE:
        raise Refused("the first line is too long", 414)
    if (end if end >= 0 else len(data)) > MAX_HEAD:
        raise Refused("the head is too long", 431)
    if not FIRST_LINE.fullmatch(first):
        if not first.isascii():
            raise Refused("the path must be ASCII: percent-encode the UTF-8 of other characters, ä as %C3%A4")
        raise Refused("the first line must have a method, a path and HTTP/1.1, with one space between them")
    for number, line in enumerate(lines, start=2):
        if not FIELD.fullmatch(line):
            raise Refused(f"line {number} of the head must have a name, a colon and a value without control characters")
    raise Refused("the head has no end")


def written(request: Request) -> bytes:
    """Return the head of a parsed request, for a caller that does not have its bytes."""
    version, fields = ".".join(map(str, request.version)), [f"{name}: {value}" for name, value in request.headers]
    return "\r\n".join([f"{request.method} {request.uri} HTTP/{version}", *fields]).encode("latin-1", "replace")


def check(request: Request) -> None:
    """Raise Refused if a parsed head is ambiguous. Drop headers whose name has an underscore, and replace the body.

    WSGI does not distinguish X_Real_IP from X-Real-IP, and gunicorn would take the header SCRIPT_NAME for a part of
    the path. nginx drops such headers as well.
    """
    fields = dict(request.headers)
    if "_" in "".join(fields):
        request.headers = [field for field in request.headers if "_" not in field[0]]
        fields = dict(request.headers)
    if len(fields) < len(request.headers):
        _check_repeated([name for name, _ in request.headers])
    host, length = fields.get("HOST"), fields.get("CONTENT-LENGTH", "0")
    if not HOST.fullmatch(host or "") and (host is not None or request.version > (1, 0)):
        raise Refused("the header Host must be the name of the server")
    if not (length.isascii() and length.isdigit()):
        raise Refused("the header Content-Length must be a number")
    if fields.get("EXPECT", "100-continue").lower() != "100-continue":
        raise Refused("the header Expect can only be 100-continue", 417)
    if "TRANSFER-ENCODING" in fields:
        _check_coding(request, fields)
        request.body = Body(Chunks(request.unreader))


def _check_repeated(names):
    for name in ONCE:
        if names.count(name) > 1:
            raise Refused(f"the header {name.title()} may be sent only once")


def _check_coding(request, fields):
    if "CONTENT-LENGTH" in fields or request.version == (1, 0):
        raise Refused("the header Transfer-Encoding needs HTTP/1.1, and excludes Content-Length")
    if fields["TRANSFER-ENCODING"].lower() != "chunked":
        raise Refused("the header Transfer-Encoding can only be chunked", 501)
