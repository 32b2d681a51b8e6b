"""Responses of our own server: the bytes that small applications make it send, over a pair of
sockets.
"""

import io
import logging
import socket
import tempfile
from contextlib import contextmanager
from threading import BoundedSemaphore
from types import SimpleNamespace

import pytest
from gunicorn.http.wsgi import FileWrapper

from eventapi.server.connection import SEND_SIZE, Connection, Outcome, environ_of
from eventapi.server.patience import Patience
from eventapi.server.requests import Requests

GET, OLD = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
HEAD, LAST = GET.replace("GET", "HEAD"), GET.replace("Host", "Connection: close\r\nHost")
LENGTH = ("Content-Length", "5")
STAYS, ENDS = Outcome.KEEP_ALIVE, Outcome.CLOSE


class Body:
    """The body of a response: pieces of bytes.

    A piece that is an exception is raised. `closed` counts the closes.
    """

    def __init__(self, *pieces):
        self.pieces, self.closed = pieces, 0

    def __iter__(self):
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def close(self):
        self.closed += 1


@contextmanager
def connected():
    """Yield a Connection over a unix socket, and the socket of its client."""
    server, client = socket.socketpair()
    with server, client:
        watchdog = SimpleNamespace(progress=0, waiting=set())
        patience = Patience(
            server.fileno(), BoundedSemaphore(1), lambda: None, watchdog, is_proxy=False
        )
        client.settimeout(30)
        yield (
            Connection(server, environ_of("", "/run/eventapi/socket"), patience, lambda size: True),
            client,
        )


def requests(*starts, body=()):
    """Return the Requests of an application that calls start_response with each of `starts`."""

    def application(environ, start_response):
        for values in starts:
            start_response(*values)
        return body

    return Requests(application, logging.getLogger("stub"), lambda: True)


def exchange(sent, *starts, body=()):
    """Return (outcome, status line, headers, body) of one request, without Server and Date.

    All are texts.
    """
    with connected() as (connection, client):
        client.sendall(sent.encode())
        connection.receive()
        server = requests(*starts, body=body)
        outcome = server.respond(connection, server.read(connection))
        connection.sock.shutdown(socket.SHUT_WR)
        head, _, rest = client.makefile("rb").read().decode("latin-1").partition("\r\n\r\n")
    status, *fields = head.split("\r\n")
    return (
        outcome,
        status,
        {field for field in fields if not field.startswith(("Server:", "Date:"))},
        rest,
    )


@pytest.mark.parametrize(
    "sent, status, headers, outcome, fields, rest",
    [
        (GET, "200 OK", [LENGTH], STAYS, {"Content-Length: 5"}, "hello"),
        (LAST, "200 OK", [LENGTH], ENDS, {"Content-Length: 5"}, "hello"),
        (HEAD, "200 OK", [LENGTH], STAYS, {"Content-Length: 5"}, ""),
        (HEAD, "200 OK", [], STAYS, set(), ""),
        (GET, "204 No Content", [LENGTH, ("X-A", "b")], STAYS, {"X-A: b"}, ""),
        (GET, "304 Not Modified", [("ETag", '"a"')], STAYS, {'ETag: "a"'}, ""),
        (
            GET,
            "200 OK",
            [],
            STAYS,
            {"Transfer-Encoding: chunked"},
            "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        ),
        (OLD, "200 OK", [LENGTH], STAYS, {"Content-Length: 5"}, "hello"),
        (OLD, "200 OK", [], ENDS, set(), "hello"),
        (GET, "200 OK", [("Content-Length", "4")], STAYS, {"Content-Length: 4"}, "hell"),
        (
            GET,
            "200 OK",
            [LENGTH, ("X-A", "\xc3\xa4\t b")],
            STAYS,
            {"Content-Length: 5", "X-A: \xc3\xa4\t b"},
            "hello",
        ),
    ],
)
def test_a_response_has_the_framing_of_its_status_and_request(
    sent, status, headers, outcome, fields, rest
):
    body = Body(b"hel", b"", b"lo")
    connection = "Connection: keep-alive" if outcome is STAYS else "Connection: close"
    version = "HTTP/1.0" if sent is OLD else "HTTP/1.1"
    assert exchange(sent, (status, headers), body=body) == (
        outcome,
        f"{version} {status}",
        {connection, *fields},
        rest,
    )
    assert body.closed == 1


@pytest.mark.parametrize(
    "name, value",
    [
        ("Y-A", "b\r\nY-C: d"),
        ("Y-A", "b\nc"),
        ("Y-A", "b\r"),
        ("Y-A", "b\0"),
        ("Y-A", "b\x7f"),
        ("Y-A", "\u20ac"),
        ("Y-A: b\r\nY-C", "d"),
        ("Y A", "b"),
        ("", "b"),
    ],
)
def test_a_header_that_is_not_valid_ends_with_500(name, value):
    body = Body(b"hello")
    outcome, status, fields, rest = exchange(GET, ("200 OK", [LENGTH, (name, value)]), body=body)
    assert (outcome, status, body.closed) == (ENDS, "HTTP/1.1 500 Internal Server Error", 1)
    assert "internal_error" in rest and not [
        field for field in fields if field.startswith(("Y", ":"))
    ]


@pytest.mark.parametrize("headers", [[], [LENGTH]])
def test_an_error_of_the_body_ends_with_500_or_an_incomplete_response(headers):
    body = Body(b"hel", OSError("disk"))
    assert exchange(GET, ("200 OK", headers), body=body)[:2] == (
        ENDS,
        "HTTP/1.1 500 Internal Server Error",
    )
    body = Body(b"a" * (SEND_SIZE + 1), OSError("disk"))
    outcome, _, _, rest = exchange(GET, ("200 OK", []), body=body)
    assert (outcome, body.closed) == (Outcome.GONE, 1)
    assert rest.endswith("a\r\n") and "internal_error" not in rest


def test_a_body_that_is_shorter_than_announced_ends_the_connection():
    body = Body(b"hell")
    assert exchange(GET, ("200 OK", [LENGTH]), body=body)[0] is Outcome.GONE
    assert body.closed == 1


def test_only_the_last_start_of_a_response_applies():
    refused = ("404 Not Found", [("Content-Length", "2")])
    assert exchange(GET, ("200 OK", [LENGTH]), refused, body=Body(b"no"))[1:] == (
        "HTTP/1.1 404 Not Found",
        {"Connection: keep-alive", "Content-Length: 2"},
        "no",
    )


@pytest.mark.parametrize("make", [io.BytesIO, tempfile.TemporaryFile])
@pytest.mark.parametrize(
    "sent, headers, rest",
    [(GET, [LENGTH], "hello"), (HEAD, [LENGTH], ""), (GET, [], "9\r\nhello you\r\n0\r\n\r\n")],
)
def test_a_file_is_sent_from_its_position_and_closed(make, sent, headers, rest):
    file = make()
    file.write(b"oh: hello you")
    file.seek(4)
    assert exchange(sent, ("200 OK", headers), body=FileWrapper(file))[3] == rest
    assert file.closed


def test_the_body_is_closed_if_the_client_has_gone():
    body = Body(b"hello")
    with connected() as (connection, client):
        client.sendall(GET.encode())
        connection.receive()
        client.close()
        server = requests(("200 OK", [LENGTH]), body=body)
        assert server.respond(connection, server.read(connection)) is Outcome.GONE
    assert body.closed == 1


def test_the_time_of_a_pipelined_request_begins_after_the_response():
    with connected() as (connection, client):
        client.sendall(GET.encode() + b"GET /b")
        connection.receive()
        server = requests(("200 OK", [LENGTH]), body=[b"hello"])
        environ = server.read(connection)
        received = connection.first_byte = connection.first_byte - 60  # the response takes a minute
        assert server.respond(connection, environ) is STAYS
        assert connection.buffer == b"GET /b" and connection.first_byte > received + 50


def test_a_refusal_after_a_response_waits_for_the_client():
    """Without time to wait, a client whose socket is full at that moment would not get the refusal."""
    with connected() as (connection, client):
        client.sendall(GET.encode() + b"G(T / HTTP/1.1\r\n\r\n")
        connection.receive()
        server = requests(("200 OK", [LENGTH]), body=[b"hello"])
        server.respond(connection, server.read(connection))
        assert connection.sending
        waits, send = [], connection.sock.send

        def send_later(data):
            if not waits:
                raise BlockingIOError
            return send(data)

        connection.patience.wait = lambda event: waits.append(connection.patience.deadline > 0)
        connection.sock = SimpleNamespace(send=send_later)
        assert server.read(connection) is ENDS
        assert waits == [True]


def test_the_path_of_a_unix_socket_is_in_no_environ():
    environ = environ_of("", "/run/eventapi/socket")
    assert (environ["REMOTE_ADDR"], environ["SERVER_NAME"]) == ("", "localhost")
    environ = environ_of(("::1", 5, 0, 0), ("::1", 80, 0, 0))
    assert [
        environ[key] for key in ("REMOTE_ADDR", "REMOTE_PORT", "SERVER_NAME", "SERVER_PORT")
    ] == ["::1", "5", "::1", "80"]
