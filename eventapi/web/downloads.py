"""A stored file as an answer: whole or one range of it (RFC 9110, 14), streamed, and never as a page of ours."""
import io
import os
import re
from urllib.parse import quote

from eventapi.domain.attachments import content_types
from eventapi.errors import Problem
from eventapi.storage import files
from eventapi.web.rest import Response, is_known

PIECE = 64 * 1024
RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})-(\d{0,18})", re.I | re.ASCII)
INLINE = content_types.PICTURES | {content_types.PDF}
GUARD = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def stored_file(environ, config, sha256, kind, name):
    """The bytes of this hash, or the part of them that Range asks for."""
    headers = {"ETag": f'"{sha256}"', **guarded(kind, name), "Accept-Ranges": "bytes"}
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    file = files.path(config, sha256)
    size = os.stat(file).st_size
    part = asked_range(environ, size, headers["ETag"])
    first, last = part or (0, size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if part:
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return Response(status=206 if part else 200, headers=headers, body=Piece(file, first, last - first + 1))


def guarded(kind, name):
    """The headers that keep a browser from running what it is given."""
    text = "; charset=utf-8" if kind == content_types.HTML else ""
    return {"Content-Type": kind + text, "Content-Disposition": disposition("inline" if kind in INLINE else "attachment", name),
            "Content-Security-Policy": GUARD, "Cross-Origin-Resource-Policy": "same-origin", "Vary": "Accept"}


def disposition(how, name):
    """Content-Disposition (RFC 6266) with the name in ASCII for old clients, and whole (RFC 8187) for the others."""
    plain = re.sub(r'[^ !#-$&-\[\]-~]', "_", name)
    whole = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'{how}; filename="{plain}"{whole}'


def asked_range(environ, size, tag):
    """(first, last) that a single Range asks for; None for all of it; 416 where it lies outside.

    Several ranges, and other units, may be ignored (RFC 9110, 14.2), as is a Range whose If-Range names another state.
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
        raise Problem("range_not_satisfiable", f"The file has {size} bytes.", headers={"Content-Range": f"bytes */{size}"})
    return first, last


def is_same(if_range, tag):
    """Only a strong tag proves it: files have no date here."""
    return if_range is None or if_range.strip() == tag


class Piece(io.FileIO):
    """A part of a file for the server to send: by sendfile where it can, as long as Content-Length."""

    def __init__(self, path, first, length):
        super().__init__(path)
        self.seek(first)
        self.first, self.left = first, length

    def fileno(self):
        """None but from the beginning: gunicorn 20.1 would send the part from there."""
        if self.first:
            raise io.UnsupportedOperation("read it")
        return super().fileno()

    def read(self, size=-1):
        piece = super().read(min(self.left, PIECE if size < 0 else size))
        self.left -= len(piece)
        return piece

    def __next__(self):
        piece = self.read(PIECE)
        if not piece:
            raise StopIteration
        return piece
