"""Read and parse JSON bodies, strictly."""
import json
import re
from decimal import Decimal, InvalidOperation

from eventapi.errors import Problem
from eventapi.web.routes import JSON
from eventapi.web.uploads import content_length, ended_early, is_chunked, place, too_large

MAX_DEPTH = 32
MAX_VALUES = 50_000                 # more than any valid body of 1 MiB has; each may take 100 bytes and 2 microseconds
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.S)       # a string, up to the end of the body if it is not closed
PLACE_WAIT = 0.25                   # seconds: clients that send chunks occupy a place for milliseconds


def read_body(environ: dict, limit: int) -> bytes:
    """Return the bytes of a JSON body.

    Raise 415 for another media type, 413 for more than `limit` bytes, 503 if too many long bodies are being received.
    """
    length, chunked = content_length(environ), is_chunked(environ)
    if length > limit:
        raise too_large(limit)
    if not length and not chunked:
        return b""
    with place(environ, PLACE_WAIT):
        raw = _received(environ["wsgi.input"], limit + 1 if chunked else length)    # the server has decoded the chunks
    if len(raw) > limit:
        raise too_large(limit)
    if len(raw) < length and not chunked:
        raise Problem("malformed_request", "The body ended before its Content-Length.")
    kind, *parameters = [part.strip().lower() for part in environ.get("CONTENT_TYPE", "").split(";")]
    charset = next((part[8:].strip('"') for part in parameters if part.startswith("charset=")), "utf-8")
    plain = environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() in ("", "identity")
    if raw and (kind != JSON or charset not in ("utf-8", "utf8", "us-ascii") or not plain):
        raise Problem("unsupported_media_type",
                      "Send the body as Content-Type: application/json, in UTF-8, not compressed.",
                      headers={"Accept": JSON, "Accept-Encoding": "identity"})
    return raw


def _received(stream, size):
    """Read from the client. Servers raise errors of their own for a broken connection and for invalid chunks."""
    try:
        return stream.read(size)
    except Exception:
        raise ended_early() from None


class _Unreadable(ValueError):
    """JSON that is valid but not accepted. Its text completes "The body contains …"."""


def parse(raw: bytes) -> object:
    """Return the value of a JSON body (RFC 8259); an empty body is {}. Numbers with a decimal point are Decimal.

    Raise 400 for invalid JSON, and for valid JSON that causes trouble later: repeated keys, NaN, huge numbers, NUL,
    lone surrogates, deep nesting. Raise 413 for more than MAX_VALUES values.
    """
    if not raw.strip():
        return {}
    if _separators(raw) > MAX_VALUES and _separators(TEXT.sub(b"", raw)) > MAX_VALUES:
        raise Problem("body_too_large", f"The body must have at most {MAX_VALUES} values in its objects and arrays.")
    try:
        value = DECODER.decode(raw.decode("utf-8"))
    except RecursionError:
        raise Problem("malformed_json", f"The body is nested more than {MAX_DEPTH} levels deep.") from None
    except UnicodeDecodeError as error:
        raise Problem("malformed_json", f"The body is not UTF-8 at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise Problem("malformed_json",
                      f"The body is not JSON at line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except (_Unreadable, InvalidOperation) as error:
        found = error.args[0] if isinstance(error, _Unreadable) else "a number out of range"
        raise Problem("malformed_json", f"The body contains {found}.") from None
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise Problem("malformed_json", f"The body is nested more than {MAX_DEPTH} levels deep.")
    if b"\\u" in raw and not _is_text(value):
        raise Problem("malformed_json", "The body contains NUL or a lone surrogate.")
    return value


def _separators(raw):
    """Return the number of commas and opening brackets: at least the number of values, if they are in no text."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _integer(text):
    if len(text) > 20 or not -2 ** 63 <= int(text) < 2 ** 63:
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


DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_decimal, parse_constant=_constant,
                           object_pairs_hook=_object)


def _depth(value):
    """Return the depth of nesting, at most MAX_DEPTH + 1."""
    deep, level = 0, [value]
    while level and deep <= MAX_DEPTH:
        level = [part for whole in level if isinstance(whole, (dict, list))
                 for part in (whole.values() if isinstance(whole, dict) else whole)]
        deep += 1
    return deep


def _is_text(value):
    """Return False if a string in the value contains NUL or a lone surrogate."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return all(_is_text(name) and _is_text(part) for name, part in value.items())
    return all(map(_is_text, value)) if isinstance(value, list) else True
