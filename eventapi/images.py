"""Images as files: their size in pixels, read from the header, and those that are drawn: logos and
images of events.

Nothing is decoded here, so a decompression bomb does no harm.
"""

import os
import struct
import zlib
from dataclasses import dataclass, field
from io import BytesIO

PNG, JPEG, GIF, WEBP = "image/png", "image/jpeg", "image/gif", "image/webp"
# first bytes of the formats that are drawn
DRAWN = {
    b"\x89PNG\r\n\x1a\n": PNG,
    b"\xff\xd8\xff": JPEG,
}
MAX_SIZE, MAX_PIXELS = 1 << 20, 4_000_000  # of an image that is drawn
LARGEST = 65535  # pixels along a side
MOST_PIXELS = 50_000_000  # of any picture: a browser needs four bytes for each
SEGMENTS = 1000  # most segments of a JPEG that are read
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG markers of segments with the size
ALONE = frozenset(range(0xD0, 0xD9)) | {0x01}  # JPEG markers without a segment


class Broken(ValueError):
    """The file is not a valid image. The text says what is wrong."""


@dataclass(frozen=True)
class Image:
    """A PNG or JPEG that is drawn. Width and height are in pixels."""

    data: bytes = field(repr=False)
    kind: str
    width: int
    height: int


def load(data):
    """Return the Image in a file.

    Raise Broken if it is not a PNG or JPEG, is damaged, or is too large to be drawn.
    """
    kind = next((kind for beginning, kind in DRAWN.items() if data.startswith(beginning)), None)
    if kind is None:
        raise Broken("it is not a PNG or JPEG")
    if len(data) > MAX_SIZE:
        raise Broken(f"it has {len(data)} bytes, but at most {MAX_SIZE} are allowed")
    width, height = size(BytesIO(data), kind)
    if width * height > MAX_PIXELS:
        raise Broken(
            f"it has {width} x {height} pixels, but at most {MAX_PIXELS} pixels are allowed"
        )
    if kind == PNG:
        _check_png(data)
    elif b"\xff\xd9" not in data[-64:]:
        raise Broken("the JPEG is not complete")
    return Image(data, kind, width, height)


def _check_png(data):
    """Raise Broken unless the checksums of all chunks are right and the last chunk is the end."""
    place, name = 8, b""
    while place + 12 <= len(data) and name != b"IEND":
        length, name = struct.unpack(">I4s", data[place : place + 8])
        end = place + 8 + length
        if end + 4 > len(data) or zlib.crc32(data[place + 4 : end]) != int.from_bytes(
            data[end : end + 4], "big"
        ):
            raise Broken("the PNG is damaged")
        place = end + 4
    if name != b"IEND":
        raise Broken("the PNG is not complete")


def size(file, kind):
    """Return (width, height) in pixels of an open picture of the content type `kind`. Raise Broken."""
    try:
        width, height = READERS[kind](file)
    except (struct.error, EOFError):
        raise Broken("the file ends within its header") from None
    if not (0 < width <= LARGEST and 0 < height <= LARGEST):
        raise Broken(
            f"its size is {width} x {height} pixels, but each side must have 1 to {LARGEST}"
        )
    if width * height > MOST_PIXELS:
        raise Broken(
            f"it has {width} x {height} pixels, but at most {MOST_PIXELS} pixels are allowed. Make it smaller"
        )
    return width, height


def _read(file, length):
    """Return exactly `length` bytes. Raise EOFError if fewer are left."""
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _png(file):
    head = _read(file, 33)
    if head[8:16] != b"\0\0\0\rIHDR":
        raise Broken("the PNG has no IHDR chunk")
    return struct.unpack(">II", head[16:24])


def _gif(file):
    return struct.unpack("<HH", _read(file, 13)[6:10])


def _webp(file):
    head = _read(file, 30)
    form = head[12:16]
    if form == b"VP8X":
        return tuple(int.from_bytes(head[place : place + 3], "little") + 1 for place in (24, 27))
    if form == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return tuple(side & 0x3FFF for side in struct.unpack("<HH", head[26:30]))
    raise Broken("the WebP format is unknown")


def _jpeg(file):
    """Read segment by segment until one contains the size."""
    _read(file, 2)
    for _ in range(SEGMENTS):
        marker = _marker(file)
        if marker in ALONE:
            continue
        if marker in (0xD9, 0xDA):
            break
        (length,) = struct.unpack(">H", _read(file, 2))
        if marker in FRAMES:
            height, width = struct.unpack(">HH", _read(file, 5)[1:])
            return width, height
        if length < 2:
            break
        file.seek(length - 2, os.SEEK_CUR)
    raise Broken("the JPEG has no frame header")


def _marker(file):
    """Return the next JPEG marker."""
    if _read(file, 1) != b"\xff":
        raise Broken("the JPEG has bytes between its segments")
    for _ in range(SEGMENTS):
        marker = _read(file, 1)[0]
        if marker != 0xFF:  # padding
            return marker
    raise Broken("the JPEG consists of padding")


READERS = {PNG: _png, GIF: _gif, WEBP: _webp, JPEG: _jpeg}
