"""Fixtures of a hall on its plan: walls, doors, pillars, aisles, power connections, stages and
texts.

A fixture is a dict from `objects` of a plan: `kind`, `x`, `y`, `width`, `depth` in millimetres of
the hall, and `label`.
"""

from functools import cached_property
from math import cos, pi, sin

from eventapi.geometry import AT_WALL, box, corners, meet, wall_of
from eventapi.pictures import style
from eventapi.pictures.hall.labels import parts_beside
from eventapi.pictures.letters import LINE_HEIGHT, em, fit, shortened
from eventapi.pictures.shapes import Area, Group, Hatch, Lines, Text, rectangle
from eventapi.pictures.style import INK, PAPER, QUIET, THING

WALL = 1.1
AISLE, STAGE, STAGE_EDGE = "#f1f1ed", THING, "#6f668a"
PILLAR = Hatch("pillar", "#333333", 0.8, 0.25)
POWER, ARROW = 1.3, 1.6  # radius of the symbol of a power connection; depth of the arrow of a door
AIR = 0.4  # between a symbol and a text
TEXT, LABEL_SIZE = 5, 1.6  # largest font size of texts, smallest of all labels
SIGN = 6.5  # space outside a wall for the names of doors
LONGEST_SIGN = 40  # width of the name of a door
BELOW = 3.5  # height of the label below a door in no wall
MAX_LEAF = 5  # wider doors have no leaves on the plan, which would extend into the margin
BOLT = ((0.15, -1), (-0.55, 0.15), (-0.05, 0.15), (-0.15, 1), (0.55, -0.2), (0.05, -0.2))


class Hall:
    """The walls and fixtures of a hall on paper.

    left, top: position of the inside of the hall on paper.
    scale: millimetres on paper per millimetre of the hall.
    Parts of fixtures that lie outside the hall are not drawn, because they would cover the legend.
    """

    def __init__(self, width, height, objects, left, top, scale, booths=()):
        self.size, self.left, self.top, self.scale = (width, height), left, top, scale
        self.objects = [
            inner for inner in (_within(thing, width, height) for thing in objects) if inner
        ]
        self.width, self.height = width * scale, height * scale
        self.booths = [box(corners(booth)) for booth in booths]

    def point(self, place):
        """Convert a point of the hall to a point of the sheet."""
        return self.left + place[0] * self.scale, self.top + place[1] * self.scale

    def box(self, thing):
        """Return left, top, width and height of a fixture on paper."""
        return (
            *self.point((thing["x"], thing["y"])),
            thing["width"] * self.scale,
            thing["depth"] * self.scale,
        )

    @cached_property
    def symbols(self):
        """The boxes (left, top, right, bottom) in the hall of all that is drawn above the booths."""
        return [found for thing in self.objects for found in self._covered(thing)]

    def _covered(self, thing):
        """Yield the boxes of the symbols and texts of a fixture, with some air around them."""
        left, top, right, bottom = _sides(thing)
        air, middle, center = AIR / self.scale, (left + right) / 2, (top + bottom) / 2
        if thing["kind"] == "pillar":
            yield left - air, top - air, right + air, bottom + air
        elif thing["kind"] == "power":
            reach = (POWER + AIR) / self.scale
            yield middle - reach, center - reach, middle + reach, center + reach
        elif thing["kind"] == "door":
            reach, below = (ARROW + AIR) / self.scale, 0
            if wall_of(thing, *self.size) is None and thing.get("label"):
                below = BELOW / self.scale  # its label, see _below
            yield (
                min(left, middle - reach),
                top - reach,
                max(right, middle + reach),
                bottom + reach + below,
            )
        elif thing["kind"] == "north":
            yield left - air, top - air, right + air, bottom + air
        elif thing["kind"] == "text":
            yield from self._text_box(thing)

    def _text_box(self, thing):
        """Yield the box in the hall of the label of a fixture of the kind `text`."""
        for text, is_upright in self._fitted(thing, TEXT, ()):
            wide = max(map(em, text.lines)) * text.size
            high = len(text.lines) * text.size * LINE_HEIGHT
            wide, high = (high, wide) if is_upright else (wide, high)
            x, y = (text.x - self.left) / self.scale, (text.y - self.top) / self.scale
            across, down = (wide / 2 + AIR) / self.scale, (high / 2 + AIR) / self.scale
            yield x - across, y - down, x + across, y + down

    def floor(self):
        """Yield the shapes below the booths: walls, floor, aisles and stages."""
        outer = rectangle(
            self.left - WALL, self.top - WALL, self.width + 2 * WALL, self.height + 2 * WALL
        )
        yield Area((outer,), style.WALL)
        yield Area((rectangle(self.left, self.top, self.width, self.height),), PAPER)
        yield from self._each("aisle", self._aisle)
        yield from self._each("stage", self._stage)

    def fixtures(self):
        """Yield the shapes above the booths."""
        yield from self._each("pillar", self._pillar)
        yield from self._each("power", self._power)
        yield from self._each("north", self._north)
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
        yield Area((rectangle(x, y, width, height),), STAGE, None, STAGE_EDGE, 0.3)
        inset = min(0.9, width / 8, height / 8)
        yield Area(
            (rectangle(x + inset, y + inset, width - 2 * inset, height - 2 * inset),),
            STAGE,
            None,
            STAGE_EDGE,
            0.12,
        )
        yield from self._inscribed(thing, 4, INK)

    def _pillar(self, thing):
        yield Area((rectangle(*self.box(thing)),), "#d0d0d0", PILLAR, INK, 0.3)

    def _power(self, thing):
        """Yield a flash in a circle, which has the same size on every sheet."""
        x, y, width, height = self.box(thing)
        yield from power(x + width / 2, y + height / 2, POWER)

    def _north(self, thing):
        """Yield an arrow that points up, as large as its box allows."""
        left, top, width, height = self.box(thing)
        x, y, size = left + width / 2, top + height / 2, min(width * 1.6, height) / 2
        tip, notch = (x, y - size), (x, y + 0.5 * size)
        right, left = ((x + side * 0.6 * size, y + size) for side in (1, -1))
        yield Area(((tip, right, notch, left),), PAPER, None, INK, 0.25)
        yield Area(((tip, right, notch),), INK)

    def _text(self, thing):
        """Yield the label, on a plain background if it lies on a booth."""
        for found in self._text_box(thing):
            if any(meet(found, booth) for booth in self.booths):
                left, top, right, bottom = found
                yield Area(
                    (tuple(map(self.point, rectangle(left, top, right - left, bottom - top))),),
                    PAPER,
                )
        yield from self._inscribed(thing, TEXT, INK, ())

    def _inscribed(self, thing, largest, ink, obstacles=None):
        """Yield the label of a fixture, along its longer side, beside the booths and symbols on it."""
        for middle, is_upright in self._fitted(thing, largest, obstacles):
            x, y, lines, size = middle.x, middle.y, middle.lines, middle.size
            first = y - len(lines) * size * LINE_HEIGHT / 2 + size * (LINE_HEIGHT / 2 + 0.36)
            text = Text(x, first, lines, size, ink=ink)
            yield Group((text,), turn=(-90, x, y)) if is_upright else text

    def _fitted(self, thing, largest, obstacles):
        """Yield (Text, whether it is turned) of the label of a fixture, if it fits.

        `y` is the middle of the Text.

        `obstacles` are boxes in the hall, by default those of the booths and symbols.
        """
        if not thing.get("label") or thing["width"] <= 0 or thing["depth"] <= 0:
            return
        obstacles = [*self.booths, *self.symbols] if obstacles is None else obstacles
        whole, found = _sides(thing), []
        for part in parts_beside(whole, [each for each in obstacles if meet(each, whole)], 40):
            left, top, right, bottom = part
            width, height = (right - left) * self.scale, (bottom - top) * self.scale
            is_upright = height > 1.5 * width
            along, across = (height, width) if is_upright else (width, height)
            fitted = fit(thing["label"], along * 0.96, across * 0.9, largest, LABEL_SIZE)
            if fitted:
                moved = sum(abs(one - other) for one, other in zip(part, whole, strict=True))
                text = Text(
                    *self.point(((left + right) / 2, (top + bottom) / 2)), fitted.lines, fitted.size
                )
                found.append(((fitted.is_whole, fitted.size, -moved), text, is_upright))
        if found:
            yield max(found, key=lambda each: each[0])[1:]

    def _below(self, thing):
        """Yield the label below a fixture that is too thin for it."""
        x, y, width, height = self.box(thing)
        fitted = fit(thing.get("label") or "", 30, 3, 2.4, LABEL_SIZE)
        if fitted:
            yield Text(x + width / 2, y + height + fitted.size * 1.1, fitted.lines[:1], fitted.size)

    # Doors

    def _door(self, thing):
        """Yield a door.

        In an outer wall it is a gap with leaves, an arrow and its name outside the hall.
        """
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
            """Return a point by its distances from the middle of the door: along the wall, and out
            of the hall.
            """
            return (
                (start + out * outwards, along + across)
                if upright
                else (along + across, start + out * outwards)
            )

        yield from opening(place, half)
        yield from self._sign(
            thing.get("label"), place, upright, leaf_of(half), self._sign_room(thing, wall)
        )

    def _sign_room(self, thing, wall):
        """Return the width that the name of a door may have beside the names of the other doors in
        its wall.
        """
        side, length = ("y", "depth") if wall in ("left", "right") else ("x", "width")
        middle = thing[side] + thing[length] / 2
        others = [
            abs(other[side] + other[length] / 2 - middle) * self.scale
            for other in self.objects
            if other is not thing
            and other["kind"] == "door"
            and other.get("label")
            and wall_of(other, *self.size) == wall
        ]
        return min([LONGEST_SIGN, *(distance - 1 for distance in others)])

    def _sign(self, label, place, upright, leaf, room):
        """Yield the name of a door, outside its leaves, if there is room for it."""
        if label and room > 5:
            fitted = fit(label, room, SIGN - 2, 2.8, 1.8)
            x, y = place(0, WALL + leaf + 0.8 + (SIGN - 2) / 2)
            lines = fitted.lines if fitted else (shortened(label, room, 1.8, True),)
            size = fitted.size if fitted else 1.8
            size = min(size, *(room / em(line, True) for line in lines))
            text = Text(
                x, y + size * 0.36 - (len(lines) - 1) * size * LINE_HEIGHT / 2, lines, size, True
            )
            yield Group((text,), turn=(-90, x, y)) if upright else text


def _sides(thing):
    """Return left, top, right and bottom of a fixture in the hall."""
    return thing["x"], thing["y"], thing["x"] + thing["width"], thing["y"] + thing["depth"]


def _within(thing, width, height):
    """Return the part of a fixture that lies in the hall, or None.

    A door may also lie just outside its wall.
    """
    reach = AT_WALL if thing["kind"] == "door" else 0
    spans = [
        (thing["x"], thing["x"] + thing["width"], width),
        (thing["y"], thing["y"] + thing["depth"], height),
    ]
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
    leaf = leaf_of(half)
    if leaf:
        hinges = ((-half, 1), (half, -1)) if half > 2 else ((-half, 1),)
        yield Lines(
            tuple(
                tuple(place(*point) for point in _swing(hinge, side, leaf))
                for hinge, side in hinges
            ),
            INK,
            0.18,
        )
    width = min(1.5, max(half * 0.7, 0.6))
    yield Area(
        (
            tuple(
                place(*corner)
                for corner in ((0, -ARROW), (width, WALL + 0.2), (-width, WALL + 0.2))
            ),
        ),
        INK,
    )


def leaf_of(half):
    """Return the width of the leaves of a door on paper, or 0 if they are not drawn.

    `half` is half its width.
    """
    leaf = half if half > 2 else 2 * half
    return leaf if leaf <= MAX_LEAF else 0


def _swing(hinge, side, leaf):
    """Yield the points of an open leaf and of its quarter circle.

    Leaves open outwards, as escape routes require.
    """
    yield hinge, WALL
    for step in range(9):
        angle = pi / 2 * (1 - step / 8)
        yield hinge + side * leaf * cos(angle), WALL + leaf * sin(angle)


def power(x, y, radius):
    """Yield the symbol of a power connection."""
    circle = tuple(
        (x + radius * cos(pi * step / 8), y + radius * sin(pi * step / 8)) for step in range(16)
    )
    yield Area((circle,), "#f0e442", None, INK, 0.2)
    yield Area(
        (tuple((x + across * radius * 0.75, y + down * radius * 0.75) for across, down in BOLT),),
        INK,
    )
