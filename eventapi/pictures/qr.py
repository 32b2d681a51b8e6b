"""QR codes (ISO/IEC 18004): reportlab finds the modules, and their outline is drawn as one area, so that no seam shows between them."""
from collections import defaultdict
from functools import lru_cache

from eventapi.errors import Problem
from eventapi.pictures.shapes import Area

QUIET = 4                               # modules of white all round, which scanners need


@lru_cache(maxsize=512)
def modules(text):
    """Rows of modules, True where dark; a quarter of them may be soiled. 501 without reportlab."""
    try:
        from reportlab.graphics.barcode import qrencoder
    except ImportError:
        raise Problem("not_installed", "The QR code of a badge requires reportlab. Install python3-reportlab "
                                       "(or 'pip install reportlab') on the server.") from None
    code = qrencoder.QRCode(None, qrencoder.QRErrorCorrectLevel.Q)
    code.addData(text)
    code.make()
    return tuple(tuple(bool(dark) for dark in row) for row in code.modules)


def area(text, x, y, module):
    """The code as an area: its first module at (x, y), each `module` millimetres wide."""
    return Area(tuple(tuple((x + across * module, y + down * module) for across, down in ring) for ring in _outline(text)), "#000000")


def size(text):
    """How many modules a side has, without the quiet zone."""
    return len(modules(text))


@lru_cache(maxsize=512)
def _outline(text):
    return tuple(outline(modules(text)))


def outline(rows):
    """The rings round all dark modules: clockwise outside, the other way round holes."""
    dark = {(across, down) for down, row in enumerate(rows) for across, is_dark in enumerate(row) if is_dark}
    onwards = defaultdict(list)
    for across, down in dark:
        corners = (across, down), (across + 1, down), (across + 1, down + 1), (across, down + 1)
        beyond = (across, down - 1), (across + 1, down), (across, down + 1), (across - 1, down)
        for start, end, neighbour in zip(corners, (*corners[1:], corners[0]), beyond):
            if neighbour not in dark:
                onwards[start].append(end)
    while onwards:
        yield _ring(onwards)


def _ring(onwards):
    """Takes one ring out of the steps that are left; a point on a straight line is left out."""
    first = point = next(iter(onwards))
    ring = []
    while not ring or point != first:
        following = onwards[point].pop()
        if not onwards[point]:
            del onwards[point]
        if len(ring) > 1 and _is_straight(ring[-2], ring[-1], point):
            ring.pop()
        ring.append(point)
        point = following
    return ring


def _is_straight(one, two, three):
    return one[0] == two[0] == three[0] or one[1] == two[1] == three[1]
