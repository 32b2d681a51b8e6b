"""The clients of the soak: apps and tills over TLS, slow ones, and hostile ones."""

import http.client
import json
import random
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from itertools import count

from tests.support.processes import until

IDLE = 20  # seconds after which a connection is not used again, since nginx may be closing it
SLOW = 30_000  # bytes per second of a slow client
ADDRESSES = count(1)


@dataclass(frozen=True)
class Site:
    """The port of nginx with TLS, and an API key of all scopes."""

    port: int
    key: str


class Client:
    """One client with a connection and an address of its own."""

    def __init__(self, site):
        self.site, self.connection, self.used = site, None, 0.0
        number = next(ADDRESSES)
        self.address = f"127.1.{number // 250}.{number % 250 + 1}"

    def __call__(self, method, path, body=None, **headers):
        """Send JSON (dict or list) or bytes.

        Return (status, body): JSON data, or bytes of any other body.
        """
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers = {"Content_Type": "application/json", **headers}
        connection = self.ready()
        connection.request(
            method,
            f"/api/v1{path}",
            body,
            {
                "Authorization": f"Bearer {self.site.key}",
                "Host": "events.example.org",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        answer = connection.getresponse()
        text, self.used = answer.read(), time.monotonic()
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(text) if text and is_json else text

    def ready(self):
        """Return the connection, a new one after a pause."""
        if self.connection is None or time.monotonic() > self.used + IDLE:
            self.close()
            self.connection = opened(self.site, self.address)
        return self.connection

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


def opened(site, address, timeout=90):
    """Return a connection over TLS from an address of this machine."""
    trusting = ssl.create_default_context()
    # the certificate is made by the test
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    connection = http.client.HTTPSConnection(
        "127.0.0.1", site.port, context=trusting, timeout=timeout, source_address=(address, 0)
    )

    def connects():
        try:
            connection.connect()
            return True
        except ConnectionRefusedError:
            return False

    until(connects, 30)
    return connection


_of_thread = threading.local()


def client(site):
    """Return the client of this thread."""
    if not hasattr(_of_thread, "client"):
        _of_thread.client = Client(site)
    return _of_thread.client


class Dripping:
    """A body that is read at SLOW bytes per second."""

    def __init__(self, data):
        self.data = data

    def __iter__(self):
        for start in range(0, len(self.data), SLOW // 4):
            yield self.data[start : start + SLOW // 4]
            time.sleep(0.25)


def upload_slowly(site, path, data):
    """Send a file as a phone with a bad connection does. Return the status and the JSON body."""
    connection = opened(site, "127.2.0.1")
    try:
        connection.request(
            "PUT",
            f"/api/v1{path}",
            Dripping(data),
            {
                "Authorization": f"Bearer {site.key}",
                "Host": "events.example.org",
                "Content-Length": str(len(data)),
                "Content-Type": "application/octet-stream",
            },
        )
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def read_slowly(site, path, seconds):
    """Read a long CSV at SLOW bytes per second, at most so many seconds.

    Return the status and the bytes read.
    """
    connection = opened(site, "127.2.0.2")
    try:
        connection.request(
            "GET",
            f"/api/v1{path}",
            headers={
                "Authorization": f"Bearer {site.key}",
                "Host": "events.example.org",
                "Accept": "text/csv",
            },
        )
        answer, got, ends = connection.getresponse(), 0, time.monotonic() + seconds
        while time.monotonic() < ends and (piece := answer.read(SLOW // 4)):
            got += len(piece)
            time.sleep(0.25)
        return answer.status, got
    finally:
        connection.close()


# What a hostile client sends: bytes, and the statuses that may come back. None: the connection is
# closed.
AUTHORIZED = b"Host: events.example.org\r\nAuthorization: Bearer %s\r\n"
ATTACKS = (
    (
        b"GET /api/v1/contacts HTTP/1.1\r\nHost: events.example.org\r\nAuthorization: Bearer guess\r\n\r\n",
        {401},
    ),
    (
        b"GET / HTTP/1.1\r\nHost: events.example.org\r\n" + b"A: " + b"x" * 70_000 + b"\r\n\r\n",
        {400, None},
    ),
    (b"\x16\x03garbage\r\n\r\n", {400, None}),
    (
        b'POST /api/v1/notes HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":[[[}'
        % AUTHORIZED,
        {400, 422},
    ),
    (
        b"POST /api/v1/notes HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % AUTHORIZED,
        {400, None},
    ),
    (b"GET /api/v1/contacts?search=%%00&sort=;drop HTTP/1.1\r\n%s\r\n" % AUTHORIZED, {400, 422}),
    (b"GET /api/v1/../../etc/passwd HTTP/1.1\r\n%s\r\n" % AUTHORIZED, {400, 404}),
    (
        b"POST /api/v1/notes HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
        % AUTHORIZED,
        {413},
    ),
)


def attack(site):
    """Send one attack. Return the status (None: closed) and the statuses that are allowed."""
    text, allowed = random.choice(ATTACKS)
    connection = opened(site, "127.3.0.1", timeout=40)
    try:
        connection.sock.sendall(text.replace(b"%s", site.key.encode()))
        head = connection.sock.recv(64)
        return int(head.split()[1]) if head.startswith(b"HTTP/") else None, allowed
    except (ConnectionError, ssl.SSLError):
        return None, allowed
    finally:
        connection.close()


def idle_connections(site, many, seconds):
    """Open connections that send half a head, and leave them."""
    opened_ = []
    try:
        for _ in range(many):
            connection = socket.create_connection(
                ("127.0.0.1", site.port), source_address=("127.3.0.2", 0)
            )
            connection.sendall(b"\x16\x03\x01")
            opened_.append(connection)
        time.sleep(seconds)
    finally:
        for connection in opened_:
            connection.close()
