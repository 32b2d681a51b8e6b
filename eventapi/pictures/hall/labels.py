"""Labels of blocks on a hall plan: the position on the block, the font sizes, and what is omitted
if there is no room.

`rows` are the lines of a label from top to bottom: (text, size, kind), where kind is number, name
or detail.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import cos, radians, sin
from statistics import median

from eventapi import geometry
from eventapi.pictures.letters import LINE_HEIGHT, em, fit
from eventapi.pictures.shapes import Area, Group, Text, rectangle

BAND = 1.6  # the band along the front, which no label covers
EDGE = 0.3  # the white line beside it, which no label covers
NUMBER, NAME, DETAIL = (7, 1.5), (4.6, 1.4), (3, 1.5)  # (largest, smallest) font size
SPOTS = 5  # number of booths of a block that are tried as the position of its label
PREFERRED_NAME = 2.1  # details are omitted before the name becomes smaller than this
ONE_LINE = 2.2  # area and price share a line only in this font size or a larger one
ENOUGH = 4  # a larger font size does not make a position better
PARTS = 6  # parts of a block beside an obstacle that are tried
AIR = 2, 1.4  # space beside and above the text, both sides together
MUCH_SMALLER = 0.7  # of the median of a row of booths: a smaller text does not shrink the others
SAME_LINE = 1  # labels whose middles differ by less are on one line


@dataclass(frozen=True)
class Label:
    """The text of a block.

    `middle` is a point of the hall, `turn` in degrees, `height` the space for it on paper.

    `tall` is the height of the tallest label in the row of booths: the texts of all begin on one
    line.
    """

    middle: tuple
    turn: float
    height: float
    rows: tuple
    tall: float = 0


def choose(booths, details, polygons, scale, obstacles=()):
    """Return the Label with number, name and details (area, price) in the best position on a block,
    or None.

    It is horizontal or turned, and covers none of the obstacles.
    """
    number, name = _texts(booths)
    best, best_score = None, -1
    for middle, width, height, turn in _spots(booths, polygons, scale):
        for place, wide, high in _free(middle, width, height, turn, scale, obstacles):
            rows = _rows(number, name, details, wide - AIR[0], high - AIR[1])
            score = _score(rows, name) * _legibility(turn)
            if rows and score > best_score:
                best, best_score = Label(place, turn, high, tuple(rows)), score
    return best


def level(labels, polygons, scale):
    """Return the labels with one font size for all numbers, names and details in a row of booths,
    on the same line.

    labels: Label or None for each block. polygons: those of the booths of each block.
    """
    rows, levelled = defaultdict(list), list(labels)
    for place, label in enumerate(labels):
        if label:
            rows[label.turn, *_extent(polygons[place], label.turn)].append(place)
    for places in rows.values():
        for place, label in zip(
            places, _row(tuple(labels[place] for place in places), scale), strict=True
        ):
            levelled[place] = label
    return levelled


@lru_cache(maxsize=1024)
def _row(labels, scale):
    """Return the labels of one row of booths as `level` does.

    Those of most rows stay as they are from plan to plan.
    """
    same = _one_size(labels)
    tall = max(map(_height, same))
    line = median(_across(label.middle, label.turn) for label in same)
    return [
        replace(label, tall=tall)
        if tall <= label.height
        and abs(_across(label.middle, label.turn) - line) * scale < SAME_LINE
        else label
        for label in same
    ]


def _one_size(labels):
    """Return the labels with the smallest size of each kind of text for all, unless their own is
    much smaller.

    Labels with a name and labels without one, which have room for larger details, are compared
    separately.
    """
    with_name = [any(kind == "name" for _, _, kind in label.rows) for label in labels]
    if len(set(with_name)) == 2:
        parts = {
            named: iter(
                _same_kinds(
                    [label for label, has in zip(labels, with_name, strict=True) if has == named]
                )
            )
            for named in (True, False)
        }
        return _same_kinds([next(parts[named]) for named in with_name], kinds=("number",))
    return _same_kinds(labels)


def _same_kinds(labels, kinds=("number", "name", "detail")):
    """Return the labels with the smallest size of each of these kinds for all, unless their own is
    much smaller.
    """
    sizes = defaultdict(list)
    for label in labels:
        for kind, size in {kind: size for _, size, kind in reversed(label.rows)}.items():
            sizes[kind].append(size)
    least = {
        kind: min(size for size in found if size >= MUCH_SMALLER * median(found))
        for kind, found in sizes.items()
        if kind in kinds
    }
    return [
        replace(
            label,
            rows=tuple(
                (text, min(size, least.get(kind, size)), kind) for text, size, kind in label.rows
            ),
        )
        if any(size > least.get(kind, size) for _, size, kind in label.rows)
        else label
        for label in labels
    ]


def _extent(polygons, turn):
    """Return (top, bottom) of a block across the lines of its text, in steps of 5 cm."""
    across = [_across(point, turn) for polygon in polygons for point in polygon]
    return round(min(across) / 50), round(max(across) / 50)


def _across(point, turn):
    """Return the position of a point of the hall across lines of text that are turned, from top to
    bottom.
    """
    return point[1] * cos(radians(turn)) - point[0] * sin(radians(turn)) if turn else point[1]


def _height(label):
    return sum(size * LINE_HEIGHT for _, size, _ in label.rows)


def _free(middle, width, height, turn, scale, obstacles):
    """Yield (middle, width, height) of the parts of a spot that no obstacle covers, largest first."""
    spot = -width / 2, -height / 2, width / 2, height / 2
    for left, top, right, bottom in parts_beside(
        spot, [_seen_from(middle, turn, scale, box) for box in obstacles]
    ):
        x, y, angle = (left + right) / 2 / scale, (top + bottom) / 2 / scale, radians(turn)
        place = (
            middle[0] + x * cos(angle) - y * sin(angle),
            middle[1] + x * sin(angle) + y * cos(angle),
        )
        yield place, right - left, bottom - top


def _seen_from(middle, turn, scale, box):
    """Return the bounding box on paper of a box in the hall, about `middle` and turned back by
    `turn` degrees.
    """
    angle = radians(-turn)
    corners = [(x - middle[0], y - middle[1]) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across = [(x * cos(angle) - y * sin(angle)) * scale for x, y in corners]
    down = [(x * sin(angle) + y * cos(angle)) * scale for x, y in corners]
    return min(across), min(down), max(across), max(down)


def parts_beside(box, holes, count=PARTS):
    """Return the largest rectangles in a box, at most `count`, that lie beside all holes, largest
    first.
    """
    found = [box]
    for hole in holes:
        found = [part for each in found for part in _beside(each, hole)]
        found = sorted(set(found), key=_area, reverse=True)[:count]
    return found


def _beside(box, hole):
    """Return the box, or its parts to the left, above, to the right of and below a hole that it
    overlaps.
    """
    if not geometry.meet(box, hole):
        return [box]
    left, top, right, bottom = box
    parts = (
        (left, top, hole[0], bottom),
        (left, top, right, hole[1]),
        (hole[2], top, right, bottom),
        (left, hole[3], right, bottom),
    )
    return [part for part in parts if part[2] > part[0] and part[3] > part[1]]


def _legibility(turn):
    """Return a factor that prefers horizontal labels to slanted ones, and slanted ones to steep
    ones.
    """
    if not turn:
        return 2
    return 1.7 if abs(turn) <= 45 else 1


def _texts(booths):
    """Return (numbers, name) for the label of a block."""
    numbers = [booth["booth_number"] for booth in booths]
    number = " + ".join(numbers) if len(numbers) <= 2 else f"{numbers[0]} + {len(numbers) - 1}"
    return number, next((booth["label"] for booth in booths if booth["label"]), "")


def _readable(angle):
    """Return the angle of the same line, turned so that text on it is read from the left or from
    below.
    """
    angle = (angle + 90) % 180 - 90
    return -90 if angle == 90 else angle


def _spots(booths, polygons, scale):
    """Yield (middle, width, height, turn) of possible positions of a label.

    The middle is a point of the hall. Width and height are on paper, along and across the lines of
    text.
    """
    if len(booths) > 1 and all(map(geometry.is_upright, polygons)):
        for left, top, right, bottom in _largest(
            [geometry.box(polygon) for polygon in polygons[:SPOTS]]
        ):
            yield from _both_ways(
                ((left + right) / 2, (top + bottom) / 2),
                (right - left) * scale,
                (bottom - top) * scale,
                0,
            )
        return
    for booth, polygon in zip(booths[:SPOTS], polygons[:SPOTS], strict=True):
        width, height, angle = booth["width"] * scale, booth["depth"] * scale, booth["rotation"]
        band = min(BAND + EDGE, height / 2) if booth["color"] else 0
        up = band / 2 / height  # shifts the label away from the band
        back_left, _, front_right, front_left = polygon
        middle = tuple(
            (one + other) / 2 + (back - front) * up
            for one, other, back, front in zip(
                back_left, front_right, back_left, front_left, strict=True
            )
        )
        yield from _both_ways(middle, width, height - band, angle)
        if angle % 90:
            yield middle, *_upright(width, height - band, radians(angle)), 0


def _both_ways(middle, width, height, angle):
    yield middle, width, height, _readable(angle)
    yield middle, height, width, _readable(angle - 90)


def _upright(width, height, angle, flat=0.6):
    """Return width and height of the largest upright rectangle in a rotated one.

    `flat` is its height divided by its width.
    """
    across, down = abs(cos(angle)), abs(sin(angle))
    wide = min(width / (across + flat * down), height / (down + flat * across))
    return wide, wide * flat


def _largest(boxes):
    """Return up to six rectangles that the boxes cover completely, largest first.

    None of them contains another.

    The boxes are upright rectangles that do not overlap.
    """
    across = sorted({place for box in boxes for place in (box[0], box[2])})
    down = sorted({place for box in boxes for place in (box[1], box[3])})
    candidates = [
        (left, top, right, bottom)
        for left, right in combinations(across, 2)
        for top, bottom in combinations(down, 2)
    ]
    found = []
    for box in sorted(candidates, key=_area, reverse=True):
        covered = sum(_common_area(box, other) for other in boxes)
        if covered >= 0.995 * _area(box) and not any(_contains(other, box) for other in found):
            found.append(box)
    return found[:6]


def _common_area(one, other):
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0, width) * max(0, height)


def _contains(outer, inner):
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and outer[2] >= inner[2]
        and outer[3] >= inner[3]
    )


def _area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def _rows(number, name, details, width, height):
    """Return the rows of a label from top to bottom, or () if not even the number fits."""
    if width <= 0 or height <= 0:
        return ()
    share = 0.36 if name else 0.45
    size = min(NUMBER[0], width / em(number, True), height * share / LINE_HEIGHT)
    if size < NUMBER[1]:
        size = min(NUMBER[1] * 1.3, width / em(number, True), height / LINE_HEIGHT)
        return ((number, size, "number"),) if size >= NUMBER[1] * 0.7 else ()
    return (
        (number, size, "number"),
        *_rows_below(size, name, details, width, height - size * LINE_HEIGHT),
    )


def _rows_below(number_size, name, details, width, height):
    """Return the rows below the number: the name, and as many details as fit beside a whole and
    legible name.
    """
    largest = min(NAME[0], number_size * 0.95)
    for shown in _choices(details, name) if largest >= DETAIL[1] else [()]:
        small = [
            (text, min(DETAIL[0], number_size * 0.85, 0.94 * width / em(text))) for text in shown
        ]
        room = height - sum(size * LINE_HEIGHT for _, size in small)
        fitted = (
            fit(name, width, room, largest, NAME[1], PREFERRED_NAME) if name and room > 0 else None
        )
        least = ONE_LINE if len(shown) < len(details) and " · " in "".join(shown) else DETAIL[1]
        details_fit = room >= 0 and all(size >= least for _, size in small)
        if not shown or (details_fit and _is_legible(name, fitted)):
            name_rows = [(line, fitted.size, "name") for line in fitted.lines] if fitted else []
            limit = fitted.size * 0.9 if fitted else DETAIL[0]
            return [*name_rows, *((text, min(size, limit), "detail") for text, size in small)]


def _choices(details, name):
    """Return the rows of details that are tried: together on one line, below each other, fewer,
    none.

    Without a name there is room for larger details below each other.
    """
    together = [(" · ".join(details),)] if len(details) > 1 else []
    rest = [details[:count] for count in range(len(details) - 1, -1, -1)]
    return [*together, details, *rest] if name else [details, *together, *rest]


def _is_legible(name, fitted):
    return not name or (fitted and fitted.is_whole and fitted.size >= PREFERRED_NAME)


def _score(rows, name):
    """Return how good a label is: first by the part of the name that is shown, then by the smallest
    font size.
    """
    shown = sum(len(text) for text, _, kind in rows if kind != "number")
    return (min(1, shown / max(len(name), 1)) + 0.02) * min(
        (min(size, ENOUGH) for _, size, _ in rows), default=0
    )


def lay_out(label, on_paper, look):
    """Return the shapes of a Label, or none for None. On a hatched fill, it has a plain background."""
    if label is None:
        return []
    x, y = on_paper(label.middle)
    parts, rows, turn = [], label.rows, label.turn
    place = y - max(_height(label), label.tall) / 2
    if look.hatch:
        parts.append(Area(tuple(_backgrounds(rows, x, place)), look.fill))
    for size, is_bold, lines in _same_size(rows):
        parts.append(
            Text(x, place + size * (LINE_HEIGHT / 2 + 0.36), tuple(lines), size, is_bold, look.ink)
        )
        place += len(lines) * size * LINE_HEIGHT
    return [Group(tuple(parts), turn=(turn, x, y))] if turn else parts


def _backgrounds(rows, x, y):
    """Yield rectangles behind the rows, which keep the hatching away from the text."""
    for size, is_bold, lines in _same_size(rows):
        wide = max(em(text, is_bold) for text in lines) * size + 0.5
        high = len(lines) * size * LINE_HEIGHT
        yield rectangle(x - wide / 2, y, wide, high)
        y += high


def _same_size(rows):
    """Return (size, is_bold, lines), with consecutive rows of the same size in one entry."""
    found = []
    for text, size, kind in rows:
        is_bold = kind == "number"
        if not found or found[-1][:2] != (size, is_bold):
            found.append((size, is_bold, []))
        found[-1][2].append(text)
    return found
