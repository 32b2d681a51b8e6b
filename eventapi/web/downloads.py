"""Stored files as responses: streamed, whole or one range (RFC 9110, 14).

Their headers keep browsers from running their content.
"""

import io
import re
from pathlib import Path
from urllib.parse import quote

from bottle import request

from eventapi.config import Config
from eventapi.domain.attachments import content_types
from eventapi.errors import Problem
from eventapi.paths import open_regular
from eventapi.storage import files
from eventapi.web.rest import Response, is_known

CHUNK = 64 * 1024  # bytes read at a time
RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})-(\d{0,18})", re.I | re.ASCII)
PICTURES = tuple(sorted(content_types.PICTURES))
INLINE = content_types.PICTURES | {content_types.PDF}
GUARD = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def stored_file(config: Config, sha256: str, kind: str, name: str) -> Response:
    """Return the stored file with this hash, or the range of it that the header Range requests."""
    headers = {"ETag": f'"{sha256}"', **guarded(kind, name), "Accept-Ranges": "bytes"}
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    file = files.path(config, sha256)
    size = files.size(config, sha256)
    part = requested_range(request.environ, size, headers["ETag"])
    first, last = part or (0, size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if part:
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return Response(
        status=206 if part else 200, headers=headers, body=FileRange(file, first, last - first + 1)
    )


def guarded(kind: str, name: str) -> dict[str, str]:
    """Return the headers of a file.

    They keep a browser from running its content. `kind` is the media type.
    """
    text = "; charset=utf-8" if kind == content_types.HTML else ""
    return {
        "Content-Type": kind + text,
        "Content-Disposition": disposition("inline" if kind in INLINE else "attachment", name),
        "Content-Security-Policy": GUARD,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Vary": "Accept",
    }


def disposition(how: str, name: str) -> str:
    """Return Content-Disposition (RFC 6266): the name in ASCII for old clients and in full (RFC
    8187) for others.
    """
    plain = re.sub(r"[^ !#-$&-\[\]-~]", "_", name)
    whole = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'{how}; filename="{plain}"{whole}'


def requested_range(environ: dict, size: int, tag: str) -> tuple[int, int] | None:
    """Return (first, last) of a single range, None for the whole file.

    Raise 416 if the range is outside the file.

    Several ranges and other units are ignored (RFC 9110, 14.2), as is a range whose If-Range does
    not match the tag.
    """
    found = RANGE.fullmatch(environ.get("HTTP_RANGE", "").strip())
    if not found or not any(found.groups()) or not is_same(environ.get("HTTP_IF_RANGE"), tag):
        return None
    first, last = (int(text) if text else None for text in found.groups())
    if first is None:
        first, last = max(0, size - last), size - 1 if last else -1
    elif last is not None and last < first:
        return None
    last = size - 1 if last is None else min(last, size - 1)
    if first > last:
        raise Problem(
            "range_not_satisfiable",
            f"The requested range lies outside the file, which has {size} bytes.",
            headers={"Content-Range": f"bytes */{size}"},
        )
    return first, last


def is_same(if_range: str | None, tag: str) -> bool:
    """Return whether If-Range matches. Only a strong tag does: files have no date here."""
    return if_range is None or if_range.strip() == tag


class FileRange(io.FileIO):
    """A range of a file. The server sends it with sendfile if possible, exactly `length` bytes."""

    def __init__(self, path: Path, first: int, length: int):
        super().__init__(path, opener=open_regular)
        self.seek(first)
        self.first, self.left = first, length

    def fileno(self) -> int:
        """Return the file descriptor of a range from the beginning, for sendfile.

        Raise UnsupportedOperation for any other range: gunicorn 20.1 always sends from the
        beginning.
        """
        if self.first:
            raise io.UnsupportedOperation("read it")
        return super().fileno()

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes of the range, at most CHUNK by default, b"" at its end."""
        chunk = super().read(min(self.left, CHUNK if size < 0 else size))
        self.left -= len(chunk)
        return chunk

    def __next__(self) -> bytes:
        """Return the next CHUNK of the range."""
        chunk = self.read(CHUNK)
        if not chunk:
            raise StopIteration
        return chunk
