"""Checks of the layout of a hall: booths that overlap, lie outside or on objects, narrow aisles,
blocked doors.

Lengths are in millimetres; the warnings contain metres. Booths with a gap of at most PASSABLE have
no aisle between
them: they stand side by side or back to back, and belong to one row. `index` is the position of a booth in
`Hall.booths` or of an object in `Hall.objects`. Bodies are the polygons of the booths, followed by
those of the four walls.
"""

import json
from itertools import chain, islice

from eventapi.errors import listed
from eventapi.geometry import (
    box,
    closest_points,
    corners,
    distance,
    inside,
    nearby,
    overlap,
    overlap_depth,
    rectangle,
    wall_of,
    walls_along,
)

NEIGHBOUR = 50  # a gap that comes from walls and rounding
# nobody walks through a smaller gap, such as that for cables between booths back to back
PASSABLE = 300
MAX_WARNINGS = 1000
MAX_GAPS = 5000  # between booths of all narrow aisles
MAX_NAMED = 12  # booths on one side of an aisle that its warning names
MAX_PAIRS = 100_000  # of polygons close to each other; limits the time for crowded plans
WALLS = ("left", "top", "right", "bottom")  # in the order of `walls`, as the plan is drawn
OCCUPIED_OBJECTS = {"pillar": "a pillar", "stage": "a stage", "aisle": "an aisle"}


def warnings(plan, booths, min_aisle):
    """Return (warnings, whether they are complete).

    `plan` is a row of `get`, `booths` are the rows of `outlines` in sql/plans.sql; `min_aisle` is
    in millimetres.
    """
    hall = Hall(plan, booths)
    found = list(
        islice(
            chain(
                unplaced(booths),
                outside(hall),
                *close(hall, min_aisle),
                on_objects(hall),
                blocked_doors(hall, min_aisle),
            ),
            MAX_WARNINGS + 1,
        )
    )
    return found[:MAX_WARNINGS], hall.is_complete and len(found) <= MAX_WARNINGS


class Hall:
    """The booths and objects of a plan, and the polygons of the placed booths.

    `is_complete` becomes false if more than MAX_PAIRS pairs of polygons were close to each other.
    """

    def __init__(self, plan, booths):
        self.width, self.height = plan["width"], plan["height"]
        self.booths = [booth for booth in booths if booth["pos_x"] is not None]
        self.polygons = [corners(booth) for booth in self.booths]
        self.objects = json.loads(plan["objects"])
        self.is_complete = True

    def name(self, index):
        """Return what warnings call a booth within a sentence."""
        return f"booth {self.booths[index]['booth_number']}"

    def subject(self, index):
        """Return what warnings call a booth at the start of a sentence."""
        return f"Booth {self.booths[index]['booth_number']}"

    def warn(self, code, detail, booths=(), **values):
        """Return a warning about the booths with these indexes."""
        return warning(code, detail, [self.booths[index]["id"] for index in booths], **values)

    def of_kind(self, *kinds):
        """Return (indexes, polygons) of the objects of these kinds."""
        found = [
            (index, rectangle(thing["x"], thing["y"], thing["width"], thing["depth"]))
            for index, thing in enumerate(self.objects)
            if thing["kind"] in kinds
        ]
        return [index for index, _ in found], [polygon for _, polygon in found]

    def pairs(self, polygons, reach=0):
        """Return at most MAX_PAIRS pairs of indexes of polygons whose bounding boxes are at most
        `reach` apart.
        """
        pairs = list(islice(nearby(polygons, reach), MAX_PAIRS + 1))
        self.is_complete = self.is_complete and len(pairs) <= MAX_PAIRS
        return pairs[:MAX_PAIRS]

    def meeting(self, ones, others):
        """Yield (index in `ones`, index in `others`) of the polygons that overlap."""
        if not others:  # a hall without pillars, say
            return
        for one, other in self.pairs(ones + others):
            if one < len(ones) <= other and overlap(ones[one], others[other - len(ones)]):
                yield one, other - len(ones)


def warning(code, detail, booth_ids, object_index=None, measure=None):
    """Return the API object of a warning. `measure` is in millimetres."""
    return {
        "code": code,
        "detail": detail,
        "booth_ids": booth_ids,
        "object_index": object_index,
        "measure": None if measure is None else metres(measure),
    }


def metres(length):
    return round(length) / 1000


def unplaced(booths):
    """Yield a warning for each booth without a position."""
    for booth in booths:
        if booth["pos_x"] is None:
            yield warning(
                "unplaced", f"Booth {booth['booth_number']} has no position.", [booth["id"]]
            )


def outside(hall):
    """Yield a warning for each booth that lies partly outside the hall."""
    for index, polygon in enumerate(hall.polygons):
        if not inside(polygon, hall.width, hall.height):
            left, top, right, bottom = box(polygon)
            out = max(-left, -top, right - hall.width, bottom - hall.height)
            detail = f"{hall.subject(index)} extends {metres(out)} m beyond the hall."
            yield hall.warn("outside", detail, [index], measure=out)


def on_objects(hall):
    """Yield a warning for each booth that overlaps a pillar, a stage or an aisle."""
    indexes, polygons = hall.of_kind(*OCCUPIED_OBJECTS)
    for booth, other in hall.meeting(hall.polygons, polygons):
        index = indexes[other]
        kind = hall.objects[index]["kind"]
        deep = overlap_depth(hall.polygons[booth], polygons[other])
        detail = (
            f"{hall.subject(booth)} overlaps {OCCUPIED_OBJECTS[kind]} ({object_name(hall, index)})."
        )
        yield hall.warn(f"on_{kind}", detail, [booth], object_index=index, measure=deep)


def object_name(hall, index):
    """Return what warnings call an object: its index, and its label if it has one."""
    label = hall.objects[index]["label"]
    return f"object {index}, {label}" if label else f"object {index}"


# Booths and walls


def close(hall, min_aisle):
    """Return two iterables of warnings: booths that overlap, and aisles that are narrower than
    `min_aisle`.
    """
    bodies = hall.polygons + walls(hall)
    near, overlapping = [{} for _ in bodies], []
    for one, other in hall.pairs(bodies, min_aisle):
        if not between_booths_or_inside(hall, one, other):
            continue
        near[one][other] = near[other][one] = apart = distance(bodies[one], bodies[other])
        if not apart and other < len(hall.polygons) and overlap(bodies[one], bodies[other]):
            overlapping.append((one, other))
    # is_filled goes through the neighbours in this order: the nearest one usually fills the gap
    near = [dict(sorted(others.items(), key=lambda item: item[1])) for others in near]
    return overlaps(hall, sorted(overlapping)), narrow_aisles(hall, bodies, near, min_aisle)


def walls(hall):
    """Return the polygons of the left, top, right and bottom wall, which lie outside the hall."""
    thick = 1000
    return [
        rectangle(-thick, -thick, thick, hall.height + 2 * thick),
        rectangle(-thick, -thick, hall.width + 2 * thick, thick),
        rectangle(hall.width, -thick, thick, hall.height + 2 * thick),
        rectangle(-thick, hall.height, hall.width + 2 * thick, thick),
    ]


def between_booths_or_inside(hall, one, other):
    """Return whether two bodies, `one` < `other`, are two booths, or a booth inside the hall and a
    wall.
    """
    count = len(hall.polygons)
    return other < count or (one < count and inside(hall.polygons[one], hall.width, hall.height))


def overlaps(hall, pairs):
    """Yield a warning for each pair of booths."""
    for one, other in pairs:
        deep = overlap_depth(hall.polygons[one], hall.polygons[other])
        detail = f"{hall.subject(one)} and {hall.name(other)} overlap by {metres(deep)} m."
        yield hall.warn("overlap", detail, [one, other], measure=deep)


def narrow_aisles(hall, bodies, near, min_aisle):
    """Yield a warning for each aisle narrower than `min_aisle`: all narrow gaps between two rows,
    or a row and a wall.

    `near` holds for each body {other body: distance}.
    """
    found = list(islice(gaps(bodies, near, len(hall.polygons), min_aisle), MAX_GAPS + 1))
    hall.is_complete = hall.is_complete and len(found) <= MAX_GAPS
    row_of, aisles = rows(near, len(hall.polygons)), {}
    for one, other, apart in found[:MAX_GAPS]:
        (first_row, first), (second_row, second) = sorted(
            ((row_of[one], one), (row_of[other], other))
        )
        aisles.setdefault((first_row, second_row), []).append((first, second, apart))
    for aisle in aisles.values():
        yield narrow_aisle(hall, aisle)


def gaps(bodies, near, count, min_aisle):
    """Yield (index, other index, distance) of each gap narrower than `min_aisle`, unless a third
    body fills it.

    The first of the two is one of the `count` booths.
    """
    for one in range(count):
        for other, apart in sorted(near[one].items()):
            if (
                one < other
                and PASSABLE < apart < min_aisle
                and not is_filled(bodies, near, one, other)
            ):
                yield one, other, apart


def rows(near, count):
    """Return the row of each body: the lowest index of the booths that stand together.

    A wall is a row of its own.
    """
    row_of = [None] * count + list(range(count, len(near)))
    for start in range(count):
        together = [start]
        while together:
            one = together.pop()
            if row_of[one] is None:
                row_of[one] = start
                together += [other for other, apart in near[one].items() if apart <= PASSABLE]
    return row_of


def narrow_aisle(hall, aisle):
    """Return the warning about an aisle.

    `aisle` is a list of (index, index on the other side, distance).
    """
    ones = {one for one, _, _ in aisle}
    others = {other for _, other, _ in aisle} - ones
    width, widest = (metres(end(apart for _, _, apart in aisle)) for end in (min, max))
    wide = f"{width} m" if width == widest else f"{width} m to {widest} m"
    detail = f"The aisle between {side(hall, sorted(ones))} and {side(hall, sorted(others))} is {wide} wide."
    booths = [index for index in sorted(ones | others) if index < len(hall.polygons)]
    return hall.warn("narrow_aisle", detail, booths, measure=min(apart for _, _, apart in aisle))


def side(hall, indexes):
    """Return what warnings call the booths, or the wall, on one side of an aisle."""
    count = len(hall.polygons)
    if indexes[-1] >= count:
        return f"the {WALLS[indexes[-1] - count]} wall"
    numbers = [hall.booths[index]["booth_number"] for index in indexes]
    if len(numbers) > MAX_NAMED:
        numbers[MAX_NAMED:] = [f"{len(numbers) - MAX_NAMED} more"]
    return f"booth{'s' if len(numbers) > 1 else ''} {listed(numbers)}"


def is_filled(bodies, near, one, other):
    """Return whether a third body lies between the two.

    Then there is no aisle between the two, or the warning about the third body reports it.
    """
    apart, from_other, line = near[one][other], near[other], None
    for third, first in near[one].items():
        second = from_other.get(third)
        if second is None or max(first, second) > apart or first + second > apart + 2 * NEIGHBOUR:
            continue
        line = line or closest_points(bodies[one], bodies[other])
        if not touches(line, bodies[third]):
            continue
        if max(first, second) < apart or is_separate_aisle(
            bodies, one, third, other, second == apart
        ):
            return True
    return False


def is_separate_aisle(bodies, one, third, other, is_next_to_one):
    """Return whether the gap between the third body and the farther one of the two is an aisle of
    its own.

    It is as wide as the gap between the two. It is the same aisle if it starts at the corner that
    the third body shares with its neighbour.
    """
    end, neighbour = (other, one) if is_next_to_one else (one, other)
    return not touches(closest_points(bodies[third], bodies[end]), bodies[neighbour])


def touches(line, polygon):
    """Return whether the distance is at most NEIGHBOUR."""
    return distance(line, polygon) <= NEIGHBOUR


# Doors


def blocked_doors(hall, min_aisle):
    """Yield a warning for each blocked door.

    A door is free if one of its fronts (see `fronts_of`) overlaps no booth, pillar or stage.
    """
    solid = hall.polygons + hall.of_kind("pillar", "stage")[1]
    doors, polygons = hall.of_kind("door")
    fronts = [
        (door, front)
        for door, index in enumerate(doors)
        for front in fronts_of(hall, hall.objects[index], min_aisle)
    ]
    blockers = [[] for _ in fronts]  # of each front
    sides = [[] for _ in doors]  # of each door, a list per front
    for bodies, (door, _) in zip(blockers, fronts, strict=True):
        sides[door].append(bodies)
    for front, body in hall.meeting([front for _, front in fronts], solid):
        blockers[front].append((body, solid[body]))
    for door, index in enumerate(doors):
        if all(sides[door]):
            yield blocked_door(hall, index, polygons[door], sides[door])


def blocked_door(hall, index, polygon, sides):
    """Return the warning, with the free depth on the better side of the door.

    `sides` holds for each front the (index, polygon) of what blocks it. It is empty if the hall
    ends at the door.
    """
    free = max(
        (min(distance(polygon, body) for _, body in bodies) for bodies in sides), default=None
    )
    booths = sorted(
        {number for bodies in sides for number, _ in bodies if number < len(hall.polygons)}
    )
    fact = "the hall is not deep enough" if free is None else f"only {metres(free)} m are free"
    detail = f"In front of the door ({object_name(hall, index)}), {fact}."
    return hall.warn("blocked_door", detail, booths, object_index=index, measure=free)


def fronts_of(hall, door, reach):
    """Return the rectangles in front of a door that must be free: as wide as the door, and `reach`
    deep.

    A door in a wall has one, towards the inside; another door has one on each side. Only those
    inside the hall count.
    """
    left, right = (min(max(x, 0), hall.width) for x in (door["x"], door["x"] + door["width"]))
    top, bottom = (min(max(y, 0), hall.height) for y in (door["y"], door["y"] + door["depth"]))
    across, down = right - left, bottom - top
    grounds = {
        "top": (left, top, across, down + reach),
        "bottom": (left, top - reach, across, down + reach),
        "left": (left, top, across + reach, down),
        "right": (left - reach, top, across + reach, down),
    }
    fronts = [
        rectangle(*grounds[side]) for side in sides_of(hall, door) if min(grounds[side][2:]) > 0
    ]
    return [front for front in fronts if inside(front, hall.width, hall.height)]


def sides_of(hall, door):
    """Return the wall that the door is in, or the two sides along its longer edge if it is in none."""
    wall = wall_of(door, hall.width, hall.height)
    return [wall] if wall else walls_along(door)
