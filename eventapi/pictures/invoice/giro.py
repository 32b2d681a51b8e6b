"""GiroCodes: QR codes that fill in a credit transfer in a banking app (European Payments Council,
EPC069-12).

`payload` returns the text of a code, the other functions draw it.
"""

import struct
import zlib

from eventapi.pictures import qr
from eventapi.pictures.shapes import Area, Picture, rectangle
from eventapi.pictures.style import PAPER
from eventapi.pictures.svg import draw
from eventapi.validation import identifiers

QUIET = qr.QUIET
LEVEL = "M"  # the error correction that EPC069-12 requires
MAX_BYTES, MAX_MODULES = 331, 69  # of a code; 69 modules are version 13
MAX_NAME = 70
MAX_CENTS = 99_999_999_999
PIXELS = 8  # width of a module in PNG; in SVG it is half of that
DESCRIPTIONS = {
    "en": "Transfer {amount} with a banking app, reference {reference}",
    "de": "{amount} mit einer Banking-App überweisen, Verwendungszweck {reference}",
}


def payload(*, name, iban, bic, cents, reference) -> str:
    """Return the text of a GiroCode, line by line as EPC069-12 requires.

    name: the payee; shortened to 70 characters, and further if the code would be too large.
    iban, bic: in their canonical form. `bic` may be None.
    cents: the amount in euro cents, 1 to 99,999,999,999.
    reference: a creditor reference (ISO 11649), which begins with RF, or a text of at most 64 characters.
    """
    structured, text = (reference, "") if is_creditor_reference(reference) else ("", reference)
    name = " ".join(name.split())[:MAX_NAME].rstrip()
    rest = [iban, f"EUR{cents // 100}.{cents % 100:02}", "", structured, text]
    room = MAX_BYTES - len(
        "\n".join(["BCD", "002", "1", "SCT", bic or "", "", *rest]).rstrip("\n").encode()
    )
    name = name.encode()[: max(room, 0)].decode(errors="ignore").rstrip()
    return "\n".join(["BCD", "002", "1", "SCT", bic or "", name, *rest]).rstrip("\n")


def is_creditor_reference(reference):
    """Return whether a reference is a creditor reference (ISO 11649) whose check digits are right."""
    try:
        return identifiers.creditor_reference(reference) == reference
    except ValueError:
        return False


def width(code):
    """Return the number of modules of a side with the quiet zone."""
    return qr.size(code, LEVEL) + 2 * QUIET


def rings(code):
    """Return the dark modules of a code as rings of points, in modules from the top left without
    the quiet zone.
    """
    return qr.rings(code, LEVEL)


def svg(code, *, amount, reference, language) -> bytes:
    """Return a code with its quiet zone as SVG. `amount` and `reference` are texts of its
    description.
    """
    module = PIXELS // 2
    side = width(code) * module
    description = DESCRIPTIONS[language].format(amount=amount, reference=reference)
    parts = (
        Area((rectangle(0, 0, side, side),), PAPER),
        qr.area(code, QUIET * module, QUIET * module, module, LEVEL),
    )
    return draw(
        Picture("girocode", side, side, "GiroCode", description, language, parts), unit="px"
    )


def png(code) -> bytes:
    """Return a code with its quiet zone as PNG, black and white."""
    rows, quiet = qr.modules(code, LEVEL), QUIET
    side = (len(rows) + 2 * quiet) * PIXELS
    blank = [False] * (len(rows) + 2 * quiet)
    padded = (
        [blank] * quiet
        + [[False] * quiet + list(row) + [False] * quiet for row in rows]
        + [blank] * quiet
    )
    lines = b"".join(_pixels(row) * PIXELS for row in padded)
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)  # one bit for each pixel, grey
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(lines, 9))
        + _chunk(b"IEND", b"")
    )


def _pixels(row):
    """Return one line of pixels: the filter 0, then a byte for each module, because a module is 8
    pixels wide.
    """
    return b"\0" + bytes(0 if is_dark else 255 for is_dark in row)


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
