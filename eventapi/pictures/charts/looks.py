"""Looks of series and bars: a colour for each meaning, with a pattern, so that none is recognised by colour alone.

The colours can be distinguished by colour-blind people, and the patterns in black and white.
"""
from collections import Counter
from dataclasses import dataclass

from eventapi.pictures.shapes import Hatch


@dataclass(frozen=True)
class Look:
    """The look of a series. `ink` and `dash` are those of a line."""
    fill: str
    ink: str
    hatch: Hatch = None
    dash: float = 0


# Meaning -> looks of the first, second and further series of this meaning in a panel.
# good: approved, confirmed, ready, available; bad: rejected, overdue; open: to be decided or done;
# plain: facts such as sold or new; neutral: cancelled, withdrawn, blocked.
MEANINGS = {
    "good": (Look("#14804f", "#14804f"),),
    "bad": (Look("#d9534a", "#c33c33", Hatch("bad", "#8f1d16", 2, 0.3, crossed=True)),),
    "open": (Look("#f6c95f", "#b06f00", Hatch("open", "#a86a00", 1.8, 0.3)),
             Look("#fbe3a8", "#b06f00", Hatch("open2", "#a86a00", 3.4, 0.25)), Look("#fdf0cf", "#b06f00")),
    "plain": (Look("#8db8de", "#2f6fa8"),),
    "neutral": (Look("#e0e0e0", "#777777", Hatch("neutral", "#8a8a8a", 3, 0.25)),),
}
# Looks of series without a meaning, such as payment gateways, tax rates and days. None of them is green or red.
SERIES = (
    Look("#2f6fa8", "#2f6fa8"),
    Look("#f5c767", "#b06f00", Hatch("rising", "#8a5a00", 1.8, 0.3), 2.4),
    Look("#b9a3d6", "#6b4aa0", None, 1.2),
    Look("#bfe1f6", "#3d3d3d", Hatch("fine", "#2b7bab", 1.2, 0.2), 5),
    Look("#3b2c63", "#3b2c63", None, 0.6),
    Look("#e3c9b0", "#8a5a33", Hatch("net", "#8a5a33", 2, 0.25, crossed=True), 3.6),
    Look("#7a7a7a", "#555555", None, 1.8),
    Look("#dddddd", "#777777", Hatch("wide", "#777777", 3, 0.3), 0.9),
)


def of_meanings(meanings):
    """Return a look for each meaning. Repeated meanings have different looks of the same colour, as far as possible."""
    seen, found = Counter(), []
    for meaning in meanings:
        looks = MEANINGS[meaning]
        found.append(looks[min(seen[meaning], len(looks) - 1)])
        seen[meaning] += 1
    return found
