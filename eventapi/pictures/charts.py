"""Charts: stacked columns, stacked bars and lines, as a Picture.

Each series has a colour (palette of Okabe and Ito) and a pattern or dash, so that it can be distinguished without
colours. Lengths are in millimetres.
"""
from dataclasses import dataclass
from math import ceil, floor, log10

from eventapi.languages import formats
from eventapi.pictures.letters import em, shortened
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Hatch, Lines, Picture, Text, rectangle

WIDTH, MARGIN, HEAD = 240, 10, 24
PLOT, BAR, GAP, AXIS = 78, 8, 10, 10    # heights of a plot and of one bar, gap between panels, space below a plot
MAX_COLUMN_WIDTH = 22
SMALL, GREY, PALE = 3, "#555555", "#d9d9d9"
MAX_BARS, MAX_SERIES = 24, 8

# (fill, pattern over the fill, dash of a line) of each series
LOOKS = (("#0072b2", None, 0), ("#f5c767", Hatch("rising", "#8a5a00", 1.8, 0.3), 2.4), ("#a8dcc9", None, 1.2),
         ("#e3a9c6", Hatch("net", "#8a3a66", 2, 0.25, crossed=True), 3.6), ("#1a5e4a", None, 0.6),
         ("#bfe1f6", Hatch("fine", "#2b7bab", 1.2, 0.2), 5), ("#d55e00", None, 1.8),
         ("#dddddd", Hatch("wide", "#777777", 3, 0.3), 0.9))

# Colours of lines: darker than the fills, because lines are thin.
INKS = ("#0072b2", "#b06f00", "#2f8f70", "#a34f7d", "#1a5e4a", "#2b7bab", "#d55e00", "#777777")


WORDS = {
    "en": {"none": "No data for this selection.", "other": "other", "others": "{count} others",
           "sum": "{amount} in total"},
    "de": {"none": "Keine Daten für diese Auswahl.", "other": "sonstige", "others": "{count} weitere",
           "sum": "zusammen {amount}"},
}


@dataclass(frozen=True)
class Panel:
    """One diagram of a chart.

    kind: "columns", "bars" or "lines".
    series: tuple of (name, values) with one value for each label.
    language: of the numbers, and of the texts that are added to these.
    others: (number, sum) of the labels that were left out, or ().
    """
    kind: str
    title: str
    labels: tuple
    series: tuple
    language: str
    others: tuple = ()

    def is_empty(self):
        """Return whether all values are zero."""
        return not any(self.values())

    def values(self):
        """Return the values of all series as one list."""
        return [value for _, values in self.series for value in values]

    def sums(self):
        """Return the sum over all series for each label."""
        return [sum(values) for values in zip(*(values for _, values in self.series), strict=True)]

    def titles(self):
        """Return the tooltips of the values of each series: label, name and value."""
        texts = iter(formats.numbers(self.values(), self.language))
        return [[f"{label}, {name}: {next(texts)}" for label in self.labels] for name, _ in self.series]

    def text(self, key, **values):
        """Return a text of WORDS."""
        return WORDS[self.language][key].format(**values)

    def summary(self):
        """Return the sums as text, for readers who cannot see the picture."""
        sums = formats.numbers(self.sums(), self.language)
        texts = [f"{label} {text}" for label, text in zip(self.labels, sums, strict=False)]
        more = ["…"] if self.others or len(texts) > MAX_BARS else []
        return f"{self.title}: {', '.join((*texts[:MAX_BARS], *more))}."


def picture(name, title, description, panels, language):
    """Return a Picture with the panels below each other.

    Without panels it contains the text `none`.
    """
    y, parts, panels = HEAD, [], [_bounded(panel) for panel in panels]
    for panel in panels:
        drawn, height = _panel(panel, y)
        parts += drawn
        y += height + GAP
    if not parts:
        parts, y = [Text(WIDTH / 2, HEAD + 24, (WORDS[language]["none"],), 5, ink=GREY)], HEAD + 60
    head = Text(MARGIN, 12, (shortened(title, WIDTH - 2 * MARGIN, 6, True),), 6, True, align="start")
    below = Text(MARGIN, 18, (shortened(description, WIDTH - 2 * MARGIN, 3.2),), 3.2, ink=GREY, align="start")
    summary = " ".join((f"{description}.", *(panel.summary() for panel in panels)))
    background = Area((rectangle(0, 0, WIDTH, y),), PAPER)
    return Picture(f"chart-{name}", WIDTH, y, title, summary, language, (background, head, below, *parts))


def _bounded(panel):
    """Return the panel with at most MAX_SERIES series and MAX_BARS bars. More would be unreadable.

    The series left out are added up as the series `other`. The bars left out are added up in `others`, a
    number below the bars. As a bar, it would be so long that all other bars are short.
    """
    labels, series = panel.labels, panel.series
    if len(series) > MAX_SERIES:
        rest = tuple(map(sum, zip(*(values for _, values in series[MAX_SERIES - 1:]), strict=True)))
        series = (*series[:MAX_SERIES - 1], (panel.text("other"), rest))
    others = ()
    if panel.kind == "bars" and len(labels) > MAX_BARS:
        kept = MAX_BARS - 1
        others = len(labels) - kept, sum(sum(values[kept:]) for _, values in series)
        labels, series = labels[:kept], tuple((name, values[:kept]) for name, values in series)
    return Panel(panel.kind, panel.title, labels, series, panel.language, others)


def _panel(panel, y):
    """Return (shapes, height) of a panel with its title and legend."""
    parts = [Text(MARGIN, y + 4, (shortened(panel.title, WIDTH - 2 * MARGIN, 4, True),), 4, True, align="start")]
    legend, rows = _legend(panel, y + 7)
    top = y + 10 + rows * 6
    draw = {"columns": _columns, "bars": _bars, "lines": _lines}[panel.kind]
    drawn, height = draw(panel, top)
    return [*parts, *legend, *drawn], top - y + height + AXIS


def _legend(panel, y):
    """Return (shapes, number of rows). A panel with one series has no legend, because its title is sufficient."""
    parts, x, rows = [], MARGIN, 0
    for place, (name, _) in enumerate(panel.series if len(panel.series) > 1 else ()):
        name = shortened(name, 80, SMALL)
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


def steps(low, high, whole=False):
    """Return at most ten round numbers for an axis, from at most `low` to at least `high`. `whole`: integers only."""
    low, high = min(low, 0), max(high, 0)
    rough = (high - low) / 6 or 1
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.9999)
    step = max(step, 1) if whole else step
    first = floor(low / step)
    last = max(ceil(high / step - 1e-9), first + 1)
    return [step * number for number in range(first, last + 1)]


def _ticks(panel):
    return steps(*_extent(panel), whole=all(isinstance(value, int) for value in panel.values()))


def _extent(panel):
    """Return the lowest and the highest value on the axis.

    For stacks these are sums of negative and of positive values.
    """
    if panel.kind == "lines":
        return min(panel.values()), max(panel.values())
    stacks = list(zip(*(values for _, values in panel.series), strict=True))
    lows = [sum(min(value, 0) for value in stack) for stack in stacks]
    highs = [sum(max(value, 0) for value in stack) for stack in stacks]
    return min(lows), max(highs)


def _axes(panel, top, room=0):
    """Return (shapes, left edge, width per label, function from a value to y) of the axes for columns and lines.

    `room`: part of the axis that must stay free above and below the values, for the numbers printed there.
    """
    ticks = _ticks(panel)
    low, high = _extent(panel)
    step, span = ticks[1] - ticks[0], ticks[-1] - ticks[0]
    ticks = [*([ticks[0] - step] if low < 0 and low - ticks[0] < room * span else []), *ticks,
             *([ticks[-1] + step] if high > 0 and ticks[-1] - high < room * span else [])]
    texts = formats.numbers(ticks, panel.language)
    left, right = MARGIN + 3 + max(map(em, texts)) * SMALL, WIDTH - MARGIN

    def at(value):
        return top + PLOT * (ticks[-1] - value) / (ticks[-1] - ticks[0])
    parts = []
    for tick, text in zip(ticks, texts, strict=True):
        line = ((left, at(tick)), (right, at(tick)))
        parts.append(Lines((line,), INK if tick == 0 else PALE, 0.3 if tick == 0 else 0.15))
        parts.append(Text(left - 2, at(tick) + 1, (text,), SMALL, ink=GREY, align="end"))
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
    """Return (shapes, height) of columns.

    The sums are printed at the ends of the columns if there is room for all of them.
    """
    texts, titles = formats.numbers(panel.sums(), panel.language), panel.titles()
    parts, left, wide, at = _axes(panel, top, room=0.06)
    thick = min(wide * 0.7, MAX_COLUMN_WIDTH)
    has_room = max(map(em, texts)) * 2.6 < (WIDTH - 2 * MARGIN) / len(texts) - 4
    for place in range(len(panel.labels)):
        x, up, down = left + wide * (place + 0.5) - thick / 2, 0, 0
        for number, (_, values) in enumerate(panel.series):
            value, start = values[place], up if values[place] > 0 else down
            if value:
                block = _block(number, x, min(at(start), at(start + value)), thick, abs(at(start) - at(start + value)))
                parts.append(Group((block,), title=titles[number][place]))
            up, down = up + max(value, 0), down + min(value, 0)
        if has_room and (up or down):
            parts.append(Text(x + thick / 2, at(up) - 1.2 if up else at(down) + 3.2, (texts[place],), 2.6))
    return parts, PLOT


def _lines(panel, top):
    parts, left, wide, at = _axes(panel, top)
    for number, ((_, values), titles) in enumerate(zip(panel.series, panel.titles(), strict=True)):
        points = [(left + wide * (place + 0.5), at(value)) for place, value in enumerate(values)]
        parts.append(Lines((tuple(points),), INKS[number], 0.8, LOOKS[number][2]))
        for (x, y), title in zip(points, titles, strict=True):
            parts.append(Group(tuple(_marker(number, x, y)), title=title))
    return parts, PLOT


def _marker(place, x, y):
    """Return a square, diamond or triangle, by which lines can be distinguished without colours."""
    shapes = (rectangle(x - 0.9, y - 0.9, 1.8, 1.8), ((x, y - 1.3), (x + 1.3, y), (x, y + 1.3), (x - 1.3, y)),
              ((x, y - 1.2), (x + 1.2, y + 1), (x - 1.2, y + 1)), ((x, y + 1.2), (x + 1.2, y - 1), (x - 1.2, y - 1)))
    return [Area((shapes[place % 4],), LOOKS[place][0] if place < 4 else PAPER, None, INK, 0.2)]


def _bars(panel, top):
    """Return (shapes, height) of horizontal bars with their sums at the ends."""
    ticks, sums = _ticks(panel), formats.numbers(panel.sums(), panel.language)
    count, amount = panel.others or (0, 0)
    named = (*panel.labels, *([panel.text("others", count=count)] if count else []))
    labels = [shortened(label, 62, SMALL) for label in named]
    left = MARGIN + 3 + max(map(em, labels)) * SMALL
    right = WIDTH - MARGIN - 4 - max(map(em, sums)) * SMALL
    height, span = BAR * len(labels), ticks[-1] - ticks[0]

    def at(value):
        return left + (right - left) * (value - ticks[0]) / span
    parts, texts = [], formats.numbers(ticks, panel.language)
    every = ceil((max(map(em, texts)) * SMALL + 3) / (at(ticks[1]) - at(ticks[0])))
    for place, tick in enumerate(ticks):
        line = ((at(tick), top), (at(tick), top + height))
        parts.append(Lines((line,), INK if tick == 0 else PALE, 0.3 if tick == 0 else 0.15))
        if (place - ticks.index(0)) % every == 0:
            parts.append(Text(at(tick), top + height + 4.5, (texts[place],), SMALL, ink=GREY))
    for place, text in enumerate(sums):
        parts += _bar(panel, place, labels[place], text, top + BAR * place, at, left)
    if count:
        y = top + BAR * len(sums) + BAR / 2 + 1
        total = panel.text("sum", amount=formats.numbers([*panel.sums(), amount], panel.language)[-1])
        parts += [Text(left - 2, y, (labels[-1],), SMALL, ink=GREY, align="end"),
                  Text(at(0) + 1.5, y, (total,), SMALL, ink=GREY, align="start")]
    return parts, height


def _bar(panel, place, label, text, y, at, left):
    yield Text(left - 2, y + BAR / 2 + 1, (label,), SMALL, align="end")
    up, down, titles = 0, 0, panel.titles()
    for number, (_, values) in enumerate(panel.series):
        value, start = values[place], up if values[place] > 0 else down
        if value:
            length = abs(at(start + value) - at(start))
            block = _block(number, min(at(start), at(start + value)), y + 1.2, length, BAR - 2.4)
            yield Group((block,), title=titles[number][place])
        up, down = up + max(value, 0), down + min(value, 0)
    yield Text(at(up) + 1.5, y + BAR / 2 + 1, (text,), SMALL, align="start")
