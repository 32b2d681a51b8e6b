"""Uploads: receive a body that is a file as a temporary file, before any transaction begins.

A thread that receives a body waits for its client, unless the body has arrived. At most half of the threads of a
process do so, so that the others serve the requests of everybody else. In the own server they share the places with
threads that wait for slow readers (server/patience.py).
"""
import re
import select
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import BoundedSemaphore

from eventapi.config import Config
from eventapi.errors import Problem, invalid_at
from eventapi.storage import files

# Bytes. The server has received a shorter body before it calls the application (server/connection.py).
LONG = 99_999
RETRY_AFTER = 5             # seconds
ARRIVAL = 0.1               # seconds that a short body may take without a place
PLACE_WAIT = 0.25           # seconds to wait for a place: clients that are not slow return theirs within milliseconds
LENGTH = re.compile(r"\d{1,18}", re.ASCII)
NO_PLACE = nullcontext()    # a short body needs no place


def places(threads: int) -> BoundedSemaphore:
    """Return the places of a process with so many threads: the threads that may wait for clients at once."""
    return BoundedSemaphore(threads // 2)


def place(environ: dict) -> AbstractContextManager[None]:
    """Return a context manager that occupies a place while a body is received, and handled if it is a file.

    A short body that has arrived needs no place. It raises 503 `unavailable` if none is free within PLACE_WAIT.
    """
    length = content_length(environ)
    waits = length > LONG or is_chunked(environ) or "HTTP_EXPECT" in environ or not _has_arrived(environ, length)
    return _occupied(environ) if waits else NO_PLACE


def _has_arrived(environ, length):
    """Return whether a short body has arrived, after waiting for ARRIVAL. gthread calls the application before that."""
    connection = environ.get("gunicorn.socket")
    if not isinstance(connection, socket.socket):
        return True
    missing = length - environ["wsgi.input"].reader.unreader.buf.getbuffer().nbytes
    if missing <= 0 or _has_received(connection, missing):
        return True
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(ARRIVAL * 1000)) and _has_received(connection, missing)


def _has_received(connection, size):
    """Return whether reading `size` bytes from a socket would not wait."""
    try:
        received = connection.recv(size, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:                             # the error appears again when the body is read
        return True
    return len(received) >= size or not received


@contextmanager
def _occupied(environ):
    free = environ["eventapi.places"]
    if not free.acquire(timeout=PLACE_WAIT):
        _stop_receiving(environ)
        raise Problem("unavailable", f"The server receives as many uploads as it can. Retry in {RETRY_AFTER} seconds.",
                      headers={"Retry-After": str(RETRY_AFTER)})
    try:
        yield
    finally:
        free.release()


def _stop_receiving(environ):
    """Keep gunicorn's gthread from reading the rest of the body, which would occupy the thread all the same."""
    connection = environ.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        connection.shutdown(socket.SHUT_RD)


@contextmanager
def received(environ: dict, config: Config, _: dict | None = None) -> Iterator[files.Upload]:
    """Yield the body as a files.Upload. It is deleted afterwards unless the handler has kept it."""
    with stored(environ, config, config.max_upload_mb * 1024 * 1024) as upload:
        yield upload


@contextmanager
def stored(environ: dict, config: Config, limit: int) -> Iterator[files.Upload]:
    """Yield the body as a files.Upload of at most `limit` bytes.

    Raise 413, 415 or 422 if it is too long, compressed or empty, and 503 if too many others are being received.
    """
    length = content_length(environ)
    if length > limit:
        raise too_large(limit)
    if environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in ("", "identity"):
        raise Problem("unsupported_media_type", "Send the file without Content-Encoding, not compressed.",
                      headers={"Accept-Encoding": "identity"})
    stream = Body(environ["wsgi.input"], None if is_chunked(environ) else length)
    try:
        with place(environ), files.received(config, stream, limit) as upload:
            if not upload.size:
                raise invalid_at("", "required", "the body must contain the bytes of the file")
            yield upload
    except files.TooLarge:
        raise too_large(limit) from None


def content_length(environ: dict) -> int:
    """Return Content-Length in bytes, 0 if there is none. Raise 400 if it is not a number."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not LENGTH.fullmatch(length):
        raise Problem("malformed_request", "The header Content-Length is not a number.")
    return int(length)


def is_chunked(environ: dict) -> bool:
    """Return whether the body was sent in chunks. The server has decoded them; the length is unknown."""
    return "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()


def too_large(limit: int) -> Problem:
    """Return the problem of a body of more than `limit` bytes."""
    return Problem("body_too_large", f"The body must have at most {limit} bytes.")


def ended_early() -> Problem:
    """Return the problem of a body that cannot be read to its end."""
    return Problem("malformed_request", "The body ended early, or its chunks are invalid.")


class Body:
    """The body as a file to read: `length` bytes, or all of it if `length` is None."""

    def __init__(self, stream: files.Source, length: int | None):
        self.stream, self.remaining = stream, length

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, b"" at the end. Raise 400 if the body ends before its length."""
        if self.remaining is not None:
            size = min(size, self.remaining)
        try:
            chunk = self.stream.read(size) if size else b""
        except Exception:                       # each server raises errors of its own
            raise ended_early() from None
        if self.remaining is not None:
            self.remaining -= len(chunk)
            if self.remaining and not chunk:
                raise ended_early()
        return chunk
