"""Charts: columns and bars, stacked, and lines, drawn as shapes; colours of Okabe and Ito with patterns, so that neither is needed."""
from dataclasses import dataclass
from math import ceil, floor, log10

from eventapi.pictures.letters import em
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Hatch, Lines, Picture, Text, rectangle

WIDTH, MARGIN, HEAD, LEGEND = 240, 10, 24, 8
PLOT, BAR, GAP, AXIS = 78, 8, 14, 12            # heights: of a plot, of one bar, between panels, below a plot
SMALL, GREY, PALE = 3, "#555555", "#d9d9d9"
MOST_BARS, MOST_SERIES = 24, 8

# Fill, and the pattern over it; the dash of a line.
LOOKS = (("#0072b2", None, 0), ("#f5c767", Hatch("rising", "#8a5a00", 1.8, 0.3), 2.4), ("#a8dcc9", None, 1.2),
         ("#e3a9c6", Hatch("net", "#8a3a66", 2, 0.25, crossed=True), 3.6), ("#1a5e4a", None, 0.6), ("#bfe1f6", Hatch("fine", "#2b7bab", 1.2, 0.2), 5),
         ("#d55e00", None, 1.8), ("#dddddd", Hatch("wide", "#777777", 3, 0.3), 0.9))

INKS = ("#0072b2", "#b06f00", "#2f8f70", "#a34f7d", "#1a5e4a", "#2b7bab", "#d55e00", "#777777")         # of lines, which are thin


@dataclass(frozen=True)
class Panel:
    """One diagram: `series` are (name, values), a value for each label; `kind` is columns, bars or lines."""
    kind: str
    title: str
    labels: tuple
    series: tuple

    def is_empty(self):
        return not any(value for _, values in self.series for value in values)


def picture(name, title, description, panels):
    """The panels below each other on one sheet; without any figures it says so."""
    y, parts = HEAD, []
    for panel in map(_bounded, panels):
        drawn, height = _panel(panel, y)
        parts += drawn
        y += height + GAP
    if not parts:
        parts, y = [Text(WIDTH / 2, HEAD + 24, ("Nothing to show for this selection.",), 5, ink=GREY)], HEAD + 60
    head = Text(MARGIN, 12, (_shortened(title, WIDTH - 2 * MARGIN, 6, True),), 6, True, align="start")
    below = Text(MARGIN, 18, (_shortened(description, WIDTH - 2 * MARGIN, 3.2),), 3.2, ink=GREY, align="start")
    return Picture(f"chart-{name}", WIDTH, y, title, description, "en", (Area((rectangle(0, 0, WIDTH, y),), PAPER), head, below, *parts))


def _bounded(panel):
    """At most so many bars and series: what is beyond is added up as `other`, for labels that nobody could read say nothing."""
    labels, series = panel.labels, panel.series
    if len(series) > MOST_SERIES:
        rest = tuple(map(sum, zip(*(values for _, values in series[MOST_SERIES - 1:]))))
        series = (*series[:MOST_SERIES - 1], ("other", rest))
    if panel.kind == "bars" and len(labels) > MOST_BARS:
        kept = MOST_BARS - 1
        labels = (*labels[:kept], f"{len(labels) - kept} others")
        series = tuple((name, (*values[:kept], sum(values[kept:]))) for name, values in series)
    return Panel(panel.kind, panel.title, labels, series)


def _panel(panel, y):
    """(shapes, height) of a panel with its title and legend."""
    parts = [Text(MARGIN, y + 4, (_shortened(panel.title, WIDTH - 2 * MARGIN, 4, True),), 4, True, align="start")]
    legend, rows = _legend(panel, y + 7)
    top = y + 10 + rows * 6
    draw = {"columns": _columns, "bars": _bars, "lines": _lines}[panel.kind]
    drawn, height = draw(panel, top)
    return [*parts, *legend, *drawn], top - y + height + AXIS


def _legend(panel, y):
    """Of one series the title says enough."""
    parts, x, rows = [], MARGIN, 0
    for place, (name, _) in enumerate(panel.series if len(panel.series) > 1 else ()):
        wide = 11 + em(name) * SMALL
        if x + wide > WIDTH - MARGIN:
            x, rows = MARGIN, rows + 1
        if panel.kind == "lines":
            parts += [Lines((((x, y + 1.8 + rows * 6), (x + 6, y + 1.8 + rows * 6)),), INKS[place], 1, LOOKS[place][2]),
                      *_marker(place, x + 3, y + 1.8 + rows * 6)]
        else:
            parts.append(_block(place, x, y + rows * 6, 5, 3.6))
        parts.append(Text(x + 7, y + 2.9 + rows * 6, (name,), SMALL, align="start"))
        x += wide
    return parts, rows + 1 if len(panel.series) > 1 else 0


def _block(place, x, y, width, height):
    fill, hatch, _ = LOOKS[place]
    return Area((rectangle(x, y, width, height),), fill, hatch, INK, 0.12)


def steps(low, high):
    """Round numbers from at most `low` to at least `high`, five to ten of them."""
    low, high = min(low, 0), max(high, 0)
    rough = (high - low) / 6 or 1
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.9999)
    return [step * number for number in range(floor(low / step), max(ceil(high / step - 1e-9), floor(low / step) + 1) + 1)]


def figure(value):
    """As people read it: grouped, with decimals only where there are any."""
    text = f"{value:,.2f}"
    return text.removesuffix(".00").replace(",", "\u202f").replace("-", "−")


def _extent(panel):
    """The least and the most that has to fit: of stacks the sums of what is above and below nothing."""
    if panel.kind == "lines":
        values = [value for _, values in panel.series for value in values]
        return min(values), max(values)
    stacks = list(zip(*(values for _, values in panel.series)))
    return min(sum(min(value, 0) for value in stack) for stack in stacks), max(sum(max(value, 0) for value in stack) for stack in stacks)


def _upright(panel, top):
    """(shapes, left, right, place of a value) of the axes of columns and lines."""
    ticks = steps(*_extent(panel))
    left = MARGIN + 3 + max(em(figure(tick)) for tick in ticks) * SMALL
    right, span = WIDTH - MARGIN, ticks[-1] - ticks[0]

    def at(value):
        return top + PLOT * (ticks[-1] - value) / span
    parts = []
    for tick in ticks:
        parts.append(Lines((((left, at(tick)), (right, at(tick))),), INK if tick == 0 else PALE, 0.3 if tick == 0 else 0.15))
        parts.append(Text(left - 2, at(tick) + 1, (figure(tick),), SMALL, ink=GREY, align="end"))
    wide = (right - left) / len(panel.labels)
    every = ceil((max(em(label) for label in panel.labels) * SMALL + 2.5) / wide)
    for place, label in enumerate(panel.labels):
        if place % every == 0:
            x = left + wide * (place + 0.5)
            parts.append(Lines((((x, top + PLOT), (x, top + PLOT + 1)),), GREY, 0.15))
            half = em(label) * SMALL / 2
            parts.append(Text(min(max(x, half + 2), WIDTH - half - 2), top + PLOT + 5, (label,), SMALL))
    return parts, left, wide, at


def _columns(panel, top):
    parts, left, wide, at = _upright(panel, top)
    for place, label in enumerate(panel.labels):
        x, up, down = left + wide * (place + 0.15), 0, 0
        for number, (name, values) in enumerate(panel.series):
            value, start = values[place], up if values[place] > 0 else down
            if value:
                block = _block(number, x, min(at(start), at(start + value)), wide * 0.7, abs(at(start) - at(start + value)))
                parts.append(Group((block,), title=f"{label}, {name}: {figure(value)}"))
            up, down = up + max(value, 0), down + min(value, 0)
        text = figure(up + down)
        if (up or down) and em(text) * 2.6 < wide - 1:
            parts.append(Text(x + wide * 0.35, at(up) - 1.2, (text,), 2.6))
    return parts, PLOT


def _lines(panel, top):
    parts, left, wide, at = _upright(panel, top)
    for number, (name, values) in enumerate(panel.series):
        points = [(left + wide * (place + 0.5), at(value)) for place, value in enumerate(values)]
        parts.append(Lines((tuple(points),), INKS[number], 0.8, LOOKS[number][2]))
        for (x, y), label, value in zip(points, panel.labels, values):
            parts.append(Group(tuple(_marker(number, x, y)), title=f"{label}, {name}: {figure(value)}"))
    return parts, PLOT


def _marker(place, x, y):
    """Square, diamond, triangle: what tells lines apart without colour."""
    shapes = (rectangle(x - 0.9, y - 0.9, 1.8, 1.8), ((x, y - 1.3), (x + 1.3, y), (x, y + 1.3), (x - 1.3, y)),
              ((x, y - 1.2), (x + 1.2, y + 1), (x - 1.2, y + 1)), ((x, y + 1.2), (x + 1.2, y - 1), (x - 1.2, y - 1)))
    return [Area((shapes[place % 4],), LOOKS[place][0] if place < 4 else PAPER, None, INK, 0.2)]


def _bars(panel, top):
    """Lying bars, with their sums behind them."""
    labels = [_shortened(label, 62, SMALL) for label in panel.labels]
    ticks = steps(*_extent(panel))
    left = MARGIN + 3 + max(em(label) for label in labels) * SMALL
    right = WIDTH - MARGIN - 4 - max(em(figure(sum(values))) for values in zip(*(values for _, values in panel.series))) * SMALL
    height, span = BAR * len(labels), ticks[-1] - ticks[0]

    def at(value):
        return left + (right - left) * (value - ticks[0]) / span
    parts, last = [], -99
    for tick in ticks:
        parts.append(Lines((((at(tick), top), (at(tick), top + height)),), INK if tick == 0 else PALE, 0.3 if tick == 0 else 0.15))
        half = em(figure(tick)) * SMALL / 2
        if at(tick) - half > last:
            parts.append(Text(at(tick), top + height + 4.5, (figure(tick),), SMALL, ink=GREY))
            last = at(tick) + half + 2
    for place, label in enumerate(labels):
        parts += _bar(panel, place, label, top + BAR * place, at, left)
    return parts, height


def _bar(panel, place, label, y, at, left):
    yield Text(left - 2, y + BAR / 2 + 1, (label,), SMALL, align="end")
    up = down = 0
    for number, (name, values) in enumerate(panel.series):
        value, start = values[place], up if values[place] > 0 else down
        if value:
            block = _block(number, min(at(start), at(start + value)), y + 1.2, abs(at(start + value) - at(start)), BAR - 2.4)
            yield Group((block,), title=f"{panel.labels[place]}, {name}: {figure(value)}")
        up, down = up + max(value, 0), down + min(value, 0)
    yield Text(at(up) + 1.5, y + BAR / 2 + 1, (figure(up + down),), SMALL, align="start")


def _shortened(text, width, size, bold=False):
    """A text as far as it fits, with an ellipsis where it does not."""
    if em(text, bold) * size <= width:
        return text
    end = len(text)
    while end > 1 and em(text[:end] + "…", bold) * size > width:
        end -= 1
    return text[:end].rstrip() + "…"
