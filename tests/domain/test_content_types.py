"""The content type of a file, determined from its bytes."""

import gzip
import io
import zipfile

import pytest

from eventapi.domain.attachments.content_types import detect, fits
from eventapi.storage import files
from tests.support.office import libreoffice_file, word_file


def archive(*entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in entries:
            packed.writestr(name, data)
    return file.getvalue()[:512]


WORD = [("[Content_Types].xml", "<Types/>"), ("_rels/.rels", ""), ("word/document.xml", "<w/>")]
OPEN_TEXT = [("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "<c/>")]


@pytest.mark.parametrize(
    "head, kind",
    [
        (b"%PDF-1.7\n%\xe2\xe3", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\x01\0\x01\0", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", "application/octet-stream"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (
            b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn by hand --><svg onload="alert(1)">',
            "image/svg+xml",
        ),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"' + b" " * 500,
            "image/svg+xml",
        ),
        (b'<?xml version="1.0"?><order/>', "text/xml"),
        (b"<!DOCTYPE html><title>x", "text/html"),
        (b"   \n<script>alert(1)</script>", "text/html"),
        (b"Hello <b>you</b>", "text/html"),
        (archive(("a.txt", "a")), "application/zip"),
        (archive(), "application/zip"),
        (archive(*WORD), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (archive(*OPEN_TEXT), "application/vnd.oasis.opendocument.text"),
        (archive(("mimetype", "text/html")), "application/zip"),
        (b"a;b;c\n1;2;3\n4;5;6\n", "text/csv"),
        (b'a,b\n"x, y",2\n', "text/csv"),
        (b"Dear Sir,\nthank you.\n", "text/plain"),
        ("Grüße aus Köln\n".encode(), "text/plain"),
        ("\ufeffGrüße".encode("utf-16-le"), "text/plain"),
        (("x" * 511 + "ü").encode()[:512], "text/plain"),
        ("Grüße".encode("latin-1"), "application/octet-stream"),
        (b"", "text/plain"),
        (b"MZ\x90\0\x03", "application/octet-stream"),
        (gzip.compress(b"x", mtime=0), "application/octet-stream"),
        (b"\x7fELF\x02", "application/octet-stream"),
        (b"nul \0 here", "application/octet-stream"),
    ],
)
def test_the_content_type_is_determined_from_the_bytes(head, kind):
    assert detect(head) == kind


def test_a_polyglot_has_the_type_of_its_first_bytes():
    assert detect(b"GIF89a/*<script>alert(1)</script>*/") == "image/gif"
    assert detect(b"%PDF-1.4 <html><script>alert(1)</script>") == "application/pdf"
    assert detect(b" %PDF-1.4 <html>") == "text/html"


SIGNATURES = {  # extension -> how such a file begins, by the specification of the format
    "pdf": b"%PDF-1.4",
    "png": b"\x89PNG\r\n\x1a\n",
    "jpg": b"\xff\xd8\xff\xe1",
    "gif": b"GIF87a",
    "webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'>",
    "zip": archive(("a", "a")),
    "docx": archive(*WORD),
    "odt": archive(*OPEN_TEXT),
    "tif": b"II*\0\x08\0\0\0",
    "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n",
    "psd": b"8BPS\0\x01",
    "mp4": b"\0\0\0\x20ftypisom",
    "mov": b"\0\0\0\x14ftypqt  ",
    "mp3": b"ID3\x04\0",
    "doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "rtf": b"{\\rtf1\\ansi",
    "heic": b"\0\0\0\x18ftypheic",
    "bmp": b"BM\x36\0",
}


# Formats that are also a file of another format: an office document is a ZIP, and a PDF can be an
# Illustrator file.
ALSO = {"docx": ["zip"], "odt": ["zip"]}


@pytest.mark.parametrize("extension", SIGNATURES)
def test_a_file_fits_only_the_extension_of_its_format(extension):
    head = SIGNATURES[extension]
    assert {name for name in SIGNATURES if fits(name, head)} == {
        extension,
        *ALSO.get(extension, []),
    }


@pytest.mark.parametrize(
    "file, extension",
    [
        (word_file(), "docx"),
        (word_file("xl/"), "xlsx"),
        (word_file("ppt/"), "pptx"),
        (libreoffice_file(), "docx"),
    ],
)
def test_office_files_are_recognised_by_late_entries(file, extension):
    head = file[: files.HEAD]
    assert {name for name in ("docx", "xlsx", "pptx", "odt", "pdf", "png") if fits(name, head)} == {
        extension
    }
    assert "openxmlformats" in detect(head)


def test_a_long_list_of_parts_hides_the_kind_of_an_office_file_but_not_that_it_is_one():
    head = word_file("ppt/", overrides=1000)[: files.HEAD]
    assert detect(head) == "application/zip" and fits("pptx", head) and not fits("odt", head)


def test_a_late_tag_does_not_make_a_text_html():
    assert detect(b"a line of a text\n" * 40 + b"<b>bold</b>") == "text/plain"


@pytest.mark.parametrize(
    "extension, head, expected",
    [
        ("jpeg", SIGNATURES["jpg"], True),
        ("ai", b"%PDF-1.4", True),
        ("ai", b"%!PS-Adobe", True),
        ("ai", b"GIF87a", False),
        ("svg", b"<?xml version='1.0'?><!-- " + b"x" * 600, True),
        ("svg", b"<!doctype html><svg>", False),
        ("svg", b"<script>alert(1)</script>", False),
        ("txt", b"a;b\n1;2\n", True),
        ("csv", b"one line", True),
        ("csv", b"MZ\x90\0", False),
        ("txt", b"%PDF-1.4", False),
        ("xyz", b"\x01\x02", True),
        ("xyz", b"a text", True),
        ("xyz", b"%PDF-1.4", False),
        ("xyz", b"GIF87a", False),
        ("", b"\x01\x02", True),
        ("png", b"", False),
        ("txt", "Grüße".encode("cp1252"), True),
        ("csv", "Straße;100 €\n".encode("cp1252"), True),
        ("png", "Grüße".encode("cp1252"), False),
        ("txt", gzip.compress(b"x" * 99, mtime=0), False),
        ("csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", False),
    ],
)
def test_extensions_fit_contents(extension, head, expected):
    assert fits(extension, head) is expected
