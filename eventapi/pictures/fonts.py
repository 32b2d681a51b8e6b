"""Fonts in PDF: which of them has a glyph, how wide a text is, where it breaks. reportlab is loaded when it is first wanted."""
import importlib
import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from eventapi.errors import Problem

FOLDERS = tuple(Path("/usr/share/fonts") / name for name in
                ("truetype/dejavu", "truetype/droid", "dejavu-sans-fonts", "google-droid-sans-fonts", "dejavu", "droid", "TTF"))
EUROPE, EAST_ASIA = "fonts-dejavu-core", "fonts-droid-fallback"
# package -> regular and bold, in the order in which they are asked for a glyph
FILES = {EUROPE: ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
         EAST_ASIA: ("DroidSansFallbackFull.ttf", "DroidSansFallbackFull.ttf")}
OF_EAST_ASIA = ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH")   # how the names of its characters begin
RIGHT_TO_LEFT = ("R", "AL")
INVISIBLE = re.compile("[\u00ad\u180e\ufe00-\ufe0f]")
POINTS = 72 / 25.4                                  # of a millimetre

lock = threading.RLock()                            # reportlab's fonts are not made for several threads: hold it while drawing


@dataclass(frozen=True)
class Face:
    name: str                                       # as reportlab knows it
    glyphs: frozenset                               # characters


def require():
    """reportlab, or the problem that says how to get it."""
    try:
        reportlab = importlib.import_module("reportlab")
        importlib.import_module("reportlab.pdfgen.canvas")
        return reportlab
    except ImportError:
        raise Problem("not_installed", "PDF requires reportlab. Install python3-reportlab "
                                       "(or 'pip install reportlab') on the server.") from None


@lru_cache(maxsize=2)
def faces(bold):
    """The installed fonts in the order in which they are asked for a glyph."""
    found = [face for face in (_truetype(package, bold) for package in FILES) if face]
    return tuple(found if installed(EUROPE) else [_own(bold), *found])


def installed(package):
    """The files of the package's regular and bold font, or None."""
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
            pdfmetrics.registerFont(ttfonts.TTFont(file.stem, str(file)))
        glyphs = map(chr, pdfmetrics.getFont(file.stem).face.charToGlyph)
    # Set letter by letter from the left, these would be misspelt: better to say so.
    return Face(file.stem, frozenset(char for char in glyphs if unicodedata.bidirectional(char) not in RIGHT_TO_LEFT))


def _own(bold):
    """What every PDF reader has built in: Western Europe only."""
    return Face("Helvetica-Bold" if bold else "Helvetica", frozenset(bytes(range(32, 256)).decode("cp1252", "ignore")))


def clean(text):
    """Composed letters; no control and format characters, which have no glyph."""
    text = INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    if text.isprintable():
        return text
    kinds = ((char, unicodedata.category(char)) for char in text)
    return "".join(" " if kind in ("Cc", "Zl", "Zp") or kind == "Zs" and char != "\u00a0" else char
                   for char, kind in kinds if kind != "Cf")


def runs(text, bold=False):
    """(font, text) parts, each in one font that has all its glyphs; 501 where no font has one."""
    return [(name, "".join(chars)) for name, chars in groupby(text, lambda char: _face_of(char, bold))]


@lru_cache(maxsize=8192)
def _face_of(char, bold):
    for face in faces(bold):
        if char in face.glyphs:
            return face.name
    raise no_glyph(char)


def no_glyph(char):
    shown = f"No installed font has the character {char} (U+{ord(char):04X})"
    package = EAST_ASIA if unicodedata.name(char, "").startswith(OF_EAST_ASIA) else EUROPE
    if unicodedata.bidirectional(char) in RIGHT_TO_LEFT:
        advice = "write the text in Latin letters, because right-to-left scripts are not supported"
    elif installed(package):
        advice = "write the text with other characters"
    else:
        advice = f"install the package {package} on the server and restart the service"
    return Problem("not_installed", f"{shown}: {advice}.")


def width(text, size, bold=False):
    """In millimetres; the size in points."""
    from reportlab.pdfbase.pdfmetrics import stringWidth
    return sum(stringWidth(part, name, size) for name, part in runs(text, bold)) / POINTS


def wrap(text, size, room, bold=False):
    """The lines of a text that are at most `room` millimetres wide; a longer word is cut."""
    return [line for part in (text or "").splitlines() for line in _wrap(clean(part), size, room, bold)]


def _wrap(text, size, room, bold):
    lines, line, used, space = [], "", 0, width(" ", size, bold)
    for word in (piece for word in text.split(" ") if word for piece in _pieces(word, size, room, bold)):
        wide = width(word, size, bold)
        if line and used + space + wide > room:
            lines.append(line)
            line, used = word, wide
        else:
            line, used = f"{line} {word}" if line else word, used + (space if line else 0) + wide
    return [*lines, line]


def _pieces(word, size, room, bold):
    """The word, in pieces where it is wider than a line."""
    if width(word, size, bold) <= room:
        return [word]
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
    """A text from a point on, in points, as the canvas counts."""
    for name, part in runs(text, bold):
        canvas.setFont(name, size)
        canvas.drawString(x, y, part)
        x += canvas.stringWidth(part, name, size)
