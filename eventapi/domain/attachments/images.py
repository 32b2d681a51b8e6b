"""Pictures: how many pixels one has, read from its first bytes. Nothing is decoded, so a picture cannot be a bomb."""
import os
import struct

from eventapi.domain.attachments.content_types import GIF, JPEG, PNG, WEBP

LARGEST = 65535             # pixels along a side
SEGMENTS = 1000             # of a JPEG that are looked at
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}      # the markers of JPEG that tell the size
ALONE = frozenset(range(0xD0, 0xD9)) | {0x01}                   # markers without a segment


class Broken(ValueError):
    """The header does not tell a size."""


def size(file, kind):
    """(width, height) of an open picture; raises Broken."""
    try:
        width, height = READERS[kind](file)
    except (struct.error, EOFError):
        raise Broken("the picture ends in its header") from None
    if not (0 < width <= LARGEST and 0 < height <= LARGEST):
        raise Broken(f"a picture of {width} x {height} pixels")
    return width, height


def _read(file, length):
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _png(file):
    head = _read(file, 33)
    if head[8:16] != b"\0\0\0\rIHDR":
        raise Broken("a PNG without IHDR")
    return struct.unpack(">II", head[16:24])


def _gif(file):
    return struct.unpack("<HH", _read(file, 13)[6:10])


def _webp(file):
    head = _read(file, 30)
    form = head[12:16]
    if form == b"VP8X":
        return tuple(int.from_bytes(head[place:place + 3], "little") + 1 for place in (24, 27))
    if form == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return tuple(side & 0x3FFF for side in struct.unpack("<HH", head[26:30]))
    raise Broken("a WebP of an unknown form")


def _jpeg(file):
    """Goes from segment to segment until one tells the size."""
    _read(file, 2)
    for _ in range(SEGMENTS):
        marker = _marker(file)
        if marker in ALONE:
            continue
        if marker in (0xD9, 0xDA):
            break
        length, = struct.unpack(">H", _read(file, 2))
        if marker in FRAMES:
            height, width = struct.unpack(">HH", _read(file, 5)[1:])
            return width, height
        if length < 2:
            break
        file.seek(length - 2, os.SEEK_CUR)
    raise Broken("a JPEG without a frame")


def _marker(file):
    if _read(file, 1) != b"\xff":
        raise Broken("a JPEG with bytes between its segments")
    for _ in range(SEGMENTS):
        marker = _read(file, 1)[0]
        if marker != 0xFF:                  # which fills up
            return marker
    raise Broken("a JPEG of nothing but filling")


READERS = {PNG: _png, GIF: _gif, WEBP: _webp, JPEG: _jpeg}
