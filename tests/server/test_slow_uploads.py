"""Slow bodies occupy at most half of the threads of a process, so that reads and short writes
continue.
"""

import http.client
import json
import socket
import ssl
import time
from contextlib import ExitStack, closing

import pytest

from tests.support import nginx_site
from tests.support.http_client import HttpClient
from tests.support.processes import eventapi, until

pytestmark = pytest.mark.processes

PHONES, SIZE, PIECE = 8, 2_000_000, 20_000


class Phone:
    """An upload over a slow connection."""

    def __init__(self, server, key, method, path, kind):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        self.left = SIZE
        self.socket.sendall(
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {SIZE}\r\n\r\n".encode()
        )

    def send(self, size):
        """Send the next bytes. Return False if the server has closed the connection."""
        piece = b"x,y\n"[:1] * min(size, self.left)
        try:
            self.socket.sendall(piece)
        except ConnectionError:
            return False
        self.left -= len(piece)
        return True

    def answer(self):
        """Return (status, headers, body), or None while there is no response."""
        self.socket.settimeout(0.2)
        try:
            if not self.socket.recv(1, socket.MSG_PEEK):
                return 0, {}, b""
        except TimeoutError:
            return None
        except ConnectionError:
            return 0, {}, b""
        finally:
            self.socket.settimeout(10)
        answer = http.client.HTTPResponse(self.socket)
        answer.begin()
        return answer.status, dict(answer.getheaders()), answer.read()

    def close(self):
        self.socket.close()


def documents(api, number):
    """Create documents that are files. Return the paths of their content."""
    event = api.data("POST", "/events", {"title": "Fair"}, status=201)
    body = {"entity_type": "event", "entity_id": event["id"], "filename": "plan.txt"}
    return [
        f"/documents/{api.data('POST', '/documents', body, status=201)['id']}/content"
        for _ in range(number)
    ]


@pytest.fixture(params=["documents", "csv", "json"])
def phones(request, server, key, api):
    """Start PHONES slow uploads at the same time."""
    targets = {
        "documents": [("PUT", path, "application/octet-stream") for path in documents(api, PHONES)],
        "csv": [("POST", "/bulk-import/contacts", "text/csv")] * PHONES,
        "json": [("POST", "/bulk-import/contacts", "application/json")] * PHONES,
    }[request.param]
    with ExitStack() as stack:
        phones = []
        for target in targets:
            phones.append(Phone(server, key, *target))
            stack.callback(phones[-1].close)
        for phone in phones:
            phone.send(PIECE)
        time.sleep(0.5)
        yield phones


def test_slow_uploads_do_not_stop_reads(phones, api, server):
    for _ in range(5):
        start = time.monotonic()
        assert api("GET", "/events")[0] == 200
        assert api("POST", "/events", {"title": "Fair"})[0] == 201
        with HttpClient(server.url, "none") as other:  # over a new connection
            assert other("GET", "/events")[0] == 401
        assert time.monotonic() - start < 5, "the server waits for the uploads"
        for phone in phones:
            phone.send(1000)
    answers = [phone.answer() for phone in phones]
    assert answers.count(None) == 2, "half of the threads receive uploads"
    refused = [answer for answer in answers if answer and answer[0]]
    assert refused or server_is_gthread(), (
        "gthread may close the connection before the response is read"
    )
    for status, headers, body in refused:
        assert status == 503 and int(headers["Retry-After"]) > 0
        assert json.loads(body)["code"] == "unavailable"


def server_is_gthread():
    from tests.support import processes

    return processes.SERVER == "gthread"


def test_the_places_are_free_again_after_the_uploads(server, key, api):
    paths = documents(api, 6)
    slow = [Phone(server, key, "PUT", path, "application/octet-stream") for path in paths[:2]]
    time.sleep(0.5)
    for phone in slow:
        phone.close()  # the client goes away
    content = {"Content-Type": "application/octet-stream", "Authorization": f"Bearer {key}"}

    def stored(path):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        with closing(connection):
            connection.request("PUT", f"/api/v1{path}", b"x" * SIZE, content)
            return connection.getresponse().status == 200

    for path in paths[2:]:
        # the server must first notice the closed connections
        assert until(lambda path=path: stored(path))


def test_a_short_body_needs_no_place(phones, api):
    assert api("POST", "/notes", {"entity_type": "event", "entity_id": 1, "note_text": "x" * 5000})[
        0
    ] in (201, 422)


@pytest.mark.own_server("gthread calls the application before the body is there")
def test_a_body_that_came_with_its_head_needs_no_place_although_100_is_expected(
    phones, server, key
):
    body = json.dumps({"title": "Fair"}).encode()
    with closing(socket.create_connection(("127.0.0.1", server.port), timeout=20)) as client:
        client.sendall(
            f"POST /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nExpect: 100-continue\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert answer.status == 201


CLIENTS, PROBES = 200, 5


def half_of_a_body(connection, key, size):
    """Send half of an application."""
    connection.sendall(
        f"POST /api/v1/applications HTTP/1.1\r\nHost: events.example.org\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {size}\r\n\r\n".encode()
        + b"{"
        + b" " * (size // 2)
    )
    return connection


# Seconds of the slowest request: 0.06 on an idle machine. When each half body waited in a thread,
# it was 13 to 25.
MOST = 8


def slowest(key, connection):
    """Return the seconds that the slowest of some requests takes.

    `connection` returns a new connection.
    """
    seconds = []
    for path in ("/healthz", "/api/v1/events?per_page=1") * PROBES:
        start = time.monotonic()
        with closing(connection()) as client:
            client.request(
                "GET",
                path,
                headers={"Authorization": f"Bearer {key}", "Host": "events.example.org"},
            )
            assert client.getresponse().status == 200
        seconds.append(time.monotonic() - start)
    return max(seconds)


@pytest.fixture
def applicant(folder):
    """Create a key of a form: it is public, so anybody may send what it allows."""
    return eventapi(
        folder, "key", "create", "--name", "form", "--scope", "applications:create", "--quiet"
    ).stdout.strip()


@pytest.mark.own_server("gthread waits for direct clients in its threads")
@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_half_bodies_of_many_clients_delay_no_other(server, key, applicant, size):
    """The first wait in epoll; of those that are larger than its buffers, most are refused."""
    with ExitStack() as stack:
        for _ in range(CLIENTS):
            connection = socket.create_connection(("127.0.0.1", server.port), 20)
            half_of_a_body(stack.enter_context(closing(connection)), applicant, size)
        assert (
            slowest(key, lambda: http.client.HTTPConnection("127.0.0.1", server.port, timeout=60))
            < MOST
        )


@nginx_site.required
def test_half_bodies_of_many_clients_behind_nginx_delay_no_other(server, key, applicant, tmp_path):
    """nginx waits for the bodies.

    The clients have another address, which may have no further connection.
    """
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with (
        nginx_site.running(tmp_path, f"127.0.0.1:{server.port}") as (port, _),
        ExitStack() as stack,
    ):
        for _ in range(CLIENTS):
            connection = socket.create_connection(("127.0.0.1", port), 20, ("127.0.0.2", 0))
            half_of_a_body(
                stack.enter_context(closing(trusting.wrap_socket(connection))), applicant, 100_000
            )
        assert (
            slowest(
                key,
                lambda: http.client.HTTPSConnection(
                    "127.0.0.1", port, context=trusting, timeout=60
                ),
            )
            < MOST
        )
