"""What handlers use of HTTP: responses, entity tags, preconditions and addresses."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from bottle import request

from eventapi import __version__
from eventapi.errors import Problem, not_found
from eventapi.storage.database import as_json
from eventapi.web import client

# any other value of the header Host is not used in an address
HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")
GZIP = re.compile(r"(?:^|,)\s*gzip\s*(?:$|,|;\s*q=(?:1|0\.\d*[1-9]))", re.I)  # not with q=0


@dataclass
class Response:
    """A response that is more than data with status 200.

    Attributes:
        data: goes into the envelope as JSON.
        body: bytes, or an iterable of bytes, sent as they are instead of an envelope.
        headers: Set-Cookie may have several lines, one for each cookie.
        meta: further fields of `meta`.
        has_etag: whether a response with a single record has an ETag of its data.
        secret: field of `data` that only this response shows. A repetition with the same Idempotency-Key, and every
            later GET, has null there.
    """

    data: object = None
    status: int = 200
    headers: dict = field(default_factory=dict)
    meta: dict = field(default_factory=dict)
    has_etag: bool = True
    body: object = None
    secret: str | None = None

    def later_data(self) -> object:
        """Return `data` as a later GET returns it: with null in place of the secret."""
        return {**self.data, self.secret: None} if self.secret else self.data


# The envelope


def envelope(request_id: str, meta: dict | None = None) -> tuple[str, str]:
    """Return the text of a JSON response before its data and after it."""
    more = "," + as_json(meta)[1:] if meta else "}"
    return '{"data":', f',"meta":{{"request_id":"{request_id}"{more}}}'


def streamed(record: dict, name: str, pieces: Iterable[str], request_id: str) -> Iterator[bytes]:
    """Yield a JSON response whose data is `record` with a last field `name`: an array, given as
    pieces of JSON text.
    """
    before, after = envelope(request_id)
    yield f'{before}{as_json(record)[:-1]},"{name}":['.encode()
    for piece in pieces:
        yield piece.encode()
    yield f"]}}{after}".encode()


# Policy of a picture, with which a browser runs and fetches nothing.
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


# Addresses


def base_url() -> str:
    """Return the public address of the service, without a slash at its end."""
    environ = request.environ
    configured = environ["eventapi.config"].base_url
    if configured:
        return configured
    scheme, host = environ.get("HTTP_X_FORWARDED_PROTO"), environ.get("HTTP_HOST", "")
    scheme = (
        scheme
        if scheme in ("http", "https") and client.is_from_proxy()
        else environ["wsgi.url_scheme"]
    )
    return f"{scheme}://{host if HOST.fullmatch(host) else environ['SERVER_NAME']}"


def mail_base_url() -> str:
    """Return the address with which links in mails begin, or "" if it cannot be known for certain.

    The client chooses the header Host. In a mail it would lead other people to any machine, so
    without the option base_url it is used only for clients on this machine.
    """
    return request.environ["eventapi.config"].base_url or (base_url() if client.is_local() else "")


def location(path: str) -> str:
    """Return the address of a path below /api/v1."""
    return f"{base_url()}/api/v1{path}"


# Responses


def created(record: dict, path: str, **more: object) -> Response:
    """Return 201 with a new record, whose address is `path` below /api/v1 and its id."""
    return Response(record, 201, {"Location": location(f"{path}/{record['id']}")}, **more)


def found(record: dict | None, noun: str, key: int | str) -> dict:
    """Return the record. Raise 404 if it is None."""
    if record is None:
        raise not_found(noun, key)
    return record


def drawn(state: object, form: str, draw: Callable[[], bytes]) -> Response:
    """Return the file that `draw()` makes, in media type `form`.

    The ETag is that of `state`; if the client has it, nothing is drawn.
    """
    headers = {"Content-Type": form, "ETag": tag_of(state, form), "Vary": "Accept"}
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    return Response(body=draw(), headers=headers)


def picture(state: object, form: str, draw: Callable[[], bytes]) -> Response:
    """Return `drawn`, with a policy that keeps a browser from running or fetching anything."""
    response = drawn(state, form, draw)
    response.headers["Content-Security-Policy"] = SANDBOX
    return response


# Entity tags and preconditions


def etag(text: str) -> str:
    """Return a strong entity tag (RFC 9110): the hash of a record as JSON, or of a page."""
    return f'"{blake2b(text.encode(), digest_size=12).hexdigest()}"'


def tag_of(state: object, form: str) -> str:
    """Return the strong entity tag of the file in media type `form` that is made of `state`, which
    is JSON data.
    """
    return etag(as_json([__version__, form, state]))


def is_known(tag: str) -> bool:
    """Return whether If-None-Match (RFC 9110, 13.1.2) names the tag."""
    known = request.environ.get("HTTP_IF_NONE_MATCH", "")
    return known.strip() == "*" or tag in [
        part.strip().removeprefix("W/") for part in known.split(",")
    ]


def accepts_gzip() -> bool:
    """Return whether the client accepts a body that is compressed with gzip (RFC 9110, 12.5.3)."""
    return bool(GZIP.search(request.environ.get("HTTP_ACCEPT_ENCODING", "")))


def require_match(record: dict, represent: Callable[[dict], dict] | None = None) -> dict:
    """Return the record: an API object, or a row that `represent` turns into one.

    Raise 412 if If-Match (RFC 9110, 13.1.1) names another state of it. Call it inside the write
    transaction.
    """
    tags = _if_match()
    if tags is None or tags == ["*"]:
        return record
    tag = etag(as_json(represent(record) if represent else record))
    if tag not in tags:
        raise _precondition_failed("record", tag, tags)
    return record


def require_content_match(sha256: str | None) -> None:
    """Raise 412 if If-Match names another state of a stored file.

    `sha256` is the hash of the file, None if there is none.
    """
    tags, tag = _if_match(), f'"{sha256}"'
    if tags is not None and tag not in tags and not (tags == ["*"] and sha256):
        raise _precondition_failed("content", tag, tags)


def _if_match():
    """Return the tags of If-Match, None without this header.

    An empty header has no tag, so nothing matches it.
    """
    header = request.environ.get("HTTP_IF_MATCH")
    return None if header is None else [tag.strip() for tag in header.split(",")]


WEAKENED = "The tag begins with W/: a proxy has weakened it, for example by compressing."


def _precondition_failed(noun, tag, tags):
    """Return the 412 Problem for the tags of If-Match if the tag of the record or content is `tag`.

    All tags of this service are strong, so that a weak one is what a proxy made of it. It names the
    same state, but If-Match compares strongly (RFC 9110, 13.1.1).
    """
    if f"W/{tag}" in tags:
        detail = (
            f"The {noun} has not changed, but a weak tag never matches in `If-Match` (RFC 9110). "
            f"{WEAKENED} Send it without W/."
        )
        return Problem("precondition_failed", detail)
    detail = (
        f"The {noun} has changed since you read it. Read it again, then "
        "repeat your change with its new `ETag` in `If-Match`."
    )
    if any(given.startswith("W/") for given in tags):
        detail += f" {WEAKENED} Send the new one without W/."
    return Problem("precondition_failed", detail)
