"""A client for the HTTP API of eventapi, in one file that needs only Python 3.9 or newer: import
it, or copy it.

It reads EVENTAPI_URL (the address of the server, without /api/v1) and EVENTAPI_KEY (an API key).

- Numbers with decimals are `Decimal` in both directions, so that amounts are exact.
- A request is repeated if its response is lost or is 429, 502, 503 or 504: POST with the same Idempotency-Key, which
  the server executes once; PUT, PATCH and DELETE set a state, so that repeating them does no harm.
- Threads may share a Client. Create it after a fork. It follows no redirect, so the key goes to no other server.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import logging
import mimetypes
import os
import random
import secrets
import ssl
from contextlib import contextmanager, suppress
from datetime import date, datetime, timezone
from decimal import Decimal
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial
from time import monotonic, sleep, time
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, Optional, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

VERSION = "1.1.0"
CHUNK = 64 * 1024  # bytes of a file in memory
IDLE = 1.0  # seconds that a connection is kept; servers close it after 2
LONGEST_WAIT = 60.0  # seconds; if a server asks for more, its response is raised
TRY_LATER = (429, 502, 503, 504)
TYPES = mimetypes.MimeTypes()  # the same on each machine; Windows calls CSV a workbook
log = logging.getLogger("eventapi.client")
T = TypeVar("T")
Fields = Optional[Mapping[str, Any]]
Content = Union[bytes, Iterable[bytes], None]
File = Union[str, "os.PathLike[str]", BinaryIO]
Read = Callable[[http.client.HTTPResponse], T]


class NoResponse(ConnectionError):
    """No attempt got a complete response.

    If `sent` is true, the server may have executed the request all the same.
    """

    sent = True


class EventsMissed(Exception):
    """The feed cannot continue where it was: events that were not read yet have been deleted."""


class Problem(Exception):
    """An error response: `status`, `headers`, the problem document, and its fields as attributes.

    `errors` is a list of dicts with `pointer` or `parameter`, `code` and `detail`. `code` is "" if
    the response is not from eventapi. If `repeated` is true, an earlier attempt got no response and
    may have been executed: 412 may be due to your own change, so read the record.
    """

    def __init__(
        self, status: int, headers: Message, document: dict[str, Any], repeated: bool = False
    ):
        super().__init__(status, headers, document, repeated)
        self.status = status
        self.headers = headers
        self.document = document
        self.repeated = repeated
        self.code, self.title, self.detail = (
            str(document.get(name, "")) for name in ("code", "title", "detail")
        )
        errors = document.get("errors")
        self.errors: list[dict[str, Any]] = errors if isinstance(errors, list) else []
        self.request_id: str | None = headers["X-Request-ID"]

    def __str__(self) -> str:
        faults = [
            f"- {fault.get('pointer', fault.get('parameter'))}: {fault.get('detail')}"
            for fault in self.errors
            if isinstance(fault, dict)
        ]
        repeated = (
            ["An earlier attempt got no response and may have been executed."]
            if self.repeated
            else []
        )
        head = f"{self.status} {self.code or self.title}: {self.detail}"
        return "\n".join(
            [
                head,
                *faults,
                *repeated,
                *([f"Request id: {self.request_id}"] if self.request_id else []),
            ]
        )


class Reply:
    """What a response has beside its data."""

    status: int
    headers: Message
    meta: dict[str, Any]

    @property
    def etag(self) -> str:
        """Return the version of the record for `if_match`.

        Raise ValueError if the response has none.
        """
        if "ETag" not in self.headers:
            raise ValueError("This response has no ETag: read a single record, without `include`")
        return str(self.headers["ETag"])


class Record(dict[str, Any], Reply):
    """The `data` of a response, if it is an object. Empty if there is none."""


class Page(list[Any], Reply):
    """The `data` of a response, if it is an array."""


class _Secret(str):
    """Text that debuggers and error trackers, which print variables, do not print."""

    def __repr__(self) -> str:
        return "'(secret)'"


class Client:
    """The API of one server with one key.

    `timeout` is in seconds; `context` trusts other TLS certificates.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60,
        tries: int = 6,
        context: ssl.SSLContext | None = None,
    ):
        self.url = _setting("EVENTAPI_URL", url).rstrip("/").removesuffix("/api/v1")
        parts = urlsplit(self.url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.username
            or parts.query
        ):
            raise ValueError(
                "EVENTAPI_URL is not the address of a server, such as https://shows.example.org"
            )
        self._key = _Secret(_setting("EVENTAPI_KEY", key))
        self._tries = tries
        self._root = f"{parts.path}/api/v1"
        if not (self._key.isascii() and self._key.isprintable()):
            raise ValueError("EVENTAPI_KEY has characters that no API key has")
        place: dict[str, Any] = {"host": parts.hostname, "port": parts.port, "timeout": timeout}
        kind: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
        if parts.scheme == "https":
            kind = http.client.HTTPSConnection
            place["context"] = context or ssl.create_default_context()
        self._open = partial(kind, **place)
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are kept for further requests. The client stays usable."""
        while self._idle:
            self._idle.pop()[1].close()

    def get(self, path: str, **query: Any) -> Record:
        """Return a record."""
        return _checked(Record, self.request("GET", path, **query))

    def page(self, path: str, **query: Any) -> Page:
        """Return one page of a list. `meta` has `total`, the number of all records."""
        return _checked(Page, self.request("GET", path, **query))

    def list(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield all records of a list. Requests go from cursor to cursor."""
        following: dict[str, Any] = {"per_page": 100, "after": "", **query}
        while following["after"] is not None:
            page = self.page(path, **following)
            yield from page
            following["after"] = page.meta["next"]

    def post(
        self, path: str, body: Fields = None, *, idempotency_key: str | None = None, **query: Any
    ) -> Record:
        """Create a record, or do an action.

        A key of your own, such as the number of an order, makes repetitions safe also after a crash
        of your program.
        """
        return _checked(
            Record, self.request("POST", path, body, {"Idempotency-Key": idempotency_key}, **query)
        )

    def batch(
        self,
        path: str,
        action: str,
        entries: Iterable[Any],
        *,
        idempotency_key: str | None = None,
        **fields: Any,
    ) -> Record:
        """Do one action for many records, 200 in a request.

        `entries` are ids, or the bodies of `create`.
        """
        sent, whole = [*entries], Record(results=[], done=0, refused=0)
        for start in range(0, len(sent), 200):
            part = {"items" if action == "create" else "ids": sent[start : start + 200]}
            key = f"{idempotency_key}-{start}" if idempotency_key else None
            found = self.post(
                f"{path}/batch", {"action": action, **part, **fields}, idempotency_key=key
            )
            whole["results"] += [
                {**result, "index": start + result["index"]} for result in found["results"]
            ]
            whole.update(
                done=whole["done"] + found["done"], refused=whole["refused"] + found["refused"]
            )
        return whole

    def put(self, path: str, body: Fields, *, if_match: str | None = None, **query: Any) -> Record:
        """Change a record.

        With `if_match`, raise Problem 412 if it has changed since it had that ETag.
        """
        return _checked(Record, self.request("PUT", path, body, {"If-Match": if_match}, **query))

    def patch(
        self, path: str, body: Fields, *, if_match: str | None = None, **query: Any
    ) -> Record:
        """Change some fields.

        With `if_match`, raise Problem 412 if the record has changed since it had that ETag.
        """
        return _checked(Record, self.request("PATCH", path, body, {"If-Match": if_match}, **query))

    def delete(self, path: str, *, if_match: str | None = None, **query: Any) -> Record:
        """Delete a record. If an attempt got no response and the next one gets 404, the record is
        gone: a success.
        """
        try:
            return _checked(
                Record, self.request("DELETE", path, None, {"If-Match": if_match}, **query)
            )
        except Problem as problem:
            if problem.status != 404 or not problem.repeated:
                raise
            return _reply(Record(), problem)

    def request(
        self,
        method: str,
        path: str,
        body: Fields = None,
        headers: Mapping[str, str | None] | None = None,
        **query: Any,
    ) -> Record | Page:
        """Send any request, also with other headers.

        A header or parameter that is None is left out.
        """
        content = None if body is None else as_json(body).encode()
        kind = None if body is None else "application/json"
        return self._send(
            method, path, query, {"Content-Type": kind, **(headers or {})}, lambda: content, _data
        )

    def upload(
        self,
        path: str,
        file: File,
        *,
        method: str = "PUT",
        content_type: str | None = None,
        if_match: str | None = None,
        **query: Any,
    ) -> Record:
        """Send a file in pieces: its path, or an open binary file that can seek.

        An import is `method="POST"`.
        """
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                return self.upload(
                    path,
                    opened,
                    method=method,
                    content_type=content_type,
                    if_match=if_match,
                    **query,
                )
        source, start = file, file.tell()
        size = source.seek(0, os.SEEK_END) - start
        kind = (
            content_type
            or TYPES.guess_type(str(getattr(file, "name", "")))[0]
            or "application/octet-stream"
        )
        headers = {"Content-Type": kind, "Content-Length": str(size), "If-Match": if_match}
        return _checked(
            Record,
            self._send(method, path, query, headers, lambda: _pieces(source, start, size), _data),
        )

    def download(self, path: str, file: File, *, accept: str = "*/*", **query: Any) -> Record:
        """Write a file in pieces: to a path, where it appears when it is complete, or to an open
        file that can seek.

        `accept` selects one of several forms, such as application/pdf or text/csv. The headers are
        in the result.
        """
        if isinstance(file, (str, os.PathLike)):
            part = f"{os.fspath(file)}.{secrets.token_hex(4)}.part"
            try:
                with open(part, "xb") as opened:
                    reply = self.download(path, opened, accept=accept, **query)
                os.replace(part, file)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(part)
            return reply
        target, start, headers = file, file.tell(), {"Accept": accept}

        def read(response: http.client.HTTPResponse) -> Record:
            if response.status != 206:
                target.seek(start)
                target.truncate()
            for piece in _received(response):
                target.write(piece)
                if response.headers.get("ETag", "").startswith('"'):
                    # another attempt asks for the rest
                    headers.update(
                        {
                            "If-Range": response.headers["ETag"],
                            "Range": f"bytes={target.tell() - start}-",
                        }
                    )
            return _reply(Record(), response)

        return self._send("GET", path, query, headers, lambda: None, read)

    def feed(self, state: str | os.PathLike[str], *, wait: float = 5) -> Iterator[dict[str, Any]]:
        """Yield the events of the feed without an end: dicts with `id`, `type`, `timestamp` and
        `data`.

        The file `state` keeps the id of an event once you ask for the next one. After a crash, an
        event may therefore come again, with the same id, but none is lost. Raise EventsMissed if
        events were deleted (after 30 days) before they were read. Other failures are logged, and
        the feed tries again. `wait`: seconds between empty responses.
        """
        cursor = _place(state)
        while True:
            try:
                page = self.page("/webhooks/feed", after=cursor, per_page=100)
            except (NoResponse, Problem) as error:
                status = 503 if isinstance(error, NoResponse) else error.status
                if status == 422 and cursor:
                    raise _missed(state, cursor) from error
                if status < 500 and status != 429:
                    raise
                log.warning("the feed waits for the server: %s", error)
                sleep(wait)
                continue
            if page.meta["missed"]:
                raise _missed(state, cursor)
            for event in page:
                yield event
                _keep(state, event["id"])
            if page.meta["next"] != cursor:
                cursor = page.meta["next"]
                _keep(state, cursor)
            if not page.meta["more"]:
                sleep(wait)

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        headers: Mapping[str, str | None],
        content: Callable[[], Content],
        read: Read[T],
    ) -> T:
        """Send a request and return `read(response)`.

        Try again with the same key while there is no response.
        """
        target, sent = self._target(path, query), False
        always = {
            "Accept": "application/json",
            "User-Agent": f"eventapi-client/{VERSION}",
            "Authorization": _Secret(f"Bearer {self._key}"),
        }
        if method == "POST":
            always["Idempotency-Key"] = secrets.token_urlsafe(24)
        for attempt in range(1, self._tries + 1):
            given = {
                **always,
                **{name: value for name, value in headers.items() if value is not None},
            }
            try:
                return self._exchange(method, target, given, content(), read)
            except NoResponse as error:
                failure: NoResponse | Problem = error
                sent = error.sent = sent or error.sent
                error.args = (f"{method} {self.url}{path}: {error}",)
            except Problem as problem:
                failure = problem
                problem.repeated = sent and method in ("PUT", "PATCH", "DELETE")
                # it is of a proxy
                sent = sent or (problem.status != 429 and problem.code in ("", "unavailable"))
                if problem.status not in TRY_LATER:
                    raise
            wait = _delay(failure, attempt)
            if attempt == self._tries or wait > LONGEST_WAIT:
                break
            log.warning("attempt %d in %.1f s: %s", attempt + 1, wait, failure)
            sleep(wait)
        raise failure

    def _target(self, path: str, query: Mapping[str, Any]) -> str:
        if not path.startswith("/"):
            raise ValueError(f"The path {path!r} must begin with a slash, as in /contacts/7")
        given = urlencode(
            {name: _parameter(value) for name, value in query.items() if value is not None}
        )
        return f"{self._root}{quote(path, safe='/?&=%+,:;@')}{given and ('&' if '?' in path else '?') + given}"

    def _exchange(
        self, method: str, target: str, headers: dict[str, str], content: Content, read: Read[T]
    ) -> T:
        """Send a request once. Keep the connection if the response has been read to its end."""
        connection, is_usable = self._connection(), True
        try:
            with _network():
                try:
                    connection.request(method, target, content, headers)
                except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
                    # an upload was refused midway
                    is_usable = False
                response = connection.getresponse()
            with response:
                result: T | Problem = (
                    read(response) if response.status < 300 else _problem(response)
                )
                is_usable = is_usable and response.isclosed() and connection.sock is not None
        except BaseException:
            connection.close()
            raise
        if is_usable:
            self._idle.append((monotonic(), connection))
        else:
            connection.close()
        if isinstance(result, Problem):
            raise result
        return result

    def _connection(self) -> http.client.HTTPConnection:
        """Return an open connection that no other thread uses: the one that was used last, or a new
        one.
        """
        with suppress(IndexError):  # there is none
            while monotonic() - self._idle[0][0] >= IDLE:
                # also those that many threads have left over
                self._idle.pop(0)[1].close()
            return self._idle.pop()[1]
        connection = self._open()
        with _network(sent=False):
            connection.connect()
        return connection


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes | str, *, tolerance: float = 300
) -> dict[str, Any]:
    """Return the message of a delivery: a dict with `type`, `timestamp` and `data`.

    `body` must be exactly what was received. Raise ValueError if no signature was made with the
    secret, or if it was made more than `tolerance` seconds ago, because others could then send an
    old delivery again.
    """
    given = {name.lower(): value for name, value in headers.items()}
    number, moment, signatures = (
        given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
    )
    content = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:  # everybody could sign with it
        raise ValueError(
            "The secret of the webhook is empty. Pass it as it was shown, beginning with whsec_"
        )
    digest = hmac.new(key, f"{number}.{moment}.".encode() + content, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(
        hmac.compare_digest(expected, signature.encode()) for signature in signatures.split()
    ):
        raise ValueError(
            "The header webhook-signature has no signature that was made with this secret"
        )
    if abs(time() - int(moment)) > tolerance:
        raise ValueError(
            f"The header webhook-timestamp ({moment}) is more than {tolerance} seconds away from now"
        )
    message: dict[str, Any] = json.loads(content, parse_float=Decimal)
    return message


def as_json(value: Any) -> str:
    """Return a value as JSON. A Decimal keeps its digits, which the module json cannot do; dates
    are in ISO 8601.
    """
    if isinstance(value, Mapping):
        return (
            "{"
            + ",".join(f"{json.dumps(str(name))}:{as_json(part)}" for name, part in value.items())
            + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(as_json, value)) + "]"
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    return json.dumps(value.isoformat() if isinstance(value, date) else value, allow_nan=False)


def _parameter(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(_parameter, value))
    if isinstance(value, bool):
        return str(int(value))
    return value.isoformat() if isinstance(value, date) else str(value)


def _setting(name: str, value: str | None) -> str:
    given = (value or os.environ.get(name) or "").strip()
    if not given:
        raise ValueError(
            f"The environment variable {name} is not set. Set it, or pass its value to Client"
        )
    return given


@contextmanager
def _network(sent: bool = True) -> Iterator[None]:
    """Raise NoResponse for errors of the network.

    A certificate that is not valid stays one: it needs a person.
    """
    try:
        yield
    except ssl.SSLCertVerificationError:
        raise
    except (OSError, http.client.HTTPException) as error:
        failure = NoResponse(f"no complete response ({type(error).__name__}: {error})")
        failure.sent = sent
        raise failure from error


def _delay(failure: NoResponse | Problem, attempt: int) -> float:
    """Return the seconds until the next attempt, with a random part, so that clients do not all
    come at once.
    """
    after = failure.headers.get("Retry-After", "") if isinstance(failure, Problem) else ""
    seconds = min(20.0, 2.0 ** (attempt - 2))
    if after.isdecimal():
        return float(after) + random.random()
    with suppress(ValueError, TypeError):  # no date either, or no header
        return (
            max(0.0, (parsedate_to_datetime(after) - datetime.now(timezone.utc)).total_seconds())
            + random.random()
        )
    return seconds * random.uniform(0.5, 1)


def _received(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yield the body in pieces. Raise NoResponse if it ends early."""
    with _network():
        while piece := response.read(CHUNK):
            yield piece
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)


def _pieces(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    """Yield `size` bytes of a file, also if it has grown meanwhile.

    Raise ValueError if it has shrunk.
    """
    file.seek(start)
    while size:
        piece = file.read(min(CHUNK, size))
        if not piece:
            raise ValueError(f"The file became shorter during the upload: {size} bytes are missing")
        size -= len(piece)
        yield piece


def _reply(reply: T, response: http.client.HTTPResponse | Problem, meta: Fields = None) -> T:
    vars(reply).update(status=response.status, headers=response.headers, meta=meta or {})
    return reply


def _data(response: http.client.HTTPResponse) -> Record | Page:
    text = b"".join(_received(response))
    if not text:
        return _reply(Record(), response)
    try:
        whole = json.loads(text, parse_float=Decimal)
        data, meta = whole["data"], whole["meta"]
    except (ValueError, KeyError, TypeError):
        kind = response.headers["Content-Type"]
        raise Problem(
            response.status,
            response.headers,
            {
                "title": "Unexpected response",
                "detail": (
                    f"It is {kind}, not JSON of eventapi. Use download for files. Is EVENTAPI_URL right?"
                ),
            },
        ) from None
    return (
        _reply(Page(data), response, meta)
        if isinstance(data, list)
        else _reply(Record(data), response, meta)
    )


def _checked(wanted: type[T], reply: object) -> T:
    """Return the reply.

    Raise TypeError if it is a list instead of a record, or the other way round.
    """
    if not isinstance(reply, wanted):
        raise TypeError(
            f"The response is a {type(reply).__name__}. Use get for a record, list or page for a list"
        )
    return reply


def _problem(response: http.client.HTTPResponse) -> Problem:
    text, where = b"".join(_received(response)), response.headers["Location"]
    document = None
    with suppress(ValueError):  # for example the HTML of a proxy
        document = json.loads(text, parse_float=Decimal)
    if not isinstance(document, dict):
        said = (
            f"leads to {where}. If the server has moved, change EVENTAPI_URL"
            if where
            else repr(text[:200])
        )
        document = {"title": response.reason, "detail": said}
    return Problem(response.status, response.headers, document)


def _place(state: str | os.PathLike[str]) -> str:
    """Return the cursor in the state file, "" if there is no file.

    Create it, so that a wrong path fails at once.
    """
    cursor = ""
    with suppress(FileNotFoundError), open(state, encoding="ascii") as file:
        cursor = file.read().strip()
    _keep(state, cursor)
    return cursor


def _keep(state: str | os.PathLike[str], cursor: str) -> None:
    """Replace the state file in one step: after a crash it has the old cursor or the new one."""
    new = f"{os.fspath(state)}.new"
    with open(new, "w", encoding="ascii") as file:
        file.write(cursor + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, state)


def _missed(state: str | os.PathLike[str], cursor: str) -> EventsMissed:
    return EventsMissed(
        f"Events after {cursor}, the last one in {os.fspath(state)}, are no longer in the feed, or the "
        f"server was restored from a backup. Read again what you need, then delete {os.fspath(state)}: "
        "the feed starts with the oldest event that is kept."
    )
