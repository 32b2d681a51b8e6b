"""Slow readers and slow uploads together occupy at most half of the threads of a process."""

import http.client
import json
import socket
import time
from contextlib import ExitStack, closing, suppress

import pytest

from tests.server.test_slow_uploads import Phone, documents
from tests.support.http_client import HttpClient
from tests.support.processes import Server, eventapi

pytestmark = pytest.mark.processes

THREADS, EACH, REQUESTS = 4, 6, 20  # THREADS: those of the server in conftest.py
HALF = THREADS // 2


class Reader:
    """A client that sends requests and reads nothing until `finish`."""

    def __init__(self, server, key, path, accept="*/*", number=REQUESTS):
        self.socket, self.number = socket.socket(), number
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", server.port))
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nAccept: {accept}\r\n\r\n".encode()
            * number
        )

    def finish(self):
        """Read what is there. Return the lengths of the whole responses."""
        lengths = []
        with suppress(OSError, http.client.HTTPException), self.socket.makefile("rb") as file:
            for _ in range(self.number):
                answer = http.client.HTTPResponse(self.socket)
                answer.fp.close()
                answer.fp = file
                answer._close_conn = lambda: None
                answer.begin()
                lengths.append(len(answer.read()))
        return lengths

    def close(self):
        self.socket.close()


@pytest.fixture(scope="module")
def large_file(server, key):
    """Upload a file that no socket buffer holds. Return its path."""
    with HttpClient(server.url, key) as api:
        (path,) = documents(api, 1)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(
        "PUT",
        f"/api/v1{path}",
        b"x" * 20_000_000,
        {"Authorization": f"Bearer {key}", "Content-Type": "application/octet-stream"},
    )
    assert connection.getresponse().status == 200
    connection.close()
    return f"/api/v1{path}"


@pytest.fixture(scope="module")
def rows(server, key):
    """Create contacts whose list as CSV is long."""
    with HttpClient(server.url, key) as api:
        body = {
            "records": [
                {"email": f"a{number}@example.org", "company_name": "x" * 200}
                for number in range(3000)
            ],
            "skip_on_error": True,
        }
        assert api("POST", "/bulk-import/contacts", body)[0] == 202
    assert eventapi(server.folder, "worker", "--once").returncode == 0


@pytest.fixture(params=["json", "file", "csv"])
def readers(request, server, key):
    """Start clients that do not read their responses."""
    target = {
        "json": lambda: ("/openapi.json",),
        "file": lambda: (request.getfixturevalue("large_file"),),
        "csv": lambda: (request.getfixturevalue("rows"), "/api/v1/contacts", "text/csv")[1:],
    }[request.param]()
    with ExitStack() as stack:
        readers = [stack.enter_context(closing(Reader(server, key, *target))) for _ in range(EACH)]
        yield readers


def goes_on(server, api, rounds=5):
    """Check that reads and writes get responses."""
    for _ in range(rounds):
        start = time.monotonic()
        assert api("GET", "/events")[0] == 200
        assert api("POST", "/events", {"title": "Fair"})[0] == 201
        with HttpClient(server.url, "none") as other:  # over a new connection
            assert other("GET", "/events")[0] == 401
        assert time.monotonic() - start < 10, "the server waits for slow clients"
        time.sleep(0.1)


@pytest.mark.own_server("slow readers occupy threads of gthread, which belongs behind nginx")
def test_slow_readers_do_not_stop_the_server(readers, server, api):
    goes_on(server, api)
    whole = [reader.finish() for reader in readers]
    assert sum(len(lengths) == REQUESTS for lengths in whole) == HALF, (
        "half of the threads wait for readers"
    )
    assert len({length for lengths in whole for length in lengths}) == 1, (
        "no incomplete response counts as complete"
    )


@pytest.mark.own_server("slow readers occupy threads of gthread, which belongs behind nginx")
def test_slow_readers_and_slow_uploads_share_the_places(readers, server, key, api):
    time.sleep(1)  # the readers have the places
    with ExitStack() as stack:
        phones = [
            stack.enter_context(
                closing(Phone(server, key, "PUT", path, "application/octet-stream"))
            )
            for path in documents(api, EACH)
        ]
        goes_on(server, api)
        for phone in phones:
            status, headers, body = phone.answer()
            assert (
                status == 503
                and int(headers["Retry-After"]) > 0
                and json.loads(body)["code"] == "unavailable"
            )


@pytest.mark.parametrize("kind", ["chunks", "dribble", "expect"])
def test_slow_bodies_of_any_form_do_not_stop_the_server(kind, server, key, api):
    framing = {
        "chunks": b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
        "dribble": b"Content-Length: 500\r\n\r\n{",
        "expect": b"Content-Length: 500\r\nExpect: 100-continue\r\n\r\n",
    }[kind]
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
            for _ in range(EACH)
        ]
        for client in clients:
            client.sendall(
                f"POST /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
                "Content-Type: application/json\r\n".encode()
                + framing
            )
        goes_on(server, api)
        for client in clients:
            with suppress(ConnectionError):  # refused
                client.sendall(b" ")
        goes_on(server, api)


@pytest.mark.own_server("gthread closes connections without this rule")
def test_a_new_client_is_served_when_all_connections_are_idle(folder, key):
    with (
        Server(folder, "--workers", "1", GUNICORN_CMD_ARGS="--worker-connections 20") as server,
        ExitStack() as stack,
    ):
        idle = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
            for _ in range(60)
        ]
        for client in idle[::2]:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n")  # a head without an end
        for _ in range(5):
            with HttpClient(server.url, key) as api:
                assert api("GET", "/events")[0] == 200
        late = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
        late.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        assert late.recv(12) == b"HTTP/1.1 200"


def test_100_continue_is_sent_after_authentication(server, key):
    def first_line(path, key, length=20):
        with socket.create_connection(("127.0.0.1", server.port), 10) as client:
            client.sendall(
                f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nExpect: 100-continue\r\n"
                f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode()
            )
            return client.recv(12)

    assert first_line("/api/v1/events", key) == b"HTTP/1.1 100"
    assert first_line("/api/v1/events", "evk_wrong") == b"HTTP/1.1 401"
    assert first_line("/api/v1/nothing", key) == b"HTTP/1.1 404"
    assert first_line("/api/v1/events", key, 9_000_000) == b"HTTP/1.1 413"
