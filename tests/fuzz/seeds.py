"""Where the fuzzer begins: valid inputs of each target, and words of the service to put into
others.
"""

import io
import re
import zipfile
import zlib
from pathlib import Path

from eventapi.domain.attachments import placeholders
from eventapi.domain.einvoices import cii, ubl
from eventapi.domain.halls import formulas
from eventapi.reference.document import document
from eventapi.storage.database import as_json
from eventapi.validation import examples
from eventapi.validation.schema_files import document as schema
from eventapi.validation.schema_files import resource_names
from tests.fuzz.targets import LISTED, WRITABLE
from tests.support import camt, einvoices
from tests.support.images import jpeg, png

E_INVOICES = Path(__file__).parents[1] / "resources/e_invoices"
CSV = 'E-Mail;Firma;Tags\r\nada@example.org;Müller & Söhne;a|b\r\n"x";"a""b\r\n";=1+1\r\n'
MARKUP = (
    "<h1>A &amp; B</h1><p>{{contact.name}} <strong>x</strong><br>{{metadata.a}}</p><ul><li>1</li></ul>"
    "<table><tr><th>a</th><td>b<ol><li>c</li></ol></td></tr></table>"
)
XML = (
    '<?xml version="1.0"?><D xmlns="urn:a" xmlns:b="urn:b"><!-- c --><H b:i="1">ä &amp; b</H>'
    "<b:H><![CDATA[<]]></b:H></D>"
)
PART = {
    "amount": 100,
    "day": "2025-03-04",
    "party": "A",
    "text": ["INV-20", "25-00001"],
    "rf": "RF18539007547034",
}
ENTRIES = [
    {**PART, "bank_reference": "R1", "iban": "DE89370400440532013000"},
    {**PART, "amount": -100, "reason": "AC01"},
    {**PART, "status": "PDNG"},
    {**PART, "amount": 0},
    {"amount": 200, "day": "2025-03-05", "parts": [PART, PART]},
    {**PART, "description": "words", "addition": "of the bank INV-1"},
    {**PART, "sent": "CHF 1.10", "is_timestamp": True, "is_reversal": True},
]
CAMT = [
    camt.document([camt.statement("DE02120300000000202051", ENTRIES, version=version)], version)
    for version in ("02", "08")
]
SPARKASSE = (
    "Auftragskonto;Buchungstag;Valutadatum;Verwendungszweck;Beguenstigter/Zahlungspflichtiger;"
    "Kontonummer/IBAN;Betrag;Waehrung;Info\n"
    "DE02120300000000202051;05.12.25;08.12.25;EREF+E1SVWZ+INV-1 für;Söhne;"
    "DE89370400440532013000;2.960,02;EUR;Umsatz gebucht\n"
)
COMDIRECT = (
    '"Neuer Kontostand";"5.119,00 EUR";\n\n"Buchungstag";"Wertstellung (Valuta)";"Vorgang";"Buchungstext";'
    '"Umsatz in EUR";\n"20.11.2026";"20.11.2026";"Übertrag";"Auftraggeber: Farn Buchungstext: R 4711";'
    '"119,00";\n"offen";"--";"Karte";"Buchungstext: Text";"-23,86";\n"Alter Kontostand";"5.000,00 EUR";\n'
)
OWN_ROWS = (
    "Datum;Text;Betrag\n20.11.2026;Farn;1.190,00\n;Rest;\n21.11.2026;B;-7\nTotal;;1183\n\nNote\n"
)
CONTACT = {
    "email": "ada@example.org",
    "company_name": "A",
    "tags": ["x"],
    "custom_fields": {"size": 1},
}


def seeds(name):
    """Return the inputs from which a target begins."""
    return [text.encode() if isinstance(text, str) else text for text in SEEDS[name]()]


def words():
    """Return words of the service as the values of a libFuzzer dictionary, in ASCII."""
    found = {
        "\\\\ud800",
        "\\\\u0000",
        "1E+30",
        "-0.0",
        "NaN",
        "9223372036854775808",
        "sep=;",
        "{{",
        "}}",
        "&#x0;",
        "2026-03-29T02:30:00+02:00",
        "Infinity",
        "\\xff\\xfe",
        "\\xef\\xbb\\xbf",
        "\\xe2\\x80\\xa8",
        "\\x1f",
        '\\"',
        "\\x0d\\x0a",
        "%00",
        "%ed%a0%80",
        "bytes=0-1",
        'W/\\"',
        "q=0",
    }
    for name in resource_names():
        found.update(schema(name)["properties"])
    return sorted(found | formulas.VARIABLES.keys() | placeholders.KNOWN.keys())


def packed(text):
    """Return a ZIP with one file."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.csv", text)
    return target.getvalue()


def _bodies():
    return [
        bytes([place]) + as_json(examples.body(name, "POST") or {}).encode()
        for place, name in enumerate(WRITABLE)
    ]


def _queries():
    return [
        bytes([place])
        + b"page=2&per_page=5&order=desc&ids=1,2&updated_since=2026-05-01T00:00:00Z&sort=id&after="
        for place, _ in enumerate(LISTED)
    ]


def _requests():
    """Return a request for each operation of the API reference."""
    found = []
    for path, operations in document(None)["paths"].items():
        for method, operation in operations.items():
            media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            body = as_json(media["example"]) if "example" in media else ""
            place = re.sub(r"{[^}]*}", "1", path)
            found.append(
                f"{method.upper()} {place}?\nAccept: */*\nPrefer: return=minimal\n\n{body}"
            )
    return found


def hybrid_pdf(content, is_packed):
    """Return a PDF with an embedded file, as far as the search for it is concerned."""
    filters = b" /Filter /FlateDecode" if is_packed else b""
    return (
        b"%PDF-1.7\n7 0 obj\n<< /Type /EmbeddedFile"
        + filters
        + b" >>\nstream\n"
        + (zlib.compress(content) if is_packed else content)
        + b"\nendstream\nendobj\n"
    )


SEEDS = {
    "json_body": _bodies,
    "query": _queries,
    "request": _requests,
    "cursor": lambda: ['[1,"name","ASC","x",5]', '"x",5', "null,5", "1.5,5"],
    "csv_file": lambda: [
        CSV,
        "sep=,\n" + CSV.replace(";", ","),
        CSV.encode("utf-16"),
        CSV.encode("cp1252"),
        b"\xef\xbb\xbf" + CSV.encode(),
    ],
    "csv_text": lambda: ['=1+1\x1f-5\x1f+49 341 1\x1f\'x\x1fa|b\\c\x1fa,b\x1f"q"\r\n'],
    "formula": lambda: [
        "IF({booth_size} >= 20 AND {open_sides} > 2, MAX({booth_size} * 180, 4000), {days} * 25) * "
        "(1 - 5%)",
        "ROUND(-{field:a} / 3, -2) <> MIN(1, 2) OR NOT 1 = 2",
    ],
    "markup": lambda: [MARKUP],
    "document": lambda: [f"Titel\x1fMüller\x1f{MARKUP}"],
    "placeholder": lambda: ['{"a": 1, "b": "x", "c": 1.5, "d": null, "e": true, "f": -1E+30}'],
    "calendar": lambda: ["Title, a;b\\n\x1fHall 1\x1fText\n\r\nmore " + "ä" * 80],
    "import": lambda: [
        "\0"
        + as_json(
            {
                "records": [CONTACT, {**CONTACT, "email": "b@example.org"}],
                "skip_on_error": True,
                "dry_run": False,
                "mode": "upsert",
                "match_field": "email",
                "field_mapping": {"Firma": "company_name"},
            }
        ),
        "\1" + CSV,
        b"\1" + CSV.encode("utf-16"),
    ],
    "moment": lambda: [
        "2026-05-01",
        "2026-03-29T02:30:00.5+02:00",
        "23:59",
        "Europe/Berlin",
        "ada@example.org",
        "https://example.org/x",
        "de-AT",
    ],
    "amount": lambda: ["12.50", "-1E+3", "999999999999.99", "0.0001"],
    "webhook_url": lambda: [
        "https://example.org:8443/a?b=c",
        "https://[2001:db8::7]/",
        "http://127.1/",
    ],
    "header": lambda: [
        "text/csv;q=0.5, */*;q=0.1",
        "bytes=0-99",
        "de-AT, en;q=0.5",
        "127.0.0.1, ::1",
        "bytes=-5",
    ],
    "file": lambda: [
        png(3, 2),
        jpeg(),
        b"GIF89a\1\0\1\0\0\0\0",
        b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0" + bytes(10),
        b"%PDF-1.4",
        b"PK\x03\x04" + bytes(22) + b"\x13\0\0\0[Content_Types].xml",
        CSV,
        b"<svg xmlns=''/>",
    ],
    "statement": lambda: (
        CAMT
        + [
            data.replace(b"BkToCstmrStmt", b"BkToCstmrAcctRpt").replace(b"Stmt>", b"Rpt>")
            for data in CAMT
        ]
        + [SPARKASSE, SPARKASSE.encode("cp1252"), packed(SPARKASSE), COMDIRECT]
    ),
    "own_statement": lambda: [
        OWN_ROWS,
        OWN_ROWS.replace("1.190,00", "9'766.50").replace("20.11.2026", "30/12/2025"),
        OWN_ROWS.replace(";", ","),
        packed(OWN_ROWS),
    ],
    "statement_preview": lambda: [
        OWN_ROWS,
        "\n".join(OWN_ROWS.splitlines()[1:]),
        OWN_ROWS.replace(";", ","),
        packed(OWN_ROWS),
        SPARKASSE,
        CAMT[0],
        "Started Date,State,Amount\n2026-10-01 09:12:33,COMPLETED,1190.00\n",
    ],
    "hybrid": lambda: (
        [
            hybrid_pdf(writer.write(einvoices.document(5)), is_packed)
            for writer in (cii, ubl)
            for is_packed in (False, True)
        ]
        + [path.read_bytes() for path in sorted(E_INVOICES.glob("*.pdf"))]
    ),
    "e_invoice": lambda: (
        [writer.write(einvoices.document(seed)) for seed in range(4) for writer in (cii, ubl)]
        + [path.read_bytes() for path in sorted(E_INVOICES.glob("*.xml"))]
    ),
    "xml": lambda: [
        XML,
        XML.encode("utf-16"),
        XML.replace("?>", ' encoding="windows-1252"?>', 1).encode("cp1252"),
    ],
}
