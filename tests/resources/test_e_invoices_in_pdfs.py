"""E-invoices inside of PDFs: the attachment is found whatever its media type and the words of its
dictionary are.
"""

import zlib
from pathlib import Path

import pytest

from eventapi.domain.einvoices import cii, received
from tests.support.einvoice_mutations import taxed

FILES = Path(__file__).parent / "e_invoices"
MINE = cii.write(taxed(number="R-4711"))
OTHER = cii.write(taxed(number="OTHER"))
PACKED = zlib.compress(MINE)


def number_in(tmp_path, content):
    """Return the number of the e-invoice that a file contains, or None."""
    path = tmp_path / "invoice.pdf"
    path.write_bytes(content)
    with path.open("rb") as file:
        if not received.may_be(file):
            return None
        file.seek(0)
        found = next(received.parse(file, None), None)
    return found and found["e_invoice"]["number"]


def stream(dictionary, content=PACKED, number=5, begin=b">>\nstream\n"):
    """Return an object of a PDF that is a stream."""
    return b"%d 0 obj\n<<%s%s%s\nendstream\nendobj\n" % (number, dictionary, begin, content)


def specification(name, number):
    """Return an object that names an embedded file."""
    return b"4 0 obj\n<</Type/Filespec/F(%s)/EF<</F %d 0 R>>>>\nendobj\n" % (name, number)


@pytest.mark.parametrize("name", ["f10_octet_stream.pdf", "f10_text_xml.pdf"])
def test_the_attachment_of_a_real_pdf_is_found_with_each_media_type(tmp_path, name):
    assert number_in(tmp_path, (FILES / name).read_bytes()) == "R-2026-15"


ZLIB = b"/Filter/FlateDecode"
TYPED = ZLIB + b"/Type/EmbeddedFile"


@pytest.mark.parametrize(
    "content",
    [
        stream(TYPED + b"/Subtype/application#2Foctet-stream"),
        stream(TYPED + b"/Subtype/application#2foctet-stream"),
        stream(TYPED + b"/Subtype/image#2Fpng"),
        stream(TYPED + b"/Subtype/application/xml"),
        stream(ZLIB + b"/Subtype/application#2Foctet-stream"),
        stream(ZLIB + b"/Subtype/application#2Fx-stream /DL 5"),
        stream(b"/Subtype/application#2Foctet-stream", MINE),
        stream(TYPED + b"/Desc(the stream of data)"),
        stream(TYPED + b"/Desc(upstream\n)"),
        stream(ZLIB + b"/Desc(an object) /Type/EmbeddedFile"),
        stream(ZLIB + b"/Desc(6 obj) /Type/EmbeddedFile"),
        stream(TYPED + b"/FilterName(x)"),
        stream(b"/Type/EmbeddedFile/FilterName(x)", MINE),
        stream(b"/Type/EmbeddedFile", MINE.replace(b"?>\n", b"?><!-- endstream -->\n", 1)),
        stream(TYPED, begin=b">>stream\r\n"),
        stream(TYPED, begin=b">> \r\n stream \n"),
        stream(ZLIB) + specification(b"invoice.xml", 5),
        specification(b"invoice.xml", 5) + stream(ZLIB + b"/Subtype/XML"),
        stream(b"", MINE, number=123456) + specification(b"a.xml", 123456),
    ],
)
def test_an_attachment_is_found_whatever_its_dictionary_says(tmp_path, content):
    assert number_in(tmp_path, b"%PDF-1.7\n" + content) == "R-4711"


def test_a_mark_of_the_object_before_does_not_hide_the_number_of_the_attachment(tmp_path):
    """The name of the norm belongs to stream 5, which stands first and has no type."""
    named = b"6 0 obj\n<</Type/Filespec/F(factur-x.xml)/Desc(an object)/EF<</F 5 0 R>>>>\nendobj\n"
    content = stream(ZLIB) + named + stream(TYPED, zlib.compress(OTHER), number=7)
    assert number_in(tmp_path, b"%PDF-1.7\n" + content) == "R-4711"


@pytest.mark.parametrize(
    "content",
    [
        stream(ZLIB),  # no file
        stream(ZLIB) + specification(b"invoice.xml", 6),
        specification(b"invoice.xml", 5),
        stream(b"/Filter/LZWDecode/Type/EmbeddedFile"),
        b"<</Type/EmbeddedFile>>\nstream\n" + MINE,
        b"/EF<<" * 1000,
        b"/EF<</F 99999999999 0 R" * 100,
        b"/EF<</F 5 0 R>>" + b"5 0 obj" * 5000,
        b"/application#2Foctet-stream" * 3000,
        b"/EmbeddedFile>>stream\n" * 3000,
        b"1 0 obj" + b">>" * 5000 + b"/EF<</F 1 0 R>>",
    ],
)
def test_a_stream_that_is_no_file_and_hostile_marks_are_no_e_invoice(tmp_path, content):
    assert number_in(tmp_path, b"%PDF-1.7\n" + content) is None


def test_the_last_revision_of_an_attachment_without_type_counts(tmp_path):
    first = stream(ZLIB, zlib.compress(OTHER)) + specification(b"factur-x.xml", 5)
    assert number_in(tmp_path, b"%PDF-1.7\n" + first + stream(ZLIB)) == "R-4711"


def test_a_hundred_attachments_before_the_invoice_do_not_hide_it(tmp_path):
    picture = zlib.compress(b"x")
    content = b"".join(
        stream(TYPED + b"/Subtype/application#2Fpdf", picture, number) for number in range(10, 110)
    )
    assert number_in(tmp_path, b"%PDF-1.7\n" + content + stream(TYPED)) == "R-4711"
