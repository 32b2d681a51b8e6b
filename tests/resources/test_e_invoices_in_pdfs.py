"""E-invoices inside of PDFs: the attachment is found whatever its media type and the words of its
dictionary are.
"""

import random
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
        stream(ZLIB + b"/Type/Embedded#46ile"),
        stream(ZLIB + b"/Subtype/#74ext#2Fxml"),
        stream(ZLIB + b"/Subtype/applic#61tion#2fxml"),
        stream(b"/Fi#6cter/Flate#44ecode/Type/EmbeddedFile"),
        stream(b"/#46#69#6C#74#65#72 [ /#46lateDecode ] /Type/EmbeddedFile"),
        stream(ZLIB) + specification(b"a.xml", 5).replace(b"/EF<</F", b"/#45#46<</#55#46"),
    ],
)
def test_an_attachment_is_found_whatever_its_dictionary_says(tmp_path, content):
    assert number_in(tmp_path, b"%PDF-1.7\n" + content) == "R-4711"


@pytest.mark.parametrize("name", ["EmbeddedFile", "text#2Fxml", "application#2Fxml"])
def test_a_file_with_an_escaped_mark_is_examined(tmp_path, name):
    """A name of a PDF may be written with the code of any of its letters."""
    kind = "Type" if name == "EmbeddedFile" else "Subtype"
    for place in range(len(name.partition("#")[0])):
        for code in (f"#{ord(name[place]):02x}", f"#{ord(name[place]):02X}"):
            written = f"/{kind}/{name[:place]}{code}{name[place + 1 :]}".encode()
            assert number_in(tmp_path, b"%PDF-1.7\n" + stream(ZLIB + written)) == "R-4711", written


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


NOISE = b"<!--" + random.Random(46).randbytes(60_000).hex().encode() + b"-->"
LARGE = MINE.replace(b"</rsm:ExchangedDocument>", b"</rsm:ExchangedDocument>" + NOISE, 1)


def terms_in(tmp_path, content):
    """Return what a PDF says as an e-invoice, or None."""
    path = tmp_path / "invoice.pdf"
    path.write_bytes(b"%PDF-1.7\n" + content)
    with path.open("rb") as file:
        found = next(received.parse(file, None), None)
    return found and found["e_invoice"]


def test_a_wrong_checksum_does_not_hide_an_invoice(tmp_path):
    found = terms_in(tmp_path, stream(TYPED, PACKED[:-4] + b"\0\0\0\0"))
    assert (found["number"], found["is_valid"]) == ("R-4711", True)


@pytest.mark.parametrize("content", [MINE, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("part", [0.6, 0.9])
def test_a_damaged_invoice_is_unreadable_and_not_none(tmp_path, content, part):
    """Without a word, somebody would pay from the picture."""
    packed = zlib.compress(content)
    place = int(len(packed) * part)
    damaged = packed[:place] + b"\xff" * 40 + packed[place + 40 :]
    for data in (damaged, packed[:place]):
        found = terms_in(tmp_path, stream(TYPED, data))
        assert (found["number"], found["is_valid"]) == (None, False)
        (fault,) = found["faults"]
        assert fault["rule"] == "XML" and "wrong" in fault["detail"]
