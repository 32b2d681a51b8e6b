"""Write an uploaded picture anew: decoded, turned upright, made smaller, and without metadata.

`parse` runs in a process of its own, where an upload may exhaust memory and time, or find a fault in
the decoder. Only pixels leave it: neither the place where a photograph was taken nor what is hidden
behind the picture is stored.
"""

import base64
import math
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from PIL import Image, JpegImagePlugin

from eventapi import images

# name of a format at Pillow -> content type; MPO is a JPEG with further pictures behind the first
FORMATS = {
    "PNG": images.PNG,
    "JPEG": images.JPEG,
    "MPO": images.JPEG,
    "WEBP": images.WEBP,
    "GIF": images.GIF,
}
ALLOWED = ("PNG", "JPEG", "WEBP", "GIF")
MOST_PIXELS = {
    images.PNG: 16_000_000,
    images.WEBP: 12_500_000,  # its decoder needs 16 bytes for each, and a process has 256 MB
    images.GIF: 16_000_000,
    images.JPEG: 50_000_000,  # a large one is decoded at a half to an eighth of its width
}
# A progressive JPEG is kept in full size while it is decoded, with two bytes for each sample.
MOST_SAMPLES = 100_000_000
# how a JPEG keeps its colours, as Pillow numbers it -> samples of a pixel
SAMPLES = {0: 3, 1: 2, 2: 1.5}
QUALITY = 82  # of a JPEG that is written
SHRINKING = 0.9  # a picture whose file is too long loses at least a tenth of its width
ORIENTATION = 0x0112  # tag of EXIF
# value of this tag -> what turns the picture upright
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
LYING = (5, 6, 7, 8)  # values of pictures whose stored width is the height
# first bytes -> what people call such a file
OTHERS = {
    b"%PDF": "a PDF",
    b"<svg": "an SVG",
    b"<?xml": "an SVG or another XML file",
    b"GIF8": "a GIF",
    b"II*\0": "a TIFF",
    b"MM\0*": "a TIFF",
    b"BM": "a BMP",
}
REMEDY = "Save it as PNG or JPEG"

# The pixels are counted here, before anything is decoded. Pillow would refuse from 179 megapixels on.
Image.MAX_IMAGE_PIXELS = None


@dataclass(frozen=True)
class Purpose:
    """What a picture is for: its largest width and height in pixels, its largest file in bytes,
    whether it becomes a JPEG if nothing in it is transparent, and whether a GIF is taken.
    """

    width: int
    height: int
    size: int
    is_photo: bool
    takes_gif: bool


PURPOSES = {
    "logo": Purpose(1200, 600, 300_000, is_photo=False, takes_gif=False),
    # Badges show the picture of a show, but not a file of more bytes.
    "show": Purpose(1600, 1600, images.MAX_SIZE, is_photo=True, takes_gif=True),
}


class Refused(ValueError):
    """The file is refused. `code` is that of the fault of the request."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def parse(file: BinaryIO, purpose: str) -> Iterator[dict | str]:
    """Yield the picture: `kind`, `width`, `height`, and `content` in base64.

    If the file is refused, yield the code of the refusal, and raise ValueError with the reason.
    """
    try:
        picture = renewed(file, PURPOSES[purpose])
    except Refused as refusal:
        yield refusal.code
        raise
    yield {
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "content": base64.b64encode(picture.data).decode(),
    }


def renewed(file: BinaryIO, purpose: Purpose) -> images.Image:
    """Return the picture in a file, written anew. Raise Refused."""
    with _refusing_damages():
        picture = _opened(file, purpose)
        if FORMATS[picture.format] != images.JPEG:
            picture.load()  # EXIF may stand behind the pixels; only a JPEG can be decoded smaller
        orientation = _orientation(picture)
        box = (purpose.width, purpose.height)
        if orientation in LYING:
            box = (purpose.height, purpose.width)
        picture = _decoded(picture, box)
    if orientation in TURNS:
        picture = picture.transpose(TURNS[orientation])
    return _written(picture, purpose)


@contextmanager
def _refusing_damages():
    """Raise Refused for what Pillow raises if a file is damaged."""
    try:
        yield
    except Refused:
        raise
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error) as error:
        reason = str(error) or "it is damaged"
        raise Refused(
            "broken_picture", f"cannot be used as a picture: {reason}. {REMEDY}"
        ) from None


def _opened(file, purpose):
    """Return the picture in a file as Pillow opens it: its pixels are not decoded yet."""
    kind = _kind(file.read(64), purpose)
    file.seek(0)
    width, height = images.READERS[kind](file)
    if width * height > MOST_PIXELS[kind]:
        raise Refused(
            "picture_too_large",
            f"has {width} x {height} pixels, but at most {MOST_PIXELS[kind]} pixels are allowed. "
            "Make it smaller, or save it as JPEG",
        )
    if not (width and height):
        raise ValueError("it has no pixels")
    file.seek(0)
    picture = Image.open(file, formats=ALLOWED)
    # A file may name several sizes. The one that is decoded must be the one that was counted.
    if FORMATS[picture.format] != kind or picture.size != (width, height):
        raise ValueError("its header names two sizes")
    if picture.info.get("progressive"):
        _check_samples(picture)
    return picture


def _check_samples(picture):
    """Raise Refused if a progressive JPEG needs too much memory."""
    samples = SAMPLES.get(JpegImagePlugin.get_sampling(picture), len(picture.getbands()))
    if picture.width * picture.height * samples > MOST_SAMPLES:
        raise Refused(
            "picture_too_large",
            f"is a progressive JPEG of {picture.width} x {picture.height} pixels, which needs too much memory. "
            "Make it smaller, or save it as a JPEG that is not progressive",
        )


def _kind(head, purpose):
    """Return the content type of a file that begins with these bytes. Raise Refused."""
    kind = next(
        (kind for beginning, kind in images.DRAWN.items() if head.startswith(beginning)), None
    )
    if kind:
        return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return images.WEBP
    if purpose.takes_gif and head[:6] in (b"GIF87a", b"GIF89a"):
        return images.GIF
    allowed = "PNG, JPEG, WebP or GIF" if purpose.takes_gif else "PNG, JPEG or WebP"
    raise Refused("picture_format", f"{_other(head)}, but must be a {allowed}. {REMEDY}")


def _other(head):
    """Return what a file of another format is."""
    if head[4:8] == b"ftyp":
        return "is a HEIC, an AVIF or a film"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for beginning, name in OTHERS.items():
        if head.startswith(beginning) or text.startswith(beginning):
            return f"is {name}"
    return "has an unknown format"


def _orientation(picture):
    """Return the orientation that EXIF names, or None.

    EXIF that cannot be read is no reason to refuse a picture: browsers show it as it lies.
    """
    try:
        return picture.getexif().get(ORIENTATION)
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, KeyError, TypeError):
        return None


def _decoded(picture, box):
    """Return the picture in RGB or, with transparent parts, in RGBA, at most as large as the box."""
    scale = min(1, box[0] / picture.width, box[1] / picture.height)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    picture.draft("RGB", size)
    picture.load()
    picture = _in_colours(picture)
    if picture.size != size:
        picture = picture.resize(size, Image.Resampling.LANCZOS)
    if picture.mode == "RGBA" and picture.getchannel("A").getextrema()[0] == 255:
        picture = picture.convert("RGB")
    return picture


def _in_colours(picture):
    """Return the picture in RGB, or in RGBA if it may have transparent parts."""
    if picture.mode in ("I", "I;16", "I;16B"):  # grey of 16 bits, which `convert` would cut at 255
        picture = picture.convert("I").point(lambda level: level * (1 / 256)).convert("L")
        return picture.convert("RGB")
    may_be_transparent = "A" in picture.mode or "transparency" in picture.info
    mode = "RGBA" if may_be_transparent else "RGB"
    return picture if picture.mode == mode else picture.convert(mode)


def _written(picture, purpose):
    """Return the Image of a decoded picture, smaller than it is if its file would be too long."""
    is_jpeg = purpose.is_photo and picture.mode == "RGB"
    while len(data := _encoded(picture, is_jpeg)) > purpose.size:
        # The length of a file is about proportional to the number of its pixels.
        scale = min(SHRINKING, math.sqrt(purpose.size / len(data)))
        size = (max(1, int(picture.width * scale)), max(1, int(picture.height * scale)))
        picture = picture.resize(size, Image.Resampling.LANCZOS)
    kind = images.JPEG if is_jpeg else images.PNG
    return images.Image(data, kind, picture.width, picture.height)


def _encoded(picture, is_jpeg):
    """Return the file of a picture, with its pixels only."""
    # Pillow would write some of what the upload had beside its pixels.
    picture.info = {}
    file = BytesIO()
    if is_jpeg:
        picture.save(file, "JPEG", quality=QUALITY, optimize=True)
    else:
        picture.save(file, "PNG", optimize=True)
    return file.getvalue()
