"""Small charts beside a figure, as SVG within a page.

They have classes in place of colours, so that the style sheet decides on both schemes. The label says
what a chart shows to those who do not see it.
"""

from html import escape

WIDTH, HEIGHT = 200, 27  # of the view box; the page decides on the size
BAR = 9  # height of a stacked bar, which lies in the middle
GAP = 1  # between two parts of a bar, and on both sides of a column


def bars(values, label):
    """Return columns of numbers, one after the other, as SVG text.

    The last one has the class `c1`, those before it `past`.
    """
    most = max(values, default=0) or 1
    step = WIDTH / max(len(values), 1)
    drawn = []
    for place, value in enumerate(values):
        height = HEIGHT * max(value, 0) / most
        look = "c1" if place == len(values) - 1 else "past"
        drawn.append(_block(look, place * step + GAP, HEIGHT - height, step - 2 * GAP, height))
    return _svg(drawn, label)


def stacked(parts, label):
    """Return one bar of several parts as SVG text.

    `parts` are (class, number). Parts of 0 or less are left out; without any other, the bar is one
    empty part with the class `c3`.
    """
    shown = [(look, value) for look, value in parts if value > 0] or [("c3", 1)]
    total = sum(value for _, value in shown)
    room = WIDTH - GAP * (len(shown) - 1)
    x, drawn = 0, []
    for look, value in shown:
        width = room * float(value / total)
        drawn.append(_block(look, x, (HEIGHT - BAR) / 2, width, BAR))
        x += width + GAP
    return _svg(drawn, label)


def _block(look, x, y, width, height):
    return (
        f'<rect class="{look}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    )


def _svg(drawn, label):
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{"".join(drawn)}</svg>'
    )
