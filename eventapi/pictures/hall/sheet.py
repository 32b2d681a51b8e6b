"""The sheet of a hall plan: A3 with title, hall, booths, legend and scale.

Lengths are in millimetres: of the hall for booths and fixtures, on paper for everything that is drawn.
"""
from collections import Counter
from decimal import Decimal

from eventapi import geometry, money
from eventapi.pictures import words
from eventapi.pictures.hall.blocks import LOOKS, block, blocks
from eventapi.pictures.hall.fixtures import PILLAR, WALL, Hall, opening, power
from eventapi.pictures.hall.words import WORDS
from eventapi.pictures.letters import em, fit
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Lines, Picture, Text, rectangle

LONG, SHORT = 420, 297
MARGIN, HEADER, FOOTER = 12, 20, 27
AROUND = 11                                         # space around the hall for the names of doors
GREY = "#555555"
# Scales of plans, each multiplied by a power of ten.
RATIOS = (1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.4, 7.2, 8, 9)
MAX_TYPES = 10


def picture(hall, language="en"):
    """Return the Picture of a hall, which is a dict of domain/halls/plan_pictures.py."""
    return Sheet(hall, language).picture()


class Sheet:
    """The drawing of one hall plan."""

    def __init__(self, hall, language):
        self.hall, self.language = hall, language
        self.words = {**words.WORDS[language], **WORDS[language]}
        self.places = money.decimals(hall["currency"])
        self.booths = [
            {**booth, "label": self._name(booth), "details": self._details(booth)} for booth in hall["booths"]
        ]
        self._measure()

    def _measure(self):
        """Determine which booths are shown, the orientation of the paper and the scale."""
        left, top, right, bottom = shown = _shown(self.hall)
        self.placed = [booth for booth in self.booths if _lies_within(booth, shown)]
        self.missing = [booth for booth in self.booths if not _lies_within(booth, shown)]
        wide, high = right - left, bottom - top
        # If both orientations allow the same scale, min() returns the first: the orientation of the hall.
        papers = ((LONG, SHORT), (SHORT, LONG)) if wide >= high else ((SHORT, LONG), (LONG, SHORT))
        self.width, self.height = min(papers, key=lambda paper: _ratio(wide, high, *paper))
        self.ratio = _ratio(wide, high, self.width, self.height)
        scale = 1 / self.ratio
        x = (self.width - (right - left) * scale) / 2 - left * scale
        y = HEADER + (self.height - HEADER - FOOTER - (bottom - top) * scale) / 2 - top * scale
        self.plan = Hall(self.hall["width"], self.hall["height"], self.hall["objects"], x, y, scale)

    def picture(self):
        """Return the Picture of the whole sheet."""
        title = f"{self.hall['event']} – {self.hall['name']}"
        counted = Counter(booth["status"] for booth in self.booths)
        statuses = ", ".join(f"{counted[status]} {self.words[status]}" for status in LOOKS)
        size = f"{_metres(self.hall['width'])} × {_metres(self.hall['height'])} m"
        background = Area((rectangle(0, 0, self.width, self.height),), PAPER)
        parts = (
            background,
            *self._header(),
            *self.plan.floor(),
            *self._blocks(),
            *self.plan.fixtures(),
            *self._footer(counted),
        )
        return Picture(f"plan{self.hall['id']}", self.width, self.height, title,
                       f"{self.words['plan']}, {size}: {statuses}.", self.language, parts)

    def _blocks(self):
        for booths in blocks(self.placed):
            yield block(booths, self.plan.point, self.plan.scale, self._describe)

    # Texts

    def _name(self, booth):
        return booth["exhibitor"] or booth["booth_name"] or booth["blocked_reason"] or ""

    def _details(self, booth):
        """Return the texts below the name: the price, and the area of a booth that is available."""
        area = f"{self._number(Decimal(booth['width'] * booth['depth']) / 10 ** 6)} m²"
        return {"available": (area, self._price(booth)), "blocked": ()}.get(booth["status"], (self._price(booth),))

    def _price(self, booth):
        return None if booth["price"] is None else self._money(booth["price"])

    def _money(self, units):
        return f"{words.number(Decimal(units).scaleb(-self.places), self.places, self.words)} {self.hall['currency']}"

    def _number(self, value):
        return words.number(value.quantize(Decimal("0.01")).normalize(), 0, self.words)

    def _describe(self, booth):
        """Return the tooltip of a booth, with everything for which the drawing may lack space."""
        size = f"{_metres(booth['width'])} × {_metres(booth['depth'])} m"
        parts = (booth["booth_number"], booth["exhibitor"], booth["booth_name"], self.words[booth["status"]],
                 booth["blocked_reason"], size, booth["type"], self._price(booth))
        return ", ".join(part for part in parts if part)

    # Title and legend

    def _header(self):
        hall, right = self.hall, self.width - MARGIN
        title = fit(hall["name"], right - MARGIN - 95, 9, 7, 3)
        name = title.lines[0] if title else hall["name"][:60]
        yield Text(MARGIN, 14.5, (name,), title.size if title else 3, True, align="start")
        days = " – ".join(dict.fromkeys(words.day(day, self.words) for day in (hall["from"], hall["to"]) if day))
        below = " · ".join(part for part in (hall["event"], hall["city"], days, hall["area_name"]) if part)
        line = fit(below, right - MARGIN - 95, 4.4, 3.6, 2)
        text = line.lines[:1] if line else (below[:90],)
        yield Text(MARGIN, 20, text, line.size if line else 2, ink=GREY, align="start")
        yield Text(right, 13, (self.words[hall["view"]],), 3.2, True, align="end")
        changed = f"{self.words['changed']} {words.day(hall['changed'], self.words)}"
        yield Text(right, 17.5, (changed,), 2.6, ink=GREY, align="end")

    def _footer(self, counted):
        y = self.height - FOOTER + 3
        yield Lines((((MARGIN, y), (self.width - MARGIN, y)),), GREY, 0.15)
        x = MARGIN
        for status, look in LOOKS.items():
            area = sum(booth["width"] * booth["depth"] for booth in self.booths if booth["status"] == status)
            square_metres = self._number(Decimal(area) / 10 ** 6)
            yield Area((rectangle(x, y + 3, 7, 4.6),), look.fill, look.hatch, INK, 0.2)
            yield Text(x + 8.5, y + 4.8, (self.words[status],), 2.8, True, align="start")
            yield Text(x + 8.5, y + 8, (f"{counted[status]} · {square_metres} m²",), 2.4, ink=GREY, align="start")
            x += 36
        yield from self._symbols(x + 2, y + 3)
        yield from self._types(MARGIN, y + 12)
        yield from self._missing(MARGIN, self.height - 4.2)
        yield from self._scale_bar(self.width - MARGIN - 16, y + 8)
        yield from _north(self.width - MARGIN - 5, y + 9, self.words["north"])

    def _symbols(self, x, y):
        """Yield the legend of the symbols that the plan contains."""
        for kind, draw in (("door", _door_symbol), ("pillar", _pillar_symbol), ("power", _power_symbol)):
            if any(thing["kind"] == kind for thing in self.hall["objects"]):
                yield Group(tuple(draw(x + 2.5, y + 2.3)))
                yield Text(x + 6, y + 3.2, (self.words[kind],), 2.6, align="start")
                x += 9 + em(self.words[kind]) * 2.6

    def _types(self, x, y):
        counted = Counter((booth["type"], booth["color"]) for booth in self.booths if booth["type"])
        last = self.width - MARGIN - 90
        for (name, color), count in counted.most_common(MAX_TYPES):
            text = f"{name} ({count})"
            if x + 8 + em(text) * 2.4 > last:
                yield Text(x, y + 2.2, ("…",), 2.4, align="start")
                return
            yield Area((rectangle(x, y + 0.4, 5, 1.6),), color or PAPER, None, INK, 0.12)
            yield Text(x + 6.2, y + 2.2, (text,), 2.4, align="start")
            x += 10 + em(text) * 2.4

    def _missing(self, x, y):
        """Yield the list of booths that are not shown, because they have no position or lie far outside the hall."""
        if self.missing:
            numbers = ", ".join(booth["booth_number"] for booth in self.missing[:200])
            text = f"{self.words['missing']} ({len(self.missing)}): {numbers}"
            line = fit(text, self.width - 2 * MARGIN - 60, 2.9, 2.4, 2.2)
            yield Text(x, y, line.lines[:1], line.size, ink=GREY, align="start")

    def _scale_bar(self, right, y):
        """Yield a scale bar of four parts, and the scale of a print on A3."""
        part = _step((1, 2, 5), 6 * self.ratio)          # in millimetres of the hall; about a centimetre on paper
        wide = part / self.ratio
        for place in range(4):
            x = right - (4 - place) * wide
            yield Area((rectangle(x, y, wide, 1.6),), INK if place % 2 == 0 else PAPER, None, INK, 0.15)
            yield Text(x, y - 1, (_metres(part * place),), 2.2)
        yield Text(right, y - 1, (f"{_metres(part * 4)} m",), 2.2)
        yield Text(right - 2 * wide, y + 5, (f"1 : {_plain(self.ratio)} (A3)",), 2.6, True)


def _shown(hall):
    """Return (left, top, right, bottom) of the drawing: the hall, and booths that protrude by a quarter at most."""
    width, height = hall["width"], hall["height"]
    limits = -width / 4, -height / 4, width * 1.25, height * 1.25
    booths = [geometry.box(geometry.corners(booth)) for booth in hall["booths"] if _lies_within(booth, limits)]
    boxes = [(0, 0, width, height), *booths]
    return (min(box[0] for box in boxes), min(box[1] for box in boxes),
            max(box[2] for box in boxes), max(box[3] for box in boxes))


def _lies_within(booth, limits):
    if booth["pos_x"] is None:
        return False
    left, top, right, bottom = geometry.box(geometry.corners(booth))
    return left >= limits[0] and top >= limits[1] and right <= limits[2] and bottom <= limits[3]


def _ratio(wide, high, width, height):
    """Return the scale, such as 100 for 1:100, at which an area of the hall fits on a sheet of paper."""
    return _step(RATIOS, max(wide / (width - 2 * MARGIN - 2 * AROUND), high / (height - HEADER - FOOTER - 2 * AROUND)))


def _step(steps, least):
    """Return the smallest number that is at least `least` and one of `steps` times a power of ten."""
    power = 0.001
    while True:
        for step in steps:
            if step * power >= least * 0.9999:
                return step * power
        power *= 10


def _metres(millimetres):
    return _plain(millimetres / 1000)


def _plain(value):
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _north(x, y, word):
    """Yield the north arrow. The top of every plan is north."""
    yield Area((((x, y - 6), (x + 2.6, y + 2), (x, y), (x - 2.6, y + 2)),), PAPER, None, INK, 0.25)
    yield Area((((x, y - 6), (x + 2.6, y + 2), (x, y)),), INK)
    yield Text(x, y + 5.4, (word,), 2.8, True)


def _door_symbol(x, y):
    yield Area((rectangle(x - 2.5, y, 5, WALL),), "#3a3a3a")
    yield from opening(lambda across, outwards: (x + across, y + WALL - outwards), 1.5)


def _pillar_symbol(x, y):
    yield Area((rectangle(x - 1.5, y - 1.5, 3, 3),), "#d0d0d0", PILLAR, INK, 0.3)


def _power_symbol(x, y):
    yield from power(x, y, 1.5)
