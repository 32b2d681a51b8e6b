"""Booths on a hall plan.

Adjacent booths of one exhibitor form a block with one outline and one label.

A booth is a dict of domain/halls/plan_pictures.py with `label` and `look` added by sheet.py. Its
position and size are in millimetres of the hall; sizes in drawings are millimetres on paper.
"""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from math import dist

from eventapi import geometry
from eventapi.pictures import style
from eventapi.pictures.hall.labels import BAND, EDGE, choose, lay_out, level
from eventapi.pictures.shapes import Area, Group, Hatch, Lines
from eventapi.pictures.style import BOOTH_LINE, INK, PAPER

TOUCHING = 10  # edges at most 10 mm apart coincide
COMMON = 100  # a common edge is at least 100 mm long
OUTLINE = 0.25
LABELS = {}  # labels that were chosen, by what they depend on
MOST = 4000  # entries of a dict in which a process keeps parts of plans
CHOSEN_BY = ("booth_number", "label", "pos_x", "pos_y", "width", "depth", "rotation", "color")
FRONT = 2  # index of the front edge: the lower edge if the booth is not rotated


@dataclass(frozen=True)
class Look:
    """The appearance of a status: a colour and a pattern, either of which suffices to recognise it."""

    fill: str
    ink: str = INK
    hatch: Hatch = None
    stroke: str = BOOTH_LINE
    dash: float = 0


# In the internal view, booths for sale stand out; in black and white, the statuses are dark, light,
# hatched and cross-hatched. In the public view, the exhibitors do, and booths without a name are
# quiet: `taken` and, white with a dashed outline, `available`.
NAMED = Look(style.NAMED, style.NAMED_INK)
LOOKS = {
    "internal": {
        "available": Look(style.OPEN, style.ON_OPEN, stroke="#12402c"),
        "reserved": Look(style.WAIT_SOFT, "#44360f", hatch=Hatch("reserved", "#dcc07a", 1.6, 0.3)),
        "sold": NAMED,
        "blocked": Look(
            style.TAKEN, "#4f5450", hatch=Hatch("blocked", "#c6cac6", 1.8, 0.22, crossed=True)
        ),
    },
    "public": {
        "available": Look(style.FREE, style.FREE_INK, dash=1.2),
        "exhibitor": NAMED,
        "taken": Look(style.TAKEN, style.TAKEN_INK),
    },
}


def blocks(booths):
    """Return the blocks as lists of booths, in the order of their first booth.

    All booths must have a position.
    """
    polygons = [geometry.corners(booth) for booth in booths]
    parents = list(range(len(booths)))  # a union-find structure over the indexes of the booths

    def root_of(place):
        while parents[place] != place:
            place = parents[place]
        return place

    for one, other in geometry.nearby(polygons, TOUCHING):
        if _belong_together(booths[one], booths[other]) and _are_adjacent(
            polygons[one], polygons[other]
        ):
            first, second = sorted((root_of(one), root_of(other)))
            parents[second] = first
    found = defaultdict(list)
    for place, booth in enumerate(booths):
        found[root_of(place)].append(booth)
    return list(found.values())


def _belong_together(one, other):
    return one["exhibitor_id"] is not None and all(
        one[field] == other[field] for field in ("exhibitor_id", "status")
    )


def _are_adjacent(one, other):
    """Return whether two polygons have a common edge and do not overlap."""
    common = (part for edge in geometry.edges(one) for part in _common(edge, other))
    return not geometry.overlap(one, other) and any(high - low >= COMMON for low, high in common)


def _common(edge, polygon):
    """Yield the parts (start, end) of an edge that coincide with an edge of the polygon, in mm
    along the edge.
    """
    start, end = edge
    length = dist(start, end)
    along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    for corner in geometry.edges(polygon):
        away = [abs((x - start[0]) * along[1] - (y - start[1]) * along[0]) for x, y in corner]
        if max(away) <= TOUCHING:
            low, high = sorted(
                (x - start[0]) * along[0] + (y - start[1]) * along[1] for x, y in corner
            )
            if low < length and high > 0:
                yield max(low, 0), min(high, length)


def _sides(polygons):
    """Return the borders of each polygon as in `_borders`."""
    beside = defaultdict(list)
    for one, other in geometry.nearby(polygons, TOUCHING):
        beside[one].append(polygons[other])
        beside[other].append(polygons[one])
    return [list(_borders(polygon, beside[place])) for place, polygon in enumerate(polygons)]


def _borders(polygon, others):
    """Yield for each edge the list of its parts that coincide with no other polygon."""
    for start, end in geometry.edges(polygon):
        length, place, free = dist(start, end), 0, []
        for low, high in sorted(part for other in others for part in _common((start, end), other)):
            if low - place > TOUCHING:
                free.append((place, low))
            place = max(place, high)
        if length - place > TOUCHING:
            free.append((place, length))
        across, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        yield [
            tuple((start[0] + across * place, start[1] + down * place) for place in part)
            for part in free
        ]


def labels(found, details, scale, symbols):
    """Return the Label of each block, or None.

    details: function from a block to the texts below its name.
    symbols: boxes (left, top, right, bottom) in the hall that a label must not cover.
    """
    every = [[geometry.corners(booth) for booth in booths] for booths in found]
    chosen = [
        _label(booths, details(booths), polygons, scale, covered)
        for booths, polygons, covered in zip(found, every, _covered(every, symbols), strict=True)
    ]
    return level(chosen, every, scale)


def _covered(every, symbols):
    """Return the symbols that each block meets. `every` has the polygons of the blocks."""
    found = [[] for _ in every]
    boxes = sorted(
        (geometry.box(polygon), place)
        for place, polygons in enumerate(every)
        for polygon in polygons
    )
    lefts = [box[0] for box, _ in boxes]
    widest = max((box[2] - box[0] for box, _ in boxes), default=0)
    for symbol in symbols:
        near = boxes[bisect_left(lefts, symbol[0] - widest) : bisect_left(lefts, symbol[2])]
        for place in {place for box, place in near if geometry.meet(symbol, box)}:
            found[place].append(symbol)
    return found


def _label(booths, details, polygons, scale, obstacles):
    """Return the Label of a block as it is before those of its row are compared, or None."""

    def chosen():
        strips = (
            geometry.box(_strip(polygon, line, (BAND + EDGE) / scale))
            for _, polygon, line in _fronts(booths, polygons, _sides(polygons))
            if geometry.is_upright(polygon)
        )
        return choose(
            booths, details, polygons, scale, [*obstacles, *(strips if len(booths) > 1 else ())]
        )

    return kept(
        LABELS,
        (details, scale, *obstacles, *(tuple(map(booth.get, CHOSEN_BY)) for booth in booths)),
        chosen,
    )


def kept(cache, key, make):
    """Return what a dict has for a key, which `make()` makes if there is none.

    Other threads may empty it meanwhile.
    """
    found = cache.get(key, cache)
    if found is cache:
        if len(cache) >= MOST:
            cache.clear()
        found = cache[key] = make()
    return found


def _fronts(booths, polygons, sides):
    """Return (booth, polygon, line) for each line on the front of a booth whose type has a colour."""
    return [
        (booth, polygon, line)
        for booth, polygon, each in zip(booths, polygons, sides, strict=True)
        for line in each[FRONT]
        if booth["color"]
    ]


def block(booths, label, on_paper, scale, describe):
    """Return a block as a Group.

    label: its Label, or None.
    on_paper: converts a point of the hall to a point of the sheet.
    describe: returns the tooltip of a booth.
    """
    first, look = booths[0], booths[0]["look"]
    polygons = [geometry.corners(booth) for booth in booths]
    rings = tuple(tuple(map(on_paper, polygon)) for polygon in polygons)
    sides = _sides(polygons)
    alone = len(booths) == 1
    parts = [Area(rings, look.fill, look.hatch)]
    for booth, polygon, line in _fronts(booths, polygons, sides):
        for width, color in ((BAND + EDGE, PAPER), (BAND, booth["color"])):
            parts.append(Area((tuple(map(on_paper, _strip(polygon, line, width / scale))),), color))
    if alone:
        parts.append(Area(rings, None, None, look.stroke, OUTLINE, look.dash))
    else:
        free = [line for each in sides for side in each for line in side]
        parts.append(
            Lines(
                tuple(tuple(map(on_paper, line)) for line in free), look.stroke, OUTLINE, look.dash
            )
        )
    parts += lay_out(label, on_paper, look)
    if not alone:
        parts += [
            Group((Area((ring,)),), f"booth-{booth['id']}", describe(booth))
            for booth, ring in zip(booths, rings, strict=True)
        ]
        return Group(tuple(parts))
    return Group(tuple(parts), f"booth-{first['id']}", describe(first))


def _strip(polygon, line, width):
    """Return the corners of the band along a line on the front of a booth, at most half as wide as
    the booth is deep.

    A white band that is EDGE wider separates the band from the fill, which may have a similar
    colour.
    """
    (back_x, back_y), (x, y) = polygon[0], polygon[3]
    share = min(width / max(dist(polygon[0], polygon[3]), 0.01), 0.5)
    inner = [(px + (back_x - x) * share, py + (back_y - y) * share) for px, py in reversed(line)]
    return *line, *inner
