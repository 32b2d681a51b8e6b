"""Hybrid invoices: what ISO 19005-3 (PDF/A-3) and Factur-X 1.0 require, read with pypdf and byte by
byte.

The fixed expectations are those of the norms. A validator that is named in EINVOICE_VALIDATOR
checks the same files with every clause (see tests/domain/test_hybrid_invoices.py).
"""

import re
import sys
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta, timezone
from io import BytesIO

import pytest

from eventapi import images
from eventapi.errors import Problem
from eventapi.pictures import fonts
from eventapi.pictures.invoice import sheet
from tests.pictures.test_invoice_pdf import BUYER, ENTRY, INVOICE, SELLER, STAND, forget_fonts  # noqa: F401
from tests.support.images import cmyk_jpeg, grey_png_of_16_bits, jpeg, png, png_with_alpha

pytest.importorskip("reportlab")
pypdf = pytest.importorskip("pypdf")
from eventapi.pictures.invoice import hybrid  # noqa: E402
from eventapi.pictures.style import Brand  # noqa: E402

XML = b"<?xml version='1.0' encoding='UTF-8'?>\n<Invoice><ID>INV-2026-00017</ID></Invoice>\n" * 20
# A zone of its own shows that the dates are in UTC.
ISSUED = datetime(2026, 5, 1, 9, 30, 15, tzinfo=timezone(timedelta(hours=2)))
CODE = "BCD\n002\n1\nSCT\n\nMesse Test GmbH\nDE02120300000000202051\nEUR2585.17\n\n\nINV-2026-00017"
RDF, PDFAID = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}", "{http://www.aiim.org/pdfa/ns/id/}"
DC = "{http://purl.org/dc/elements/1.1/}"
PDF = "{http://ns.adobe.com/pdf/1.3/}"
XMP = "{http://ns.adobe.com/xap/1.0/}"
FX = "{urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#}"
PROPERTY = "{http://www.aiim.org/pdfa/ns/property#}"
SCHEMA = "{http://www.aiim.org/pdfa/ns/schema#}"

pytestmark = pytest.mark.skipif(
    not fonts.installed(fonts.EUROPE), reason="fonts-dejavu-core is not installed"
)


def drawn(change=(), seller=SELLER, **options):
    return sheet.draw({**INVOICE, "girocode": CODE, **dict(change)}, seller, BUYER, "de", **options)


def made(*given, **options):
    """Return a hybrid invoice as bytes."""
    return hybrid.embed(drawn(*given, **options), XML, ISSUED)


def opened(*given, **options):
    return pypdf.PdfReader(BytesIO(made(*given, **options)), strict=True)


def catalogue(reader):
    return reader.trailer["/Root"]


def packet(reader):
    """Return the XMP as an element."""
    return ET.fromstring(catalogue(reader)["/Metadata"].get_data())


def text_of(xmp, name):
    """Return the text of a property, or of the one item of its list."""
    (found,) = xmp.iter(name)
    item = found.find(f".//{RDF}li")
    return (found if item is None else item).text or ""


# The e-invoice in the file (Factur-X 1.0, 6.2; ISO 19005-3, 6.8)


def test_the_e_invoice_is_embedded_unchanged():
    (one,) = catalogue(opened())["/AF"]
    assert one.get_object()["/EF"]["/F"].get_data() == XML


def test_the_embedded_file_is_associated_with_the_document_as_an_alternative():
    reader = opened()
    (one,) = catalogue(reader)["/AF"]
    specification = one.get_object()
    assert (
        specification["/AFRelationship"] == "/Alternative" and specification["/Type"] == "/Filespec"
    )
    assert specification["/F"] == specification["/UF"] == "factur-x.xml"
    assert set(specification["/EF"]) == {"/F", "/UF"}
    names = catalogue(reader)["/Names"]["/EmbeddedFiles"]["/Names"]
    assert names[0] == "factur-x.xml" and names[1].get_object() == specification
    stream = specification["/EF"]["/F"]
    assert stream["/Subtype"] == "/text/xml" and stream["/Type"] == "/EmbeddedFile"
    assert (
        stream["/Params"]["/Size"] == len(XML)
        and stream["/Params"]["/ModDate"] == "D:20260501073015+00'00'"
    )


def test_the_media_type_is_written_as_a_name_with_an_escaped_slash():
    assert b"/Subtype /text#2Fxml" in made()


# Metadata (ISO 19005-3, 6.6)


def test_xmp_and_the_info_dictionary_say_the_same():
    reader = (
        opened(seller={**SELLER, "name": "Müller & Söhne <Messe> 国"})
        if fonts.installed(fonts.EAST_ASIA)
        else opened(seller={**SELLER, "name": "Müller & Söhne <Messe>"})
    )
    info, xmp = reader.trailer["/Info"], packet(reader)
    pairs = {
        "/Title": DC + "title",
        "/Author": DC + "creator",
        "/Subject": DC + "description",
        "/Creator": XMP + "CreatorTool",
        "/Producer": PDF + "Producer",
    }
    assert {name: text_of(xmp, field) for name, field in pairs.items()} == {
        name: info[name] for name in pairs
    }
    assert (
        info["/Title"] == "Rechnung INV-2026-00017" and "Müller & Söhne <Messe>" in info["/Author"]
    )
    # nothing that XMP would have to repeat
    assert set(info) == {
        *pairs,
        "/CreationDate",
        "/ModDate",
    }
    for name, field in (("/CreationDate", XMP + "CreateDate"), ("/ModDate", XMP + "ModifyDate")):
        assert (info[name], text_of(xmp, field)) == (
            "D:20260501073015+00'00'",
            "2026-05-01T07:30:15+00:00",
        )


def test_xmp_says_pdf_a_3u():
    xmp = packet(opened())
    assert (text_of(xmp, PDFAID + "part"), text_of(xmp, PDFAID + "conformance")) == ("3", "U")


@pytest.mark.parametrize("change", [{}, {"invoice_type": "credit_note", "total": -2585.17}])
def test_xmp_names_the_e_invoice_and_declares_these_fields(change):
    xmp = packet(opened(change))
    fields = {
        "DocumentType": "INVOICE",
        "DocumentFileName": "factur-x.xml",
        "Version": "1.0",
        "ConformanceLevel": "EN 16931",
    }
    assert {name: text_of(xmp, FX + name) for name in fields} == fields
    assert {found.text for found in xmp.iter(PROPERTY + "name")} == set(fields)
    assert {found.text for found in xmp.iter(PROPERTY + "category")} == {"external"}
    assert (
        text_of(xmp, SCHEMA + "namespaceURI") == FX[1:-1]
        and text_of(xmp, SCHEMA + "prefix") == "fx"
    )


def test_the_metadata_are_not_compressed_so_that_simple_programs_find_them():
    assert b"<pdfaid:part>3</pdfaid:part>" in made()


# Form of the file (ISO 19005-3, 6.1 and 6.2)


def test_the_output_intent_is_srgb():
    (intent,) = catalogue(opened())["/OutputIntents"]
    intent = intent.get_object()
    assert (intent["/S"], intent["/OutputConditionIdentifier"]) == ("/GTS_PDFA1", "sRGB")
    profile = intent["/DestOutputProfile"]
    assert profile["/N"] == 3
    data = profile.get_data()
    assert (
        data[16:20] == b"RGB "
        and data[12:16] == b"mntr"
        and len(data) == int.from_bytes(data[:4], "big")
    )


def test_each_stream_ends_with_a_line_end():
    """reportlab leaves it out, which breaks clause 6.1.7.1."""
    assert re.findall(rb"[^\r\n]endstream", made(brand=Brand(images.load(png(3, 2))))) == []


def test_the_file_has_an_identifier_and_is_not_encrypted():
    reader = opened()
    first, second = reader.trailer["/ID"]
    assert len(first.original_bytes) == 16 and first == second and not reader.is_encrypted


def test_nothing_in_the_file_runs_or_is_loaded_from_elsewhere():
    data = made()
    for name in (b"/JavaScript", b"/JS", b"/OpenAction", b"/AA ", b"/Launch", b"/URI", b"/Encrypt"):
        assert name not in data


def text_fonts(page):
    """Return the fonts with which a page shows text."""
    used, font = set(), None
    for name, shows in re.findall(rb"/(\S+) [\d.]+ Tf|(\bTj|\bTJ)", page.get_contents().get_data()):
        font = name.decode() or font
        if shows:
            used.add(font)
    return [page["/Resources"]["/Font"][f"/{name}"] for name in used]


@pytest.mark.parametrize("change", [{}, {"items": [STAND] * 60}, {"text": "Żółć, Ελλάδα, Юлія"}])
def test_every_font_is_embedded_and_maps_its_letters_to_unicode(change):
    """Helvetica, which reportlab adds to each page, is allowed as long as nothing is shown in it."""
    for page in opened(change).pages:
        used = text_fonts(page)
        assert used
        for font in used:
            assert "/FontFile2" in font["/FontDescriptor"] and "/ToUnicode" in font, font[
                "/BaseFont"
            ]


def advance_widths(program):
    """Return {code: advance width in thousandths of the em} of an embedded TrueType program
    (ISO/IEC 14496-22).
    """

    def short(data, place):
        return int.from_bytes(data[place : place + 2], "big")

    tables = {}
    for entry in range(12, 12 + 16 * short(program, 4), 16):
        start, length = (
            int.from_bytes(program[place : place + 4], "big") for place in (entry + 8, entry + 12)
        )
        tables[program[entry : entry + 4]] = program[start : start + length]
    count, em, codes = short(tables[b"hhea"], 34), short(tables[b"head"], 18), tables[b"cmap"][12:]
    assert short(codes, 0) == 6  # reportlab writes one table, in format 6
    glyphs = {
        short(codes, 6) + place: short(codes, 10 + 2 * place) for place in range(short(codes, 8))
    }
    return {
        code: short(tables[b"hmtx"], 4 * min(glyph, count - 1)) * 1000 / em
        for code, glyph in glyphs.items()
    }


@pytest.mark.parametrize(
    "text",
    ["plain", "ü", "Żółć, Ελλάδα, Юлія", "".join(map(chr, range(0x100, 0x220)))],
    ids=["ASCII", "one letter more", "three scripts", "more than 256 letters"],
)
def test_the_widths_of_letters_are_those_of_the_embedded_fonts(text):
    """Clause 6.2.11.5 allows a difference of 1. reportlab 3.6 loses the width of the last glyph of
    a font.
    """
    check_widths(opened({"text": text, "event_title": text}))


def test_the_widths_are_right_whichever_letter_comes_last():
    for letter in map(chr, range(0xA1, 0x100)):
        pdf = sheet.draw(
            {**INVOICE, "items": [ENTRY], "text": letter}, SELLER, {"name": "Bergmann"}, "en"
        )
        check_widths(pypdf.PdfReader(BytesIO(pdf)))


def check_widths(reader):
    for page in reader.pages:
        for font in text_fonts(page):
            real = advance_widths(font["/FontDescriptor"]["/FontFile2"].get_data())
            for code, width in enumerate(font["/Widths"], font["/FirstChar"]):
                assert abs(float(width) - real[code]) <= 1, (font["/BaseFont"], code)


@pytest.mark.parametrize(
    "make", [png, jpeg, cmyk_jpeg, png_with_alpha], ids=lambda make: make.__name__
)
def test_no_logo_brings_colours_that_the_output_intent_does_not_define(make):
    """sRGB defines grey and RGB. CMYK requires a profile of a press (6.2.4.3)."""
    logo = images.load(make(8, 8) if make is png else make())
    for page in opened(brand=Brand(logo)).pages:
        for image in page["/Resources"]["/XObject"].values():
            assert image.get_object()["/ColorSpace"] in ("/DeviceGray", "/DeviceRGB")


def test_grey_of_16_bits_is_not_drawn_as_white():
    (image,) = (
        opened(brand=Brand(images.load(grey_png_of_16_bits())))
        .pages[0]["/Resources"]["/XObject"]
        .values()
    )
    data = image.get_object().get_data()
    assert set(data) <= {0x3F, 0x40}


# Bytes


def test_the_same_invoice_results_in_the_same_bytes():
    pdf = drawn()
    assert hybrid.embed(pdf, XML, ISSUED) == hybrid.embed(pdf, XML, ISSUED) == made()
    assert hybrid.embed(pdf, XML, ISSUED.astimezone(timezone.utc)) == made()


def test_another_e_invoice_gives_the_file_another_identifier():
    pdf = drawn()
    ids = {
        pypdf.PdfReader(BytesIO(hybrid.embed(pdf, xml, ISSUED))).trailer["/ID"][0].original_bytes
        for xml in (XML, XML + b"\n")
    }
    assert len(ids) == 2


def test_the_file_is_hardly_larger_than_pages_and_e_invoice():
    """The profile has 588 bytes, the metadata have 3 KB, and all else is a few objects."""
    assert len(made()) - len(drawn()) - len(XML) < 10_000


# Missing packages


def test_without_pypdf_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(Problem) as raised:
        hybrid.embed(drawn(), XML, ISSUED)
    assert (raised.value.status, raised.value.code) == (501, "not_installed")
    assert "python3-pypdf" in raised.value.detail and "/invoices/{id}/xml" in raised.value.detail


def test_without_dejavu_the_error_names_the_package_and_where_the_xml_is(forget_fonts, monkeypatch):  # noqa: F811
    monkeypatch.setattr(fonts, "FOLDERS", ())
    with pytest.raises(Problem) as raised:
        hybrid.embed(drawn({"currency": "EUR"}), XML, ISSUED)
    assert (raised.value.status, raised.value.code) == (409, "fonts_missing")
    assert (
        "fonts-dejavu-core" in raised.value.detail and "/invoices/{id}/xml" in raised.value.detail
    )


def test_fonts_that_are_installed_later_are_used_without_a_restart(forget_fonts, monkeypatch):  # noqa: F811
    folders = fonts.FOLDERS
    monkeypatch.setattr(fonts, "FOLDERS", ())
    assert fonts.runs("A")[0][0] == "Helvetica"
    monkeypatch.setattr(fonts, "FOLDERS", folders)
    hybrid.require()
    assert fonts.runs("A")[0][0] in ("LiberationSans-Regular", "DejaVuSans")
