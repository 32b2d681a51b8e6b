"""Diagrams: stacked columns, stacked bars and lines, each with its axes.

Lengths are in millimetres.
"""

from math import ceil, floor, log10

from eventapi.languages import formats
from eventapi.pictures import style
from eventapi.pictures.letters import em, shortened
from eventapi.pictures.shapes import Area, Group, Lines, Text, rectangle
from eventapi.pictures.style import INK, PAPER

WIDTH, MARGIN = 240, 10
PLOT, BAR = 78, 8  # heights of a plot and of one bar
MAX_COLUMN_WIDTH, FEW = 22, 2
SMALL, GREY, PALE = 3, style.QUIET, style.LINE


def draw(panel, top):
    """Return (shapes, height) of the diagram of a panel.

    One or two columns alone in a wide plot are drawn as bars.
    """
    if panel.kind == "columns" and len(panel.labels) <= FEW:
        return bars(panel, top)
    return {"columns": columns, "bars": bars, "lines": lines}[panel.kind](panel, top)


def block(look, x, y, width, height):
    """Return an area in the look of a series."""
    return Area((rectangle(x, y, width, height),), look.fill, look.hatch, INK, 0.12)


def steps(low, high, whole=False):
    """Return at most ten round numbers for an axis, from at most `low` to at least `high`.

    `whole`: integers only.
    """
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
    """Return (shapes, left edge, width per label, function from a value to y) of the axes for
    columns and lines.

    `room`: part of the axis that must stay free above and below the values, for the numbers printed
    there.
    """
    ticks = _ticks(panel)
    low, high = _extent(panel)
    step, span = ticks[1] - ticks[0], ticks[-1] - ticks[0]
    ticks = [
        *([ticks[0] - step] if low < 0 and low - ticks[0] < room * span else []),
        *ticks,
        *([ticks[-1] + step] if high > 0 and ticks[-1] - high < room * span else []),
    ]
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
            parts.append(
                Text(min(max(x, half + 2), WIDTH - half - 2), top + PLOT + 5, (label,), SMALL)
            )
    return parts, left, wide, at


def columns(panel, top):
    """Return (shapes, height) of columns.

    The sums are printed at the ends of the columns if there is room for all of them.
    """
    texts, titles = formats.numbers(panel.sums(), panel.language), panel.titles()
    has_room = max(map(em, texts)) * 2.6 < (WIDTH - 2 * MARGIN - 20) / len(texts) - 1
    parts, left, wide, at = _axes(panel, top, room=0.06 if has_room else 0)
    thick = min(wide * 0.7, MAX_COLUMN_WIDTH)
    for place in range(len(panel.labels)):
        x, up, down = left + wide * (place + 0.5) - thick / 2, 0, 0
        for number, (_, values) in enumerate(panel.series):
            value, start = values[place], up if values[place] > 0 else down
            if value:
                height = abs(at(start) - at(start + value))
                part = block(
                    panel.look(number, place), x, min(at(start), at(start + value)), thick, height
                )
                parts.append(Group((part,), title=titles[number][place]))
            up, down = up + max(value, 0), down + min(value, 0)
        if has_room and (up or down):
            parts.append(
                Text(x + thick / 2, at(up) - 1.2 if up else at(down) + 3.2, (texts[place],), 2.6)
            )
    return parts, PLOT


def lines(panel, top):
    """Return (shapes, height) of a line for each series."""
    parts, left, wide, at = _axes(panel, top)
    series = zip(panel.series, panel.looks(), panel.titles(), strict=False)
    for number, ((_, values), look, titles) in enumerate(series):
        points = [(left + wide * (place + 0.5), at(value)) for place, value in enumerate(values)]
        parts.append(Lines((tuple(points),), look.ink, 0.8, look.dash))
        for (x, y), title in zip(points, titles, strict=True):
            parts.append(Group((marker(number, look, x, y),), title=title))
    return parts, PLOT


def marker(place, look, x, y):
    """Return a square, diamond or triangle, by which lines can be distinguished without colours."""
    shapes = (
        rectangle(x - 0.9, y - 0.9, 1.8, 1.8),
        ((x, y - 1.3), (x + 1.3, y), (x, y + 1.3), (x - 1.3, y)),
        ((x, y - 1.2), (x + 1.2, y + 1), (x - 1.2, y + 1)),
        ((x, y + 1.2), (x + 1.2, y - 1), (x - 1.2, y - 1)),
    )
    return Area((shapes[place % 4],), look.ink if place < 4 else PAPER, None, INK, 0.2)


def bars(panel, top):
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
        total = panel.text(
            "sum", amount=formats.numbers([*panel.sums(), amount], panel.language)[-1]
        )
        parts += [
            Text(left - 2, y, (labels[-1],), SMALL, ink=GREY, align="end"),
            Text(at(0) + 1.5, y, (total,), SMALL, ink=GREY, align="start"),
        ]
    return parts, height


def _bar(panel, place, label, text, y, at, left):
    yield Text(left - 2, y + BAR / 2 + 1, (label,), SMALL, align="end")
    up, down, titles = 0, 0, panel.titles()
    for number, (_, values) in enumerate(panel.series):
        value, start = values[place], up if values[place] > 0 else down
        if value:
            length = abs(at(start + value) - at(start))
            part = block(
                panel.look(number, place),
                min(at(start), at(start + value)),
                y + 1.2,
                length,
                BAR - 2.4,
            )
            yield Group((part,), title=titles[number][place])
        up, down = up + max(value, 0), down + min(value, 0)
    yield Text(at(up) + 1.5, y + BAR / 2 + 1, (text,), SMALL, align="start")
