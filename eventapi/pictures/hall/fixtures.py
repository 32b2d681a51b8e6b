"""Fixtures of a hall on its plan: walls, doors, pillars, aisles, power connections, stages and texts.

A fixture is a dict from `objects` of a plan: `kind`, `x`, `y`, `width`, `depth` in millimetres of the hall, and
`label`.
"""

from math import cos, pi, sin

from eventapi.geometry import AT_WALL, wall_of
from eventapi.pictures.letters import LINE_HEIGHT, fit
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Hatch, Lines, Text, rectangle

WALL = 1.1
AISLE, STAGE, QUIET = "#efefec", "#f3e3ee", "#555555"
PILLAR = Hatch("pillar", "#333333", 0.8, 0.25)
MAX_LEAF = 5                            # wider doors have no leaves on the plan, which would extend into the margin
BOLT = ((0.15, -1), (-0.55, 0.15), (-0.05, 0.15), (-0.15, 1), (0.55, -0.2), (0.05, -0.2))


class Hall:
    """The walls and fixtures of a hall on paper.

    left, top: position of the inside of the hall on paper.
    scale: millimetres on paper per millimetre of the hall.
    Parts of fixtures that lie outside the hall are not drawn, because they would cover the legend.
    """

    def __init__(self, width, height, objects, left, top, scale):
        self.size, self.left, self.top, self.scale = (width, height), left, top, scale
        self.objects = [inner for inner in (_within(thing, width, height) for thing in objects) if inner]
        self.width, self.height = width * scale, height * scale

    def point(self, place):
        """Convert a point of the hall to a point of the sheet."""
        return self.left + place[0] * self.scale, self.top + place[1] * self.scale

    def box(self, thing):
        """Return left, top, width and height of a fixture on paper."""
        return (*self.point((thing["x"], thing["y"])), thing["width"] * self.scale, thing["depth"] * self.scale)

    def floor(self):
        """Yield the shapes below the booths: walls, floor, aisles and stages."""
        outer = rectangle(self.left - WALL, self.top - WALL, self.width + 2 * WALL, self.height + 2 * WALL)
        yield Area((outer,), "#3a3a3a")
        yield Area((rectangle(self.left, self.top, self.width, self.height),), PAPER)
        yield from self._each("aisle", self._aisle)
        yield from self._each("stage", self._stage)

    def fixtures(self):
        """Yield the shapes above the booths."""
        yield from self._each("pillar", self._pillar)
        yield from self._each("power", self._power)
        yield from self._each("text", self._text)
        yield from self._each("door", self._door)

    def _each(self, kind, draw):
        for thing in self.objects:
            if thing["kind"] == kind:
                yield Group(tuple(draw(thing)), title=thing.get("label") or None)

    def _aisle(self, thing):
        yield Area((rectangle(*self.box(thing)),), AISLE)
        yield from self._inscribed(thing, 3.2, QUIET)

    def _stage(self, thing):
        x, y, width, height = self.box(thing)
        yield Area((rectangle(x, y, width, height),), STAGE, None, "#8a4a75", 0.3)
        inset = min(0.9, width / 8, height / 8)
        yield Area(
            (rectangle(x + inset, y + inset, width - 2 * inset, height - 2 * inset),), STAGE, None, "#8a4a75", 0.12
        )
        yield from self._inscribed(thing, 4, INK)

    def _pillar(self, thing):
        yield Area((rectangle(*self.box(thing)),), "#d0d0d0", PILLAR, INK, 0.3)

    def _power(self, thing):
        """Yield a flash in a circle, which has the same size on every sheet."""
        x, y, width, height = self.box(thing)
        x, y, radius = x + width / 2, y + height / 2, 1.3
        yield from power(x, y, radius)

    def _text(self, thing):
        yield from self._inscribed(thing, 5, INK)

    def _inscribed(self, thing, largest, ink):
        """Yield the label of a fixture, along its longer side."""
        x, y, width, height = self.box(thing)
        if not thing.get("label") or width <= 0 or height <= 0:
            return
        upright = height > 1.5 * width
        fitted = fit(
            thing["label"], (height if upright else width) * 0.96, (width if upright else height) * 0.9, largest, 1.3
        )
        if fitted:
            x, y = x + width / 2, y + height / 2
            first = y - len(fitted.lines) * fitted.size * LINE_HEIGHT / 2 + fitted.size * (LINE_HEIGHT / 2 + 0.36)
            text = Text(x, first, fitted.lines, fitted.size, ink=ink)
            yield Group((text,), turn=(-90, x, y)) if upright else text

    def _below(self, thing):
        """Yield the label below a fixture that is too thin for it."""
        x, y, width, height = self.box(thing)
        fitted = fit(thing.get("label") or "", 30, 3, 2.2, 1.5)
        if fitted:
            yield Text(x + width / 2, y + height + fitted.size * 1.1, fitted.lines[:1], fitted.size)

    # Doors

    def _door(self, thing):
        """Yield a door. In an outer wall it is a gap with leaves, an arrow and its name outside the hall."""
        wall = wall_of(thing, *self.size)
        if wall is None:
            yield Area((rectangle(*self.box(thing)),), PAPER, None, INK, 0.2)
            yield from self._below(thing)
            return
        x, y, width, height = self.box(thing)
        upright, out = wall in ("left", "right"), -1 if wall in ("left", "top") else 1
        right, bottom = self.left + self.width, self.top + self.height
        start = {"top": self.top, "bottom": bottom, "left": self.left, "right": right}[wall]
        half, along = (height / 2, y + height / 2) if upright else (width / 2, x + width / 2)

        def place(across, outwards):
            """Return a point by its distances from the middle of the door: along the wall, and out of the hall."""
            return (start + out * outwards, along + across) if upright else (along + across, start + out * outwards)
        yield from opening(place, half)
        yield from self._sign(thing.get("label"), place, upright)

    def _sign(self, label, place, upright):
        """Yield the name of a door, outside its leaves."""
        if label:
            fitted = fit(label, 32, 4.5, 2.4, 1.5)
            x, y = place(0, WALL + MAX_LEAF + 2)
            lines = fitted.lines if fitted else (label[:20],)
            size = fitted.size if fitted else 1.5
            text = Text(x, y + size * 0.36 - (len(lines) - 1) * size * LINE_HEIGHT / 2, lines, size, True)
            yield Group((text,), turn=(-90, x, y)) if upright else text


def _within(thing, width, height):
    """Return the part of a fixture that lies in the hall, or None. A door may also lie just outside its wall."""
    reach = AT_WALL if thing["kind"] == "door" else 0
    spans = [(thing["x"], thing["x"] + thing["width"], width), (thing["y"], thing["y"] + thing["depth"], height)]
    if any(end <= -reach or start >= limit + reach for start, end, limit in spans):
        return None
    inside = [(min(max(start, 0), limit), min(max(end, 0), limit)) for start, end, limit in spans]
    (left, right), (top, bottom) = inside
    return {**thing, "x": left, "y": top, "width": right - left, "depth": bottom - top}


def opening(place, half):
    """Yield the gap, the leaves and the arrow of a door.

    `place` returns a point as in Hall._door, `half` is half the width.
    """
    gap = ((-half, -0.15), (half, -0.15), (half, WALL + 0.1), (-half, WALL + 0.1))
    yield Area((tuple(place(*corner) for corner in gap),), PAPER)
    leaf = half if half > 2 else 2 * half
    if leaf <= MAX_LEAF:
        hinges = ((-half, 1), (half, -1)) if half > 2 else ((-half, 1),)
        yield Lines(
            tuple(tuple(place(*point) for point in _swing(hinge, side, leaf)) for hinge, side in hinges), INK, 0.18
        )
    width = min(1.5, max(half * 0.7, 0.6))
    yield Area((tuple(place(*corner) for corner in ((0, -1.6), (width, WALL + 0.2), (-width, WALL + 0.2))),), INK)


def _swing(hinge, side, leaf):
    """Yield the points of an open leaf and of its quarter circle. Leaves open outwards, as escape routes require."""
    yield hinge, WALL
    for step in range(9):
        angle = pi / 2 * (1 - step / 8)
        yield hinge + side * leaf * cos(angle), WALL + leaf * sin(angle)


def power(x, y, radius):
    """Yield the symbol of a power connection."""
    circle = tuple((x + radius * cos(pi * step / 8), y + radius * sin(pi * step / 8)) for step in range(16))
    yield Area((circle,), "#f0e442", None, INK, 0.2)
    yield Area((tuple((x + across * radius * 0.75, y + down * radius * 0.75) for across, down in BOLT),), INK)
