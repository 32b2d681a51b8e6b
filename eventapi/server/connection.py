"""A client's connection: requests are read from it, and responses written to it, with limits on the waiting.

The socket never blocks. Where a thread must wait for the client, Patience limits how long, and lets another thread do
the work of this one meanwhile.
"""

import io
import os
import re
import select
import socket
import time
from collections.abc import Callable
from enum import Enum
from typing import BinaryIO

from gunicorn.http.body import Body, LengthReader
from gunicorn.http.unreader import SocketUnreader

from eventapi.server import heads
from eventapi.server.chunks import Chunks
from eventapi.server.patience import Patience

RECEIVE_SIZE = 16 * 1024  # bytes received at once
SEND_SIZE = 64 * 1024  # bytes of a response that are collected before they are sent
LONGEST_BODY = 1024**2  # bytes of a body that is received before the application is called
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,7})[ \t]*\r\n", re.I)
EXPECT = re.compile(rb"\r\nexpect:", re.I)
LONE_LF = re.compile(rb"(?<!\r)\n")


class Gone(Exception):
    """The client has closed the connection or is too slow: it can get no response."""


class Outcome(Enum):
    """What follows on a connection after a request.

    KEEP_ALIVE: the response is written; the next request may come.
    CLOSE: the response is written; the connection is closed once the client has read it.
    GONE: the client went away, or the response is incomplete; the connection must be closed at once.
    """

    KEEP_ALIVE, CLOSE, GONE = range(3)


class Connection:
    """A connection, which one thread at a time owns.

    Attributes:
        fd: file descriptor of the socket.
        buffer: bytes that were received and are not parsed.
        length: bytes of the request that is being received; 0 until its head is in the buffer, and from `request` on.
        first_byte: when the first byte of the buffer was received. This and the other times are of time.monotonic().
        patience: the limits on waiting for the client.
        sending: a part of the current response has been sent.
        lingering: our side is closed; the worker waits for the client to close its side.
        expires: when the worker closes the connection, if nothing is received.
    """

    def __init__(
        self,
        sock: socket.socket,
        environ: dict,
        patience: Patience,
        has_room: Callable[[int], bool],
    ):
        """`environ` has what is the same for all requests of the connection.

        `has_room` returns whether the process has memory for so many bytes of a body.
        """
        self.sock, self.fd, self._environ, self._has_room = sock, sock.fileno(), environ, has_room
        self.patience, self._continue = patience, b""
        self.buffer, self.length, self.first_byte = bytearray(), 0, 0.0
        self._searched = 0  # bytes of the buffer that do not contain the end of the head
        self._body = None  # the reader of a body that had not arrived with its head
        self._unsent, self._unsent_size = [], 0
        self.sending = False
        self._end_received = False
        self.lingering, self.expires = False, 0.0
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    # Receiving

    def receive(self) -> None:
        """Add the bytes that have arrived to the buffer, without waiting. Raise Gone if the client has closed."""
        try:
            data = self.sock.recv(RECEIVE_SIZE)
        except BlockingIOError:
            return
        except OSError as error:
            raise Gone(error) from None
        if not data:
            raise Gone("closed by the client")
        if not self.buffer:
            self.first_byte = time.monotonic()
        self.buffer += data

    def is_silent(self) -> bool:
        """Return whether no bytes have arrived that `receive` would return."""
        try:
            return not self.sock.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def has_request(self) -> bool:
        """Return whether to parse now: the buffer has all that is received in advance, or can never become a request.

        A body is received in advance if it has a length, at most LONGEST_BODY, and if there is room for it.
        """
        if not self.length:
            end = self.buffer.find(b"\r\n\r\n", self._searched)
            if end < 0:
                return self._is_invalid()
            body = announced_body(self.buffer, end + 2)
            self.length = end + 4 + (body if body <= LONGEST_BODY and self._has_room(body) else 0)
        return len(self.buffer) >= self.length

    def _is_invalid(self):
        """Return whether the parser must refuse a head that has no end yet."""
        length, line = len(self.buffer), heads.MAX_LINE
        if not length:
            return False
        lone = LONE_LF.search(self.buffer, self._searched)
        self._searched = max(0, length - 3)
        return (
            bool(lone)
            or length > heads.MAX_HEAD
            or (length > line and b"\r\n" not in self.buffer[: line + 2])
        )

    def request(self) -> dict:
        """Return the environ of the next request. Raise what is wrong with its head."""
        data = bytes(self.buffer).removeprefix(b"\r\n")  # ignored, as RFC 9112 recommends (2.2)
        end = data.find(b"\r\n\r\n")
        self.buffer.clear()
        self._searched = self.length = self.patience.deadline = (
            0  # the head is here: no waiting for it
        )
        self.sending, self._continue = False, b""  # also for the response to a head that is refused
        environ = {**self._environ, **heads.environ_of(data, end), "eventapi.places": self.patience}
        self.patience.begin()
        environ["wsgi.input"] = self._body_of(environ, data[end + 4 :])
        return environ

    def _body_of(self, environ, received):
        """Return the body as a file to read. What was received behind it is the beginning of the next request."""
        length, is_chunked = (
            int(environ.get("CONTENT_LENGTH", 0)),
            "HTTP_TRANSFER_ENCODING" in environ,
        )
        if length <= len(received) and not is_chunked:
            self._body = None
            self.buffer += received[length:]
            return io.BytesIO(received[:length])
        if "HTTP_EXPECT" in environ and environ["SERVER_PROTOCOL"] != "HTTP/1.0":
            self._continue = (
                b"HTTP/1.1 100 Continue\r\n\r\n"  # sent when the application reads the body
            )
        self._unreader = SocketUnreader(self)
        self._unreader.unread(received)
        self._body = Body(
            Chunks(self._unreader) if is_chunked else LengthReader(self._unreader, length)
        )
        return self._body

    def recv(self, size: int) -> bytes:
        """Return received bytes, after waiting if need be. Bodies are read with this."""
        if self._continue:
            self._send_continue()
        while True:
            try:
                data = self.sock.recv(size)
                break
            except BlockingIOError:
                self.patience.wait(select.POLLIN)
        if not data and self._end_received:
            raise ConnectionResetError(
                "the client has closed the connection"
            )  # gunicorn 20.1 would read for ever
        self._end_received = not data
        self.patience.extend(len(data))
        return data

    def drained(self, environ: dict, status: int) -> bool:
        """Read the rest of the body that the application has not read. Return whether another request can follow it."""
        if self._body is None:
            return True
        if (
            "HTTP_TRANSFER_ENCODING" in environ and status >= 400
        ):  # chunks that cannot be read have no reliable end
            return False
        self.patience.deadline, self._continue = 0, b""
        try:
            return any(not self._body.read(RECEIVE_SIZE) for _ in range(8))
        except (
            Exception
        ):  # it has not arrived, or cannot be read; each server has its own errors for that
            return False

    def keep(self) -> None:
        """Move what was received behind the body back to the buffer: it begins the next request, whose time begins."""
        if self._body is not None:
            self.buffer += self._unreader.buf.getvalue()
            self._body = None
        if self.buffer:
            self.first_byte = time.monotonic()

    # Sending

    def sendall(self, data: bytes) -> None:
        """Collect bytes of a response. Send them once they are more than SEND_SIZE."""
        self._unsent.append(data)
        self._unsent_size += len(data)
        if self._unsent_size > SEND_SIZE:
            self.flush()

    def _send_continue(self):
        self.sendall(self._continue)
        self._continue = b""
        self.flush()
        self.sending = False

    def sendfile(self, file: BinaryIO, offset: int = 0, count: int | None = None) -> None:
        """Send a part of a file, from `offset` on. Raise Gone if the client does not take it in time."""
        self.flush()
        end = os.fstat(file.fileno()).st_size if count is None else offset + count
        try:
            while offset < end:
                offset += self._sent_of_file(file, offset, end - offset)
        except OSError as error:
            raise Gone(error) from None

    def _sent_of_file(self, file, offset, count):
        """Return the number of bytes sent, 0 after waiting for the client."""
        try:
            sent = os.sendfile(self.fd, file.fileno(), offset, count)
        except BlockingIOError:
            self.patience.wait(select.POLLOUT)
            return 0
        if not sent:
            raise Gone("the file is shorter than announced")
        self.patience.extend(sent)
        return sent

    def flush(self) -> None:
        """Send what was collected. Raise Gone if the client does not take it in time."""
        data = memoryview(b"".join(self._unsent))
        self.discard()
        if data and not self.sending:
            self.sending = True
            self.patience.begin()
        try:
            while data:
                sent = self._send(data)
                data = data[sent:]
        except OSError as error:
            raise Gone(error) from None

    def discard(self) -> None:
        """Drop the bytes that were collected and not sent."""
        self._unsent, self._unsent_size = [], 0

    def _send(self, data):
        """Return the number of bytes sent, 0 after waiting for the client."""
        try:
            sent = self.sock.send(data)
        except BlockingIOError:
            self.patience.wait(select.POLLOUT)
            return 0
        self.patience.extend(sent)
        return sent

    # Closing

    def linger(self, expires: float) -> None:
        """Close our side, so that the client can still read the response. Raise Gone if it has closed already."""
        self.buffer.clear()
        self.lingering, self.expires = True, expires
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise Gone(error) from None


def environ_of(client: tuple | str, server: tuple | str) -> dict:
    """Return what the environ has for all requests of a connection: its two addresses, and what never differs here.

    The client of a unix socket has no address. The path of the socket is not for clients: links could begin with it.
    """
    peer, peer_port = map(str, client[:2]) if isinstance(client, tuple) else ("", "")
    name, port = map(str, server[:2]) if isinstance(server, tuple) else ("localhost", "80")
    return {
        "REMOTE_ADDR": peer,
        "REMOTE_PORT": peer_port,
        "SERVER_NAME": name,
        "SERVER_PORT": port,
        "SCRIPT_NAME": "",
        "wsgi.url_scheme": "http",
        "wsgi.multithread": True,
    }


def announced_body(data: bytes, end: int) -> int:
    """Return the length of the body of a request whose head ends at `end`.

    This only saves waiting; the parser then decides. 0 if there is no body, or if the client waits for 100.
    """
    if data.startswith((b"GET ", b"HEAD ")):
        return 0
    length = LENGTH.search(data, 0, end)
    return int(length[1]) if length and not EXPECT.search(data, 0, end) else 0
