"""Fourth plugin: Accept, query and body against schemas/. What gets past it is clean."""
import inspect
import json
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from urllib.parse import parse_qsl

from bottle import request

from eventapi.errors import Problem, fault, invalid
from eventapi.storage.group_commit import deferred_commit
from eventapi.validation.bodies import Body
from eventapi.validation.queries import Query
from eventapi.web import uploads
from eventapi.web.uploads import content_length, ended_early, is_chunked, too_large

MAX_BODY = 1024 * 1024
MAX_DEPTH = 32
JSON = "application/json"


@cache
def query_of(name, listing, zone_name):
    return Query(name, listing=listing, zone_name=zone_name)


@cache
def body_of(name, method, zone_name):
    return Body(name, method, zone_name)


class Validation:
    name, api = "validation", 2

    def __init__(self, config):
        self.config = config

    def apply(self, callback, route):
        options = route.config["options"]
        if options.public or route.method == "OPTIONS":
            return callback
        takes = inspect.signature(route.callback).parameters
        forms = options.offered
        # Built when they are first wanted, and shared: what no request has used yet takes no memory and no time at the start.
        query = partial(query_of, options.query, options.listing, self.config.timezone)
        reads_body = route.method in ("POST", "PUT", "PATCH") and not options.raw_body
        body = partial(body_of, options.schema, route.method, self.config.timezone) if reads_body else None
        receive = options.receive or uploads.received
        prepare = options.prepare

        def validated(**values):
            environ = request.environ
            environ["eventapi.form"] = accepted(environ.get("HTTP_ACCEPT"), forms)
            raw = parsed = None
            if body:
                raw = read_body(environ, MAX_BODY)
                parsed = parse(raw)
            environ["eventapi.raw_body"] = raw
            pairs = parse_query(environ.get("QUERY_STRING", ""))
            faults = []
            check = query()
            values_of_query = _checked(check, pairs, faults) if pairs or check.requires else dict(check.defaults)
            clean = _checked(body(), parsed, faults) if body else None
            if prepare or "upload" in takes:
                deferred_commit(environ).leave_queue()
            if prepare and clean is not None:
                faults += prepare(clean, self.config)
            if faults:
                raise invalid(faults)
            if "query" in takes:
                values["query"] = values_of_query
            if body and "body" in takes:
                values["body"] = clean
            if "upload" not in takes:
                return callback(**values)
            with receive(environ, self.config, values_of_query) as upload:
                return callback(**values, upload=upload)
        return validated


def _checked(check, value, faults):
    """What `check` makes of the value; its faults are gathered, so that those of query and body are told together."""
    try:
        return check(value)
    except Problem as problem:
        if problem.errors is None:
            raise
        faults += problem.errors


def accepted(header, forms):
    """Which of the forms offered (best first) the client accepts (RFC 9110, 12.5.1); 406 when none."""
    if not header or header == "*/*":
        return forms[0]
    wanted = {}
    for part in header.split(","):
        kind, *parameters = [piece.strip() for piece in part.lower().split(";")]
        quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
        try:
            wanted[kind] = float(quality)
        except ValueError:
            wanted[kind] = 0.0

    def quality_of(form):
        family = form.partition("/")[0] + "/*"
        return next((wanted[kind] for kind in (form, family, "*/*") if kind in wanted), 0.0)
    best = max(forms, key=quality_of)
    if not quality_of(best):
        raise Problem("not_acceptable", f"This address answers as: {', '.join(forms)}.", offered=list(forms))
    return best


def parse_query(text):
    if not text:
        return []
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except (UnicodeDecodeError, ValueError):
        raise Problem("malformed_request", "The query is not UTF-8, or has more than 100 parameters.") from None
    faults = [fault("characters", "must not hold NUL", parameter=name.replace("\0", "")) for name, value in pairs
              if "\0" in name + value]
    if faults:
        raise invalid(faults)
    return pairs


def read_body(environ, limit):
    """The bytes of a JSON body; 415 for another type, 413 when it is too long."""
    length, chunked = content_length(environ), is_chunked(environ)
    if length > limit:
        raise too_large(limit)
    if not length and not chunked:
        return b""
    raw = _received(environ["wsgi.input"], limit + 1 if chunked else length)   # the server has taken the chunks apart
    if len(raw) > limit:
        raise too_large(limit)
    if len(raw) < length and not chunked:
        raise Problem("malformed_request", "The body ended before its Content-Length.")
    kind, *parameters = [part.strip().lower() for part in environ.get("CONTENT_TYPE", "").split(";")]
    charset = next((part[8:].strip('"') for part in parameters if part.startswith("charset=")), "utf-8")
    plain = environ.get("HTTP_CONTENT_ENCODING", "").strip().lower() in ("", "identity")
    if raw and (kind != JSON or charset not in ("utf-8", "utf8", "us-ascii") or not plain):
        raise Problem("unsupported_media_type", "A body must be sent as Content-Type: application/json, in UTF-8, not compressed.",
                      headers={"Accept": JSON, "Accept-Encoding": "identity"})
    return raw


def _received(stream, size):
    """What the client sent. A connection that breaks, or chunks that cannot be read: each server has errors of its own for it."""
    try:
        return stream.read(size)
    except Exception:
        raise ended_early() from None


class _Unreadable(ValueError):
    pass


def parse(raw):
    """JSON (RFC 8259) without what would surprise later: double keys, NaN, huge numbers, lone surrogates, deep nesting."""
    if not raw.strip():
        return {}
    try:
        value = DECODER.decode(raw.decode("utf-8"))
    except RecursionError:
        raise Problem("malformed_json", f"The body is nested more than {MAX_DEPTH} deep.") from None
    except UnicodeDecodeError as error:
        raise Problem("malformed_json", f"The body is not UTF-8 at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise Problem("malformed_json",
                      f"The body is not JSON at line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except (_Unreadable, InvalidOperation) as error:
        raise Problem("malformed_json", f"The body holds {error.args[0] if isinstance(error, _Unreadable) else 'a number out of range'}.") from None
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise Problem("malformed_json", f"The body is nested more than {MAX_DEPTH} deep.")
    if b"\\u" in raw and not _is_text(value):
        raise Problem("malformed_json", "The body holds NUL or half a surrogate pair.")
    return value


def _integer(text):
    if len(text) > 20 or not -2 ** 63 <= int(text) < 2 ** 63:
        raise _Unreadable("an integer beyond 64 bit")
    return int(text)


def _decimal(text):
    if len(text) > 60:
        raise _Unreadable("a number of more than 60 characters")
    number = Decimal(text)
    if number.adjusted() > 30 or number.adjusted() < -30 and number:
        raise _Unreadable("a number out of range")
    return number


def _constant(text):
    raise _Unreadable(text)


def _object(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Unreadable("a member twice in one object")
    return value


DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_decimal, parse_constant=_constant, object_pairs_hook=_object)


def _depth(value):
    deep, level = 0, [value]
    while level and deep <= MAX_DEPTH:
        level = [part for whole in level if isinstance(whole, (dict, list))
                 for part in (whole.values() if isinstance(whole, dict) else whole)]
        deep += 1
    return deep


def _is_text(value):
    """False when a string in it holds NUL or a lone surrogate."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return all(_is_text(name) and _is_text(part) for name, part in value.items())
    return all(map(_is_text, value)) if isinstance(value, list) else True
