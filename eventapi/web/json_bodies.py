"""Read and parse JSON bodies, strictly."""

import codecs
import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from eventapi.errors import Problem
from eventapi.storage.files import PIECE, Source
from eventapi.web.routes import JSON
from eventapi.web.uploads import content_length, ended_early, is_chunked, place, too_large

MAX_DEPTH = 32
# about as many as 1 MiB of records has; each may take 100 bytes and 2 microseconds
MAX_VALUES = 50_000
MAX_PART = 1024 * 1024  # characters of a value in a body that is read as a stream
# characters of JSON that are read as one, except in texts and numbers
LONGEST_WORD = len("-Infinity")
WHITE_SPACE = re.compile(r"[ \t\n\r]*")
# a string, up to the end of the body if it is not closed
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.S)


def read_body(environ: dict, limit: int) -> bytes:
    """Return the bytes of a JSON body. Raise 415 for another media type, and as `received` does."""
    raw = received(environ, limit)
    if raw and not is_json(environ):
        raise Problem(
            "unsupported_media_type",
            "Send the body as application/json, in UTF-8, not compressed.",
            headers={"Accept": JSON, "Accept-Encoding": "identity"},
        )
    return raw


def received(environ: dict, limit: int) -> bytes:
    """Return the bytes of a body.

    Raise 413 for more than `limit`, 503 if too many long ones are being received.
    """
    length, chunked = content_length(environ), is_chunked(environ)
    if length > limit:
        raise too_large(limit)
    if not length and not chunked:
        return b""
    with place(environ):
        # the server has decoded the chunks
        raw = _received(environ["wsgi.input"], limit + 1 if chunked else length)
    if len(raw) > limit:
        raise too_large(limit)
    if len(raw) < length and not chunked:
        raise Problem("malformed_request", "The body ended before its Content-Length.")
    return raw


def is_json(environ: dict) -> bool:
    """Return whether the headers declare JSON in UTF-8, not compressed."""
    kind, *parameters = [
        part.strip().lower() for part in environ.get("CONTENT_TYPE", "").split(";")
    ]
    charset = next(
        (part[8:].strip('"') for part in parameters if part.startswith("charset=")), "utf-8"
    )
    plain = environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() in ("", "identity")
    return kind == JSON and charset in ("utf-8", "utf8", "us-ascii") and plain


def _received(stream, size):
    """Read from the client.

    Servers raise errors of their own for a broken connection and for invalid chunks.
    """
    try:
        return stream.read(size)
    except Exception:
        raise ended_early() from None


class _Unreadable(ValueError):
    """JSON that is valid but not accepted. Its text completes "The body contains …"."""


UNREADABLE = (
    RecursionError,
    UnicodeDecodeError,
    json.JSONDecodeError,
    _Unreadable,
    InvalidOperation,
)


def parse(raw: bytes) -> object:
    """Return the value of a JSON body (RFC 8259); an empty body is {}.

    Numbers with a decimal point are Decimal.

    Raise 400 for invalid JSON, and for valid JSON that causes trouble later: repeated keys, NaN,
    huge numbers, NUL, lone surrogates, deep nesting. Raise 413 for more than MAX_VALUES values.
    """
    if not raw.strip(b" \t\n\r"):
        return {}
    if _separators(raw) > MAX_VALUES and _separators(TEXT.sub(b"", raw)) > MAX_VALUES:
        raise Problem(
            "body_too_large",
            f"The body must have at most {MAX_VALUES} values in its objects and arrays.",
        )
    try:
        value = DECODER.decode(raw.decode("utf-8"))
    except UNREADABLE as error:
        raise malformed(error, getattr(error, "lineno", 0), getattr(error, "colno", 0)) from None
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise malformed(RecursionError())
    if b"\\u" in raw and not _is_text(value):
        raise malformed(_Unreadable("NUL or a lone surrogate"))
    return value


def malformed(error: Exception, line: int = 0, column: int = 0) -> Problem:
    """Return the 400 Problem of one of the UNREADABLE errors.

    `line` and `column` are those of a JSONDecodeError.
    """
    if isinstance(error, RecursionError):
        text = f"is nested more than {MAX_DEPTH} levels deep"
    elif isinstance(error, UnicodeDecodeError):
        text = f"is not UTF-8 at byte {error.start}"
    elif isinstance(error, json.JSONDecodeError):
        text = f"is not JSON at line {line}, column {column}: {error.msg}"
    else:
        text = f"contains {error.args[0] if isinstance(error, _Unreadable) else 'a number out of range'}"
    return Problem("malformed_json", f"The body {text}.")


def _separators(raw):
    """Return the number of commas and opening brackets: at least the number of values, if they are
    in no text.
    """
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _integer(text):
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise _Unreadable("an integer beyond 64 bits")
    return int(text)


def _decimal(text):
    if len(text) > 60:
        raise _Unreadable("a number of more than 60 characters")
    number = Decimal(text)
    if number.adjusted() > 30 or (number.adjusted() < -30 and number):
        raise _Unreadable("a number out of range")
    return number


def _constant(text):
    raise _Unreadable(text)


def _object(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Unreadable("a field twice in one object")
    return value


DECODER = json.JSONDecoder(
    parse_int=_integer, parse_float=_decimal, parse_constant=_constant, object_pairs_hook=_object
)


def _depth(value):
    """Return the depth of nesting, at most MAX_DEPTH + 1."""
    deep, level = 0, [value]
    while level and deep <= MAX_DEPTH:
        level = [
            part
            for whole in level
            if isinstance(whole, (dict, list))
            for part in (whole.values() if isinstance(whole, dict) else whole)
        ]
        deep += 1
    return deep


def _is_text(value):
    """Return False if a string in the value contains NUL or a lone surrogate."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return all(_is_text(name) and _is_text(part) for name, part in value.items())
    return all(map(_is_text, value)) if isinstance(value, list) else True


class ObjectReader:
    """Read a JSON object from a stream in bounded memory: the items of one field, an array, one
    after the other.

    The rules are those of `parse`. An item, and all other fields together, have at most MAX_PART
    characters.

    Attributes:
        rest: the other fields, once `items` has ended. If the body is no object, or the field no array, it is that
            value, for the schema to refuse.
        has_items: whether the field is an array.
    """

    def __init__(self, stream: Source, name: str, limit: int):
        self.stream, self.name, self.limit = stream, name, limit
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.text = ""  # text that was read
        self.at = 0  # the position in it
        self.ended = False  # all was read
        self.size, self.lines, self.column = 0, 0, 0  # bytes that were read; where `text` begins
        self.rest, self.rest_size, self.has_items = {}, 0, False

    def items(self) -> Iterator[object]:
        """Yield the items of the array. Raise 400 or 413 as `parse` does."""
        try:
            yield from self._object()
        except json.JSONDecodeError as error:
            before = self.text.rfind("\n", 0, error.pos)
            column = error.pos - before if before >= 0 else self.column + error.pos + 1
            raise malformed(
                error, self.lines + self.text.count("\n", 0, error.pos) + 1, column
            ) from None
        except UNREADABLE as error:
            raise malformed(error) from None

    def _object(self):
        if self._next() != "{":
            self.rest = self._part(1) if self._next() else {}
        elif self._skip() != "}":
            yield from self._fields()
        else:
            self.at += 1
        if self._next():
            self._fail("Extra data")

    def _fields(self):
        while True:
            if self._next() != '"':
                self._fail("Expecting property name enclosed in double quotes")
            name = self._part(1)
            if self._next() != ":":
                self._fail("Expecting ':' delimiter")
            if name in self.rest or (name == self.name and self.has_items):
                raise _Unreadable("a field twice in one object")
            if self._skip() == "[" and name == self.name:
                self.has_items = True
                yield from self._array()
            else:
                self.rest[name] = self._part(1)
            if self._end_of("}"):
                return

    def _array(self):
        if self._skip() == "]":
            self.at += 1
            return
        while True:
            yield self._value(2)
            if self._end_of("]"):
                return
            self._next()

    def _end_of(self, bracket):
        """Skip a comma or the bracket. Return whether it was the bracket."""
        sign = self._next()
        if sign not in (",", bracket):
            self._fail("Expecting ',' delimiter")
        self.at += 1
        return sign == bracket

    def _skip(self):
        """Skip a character. Return the next one that is not white space."""
        self.at += 1
        return self._next()

    def _next(self):
        """Return the next character that is not white space, "" at the end."""
        while True:
            self.at = WHITE_SPACE.match(self.text, self.at).end()
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self._read()

    def _part(self, above):
        """Return a value that is kept in `rest`."""
        value = self._value(above)
        if self.rest_size > MAX_PART:
            raise Problem(
                "body_too_large",
                f"Fields besides `{self.name}` must have at most {MAX_PART} characters.",
            )
        return value

    def _value(self, above):
        """Return the next value, which is inside of `above` other values."""
        while True:
            try:
                value, end = DECODER.raw_decode(self.text, self.at)
                # otherwise a number such as 1e+5 may go on
                if self.ended or end + 3 <= len(self.text):
                    break
            except UNREADABLE as error:
                if self.ended or not self._may_be_cut(error):
                    raise
            self._require_size(len(self.text))
            self._read(len(self.text) - self.at)
        self._require_size(end)
        brackets = self.text.count("[", self.at, end) + self.text.count("{", self.at, end)
        if brackets > MAX_DEPTH - above and _depth(value) > MAX_DEPTH - above:
            raise RecursionError
        if self.text.find("\\u", self.at, end) >= 0 and not _is_text(value):
            raise _Unreadable("NUL or a lone surrogate")
        self.rest_size += (end - self.at) * (above == 1)
        self.at = end
        return value

    def _may_be_cut(self, error):
        """Return whether the text may only be refused because it is not read to the end of the
        value.
        """
        if isinstance(error, json.JSONDecodeError):
            return (
                error.msg.startswith("Unterminated string")
                or error.pos > len(self.text) - LONGEST_WORD
            )
        return len(self.text) - self.at <= MAX_PART

    def _require_size(self, end):
        """Raise 413 if the value that begins here and ends at `end`, or later, is too long."""
        if end - self.at > MAX_PART:
            line = self.lines + self.text.count("\n", 0, self.at) + 1
            raise Problem(
                "body_too_large",
                f"The value in line {line} must have at most {MAX_PART} characters.",
            )

    def _read(self, least=0):
        """Read the next bytes, at least `least` of them if there are so many.

        Forget the text before the position.
        """
        lines = self.text.count("\n", 0, self.at)
        self.column = (
            self.at - self.text.rfind("\n", 0, self.at) - 1 if lines else self.column + self.at
        )
        self.lines = self.lines + lines
        pieces = [self.text[self.at :]]
        until = self.size + max(least, 1)
        while self.size < until and not self.ended:
            piece = self.stream.read(PIECE)
            self.size, self.ended = self.size + len(piece), not piece
            if self.size > self.limit:
                raise too_large(self.limit)
            try:
                pieces.append(self.decoder.decode(piece, self.ended))
            except UnicodeDecodeError as error:
                start = self.size - len(error.object) + error.start
                raise Problem("malformed_json", f"The body is not UTF-8 at byte {start}.") from None
        self.text, self.at = "".join(pieces), 0

    def _fail(self, message):
        raise json.JSONDecodeError(message, self.text, self.at)
