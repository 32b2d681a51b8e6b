"""Invoices of ZUGFeRD 1 are not read, and a warning says so."""

import zlib
from pathlib import Path

import pytest

from eventapi.domain.einvoices import cii, reading, received
from tests.resources.test_unchecked_e_invoices import supplier, upload
from tests.support.einvoice_mutations import taxed

__all__ = ("supplier",)
FILES = Path(__file__).parent / "e_invoices"
XML = (FILES / "f22_zugferd_1.xml").read_bytes()
PDF = (FILES / "f22_zugferd_1.pdf").read_bytes()
PRECURSOR = b'<rsm:Invoice xmlns:rsm="urn:ferd:invoice:rc"><a/></rsm:Invoice>'
CURRENT = cii.write(taxed(number="R-4711"))


def attached(*contents):
    """Return a PDF with embedded files, the first of which has the name of ZUGFeRD 1."""
    named = b"1 0 obj\n<</Type/Filespec/F(ZUGFeRD-invoice.xml)/EF<</F 2 0 R>>>>\nendobj\n"
    streams = (
        b"%d 0 obj\n<</Type/EmbeddedFile/Filter/FlateDecode>>stream\n%s\nendstream\nendobj\n"
        % (number, zlib.compress(content))
        for number, content in enumerate(contents, start=2)
    )
    return b"%PDF-1.7\n" + named + b"".join(streams)


@pytest.mark.parametrize(
    "content",
    [XML, PDF, PRECURSOR, attached(XML), attached(XML[:-20]), XML.decode().encode("utf-16")],
    ids=["XML", "PDF", "precursor", "attached", "cut off", "UTF-16"],
)
def test_an_invoice_of_zugferd_1_is_no_e_invoice_and_says_why(organiser, supplier, content):
    found, warnings = upload(organiser, supplier, content)
    assert found is None
    assert [*warnings] == ["old_format"]
    assert "ZUGFeRD 1" in warnings["old_format"]
    assert "Ask the sender for ZUGFeRD 2 or for an XRechnung." in warnings["old_format"]


def test_the_file_of_zugferd_1_may_be_replaced_and_a_contract_has_no_warning(organiser, supplier):
    assert upload(organiser, supplier, PDF, is_contract=True) == (None, {})
    about = {"entity_type": "contact", "entity_id": supplier["id"], "filename": "a"}
    document = organiser.make("/documents", about)
    binary = {"Content-Type": "application/octet-stream"}
    for content in (XML, b"another file"):
        organiser.put(
            f"/documents/{document['id']}/content", raw=content, status=200, headers=binary
        )


@pytest.mark.parametrize("contents", [(XML, CURRENT), (CURRENT, XML)])
def test_of_an_old_and_a_current_invoice_in_a_pdf_the_current_one_is_read(tmp_path, contents):
    path = tmp_path / "a.pdf"
    path.write_bytes(attached(*contents))
    with path.open("rb") as file:
        found = next(received.parse(file, None))
    assert (found["e_invoice"]["number"], found["warnings"]) == ("R-4711", [])


@pytest.mark.parametrize(
    "content",
    [
        CURRENT,
        CURRENT.replace(b"Rabatt", b"urn:ferd:CrossIndustryDocument:invoice:1p0", 1),
        b"<a>urn:ferd:</a>",
        b"<CrossIndustryDocument xmlns='urn:other'/>",
        b"urn:ferd: <CrossIndustryDocument />",
        b"<!-- urn:ferd: --><CrossIndustryDocument />",
        b"<CrossIndustryDocument",
        b"",
    ],
)
def test_other_files_are_no_invoices_of_zugferd_1(content):
    assert not reading.is_old(content)
