"""Uploads: receive a body that is a file as a temporary file, before any transaction begins.

A thread that receives a body waits for its client, unless the whole body has arrived, and one whose
file needs a parser waits for the process that parses it. At most half of the threads of a process
may wait, so that the others serve the requests of everybody else; further clients get 503 at once.
The own server receives a body of up to 1 MiB before it calls the application; there, uploads share
the places with threads that wait for slow readers (server/patience.py).
"""

import io
import re
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import BoundedSemaphore

from eventapi import images
from eventapi.config import Config
from eventapi.errors import Problem, invalid_at
from eventapi.parsing import processes, shrinking
from eventapi.storage import files

LONGEST_WITHOUT_PLACE = 1024**2  # bytes of a body that has arrived, unless it is in chunks
ARRIVAL = 0.1  # seconds in which the body of a short request follows its head, with gthread
PLACE_WAIT = 1.0  # seconds to wait for a place for the parser
PLACE_PAUSE = 0.01  # seconds between two attempts
RETRY_AFTER = 5  # seconds
LENGTH = re.compile(r"\d{1,18}", re.ASCII)
NO_PLACE = nullcontext()  # a body that has arrived needs no place


def places(threads: int) -> BoundedSemaphore:
    """Return the places of a process with so many threads: the threads that may wait for clients at
    once.
    """
    return BoundedSemaphore(threads // 2)


def place(environ: dict) -> AbstractContextManager[None]:
    """Return a context manager that occupies a place while a body is received, and handled if it is
    a file.

    A body of up to LONGEST_WITHOUT_PLACE that has arrived needs none, nor does the file that a page
    with a place passes to a route of the API. It raises 503 `unavailable` if none is free.
    """
    if environ.get("eventapi.has_place"):
        return NO_PLACE
    environ["eventapi.has_place"] = not _has_arrived(environ)
    return _occupied(environ) if environ["eventapi.has_place"] else NO_PLACE


@contextmanager
def parsing(environ: dict) -> Iterator[None]:
    """Occupy a place while another process parses the file, unless the request has one already.

    Raise 503 if none is free within PLACE_WAIT, when another upload may have been parsed, or if no
    process becomes free (processes.Busy).
    """
    free, deadline = environ["eventapi.places"], time.monotonic() + PLACE_WAIT
    has_place = environ.get("eventapi.has_place")
    while not (has_place or free.acquire(blocking=False)):
        if time.monotonic() > deadline:
            raise busy("parses")
        time.sleep(PLACE_PAUSE)
    try:
        yield
    except processes.Busy:
        raise busy("parses") from None
    finally:
        if not has_place:
            free.release()


def busy(verb: str) -> Problem:
    """Return the problem of an upload that the server cannot take now: it `receives` or `parses`
    too many.
    """
    return Problem(
        "unavailable",
        f"The server {verb} as many uploads as it can. Retry in {RETRY_AFTER} seconds.",
        headers={"Retry-After": str(RETRY_AFTER)},
    )


def _has_arrived(environ):
    """Return whether the whole body is here, so that reading it does not wait for the client.

    gthread calls the application as soon as the head is there. Most clients send the body right
    afterwards, and would be refused without a reason while the places are taken.
    """
    stream, connection = environ["wsgi.input"], environ.get("gunicorn.socket")
    # the server has received it, or a page passes its file
    if isinstance(stream, io.BytesIO | io.BufferedReader):
        return True
    length = content_length(environ)
    if (
        not isinstance(connection, socket.socket)
        or is_chunked(environ)
        or length > LONGEST_WITHOUT_PLACE
    ):
        return False
    missing = length - stream.reader.unreader.buf.getbuffer().nbytes
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
    except OSError:  # the error appears again when the body is read
        return True
    return len(received) >= size or not received


@contextmanager
def _occupied(environ):
    free = environ["eventapi.places"]
    if not free.acquire(blocking=False):
        _stop_receiving(environ)
        raise busy("receives")
    try:
        yield
    finally:
        free.release()


def _stop_receiving(environ):
    """Keep gunicorn's gthread from reading the rest of the body, which would occupy the thread all
    the same.
    """
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

    Raise 413, 415 or 422 if it is too long, compressed or empty, and 503 if too many others are
    being received.
    """
    length = content_length(environ)
    if length > limit:
        raise too_large(limit)
    if environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in ("", "identity"):
        raise Problem(
            "unsupported_media_type",
            "Send the file without Content-Encoding, not compressed.",
            headers={"Accept-Encoding": "identity"},
        )
    stream = Body(environ["wsgi.input"], None if is_chunked(environ) else length)
    try:
        with place(environ), files.received(config, stream, limit) as upload:
            if not upload.size:
                raise invalid_at("", "required", "the body must contain the bytes of the file")
            yield upload
    except files.TooLarge:
        raise too_large(limit) from None


@contextmanager
def picture(environ: dict, config: Config, purpose: str) -> Iterator[images.Image]:
    """Yield the picture of a body as it is stored for a purpose of parsing/pictures.py.

    Raise 422 if it is refused, and otherwise as `stored` does.
    """
    with stored(environ, config, largest_picture(config)) as upload:
        yield _shrunk(environ, config, upload, purpose)


@contextmanager
def picture_file(
    environ: dict, config: Config, purpose: str, check: Callable[[files.Upload], None]
) -> Iterator[files.Upload]:
    """Yield the picture of a body as `picture` does, but as a files.Upload, to be kept as a document.

    `check` gets the body as it was sent, and raises what it has against it.
    """
    with stored(environ, config, largest_picture(config)) as sent:
        check(sent)
        image = _shrunk(environ, config, sent, purpose)
        with files.received(config, io.BytesIO(image.data), len(image.data)) as upload:
            yield upload


def largest_picture(config: Config) -> int:
    """Return the largest body in bytes that is a picture."""
    return min(config.max_upload_mb * 1024 * 1024, shrinking.MAX_SIZE)


def _shrunk(environ, config, upload, purpose):
    with parsing(environ), files.opened(upload.path) as file:
        return shrinking.shrunk(file, purpose, config.data_dir)


def content_length(environ: dict) -> int:
    """Return Content-Length in bytes, 0 if there is none. Raise 400 if it is not a number."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not LENGTH.fullmatch(length):
        raise Problem("malformed_request", "The header Content-Length is not a number.")
    return int(length)


def is_chunked(environ: dict) -> bool:
    """Return whether the body was sent in chunks.

    The server has decoded them; the length is unknown.
    """
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
        """Return at most `size` bytes, b"" at the end.

        Raise 400 if the body ends before its length.
        """
        if self.remaining is not None:
            size = min(size, self.remaining)
        try:
            chunk = self.stream.read(size) if size else b""
        except Exception:  # each server raises errors of its own
            raise ended_early() from None
        if self.remaining is not None:
            self.remaining -= len(chunk)
            if self.remaining and not chunk:
                raise ended_early()
        return chunk
