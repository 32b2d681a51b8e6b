"""A hall plan within a web page: no title and no legend, colours as variables of the stylesheet,
booths as links.
"""

import re
from dataclasses import replace
from html import escape

from eventapi.geometry import box, corners
from eventapi.pictures import style, svg
from eventapi.pictures.hall.blocks import kept
from eventapi.pictures.hall.sheet import Sheet
from eventapi.pictures.shapes import Group

# Colours of the drawing -> variables of the stylesheet, which has them for light and for dark.
VARIABLES = {
    style.INK: "ink",
    style.PAPER: "free",
    style.QUIET: "quiet",
    style.WALL: "wall",
    style.BOOTH_LINE: "booth-line",
    style.THING: "thing",
    style.NAMED: "named",
    style.NAMED_INK: "named-ink",
    style.FREE_INK: "free-ink",
    style.TAKEN: "taken",
    style.TAKEN_INK: "taken-ink",
}
COLORS = re.compile(rf'"({"|".join(VARIABLES)})"')
NAME = "b"  # ids are b-A05
TEXTS = {}  # texts of blocks by what they show: a change draws its own block again
NEAR = 7_000  # millimetres around a booth that a piece of the plan shows


def draw(hall, label, address, mark=lambda booth: None, near=None):
    """Return the SVG element.

    `label` names it; `address(booth)` is the address that a booth leads to, or None.

    `mark(booth)` is the class of a booth in the stylesheet, or None. With `near`, a booth, only the
    piece around it is drawn.
    """
    if near:
        left, top, right, bottom = box(corners(near))
        piece = left - NEAR, top - NEAR, right + NEAR, bottom + NEAR
        hall = {
            **hall,
            "booths": [
                booth
                for booth in hall["booths"]
                if booth["pos_x"] is not None and _touches(box(corners(booth)), piece)
            ],
        }
    sheet = Sheet(hall)
    booths = {f"booth-{booth['id']}": booth for booth in hall["booths"]}

    def linked(part):
        if not isinstance(part, Group):
            return part
        booth, parts = booths.get(part.id), tuple(map(linked, part.parts))
        if booth is None:
            return replace(part, parts=parts)
        return replace(
            part, parts=parts, id=booth["booth_number"], href=address(booth), mark=mark(booth)
        )

    def text(together, label):
        key = (
            place,
            label,
            *((*booth.values(), address(booth), mark(booth)) for booth in together),
        )
        return kept(TEXTS, key, lambda: _text([linked(sheet.drawn(together, label))]))

    place = hall["language"], hall["currency"], sheet.plan.left, sheet.plan.top, sheet.plan.scale
    drawn = "".join(
        [
            _text(sheet.plan.floor()),
            *(text(*each) for each in sheet.labelled_blocks()),
            _text(sheet.plan.fixtures()),
        ]
    )
    shown = sheet.frame()
    if near:
        (x, y), (far_x, far_y) = sheet.plan.point(piece[:2]), sheet.plan.point(piece[2:])
        shown = x, y, far_x - x, far_y - y
    frame = " ".join(map(svg.number, shown))
    return (
        f'<svg viewBox="{frame}" role="group" aria-label="{escape(label)}" text-anchor="middle" '
        f'stroke-linejoin="round" fill="var(--ink)">{drawn}</svg>'
    )


def _text(parts):
    """Return shapes as text, with the variables of the stylesheet."""
    return COLORS.sub(lambda found: f'"var(--{VARIABLES[found[1]]})"', svg.inner(parts, NAME))


def _touches(one, other):
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
