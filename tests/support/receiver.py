"""A receiver of webhooks on this machine.

It stores each request, and can misbehave in several ways.
"""

import json
import socket
import time
from http.server import BaseHTTPRequestHandler

from tests.support.background_server import BackgroundServer


class Receiver(BackgroundServer):
    """An HTTP server in a thread.

    `answers`: path -> a status, or a function of the handler; else 200.

    `got` holds each request as (path, headers, body).
    """

    def __init__(self, port=0, answers=None):
        self.answers, self.got = dict(answers or {}), []
        super().__init__(Handler, port)

    @property
    def port(self):
        return self.server_address[1]

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def at(self, path="/"):
        """Return the messages that a path received, in order: (webhook-id, JSON data)."""
        return [
            (headers["webhook-id"], json.loads(body))
            for where, headers, body in list(self.got)
            if where == path
        ]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, self.headers, body))
        answer = self.server.answers.get(self.path, 200)
        self.close_connection = True
        answer(self) if callable(answer) else self.answer(answer)

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": "0", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass


# Behaviours of a path: functions of the handler.


def hangs(handler):
    """Do not answer until the server ends."""
    handler.server.over.wait(60)


def resets(handler):
    """Reset the connection (RST)."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    handler.connection.close()


def redirects(handler):
    handler.answer(302, Location=handler.server.url("/elsewhere"))


def talks_forever(handler):
    """Send a body without an end."""
    handler.answer(200, **{"Content-Length": str(10**12)})
    while not handler.server.over.is_set():
        handler.wfile.write(b"x" * 65536)


def drips(handler):
    """Send a header byte by byte, without an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.server.over.is_set():
        handler.wfile.write(b"x")
        time.sleep(0.05)


def promises(handler):
    """Send 100 Continue without an end, as fast as the client reads."""
    while not handler.server.over.is_set():
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


def speaks_no_http(handler):
    handler.wfile.write(b"220 mail.example.org ESMTP\r\n")


def every_other():
    """Return a behaviour that answers 500 and 200 in turn."""
    asked = []

    def answer(handler):
        asked.append(None)
        handler.answer(200 if len(asked) % 2 == 0 else 500)

    return answer
