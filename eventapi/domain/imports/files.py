"""The files of bulk imports: CSV as spreadsheet programs write it, or JSON with one record per
line.

Files are read record by record, in bounded memory. `form` describes a file: `kind` ("csv" or
"json"), and for CSV `encoding`, `has_mark` (a byte order mark), `separator` and `columns`.
"""

import codecs
import csv
import json
import re
from decimal import Decimal
from itertools import islice
from tempfile import TemporaryFile

from eventapi.errors import fault, invalid, invalid_at
from eventapi.spreadsheet import unescape_formula
from eventapi.storage.database import as_json
from eventapi.validation.messages import pointer

MAX_COLUMNS = 500
MAX_LINE = 1024 * 1024  # characters; also the limit of a row, whose cells may contain line breaks
MAX_CELL = 128 * 1024
MAX_LINES = 1_048_576  # as many rows as a sheet of Excel or LibreOffice has
SEPARATORS = ";,\t"
# an optional first line that sets the separator in Excel
SEPARATOR_LINE = re.compile(r'"?sep=([;,\t])"?[;,\t]*\r?\n?', re.I)
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # the first bytes of .xlsx and .ods, and of .xls
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# a byte that is not valid UTF-8, as surrogateescape decodes it
INVALID = re.compile("[\udc80-\udcff]")
NON_ASCII = re.compile("[^\0-\x7f\udc80-\udcff]")
CHUNK = 64 * 1024  # bytes
# Columns that the download of rejected records adds. They are ignored when the file is sent again.
REASONS = ("rejected_index", "rejected_because")
SURPLUS = "rejected_surplus_"  # and a number: its columns for cells beyond the last column


class Unreadable(Exception):
    """The file cannot be read as CSV. The argument says why."""


# CSV


def read_form(path):
    """Return the form of the CSV file at `path` and its number of records.

    Raise 422 `unreadable` if it cannot be read.
    """
    try:
        form = {"kind": "csv", **_encoding(path)}
        lines = (
            line for line in _lines(path, form["encoding"]) if line.strip(f"{SEPARATORS} \r\n")
        )
        form["separator"] = _separator(next(lines, ""))
        _, header = next(_rows(path, form), (0, []))
        form["columns"] = [unescape_formula(name.strip()) for name in header]
        _check_columns(form["columns"])
        return form, sum(1 for _ in cells(path, form))
    except Unreadable as error:
        raise invalid_at("", "unreadable", str(error)) from None


def _encoding(path):
    """Return `encoding` and `has_mark` of a form.

    The encoding is "utf-16" after its byte order mark, "utf-8-sig" if the file is valid, otherwise
    "windows-1252".
    """
    with open(path, "rb") as file:
        head = file.read(4)
    if head in WORKBOOKS:
        raise Unreadable(
            "is a workbook of Excel or LibreOffice, not CSV; open it there, save it with Save As as "
            "CSV UTF-8 (*.csv), and send that file"
        )
    for encoding in ("utf-16",) if head[:2] in UTF_16 else ("utf-8-sig", "windows-1252"):
        if _fits(encoding, path):
            return {
                "encoding": encoding,
                "has_mark": head[:3] == codecs.BOM_UTF8 or encoding == "utf-16",
            }
        if encoding == "utf-8-sig" and (head[:3] == codecs.BOM_UTF8 or _is_mostly_utf_8(path)):
            line = _first_invalid_line(path)
            raise Unreadable(
                f"is UTF-8, but line {line} contains an invalid byte; save the file as CSV in UTF-8 again"
            )
    raise Unreadable("is neither UTF-8 nor Windows-1252; save the file as CSV in UTF-8")


def _fits(encoding, path):
    try:
        if any("\0" in text for text in _texts(encoding, path)):
            raise Unreadable(
                "is not a text file, because it contains NUL characters; save it as CSV in UTF-8"
            )
        return True
    except UnicodeDecodeError:
        return False


def _texts(encoding, path, errors="strict"):
    """Yield the text of a file in chunks."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            yield decoder.decode(chunk)
        yield decoder.decode(b"", True)


def _is_mostly_utf_8(path):
    """Return whether at least half of the characters beyond ASCII are valid UTF-8.

    Otherwise a single invalid byte in a UTF-8 file would turn all its other letters into
    Windows-1252.
    """
    valid = invalid_bytes = 0
    for text in _texts("utf-8", path, "surrogateescape"):
        if not text.isascii():
            valid += len(NON_ASCII.findall(text))
            invalid_bytes += len(INVALID.findall(text))
    return valid >= invalid_bytes


def _first_invalid_line(path):
    """Return the number of the first line with a byte that is not valid UTF-8."""
    number = 1
    for text in _texts("utf-8", path, "surrogateescape"):
        if found := INVALID.search(text):
            return number + text.count("\n", 0, found.start())
        number += text.count("\n")


def _separator(line):
    """Return the separator that a line such as `sep=;` sets, or the most frequent one in a header
    outside quotes.
    """
    if match := SEPARATOR_LINE.fullmatch(line):
        return match[1]
    plain = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=plain.count) if any(map(plain.count, SEPARATORS)) else ","


def _lines(path, encoding):
    with open(path, encoding=encoding, newline="") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise Unreadable(f"line {number} has more than {MAX_LINE} characters")
            yield line


class _Lines:
    """The lines of a file for csv.reader, without the line that sets the separator.

    row_length: characters of the present row so far. The caller sets it to 0 after each row. A row that is too long,
    for instance because a quotation mark is missing, raises Unreadable.
    """

    def __init__(self, path, form):
        self.lines, self.row_length = _lines(path, form["encoding"]), 0

    def __iter__(self):
        for number, line in enumerate(self.lines, 1):
            self.row_length += len(line)
            if self.row_length > MAX_LINE:
                raise Unreadable(
                    f"the row that continues in line {number} has more than {MAX_LINE} characters; "
                    "a quotation mark may be missing"
                )
            if number > MAX_LINES:
                raise Unreadable(f"has more than {MAX_LINES} lines; send it in parts")
            if number > 1 or not SEPARATOR_LINE.fullmatch(line):
                yield line


def _rows(path, form):
    """Yield (number, cells) of each row that is not empty.

    The number is that of the row in a spreadsheet program.
    """
    csv.field_size_limit(MAX_CELL)
    lines = _Lines(path, form)
    reader = csv.reader(lines, delimiter=form["separator"], strict=True)
    try:
        for number, row in enumerate(reader, 1):
            lines.row_length = 0
            if any(map(str.strip, row)):
                yield number, row
    except csv.Error as error:
        raise Unreadable(
            f"line {reader.line_num} is not valid CSV ({error}); a quotation mark may be missing in it or above"
        ) from None


def _check_columns(columns):
    if not any(columns):
        raise Unreadable("has no header: the first line must contain the names of the columns")
    if len(columns) > MAX_COLUMNS:
        raise Unreadable(f"has {len(columns)} columns; at most {MAX_COLUMNS} are allowed")
    repeated = sorted({name for name in columns if name and columns.count(name) > 1})
    if repeated:
        raise invalid(
            [
                fault("repeated", "is the name of two columns", pointer=pointer([name[:100]]))
                for name in repeated
            ]
        )


def cells(path, form):
    """Yield (index, cells) of the rows below the header.

    The index is the row number of a spreadsheet program minus 2. Empty rows are omitted, but
    counted.
    """
    width = len(form["columns"])
    for number, row in islice(_rows(path, form), 1, None):
        yield number - 2, row if len(row) <= width else _trimmed(row, width)


def _trimmed(row, width):
    """Remove the empty cells that spreadsheet programs add beyond the last column, and cells beyond
    MAX_COLUMNS + 1.
    """
    while len(row) > width and not row[-1].strip():
        row.pop()
    return row[: MAX_COLUMNS + 1]


# CSV and JSON


def records(path, form, start=0):
    """Yield (index, record, length), skipping the first `start` records.

    A record is a list of texts (CSV) or an object (JSON), the length is that of its text.
    """
    found = _cells_with_length(path, form) if form["kind"] == "csv" else _objects(path)
    return islice(found, start, None)


def has_line_with(pattern, path, form):
    """Return whether a line of a file of records matches somewhere."""
    with open(path, encoding=form.get("encoding", "utf-8")) as file:
        return any(map(pattern.search, file))


def _cells_with_length(path, form):
    for index, row in cells(path, form):
        yield index, row, sum(map(len, row))


def _objects(path):
    with open(path, encoding="utf-8") as file:
        for index, line in enumerate(file):
            yield index, json.loads(line, parse_float=Decimal), len(line)


# Temporary files


def temporary(config):
    """Return an unnamed temporary file of JSON lines in the data directory: /tmp may be in memory."""
    return TemporaryFile("w+", encoding="utf-8", dir=config.files)


def add_lines(file, values):
    """Write each of the values as a line of JSON."""
    file.writelines(f"{as_json(value)}\n" for value in values)


def lines_of(file, most, length):
    """Yield lists of the values of a temporary file: `most` at most, and not much more than
    `length` characters.
    """
    file.seek(0)
    while lines := file.readlines(length):
        for start in range(0, len(lines), most):
            yield [json.loads(line, parse_float=Decimal) for line in lines[start : start + most]]
