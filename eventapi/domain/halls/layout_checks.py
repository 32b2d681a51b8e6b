"""What may be wrong with a hall: booths that overlap, stand outside or on something, narrow aisles, blocked doors.

Lengths are millimetres but in what is answered. Booths that touch, or nearly so, are neighbours: there is no aisle between them.
"""
import json
from itertools import chain, islice

from eventapi.geometry import (
    box,
    corners,
    depth,
    distance,
    inside,
    nearby,
    overlap,
    rectangle,
    wall_of,
    walls_along,
    way,
)

NEIGHBOUR = 50              # a gap that walls and rounding leave, not one to walk through
MOST = 1000                 # warnings: who has more begins with these
MOST_PAIRS = 100_000        # of things close to each other: far more than a hall has that can be walked through
STOOD_ON = {"pillar": "a pillar", "stage": "a stage", "aisle": "an aisle"}


def warnings(plan, booths, min_aisle):
    """(what to warn of, whether that is all), of a row of sql/plans.sql `get` and its `outlines`."""
    hall = Hall(plan, booths)
    found = list(islice(chain(unplaced(booths), outside(hall), *close(hall, min_aisle), standing_on(hall),
                              blocked_doors(hall, min_aisle)), MOST + 1))
    return found[:MOST], hall.is_complete and len(found) <= MOST


class Hall:
    """What stands in a hall, as polygons. `is_complete` turns false when there was too much to look at."""

    def __init__(self, plan, booths):
        self.width, self.height = plan["width"], plan["height"]
        self.booths = [booth for booth in booths if booth["pos_x"] is not None]
        self.polygons = [corners(booth) for booth in self.booths]
        self.objects = json.loads(plan["objects"])
        self.is_complete = True

    def name(self, place):
        return f"booth {self.booths[place]['booth_number']}"

    def warn(self, code, detail, booths=(), **values):
        return warning(code, detail, [self.booths[place]["id"] for place in booths], **values)

    def of_kind(self, *kinds):
        """(places, polygons) of the objects of these kinds."""
        found = [(place, rectangle(thing["x"], thing["y"], thing["width"], thing["depth"]))
                 for place, thing in enumerate(self.objects) if thing["kind"] in kinds]
        return [place for place, _ in found], [polygon for _, polygon in found]

    def pairs(self, polygons, reach=0):
        pairs = list(islice(nearby(polygons, reach), MOST_PAIRS + 1))
        self.is_complete = self.is_complete and len(pairs) <= MOST_PAIRS
        return pairs[:MOST_PAIRS]

    def meeting(self, ones, others):
        """Places of those of the one kind and of the other that overlap."""
        for one, other in self.pairs(ones + others):
            if one < len(ones) <= other and overlap(ones[one], others[other - len(ones)]):
                yield one, other - len(ones)


def warning(code, detail, booth_ids, object_index=None, measure=None):
    return {"code": code, "detail": detail, "booth_ids": booth_ids, "object_index": object_index,
            "measure": None if measure is None else metres(measure)}


def metres(length):
    return round(length) / 1000


def unplaced(booths):
    for booth in booths:
        if booth["pos_x"] is None:
            yield warning("unplaced", f"Booth {booth['booth_number']} has no position.", [booth["id"]])


def outside(hall):
    for place, polygon in enumerate(hall.polygons):
        if not inside(polygon, hall.width, hall.height):
            left, top, right, bottom = box(polygon)
            out = max(-left, -top, right - hall.width, bottom - hall.height)
            yield hall.warn("outside", f"{hall.name(place).capitalize()} stands {metres(out)} m out of the hall.", [place], measure=out)


def standing_on(hall):
    places, polygons = hall.of_kind(*STOOD_ON)
    for booth, other in hall.meeting(hall.polygons, polygons):
        kind, deep = hall.objects[places[other]]["kind"], depth(hall.polygons[booth], polygons[other])
        yield hall.warn(f"on_{kind}", f"{hall.name(booth).capitalize()} stands on {STOOD_ON[kind]} ({named(hall, places[other])}).",
                        [booth], object_index=places[other], measure=deep)


def named(hall, place):
    label = hall.objects[place]["label"]
    return f"object {place}, {label}" if label else f"object {place}"


# Booths and walls

def close(hall, min_aisle):
    """Two series of warnings: booths that overlap, and aisles that are too narrow."""
    bodies = hall.polygons + walls(hall)
    near, overlapping = [{} for _ in bodies], []
    for one, other in hall.pairs(bodies, min_aisle):
        if not between_booths_or_inside(hall, one, other):
            continue
        near[one][other] = near[other][one] = apart = distance(bodies[one], bodies[other])
        if not apart and other < len(hall.polygons) and overlap(bodies[one], bodies[other]):
            overlapping.append((one, other))
    near = [dict(sorted(others.items(), key=lambda item: item[1])) for others in near]        # who fills a gap is found early
    return overlaps(hall, sorted(overlapping)), narrow_aisles(hall, bodies, near, min_aisle)


def walls(hall):
    """Left, top, right and bottom, outside of the hall."""
    thick = 1000
    return [rectangle(-thick, -thick, thick, hall.height + 2 * thick), rectangle(-thick, -thick, hall.width + 2 * thick, thick),
            rectangle(hall.width, -thick, thick, hall.height + 2 * thick),
            rectangle(-thick, hall.height, hall.width + 2 * thick, thick)]


def between_booths_or_inside(hall, one, other):
    """Walls concern only the booths that stand within them."""
    count = len(hall.polygons)
    return other < count or one < count and inside(hall.polygons[one], hall.width, hall.height)


def overlaps(hall, pairs):
    for one, other in pairs:
        deep = depth(hall.polygons[one], hall.polygons[other])
        yield hall.warn("overlap", f"{hall.name(one).capitalize()} and {hall.name(other)} overlap by {metres(deep)} m.", [one, other],
                        measure=deep)


def narrow_aisles(hall, bodies, near, min_aisle):
    for one in range(len(hall.polygons)):
        for other, apart in sorted(near[one].items()):
            if one < other and NEIGHBOUR < apart < min_aisle and not is_filled(bodies, near, one, other):
                booths = [place for place in (one, other) if place < len(hall.polygons)]
                end = hall.name(other) if len(booths) == 2 else "the wall"
                yield hall.warn("narrow_aisle", f"Between {hall.name(one)} and {end} there are {metres(apart)} m.", booths, measure=apart)


def is_filled(bodies, near, one, other):
    """Whether a third, nearer to both, stands between the two: then there is no aisle, or one that is told of with the third."""
    apart, beyond, line = near[one][other], near[other], None
    for third, first in near[one].items():
        second = beyond.get(third)
        if second is None or max(first, second) > apart or first + second > apart + 2 * NEIGHBOUR:
            continue
        line = line or way(bodies[one], bodies[other])
        if touches(line, bodies[third]) and (max(first, second) < apart or is_aisle_of_its_own(bodies, one, third, other, second == apart)):
            return True
    return False


def is_aisle_of_its_own(bodies, one, third, other, is_beyond):
    """Of an aisle just as wide: whether it leads past the booth that touches the third, and not from the corner they share."""
    end, beside = (other, one) if is_beyond else (one, other)
    return not touches(way(bodies[third], bodies[end]), bodies[beside])


def touches(line, polygon):
    return distance(line, polygon) <= NEIGHBOUR


# Doors

def blocked_doors(hall, min_aisle):
    """Doors with no free rectangle of their width before them, inside the hall and as deep as an aisle is wide."""
    solid = hall.polygons + hall.of_kind("pillar", "stage")[1]
    doors, polygons = hall.of_kind("door")
    fronts = [(door, front) for door, place in enumerate(doors) for front in fronts_of(hall, hall.objects[place], min_aisle)]
    met, sides = [[] for _ in fronts], [[] for _ in doors]
    for bodies, (door, _) in zip(met, fronts):
        sides[door].append(bodies)
    for front, body in hall.meeting([front for _, front in fronts], solid):
        met[front].append((body, solid[body]))
    for door, place in enumerate(doors):
        if all(sides[door]):
            yield blocked_door(hall, place, polygons[door], sides[door])


def blocked_door(hall, place, polygon, blockers):
    """The warning, with what is left free on the better side; no side at all when the hall ends before the door."""
    free = max((min(distance(polygon, body) for _, body in bodies) for bodies in blockers), default=None)
    booths = sorted({number for bodies in blockers for number, _ in bodies if number < len(hall.polygons)})
    told = "the hall is not deep enough" if free is None else f"{metres(free)} m are free"
    return hall.warn("blocked_door", f"Before the door ({named(hall, place)}) {told}.", booths, object_index=place, measure=free)


def fronts_of(hall, door, reach):
    """The door with the ground before it: inwards from its wall, or to both sides of a door that stands free."""
    left, right = (min(max(x, 0), hall.width) for x in (door["x"], door["x"] + door["width"]))
    top, bottom = (min(max(y, 0), hall.height) for y in (door["y"], door["y"] + door["depth"]))
    across, down = right - left, bottom - top
    grounds = {"top": (left, top, across, down + reach), "bottom": (left, top - reach, across, down + reach),
               "left": (left, top, across + reach, down), "right": (left - reach, top, across + reach, down)}
    fronts = [rectangle(*grounds[side]) for side in sides_of(hall, door) if min(grounds[side][2:]) > 0]
    return [front for front in fronts if inside(front, hall.width, hall.height)]


def sides_of(hall, door):
    """The wall a door stands in, or the two along its longer side when it stands in none."""
    wall = wall_of(door, hall.width, hall.height)
    return [wall] if wall else walls_along(door)
