"""Images for tests, made without a library."""

import base64
import struct
import zlib

# A grey JPEG of 8 by 8 pixels.
_JPEG = (
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////"
    "////////////////////wAALCAAIAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW"
    "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi"
    "4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/ACv/2Q=="
)

# A JPEG of 8 by 8 pixels in CMYK.
_CMYK_JPEG = (
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6utq2eA"
    "vMm6pseZqKuk/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAYEBf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/"
    "2gAOBEMATQBZAEsAAD8ATMlQQP/Z"
)


def png(width, height, color=(200, 30, 40)):
    """Return a PNG of one colour."""
    row = b"\0" + bytes(color) * width
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * height)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def jpeg():
    """Return a JPEG of 8 by 8 pixels."""
    return base64.b64decode(_JPEG)


def cmyk_jpeg():
    """Return a JPEG of 8 by 8 pixels in CMYK."""
    return base64.b64decode(_CMYK_JPEG)


def png_with_alpha():
    """Return a PNG of 8 by 8 pixels, half of which are transparent."""
    row = b"\0" + bytes((200, 30, 40, 255)) * 4 + bytes((200, 30, 40, 0)) * 4
    return _png(8, 6, row)


def grey_png_of_16_bits():
    """Return a PNG of 8 by 8 pixels in a dark grey of 16 bits."""
    return _png(16, 0, b"\0" + b"\x40\x00" * 8)


def _png(bits, color_type, row):
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 8, 8, bits, color_type, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * 8)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)
