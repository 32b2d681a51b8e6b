"""The size of an image, read from its header, and the images that may be drawn."""

import io
import struct

import pytest

from eventapi import images
from tests.support.images import jpeg, png

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    + struct.pack(">IIBBBBB", 640, 480, 8, 2, 0, 0, 0)
    + b"\0\0\0\0"
)
GIF = b"GIF89a" + struct.pack("<HHBBB", 320, 200, 0, 0, 0)
JPEG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
    + b"\xff\xff\xfe\0\x06note"
    + b"\xff\xc2\0\x11\x08"
    + struct.pack(">HH", 768, 1024)
    + b"\x03\x01\x22\0\x02\x11\1\x03\x11\1"
    + b"\xff\xda"
)
LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\x30\1\0\x9d\x01\x2a" + struct.pack("<HH", 100, 50)
LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 99 | 49 << 14) + b"\0" * 5
EXTENDED = (
    b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"
    + (99).to_bytes(3, "little")
    + (49).to_bytes(3, "little")
)
PICTURES = [
    ("image/png", PNG, (640, 480)),
    ("image/gif", GIF, (320, 200)),
    ("image/jpeg", JPEG, (1024, 768)),
    ("image/webp", LOSSY, (100, 50)),
    ("image/webp", LOSSLESS, (100, 50)),
    ("image/webp", EXTENDED, (100, 50)),
]


@pytest.mark.parametrize("kind, data, size", PICTURES)
def test_the_size_is_read_from_the_header(kind, data, size):
    assert images.size(io.BytesIO(data), kind) == size


@pytest.mark.parametrize("kind, data, size", PICTURES)
def test_a_truncated_or_garbled_header_is_broken(kind, data, size):
    last = {"image/jpeg": data.find(b"\xff\xc2") + 9, "image/png": 33, "image/gif": 13}.get(
        kind, 30
    )
    for length in range(4, last):
        with pytest.raises(images.Broken):
            images.size(io.BytesIO(data[:length]), kind)
    for place in range(len(data)):
        for value in (0, 255):
            try:
                width, height = images.size(
                    io.BytesIO(data[:place] + bytes([value]) + data[place + 1 :]), kind
                )
                assert 0 < width <= 65535 and 0 < height <= 65535
            except images.Broken as broken:
                assert str(broken)


def test_a_picture_without_pixels_or_of_absurd_size_is_broken():
    for width, height in ((0, 1), (1, 0), (2**31, 1), (70000, 1)):
        with pytest.raises(images.Broken):
            images.size(
                io.BytesIO(PNG[:16] + struct.pack(">II", width, height) + PNG[24:]), "image/png"
            )


def test_a_jpeg_with_too_many_segments_is_broken():
    with pytest.raises(images.Broken):
        images.size(io.BytesIO(b"\xff\xd8" + b"\xff\xfe\0\2" * 100_000), "image/jpeg")
    with pytest.raises(images.Broken):
        images.size(io.BytesIO(b"\xff\xd8" + b"\xff" * 1_000_000), "image/jpeg")


# Images that are drawn


@pytest.mark.parametrize("data, kind", [(png(60, 20), "image/png"), (jpeg(), "image/jpeg")])
def test_png_and_jpeg_are_loaded_with_their_size(data, kind):
    image = images.load(data)
    assert (image.kind, image.data) == (kind, data) and image.width >= 8 and image.height >= 8
    assert str(data) not in repr(image)


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "not a PNG or JPEG"),
        (b"GIF89a" + b"x" * 50, "not a PNG or JPEG"),
        (png(60, 20)[:-12], "not complete"),
        (png(60, 20)[:45] + b"?" + png(60, 20)[46:], "damaged"),
        (jpeg()[:-80], "not complete"),
        (png(60, 20) + b"x" * (1 << 20), "bytes"),
        (png(2100, 2000), "pixels"),
    ],
)
def test_other_broken_and_large_images_are_refused(data, reason):
    with pytest.raises(images.Broken, match=reason):
        images.load(data)
