"""The sheet of a hall plan: A3 with title, hall, booths and legend.

Lengths are in millimetres: of the hall for booths and fixtures, on paper for everything that is
drawn.
"""

from decimal import Decimal
from itertools import compress

from eventapi import geometry, money
from eventapi.languages import formats
from eventapi.pictures.hall.blocks import LOOKS, block, blocks, labels
from eventapi.pictures.hall.fixtures import MAX_LEAF, SIGN, WALL, Hall, leaf_of
from eventapi.pictures.hall.legend import Legend, step
from eventapi.pictures.letters import fit
from eventapi.pictures.shapes import Area, Bitmap, Picture, Text, contained, rectangle
from eventapi.pictures.style import LATE, PAPER, PLAIN, QUIET

# Texts printed on hall plans
WORDS = {
    "en": {
        "available": "available",
        "reserved": "reserved",
        "sold": "sold",
        "blocked": "blocked",
        "exhibitor": "exhibitor",
        "taken": "taken",
        "plan": "Hall plan",
        "public": "Hall plan",
        "internal": "Internal: not for publication",
        "changed": "As of",
        "missing": "Not shown",
        "area": "Area",
        "door": "door",
        "pillar": "pillar",
        "power": "power supply",
    },
    "de": {
        "available": "frei",
        "reserved": "reserviert",
        "sold": "verkauft",
        "blocked": "blockiert",
        "exhibitor": "Aussteller",
        "taken": "belegt",
        "plan": "Hallenplan",
        "public": "Hallenplan",
        "internal": "Intern: nicht zur Veröffentlichung",
        "changed": "Stand",
        "missing": "Nicht abgebildet",
        "area": "Bereich",
        "door": "Tür",
        "pillar": "Säule",
        "power": "Stromanschluss",
    },
}
LONG, SHORT = 420, 297
MARGIN, HEADER = 10, 25  # HEADER ends below the subtitle
COLUMN, GAP = 62, 6  # width of a legend beside the hall; its distance from the hall
LOGO = 44, 15  # largest width and height of the logo, top right
# Scales of plans, each multiplied by a power of ten. They are so close that the hall fills the
# sheet.
RATIOS = (
    *(each / 100 for each in range(100, 200, 5)),
    *(each / 10 for each in range(20, 50)),
    *(each / 10 for each in range(50, 100, 2)),
)


def picture(hall, brand=PLAIN):
    """Return the Picture of a hall, which is a dict of domain/halls/plan_pictures.py."""
    return Sheet(hall, brand).picture()


class Sheet:
    """The drawing of one hall plan.

    The paper is upright or not, and the legend is beside or below the hall, whichever allows the
    largest scale.
    """

    def __init__(self, hall, brand=PLAIN):
        self.hall, self.language, self.brand = hall, hall["language"], brand
        self.words, looks = WORDS[self.language], {**LOOKS["internal"], **LOOKS[hall["view"]]}
        self.booths = [
            {**booth, "label": self._name(booth), "look": looks[booth["status"]]}
            for booth in hall["booths"]
        ]
        self.shown = shown = _shown(hall)
        is_placed = [_lies_within(booth, shown) for booth in self.booths]
        self.placed = list(compress(self.booths, is_placed))
        missing = [
            booth for booth, placed in zip(self.booths, is_placed, strict=True) if not placed
        ]
        self.legend = Legend(hall, self.booths, missing, self.words, self._number)
        self._measure(shown)

    def _measure(self, shown):
        """Choose the orientation of the paper and the place of the legend, and place the hall."""
        wide, high = shown[2] - shown[0], shown[3] - shown[1]
        around = _around(self.hall, max(wide / LONG, high / SHORT))
        # If several allow the same scale, min() returns the first: the orientation of the hall, the
        # legend below.
        papers = ((LONG, SHORT), (SHORT, LONG)) if wide >= high else ((SHORT, LONG), (LONG, SHORT))
        choices = [(*paper, is_beside) for paper in papers for is_beside in (False, True)]
        self.width, self.height, self.is_beside = min(
            choices, key=lambda choice: _ratio(wide, high, self._room(*choice, around))
        )
        left, top, right, bottom = room = self._room(
            self.width, self.height, self.is_beside, around
        )
        self.ratio = _ratio(wide, high, room)
        scale = 1 / self.ratio
        x = left + (0 if self.is_beside else (right - left - wide * scale) / 2) - shown[0] * scale
        y = top + (bottom - top - high * scale) / 2 - shown[1] * scale
        self.plan = Hall(
            self.hall["width"], self.hall["height"], self.hall["objects"], x, y, scale, self.placed
        )

    def _room(self, width, height, is_beside, around):
        """Return left, top, right and bottom of the space on paper for the inside of the hall."""
        right = width - MARGIN - (COLUMN + GAP if is_beside else 0)
        below = 0 if is_beside else self.legend.height_below(MARGIN, width - MARGIN) + 3
        return (
            MARGIN + around["left"],
            HEADER + around["top"],
            right - around["right"],
            height - MARGIN - below - around["bottom"],
        )

    def picture(self):
        """Return the Picture of the whole sheet."""
        title = f"{self.hall['event']} – {self.hall['name']}"
        statuses = ", ".join(
            f"{count} {self.words[status]}" for status, count in self.legend.counts().items()
        )
        size = f"{self._metres(self.hall['width'])} × {self._metres(self.hall['height'])} m"
        background = Area((rectangle(0, 0, self.width, self.height),), PAPER)
        parts = (
            background,
            *self._header(),
            *self.plan.floor(),
            *self.drawn_blocks(),
            *self.plan.fixtures(),
            *self._legend(),
        )
        return Picture(
            f"plan{self.hall['id']}",
            self.width,
            self.height,
            title,
            f"{self.words['plan']}, {size}: {statuses}.",
            self.language,
            parts,
        )

    def drawn_blocks(self):
        """Yield the booths as Groups, those of one exhibitor side by side as one."""
        for booths, label in self.labelled_blocks():
            yield self.drawn(booths, label)

    def labelled_blocks(self):
        """Yield the blocks, each as its booths and its Label, or None."""
        found = blocks(self.placed)
        return zip(
            found, labels(found, self._details, self.plan.scale, self.plan.symbols), strict=True
        )

    def drawn(self, booths, label):
        """Return a block as a Group."""
        return block(booths, label, self.plan.point, self.plan.scale, self._describe)

    def frame(self):
        """Return x, y, width and height of the part of the sheet that has the hall, its doors and
        its booths.
        """
        left, top, right, bottom = self.shown
        (x, y), (far_x, far_y) = self.plan.point((left, top)), self.plan.point((right, bottom))
        around = _around(self.hall, self.ratio)
        x, y = x - around["left"], y - around["top"]
        return x, y, far_x + around["right"] - x, far_y + around["bottom"] - y

    def _legend(self):
        right, bottom = self.width - MARGIN, self.height - MARGIN
        if self.is_beside:
            return self.legend.beside(right - COLUMN, HEADER + 4, right, bottom, self.ratio)
        return self.legend.below(MARGIN, right, bottom, self.ratio)

    # Texts

    def _name(self, booth):
        return booth["exhibitor"] or booth["booth_name"] or booth["blocked_reason"] or ""

    def _details(self, booths):
        """Return area and price of a block. The public view tells them of available booths only."""
        if booths[0]["status"] in ("exhibitor", "taken"):
            return ()
        area = f"{self._number(Decimal(sum(booth['width'] * booth['depth'] for booth in booths)) / 10**6)} m²"
        prices = [booth["price"] for booth in booths]
        has_price = booths[0]["status"] != "blocked" and None not in prices
        return (area, self._money(sum(prices))) if has_price else (area,)

    def _money(self, units):
        currency = self.hall["currency"]
        return formats.money(
            Decimal(units).scaleb(-money.decimals(currency)), currency, self.language
        )

    def _number(self, value):
        """Return a Decimal with at most three decimals as text."""
        return formats.number(value.quantize(Decimal("0.001")).normalize(), self.language)

    def _metres(self, length):
        return self._number(Decimal(length) / 1000)

    def _describe(self, booth):
        """Return the tooltip of a booth, with everything for which the drawing may lack space."""
        is_told = booth["status"] not in ("exhibitor", "taken")
        size = (
            f"{self._metres(booth['width'])} × {self._metres(booth['depth'])} m"
            if is_told
            else None
        )
        parts = (
            booth["booth_number"],
            booth["exhibitor"],
            booth["booth_name"],
            self.words[booth["status"]],
            booth["blocked_reason"],
            size,
            booth["type"] if is_told else None,
            None if booth["price"] is None else self._money(booth["price"]),
        )
        return ", ".join(part for part in parts if part)

    # Title

    def _header(self):
        hall, right, logo = self.hall, self.width - MARGIN, self.brand.small_logo
        if logo:
            wide, high = contained(logo, *LOGO)
            yield Bitmap(right - wide, MARGIN - 1, wide, high, logo)
            right -= wide + 6
        room = right - MARGIN - 80
        title = fit(hall["name"], room / 1.14, 9.5, 8, 4)
        name = title.lines[0] if title else hall["name"][:60]
        yield Text(
            MARGIN, 16, (name,), title.size if title else 4, True, self.brand.ink, align="start"
        )
        line = fit(self._subtitle(), room, 5, 4, 2.4)
        text = line.lines[:1] if line else (self._subtitle()[:90],)
        yield Text(MARGIN, 22.3, text, line.size if line else 2.4, ink=QUIET, align="start")
        ink = LATE if hall["view"] == "internal" else QUIET
        yield Text(right, 16, (self.words[hall["view"]],), 3.2, True, ink, align="end")
        changed = f"{self.words['changed']} {formats.day(hall['changed'], self.language)}"
        yield Text(right, 22.3, (changed,), 2.8, ink=QUIET, align="end")

    def _subtitle(self):
        """Return event, city unless the name of the event contains it, days, and area of the venue."""
        hall = self.hall
        city = hall["city"] if hall["city"] and hall["city"] not in hall["event"] else None
        days = formats.days(hall["from"], hall["to"], self.language)
        area = hall["area_name"]
        if area and len(area) <= 3:  # "A" alone says nothing
            area = f"{self.words['area']} {area}"
        return " · ".join(part for part in (hall["event"], city, days, area) if part)


def _around(hall, ratio):
    """Return the space on paper that each wall needs outside the hall, for its thickness and for
    doors.

    `ratio` is at most the scale of the sheet, so that the leaves of doors are not wider than
    expected here.
    """
    around = dict.fromkeys(("left", "top", "right", "bottom"), WALL + 1)
    for thing in hall["objects"]:
        wall = thing["kind"] == "door" and geometry.wall_of(thing, hall["width"], hall["height"])
        if wall:
            wide = thing["depth" if wall in ("left", "right") else "width"] / ratio
            # Between these widths, a slightly smaller scale can result in longer leaves.
            leaf = MAX_LEAF if 4 < wide < 3 * MAX_LEAF else leaf_of(wide / 2)
            around[wall] = max(around[wall], WALL + leaf + (SIGN if thing.get("label") else 1))
    return around


def _shown(hall):
    """Return (left, top, right, bottom) of the drawing: the hall, and booths that protrude by a
    quarter at most.
    """
    width, height = hall["width"], hall["height"]
    limits = -width / 4, -height / 4, width * 1.25, height * 1.25
    booths = [
        geometry.box(geometry.corners(booth))
        for booth in hall["booths"]
        if _lies_within(booth, limits)
    ]
    boxes = [(0, 0, width, height), *booths]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _lies_within(booth, limits):
    if booth["pos_x"] is None:
        return False
    left, top, right, bottom = geometry.box(geometry.corners(booth))
    return left >= limits[0] and top >= limits[1] and right <= limits[2] and bottom <= limits[3]


def _ratio(wide, high, room):
    """Return the scale, such as 100 for 1:100, at which an area of the hall fits into a part of the
    sheet.
    """
    return step(RATIOS, max(wide / (room[2] - room[0]), high / (room[3] - room[1])))
