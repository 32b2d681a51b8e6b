"""Booths on a hall plan. Adjacent booths of one exhibitor form a block with one outline and one label.

A booth is a dict of domain/halls/plan_pictures.py with `label` and `details` added by sheet.py. Its position and size
are in millimetres of the hall; sizes in drawings are millimetres on paper.
"""
from collections import defaultdict
from dataclasses import dataclass
from math import dist

from eventapi import geometry
from eventapi.pictures.hall.labels import BAND, label
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Hatch, Lines

TOUCHING, COMMON = 10, 100                  # edges at most 10 mm apart coincide; a common edge is at least 100 mm long
OUTLINE = 0.25
FRONT = 2                                   # index of the front edge: the lower edge if the booth is not rotated


@dataclass(frozen=True)
class Look:
    """The appearance of a status: a colour and a pattern, either of which suffices to recognise it."""
    fill: str
    ink: str = INK
    hatch: Hatch = None


# Palette of Okabe and Ito, lightened below dark text.
# In black and white, these are light, hatched, dark and cross-hatched.
LOOKS = {
    "available": Look("#e5f5ee"),
    "reserved": Look("#fadf9f", hatch=Hatch("reserved", "#b06f00", 1.6, 0.3)),
    "sold": Look("#00639c", ink=PAPER),
    "blocked": Look("#eeeeee", hatch=Hatch("blocked", "#8c8c8c", 1.8, 0.22, crossed=True)),
}


def blocks(booths):
    """Return the blocks as lists of booths, in the order of their first booth. All booths must have a position."""
    polygons = [geometry.corners(booth) for booth in booths]
    parents = list(range(len(booths)))              # a union-find structure over the indexes of the booths

    def root_of(place):
        while parents[place] != place:
            place = parents[place]
        return place
    for one, other in geometry.nearby(polygons, TOUCHING):
        if _belong_together(booths[one], booths[other]) and _are_adjacent(polygons[one], polygons[other]):
            first, second = sorted((root_of(one), root_of(other)))
            parents[second] = first
    found = defaultdict(list)
    for place, booth in enumerate(booths):
        found[root_of(place)].append(booth)
    return list(found.values())


def _belong_together(one, other):
    return one["exhibitor_id"] is not None and all(one[field] == other[field] for field in ("exhibitor_id", "status"))


def _are_adjacent(one, other):
    """Return whether two polygons have a common edge and do not overlap."""
    common = (part for edge in geometry.edges(one) for part in _common(edge, other))
    return not geometry.overlap(one, other) and any(high - low >= COMMON for low, high in common)


def _common(edge, polygon):
    """Yield the parts (start, end) of an edge that coincide with an edge of the polygon, in mm along the edge."""
    start, end = edge
    length = dist(start, end)
    along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    for corner in geometry.edges(polygon):
        away = [abs((x - start[0]) * along[1] - (y - start[1]) * along[0]) for x, y in corner]
        if max(away) <= TOUCHING:
            low, high = sorted((x - start[0]) * along[0] + (y - start[1]) * along[1] for x, y in corner)
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
        yield [tuple((start[0] + across * place, start[1] + down * place) for place in part) for part in free]


def block(booths, on_paper, scale, describe):
    """Return a block as a Group.

    `on_paper` converts a point of the hall to a point of the sheet. `describe` returns the tooltip of a booth.
    """
    first, look = booths[0], LOOKS[booths[0]["status"]]
    polygons = [geometry.corners(booth) for booth in booths]
    rings = tuple(tuple(map(on_paper, polygon)) for polygon in polygons)
    sides = _sides(polygons)
    alone = len(booths) == 1
    parts = [Area(rings, look.fill, look.hatch, *((INK, OUTLINE) if alone else ()))]
    if not alone:
        free = [line for each in sides for side in each for line in side]
        parts.append(Lines(tuple(tuple(map(on_paper, line)) for line in free), INK, OUTLINE))
    for booth, ring, each in zip(booths, rings, sides, strict=True):
        for line in each[FRONT]:
            parts += _band(booth, ring, tuple(map(on_paper, line)), look)
    parts += label(booths, polygons, on_paper, scale, look)
    if not alone:
        parts += [Group((Area((ring,)),), f"booth-{booth['id']}", describe(booth))
                  for booth, ring in zip(booths, rings, strict=True)]
        return Group(tuple(parts))
    return Group(tuple(parts), f"booth-{first['id']}", describe(first))


def _band(booth, ring, line, look):
    """Yield a band in the colour of the booth type along a line on the front of the booth."""
    if not booth["color"]:
        return
    (back_x, back_y), (x, y) = ring[0], ring[3]
    inner = min(BAND / max(dist(ring[0], ring[3]), 0.01), 0.2)
    strip = [(line, inner * 0.2), (reversed(line), inner)]             # leaves the outline visible
    corners = [(px + (back_x - x) * share, py + (back_y - y) * share) for points, share in strip for px, py in points]
    yield Area((tuple(corners),), booth["color"], None, look.ink, 0.12)
