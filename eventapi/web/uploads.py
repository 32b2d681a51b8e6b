"""Uploads: a body that is a file, taken in on its way to the file store before any transaction begins."""
import re
from contextlib import contextmanager

from eventapi.errors import Problem, invalid_at
from eventapi.storage import files


@contextmanager
def received(environ, config, _=None):
    """The body as a files.Upload. What the handler does not keep is gone afterwards, as is the half of a client that breaks off."""
    with stored(environ, config, config.max_upload_mb * 1024 * 1024) as upload:
        yield upload


@contextmanager
def stored(environ, config, limit):
    """The body, at most so many bytes of it, under a temporary name."""
    length = content_length(environ)
    if length > limit:
        raise too_large(limit)
    if environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in ("", "identity"):
        raise Problem("unsupported_media_type", "A file must be sent as it is, not compressed.", headers={"Accept-Encoding": "identity"})
    stream = Body(environ["wsgi.input"], None if is_chunked(environ) else length)
    try:
        with files.received(config, stream, limit) as upload:
            if not upload.size:
                raise invalid_at("", "required", "the body must hold the bytes of the file")
            yield upload
    except files.TooLarge:
        raise too_large(limit) from None


def content_length(environ):
    """What Content-Length says, 0 where there is none."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not re.fullmatch(r"\d{1,18}", length, re.ASCII):
        raise Problem("malformed_request", "The header Content-Length is not a number.")
    return int(length)


def is_chunked(environ):
    """The server has taken the chunks apart; it only does not know how much there is."""
    return "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()


def too_large(limit):
    return Problem("body_too_large", f"The body must have at most {limit} bytes.")


def ended_early():
    return Problem("malformed_request", "The body ended early, or its chunks cannot be read.")


class Body:
    """Reads what a client sends: `length` bytes, or until it ends where that is None; 400 when it breaks off."""

    def __init__(self, stream, length):
        self.stream, self.left = stream, length

    def read(self, size):
        if self.left is not None:
            size = min(size, self.left)
        try:
            piece = self.stream.read(size) if size else b""
        except Exception:                       # each server has errors of its own for it
            raise ended_early() from None
        if self.left is not None:
            self.left -= len(piece)
            if self.left and not piece:
                raise ended_early()
        return piece
