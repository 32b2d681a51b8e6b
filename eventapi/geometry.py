"""Geometry of halls: rectangles that may be rotated.

Units are millimetres; x points to the right and y down.

A polygon is convex: a tuple of its corners in order. Upright rectangles are computed exactly,
rotated ones with a tolerance of one millimetre.
"""

from functools import lru_cache
from math import cos, dist, radians, sin

TOLERANCE = 1
AT_WALL = 500  # a door that is nearer to a wall than this is in the wall
# polygons whose box and normals are cached, because each is compared with many others
CACHED = 2048
# degrees -> cosine and sine, without rounding
RIGHT_ANGLES = {
    0: (1, 0),
    90: (0, 1),
    180: (-1, 0),
    270: (0, -1),
}


def corners(booth):
    """Return the four corners of a booth, which must have a position."""
    return rectangle(
        booth["pos_x"], booth["pos_y"], booth["width"], booth["depth"], booth["rotation"]
    )


def rectangle(x, y, width, depth, rotation=0):
    """Return the four corners clockwise, beginning with the one that is top left before the
    rotation.

    `rotation` is in degrees, clockwise about the centre.
    """
    right, bottom = x + width, y + depth
    if rotation % 360 == 0:
        return (x, y), (right, y), (right, bottom), (x, bottom)
    cosine, sine = RIGHT_ANGLES.get(rotation % 360) or (
        cos(radians(rotation)),
        sin(radians(rotation)),
    )
    middle_x, middle_y, half, deep = x + width / 2, y + depth / 2, width / 2, depth / 2
    return tuple(
        (middle_x + across * cosine - down * sine, middle_y + across * sine + down * cosine)
        for across, down in ((-half, -deep), (half, -deep), (half, deep), (-half, deep))
    )


@lru_cache(maxsize=CACHED)
def box(polygon):
    """Return left, top, right and bottom of the bounding box."""
    across, down = zip(*polygon, strict=True)
    return min(across), min(down), max(across), max(down)


@lru_cache(maxsize=CACHED)
def is_upright(polygon):
    """Return whether each edge is parallel to x or y."""
    return all(x == other_x or y == other_y for (x, y), (other_x, other_y) in edges(polygon))


def edges(polygon):
    """Yield the edges as pairs of points."""
    return zip(polygon, polygon[1:] + polygon[:1], strict=True)


def meet(one, other):
    """Return whether two boxes (left, top, right, bottom) have more in common than a corner or an
    edge.
    """
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def overlap(a, b):
    """Return whether two polygons have more in common than a corner or an edge."""
    return overlap_depth(a, b) > (0 if is_upright(a) and is_upright(b) else TOLERANCE)


def overlap_depth(a, b):
    """Return the smallest distance by which one polygon must be moved so that they do not overlap.

    The result is 0 or negative if they do not overlap.
    """
    left, top, right, bottom = box(a)
    other_left, other_top, other_right, other_bottom = box(b)
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    upright = min(across, down)
    if upright <= 0 or (is_upright(a) and is_upright(b)):
        return upright
    return min(_shared(a, b, normal) for polygon in (a, b) for normal in _normals(polygon))


@lru_cache(maxsize=CACHED)
def _normals(polygon):
    """Return the unit normals of the edges, for a parallelogram only two."""
    sides = list(edges(polygon))
    if len(polygon) == 4 and all(
        abs(a - b + c - d) < 1e-6 for a, b, c, d in zip(*polygon, strict=True)
    ):
        sides = sides[:2]
    lengths = [dist(*side) for side in sides]
    return [
        ((other_y - y) / length, (x - other_x) / length)
        for ((x, y), (other_x, other_y)), length in zip(sides, lengths, strict=True)
        if length
    ]


def _shared(a, b, axis):
    """Return the length that the projections of both polygons on an axis have in common.

    It is negative for a gap.
    """
    across, down = axis
    of_a, of_b = [x * across + y * down for x, y in a], [x * across + y * down for x, y in b]
    return min(max(of_a), max(of_b)) - max(min(of_a), min(of_b))


def inside(polygon, width, height):
    """Return whether the polygon lies completely in a hall of this size."""
    allowed = 0 if is_upright(polygon) else TOLERANCE
    left, top, right, bottom = box(polygon)
    return (
        left >= -allowed
        and top >= -allowed
        and right <= width + allowed
        and bottom <= height + allowed
    )


def distance(a, b):
    """Return the shortest distance between two polygons, which is 0 if they touch or overlap."""
    if is_upright(a) and is_upright(b):
        return dist(*closest_points(a, b))
    if all(_shared(a, b, normal) >= 0 for polygon in (a, b) for normal in _normals(polygon)):
        return 0
    return dist(*closest_points(a, b))


def closest_points(a, b):
    """Return a point of each polygon, so that their distance is shortest.

    If upright polygons face each other along a range, the points are in its middle.
    """
    if is_upright(a) and is_upright(b):
        left, top, right, bottom = box(a)
        other_left, other_top, other_right, other_bottom = box(b)
        across = _nearest(left, right, other_left, other_right)
        down = _nearest(top, bottom, other_top, other_bottom)
        return tuple(zip(across, down, strict=True))
    pairs = (
        (corner, _foot(corner, *edge))
        for one, other in ((a, b), (b, a))
        for corner in one
        for edge in edges(other)
    )
    return min(pairs, key=lambda points: dist(*points))


def _nearest(low, high, other_low, other_high):
    """Return the nearest numbers of two ranges, or twice the middle of the range that they have in
    common.
    """
    if high < other_low:
        return high, other_low
    if other_high < low:
        return low, other_high
    middle = (max(low, other_low) + min(high, other_high)) / 2
    return middle, middle


def _foot(point, start, end):
    """Return the point of an edge that is nearest to a point."""
    (x, y), (start_x, start_y), (end_x, end_y) = point, start, end
    across, down = end_x - start_x, end_y - start_y
    squared = across * across + down * down
    along = (
        max(0, min(1, ((x - start_x) * across + (y - start_y) * down) / squared)) if squared else 0
    )
    return start_x + along * across, start_y + along * down


def nearby(polygons, reach):
    """Yield the indexes of polygons whose boxes are at most `reach` apart, as pairs with the
    smaller index first.

    The polygons are visited from left to right, so that each is compared with few others.
    """
    boxes, open_ = [box(polygon) for polygon in polygons], []
    for place in sorted(range(len(boxes)), key=lambda place: boxes[place][0]):
        left, top, _, bottom = boxes[place]
        open_ = [other for other in open_ if boxes[other][2] + reach >= left]
        for other in open_:
            if boxes[other][1] <= bottom + reach and top <= boxes[other][3] + reach:
                yield min(place, other), max(place, other)
        open_.append(place)


def wall_of(thing, width, height):
    """Return the wall that a door is in: "top", "bottom", "left", "right", or None if it is not
    near a wall.

    A wall along its longer side takes precedence, then the nearest wall.
    """
    gaps = {
        "top": thing["y"],
        "bottom": height - thing["y"] - thing["depth"],
        "left": thing["x"],
        "right": width - thing["x"] - thing["width"],
    }
    along = walls_along(thing)
    at_wall = sorted((wall not in along, gap, wall) for wall, gap in gaps.items() if gap <= AT_WALL)
    return at_wall[0][2] if at_wall else None


def walls_along(thing):
    """Return the two walls that are parallel to the longer side of an object."""
    return ("top", "bottom") if thing["width"] >= thing["depth"] else ("left", "right")
