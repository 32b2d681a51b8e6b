"""Small charts beside a figure: parts add up to the whole width, and every chart says what it shows."""

import re

from eventapi.pictures.charts import small


def blocks(svg):
    """Return (class, x, y, width, height) of the blocks of a chart."""
    found = re.findall(r'class="(\w+)" x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"/>', svg)
    return [(look, *map(float, numbers)) for look, *numbers in found]


def test_columns_are_as_high_as_their_share_of_the_largest():
    svg = small.bars([3, 12, 0, 6], "12 & more")
    assert 'role="img" aria-label="12 &amp; more"' in svg and "style" not in svg
    assert [(look, height) for look, _, _, _, height in blocks(svg)] == [
        ("past", 6.8),
        ("past", 27.0),
        ("past", 0.0),
        ("c1", 13.5),
    ]


def test_parts_of_a_bar_fill_its_width():
    parts = blocks(small.stacked([("c1", 44), ("c2", 4), ("c3", 0), ("c4", -2)], "sold"))
    assert [look for look, *_ in parts] == ["c1", "c2"]
    assert sum(width for _, _, _, width, _ in parts) + small.GAP == small.WIDTH
    assert [width for _, _, _, width, _ in parts] == [182.4, 16.6]  # 44 and 4 of 48, of 199


def test_nothing_is_an_empty_bar():
    assert blocks(small.stacked([], "none")) == [("c3", 0.0, 9.0, 200.0, 9.0)]
    assert [height for *_, height in blocks(small.bars([0, 0], "none"))] == [0.0, 0.0]
    assert blocks(small.bars([], "none")) == []
