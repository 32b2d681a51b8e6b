"""Geometry of halls: rectangles that may be turned, in millimetres, x to the right and y down.

A polygon is a convex one, a tuple of its corners in order. What lies at right angles is exact; what is turned is a
millimetre's matter.
"""
from functools import lru_cache
from math import cos, dist, radians, sin

TOLERANCE = 1
AT_WALL = 500               # what is nearer to a wall stands in it
KEPT = 2048                 # polygons of which box and normals are remembered: each is compared with many
RIGHT_ANGLES = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}      # degrees -> cosine and sine, without rounding


def corners(booth):
    """The four corners of a booth that has a position."""
    return rectangle(booth["pos_x"], booth["pos_y"], booth["width"], booth["depth"], booth["rotation"])


def rectangle(x, y, width, depth, rotation=0):
    """Four corners: the top left one before turning first, then clockwise; turned clockwise about the centre."""
    right, bottom = x + width, y + depth
    if rotation % 360 == 0:
        return (x, y), (right, y), (right, bottom), (x, bottom)
    cosine, sine = RIGHT_ANGLES.get(rotation % 360) or (cos(radians(rotation)), sin(radians(rotation)))
    middle_x, middle_y, half, deep = x + width / 2, y + depth / 2, width / 2, depth / 2
    return tuple((middle_x + across * cosine - down * sine, middle_y + across * sine + down * cosine)
                 for across, down in ((-half, -deep), (half, -deep), (half, deep), (-half, deep)))


@lru_cache(maxsize=KEPT)
def box(polygon):
    """Left, top, right and bottom of what it covers."""
    across, down = zip(*polygon)
    return min(across), min(down), max(across), max(down)


@lru_cache(maxsize=KEPT)
def is_upright(polygon):
    """Whether each edge runs along x or y."""
    return all(x == other_x or y == other_y for (x, y), (other_x, other_y) in edges(polygon))


def edges(polygon):
    return zip(polygon, polygon[1:] + polygon[:1])


def overlap(a, b):
    """Whether the two share more than a corner or an edge."""
    return overlap_depth(a, b) > (0 if is_upright(a) and is_upright(b) else TOLERANCE)


def overlap_depth(a, b):
    """How far the two reach into each other where that is least; 0 or less when they share nothing."""
    upright = min(_shared(a, b, axis) for axis in ((1, 0), (0, 1)))
    if upright <= 0 or is_upright(a) and is_upright(b):
        return upright
    return min(_shared(a, b, normal) for polygon in (a, b) for normal in _normals(polygon))


@lru_cache(maxsize=KEPT)
def _normals(polygon):
    """Across each edge, one of parallel ones."""
    sides = list(edges(polygon))
    if len(polygon) == 4 and all(abs(a - b + c - d) < 1e-6 for a, b, c, d in zip(*polygon)):
        sides = sides[:2]
    lengths = [dist(*side) for side in sides]
    return [((other_y - y) / length, (x - other_x) / length)
            for ((x, y), (other_x, other_y)), length in zip(sides, lengths) if length]


def _shared(a, b, axis):
    """How long the shadows of both on the axis lie on each other; below 0 there is a gap."""
    across, down = axis
    of_a, of_b = [x * across + y * down for x, y in a], [x * across + y * down for x, y in b]
    return min(max(of_a), max(of_b)) - max(min(of_a), min(of_b))


def inside(polygon, width, height):
    """Whether all of it lies in the hall."""
    allowed = 0 if is_upright(polygon) else TOLERANCE
    left, top, right, bottom = box(polygon)
    return left >= -allowed and top >= -allowed and right <= width + allowed and bottom <= height + allowed


def distance(a, b):
    """The shortest way from one to the other; 0 when they touch or overlap."""
    if is_upright(a) and is_upright(b):
        return dist(*closest_points(a, b))
    if all(_shared(a, b, normal) >= 0 for polygon in (a, b) for normal in _normals(polygon)):
        return 0
    return dist(*closest_points(a, b))


def closest_points(a, b):
    """Two points between which the way from one to the other is shortest, in the middle where they face each other upright."""
    if is_upright(a) and is_upright(b):
        left, top, right, bottom = box(a)
        other_left, other_top, other_right, other_bottom = box(b)
        return tuple(zip(_nearest(left, right, other_left, other_right), _nearest(top, bottom, other_top, other_bottom)))
    ways = ((corner, _foot(corner, *edge)) for one, other in ((a, b), (b, a)) for corner in one for edge in edges(other))
    return min(ways, key=lambda points: dist(*points))


def _nearest(low, high, other_low, other_high):
    """The two numbers of two ranges that are nearest; the middle of what they share."""
    if high < other_low:
        return high, other_low
    if other_high < low:
        return low, other_high
    middle = (max(low, other_low) + min(high, other_high)) / 2
    return middle, middle


def _foot(point, start, end):
    """The point of an edge that is nearest to a point."""
    (x, y), (start_x, start_y), (end_x, end_y) = point, start, end
    across, down = end_x - start_x, end_y - start_y
    squared = across * across + down * down
    along = max(0, min(1, ((x - start_x) * across + (y - start_y) * down) / squared)) if squared else 0
    return start_x + along * across, start_y + along * down


def nearby(polygons, reach):
    """Pairs of places (the smaller first) of those whose boxes come within reach of each other: a sweep from left to right."""
    boxes, open_ = [box(polygon) for polygon in polygons], []
    for place in sorted(range(len(boxes)), key=lambda place: boxes[place][0]):
        left, top, _, bottom = boxes[place]
        open_ = [other for other in open_ if boxes[other][2] + reach >= left]
        for other in open_:
            if boxes[other][1] <= bottom + reach and top <= boxes[other][3] + reach:
                yield min(place, other), max(place, other)
        open_.append(place)


def wall_of(thing, width, height):
    """The wall of a hall that an upright thing such as a door stands in, that along its longer side first, then the nearest: "top",
    "bottom", "left" or "right"; None when it stands free."""
    gaps = {"top": thing["y"], "bottom": height - thing["y"] - thing["depth"],
            "left": thing["x"], "right": width - thing["x"] - thing["width"]}
    along = walls_along(thing)
    at_wall = sorted((wall not in along, gap, wall) for wall, gap in gaps.items() if gap <= AT_WALL)
    return at_wall[0][2] if at_wall else None


def walls_along(thing):
    """The two walls that run along its longer side."""
    return ("top", "bottom") if thing["width"] >= thing["depth"] else ("left", "right")
