"""Request heads: the form that every one must have, and the environ of WSGI that our own server makes of it.

gunicorn 20.1 accepts much that RFC 9112 forbids, and each newer version refuses more of it. What two parsers read
differently is a way to hide a request inside of another one, so it is refused, or ignored as nginx does. Our own server
reads heads with `environ_of`, which is quicker than gunicorn's parser because the form is known by then; gunicorn's
gthread parses them itself, and `check` refuses the same.
"""

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes, urlsplit

from gunicorn.http import errors
from gunicorn.http.body import Body
from gunicorn.http.message import Request

from eventapi.server.chunks import FIELD, Chunks

MAX_HEAD = 64 * 1024  # bytes of a request head
MAX_LINE = 8190  # bytes of its first line, and of each header, as in conf/gunicorn.conf.py
MAX_FIELDS = 100  # headers, as limit_request_fields in conf/gunicorn.conf.py
METHOD = rb"(?!CONNECT )[-!$%&'*+.^_`|~0-9A-Z]{3,20}"
FIRST_LINE = re.compile(rb"(?:" + METHOD + rb" (?:/|https?://)[!-~]*+|OPTIONS \*) HTTP/1\.[01]")
HEAD = re.compile(FIRST_LINE.pattern + rb"(?:\r\n" + FIELD.pattern + rb")*+")
HOST = re.compile(r"[-._~%!$&'()*+;=:\[\]0-9A-Za-z]+")
ONCE = ("HOST", "CONTENT-LENGTH", "CONTENT-TYPE", "TRANSFER-ENCODING", "EXPECT")
ONCE_IN_ENVIRON = (
    "HTTP_HOST",
    "CONTENT_LENGTH",
    "CONTENT_TYPE",
    "HTTP_TRANSFER_ENCODING",
    "HTTP_EXPECT",
)
MAX_DIGITS = 18  # of a length
BLANKS = " \t"


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
    first, *lines = data[: end if end >= 0 else len(data)].split(b"\r\n")
    if len(first) > MAX_LINE:
        raise Refused("the first line is too long", 414)
    if (end if end >= 0 else len(data)) > MAX_HEAD:
        raise Refused("the head is too long", 431)
    if not FIRST_LINE.fullmatch(first):
        if not first.isascii():
            raise Refused(
                "the path must be ASCII: percent-encode the UTF-8 of other characters, ä as %C3%A4"
            )
        raise Refused(
            "the first line must have a method, a path and HTTP/1.1, with one space between them"
        )
    for number, line in enumerate(lines, start=2):
        if not FIELD.fullmatch(line):
            raise Refused(
                f"line {number} of the head must have a name, a colon and a value without control characters"
            )
    raise Refused("the head has no end")


def environ_of(data: bytes, end: int) -> dict:
    """Return what the head says, as WSGI names it. Raise Refused if it is not in the form of RFC 9112, or ambiguous.

    Headers whose name has an underscore are dropped, as in `check`. `end` is as in `check_bytes`.
    """
    check_bytes(data, end)
    first, *lines = data[:end].decode("latin-1").split("\r\n")
    method, target, protocol = first.split(" ")
    path, query = _path_and_query(target)
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_PROTOCOL": protocol,
    }
    _check_sizes(first, lines)
    for line in lines:
        name, _, value = line.partition(":")
        key = environ_key(name)
        if key is None:
            continue
        if key in environ:
            _check_repeatable(key, name)
            value = f"{environ[key]},{value.strip(BLANKS)}"
        environ[key] = value.strip(BLANKS)
    coding, is_old = environ.get("HTTP_TRANSFER_ENCODING"), protocol == "HTTP/1.0"
    _check_values(
        environ.get("HTTP_HOST"),
        environ.get("CONTENT_LENGTH", "0"),
        environ.get("HTTP_EXPECT"),
        is_old,
    )
    if coding is not None:
        _check_coding(coding, "CONTENT_LENGTH" in environ, is_old)
    return environ


@lru_cache(maxsize=200)
def environ_key(name: str) -> str | None:
    """Return the key of a header in the environ, None if its name has an underscore."""
    key = name.upper().replace("-", "_")
    if "_" in name:
        return None
    return key if key in ("CONTENT_LENGTH", "CONTENT_TYPE") else f"HTTP_{key}"


def _check_sizes(first, lines):
    if len(first) > MAX_LINE:
        raise Refused("the first line is too long", 414)
    if len(lines) > MAX_FIELDS or len(max(lines, key=len, default="")) + 2 > MAX_LINE:
        raise Refused("the headers are too long, or too many", 431)


def _path_and_query(target):
    """Return PATH_INFO and QUERY_STRING. A fragment belongs to the client, and another host is ignored."""
    if target.startswith("/"):
        path, _, query = target.partition("#")[0].partition("?")
    else:
        try:
            path, query = urlsplit(target)[2:4]
        except ValueError:
            raise Refused("the address in the first line is not valid") from None
    return (unquote_to_bytes(path).decode("latin-1") if "%" in path else path), query


def _check_repeatable(key, name):
    if key in ONCE_IN_ENVIRON:
        raise Refused(f"the header {name.title()} may be sent only once")


def _check_values(host, length, expectation, is_old):
    """Raise Refused for a header with a wrong value. `is_old`: the request has HTTP/1.0, which knows no Host."""
    if not HOST.fullmatch(host or "") and (host is not None or not is_old):
        raise Refused("the header Host must be the name of the server")
    if not (length.isascii() and length.isdigit() and len(length) <= MAX_DIGITS):
        raise Refused("the header Content-Length must be a number")
    if expectation is not None and expectation.lower() != "100-continue":
        raise Refused("the header Expect can only be 100-continue", 417)


def written(request: Request) -> bytes:
    """Return the head of a parsed request, for a caller that does not have its bytes."""
    version, fields = (
        ".".join(map(str, request.version)),
        [f"{name}: {value}" for name, value in request.headers],
    )
    return "\r\n".join([f"{request.method} {request.uri} HTTP/{version}", *fields]).encode(
        "latin-1", "replace"
    )


def check(request: Request) -> dict[str, str]:
    """Return the headers of a parsed head. Raise Refused if it is ambiguous.

    Drop headers whose name has an underscore, and read a body in chunks by the rules of `Chunks`.

    WSGI does not distinguish X_Real_IP from X-Real-IP, and gunicorn would take the header SCRIPT_NAME for a part of
    the path. nginx drops such headers as well.
    """
    fields = dict(request.headers)
    if "_" in "".join(fields):
        request.headers = [field for field in request.headers if "_" not in field[0]]
        fields = dict(request.headers)
    if len(fields) < len(request.headers):
        _check_repeated([name for name, _ in request.headers])
    is_old = request.version == (1, 0)
    _check_values(
        fields.get("HOST"), fields.get("CONTENT-LENGTH", "0"), fields.get("EXPECT"), is_old
    )
    if "TRANSFER-ENCODING" in fields:
        _check_coding(fields["TRANSFER-ENCODING"], "CONTENT-LENGTH" in fields, is_old)
        request.body = Body(Chunks(request.unreader))
    return fields


def _check_repeated(names):
    for name in ONCE:
        if names.count(name) > 1:
            raise Refused(f"the header {name.title()} may be sent only once")


def _check_coding(coding, has_length, is_old):
    if has_length or is_old:
        raise Refused("the header Transfer-Encoding needs HTTP/1.1, and excludes Content-Length")
    if coding.lower() != "chunked":
        raise Refused("the header Transfer-Encoding can only be chunked", 501)
