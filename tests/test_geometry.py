"""Geometry of halls."""

import random
from itertools import combinations

import pytest

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
)


def booth(x, y, width=3000, depth=2000, rotation=0):
    return corners({"pos_x": x, "pos_y": y, "width": width, "depth": depth, "rotation": rotation})


def test_corners_go_clockwise_from_the_top_left():
    assert booth(1000, 500) == ((1000, 500), (4000, 500), (4000, 2500), (1000, 2500))


def test_a_booth_is_turned_clockwise_about_its_centre():
    assert booth(0, 0, rotation=90) == ((2500, -500), (2500, 2500), (500, 2500), (500, -500))
    assert booth(0, 0, rotation=180) == ((3000, 2000), (0, 2000), (0, 0), (3000, 0))
    x, y = booth(0, 0, 2000, 2000, 45)[0]
    assert (round(x), round(y)) == (1000, -414)  # the top left corner goes to the top


@pytest.mark.parametrize("rotation", (90, 180, 270))
def test_right_angles_are_exact_however_far_away(rotation):
    assert all(
        2 * number == int(2 * number)
        for corner in booth(999_999, 123_457, 3001, 2000, rotation)
        for number in corner
    )


def test_two_booths_on_the_same_ground_overlap():
    assert overlap(booth(0, 0), booth(2999, 1999))
    assert overlap(booth(0, 0), booth(500, 500, 100, 100))


def test_booths_wall_to_wall_do_not_overlap():
    assert not overlap(booth(0, 0), booth(3000, 0))
    assert not overlap(booth(0, 0), booth(0, 2000))
    assert not overlap(booth(0, 0), booth(3000, 2000))


def test_a_turned_booth_overlaps_only_where_it_really_is():
    # a diamond with corners at the middle of each side of its box
    turned = booth(0, 0, 4000, 4000, 45)
    left, top, _, _ = box(turned)
    assert not overlap(turned, booth(left, top, 500, 500))
    assert overlap(turned, booth(left, 1900, 500, 200))


def test_turned_booths_wall_to_wall_do_not_overlap():
    """Rounding makes them overlap by a tiny amount."""
    for rotation in range(1, 90):
        a = rectangle(50_000, 50_000, 3000, 2000, rotation)
        (x, y), (right_x, right_y) = a[0], a[1]
        neighbour = tuple(
            (corner_x + right_x - x, corner_y + right_y - y) for corner_x, corner_y in a
        )
        assert not overlap(a, neighbour) and distance(a, neighbour) < 1
        closer = tuple(
            (corner_x - (right_x - x) / 100, corner_y - (right_y - y) / 100)
            for corner_x, corner_y in neighbour
        )
        assert overlap(a, closer)


def test_a_booth_along_the_walls_is_inside():
    assert inside(booth(0, 0), 3000, 2000)
    assert not inside(booth(1, 0), 3000, 2000)
    assert not inside(booth(0, -1), 3000, 2000)
    assert not inside(booth(0, 0, rotation=90), 3000, 2000)
    assert inside(booth(0, 500, rotation=90), 3000, 3000)


def test_the_distance_is_the_shortest_path():
    assert distance(booth(0, 0), booth(5500, 0)) == 2500
    assert distance(booth(0, 0), booth(3300, 2400)) == 500  # from corner to corner: 300 and 400
    assert distance(booth(0, 0), booth(3000, 0)) == 0
    assert distance(booth(0, 0), booth(1000, 1000)) == 0
    assert distance(booth(0, 0, 2000, 2000, 45), booth(4000, 0, 2000, 2000)) == pytest.approx(
        4000 - 1000 - 2**0.5 * 1000
    )
    assert distance(booth(0, 0, 6000, 6000, 45), booth(2900, 2900, 200, 200)) == 0


def test_depth_is_how_far_two_booths_overlap():
    assert overlap_depth(booth(0, 0), booth(2500, 500)) == 500
    assert (
        overlap_depth(booth(0, 0), booth(3000, 0)) == 0 > overlap_depth(booth(0, 0), booth(3001, 0))
    )
    assert overlap_depth(booth(0, 0, 2000, 2000, 45), booth(2000, 0, 2000, 2000)) == pytest.approx(
        2**0.5 * 1000 - 1000
    )


def test_the_aisle_runs_through_the_middle_of_the_facing_sides():
    assert closest_points(booth(0, 0), booth(5000, 1000)) == ((3000, 1500), (5000, 1500))
    start, end = closest_points(booth(0, 0, 2000, 2000, 45), booth(4000, 0, 2000, 2000))
    assert start == pytest.approx((1000 + 2**0.5 * 1000, 1000)) and end == pytest.approx(
        (4000, 1000)
    )


def test_nearby_returns_exactly_the_pairs_whose_boxes_are_within_reach():
    chance = random.Random(1)
    polygons = [
        booth(
            chance.randrange(60_000),
            chance.randrange(40_000),
            chance.randrange(1000, 9000),
            3000,
            chance.choice((0, 30, 90)),
        )
        for _ in range(150)
    ]
    boxes = [box(polygon) for polygon in polygons]
    near = {
        (a, b)
        for a, b in combinations(range(150), 2)
        if boxes[a][0] <= boxes[b][2] + 2500
        and boxes[b][0] <= boxes[a][2] + 2500
        and boxes[a][1] <= boxes[b][3] + 2500
        and boxes[b][1] <= boxes[a][3] + 2500
    }
    pairs = list(nearby(polygons, 2500))
    assert len(pairs) == len(set(pairs)) and set(pairs) == near


def test_nearby_without_booths_returns_no_pairs():
    assert list(nearby([], 1000)) == []
