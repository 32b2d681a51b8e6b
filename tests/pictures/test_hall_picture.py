"""The picture of a hall: SVG and PDF from one drawing."""

import re
import xml.etree.ElementTree as ET
from importlib.util import find_spec

import pytest

from eventapi.errors import Problem
from eventapi.pictures import canvas, fonts, letters, svg
from eventapi.pictures.hall import blocks as blocks_
from eventapi.pictures.hall import page
from eventapi.pictures.hall import sheet as picture
from eventapi.pictures.hall.blocks import LOOKS, blocks
from eventapi.pictures.shapes import Area, Group, Lines, Picture, Text
from tests.support import halls

SVG = "{http://www.w3.org/2000/svg}"
with_pdf = pytest.mark.skipif(not find_spec("reportlab"), reason="reportlab is not installed")


@pytest.fixture
def plan(organiser, db):
    """Return a function that stores a hall and returns the id of its plan."""
    return lambda hall: halls.store(organiser, db, hall)


def drawn(organiser, plan_id, query=""):
    """Return the root element of the SVG."""
    answer = organiser.get(f"/plans/{plan_id}/svg{query}", status=200)
    assert answer.content_type == "image/svg+xml"
    return ET.fromstring(answer.body)


def words(root):
    """Return all text of the picture, without tooltips, title and description."""
    return " ".join(
        "".join(text.itertext()) if len(text) == 0 else " ".join(text.itertext())
        for text in root.iter(f"{SVG}text")
    )


def tooltips(root):
    return [title.text for group in root.iter(f"{SVG}g") for title in group.findall(f"{SVG}title")]


def hall(*booths, objects=(), **values):
    """Return a hall as domain/halls/plan_pictures.py reads it."""
    return {
        "id": 7,
        "name": "Hall 1",
        "event": "Garden Fair",
        "city": "Leipzig",
        "area_name": None,
        "from": "2027-05-01",
        "to": "2027-05-03",
        "changed": "2027-01-01",
        "view": "internal",
        "language": "en",
        "currency": "EUR",
        "width": 20000,
        "height": 15000,
        "objects": list(objects),
        "booths": [
            {
                "id": number,
                "exhibitor": None,
                "exhibitor_id": None,
                "color": None,
                **booth,
                "type": None,
            }
            for number, booth in enumerate(booths, 1)
        ],
        **values,
    }


def booth(number="1", x=1000, y=1000, width=4000, depth=3000, status="available", **values):
    return {**halls.booth(number, x, y, width, depth, status), **values}


def sold(number, x, y, exhibitor="Bergmann", width=4000, depth=3000, rotation=0):
    return booth(
        number,
        x,
        y,
        width,
        depth,
        "sold",
        exhibitor=exhibitor,
        exhibitor_id=len(exhibitor),
        rotation=rotation,
    )


def flat(parts):
    for part in parts:
        yield part
        if isinstance(part, Group):
            yield from flat(part.parts)


def lines_of(drawing):
    return [line for part in flat(drawing.parts) if isinstance(part, Text) for line in part.lines]


# Content and views


def test_a_hall_is_drawn_with_title_booths_legend_and_scale(organiser, plan):
    root = drawn(organiser, plan(halls.small()))
    text = words(root)
    for said in (
        "Stadthalle",
        "Grüne Tage · Leipzig · 1–3 May 2027",
        "Bergmann & Söhne GmbH",
        "Main entrance",
        "Lindenallee",
        "available",
        "2 · 36 m²",
        "reserved",
        "sold",
        "blocked",
        "Corner booth (1)",
        "(A3)",
    ):
        assert said in text, said
    assert root.get("role") == "img" and root.find(f"{SVG}title").text == "Grüne Tage – Stadthalle"
    assert (
        root.find(f"{SVG}desc").text
        == "Hall plan, 20 × 15 m: 2 available, 1 reserved, 1 sold, 1 blocked."
    )
    assert (root.get("width"), root.get("height")) == ("420mm", "297mm")


def test_each_booth_has_an_id_and_a_complete_tooltip(organiser, plan, db):
    id = plan(halls.medium())
    root = drawn(organiser, id)
    ids = [
        group.get("id")
        for group in root.iter(f"{SVG}g")
        if (group.get("id") or "").startswith(f"plan{id}-booth-")
    ]
    placed = db.connection.execute(
        "SELECT count(*) FROM booths WHERE pos_x IS NOT NULL"
    ).fetchone()[0]
    assert len(ids) == len(set(ids)) == placed == 79
    assert "A01, Bergmann & Söhne GmbH, sold, 4 × 3 m, Corner booth, EUR 2,268.00" in tooltips(root)


def test_the_public_view_shows_no_prices_or_reasons_and_only_confirmed_exhibitors(
    organiser, plan, db
):
    id = plan(halls.small())
    seen = ET.tostring(drawn(organiser, id), encoding="unicode")
    assert "EUR" in seen and "Kept for the press" in seen and "Gartentechnik" in seen
    seen = ET.tostring(drawn(organiser, id, "?view=public"), encoding="unicode")
    assert (
        "EUR" not in seen
        and "Kept" not in seen
        and "Gartentechnik" not in seen
        and "Bergmann" in seen
    )
    db.connection.execute("UPDATE participants SET status = 'registered'")
    assert "Bergmann" not in ET.tostring(
        drawn(organiser, id, "?view=public"), encoding="unicode"
    ), "they are not confirmed"
    assert "Bergmann" in ET.tostring(drawn(organiser, id), encoding="unicode")


def test_the_public_view_tells_nothing_about_booths_that_are_not_for_sale(organiser, plan, db):
    id = plan(halls.small())
    root = drawn(organiser, id, "?view=public")
    text, seen = words(root), ET.tostring(root, encoding="unicode")
    assert "22.5" not in seen and "24 m²" not in seen and "20 m²" in text, (
        "only the area of available booths"
    )
    assert "2 · 36 m²" in text and not re.search(
        r"(exhibitor|taken|reserved|sold|blocked) \d", text
    )
    assert "(1)" not in text and not re.search("reserved|sold|blocked", seen)
    assert [tip for tip in tooltips(root) if tip[0] in "125"] == [
        "1, Bergmann & Söhne GmbH, exhibitor",
        "2, taken",
        "5, taken",
    ]
    assert root.find(f"{SVG}desc").text == "Hall plan, 20 × 15 m: 2 available."
    # An exhibitor who is not confirmed has a booth that looks like any other taken booth.
    db.connection.execute("UPDATE participants SET status = 'registered'")
    fills = {}
    for group in drawn(organiser, id, "?view=public").iter(f"{SVG}g"):
        if "booth-" in (group.get("id") or ""):
            fills[group.find(f"{SVG}title").text] = group.find(f"{SVG}path").get("fill")
    assert fills["1, taken"] == fills["2, taken"] == fills["5, taken"] == "#ebebe8"


def test_sold_booths_show_their_area_and_price():
    lines = lines_of(
        picture.picture(
            hall(
                sold("A1", 1000, 1000),
                sold("B1", 9000, 1000, "Stiel"),
                sold("B2", 13000, 1000, "Stiel"),
            )
        )
    )
    assert "12 m² · EUR 2,268.00" in lines and "24 m² · EUR 4,536.00" in lines, (
        "a block shows its sum"
    )


@pytest.mark.parametrize(
    "area, city, expected",
    [
        ("A", "Leipzig", "Garden Fair · Leipzig · 1–3 May 2027 · Area A"),
        ("Open-air grounds", "Leipzig", "Garden Fair · Leipzig · 1–3 May 2027 · Open-air grounds"),
        (None, "Garden", "Garden Fair · 1–3 May 2027"),
    ],
)
def test_the_subtitle_names_event_city_days_and_area(area, city, expected):
    assert expected in lines_of(picture.picture(hall(area_name=area, city=city)))


def test_a_north_arrow_is_drawn_only_where_the_plan_has_one(organiser, plan):
    def arrows(*objects):
        parts = flat(picture.picture(hall(sold("A1", 1000, 1000), objects=objects)).parts)
        return [part for part in parts if isinstance(part, Group) and part.title == "North"]

    (arrow,) = arrows(halls.thing("north", 15000, 9000, 1000, 2000, "North"))
    left, top, right, _ = ring_box(arrow.parts[0].rings[0])
    assert arrow.parts[0].rings[0][0] == pytest.approx(((left + right) / 2, top)), "it points up"
    assert not arrows() and "N" not in lines_of(picture.picture(hall(sold("A1", 1000, 1000))))
    id = plan(halls.small())
    north = {"kind": "north", "x": 18, "y": 9, "label": "North"}
    organiser.patch(f"/plans/{id}", {"objects": [north]}, status=200)
    assert "North" in tooltips(drawn(organiser, id))


@with_pdf
def test_the_names_of_neighbouring_doors_do_not_overlap():
    doors = [
        halls.thing("door", x, 0, 1500, 200, f"Emergency exit {x} at the back")
        for x in range(0, 18000, 1600)
    ]
    doors += [halls.thing("door", 0, y, 200, 900, "Gate") for y in range(0, 14000, 1000)]
    sheet = picture.Sheet(hall(objects=doors))
    texts = [part for part in flat(sheet.plan.fixtures()) if isinstance(part, Text)]
    assert len(texts) > 15
    boxes = [box_of(text) for text in texts if text.y < sheet.plan.top]
    for place, one in enumerate(boxes):
        assert not any(boxes_overlap(one, other) for other in boxes[place + 1 :])


def test_a_phone_shows_a_plan_in_its_actual_size_and_a_smaller_picture_as_a_whole(organiser, plan):
    root = drawn(organiser, plan(halls.small()))
    assert "max-width" not in root.find(f".//{SVG}style").text and root.get("width").endswith("mm")
    card = svg.draw(Picture("card", 86, 54, "Card", "", "en", ())).decode()
    assert "(pointer:coarse){svg:root{max-width:100%;height:auto}}" in card


def test_the_names_in_a_row_of_booths_have_one_size_and_their_numbers_are_on_one_line():
    names = (
        "Li",
        "Bergmann & Söhne Gartenbau",
        "Kőszegi Öntözéstechnika Kft.",
        "Rosenschule Schönfeld GmbH & Co. KG",
    )
    row = [
        sold(f"A{place}", 4000 * place, 1000, name, width=4000, depth=3000)
        for place, name in enumerate(names, 1)
    ]
    texts = [
        part
        for part in flat(picture.picture(hall(*row, width=20000, height=20000)).parts)
        if isinstance(part, Text)
    ]
    numbers = [text for text in texts if text.lines[0] in {booth["booth_number"] for booth in row}]
    assert len(numbers) == 4 and len({(text.y, text.size) for text in numbers}) == 1
    assert (
        len(
            {
                text.size
                for text in texts
                if text.lines[0].split()[0] in ("Li", "Bergmann", "Kőszegi", "Rosenschule")
                and not text.bold
            }
        )
        == 1
    )


def test_an_expired_hold_is_shown_as_available(organiser, plan, db):
    id = plan(halls.small())
    db.connection.execute(
        "UPDATE booths SET held_until = '2020-01-01T00:00:00Z' WHERE status = 'reserved'"
    )
    db.connection.execute(
        "UPDATE booth_reservations SET expires_at = '2020-01-01T00:00:00Z' WHERE status = 'pending'"
    )
    root = drawn(organiser, id)
    assert "Gartentechnik" not in words(root)
    assert "2, available, 7.5 × 3 m, Corner booth, EUR 4,252.50" in tooltips(root)


def test_labels_and_numbers_use_the_requested_language(organiser, plan):
    text = words(drawn(organiser, plan(halls.small()), "?language=de"))
    assert "verkauft" in text and "4.536,00 EUR" in text and "01.–03.05.2027" in text


def test_booths_without_a_place_are_listed_below_the_plan(organiser, plan):
    place = halls.small()
    place["booths"] += [
        {**halls.booth("77", 0, 0, 3000, 3000, "available"), "pos_x": None, "pos_y": None},
        halls.booth("78", 900000, 0, 3000, 3000, "available"),
    ]
    root = drawn(organiser, plan(place))
    assert "Not shown (2): 77, 78" in words(root) and "4 · 54 m²" in words(root)


def test_an_empty_hall_and_an_extremely_narrow_hall_can_be_drawn(organiser, plan):
    for size in (
        {"width": 1, "height": 1},
        {"width": 1000000, "height": 1},
        {"width": 1, "height": 1000000},
    ):
        ET.fromstring(svg.draw(picture.picture(hall(**size))))
    assert "0 · 0 m²" in words(
        drawn(organiser, plan({**halls.small(), "booths": [], "objects": []}))
    )


# Security


def test_names_are_escaped_and_no_resource_is_loaded(organiser, plan, db):
    evil, place = '<script>alert(1)</script>"&\x07', halls.small()
    place["name"], place["booths"][2]["booth_name"], place["objects"][0]["label"] = evil, evil, evil
    id = plan(place)
    db.connection.execute(
        "UPDATE booth_types SET booth_type_name = ?, color = ?", (evil, '"/><script>')
    )
    db.connection.execute("UPDATE contacts SET company_name = ?", (evil,))
    answer = organiser.get(f"/plans/{id}/svg", status=200)
    root = ET.fromstring(answer.body)
    assert not list(root.iter(f"{SVG}script")) and b"<script" not in answer.body
    assert not re.search(rb"(?:href|src)=|@import|url\((?!#)", answer.body)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert root.find(f"{SVG}title").text.startswith("Grüne Tage – <script>alert(1)</script>")


# HTTP


def test_the_etag_depends_on_the_visible_content(organiser, plan, db):
    id = plan(halls.small())
    tag = organiser.get(f"/plans/{id}/svg", status=200).headers["ETag"]
    same = organiser.get(f"/plans/{id}/svg", headers={"If-None-Match": f'"x", {tag}'}, status=304)
    assert same.body == b"" and same.headers["ETag"] == tag
    public = organiser.get(
        f"/plans/{id}/svg?view=public", headers={"If-None-Match": tag}, status=200
    ).headers["ETag"]
    db.connection.execute("UPDATE booths SET price = 1")
    db.connection.execute("UPDATE booth_reservations SET final_price = 1")
    assert (
        organiser.get(f"/plans/{id}/svg", headers={"If-None-Match": tag}, status=200).headers[
            "ETag"
        ]
        != tag
    )
    organiser.get(f"/plans/{id}/svg?view=public", headers={"If-None-Match": public}, status=304)


@with_pdf
def test_accept_selects_a_pdf_of_one_a3_page(organiser, plan):
    id = plan(halls.medium())
    answer = organiser.get(f"/plans/{id}/svg", headers={"Accept": "application/pdf"}, status=200)
    assert answer.content_type == "application/pdf" and answer.body.startswith(b"%PDF")
    assert answer.headers["Vary"] == "Accept"
    assert re.search(rb"/MediaBox \[ 0 0 1190\.55\d* 841\.88\d* \]", answer.body)
    assert answer.body.count(b"/Type /Page\n") == 1
    again = organiser.get(f"/plans/{id}/svg", headers={"Accept": "application/pdf"}, status=200)
    assert again.body == answer.body and again.headers["ETag"] == answer.headers["ETag"]
    assert organiser.get(f"/plans/{id}/svg", status=200).headers["ETag"] != answer.headers["ETag"]


def test_svg_works_without_reportlab_and_pdf_reports_that_it_is_missing(
    organiser, plan, monkeypatch
):
    def missing():
        raise Problem("not_installed", "PDF needs reportlab.")

    monkeypatch.setattr(fonts, "require", missing)
    id = plan(halls.small())
    assert (
        organiser.get(f"/plans/{id}/svg", headers={"Accept": "application/pdf"}, status=501).json[
            "code"
        ]
        == "not_installed"
    )
    organiser.get(f"/plans/{id}/svg", status=200)


def test_the_picture_requires_an_existing_plan_and_the_scope(organiser, person, plan):
    assert organiser.get("/plans/4711/svg", status=404).json["code"] == "not_found"
    id = plan(halls.small())
    person("booths").get(f"/plans/{id}/svg", status=403)
    person("plans:read").get(f"/plans/{id}/svg", status=200)
    organiser.get(f"/plans/{id}/svg?view=secret", status=422)


# The drawing


def test_touching_booths_of_one_exhibitor_are_one_block_without_a_common_edge():
    booths = [
        sold("A1", 1000, 1000),
        sold("A2", 5000, 1000),
        sold("B1", 1000, 4000),
        sold("A3", 9000, 1000, "Stiel"),
        sold("C1", 14000, 9000),
        booth("A4", 13000, 1000),
    ]
    drawing = picture.picture(hall(*booths))
    lines = lines_of(drawing)
    assert "A1 + 2" in lines and lines.count("Bergmann") == 2 and {"A3", "C1", "A4"} <= set(lines)
    scale = 1000 / picture.Sheet(hall(*booths)).ratio
    outline = max(
        (part for part in flat(drawing.parts) if isinstance(part, Lines)),
        key=lambda part: len(part.lines),
    )
    length = sum(
        ((x - to_x) ** 2 + (y - to_y) ** 2) ** 0.5 for (x, y), (to_x, to_y) in outline.lines
    )
    assert length / scale == pytest.approx(8 + 3 + 4 + 3 + 4 + 6, abs=0.01), "the way round the L"


def test_blocks_join_only_touching_booths_of_one_exhibitor():
    def together(*booths):
        return [
            [one["booth_number"] for one in block]
            for block in blocks([dict(one, exhibitor_id=one.get("exhibitor_id")) for one in booths])
        ]

    assert together(
        sold("1", 0, 0, width=4000), sold("2", 4000, 500, width=3000, depth=4000, rotation=0)
    ) == [["1", "2"]]
    assert together(sold("1", 0, 0), sold("2", 4200, 0)) == [["1"], ["2"]], "there is a gap"
    assert together(sold("1", 0, 0), sold("2", 4000, 3000)) == [["1"], ["2"]], "a corner only"
    assert together(sold("1", 0, 0), sold("2", 4000, 0, "Other")) == [["1"], ["2"]]
    assert together(booth("1", 0, 0), booth("2", 4000, 0)) == [["1"], ["2"]], "no exhibitor"
    assert together(sold("1", 0, 0), {**sold("2", 4000, 0), "status": "reserved"}) == [["1"], ["2"]]
    # 3 × 4 m turned by a right angle is 4 × 3 m
    assert together(
        sold("1", 0, 0), sold("2", 4500, -500, width=3000, depth=4000, rotation=90)
    ) == [["1", "2"]]


def test_a_turned_booth_is_drawn_turned_about_its_centre():
    drawing = picture.picture(hall(booth("1", 8000, 5000, 4000, 4000, rotation=45)))
    (group,) = [
        part for part in flat(drawing.parts) if isinstance(part, Group) and part.id == "booth-1"
    ]
    (x, y), scale = picture.Sheet(hall()).plan.point((10000, 7000)), 1 / picture.Sheet(hall()).ratio
    top = min(group.parts[0].rings[0], key=lambda corner: corner[1])
    assert top == pytest.approx((x, y - 8**0.5 * 1000 * scale))


def light(color):
    """Return the relative luminance of a colour (WCAG 2)."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    "view, status", [(view, status) for view in LOOKS for status in LOOKS[view]]
)
def test_the_text_on_a_booth_has_enough_contrast(view, status):
    low, high = sorted((light(LOOKS[view][status].fill), light(LOOKS[view][status].ink)))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_booths_for_sale_stand_out_in_the_office_and_are_quiet_in_public():
    darkness = {
        view: {status: 1.05 / (light(look.fill) + 0.05) for status, look in looks.items()}
        for view, looks in LOOKS.items()
    }
    assert darkness["internal"]["available"] >= 4.5, "dark on white paper"
    assert all(
        ratio < 1.6 for status, ratio in darkness["internal"].items() if status != "available"
    ), "pale"
    assert max(darkness["public"], key=darkness["public"].get) == "exhibitor"
    assert darkness["public"]["available"] == pytest.approx(1), "white"
    for looks in LOOKS.values():
        patterns = {
            (light(look.fill) > 0.5, look.hatch and look.hatch.crossed, look.dash, look.fill)
            for look in looks.values()
        }
        assert len(patterns) == len(looks)


def placed(hall_):
    """Return the booths of a hall of tests/support/halls.py that lie upright, as plan_pictures.py
    reads them.
    """
    booths = [
        {
            **one,
            "exhibitor": None if one["exhibitor"] is None else halls.COMPANIES[one["exhibitor"]],
            "color": "#0072B2",
        }
        for one in hall_["booths"]
    ]
    return [
        {**one, "exhibitor_id": number if one["exhibitor"] else None}
        for number, one in enumerate(booths)
        if one["rotation"] == 0 and one["pos_x"] is not None
    ]


def box_of(text):
    """Return the box of a Text in the metrics of the font (in a PDF), or else of the table of
    widths.
    """
    wide = max(
        fonts.width(fonts.clean(line), text.size, text.bold) * fonts.POINTS
        if fonts.installed(fonts.EUROPE)
        else letters.em(line, text.bold) * text.size
        for line in text.lines
    )
    left = text.x - {"start": 0, "middle": wide / 2, "end": wide}[text.align]
    lowest = text.y + (len(text.lines) - 1) * text.size * text.line_height + 0.22 * text.size
    return left, text.y - 0.75 * text.size, left + wide, lowest


def ring_box(ring):
    across, down = zip(*ring, strict=True)
    return min(across), min(down), max(across), max(down)


def boxes_overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@with_pdf
@pytest.mark.parametrize("make", [halls.small, halls.medium, halls.large])
@pytest.mark.parametrize("view", ["internal", "public"])
def test_labels_stay_within_their_booths_and_beside_the_band(make, view):
    place = make()
    sheet = picture.Sheet(
        hall(*placed(place), width=place["width"], height=place["height"], view=view)
    )
    seen = 0
    for group in sheet.drawn_blocks():
        left, top, right, bottom = ring_box(group.parts[0].rings[0])
        bands = [
            ring_box(part.rings[0])
            for part in group.parts
            if isinstance(part, Area) and part.fill == "#0072B2"
        ]
        for text in (part for part in group.parts if isinstance(part, Text)):
            found, seen = box_of(text), seen + 1
            assert (
                left <= found[0] and found[2] <= right and top <= found[1] and found[3] <= bottom
            ), text
            assert not any(boxes_overlap(found, band) for band in bands), text
    assert seen > len(sheet.placed) * 0.9


@with_pdf
def test_no_symbol_covers_a_text():
    booths = [
        sold(f"A{place}", 1000 + 4000 * place, 1000, halls.COMPANIES[place]) for place in range(4)
    ]
    booths += [booth(f"B{place}", 1000 + 4000 * place, 9000) for place in range(4)]
    checked = 0
    for step in range(0, 20000, 700):
        things = [
            halls.thing("power", step, 2300, 300, 300),
            halls.thing("pillar", step, 10100, 500, 500),
            halls.thing("aisle", 0, 5000, 20000, 3000, "Lindenallee"),
            halls.thing("pillar", step, 6300, 500, 500),
            halls.thing("text", (step * 7) % 17000, 2800, 2000, 700, "Kasse"),
        ]
        drawing = picture.picture(hall(*booths, objects=things))
        parts = [part for part in flat(drawing.parts) if not isinstance(part, Group)]
        symbols = [
            ring_box(part.rings[0])
            for part in parts
            if isinstance(part, Area)
            and (part.fill == "#f0e442" or (part.hatch and part.hatch.name == "pillar"))
        ]
        texts = [(box_of(part), part) for part in parts if isinstance(part, Text)]
        checked += len(texts)
        assert len(symbols) == 5, "three in the hall, two in the legend"
        for found, text in texts:
            assert not any(boxes_overlap(found, symbol) for symbol in symbols), (step, text)
        for place, (found, text) in enumerate(texts):
            assert not any(boxes_overlap(found, other) for other, _ in texts[place + 1 :]), (
                step,
                text,
            )
    assert checked > 1000


@pytest.mark.parametrize(
    "width, height",
    [
        (18000, 15000),
        (20000, 15000),
        (36000, 24000),
        (60000, 36000),
        (80000, 40000),
        (15000, 20000),
        (40000, 40000),
    ],
)
def test_the_hall_fills_the_sheet_and_covers_neither_title_nor_legend(width, height):
    objects = [
        halls.thing("door", width // 2, 0, 2000, 200, "Main entrance"),
        halls.thing("pillar", 9000, 9000, 500, 500),
    ]
    sheet = picture.Sheet(
        hall(
            booth("1"),
            booth("2", 9000, 9000, status="sold"),
            width=width,
            height=height,
            objects=objects,
            language="de",
        )
    )
    plan_ = sheet.plan
    assert plan_.width * plan_.height >= 0.5 * 297 * 420
    assert max(plan_.width / sheet.width, plan_.height / sheet.height) >= 0.78
    walls = (
        plan_.left - 1,
        plan_.top - 1,
        plan_.left + plan_.width + 1,
        plan_.top + plan_.height + 1,
    )
    texts = [
        box_of(part)
        for part in flat((*sheet._header(), *sheet._legend()))
        if isinstance(part, Text)
    ]
    for found in texts:
        assert not boxes_overlap(found, walls), found
        assert (
            0 < found[0] and 0 < found[1] and found[2] < sheet.width and found[3] < sheet.height
        ), found
    for place, found in enumerate(texts):
        assert not any(boxes_overlap(found, other) for other in texts[place + 1 :]), found


def test_the_band_of_the_type_is_at_least_1_5_mm_wide():
    place = halls.large()
    sheet = picture.Sheet(hall(*placed(place), width=place["width"], height=place["height"]))
    bands = [
        part
        for group in sheet.drawn_blocks()
        for part in flat(group.parts)
        if isinstance(part, Area) and part.fill == "#0072B2"
    ]
    assert len(bands) > 500
    assert all(ring_box(part.rings[0])[3] - ring_box(part.rings[0])[1] >= 1.5 for part in bands)
    samples = [
        part for part in flat(sheet._legend()) if isinstance(part, Area) and part.fill == "#0072B2"
    ]
    assert all(ring_box(part.rings[0])[3] - ring_box(part.rings[0])[1] >= 1.5 for part in samples)


def test_a_narrow_deep_booth_is_labelled_from_below():
    drawing = picture.picture(
        hall(sold("A1", 1000, 1000, "Süddeutsche Gewächshaustechnik", width=600, depth=9000))
    )
    (group,) = [
        part for part in flat(drawing.parts) if isinstance(part, Group) and part.id == "booth-1"
    ]
    (turned,) = [part for part in group.parts if isinstance(part, Group)]
    assert turned.turn[0] == -90
    assert "Gewächshaustechnik" in " ".join(line for text in turned.parts for line in text.lines)


def test_the_orientation_of_the_paper_is_that_of_the_hall():
    for size, paper in (((60000, 30000), (420, 297)), ((30000, 60000), (297, 420))):
        drawing = picture.picture(hall(width=size[0], height=size[1]))
        assert (drawing.width, drawing.height) == paper


def test_objects_outside_the_hall_do_not_cover_the_legend():
    aisle = halls.thing("aisle", -500000, 100, 1000000, 1000000, "All of it")
    drawing = picture.picture(hall(objects=[aisle, halls.thing("pillar", 90000, 0, 500, 500)]))
    sheet = picture.Sheet(hall()).plan
    (area,) = [
        part.parts[0]
        for part in flat(drawing.parts)
        if isinstance(part, Group) and part.title == "All of it"
    ]
    assert area.rings[0][2] == pytest.approx((sheet.left + sheet.width, sheet.top + sheet.height))


# Labels


@pytest.mark.parametrize(
    "name, width, lines, is_whole",
    [
        ("Stiel", 10, ("Stiel",), True),
        ("Bergmann & Söhne GmbH", 12, ("Bergmann &", "Söhne GmbH"), True),
        ("Hürmann Torsysteme GmbH & Co. KG", 9, ("Hürmann", "Torsysteme"), False),
        (
            "Landmaschinenvertriebsgesellschaft",
            11,
            ("Landmaschi-", "nenvertriebs-", "gesellschaft"),
            False,
        ),
        ("Przedsiębiorstwo Handlowe Żółw Sp. z o.o.", 4, ("Prze…",), False),
    ],
)
def test_a_name_is_wrapped_shortened_and_cut_so_that_it_fits(name, width, lines, is_whole):
    height = 1.6 + 2.4 * (len(lines) - 1)
    fitted = letters.fit(name, width, height, 2, 1.25, 1.4)
    assert fitted.lines == lines and (fitted.is_whole == is_whole or "-" in "".join(lines))
    assert (
        all(letters.em(line) * fitted.size <= width + 1e-9 for line in fitted.lines)
        and 1.25 <= fitted.size <= 2
    )


def test_a_booth_too_small_for_a_label_has_none():
    assert letters.fit("Bergmann", 1, 1, 2, 1.25) is None
    assert letters.fit("", 10, 10, 2, 1.25) is None
    assert letters.fit("x" * 255, 8, 4, 2, 1.25).lines[-1].endswith("…")


@with_pdf
def test_the_table_of_letter_widths_matches_the_font():
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("fonts-dejavu-core is not installed")
    from reportlab.pdfbase.pdfmetrics import stringWidth

    for text in (*halls.COMPANIES, "A01 + B02", "1.234,50 EUR"):
        drawn = fonts.width(text, 100) * fonts.POINTS / 100  # registers the fonts
        assert letters.em(text) == pytest.approx(
            stringWidth(text, "DejaVuSans", 100) / 100, rel=0.01
        ), text
        assert drawn <= letters.em(text) * 1.01, text
        assert letters.em(text, True) >= fonts.width(text, 100, True) * fonts.POINTS / 100 * 0.99, (
            text
        )


@with_pdf
def test_svg_and_pdf_contain_the_same_text():
    drawing = picture.picture(
        hall(
            sold("A1", 1000, 1000, "Grünwald & Żółw"),
            objects=[halls.thing("aisle", 0, 9000, 20000, 3000, "Allee")],
        )
    )
    from tests.pictures.test_invoice_pdf import texts

    (page,) = texts(canvas.draw(drawing))
    written = {
        line for part in flat(drawing.parts) if isinstance(part, Text) for line in part.lines
    }
    assert {"A1", "Grünwald & Żółw", "Allee"} <= written
    assert not [line for line in written if line not in page]


@pytest.mark.parametrize(
    "change",
    [
        {"booth_number": "X1"},
        {"exhibitor": "Another GmbH"},
        {"status": "available", "exhibitor": None},
        {"price": 1},
        {"width": 2000},
        {"rotation": 30},
        {"color": "#ff0000"},
        {"pos_x": 4100},
        {"booth_name": "Stage"},
    ],
)
def test_a_kept_block_is_drawn_again_if_it_shows_something_else(change):
    """Compared with a drawing for which nothing is kept."""

    def all_drawn(shown, mark=""):
        return page.draw(shown, "Hall", lambda booth: f"booths/{booth['id']}", lambda booth: mark)

    def anew(*asked):
        blocks_.LABELS.clear()
        page.TEXTS.clear()
        return all_drawn(*asked)

    pillar = {"kind": "pillar", "x": 1500, "y": 1500, "width": 500, "depth": 500}
    before = hall(
        sold("1", 1000, 1000),
        sold("2", 5000, 1000),
        sold("3", 1000, 8000, "Müller"),
        objects=[pillar],
    )
    after = {**before, "booths": [{**before["booths"][0], **change}, *before["booths"][1:]]}
    wanted = anew(after)
    assert anew(before) != wanted
    assert all_drawn(after) == wanted
    for other in (
        {**after, "language": "de"},
        {**after, "objects": []},
        {**after, "width": 40_000},
    ):
        kept = all_drawn(other)
        assert kept == anew(other)
    assert all_drawn(after, "mine") == anew(after, "mine") != wanted
