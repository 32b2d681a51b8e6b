"""Geometry of halls: rectangles that may be turned, in millimetres, x to the right and y down.

A polygon is a convex one, its corners in order. What lies at right angles is exact; what is turned is a millimetre's matter.
"""
from math import cos, dist, hypot, radians, sin

TOLERANCE = 1
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


def box(polygon):
    """Left, top, right and bottom of what it covers."""
    across, down = zip(*polygon)
    return min(across), min(down), max(across), max(down)


def is_upright(polygon):
    """Whether each edge runs along x or y."""
    return all(x == other_x or y == other_y for (x, y), (other_x, other_y) in edges(polygon))


def edges(polygon):
    return zip(polygon, polygon[1:] + polygon[:1])


def overlap(a, b):
    """Whether the two share more than a corner or an edge."""
    left, top, right, bottom = box(a)
    other_left, other_top, other_right, other_bottom = box(b)
    if right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top:
        return False
    if is_upright(a) and is_upright(b):
        return True
    return all(_shared(a, b, normal) > TOLERANCE for polygon in (a, b) for normal in _normals(polygon))


def _normals(polygon):
    for (x, y), (other_x, other_y) in edges(polygon):
        length = dist((x, y), (other_x, other_y))
        if length:
            yield (other_y - y) / length, (x - other_x) / length


def _shared(a, b, axis):
    """How long the shadows of both on the axis lie on each other; below 0 there is a gap."""
    across, down = axis
    of_a, of_b = ([x * across + y * down for x, y in polygon] for polygon in (a, b))
    return min(max(of_a), max(of_b)) - max(min(of_a), min(of_b))


def inside(polygon, width, height):
    """Whether all of it lies in the hall."""
    allowed = 0 if is_upright(polygon) else TOLERANCE
    left, top, right, bottom = box(polygon)
    return left >= -allowed and top >= -allowed and right <= width + allowed and bottom <= height + allowed


def distance(a, b):
    """The shortest way from one to the other; 0 when they touch or overlap."""
    if is_upright(a) and is_upright(b):
        left, top, right, bottom = box(a)
        other_left, other_top, other_right, other_bottom = box(b)
        return hypot(max(other_left - right, left - other_right, 0), max(other_top - bottom, top - other_bottom, 0))
    if all(_shared(a, b, normal) >= 0 for polygon in (a, b) for normal in _normals(polygon)):
        return 0
    return min(_to_edge(corner, *edge) for one, other in ((a, b), (b, a)) for corner in one for edge in edges(other))


def _to_edge(point, start, end):
    (x, y), (start_x, start_y), (end_x, end_y) = point, start, end
    across, down = end_x - start_x, end_y - start_y
    squared = across * across + down * down
    along = max(0, min(1, ((x - start_x) * across + (y - start_y) * down) / squared)) if squared else 0
    return hypot(x - start_x - along * across, y - start_y - along * down)


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
