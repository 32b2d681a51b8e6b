"""Fonts for PDF: choice of a font for each character, widths and line breaks.

Widths are in millimetres, font sizes in points. reportlab is optional, and is imported only when a
PDF is drawn.
"""

import importlib
import re
import threading
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from eventapi.errors import Problem

FOLDERS = tuple(
    Path("/usr/share/fonts") / name
    for name in (
        "truetype/liberation",
        "truetype/dejavu",
        "truetype/droid",
        "liberation-sans-fonts",
        "dejavu-sans-fonts",
        "google-droid-sans-fonts",
        "liberation",
        "dejavu",
        "droid",
        "TTF",
    )
)
TEXT, EUROPE, EAST_ASIA = "fonts-liberation", "fonts-dejavu-core", "fonts-droid-fallback"
# Debian package -> files of the regular and the bold font. A character is drawn in the first font
# that has it.
FILES = {
    TEXT: ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    EUROPE: ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    EAST_ASIA: ("DroidSansFallbackFull.ttf", "DroidSansFallbackFull.ttf"),
}
BUILT_IN = "Helvetica", "Helvetica-Bold"
WESTERN = frozenset(bytes(range(32, 256)).decode("cp1252", "ignore"))  # the characters of Helvetica
# Latin, Greek and Cyrillic: some of DejaVu
EUROPEAN = WESTERN | {
    chr(code)
    for code in (*range(0x100, 0x250), *range(0x386, 0x500))
    if unicodedata.category(chr(code)) != "Cn"
}
# beginnings of Unicode character names
EAST_ASIAN_NAMES = (
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "IDEOGRAPHIC",
    "FULLWIDTH",
)
RIGHT_TO_LEFT = ("R", "AL")
INVISIBLE = re.compile("[\u00ad\u180e\ufe00-\ufe0f]")
POINTS = 72 / 25.4  # points per millimetre

NO_BREAK = "\u00a0"  # a space at which no line is broken
RAISED = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
BOX = "\u25a1"  # is drawn in place of a character that no font has

lock = threading.RLock()  # hold it while drawing: the font registry of reportlab is not thread-safe
_boxes = False  # whether BOX is drawn; read and changed by the thread that holds the lock


@dataclass(frozen=True)
class Face:
    """A font and the characters that it may be used for."""

    name: str  # in the registry of reportlab
    glyphs: frozenset


def require():
    """Return the module reportlab. Raise 501 `not_installed`, with advice, if it is missing."""
    try:
        reportlab = importlib.import_module("reportlab")
        importlib.import_module("reportlab.pdfgen.canvas")
        return reportlab
    except ImportError:
        raise not_installed() from None


def not_installed():
    """Return the Problem of a server without reportlab, with advice."""
    return Problem(
        "not_installed",
        "PDF requires reportlab. Install python3-reportlab (or 'pip install reportlab') on "
        "the server.",
    )


def use_embeddable():
    """Use the fonts that can be embedded from now on if DejaVu was installed after the last PDF was
    drawn.
    """
    if Path(FILES[EUROPE][False]).stem not in [face.name for face in faces(False)]:
        faces.cache_clear()
        _face_of.cache_clear()


@lru_cache(maxsize=2)
def faces(bold):
    """Return the available fonts in order of preference."""
    found = [face for face in (_truetype(package, bold) for package in FILES) if face]
    return tuple(found if installed(TEXT) or installed(EUROPE) else [_built_in(bold), *found])


def installed(package):
    """Return the files of the regular and the bold font of a Debian package, or None if they are
    not installed.
    """
    for folder in FOLDERS:
        files = [folder / name for name in FILES[package]]
        if all(file.is_file() for file in files):
            return files
    return None


def _truetype(package, bold):
    from reportlab.pdfbase import pdfmetrics, ttfonts

    files = installed(package)
    if not files:
        return None
    file = files[bold]
    with lock:
        if file.stem not in pdfmetrics.getRegisteredFontNames():
            font = ttfonts.TTFont(file.stem, str(file))
            _end_with_unused_glyph(font.face)
            pdfmetrics.registerFont(font)
        glyphs = map(chr, pdfmetrics.getFont(file.stem).face.charToGlyph)
    # Text is drawn from left to right, so right-to-left scripts would be misspelt. Without glyphs
    # they are refused.
    return Face(
        file.stem,
        frozenset(char for char in glyphs if unicodedata.bidirectional(char) not in RIGHT_TO_LEFT),
    )


def _end_with_unused_glyph(face):
    """Let each embedded part of a font end with a glyph that no text shows, and that has another
    width.

    reportlab 3.6 (Debian 12) writes a wrong width of the last glyphs into the font, if they have
    the same one. PDF/A refuses that for glyphs that are shown (ISO 19005-3, 6.2.11.5).
    """
    make = face.makeSubset

    def make_subset(codes):
        # glyph -> its first code
        codes_of = {face.charToGlyph.get(code, 0): code for code in reversed(codes)}
        last = max(codes_of.values(), key=codes.index)
        unused = next(
            (
                code
                for code, glyph in face.charToGlyph.items()
                if glyph not in codes_of and face.charWidths[code] != face.charWidths.get(last)
            ),
            None,
        )
        return make(codes if unused is None else [*codes, unused])

    face.makeSubset = make_subset


def _built_in(bold):
    """Return Helvetica, which every PDF reader has built in. It covers Western Europe only."""
    return Face(BUILT_IN[bold], WESTERN)


def clean(text):
    """Return the text in NFC, with spaces for control characters and without format characters,
    which have no glyph.
    """
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(char):
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    is_space = category in ("Cc", "Zl", "Zp") or (category == "Zs" and char != NO_BREAK)
    return " " if is_space else char


@contextmanager
def boxes():
    """Hold the lock, and draw BOX in place of each character that no font has, or that is written
    from right to left.

    An invoice with an unusual name still has a PDF then.
    """
    global _boxes
    with lock:
        before, _boxes = _boxes, True
        try:
            yield
        finally:
            _boxes = before


def runs(text, bold=False):
    """Split a text into (font name, text) parts, each in a font that has all its characters.

    Raise 501 `not_installed` if no font has a character, unless this happens within `boxes`.
    """
    parts = [
        (name, "".join(chars)) for name, chars in groupby(text, lambda char: _face_of(char, bold))
    ]
    lacking = next((part for name, part in parts if name is None), None)
    if lacking is None:
        return parts
    if not _boxes:
        raise no_glyph(lacking[0])
    box = BOX if _face_of(BOX, bold) else "?"
    return runs("".join(char if _face_of(char, bold) else box for char in text), bold)


@lru_cache(maxsize=8192)
def _face_of(char, bold):
    return next((face.name for face in faces(bold) if char in face.glyphs), None)


def raised(number):
    """Return a number as raised digits, such as \u00b9; as `4)` if no font has them. Hold the lock."""
    digits = str(number).translate(RAISED)
    has_all = all(_face_of(digit, False) for digit in digits)
    return digits if has_all else f"{number})"


def obstacle(text, bold=False):
    """Return the Problem of a letter that no installed font has, or None. reportlab must be
    installed.

    It is imported only for letters beyond those of the usual European languages.
    """
    text = clean(" ".join(text.splitlines()))
    lacking = set(text) - (EUROPEAN if installed(EUROPE) else WESTERN)
    lacking = lacking and lacking.difference(*(face.glyphs for face in faces(bold)))
    return no_glyph(min(lacking, key=text.index)) if lacking else None


def no_glyph(char):
    """Return the Problem for a character that no font has, with advice."""
    shown = f"No installed font has the character {char} (U+{ord(char):04X})"
    package = EAST_ASIA if unicodedata.name(char, "").startswith(EAST_ASIAN_NAMES) else EUROPE
    if unicodedata.bidirectional(char) in RIGHT_TO_LEFT:
        advice = "write the text in Latin letters, because right-to-left scripts are not supported"
    elif installed(package):
        advice = "write the text with other characters"
    else:
        advice = f"install the package {package} on the server and restart the service"
    return Problem("not_installed", f"{shown}: {advice}.")


def width(text, size, bold=False):
    """Return the width of a text in millimetres. `size` is in points."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    return sum(stringWidth(part, name, size) for name, part in runs(text, bold)) / POINTS


def shrunk(text, size, room):
    """Return the font size, at most `size`, at which a text fits into one line of `room`
    millimetres.
    """
    return min(size, size * room / max(width(text, size), 1))


def wrap(text, size, room, bold=False):
    """Break a text into lines of at most `room` millimetres. Words that are wider are divided.

    Words with a no-break space between them stay together if they fit on one line.
    """
    return [
        line for part in (text or "").splitlines() for line in _wrap(clean(part), size, room, bold)
    ]


def _wrap(text, size, room, bold):
    lines, line, used, space = [], "", 0, width(" ", size, bold)
    for piece in (
        piece for word in text.split(" ") if word for piece in _pieces(word, size, room, bold)
    ):
        wide = width(piece, size, bold)
        if line and used + space + wide > room:
            lines.append(line)
            line, used = piece, wide
        elif line:
            line, used = f"{line} {piece}", used + space + wide
        else:
            line, used = piece, used + wide
    return [*lines, line]


def _pieces(word, size, room, bold):
    """Return the word as a list, divided if it is wider than a line: at no-break spaces, if it has
    any.
    """
    if width(word, size, bold) <= room:
        return [word]
    if NO_BREAK in word:
        return [piece for part in word.split(NO_BREAK) for piece in _pieces(part, size, room, bold)]
    pieces, used = [""], 0
    for char in word:
        wide = width(char, size, bold)
        if used + wide > room and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += char
        used += wide
    return pieces


def draw(canvas, x, y, text, size, bold=False):
    """Draw a text on a reportlab canvas. `x`, `y` and `size` are in points."""
    for name, part in runs(text, bold):
        canvas.setFont(name, size)
        canvas.drawString(x, y, part)
        x += canvas.stringWidth(part, name, size)
