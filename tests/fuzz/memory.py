"""Parse hostile files of every kind with 256 MB more memory than the program has at its start.

`python -m tests.fuzz.memory` prints a line for each file that needs more, and raises what a parser
should not raise.
"""

import io
import resource
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path

from eventapi import images, markup
from eventapi.domain.attachments import content_types
from eventapi.domain.bank import archives
from eventapi.domain.einvoices import received
from eventapi.domain.imports import files as imports
from eventapi.errors import Faults, Problem
from eventapi.validation import xml_documents
from eventapi.web import json_bodies
from tests.support.images import png

MEMORY = 256_000_000
UBL = (
    b'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:u="%s">%%s</Invoice>'
    % (b"u" * 300)
)
CAMT = b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>%s</BkToCstmrStmt></Document>'
LONG_NAMES = b'<b xmlns="' + b"u" * 20_000 + b'">' + b"<a/>" * 100_000 + b"</b>"
COLUMNS = (
    "Buchungstag;Wertstellung;Buchungstext;Auftraggeber / Begünstigter;Verwendungszweck;Kontonummer;BLZ;"
    "Betrag (EUR)"
)


def xml_files():
    many = b"".join(b"<u:b%05d u:c=''/>" % number for number in range(149_000))
    yield "long namespaces", UBL % LONG_NAMES
    yield (
        "a very long namespace",
        UBL % (b'<b xmlns="' + b"u" * 190_000 + b'">' + b"<a/>" * 4_000 + b"</b>"),
    )
    yield "different names", UBL % many
    yield "many elements", UBL % (b"<u:b/>" * 299_000)
    yield "many attributes", UBL % (b"<b c='' d='' e='' f=''/>" * 50_000)
    yield "much text", UBL % ("😀".encode() * 1_200_000)
    yield "long attributes", UBL % ((b"<a b='" + b"x" * 190_000 + b"'/>") * 25)
    yield (
        "many lines",
        UBL
        % (
            b"<cac:InvoiceLine xmlns:cac='urn:oasis:names:specification:ubl:schema:xsd:"
            b"CommonAggregateComponents-2'/>" * 4_900
        ),
    )


def statements():
    entries = (
        b'<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-05-04</Dt>'
        b"</BookgDt><NtryDtls><TxDtls><RmtInf><Ustrd>%s</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>"
    )
    yield "long namespaces", CAMT % LONG_NAMES
    yield (
        "long namespaces in entries",
        CAMT % (b"<Stmt>%s</Stmt>" % LONG_NAMES.replace(b"<a/>", b"<Ntry/>")),
    )
    yield (
        "different names outside of entries",
        CAMT % b"".join(b"<a%07d/>" % number for number in range(3_000_000)),
    )
    yield (
        "different prefixes",
        CAMT % b"".join(b"<a xmlns:a%07d='b'/>" % number for number in range(1_000_000)),
    )
    yield (
        "entries with much text",
        CAMT % (b"<Stmt>" + entries % (b"x" * 1_100) * 40_000 + b"</Stmt>"),
    )
    yield (
        "statements without entries",
        CAMT % (b"<Stmt><Bal><Amt Ccy='EUR'>1</Amt></Bal></Stmt>" * 60_000),
    )


def zips():
    for name, content in (
        ("long namespaces", CAMT % LONG_NAMES),
        ("zeros", bytes(70_000_000)),
        ("spaces", CAMT % (b" " * 55_000_000)),
    ):
        yield name, packed(content)
    yield "one in the other", packed(packed(packed(CAMT % LONG_NAMES)))


def packed(content, number=1):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in range(number):
            archive.writestr(f"{place}.xml", content)
    return target.getvalue()


def pdfs():
    for name, content in (
        ("long namespaces", UBL % LONG_NAMES),
        ("zeros", bytes(100_000_000)),
        ("spaces behind the root", UBL % (b" " * 100_000_000)),
    ):
        stream = (
            b"1 0 obj\n<< /Type /EmbeddedFile /Filter /FlateDecode >>\nstream\r\n"
            + zlib.compress(content)
            + b"\nendstream\nendobj\n"
        )
        yield name, b"%PDF-1.7\n" + stream * 20
    yield "marks", b"%PDF-1.7\nobj /EmbeddedFile stream\n" * 700_000
    yield "objects", b"%PDF-1.7\n/EF<</F 7 0 R>>" + b"7 0 obj>>stream\n" * 1_000_000
    yield "names", b"%PDF-1.7\n" + b"obj (factur-x.xml) /EF<</F 1 0 R " * 700_000


def csv_files():
    yield "one long line", b'"' + b"a" * 19_000_000
    yield "separators", b";" * 19_000_000
    yield "empty lines", b"\n" * 19_000_000
    yield "an emoji and empty lines", "😀".encode() + b"\n" * 19_000_000
    yield (
        "an emoji, columns and rows",
        "😀\n".encode() + COLUMNS.encode() + b"\n" + b"a;b;c;d;e;f;g;h\n" * 1_100_000,
    )


def json_bodies_():
    yield "arrays", b"[" * 1_000_000
    yield "members", b"{" + b",".join(b'"a%06d":1' % number for number in range(90_000)) + b"}"
    yield "values", b"[" + b"1," * 500_000 + b"1]"
    yield "a number", b"9" * 1_000_000


def pictures():
    yield (
        "60,000 by 60,000 pixels",
        png(1, 1)[:16] + struct.pack(">II", 60_000, 60_000) + png(1, 1)[24:],
    )
    length = struct.pack(">I", 0xFFFFFFF0)
    yield (
        "a chunk of 4 GB",
        b"\x89PNG\r\n\x1a\n" + length + b"IHDR" + struct.pack(">II", 1, 1) + bytes(90),
    )
    yield "zeros", b"\x89PNG\r\n\x1a\n" + bytes(1_000_000)


def texts():
    for part in (b"<p>", b"<", b"&amp;", b"{{a}}", b"<b>x</b>", b"<table><tr><td>"):
        yield f"{part.decode()} again and again", part * (200_000 // len(part))


KINDS = {
    "XML": (xml_files, lambda path: list(received.parse(path.open("rb"), None))),
    "XML by elements": (xml_files, lambda path: list(xml_documents.iterate(path.open("rb"), "a"))),
    "camt": (statements, lambda path: list(archives.read(path.open("rb")))),
    "ZIP": (zips, lambda path: list(archives.read(path.open("rb")))),
    "PDF": (pdfs, lambda path: list(received.parse(path.open("rb"), None))),
    "CSV of a bank": (csv_files, lambda path: list(archives.read(path.open("rb")))),
    "CSV of an import": (
        csv_files,
        lambda path: [None for _ in imports.records(path, imports.read_form(path)[0])],
    ),
    "JSON": (json_bodies_, lambda path: json_bodies.parse(path.read_bytes())),
    "PNG": (pictures, lambda path: images.load(path.read_bytes())),
    "content type": (texts, lambda path: content_types.detect(path.read_bytes())),
    "markup": (
        texts,
        lambda path: markup.to_html(markup.parse(path.read_text(), Faults(), "/body")),
    ),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for kind, (examples, parse) in KINDS.items():
            for name, content in examples():
                path = Path(folder, str(len(cases)))
                path.write_bytes(content)
                cases.append((f"{kind}, {name}", path, parse))
        del content
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        for name, path, parse in cases:
            try:
                parse(path)
            except (ValueError, Problem):
                pass
            except MemoryError:
                print(
                    f"{name}: {path.stat().st_size} bytes need more than {MEMORY} bytes of memory"
                )


if __name__ == "__main__":
    main()
