"""An HTTP proxy that loses, cuts, delays and replaces responses."""

import http.client
import socket
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.support.background_server import BackgroundServer


class Middle(BackgroundServer):
    """A proxy in a thread.

    `faults`: functions of the handler for the next requests; a request without one is passed on.
    `streams`: the same, called before the body is read. `got` holds each request as (method, path,
    headers, body), `peers` the addresses of the connections.
    """

    def __init__(self, upstream="", port=0):
        self.upstream = urlsplit(upstream)
        self.faults = []
        self.streams = []
        self.got = []
        self.peers = set()
        super().__init__(Handler, port)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def keys(self):
        """Return the Idempotency-Key of each request."""
        return [headers["Idempotency-Key"] for _, _, headers, _ in self.got]


class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def handle_request(self):
        if self.server.streams:
            return self.server.streams.pop(0)(self)
        self.body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.got.append((self.command, self.path, self.headers, self.body))
        self.server.peers.add(self.client_address)
        return (self.server.faults.pop(0) if self.server.faults else passed)(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def forward(self):
        """Return (status, headers, body) of the response of the server behind the proxy."""
        connection = http.client.HTTPConnection(
            self.server.upstream.hostname, self.server.upstream.port, timeout=30
        )
        try:
            headers = {name: value for name, value in self.headers.items() if name != "Connection"}
            connection.request(self.command, self.path, self.body or None, headers)
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            connection.close()

    def answer(self, status, headers, body, length=None):
        """Send a response, or only the first `length` bytes of its body."""
        self.send_response_only(status)
        for name, value in headers:
            if name not in ("Transfer-Encoding", "Content-Length", "Connection"):
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:length])

    def cut(self):
        """Close the connection."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        pass


# Faults: functions of the handler


def passed(handler):
    handler.answer(*handler.forward())


def unheard(handler):
    """Close the connection; the server never gets the request."""
    handler.cut()


def lost(handler):
    """Let the server execute the request, and close the connection without a response."""
    handler.forward()
    handler.cut()


def halved(handler):
    """Let the server execute the request, and close the connection after half of the response."""
    status, headers, body = handler.forward()
    handler.answer(status, headers, body, len(body) // 2)
    handler.cut()


def silent(handler):
    """Let the server execute the request, and do not respond until the test is over."""
    handler.forward()
    handler.server.over.wait(60)
    handler.cut()


def says(status, body="", **headers):
    """Return a fault that responds without asking the server."""
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return lambda handler: handler.answer(status, named, body.encode())
