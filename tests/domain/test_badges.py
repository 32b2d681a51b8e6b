"""Badges: numbers, cards and sheets, and QR codes that a scanner reads."""

import shutil
import subprocess
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise

import pytest

from eventapi import images
from eventapi.domain.entrance import badges
from eventapi.domain.people import badge_sheets
from eventapi.errors import Problem
from eventapi.languages import choice, names
from eventapi.pictures import badge as picture
from eventapi.pictures import canvas, fonts, qr, style, svg
from eventapi.pictures.shapes import Area, Bitmap, Group, Text
from tests.support.examples import make
from tests.support.images import png
from tests.web.test_routes import problem

SVG = "{http://www.w3.org/2000/svg}"
pytestmark = pytest.mark.skipif(not find_spec("reportlab"), reason="reportlab is not installed")
GOLD = {"category": "Gold-Sponsor", "color": "#ffd54f"}
NAMES = [
    ("Ada Lovelace", "Analytical Engines Ltd"),
    ("Łucja Święcicka-Grzegżółka", "Przedsiębiorstwo Handlowo-Usługowe „Zieleń” Sp. z o.o."),
    ("Αλέξανδρος Παπαδόπουλος", "Κήποι της Αθήνας Α.Ε."),
    ("Щербакова Александра Всеволодовна", "ООО «Щедрый Юг»"),
    ("ЩЩЩЩЩЩЩЩ ЮЮЮЮЮЮЮЮ ЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖ", "ЩЕДРЫЙ ЮГ ЖИВОПИСНЫЙ МЫШЬЯКОВЫЙ"),
    ("Gülşah Çağlayan İğneoğlu", "Bahçe ve Peyzaj A.Ş."),
    (
        "Dr. Karl-Theodor Maria Nikolaus Freiherr von Donaudampfschifffahrtsgesellschaft",
        "Bergmann & Söhne Gartenbau GmbH & Co. KG",
    ),
    (
        "Venkatanarasimharajuvaripeta Subrahmanyam Wijesooriya",
        "Thiruvananthapuram Nurseries Pvt. Ltd.",
    ),
    (
        "María de los Ángeles Fernández-Villaverde y Gutiérrez de la Concha",
        "Viveros del Guadalquivir, S. L. U.",
    ),
    ("W" * 255, "M" * 255),
    ("i" * 255, None),
    ("Li", None),
    ("<script>alert(1)</script>", 'A & B "quoted"'),
]


def card(name="Ada Lovelace", company="Analytical Engines Ltd", **values):
    """Return a badge as domain/people/badge_sheets.py reads it."""
    return {
        "id": 7,
        "role": "exhibitor",
        "name": name,
        "company": company,
        "code": "2345ACEFHJKM",
        "number": "2345 ACEF HJKM",
        "event": "Garden Fair",
        "city": "Leipzig",
        "from": "2027-05-01",
        "to": "2027-05-03",
        "category": None,
        "color": None,
        "language": "en",
        "image": None,
        **values,
    }


def flat(parts):
    for part in parts:
        yield part
        if isinstance(part, Group):
            yield from flat(part.parts)


def texts(badge):
    return [part for part in picture.picture(badge).parts if isinstance(part, Text)]


def said(answer):
    return " ".join(
        " ".join(text.itertext()) for text in ET.fromstring(answer.body).iter(f"{SVG}text")
    )


@pytest.fixture
def participant(organiser):
    event = organiser.make(
        "/events",
        {
            "title": "Grüne Tage <2027>",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
            "city": "Leipzig",
        },
    )
    category = organiser.make(
        "/categories", {"title": "Gold", "category_key": "gold", "color": "#ffd54f"}
    )
    contact = organiser.make(
        "/contacts",
        {"company_name": "Bergmann & Söhne", "first_name": "Ada", "last_name": "<b>Lovelace</b>"},
    )
    return organiser.make(
        "/participants",
        {
            "event_id": event["id"],
            "contact_id": contact["id"],
            "category_id": category["id"],
            "role": "speaker",
        },
    )


# One badge


def test_a_badge_shows_name_company_role_category_and_event(organiser, participant):
    answer = organiser.get(f"/participants/{participant['id']}/badge", status=200)
    assert (
        answer.content_type == "image/svg+xml"
        and "default-src 'none'" in answer.headers["Content-Security-Policy"]
    )
    for word in (
        "Ada",
        "<b>Lovelace</b>",
        "Bergmann & Söhne",
        "SPEAKER",
        "Gold",
        "Grüne Tage <2027>",
        "1–3 May 2027 · Leipzig",
        badges.grouped(participant["badge_number"]),
    ):
        assert word in said(answer), word
    root = ET.fromstring(answer.body)
    assert (root.get("width"), root.get("height")) == ("86mm", "54mm")
    assert root.find(f"{SVG}title").text.startswith("Badge – Ada")
    fills = {path.get("fill") for path in root.iter(f"{SVG}path")}
    assert {picture.COLORS["speaker"], "#ffd54f"} <= fills
    german = said(organiser.get(f"/participants/{participant['id']}/badge?language=de", status=200))
    assert "REFERENT" in german and "01.–03.05.2027" in german


def test_the_badge_name_takes_precedence_and_the_company_is_not_repeated(organiser, participant):
    organiser.patch(
        f"/participants/{participant['id']}", {"badge_name": "Countess Ada"}, status=200
    )
    text = said(organiser.get(f"/participants/{participant['id']}/badge"))
    assert "Countess" in text and "Lovelace" not in text
    organiser.patch(
        f"/contacts/{participant['contact_id']}",
        {"first_name": None, "last_name": None},
        status=200,
    )
    organiser.patch(f"/participants/{participant['id']}", {"badge_name": None}, status=200)
    assert said(organiser.get(f"/participants/{participant['id']}/badge")).count("Bergmann") == 1


def test_a_badge_is_available_as_pdf_and_each_format_has_its_own_etag(organiser, participant):
    path = f"/participants/{participant['id']}/badge"
    pdf = organiser.get(path, headers={"Accept": "application/pdf"}, status=200)
    assert (
        pdf.content_type == "application/pdf"
        and pdf.body.startswith(b"%PDF")
        and pdf.headers["Vary"] == "Accept"
    )
    drawn = organiser.get(path, status=200)
    assert drawn.headers["ETag"] != pdf.headers["ETag"]
    assert (
        organiser.get(path, headers={"If-None-Match": drawn.headers["ETag"]}, status=304).body
        == b""
    )
    organiser.patch(
        f"/participants/{participant['id']}", {"badge_name": "Someone else"}, status=200
    )
    organiser.get(path, headers={"If-None-Match": drawn.headers["ETag"]}, status=200)


def test_a_cancelled_participant_has_no_badge(organiser, participant):
    organiser.post(f"/participants/{participant['id']}/cancel", status=200)
    problem(organiser.get(f"/participants/{participant['id']}/badge"), 409, "participant_cancelled")
    problem(
        organiser.get(f"/participants/badges?ids={participant['id']}"), 422, "validation_failed"
    )


def test_without_reportlab_the_error_says_what_to_install(organiser, participant, monkeypatch):
    import sys

    qr.modules.cache_clear()
    qr.rings.cache_clear()
    monkeypatch.setitem(sys.modules, "reportlab.graphics.barcode", None)
    found = problem(organiser.get(f"/participants/{participant['id']}/badge"), 501, "not_installed")
    assert "python3-reportlab" in found["detail"]


# Layout


def box_of(text):
    """Return the box of a Text in the metrics of the font of the PDF."""
    wide = max(
        fonts.width(fonts.clean(line), text.size, text.bold) * fonts.POINTS for line in text.lines
    )
    left = text.x - (wide / 2 if text.align == "middle" else 0)
    bottom = text.y + (len(text.lines) - 1) * text.size * text.line_height + 0.22 * text.size
    return left, text.y - 0.75 * text.size, left + wide, bottom


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.skipif(not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed")
@pytest.mark.parametrize("number", ["2345 ACEF HJKM", "MMMM MMMM MMMM", "1111 1111 1111"])
def test_the_number_has_one_size_on_all_badges_and_stays_within_the_quiet_zone_and_the_card(number):
    parts = picture.picture(card(number=number)).parts
    code = [
        x
        for part in parts
        if isinstance(part, Area) and part.fill == "#000000"
        for ring in part.rings
        for x, _ in ring
    ]
    text = next(part for part in parts if isinstance(part, Text) and number in part.lines)
    left, _, right, bottom = box_of(text)
    assert text.size == 2.1 and max(code) <= picture.WIDTH - picture.MARGIN + 0.01
    assert min(code) - qr.QUIET * picture.MODULE <= left and right <= picture.WIDTH - 2
    assert bottom < picture.HEIGHT - picture.BAND


@pytest.mark.skipif(not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed")
@pytest.mark.parametrize("width, height", [(600, 200), (50, 50), (20, 900), (2000, 10)])
def test_the_image_of_the_event_keeps_its_shape_and_covers_no_text(width, height):
    for name, company in NAMES:
        image = images.load(png(width, height))
        badge = card(name, company, image=image, event=f"{name} {name}", city="Leipzig", **GOLD)
        drawing = picture.picture(badge)
        (bitmap,) = [part for part in drawing.parts if isinstance(part, Bitmap)]
        assert bitmap.width / bitmap.height == pytest.approx(width / height)
        box = bitmap.x, bitmap.y, bitmap.x + bitmap.width, bitmap.y + bitmap.height
        assert (
            picture.STRIPE < box[1]
            and box[3] < picture.HEADER
            and box[2] <= picture.WIDTH - picture.MARGIN + 0.01
        )
        for text in texts(badge):
            assert not overlap(box_of(text), box), text


def test_the_event_and_the_category_shape_the_badge(organiser, participant):
    """The band at the bottom has the colour of the category, the stripe at the top that of the
    role.
    """
    path, event = f"/participants/{participant['id']}/badge", participant["event_id"]
    plain = ET.fromstring(organiser.get(path, status=200).body)
    fills = {path_.get("d"): path_.get("fill") for path_ in plain.iter(f"{SVG}path")}
    assert fills["M0 0h86v2h-86Z"] == picture.COLORS["speaker"]
    assert fills["M0 44h86v10h-86Z"] == "#ffd54f"
    organiser.put(
        f"/events/{event}/image", raw=png(60, 20), headers={"Content-Type": "image/png"}, status=200
    )
    answer = organiser.get(path, status=200)
    (image,) = ET.fromstring(answer.body).iter(f"{SVG}image")
    assert image.get("href").startswith("data:image/jpeg;base64,")
    assert "img-src data:" in answer.headers["Content-Security-Policy"]
    pdf = organiser.get(path, headers={"Accept": "application/pdf"}, status=200).body
    assert b"/Subtype /Image" in pdf and b"/Width 60" in pdf
    sheet = organiser.get(
        f"/participants/badges?event_key={participant['event_key']}", status=200
    ).body
    assert b"/Subtype /Image" in sheet


@pytest.mark.parametrize("data", [b"GIF89a" + bytes(20), png(60, 20) + bytes(1 << 20)])
def test_an_image_that_cannot_be_printed_is_left_out(organiser, participant, settings, data):
    """Earlier versions stored every picture as it was sent."""
    address = f"/events/{participant['event_id']}/image"
    organiser.put(address, raw=png(60, 20), headers={"Content-Type": "image/png"}, status=200)
    (stored,) = [file for file in settings.files.rglob("*") if file.is_file()]
    stored.chmod(0o600)
    stored.write_bytes(data)
    answer = organiser.get(f"/participants/{participant['id']}/badge", status=200)
    assert b"<image" not in answer.body


@pytest.mark.parametrize("name, company", NAMES)
@pytest.mark.skipif(not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed")
def test_every_text_stays_within_its_card_and_outside_the_qr_code(name, company):
    badge = card(name, company, category=company, event=f"{name} {name}", city=company)
    code = next(
        part
        for part in picture.picture(badge).parts
        if isinstance(part, Area) and part.fill == "#000000"
    )
    quiet = min(x for ring in code.rings for x, _ in ring) - qr.QUIET * picture.MODULE
    for text in texts(badge):
        wide = max(
            fonts.width(fonts.clean(line), text.size, text.bold) * fonts.POINTS
            for line in text.lines
        )
        bottom = text.y + (len(text.lines) - 1) * text.size * text.line_height
        assert (
            text.size >= 1.9
            and text.y - 0.75 * text.size >= 0
            and bottom + 0.25 * text.size <= picture.HEIGHT
        ), text
        if text.align == "start":
            beside = picture.HEADER < text.y < picture.HEIGHT - picture.BAND
            assert text.x + wide <= (quiet if beside else picture.WIDTH - 2) + 0.5, text


def test_lines_of_text_do_not_overlap():
    for name, company in NAMES:
        lines = sorted(
            (text.y + place * text.size * text.line_height, text.size)
            for text in texts(card(name, company))
            if text.align == "start"
            for place in range(len(text.lines))
        )
        for (above, _), (below, size) in pairwise(lines):
            assert below - above >= 0.9 * size, (name, above, below)


@pytest.mark.parametrize("role, color", picture.COLORS.items())
def test_white_is_readable_on_the_colour_of_each_role(role, color):
    assert 1.05 / (style.luminance(color) + 0.05) >= 4.5


@pytest.mark.parametrize(
    "fill",
    [
        "#000000",
        "#ffffff",
        "#ffd54f",
        "#808080",
        "#757575",
        "#767676",
        "#777777",
        "#004d40",
        "#ff0000",
        "#00ff00",
        "#0000ff",
    ],
)
def test_the_category_is_readable_on_any_colour(fill):
    light, dark = sorted((style.luminance(fill), style.luminance(style.ink_on(fill))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_each_role_has_its_own_label_and_colour():
    from eventapi.validation.schema_files import document

    roles = document("participant")["properties"]["role"]["enum"]
    assert set(picture.COLORS) == set(roles) and len(set(picture.COLORS.values())) == len(roles)
    for language in choice.AVAILABLE:
        assert len({names.role(role, language) for role in roles}) == len(roles)


# The QR code


def test_the_outline_covers_the_dark_modules_and_nothing_else():
    for text in ("2345ACEFHJKM", "YYYYYYYYYYYY", "2", badges.draw()):
        rows = qr.modules(text)
        rings = list(qr.outline(rows))
        for down, row in enumerate(rows):
            for across, dark in enumerate(row):
                assert inside(rings, across + 0.5, down + 0.5) == dark, (across, down)


def inside(rings, x, y):
    """Return whether the point is inside by the even-odd rule: count the edges to its right."""
    crossed = sum(
        1
        for ring in rings
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True)
        if (y1 > y) != (y2 > y) and x1 > x
    )
    return crossed % 2 == 1


def test_the_modules_contain_the_finder_patterns_of_the_smallest_code():
    rows = qr.modules("2345ACEFHJKM")
    assert len(rows) == 21 and {len(row) for row in rows} == {21}
    finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    for down, across in ((0, 0), (0, 14), (14, 0)):
        assert [
            "".join("01"[dark] for dark in row[across : across + 7])
            for row in rows[down : down + 7]
        ] == finder


@pytest.mark.skipif(
    not (shutil.which("zbarimg") and shutil.which("pdftoppm")),
    reason="zbarimg and pdftoppm are not installed",
)
def test_a_scanner_reads_the_number_from_the_printed_badge(tmp_path):
    for number in (badges.draw() for _ in range(5)):
        (tmp_path / "badge.pdf").write_bytes(
            canvas.draw(picture.picture(card(code=number, number=badges.grouped(number))))
        )
        subprocess.run(
            [
                "pdftoppm",
                "-r",
                "150",
                "-png",
                "-singlefile",
                tmp_path / "badge.pdf",
                tmp_path / "badge",
            ],
            check=True,
        )
        read = subprocess.run(
            ["zbarimg", "--raw", "-q", tmp_path / "badge.png"], capture_output=True, text=True
        )
        assert read.stdout.strip() == number


# Sheets


def test_badges_are_printed_ten_on_a_sheet_with_crop_marks(organiser, participant):
    made = {}
    others = [make(organiser, "participant", made) if not number else None for number in range(1)]
    answer = organiser.get(
        f"/participants/badges?ids={participant['id']},{others[0]['id']}", status=200
    )
    assert answer.content_type == "application/pdf" and answer.headers["ETag"]
    sheets = list(picture.sheets([card()] * 21))
    assert [(sheet.width, sheet.height) for sheet in sheets] == [(210, 297)] * 3
    assert [sum(isinstance(part, Group) for part in sheet.parts) for sheet in sheets] == [10, 10, 1]
    pdf = canvas.draw(*sheets)
    assert pdf.count(b"/Type /Page\n") == 3 or b"/Count 3" in pdf
    for text in (part for part in flat(sheets[0].parts) if isinstance(part, Text)):
        assert (
            picture.LEFT < text.x < 210 - picture.LEFT and picture.TOP < text.y < 297 - picture.TOP
        )


def test_sheets_are_chosen_by_event_role_and_confirmation(organiser, participant):
    key = participant["event_key"]
    first = organiser.get(f"/participants/badges?event_key={key}", status=200)
    assert (
        organiser.get(
            f"/participants/badges?event_key={key}&role=speaker&confirmed=0", status=200
        ).body
        == first.body
    )
    organiser.get(
        f"/participants/badges?event_key={key}",
        headers={"If-None-Match": first.headers["ETag"]},
        status=304,
    )
    for filters, named in (
        ("role=press", "event_key"),
        ("confirmed=1", "event_key"),
        ("page=2", "page"),
        ("ids=999999", "ids"),
    ):
        found = problem(
            organiser.get(f"/participants/badges?event_key={key}&{filters}"),
            422,
            "validation_failed",
        )["errors"]
        assert [(entry["parameter"], entry["code"]) for entry in found] == [(named, "nothing")]
    problem(organiser.get("/participants/badges?event_key=unknown"), 422, "validation_failed")
    found = problem(organiser.get("/participants/badges?role=press"), 422, "validation_failed")
    assert [entry["parameter"] for entry in found["errors"]] == ["event_key"]


def test_too_many_badges_are_refused_with_a_hint_to_use_pages(organiser, participant, monkeypatch):
    monkeypatch.setattr(badge_sheets, "MAX_BADGES", 1)
    second = organiser.make(
        "/participants",
        {
            "event_id": participant["event_id"],
            "contact_id": participant["contact_id"],
            "role": "press",
        },
    )
    path = f"/participants/badges?event_key={participant['event_key']}"
    found = problem(organiser.get(path), 422, "validation_failed")["errors"]
    assert [(entry["parameter"], entry["code"]) for entry in found] == [("page", "too_many")]
    assert "page=2" in found[0]["detail"]
    pages = [organiser.get(f"{path}&page={page}", status=200).body for page in (1, 2)]
    assert (
        pages[0] != pages[1]
        and organiser.get(f"/participants/badges?ids={second['id']}").body == pages[1]
    )


def test_a_name_in_a_script_without_a_font_is_reported(organiser, participant):
    organiser.patch(
        f"/participants/{participant['id']}", {"badge_name": "ᚠᚢᚦ\U0001f3aa"}, status=200
    )
    organiser.get(f"/participants/{participant['id']}/badge", status=200)
    problem(
        organiser.get(
            f"/participants/{participant['id']}/badge", headers={"Accept": "application/pdf"}
        ),
        501,
        "not_installed",
    )


def test_one_name_without_a_font_does_not_stop_a_sheet(organiser, participant):
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    organiser.patch(
        f"/participants/{participant['id']}", {"badge_name": "ᚠᚢᚦ\U0001f3aa"}, status=200
    )
    file = organiser.get(f"/participants/badges?ids={participant['id']}", status=200).body
    pypdf = pytest.importorskip("pypdf")
    assert "□" in pypdf.PdfReader(BytesIO(file)).pages[0].extract_text()
    # the box is drawn on sheets only, also in the same thread
    problem(
        organiser.get(
            f"/participants/{participant['id']}/badge", headers={"Accept": "application/pdf"}
        ),
        501,
        "not_installed",
    )


def test_the_svg_is_well_formed_for_any_name():
    for name, company in NAMES:
        ET.fromstring(svg.draw(picture.picture(card(name, company))))
    with pytest.raises(Problem):
        canvas.draw(picture.picture(card("\U0001f3aa")))


def test_a_long_place_is_shown_without_its_venue_rather_than_cut_off():
    badge = card(
        venue="Messezentrum am Alten Güterbahnhof, Halle 4 und Freigelände", city="Leipzig"
    )
    shown = " ".join(line for text in texts(badge) for line in text.lines)
    assert "Leipzig" in shown and "Messezentrum" not in shown and "…" not in shown
