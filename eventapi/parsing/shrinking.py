"""Make an uploaded picture smaller, in a process of its own (pictures.py) where Pillow is installed.

Without Pillow, which comes with reportlab, a small PNG or JPEG is taken as it is.
"""

import base64
import os
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from eventapi import images
from eventapi.errors import invalid_at
from eventapi.parsing import processes

PARSER = "eventapi.parsing.pictures:parse"
MAX_SIZE = 25 * 1024 * 1024  # bytes of an upload
SECONDS = 10  # of CPU


def shrunk(file: BinaryIO, purpose: str, folder: Path) -> images.Image:
    """Return the picture in an open file, made for a purpose of pictures.PURPOSES.

    `folder` is the data directory. Raise 422 if the file is refused, and processes.Busy.
    """
    size = os.fstat(file.fileno()).st_size
    if size > MAX_SIZE:
        detail = f"has {size} bytes, but at most {MAX_SIZE} are allowed. Make it smaller"
        raise invalid_at("", "picture_too_large", detail)
    if find_spec("PIL") is None:
        return _as_it_is(file)
    return _made(processes.run(PARSER, purpose, file, folder, SECONDS))


def _as_it_is(file):
    """Return the Image in a file, which must be small enough to be drawn as it is."""
    try:
        return images.load(file.read(images.MAX_SIZE + 1))
    except images.Broken as error:
        detail = (
            f"cannot be used as a picture: {error}. Save it as PNG or JPEG of at most "
            f"{images.MAX_SIZE} bytes and {images.MAX_PIXELS} pixels: this server has no Pillow "
            "(package python3-pil), which makes pictures smaller"
        )
        raise invalid_at("", "broken_picture", detail) from None


def _made(values):
    """Return the Image in the values of pictures.parse. Raise 422 if the file is refused."""
    found = code = None
    try:
        for value in values:
            if isinstance(value, str):
                code = value
            else:
                found = value
        data = base64.b64decode(found["content"])
        return images.Image(data, found["kind"], found["width"], found["height"])
    except processes.Stopped as reason:
        detail = (
            f"cannot be used as a picture: decoding it {reason}. Make it smaller, or save it again"
        )
        raise invalid_at("", "picture_stopped", detail) from None
    except ValueError as error:
        raise invalid_at("", code, str(error)) from None
