"""The export for a tax audit (GoBD, access Z3): a ZIP file with CSV tables, their description, and
the e-invoices.

It is made from one snapshot of the database and in pieces, so that it does not grow with the number
of invoices, and writes go on meanwhile.
"""

import json
import re
import zipfile
import zlib
from hashlib import sha256
from tempfile import TemporaryFile

from eventapi import __version__, money, times
from eventapi.domain.books import ledger, tables
from eventapi.domain.books.tables import PLACES, TABLES
from eventapi.domain.records import numbering
from eventapi.spreadsheet import escape_formula
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("audit_export")

BATCH = 500  # rows that are compressed at a time
CHUNK = 64 * 1024  # bytes of a file that are read at a time
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
README = """Export für eine Außenprüfung (GoBD, Datenzugriff Z3)

index.xml beschreibt die Tabellen nach dem Beschreibungsstandard für die Datenträgerüberlassung. Prüfprogramme erwarten
daneben die Datei gdpdu-01-09-2004.dtd der Finanzverwaltung, die dieser Export nicht enthält: legen Sie sie dazu.

Tabellen: CSV in UTF-8, Semikolon, Komma als Dezimalzeichen, Daten als TT.MM.JJJJ in der Zeitzone {timezone}.
Vor einem Text, den ein Tabellenprogramm als Formel ausführen würde, steht ein Apostroph.
e_invoices: die E-Rechnungen (EN 16931), wie sie versandt wurden.
supplier_invoices: die E-Rechnungen von Lieferanten, wie sie eingegangen sind.
manifest.json: SHA-256, Größe und Zeilenzahl jeder Datei, und der Abgleich der Konten mit den anderen Berichten.
"""


class Archive:
    """A ZIP file that is written, with the entry of each file in the manifest."""

    def __init__(self, target):
        self.zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.entries = []

    def add(self, name, pieces, rows=None):
        """Add a file.

        `pieces` yields its bytes; `rows` is a list whose first value is the number of its rows.
        """
        digest, size = sha256(), 0
        with self.zip.open(name, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        entry = {"name": name, "size": size, "sha256": digest.hexdigest()}
        self.entries.append({**entry, "rows": rows[0]} if rows else entry)


def written(db, year, *, with_pdf=False):
    """Write the export of a year to an unnamed file.

    Return it, open at its beginning, and its size.

    The file lies in the data directory, because /tmp may be in memory.
    """
    first, last = f"{year:04}-01-01", f"{year:04}-12-31"
    db.config.files.mkdir(exist_ok=True)
    file = TemporaryFile("w+b", dir=db.config.files)
    try:
        with db.snapshot():
            _write(db, file, first, last, with_pdf)
        size = file.tell()
        file.seek(0)
        return file, size
    except BaseException:
        file.close()
        raise


def pieces(file):
    """Yield the content of an open file, and close it."""
    with file:
        while piece := file.read(CHUNK):
            yield piece


def _write(db, file, first, last, with_pdf):
    archive, days = Archive(file), ledger.span(db.config, first, last)
    currencies = {*db.values(sql.currencies), *db.values(sql.bank_currencies)}
    places = max([2, *map(money.decimals, currencies)])
    accounts = ledger.accounts(db, first, last)
    archive.add("index.xml", [tables.document(db.config, TABLES.values(), first, last, places)])
    archive.add("liesmich.txt", [README.format(timezone=db.config.timezone).encode()])
    for name, rows in _rows(db, days, accounts).items():
        count = [0]
        archive.add(
            f"{name}.csv", _csv(TABLES[name], rows, places, db.config.timezone, count), count
        )
    for row in db.iterate(sql.e_invoices, first=first, last=last):
        archive.add(f"e_invoices/{_file_name(row)}.xml", [zlib.decompress(row["document"])])
    for row in db.iterate(sql.pdfs, first=first, last=last) if with_pdf else ():
        archive.add(f"pdf/{_file_name(row)}.pdf", _stored(db.config, row["pdf_sha256"]))
    for row in db.iterate(sql.supplier_invoices, **days):
        name = f"{row['document_id']}-{UNSAFE.sub('_', row['filename'] or '')[-80:]}"
        archive.add(f"supplier_invoices/{name}", _stored(db.config, row["sha256"]))
    archive.zip.writestr("manifest.json", as_json(_manifest(db, archive, accounts, first, last)))
    archive.zip.close()


def _rows(db, days, accounts):
    """Return {table: rows}.

    The rows of large tables are read from the database as they are written.
    """
    of_year = {"first": days["first"], "last": days["last"]}
    of_time = {"begins": days["begins"], "ends": days["ends"]}
    numbers = as_json(sorted({row["customer_number"] for row in accounts} - {None}))
    year = int(days["first"][:4])
    series = [
        {**row, "gaps": as_json(row["gaps"]) if row["gaps"] else None}
        for row in numbering.series(db)
        if row["year"] == year
    ]
    return {
        "invoices": db.iterate(sql.invoices, **of_year),
        "invoice_lines": db.iterate(sql.invoice_lines, **of_year),
        "invoice_taxes": db.iterate(sql.invoice_taxes, **of_year),
        "payments": db.iterate(sql.payments, **of_time),
        "refunds": db.iterate(sql.refunds, **of_time),
        "moves": db.iterate(sql.moves, **of_time),
        "write_offs": db.iterate(sql.write_offs, **of_time),
        "letters": db.iterate(sql.letters, **of_year),
        "supplier_invoices": db.iterate(sql.supplier_invoices, **days),
        "customers": db.iterate(sql.customers, numbers=numbers, last=days["last"]),
        "ledger": accounts,
        "number_series": series,
        "periods": db.iterate(sql.periods, **of_year),
        "bank_transactions": db.iterate(sql.bank_transactions, **of_year),
        "audit_log": db.iterate(sql.audit_log, **of_time),
    }


def _file_name(row):
    """Return the name of the file of an invoice.

    The id keeps names apart whose letters were replaced.
    """
    return f"{UNSAFE.sub('_', row['invoice_number'])[:80]}-{row['id']}"


def _stored(config, digest):
    with files.opened(files.path(config, digest)) as content:
        while piece := content.read(CHUNK):
            yield piece


def _manifest(db, archive, accounts, first, last):
    """Return the manifest: each file with its hash, and the proof that the accounts agree with the
    other reports.
    """
    return {
        "program": f"eventapi {__version__}",
        "generated_at": times.now(),
        "organiser": db.config.organiser_name,
        "date_from": first,
        "date_to": last,
        "timezone": db.config.timezone,
        "currency": db.config.currency,
        "files": archive.entries,
        "proof": ledger.proof(db, ledger.totals(accounts), first, last),
    }


# CSV


def _csv(table, rows, places, zone, count):
    """Yield a table as bytes, and count its rows in the first value of the list `count`."""
    columns = sorted(table.columns, key=lambda column: not tables.is_key(column))
    yield _line(f'"{column.name}"' for column in columns)
    formats = [(column.name, _format(column.kind, places, zone)) for column in columns]
    lines = []
    for row in rows:
        lines.append(_line(form(row[name], row) for name, form in formats))
        count[0] += 1
        if len(lines) == BATCH:
            yield b"".join(lines)
            lines.clear()
    yield b"".join(lines)


def _line(cells):
    return f"{';'.join(cells)}\r\n".encode()


def _format(kind, places, zone):
    """Return the function (value, row) that returns the cell of a column."""
    if kind == "money":
        return lambda value, row: _number(value, money.decimals(row["currency"]), places)
    if kind in PLACES:
        return lambda value, row: _number(value, PLACES[kind], PLACES[kind])
    if kind == "day":
        return lambda value, row: tables.german(times.local_date(value, zone)) if value else ""
    return lambda value, row: _text(value)


def _number(units, decimals, places):
    """Return units of 10^-decimals as a number with a decimal comma and this number of places."""
    if units is None:
        return ""
    sign, digits = "-" if units < 0 else "", f"{abs(units):0{decimals + 1}}"
    whole, fraction = digits[: len(digits) - decimals], digits[len(digits) - decimals :]
    return f"{sign}{whole},{fraction:0<{places}}" if places else f"{sign}{whole}"


def _text(value):
    """Return a text in quotes, on one line: a line break would end the record for some programs.

    A formula is escaped as in other CSV, because tax offices open the tables in spreadsheet
    programs as well.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return '"' + escape_formula(BREAKS.sub(" ", text)).replace('"', '""') + '"'
