"""The sheet of a chart: title, subtitle, and the panels with their legends.

Lengths are in millimetres.
"""

from eventapi.pictures.charts import diagrams
from eventapi.pictures.charts.diagrams import GREY, MARGIN, SMALL, WIDTH, block, marker
from eventapi.pictures.charts.panels import WORDS, bounded
from eventapi.pictures.letters import em, shortened
from eventapi.pictures.shapes import Area, Bitmap, Lines, Picture, Text, contained, rectangle
from eventapi.pictures.style import PAPER, PLAIN

LOGO = 44, 14  # largest width and height of the logo, top right
HEAD, GAP, AXIS = 26, 6, 10  # height of the head, gap between panels, space below a plot
ROW, EMPTY = 6, 60  # height of a row of the legend; height of a chart without data


def picture(name, title, description, panels, language, brand=PLAIN):
    """Return a Picture with the panels below each other.

    Without panels it contains the text `none`.
    """
    y, parts, panels = HEAD, [], [bounded(panel) for panel in panels]
    for panel in panels:
        drawn, height = draw_panel(panel, y, has_title=panel.title != title)
        parts += drawn
        y += height + GAP
    if not parts:
        parts, y = list(_empty(WORDS[language]["none"])), HEAD + EMPTY + MARGIN
    summary = " ".join((f"{description}.", *(panel.summary() for panel in panels)))
    background = Area((rectangle(0, 0, WIDTH, y),), PAPER)
    return Picture(
        f"chart-{name}",
        WIDTH,
        y,
        title,
        summary,
        language,
        (background, *_head(title, description, brand), *parts),
    )


def _head(title, description, brand):
    room = WIDTH - 2 * MARGIN
    if brand.small_logo:
        wide, high = contained(brand.small_logo, *LOGO)
        yield Bitmap(WIDTH - MARGIN - wide, 6, wide, high, brand.small_logo)
        room -= wide + 6
    yield Text(MARGIN, 12.5, (shortened(title, room, 7, True),), 7, True, brand.ink, align="start")
    yield Text(MARGIN, 19, (shortened(description, room, 3.6),), 3.6, ink=GREY, align="start")
    yield Lines((((MARGIN, 22.5), (WIDTH - MARGIN, 22.5)),), brand.color, 0.3)


def _empty(text):
    """Yield a frame that says that there is no data."""
    left, top, right, bottom = MARGIN, HEAD + 2, WIDTH - MARGIN, HEAD + EMPTY
    frame = (left, top), (right, top), (right, bottom), (left, bottom), (left, top)
    yield Lines((frame,), "#9a9a9a", 0.25, 1.5)
    yield Text(WIDTH / 2, (top + bottom) / 2 + 1.6, (text,), 4.6, ink=GREY)


def draw_panel(panel, y, has_title=True):
    """Return (shapes, height) of a panel with its title and legend."""
    parts, top = [], y
    if has_title:
        title = shortened(panel.title, WIDTH - 2 * MARGIN, 4, True)
        parts.append(Text(MARGIN, y + 4, (title,), 4, True, align="start"))
        top += 7
    legend, rows = _legend(panel, top)
    top += rows * ROW + 3
    drawn, height = diagrams.draw(panel, top)
    return [*parts, *legend, *drawn], top - y + height + AXIS


def _legend(panel, y):
    """Return (shapes, number of rows).

    A panel with one series has no legend, because its title is sufficient.
    """
    if len(panel.series) < 2:
        return [], 0
    parts, x, middle = [], MARGIN, y + 1.8
    for place, ((name, _), look) in enumerate(zip(panel.series, panel.looks(), strict=False)):
        name = shortened(name, 80, SMALL)
        wide = 11 + em(name) * SMALL
        if x + wide > WIDTH - MARGIN:
            x, middle = MARGIN, middle + ROW
        if panel.kind == "lines":
            line = (x, middle), (x + 6, middle)
            parts += [Lines((line,), look.ink, 1, look.dash), marker(place, look, x + 3, middle)]
        else:
            parts.append(block(look, x, middle - 1.8, 5, 3.6))
        parts.append(Text(x + 7, middle + 1.1, (name,), SMALL, align="start"))
        x += wide
    return parts, round((middle - y - 1.8) / ROW) + 1
