"""QR codes (ISO/IEC 18004) as one Area.

reportlab computes the modules. Their outline is drawn as one area, because separate squares would
show thin gaps between them.
"""

from collections import defaultdict
from functools import lru_cache

from eventapi.errors import Problem
from eventapi.pictures.shapes import Area

QUIET = 4  # width of the quiet zone around the code in modules, as the standard requires


@lru_cache(maxsize=512)
def modules(text, level="Q"):
    """Return the rows of modules; True is dark.

    The error correction `level` Q restores a quarter of the data, M a seventh. Raise 501
    `not_installed` if reportlab is missing.
    """
    try:
        from reportlab.graphics.barcode import qrencoder
    except ImportError:
        raise Problem(
            "not_installed",
            "A QR code requires reportlab. Install python3-reportlab "
            "(or 'pip install reportlab') on the server.",
        ) from None
    code = qrencoder.QRCode(None, getattr(qrencoder.QRErrorCorrectLevel, level))
    code.addData(text)
    code.make()
    return tuple(tuple(bool(dark) for dark in row) for row in code.modules)


def area(text, x, y, module, level="Q"):
    """Return the code as an Area with its top left at (x, y) and modules of `module` millimetres."""
    moved = (
        tuple((x + across * module, y + down * module) for across, down in ring)
        for ring in rings(text, level)
    )
    return Area(tuple(moved), "#000000")


def size(text, level="Q"):
    """Return the number of modules of a side, without the quiet zone."""
    return len(modules(text, level))


@lru_cache(maxsize=512)
def rings(text, level="Q"):
    """Return the outline of the dark modules as rings of points, in modules from the top left."""
    return tuple(outline(modules(text, level)))


def outline(rows):
    """Yield rings of points around the dark modules: outlines clockwise, holes counter-clockwise."""
    dark = {
        (across, down)
        for down, row in enumerate(rows)
        for across, is_dark in enumerate(row)
        if is_dark
    }
    steps = defaultdict(list)  # point -> points to which a border leads
    for across, down in dark:
        corners = (across, down), (across + 1, down), (across + 1, down + 1), (across, down + 1)
        neighbours = (across, down - 1), (across + 1, down), (across, down + 1), (across - 1, down)
        for start, end, neighbour in zip(
            corners, (*corners[1:], corners[0]), neighbours, strict=True
        ):
            if neighbour not in dark:
                steps[start].append(end)
    while steps:
        yield _ring(steps)


def _ring(steps):
    """Remove one ring from `steps` and return its points. Points on straight lines are omitted."""
    first = point = next(iter(steps))
    ring = []
    while not ring or point != first:
        following = steps[point].pop()
        if not steps[point]:
            del steps[point]
        if len(ring) > 1 and _is_straight(ring[-2], ring[-1], point):
            ring.pop()
        ring.append(point)
        point = following
    return ring


def _is_straight(one, two, three):
    return one[0] == two[0] == three[0] or one[1] == two[1] == three[1]
