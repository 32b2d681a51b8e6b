"""GiroCodes by EPC069-12, read by an independent decoder (zxing-cpp)."""

import shutil
import subprocess
import zlib

import pytest

from eventapi.pictures import fonts, qr
from eventapi.pictures.invoice import giro, sheet
from tests.pictures.test_invoice_pdf import BUYER, INVOICE, SELLER

pytest.importorskip("reportlab")

TRANSFER = {
    "name": "Messe Beispiel GmbH",
    "iban": "DE02120300000000202051",
    "bic": "BYLADEM1001",
    "cents": 296002,
    "reference": "INV-2026-00017",
}
LINES = [
    "BCD",
    "002",
    "1",
    "SCT",
    "BYLADEM1001",
    "Messe Beispiel GmbH",
    "DE02120300000000202051",
    "EUR2960.02",
    "",
    "",
    "INV-2026-00017",
]


def payload(**change):
    return giro.payload(**{**TRANSFER, **change})


# The text


def test_the_lines_are_those_of_the_norm():
    assert payload().split("\n") == LINES


def test_a_creditor_reference_is_line_10_and_nothing_follows():
    assert payload(reference="RF18539007547034").split("\n") == [*LINES[:9], "RF18539007547034"]


def test_a_creditor_reference_with_wrong_check_digits_is_a_text():
    assert payload(reference="RF19539007547034").split("\n")[9:] == ["", "RF19539007547034"]


@pytest.mark.parametrize(
    "cents, text",
    [(1, "EUR0.01"), (10, "EUR0.10"), (100000, "EUR1000.00"), (99_999_999_999, "EUR999999999.99")],
)
def test_an_amount_has_a_point_and_no_separators(cents, text):
    assert payload(cents=cents).split("\n")[7] == text


def test_the_bic_may_be_missing():
    assert payload(bic=None).split("\n")[4:6] == ["", "Messe Beispiel GmbH"]


def test_a_long_name_is_shortened_to_70_characters():
    assert payload(name="Messe " * 20).split("\n")[5] == ("Messe " * 12)[:70]


def test_the_name_has_no_line_breaks():
    assert payload(name="Messe\nBeispiel\t GmbH").split("\n")[5] == "Messe Beispiel GmbH"


@pytest.mark.parametrize(
    "name, reference", [("国" * 80, "R" * 64), ("Ö" * 70, "Ä" * 64), ("😀" * 70, "😀" * 64)]
)
def test_no_code_exceeds_331_bytes(name, reference):
    text = payload(name=name, reference=reference)
    assert len(text.encode()) <= 331 and qr.size(text, "M") <= 69
    assert (
        text.split("\n")[10] == reference
        and name.startswith(text.split("\n")[5])
        and text.split("\n")[5]
    )


# The picture


def decoded(png):
    """Return the only QR code of a PNG."""
    zxingcpp = pytest.importorskip("zxingcpp", reason="zxing-cpp reads QR codes")
    image = pytest.importorskip("PIL.Image")
    from io import BytesIO

    (found,) = zxingcpp.read_barcodes(
        image.open(BytesIO(png)).convert("L"), formats=zxingcpp.BarcodeFormat.QRCode
    )
    return found


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"reference": "RF18539007547034"},
        {"name": "Müller & Söhne 国"},
        {"name": "Ö" * 70, "reference": "Ä" * 64},
    ],
)
def test_a_reader_finds_every_line_in_the_png(change):
    text = payload(**change)
    found = decoded(giro.png(text))
    assert (
        found.bytes.decode() == text and found.ec_level == "M" and int(found.extra["Version"]) <= 13
    )


def test_the_svg_is_the_same_code_with_a_quiet_zone_of_four_modules():
    """Its modules are drawn as one outline, whose filled squares are counted here."""
    text = payload()
    svg = giro.svg(text, amount="EUR 1.00", reference="INV-1", language="en").decode()
    side = (41 + 8) * 4
    assert f'width="{side}px" height="{side}px" viewBox="0 0 {side} {side}"' in svg
    assert "Transfer EUR 1.00 with a banking app, reference INV-1" in svg
    path = svg.split('<path d="')[2].split('"')[0]
    assert filled(path) == {
        (x, y) for y, row in enumerate(qr.modules(text, "M")) for x, dark in enumerate(row) if dark
    }


def filled(path):
    """Return the modules inside a path of M, h, v and Z commands, by the even-odd rule."""
    import re

    walls = set()  # (x, y): a vertical edge left of the module (x, y)
    for ring in path.split("Z")[:-1]:
        x, y = map(int, re.match(r"M(\d+) (\d+)", ring).groups())
        start = x, y
        for command, step in [*re.findall(r"([hv])(-?\d+)", ring), ("close", "0")]:
            if command == "h":
                x += int(step)
            else:
                to = y + int(step) if command == "v" else start[1]
                for row in range(min(y, to) // 4, max(y, to) // 4):
                    walls ^= {(x // 4 - 4, row - 4)}
                y = to
    inside = set()
    for row in range(41):
        dark = False
        for column in range(41):
            dark ^= (column, row) in walls
            inside |= {(column, row)} if dark else set()
    return inside


def test_the_png_is_black_and_white():
    png = giro.png(payload())
    data = zlib.decompress(png[png.index(b"IDAT") + 4 : -16])
    assert png[24:26] == bytes((1, 0)) and set(data) == {0, 255}


@pytest.mark.skipif(not shutil.which("pdftoppm"), reason="pdftoppm is not installed")
@pytest.mark.parametrize("resolution", [150, 300])
@pytest.mark.parametrize(
    "change", [{}, {"name": "Ö" * 70, "reference": "Ä" * 64}], ids=["usual", "largest"]
)
def test_a_reader_finds_the_code_on_the_printed_page(tmp_path, change, resolution):
    text = payload(**change)
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    (tmp_path / "invoice.pdf").write_bytes(
        sheet.draw({**INVOICE, "girocode": text}, SELLER, BUYER, "de")
    )
    subprocess.run(
        [
            "pdftoppm",
            "-singlefile",
            "-gray",
            "-png",
            "-r",
            str(resolution),
            tmp_path / "invoice.pdf",
            tmp_path / "page",
        ],
        check=True,
    )
    found = decoded((tmp_path / "page.png").read_bytes())
    assert found.bytes.decode() == text and found.ec_level == "M"


def test_a_draft_has_no_code(monkeypatch):
    drawn = []
    monkeypatch.setattr(giro, "rings", lambda code: drawn.append(code) or ())
    sheet.draw({**INVOICE, "girocode": payload()}, SELLER, BUYER, "de")
    sheet.draw({**INVOICE, "girocode": payload(), "status": "draft"}, SELLER, BUYER, "de")
    assert len(drawn) == 1
