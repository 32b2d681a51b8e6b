"""Booths on a hall plan: those of one exhibitor that touch are one block with one outline and one label."""
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from math import cos, dist, radians, sin

from eventapi import geometry
from eventapi.pictures.letters import LEAD, em, fit
from eventapi.pictures.shapes import INK, PAPER, Area, Group, Hatch, Lines, Text, rectangle

TOUCHING, COMMON = 10, 100                  # mm: how near edges are that are one, and how long a common edge is at least
EDGE, FRONT = 0.25, 2                       # the front is the lower edge before a booth is turned: its third
BAND = 0.9                                  # of the type's colour, along the front
NUMBER, NAME, DETAIL = (6, 1.0), (4.6, 1.25), (2.8, 1.2)      # sizes of letters: largest and smallest
SPOTS = 5                                   # booths of a block among which the best place for its label is looked for
COMFORT = 1.9                               # the name does not get smaller than this for the sake of a detail


@dataclass(frozen=True)
class Look:
    """How a status is shown: by colour and by pattern, so that neither is needed."""
    fill: str
    ink: str = INK
    hatch: Hatch = None


# Colours of Okabe and Ito, lightened below dark text; light, hatched, dark and crossed in black and white.
LOOKS = {
    "available": Look("#e5f5ee"),
    "reserved": Look("#fadf9f", hatch=Hatch("reserved", "#b06f00", 1.6, 0.3)),
    "sold": Look("#00639c", ink=PAPER),
    "blocked": Look("#eeeeee", hatch=Hatch("blocked", "#8c8c8c", 1.8, 0.22, crossed=True)),
}


def blocks(booths):
    """Lists of booths: one for each exhibitor's booths that touch, in the order of their first booth. All have a position."""
    polygons = [geometry.corners(booth) for booth in booths]
    leader = list(range(len(booths)))

    def lead_of(place):
        while leader[place] != place:
            place = leader[place]
        return place
    for one, other in geometry.nearby(polygons, TOUCHING):
        if _together(booths[one], booths[other]) and _is_beside(polygons[one], polygons[other]):
            first, second = sorted((lead_of(one), lead_of(other)))
            leader[second] = first
    found = defaultdict(list)
    for place, booth in enumerate(booths):
        found[lead_of(place)].append(booth)
    return list(found.values())


def _together(one, other):
    return one["exhibitor_id"] is not None and all(one[member] == other[member] for member in ("exhibitor_id", "status"))


def _is_beside(one, other):
    """Whether the two have a common edge and nothing else in common."""
    return not geometry.overlap(one, other) and any(high - low >= COMMON for edge in geometry.edges(one) for low, high in _common(edge, other))


def _common(edge, polygon):
    """The parts (from, to) of an edge along which an edge of the polygon runs, in millimetres from its start."""
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
    """The borders of each polygon, edge by edge."""
    beside = defaultdict(list)
    for one, other in geometry.nearby(polygons, TOUCHING):
        beside[one].append(polygons[other])
        beside[other].append(polygons[one])
    return [list(_borders(polygon, beside[place])) for place, polygon in enumerate(polygons)]


def _borders(polygon, others):
    """Lists of the parts of each edge that no other polygon shares, edge by edge."""
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
    """The group of a block. `on_paper` turns a point of the hall into one of the sheet, `describe` gives the tooltip of a booth."""
    first, look = booths[0], LOOKS[booths[0]["status"]]
    polygons = [geometry.corners(booth) for booth in booths]
    rings = tuple(tuple(map(on_paper, polygon)) for polygon in polygons)
    sides = _sides(polygons)
    alone = len(booths) == 1
    parts = [Area(rings, look.fill, look.hatch, *((INK, EDGE) if alone else ()))]
    if not alone:
        free = [line for each in sides for side in each for line in side]
        parts.append(Lines(tuple(tuple(map(on_paper, line)) for line in free), INK, EDGE))
    parts += [band for booth, ring, each in zip(booths, rings, sides)
              for line in each[FRONT] for band in _band(booth, ring, tuple(map(on_paper, line)), look)]
    parts += _label(booths, polygons, on_paper, scale, look)
    if not alone:
        parts += [Group((Area((ring,)),), f"booth-{booth['id']}", describe(booth)) for booth, ring in zip(booths, rings)]
        return Group(tuple(parts))
    return Group(tuple(parts), f"booth-{first['id']}", describe(first))


def _band(booth, ring, line, look):
    """The type's colour along a line on the front of a booth."""
    if not booth["color"]:
        return
    (back_x, back_y), (x, y) = ring[0], ring[3]
    inner = min(BAND / max(dist(ring[0], ring[3]), 0.01), 0.2)
    strip = [(line, inner * 0.2), (reversed(line), inner)]             # the outline stays free
    yield Area((tuple((px + (back_x - x) * share, py + (back_y - y) * share) for points, share in strip for px, py in points),),
               booth["color"], None, look.ink, 0.12)


# The label

def _label(booths, polygons, on_paper, scale, look):
    """Number, name and price in the best spot of the block, upright or turned, on a plate where the fill is hatched."""
    number, name, details = _texts(booths)
    best, best_worth = None, -1
    for middle, width, height, turn in _spots(booths, polygons, scale):
        rows = _rows(number, name, details, width - 1.2, height - (1.9 if booths[0]["color"] else 1))
        worth = _worth(rows, name) * (1.5 if not turn else 1.25 if abs(turn) <= 45 else 1)
        if rows and worth > best_worth:
            best, best_worth = (on_paper(middle), turn, rows), worth
    return _set(*best, look) if best else []


def _texts(booths):
    """What is written on a block: its number or numbers, whose it is, and what else is told where there is room."""
    numbers = [booth["booth_number"] for booth in booths]
    number = numbers[0] if len(numbers) == 1 else f"{numbers[0]} + {len(numbers) - 1}" if len(numbers) > 2 else " + ".join(numbers)
    names = dict.fromkeys(booth["label"] for booth in booths if booth["label"])
    return number, next(iter(names), ""), tuple(detail for detail in booths[0]["details"] if detail) if len(booths) == 1 else ()


def _readable(angle):
    """The same line, to be read from the left or from below."""
    angle = (angle + 90) % 180 - 90
    return -90 if angle == 90 else angle


def _spots(booths, polygons, scale):
    """(middle, width, height, turn) of where a label may stand: a point of the hall, sizes on paper along and across the line."""
    if len(booths) > 1 and all(map(geometry.is_upright, polygons)):
        for left, top, right, bottom in _largest([geometry.box(polygon) for polygon in polygons[:SPOTS]]):
            yield from _both_ways(((left + right) / 2, (top + bottom) / 2), (right - left) * scale, (bottom - top) * scale, 0)
        return
    for booth, polygon in zip(booths[:SPOTS], polygons):
        width, height, angle = booth["width"] * scale, booth["depth"] * scale, booth["rotation"]
        if angle % 180 == 90:
            width, height, angle = height, width, 0
        up = BAND / 2 / scale / booth["depth"] if booth["color"] else 0     # away from the band
        middle = tuple((one + other) / 2 + (back - front) * up for one, other, back, front in zip(polygon[0], polygon[2], polygon[0], polygon[3]))
        yield from _both_ways(middle, width, height, angle)
        if angle % 90:
            yield middle, *_upright(width, height, radians(angle)), 0


def _both_ways(middle, width, height, angle):
    yield middle, width, height, _readable(angle)
    yield middle, height, width, _readable(angle - 90)


def _upright(width, height, angle, flat=0.6):
    """Width and height of the largest upright rectangle of a shape in a turned one."""
    across, down = abs(cos(angle)), abs(sin(angle))
    wide = min(width / (across + flat * down), height / (down + flat * across))
    return wide, wide * flat


def _largest(boxes):
    """The rectangles that upright boxes, which do not overlap, cover together; none of them lies in another."""
    across = sorted({place for box in boxes for place in (box[0], box[2])})
    down = sorted({place for box in boxes for place in (box[1], box[3])})

    def covered(left, top, right, bottom):
        return sum(max(0, min(right, box[2]) - max(left, box[0])) * max(0, min(bottom, box[3]) - max(top, box[1])) for box in boxes)
    whole = [(left, top, right, bottom) for left, right in combinations(across, 2) for top, bottom in combinations(down, 2)]
    found = []
    for box in sorted(whole, key=_area, reverse=True):
        if covered(*box) >= 0.995 * _area(box) and not any(_contains(other, box) for other in found):
            found.append(box)
    return found[:6]


def _contains(outer, inner):
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def _rows(number, name, details, width, height):
    """(text, size, is_bold) from top to bottom, or () where not even the number fits."""
    if width <= 0 or height <= 0:
        return ()
    share = 0.36 if name or details else 0.45
    size = min(NUMBER[0], width / em(number, True), height * share / LEAD)
    if size < NUMBER[1]:
        size = min(NUMBER[1] * 1.3, width / em(number, True), height / LEAD)
        return ((number, size, True),) if size >= NUMBER[1] * 0.7 else ()
    rows, left = [(number, size, True)], height - size * LEAD
    most = min(NAME[0], size * 0.95)
    for kept in range(len(details) if most >= DETAIL[1] else 0, -1, -1):
        small = [(text, min(DETAIL[0], size * 0.8, 0.94 * width / em(text))) for text in details[:kept]]
        room = left - sum(size * LEAD for _, size in small)
        fitted = fit(name, width, room, most, NAME[1], COMFORT) if name and room > 0 else None
        roomy = room >= 0 and all(size >= DETAIL[1] for _, size in small)
        if not kept or roomy and (not name or fitted and fitted.is_whole and fitted.size >= COMFORT):
            named = [(line, fitted.size, False) for line in fitted.lines] if fitted else []
            most = fitted.size * 0.9 if fitted else DETAIL[0]
            return (*rows, *named, *((text, min(size, most), False) for text, size in small))
    return tuple(rows)


def _worth(rows, name):
    """How well a label tells what it should: more of the name counts most, then its size."""
    told = sum(len(text) for text, _, is_bold in rows if not is_bold)
    return (min(1, told / max(len(name), 1)) + 0.02) * min((size for _, size, _ in rows), default=0)


def _set(middle, turn, rows, look):
    """The rows as shapes, centred on a point."""
    x, y = middle
    parts, place = [], y - sum(size * LEAD for _, size, _ in rows) / 2
    if look.hatch:
        parts.append(Area(tuple(_plates(rows, x, place)), look.fill))
    for size, is_bold, lines in _same_size(rows):
        parts.append(Text(x, place + size * (LEAD / 2 + 0.36), tuple(lines), size, is_bold, look.ink))
        place += len(lines) * size * LEAD
    return [Group(tuple(parts), turn=(turn, x, y))] if turn else parts


def _plates(rows, x, y):
    """What keeps the rows clear of the hatching."""
    for size, is_bold, lines in _same_size(rows):
        wide, high = max(em(text, is_bold) for text in lines) * size + 0.5, len(lines) * size * LEAD
        yield rectangle(x - wide / 2, y, wide, high)
        y += high


def _same_size(rows):
    """(size, is_bold, lines) of the rows, those of one size together."""
    found = []
    for text, size, is_bold in rows:
        if not found or found[-1][:2] != (size, is_bold):
            found.append((size, is_bold, []))
        found[-1][2].append(text)
    return found
