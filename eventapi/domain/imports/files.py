"""What a bulk import reads: CSV as spreadsheets write it, or JSON with a record on each line; record by record, in bounded memory."""
import codecs
import csv
import json
import re
from decimal import Decimal
from itertools import islice

from eventapi.errors import fault, invalid, invalid_at
from eventapi.spreadsheet import unguarded
from eventapi.validation.messages import pointer

MOST_COLUMNS = 500
LONGEST_LINE = 1024 * 1024          # characters, of a row too: its cells may hold line breaks
LONGEST_CELL = 128 * 1024
SEPARATORS = ";,\t"
SAID = re.compile(r'"?sep=([;,\t])"?[;,\t]*\r?\n?', re.I)          # a first line by which Excel is told the separator
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
STRAY = re.compile("[\udc80-\udcff]")                              # a byte that is no UTF-8, as surrogateescape reads it
BEYOND = re.compile("[^\0-\x7f\udc80-\udcff]")
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
        form["separator"] = _separator(next((line for line in _lines(path, form["encoding"]) if line.strip(f"{SEPARATORS} \r\n")), ""))
        _, header = next(_rows(path, form), (0, []))
        form["columns"] = [unguarded(name.strip()) for name in header]
        _check_columns(form["columns"])
        return form, sum(1 for _ in cells(path, form))
    except Unreadable as error:
        raise invalid_at("", "unreadable", str(error)) from None


def _encoding(path):
    """UTF-16 where a mark at the beginning says so, UTF-8 where all of it is, else Windows-1252."""
    with open(path, "rb") as file:
        head = file.read(3)
    for encoding in ("utf-16",) if head[:2] in UTF_16 else ("utf-8-sig", "windows-1252"):
        if _fits(encoding, path):
            return encoding
        if encoding == "utf-8-sig" and (head == codecs.BOM_UTF8 or _is_mostly_utf_8(path)):
            raise Unreadable(f"is UTF-8, but line {_first_stray(path)} holds a byte that is none; save it anew as CSV in UTF-8")
    raise Unreadable("is neither UTF-8 nor Windows-1252; save it as CSV in UTF-8")


def _fits(encoding, path):
    try:
        if any("\0" in text for text in _texts(encoding, path)):
            raise Unreadable("holds NUL, so it is no text; save it as CSV in UTF-8")
        return True
    except UnicodeDecodeError:
        return False


def _texts(encoding, path, errors="strict"):
    """The text of a file, piece by piece."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield decoder.decode(piece)
        yield decoder.decode(b"", True)


def _is_mostly_utf_8(path):
    """Whether as many letters are UTF-8 as are none: one byte that is wrong must not make Windows-1252 of all the others."""
    right = wrong = 0
    for text in _texts("utf-8", path, "surrogateescape"):
        if not text.isascii():
            right, wrong = right + len(BEYOND.findall(text)), wrong + len(STRAY.findall(text))
    return right >= wrong


def _first_stray(path):
    number = 1
    for text in _texts("utf-8", path, "surrogateescape"):
        if found := STRAY.search(text):
            return number + text.count("\n", 0, found.start())
        number += text.count("\n")


def _separator(line):
    """The one that a first line sep= says, or that stands most often in the header, outside of quotes."""
    if said := SAID.fullmatch(line):
        return said[1]
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


class _Feed:
    """The lines of a file, but for the one that says the separator; refuses a row that never ends."""

    def __init__(self, path, form):
        self.lines, self.fed = _lines(path, form["encoding"]), 0

    def __iter__(self):
        for number, line in enumerate(self.lines, 1):
            self.fed += len(line)
            if self.fed > LONGEST_LINE:
                raise Unreadable(f"the row that goes on in line {number} has more than {LONGEST_LINE} characters; is a quotation mark missing?")
            if number > 1 or not SAID.fullmatch(line):
                yield line


def _rows(path, form):
    """(number, cells) of each row that is not empty; the number is the one that a spreadsheet shows beside it."""
    csv.field_size_limit(LONGEST_CELL)
    feed = _Feed(path, form)
    reader = csv.reader(feed, delimiter=form["separator"], strict=True)
    try:
        for number, row in enumerate(reader, 1):
            feed.fed = 0
            if any(map(str.strip, row)):
                yield number, row
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
    """(index, texts) of the rows below the header; the index is the number that a spreadsheet shows less 2, since rows that are empty
    are left out."""
    width = len(form["columns"])
    return ((number - 2, row if len(row) <= width else _cut(row, width)) for number, row in islice(_rows(path, form), 1, None))


def _cut(row, width):
    """Without the empty cells that spreadsheets put behind the last column, and without most of those that have no column at all."""
    while len(row) > width and not row[-1].strip():
        row.pop()
    return row[:MOST_COLUMNS + 1]


# Both

def records(path, form, start=0):
    """(index, record as it was sent), but for so many at the start: a list of texts of a CSV, else an object."""
    return islice(cells(path, form) if form["kind"] == "csv" else enumerate(_objects(path)), start, None)


def _objects(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line, parse_float=Decimal)
