"""The content type of a file, determined from its bytes."""
import gzip
import io
import zipfile

import pytest

from eventapi.domain.attachments.content_types import detect


def archive(*entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in entries:
            packed.writestr(name, data)
    return file.getvalue()[:512]


WORD = [("[Content_Types].xml", "<Types/>"), ("_rels/.rels", ""), ("word/document.xml", "<w/>")]
OPEN_TEXT = [("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "<c/>")]


@pytest.mark.parametrize("head, kind", [
    (b"%PDF-1.7\n%\xe2\xe3", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"), (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
    (b"GIF89a\x01\0\x01\0", "image/gif"), (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    (b"RIFF\x10\0\0\0WAVEfmt ", "application/octet-stream"),
    (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
    (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn by hand --><svg onload="alert(1)">', "image/svg+xml"),
    (b'<?xml version="1.0"?><order/>', "text/xml"),
    (b"<!DOCTYPE html><title>x", "text/html"), (b"   \n<script>alert(1)</script>", "text/html"),
    (b"Hello <b>you</b>", "text/html"),
    (archive(("a.txt", "a")), "application/zip"), (archive(), "application/zip"),
    (archive(*WORD), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (archive(*OPEN_TEXT), "application/vnd.oasis.opendocument.text"),
    (archive(("mimetype", "text/html")), "application/zip"),
    (b"a;b;c\n1;2;3\n4;5;6\n", "text/csv"), (b'a,b\n"x, y",2\n', "text/csv"),
    (b"Dear Sir,\nthank you.\n", "text/plain"),
    ("Grüße aus Köln\n".encode(), "text/plain"), ("\ufeffGrüße".encode("utf-16-le"), "text/plain"),
    (("x" * 511 + "ü").encode()[:512], "text/plain"),
    ("Grüße".encode("latin-1"), "application/octet-stream"), (b"", "text/plain"),
    (b"MZ\x90\0\x03", "application/octet-stream"),
    (gzip.compress(b"x", mtime=0), "application/octet-stream"), (b"\x7fELF\x02", "application/octet-stream"),
    (b"nul \0 here", "application/octet-stream"),
])
def test_the_content_type_is_determined_from_the_bytes(head, kind):
    assert detect(head) == kind


def test_a_polyglot_has_the_type_of_its_first_bytes():
    assert detect(b"GIF89a/*<script>alert(1)</script>*/") == "image/gif"
    assert detect(b"%PDF-1.4 <html><script>alert(1)</script>") == "application/pdf"
    assert detect(b" %PDF-1.4 <html>") == "text/html"
