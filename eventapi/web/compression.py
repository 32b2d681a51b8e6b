"""gzip of lists and other JSON and CSV of the API (RFC 9110, 12.5.3).

Only what has no ETag is compressed, so that If-Match and If-None-Match always name the bytes of a record. Level 1 makes
3 kB of 30 kB in 0.2 ms; higher levels take several times as long for a tenth less.
"""

import zlib
from collections.abc import Generator, Iterable, Iterator

from eventapi.web.rest import Response, accepts_gzip
from eventapi.web.routes import CSV, JSON

SMALLEST = 2000  # bytes; a smaller body fits into two packets anyway
LEVEL = 1
GZIP_FORMAT = 31  # of `wbits`: the largest window, with the header of gzip


def compress(response: Response) -> None:
    """Compress the body of a response to GET, in place, if it is worth it and the client accepts
    it.

    The body is bytes, or a generator of bytes.
    """
    headers, body = response.headers, response.body
    kind = headers.get("Content-Type", "").partition(";")[0]
    is_whole = isinstance(body, bytes) and len(body) >= SMALLEST
    is_worth_it = is_whole or isinstance(body, Generator)
    if response.status != 200 or "ETag" in headers or kind not in (JSON, CSV) or not is_worth_it:
        return

    depends_on = [headers["Vary"]] if "Vary" in headers else []
    headers["Vary"] = ", ".join([*depends_on, "Accept-Encoding"])
    if not accepts_gzip():
        return
    headers["Content-Encoding"] = "gzip"
    headers.pop("Content-Length", None)  # that of the body as it was
    response.body = b"".join(_pieces([body])) if is_whole else _pieces(body)


def _pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a body, compressed. An error ends them without the end of the gzip
    stream, so that the client knows that the body is not complete.
    """
    compressor = zlib.compressobj(LEVEL, wbits=GZIP_FORMAT)
    for piece in pieces:
        if packed := compressor.compress(piece):
            yield packed
    yield compressor.flush()
