"""Raw bytes over a connection to a server, and the responses to them."""

import http.client
import json
import socket
import ssl
import struct
import time
from contextlib import suppress
from typing import NamedTuple

TIMEOUT = 60  # seconds that a response may take on a slow machine


class Reply(NamedTuple):
    """A response: its status, headers and whole body. `id` is its X-Request-ID."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def id(self):
        return self.headers["X-Request-ID"]

    def title(self):
        """Return the title in a JSON response with a record, or None."""
        try:
            return json.loads(self.body)["data"]["title"]
        except (ValueError, KeyError, TypeError):
            return None


class Wire:
    """One connection. `connect` is a function without arguments that returns a connected socket."""

    def __init__(self, connect):
        self.socket = connect()
        self.socket.settimeout(TIMEOUT)
        self.file = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        """Send bytes. The server may have closed the connection already."""
        with suppress(ConnectionError, ssl.SSLError):
            self.socket.sendall(data)

    def reply(self, method: str = "GET") -> Reply | None:
        """Return the next response to `method`, or None if the connection is closed before it.

        Raise http.client.HTTPException for a response that is incomplete or no HTTP, TimeoutError
        if none arrives.
        """
        response = http.client.HTTPResponse(self.socket, method=method)
        response.fp.close()
        response.fp = Kept(self.file)
        try:
            response.begin()
            return Reply(response.status, response.headers, response.read())
        except (ConnectionError, http.client.RemoteDisconnected, ssl.SSLError):
            return None

    def half_close(self) -> None:
        """Announce that no more bytes follow."""
        with suppress(OSError):
            # of TLS, too: without its own closing message
            socket.socket.shutdown(self.socket, socket.SHUT_WR)

    def reset(self) -> None:
        """Close the connection with RST where the protocol has that."""
        if self.socket.family != socket.AF_UNIX:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.file.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Kept:
    """A file that http.client cannot close, since the bytes of the next response are in it."""

    def __init__(self, file):
        self.read = file.read
        self.readinto = file.readinto
        self.readline = file.readline
        self.flush = file.flush

    def close(self):
        pass


def tcp(port: int, address: str = "127.0.0.1"):
    """Return a function that connects to a port of this machine, from `address`."""
    return lambda: socket.create_connection(("127.0.0.1", port), TIMEOUT, (address, 0))


def unix(path):
    """Return a function that connects to a unix socket."""

    def connect():
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(path))
        return client

    return connect


def tls(port: int, address: str = "127.0.0.1"):
    """Return a function that connects with TLS to a port of this machine.

    The certificate is not checked.
    """
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return lambda: context.wrap_socket(tcp(port, address)())


def tell(pieces: list[str], wire: Wire) -> None:
    """Send pieces (Latin-1), with a short pause between two of them."""
    for number, piece in enumerate(pieces):
        if number:
            time.sleep(0.002)
        wire.send(piece.encode("latin-1"))
