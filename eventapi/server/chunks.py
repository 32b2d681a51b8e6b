"""The body of a request with `Transfer-Encoding: chunked` (RFC 9112, 7.1).

gunicorn's own reader differs from version to version: 20.1 accepts sizes such as `+5` and `0x5`, and before 27 a line
without an end is kept in memory as long as the client sends.
"""

import re

from gunicorn.http.errors import InvalidChunkSize, NoMoreData
from gunicorn.http.unreader import Unreader

MAX_LINE = 4096  # bytes of the line of a size, with its extension, or of a trailer
MAX_TRAILERS = 100
SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t -~\x80-\xff]*)?")
FIELD = re.compile(rb"[-!#$%&'*+.^_`|~0-9A-Za-z]++:[\t -~\x80-\xff]*+")


class Chunks:
    """The data in the chunks. gunicorn's Body reads with `read`. Extensions and trailers are checked and ignored."""

    def __init__(self, unreader: Unreader):
        """`unreader` is gunicorn's buffer of received bytes. What follows the body is moved back to it."""
        self._unreader, self._received, self._at = unreader, b"", 0
        self._left, self._ended = (
            None,
            False,
        )  # bytes of the present chunk; None before the first one

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, b"" at the end. Raise OSError for invalid chunks, and if the client closes."""
        if not self._left and not self._ended:
            self._begin_chunk()
        size = min(size, self._left)
        if size and self._at == len(self._received):
            self._receive()
        data = self._received[self._at : self._at + size]
        self._at += len(data)
        self._left -= len(data)
        return data

    def _begin_chunk(self):
        if self._left == 0 and self._line():
            raise InvalidChunkSize(b"longer than announced")
        line = self._line()
        size = SIZE.fullmatch(line)
        if not size:
            raise InvalidChunkSize(line[:20])
        self._left = int(size[1], 16)
        if self._left == 0:
            self._skip_trailers()
            self._unreader.unread(self._received[self._at :])
            self._received, self._at, self._ended = b"", 0, True

    def _skip_trailers(self):
        for _ in range(MAX_TRAILERS):
            line = self._line()
            if not line:
                return
            if not FIELD.fullmatch(line):
                raise InvalidChunkSize(b"invalid trailer")
        raise InvalidChunkSize(b"too many trailers")

    def _line(self):
        """Return the next line without its end."""
        while (end := self._received.find(b"\n", self._at)) < 0:
            if len(self._received) - self._at > MAX_LINE:
                raise InvalidChunkSize(b"line without an end")
            self._receive()
        line, self._at = self._received[self._at : end + 1], end + 1
        if not line.endswith(b"\r\n"):
            raise InvalidChunkSize(b"LF without CR")
        return line[:-2]

    def _receive(self):
        data = self._unreader.read()
        if not data:
            raise NoMoreData()
        self._received, self._at = self._received[self._at :] + data, 0
