"""What a bulk import reads: CSV as spreadsheets write it, or JSON with a record on each line; record by record, in bounded memory."""
import codecs
import csv
import json
from decimal import Decimal
from itertools import islice

from eventapi.errors import fault, invalid
from eventapi.validators import pointer

MOST_COLUMNS = 500
LONGEST_LINE = 1024 * 1024          # characters
LONGEST_CELL = 128 * 1024
SEPARATORS = ";,\t"
ENCODINGS = ("utf-8-sig", "windows-1252")
PIECE = 64 * 1024
# Columns that we add to rejected records, and overlook when these are sent again.
REASONS = ("rejected_index", "rejected_because")


class Unreadable(Exception):
    """The source is no CSV that we can read; the argument says why."""


# CSV

def understand(path):
    """How the CSV at `path` is to be read: encoding, separator, columns and number of records; 422 where it cannot be."""
    try:
        form = {"kind": "csv", "encoding": _encoding(path)}
        form["separator"] = _separator(next(_lines(path, form["encoding"]), ""))
        form["columns"] = [name.strip() for name in next(_rows(path, form), [])]
        _check_columns(form["columns"])
        return form, sum(1 for _ in cells(path, form))
    except Unreadable as error:
        raise invalid([fault("unreadable", str(error), pointer="")]) from None


def _encoding(path):
    """UTF-8 where all of it is, else Windows-1252."""
    for encoding in ENCODINGS:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with open(path, "rb") as file:
                while piece := file.read(PIECE):
                    if b"\0" in piece:
                        raise Unreadable("holds NUL, so it is no text in UTF-8 or Windows-1252; save it as CSV in UTF-8")
                    decoder.decode(piece)
                decoder.decode(b"", True)
            return encoding
        except UnicodeDecodeError:
            continue            # the next one may fit
    raise Unreadable("is neither UTF-8 nor Windows-1252; save it as CSV in UTF-8")


def _separator(line):
    """The one that stands most often in the header, outside of quotes."""
    plain = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=plain.count) if any(map(plain.count, SEPARATORS)) else ","


def _lines(path, encoding):
    with open(path, encoding=encoding, newline="") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise Unreadable(f"line {number} has more than {LONGEST_LINE} characters")
            yield line


def _rows(path, form):
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(_lines(path, form["encoding"]), delimiter=form["separator"], strict=True)
    try:
        yield from reader
    except csv.Error as error:
        raise Unreadable(f"line {reader.line_num} is no CSV: {error}; is a quotation mark missing?") from None


def _check_columns(columns):
    if not any(columns):
        raise Unreadable("has no header: the first line must name the columns")
    if len(columns) > MOST_COLUMNS:
        raise Unreadable(f"has {len(columns)} columns; at most {MOST_COLUMNS} are read")
    twice = sorted({name for name in columns if name and columns.count(name) > 1})
    if twice:
        raise invalid([fault("repeated", "names two columns", pointer=pointer([name[:100]])) for name in twice])


def cells(path, form):
    """The rows below the header, as lists of texts; empty lines are left out."""
    return (row for row in islice(_rows(path, form), 1, None) if any(row))


# Both

def records(path, form, start=0):
    """(index, record as it was sent) from an index on: a list of texts of a CSV, else an object."""
    rows = cells(path, form) if form["kind"] == "csv" else _objects(path)
    return islice(enumerate(rows), start, None)


def _objects(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line, parse_float=Decimal)
