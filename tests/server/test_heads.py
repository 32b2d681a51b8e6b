"""Request heads: what a refusal says, and that accepted heads mean the same to gunicorn's parser.

tests/server/http_cases.py has the cases that are refused.
"""

import random
from types import SimpleNamespace

import gunicorn
import pytest
from gunicorn.config import Config
from gunicorn.http import wsgi
from gunicorn.http.parser import RequestParser

from eventapi.server import heads

LINES = ["GET /a HTTP/1.1"] * 4 + [
    "POST / HTTP/1.1",
    "PUT /a HTTP/1.0",
    "OPTIONS * HTTP/1.1",
    "CONNECT /a HTTP/1.1",
    "M-SEARCH https://a{} HTTP/1.1",
    "GET //{}/{} HTTP/1.1",
    "GET /{}?{}#{} HTTP/1.1",
    "GET http://{}/{}?{} HTTP/1.1",
    "HEAD /{}{} HTTP/1.1",
    "GET /a{}HTTP/1.1",
]
TEXTS = [
    "a",
    "",
    "%00",
    "%2F",
    "%zz",
    "%",
    "%C3%A4",
    "..",
    "//",
    ";a=b",
    ":80",
    "u@a",
    "[::1]",
    "[",
    "\\",
    "?",
    "#",
    "&",
    "+",
    "*",
    "|",
    "\xe4",
    "\x7f",
    " ",
    "\t",
]
NAMES = [
    "Content-Length",
    "Transfer-Encoding",
    "Host",
    "Connection",
    "Expect",
    "Content-Type",
    "Cookie",
    "X-A",
    "X_A",
    "Content_Length",
    "SCRIPT_NAME",
    "Path-Info",
    "Request-Method",
    "Http-Host",
    "wsgi.input",
    "X A",
    "X\xdf",
    "",
    "Host ",
    "tRANSFER-encoding",
    "CONTENT-length",
    "!#$%&'*+-.^`|~",
]
VALUES = [
    "5",
    "0",
    "05",
    "+5",
    "5,5",
    "5 5",
    "\xb2",
    "9" * 18,
    "9" * 20,
    "chunked",
    "Chunked",
    "chunked, identity",
    "gzip",
    "close",
    "keep-alive",
    "100-continue",
    "100-Continue",
    "a",
    "[::1]:80",
    "a b",
    "",
    "\xa0a\x85",
    "\xe4",
    "a:b",
    "a\0",
    "a\x0b",
    "\x1c",
    "a" * 8000,
    "a" * 8180,
]
COLONS = [": "] * 6 + [":", ":\t", ": \t ", " : ", "::", ""]
BEHIND = [""] * 9 + [" ", "\t ", "\r", " \x0c", "\r\n b"]
BODIES = ["", "hello", "5\r\nhello\r\n0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"]


@pytest.mark.parametrize(
    "first, remedy",
    [
        ("GET /api/v1/contacts?search=gärtner HTTP/1.1", "percent-encode"),
        ("GET  / HTTP/1.1", "one space between them"),
    ],
)
def test_a_refused_first_line_says_what_to_change(first, remedy):
    head = f"{first}\r\nHost: a\r\n\r\n".encode()
    with pytest.raises(heads.Refused, match=remedy):
        heads.check_bytes(head, len(head) - 4)


def head(choices):
    """Return a random head, with its empty line. `choices` is a random.Random."""
    choose = choices.choice
    first = choose(LINES).format(*choices.choices(TEXTS, k=3))
    fields = [
        choose(NAMES) + choose(COLONS) + choose(VALUES) + choose(BEHIND)
        for _ in range(choose([0, 0, 1, 2, 3]))
    ]
    fields += ["X-B: c"] * choose([0] * 40 + [96, 99, 100, 101])
    lines = [first, *choices.sample([*fields, "Host: a"], len(fields) + 1), "", ""]
    data = bytearray("\r\n".join(lines).encode("latin-1"))
    if choices.random() < 0.1:
        data[choices.randrange(len(data))] = choose(b"\0\t\n\r ,:_\x7f\xff")
    return bytes(data)


def gunicorns(data):
    """Return what gunicorn reads from `data`: (environ, the request, what follows its head).

    Raise its refusal.
    """
    config = Config()
    config.set("limit_request_line", heads.MAX_LINE)
    parser = RequestParser(config, iter([data]), ("192.0.2.1", 1))
    request = next(parser)
    _, environ = wsgi.create(
        request, SimpleNamespace(send=len), ("192.0.2.1", 1), ("192.0.2.2", 80), config
    )
    return environ, request, parser.unreader.buf.getvalue()


@pytest.mark.skipif(
    gunicorn.version_info < (23,), reason="before 23, it keeps the spaces behind a value"
)
def test_gunicorns_parser_reads_the_same_from_every_accepted_head():
    choices, accepted = random.Random(16), 0
    for _ in range(2000):
        data, body = head(choices), choices.choice(BODIES).encode()
        try:
            ours = heads.environ_of(data, data.find(b"\r\n\r\n"))
        except heads.Refused:
            continue
        accepted += 1
        environ, request, rest = gunicorns(data + body)
        theirs = {
            key: value
            for key, value in environ.items()
            if key in ours or key.startswith(("HTTP_", "CONTENT_"))
        }
        assert theirs == ours, data
        assert rest == body
        if "HTTP_TRANSFER_ENCODING" not in ours:
            assert request.body.read() == body[: int(ours.get("CONTENT_LENGTH", 0))], data
    assert 400 < accepted < 1600
