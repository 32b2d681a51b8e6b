"""A hall plan within a web page: no title and no legend, colours as variables of the stylesheet, booths as links."""
import re
from dataclasses import replace
from html import escape

from eventapi.pictures import style, svg
from eventapi.pictures.hall.sheet import Sheet
from eventapi.pictures.shapes import Group

# Colours of the drawing -> variables of the stylesheet, which has them for light and for dark.
VARIABLES = {style.INK: "ink", style.PAPER: "free", style.QUIET: "quiet", style.WALL: "wall",
             style.BOOTH_LINE: "booth-line", style.THING: "thing", style.NAMED: "named",
             style.NAMED_INK: "named-ink", style.FREE_INK: "free-ink", style.TAKEN: "taken",
             style.TAKEN_INK: "taken-ink"}
COLORS = re.compile(rf'"({"|".join(VARIABLES)})"')
NAME = "b"                              # ids are b-A05


def draw(hall, label, address, mark=lambda booth: None):
    """Return the SVG element. `label` names it; `address(booth)` is the address that a booth leads to, or None.

    `mark(booth)` is the class of a booth in the stylesheet, or None.
    """
    sheet = Sheet(hall)
    booths = {f"booth-{booth['id']}": booth for booth in hall["booths"]}

    def linked(part):
        if not isinstance(part, Group):
            return part
        booth, parts = booths.get(part.id), tuple(map(linked, part.parts))
        if booth is None:
            return replace(part, parts=parts)
        return replace(part, parts=parts, id=booth["booth_number"], href=address(booth),
                       mark=mark(booth))
    parts = (*sheet.plan.floor(), *map(linked, sheet.drawn_blocks()), *sheet.plan.fixtures())
    drawn = COLORS.sub(lambda found: f'"var(--{VARIABLES[found[1]]})"', svg.inner(parts, NAME))
    box = " ".join(map(svg.number, sheet.frame()))
    return (f'<svg viewBox="{box}" role="group" aria-label="{escape(label)}" text-anchor="middle" '
            f'stroke-linejoin="round" fill="var(--ink)">{drawn}</svg>')
