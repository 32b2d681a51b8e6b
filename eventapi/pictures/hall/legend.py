"""The legend of a hall plan: the colours of booths, the types of booths, the symbols and the scale
bar.

It is laid out in a column beside the hall or in rows below it. Lengths are in millimetres on paper.
"""

from collections import Counter
from decimal import Decimal

from eventapi.pictures import style
from eventapi.pictures.hall.blocks import LOOKS
from eventapi.pictures.hall.fixtures import PILLAR, WALL, opening, power
from eventapi.pictures.hall.labels import BAND
from eventapi.pictures.letters import em, fit, shortened
from eventapi.pictures.shapes import Area, Group, Lines, Text, rectangle
from eventapi.pictures.style import INK, LINE, PAPER, QUIET

SIZE, SMALL = 2.8, 2.4  # font sizes
SAMPLE = 7  # width of the samples of colours
ROW, TALL, GROUP = 6.6, 7.6, 3  # heights of a row below and beside the hall; space between groups
SCALE_WIDTH, SCALE_HEIGHT = 52, 12
MAX_TYPES = 12
# Statuses that each view shows, and those whose number and area it tells.
STATUSES = {
    "internal": ("available", "reserved", "sold", "blocked"),
    "public": ("available", "exhibitor", "taken"),
}
COUNTED = {"internal": STATUSES["internal"], "public": ("available",)}


class Legend:
    """The legend of one plan.

    texts: words of the language.
    number: function that formats a Decimal.
    """

    def __init__(self, hall, booths, missing, texts, number):
        self.hall, self.booths, self.texts, self.number = hall, booths, texts, number
        self.missing = missing if hall["view"] == "internal" else []
        self.groups = [list(self._statuses()), list(self._symbols()), list(self._types())]

    def counts(self):
        """Return the number of booths of each status that the view tells."""
        counted = Counter(booth["status"] for booth in self.booths)
        return {status: counted[status] for status in COUNTED[self.hall["view"]]}

    def rows(self, width):
        """Return the entries as rows that are at most `width` wide."""
        rows = [[]]
        for entry in (entry for group in self.groups for entry in group):
            if rows[-1] and sum(each[0] for each in rows[-1]) + entry[0] > width:
                rows.append([])
            rows[-1].append(entry)
        return rows

    def below(self, left, right, bottom, ratio):
        """Yield the legend in rows that end at `bottom`, with the scale bar to the right."""
        room = right - left - SCALE_WIDTH - 10
        rows = self.rows(room)
        y = bottom - self.height_below(left, right)
        yield Lines((((left, y), (right, y)),), LINE, 0.2)
        for place, row in enumerate(rows):
            x = left
            for wide, draw in row:
                yield from draw(x, y + 3 + ROW * place, wide)
                x += wide
        yield from self._missing(left, bottom, room)
        yield from self._scale_bar(right - SCALE_WIDTH, y + 6.5, ratio)

    def height_below(self, left, right):
        """Return the height of the legend in rows."""
        rows = (
            3 + ROW * len(self.rows(right - left - SCALE_WIDTH - 10)) + (4 if self.missing else 0)
        )
        return max(rows, SCALE_HEIGHT + 4)

    def beside(self, left, top, right, bottom, ratio):
        """Yield the legend in a column with the scale bar at its end."""
        y = top
        for group in filter(None, self.groups):
            for wide, draw in group:
                if y + TALL > bottom - SCALE_HEIGHT - 8:
                    break
                yield from draw(left, y, min(wide, right - left))
                y += TALL
            y += GROUP
        yield from self._scale_bar(left, bottom - 6, ratio)
        yield from self._missing(left, bottom - SCALE_HEIGHT - 3, right - left)

    # Entries: (width, function of left, top and width that yields shapes)

    def _statuses(self):
        counts = self.counts()
        for status in STATUSES[self.hall["view"]]:
            area = sum(
                booth["width"] * booth["depth"]
                for booth in self.booths
                if booth["status"] == status
            )
            size = (
                f"{counts[status]} · {self.number(Decimal(area) / 10**6)} m²"
                if status in counts
                else ""
            )
            look = LOOKS[self.hall["view"]][status]

            def draw(x, y, _, look=look, size=size, name=self.texts[status]):
                yield Area(
                    (rectangle(x, y, SAMPLE, 4.8),),
                    look.fill,
                    look.hatch,
                    look.stroke,
                    0.2,
                    look.dash,
                )
                yield Text(
                    x + SAMPLE + 1.8, y + (2.1 if size else 3.4), (name,), SIZE, True, align="start"
                )
                if size:
                    yield Text(x + SAMPLE + 1.8, y + 5.2, (size,), SMALL, ink=QUIET, align="start")

            yield max(em(self.texts[status], True) * SIZE, em(size) * SMALL) + SAMPLE + 8, draw

    def _types(self):
        """Yield the types of booths, most frequent first.

        The public view does not tell how many there are.
        """
        counted = Counter(
            (booth["type"], booth["color"])
            for booth in self.booths
            if booth["type"] and booth["color"]
        )
        for (name, color), count in counted.most_common(MAX_TYPES):
            text = name if self.hall["view"] == "public" else f"{name} ({count})"

            def draw(x, y, wide, text=text, color=color):
                yield Area((rectangle(x, y + 1.6, SAMPLE, BAND),), color, None, QUIET, 0.12)
                text = shortened(text, wide - SAMPLE - 1.8, SMALL + 0.2)
                yield Text(x + SAMPLE + 1.8, y + 3.3, (text,), SMALL + 0.2, align="start")

            yield min(em(text) * (SMALL + 0.2), 60) + SAMPLE + 8, draw

    def _symbols(self):
        """Yield the symbols that the plan contains."""
        for kind, symbol in (("door", _door), ("pillar", _pillar), ("power", _power)):
            if any(thing["kind"] == kind for thing in self.hall["objects"]):

                def draw(x, y, _, symbol=symbol, name=self.texts[kind]):
                    yield Group(tuple(symbol(x + SAMPLE / 2, y + 2.4)))
                    yield Text(x + SAMPLE + 1.8, y + 3.3, (name,), SMALL + 0.2, align="start")

                yield em(self.texts[kind]) * (SMALL + 0.2) + SAMPLE + 8, draw

    def _missing(self, x, y, room):
        """Yield the list of booths that are not shown, because they have no position or lie far
        outside the hall.
        """
        if self.missing:
            numbers = ", ".join(booth["booth_number"] for booth in self.missing[:200])
            text = f"{self.texts['missing']} ({len(self.missing)}): {numbers}"
            line = fit(text, room, SMALL * 1.2, SMALL, SMALL)
            yield Text(x, y, line.lines[:1], line.size, ink=QUIET, align="start")

    def _scale_bar(self, left, y, ratio):
        """Yield a scale bar of four parts, and the scale of a print on A3."""
        part = step((1, 2, 5), 5 * ratio)  # in millimetres of the hall; about a centimetre on paper
        wide = part / ratio
        for place in range(4):
            ring = rectangle(left + place * wide, y, wide, 1.6)
            fill = INK if place % 2 == 0 else PAPER
            yield Area((ring,), fill, None, INK, 0.15)
        for place in range(5):
            length = self.number(Decimal(round(part * place)) / 1000)
            yield Text(
                left + place * wide, y - 1, (f"{length} m" if place == 4 else length,), SMALL
            )
        yield Text(
            left,
            y + 5,
            (f"1 : {self.number(Decimal(str(round(ratio, 3))))} (A3)",),
            SIZE,
            True,
            align="start",
        )


def step(steps, least):
    """Return the smallest number that is at least `least` and one of `steps` times a power of ten."""
    power = 0.001
    while True:
        for each in steps:
            if each * power >= least * 0.9999:
                return each * power
        power *= 10


def _door(x, y):
    yield Area((rectangle(x - 2.5, y, 5, WALL),), style.WALL)
    yield from opening(lambda across, outwards: (x + across, y + WALL - outwards), 1.5)


def _pillar(x, y):
    yield Area((rectangle(x - 1.5, y - 1.5, 3, 3),), "#d0d0d0", PILLAR, INK, 0.3)


def _power(x, y):
    yield from power(x, y, 1.5)
