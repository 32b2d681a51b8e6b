"""The text of a bank's CSV file, and the table in it: the row with the names of the columns, what
stands above it, and the rows below.
"""

import codecs
import csv
import hashlib
import json
import re
from dataclasses import dataclass
from itertools import islice

from eventapi.domain.bank import csv_numbered, csv_values, entries
from eventapi.domain.bank.csv_banks import FORMS, Form, normal
from eventapi.domain.bank.csv_forms import form_of, forms_of, names_columns
from eventapi.domain.bank.csv_rows import EXPORT, Table
from eventapi.domain.bank.entries import Refused
from eventapi.errors import listed

MAX_SIZE = 20_000_000  # bytes
MAX_ROW = 200_000  # characters; the csv module refuses a cell of more than 131,072
MAX_HEADER = 60  # rows above the names of the columns
MAX_NAME = 200  # characters of the name of a column that are compared and shown
SEPARATORS = ";,\t"
LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")  # with its end


@dataclass(frozen=True)
class Head:
    """The row with the names of the columns. above: the rows above it. start: the number of rows
    before the first one of the table, empty ones included. cells: numbers if the file has no header
    line.
    """

    form: Form
    separator: str
    cells: list
    above: list
    start: int

    def header(self):
        """Return the names of the columns as they are in the file."""
        return header_of(self.cells)


def header_of(cells):
    """Return the header line of a file as a tuple of texts."""
    return tuple(entries.text(cell, MAX_NAME) or "" for cell in cells)


def key_of(header):
    """Return the key of a header line, which is the same in each file with these columns."""
    names = json.dumps([normal(name) for name in header])
    return hashlib.sha256(names.encode()).hexdigest()


def content_of(file):
    """Return the text of a file in UTF-8, UTF-16 or Windows-1252."""
    data = file.read(MAX_SIZE + 1)
    if len(data) > MAX_SIZE:
        raise Refused(
            "file_too_large",
            f"The CSV file has more than {MAX_SIZE} bytes. Export a shorter period.",
        )
    marked = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "windows-1252"):
        try:
            content = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise Refused("damaged_file", f"The CSV file is neither UTF-8 nor Windows-1252. {EXPORT}.")
    if "\0" in content:
        raise Refused(
            "damaged_file",
            f"The file is not a text file, because it contains NUL characters. {EXPORT}.",
        )
    if not content.strip():
        raise Refused("no_statement", f"The file is empty. {EXPORT}.")
    return content


def head_of(content, own):
    """Return the Head of a text, or None if it has no row with the columns that are named, or with
    those of a bank that is known.

    If numbers are named, a row with these texts is the header line unless it has a day. Without
    such a row, the file may have no header line, see csv_numbered.
    """
    forms = forms_of(own) if own else FORMS
    is_numbered = csv_numbered.names_numbers(own)
    for separator in SEPARATORS:
        above = []
        for cells in first_rows(content, separator):
            names = [normal(name) for name in cells]
            form = form_of(names, forms)
            if form and not (is_numbered and csv_numbered.has_day(cells)):
                return Head(form, separator, cells, above, len(above) + 1)
            above.append(cells)
    return _numbered_head(content, own, forms[0]) if is_numbered else None


def _numbered_head(content, own, form):
    """Return the Head of a file without header line, or None if its first row is no entry."""
    for separator in SEPARATORS:
        above, first = first_entry(content, separator)
        if csv_numbered.is_entry(first, own):
            return Head(form, separator, csv_numbered.names(len(first)), above, len(above))
    return None


def first_entry(content, separator):
    """Return the cells of the first row that is neither empty nor the line `sep=` of a spreadsheet
    program, and the rows above it.
    """
    above = []
    for cells in first_rows(content, separator):
        is_mark = cells and cells[0].lower().startswith("sep=")
        if any(cell.strip() for cell in cells) and not is_mark:
            return above, cells
        above.append(cells)
    return above, []


def first_rows(content, separator):
    """Return an iterator of the cells of the first rows, of which one may name the columns."""
    return (cells for _, cells in islice(_rows(content, separator), MAX_HEADER))


def table_of(content, head, most, own):
    """Return the Table below a Head.

    Raise Refused if it has more than `most` rows, or if its numbers or days may mean two things.
    """
    names = [normal(name) for name in head.cells]
    finder = csv_values.Finder(own or {}) if head.form.is_own else None
    for number, (line, cells) in enumerate(rows_below(content, head), 1):
        entries.check_number(number, most)
        if finder:
            _look(finder, head.form, line, dict(zip(names, cells, strict=False)))
    style = finder.style() if finder else csv_values.of_bank(head.form.decimal)
    is_open = not content.endswith(("\n", "\r"))
    rows = rows_below(content, head)
    return Table(head.form, names, head.above, rows, style, is_open)


def refusal(content, own):
    """Return the Refused for a text without Head."""
    if own and names_columns(own):
        columns = listed(sorted(forms_of(own)[0].columns))
        detail = f"No row has each of the columns {columns} once. Send the names as they are in the file."
        if csv_numbered.names_numbers(own):
            detail = (
                f"No row has the columns {columns}, and the first row is no entry with a day and an amount in the "
                "columns with these numbers. Only the columns of a file without a row of names are named by their "
                "numbers, counted from 1."
            )
        return Refused("columns_missing", detail)
    if own:
        return Refused(
            "columns_missing",
            f'No row has the columns of a bank that is known and, once, the column "{normal(own["state"])}'
            '". Send its name as it is in the file. If the bank is not known, send also '
            "column_booked_on, column_amount, column_text and so on.",
        )
    if found := entry_without_header(content):
        _, _, (day, amount) = found
        return Refused(
            "no_header",
            "The first row of the file is an entry, so the file does not name its columns. Name them by their numbers, "
            f"counted from 1: column_booked_on={day} for the column of the days, column_amount={amount} if that is "
            "the column of the amounts, column_text and so on. If the file has lost its header line, export it again.",
        )
    names = ", ".join(dict.fromkeys(form.name.partition(",")[0] for form in FORMS))
    return Refused(
        "unknown_columns",
        f"The file is not the CSV of a bank that is known ({names}): no row has the names of its columns. "
        "Send the file as the bank wrote it, the statement in the format camt.053 or camt.052, or name the "
        "columns with column_booked_on, column_amount, column_text and so on.",
    )


def entry_without_header(content):
    """Return (separator, number of rows above, csv_numbered.places) of the first row if it is an
    entry, else None.
    """
    for separator in SEPARATORS:
        above, cells = first_entry(content, separator)
        if places := csv_numbered.places(cells):
            return separator, len(above), places
    return None


def _look(finder, form, line, cells):
    """Let the Finder see the days and amounts of a row. `cells`: column -> cell."""
    for column in form.booked_on:
        finder.add_day(line, column, cells.get(column, "").strip())
    for column in (*form.amount, *form.debit, *form.credit):
        finder.add_amount(line, column, cells.get(column, "").strip())


def rows_below(content, head):
    """Yield (line, cells) of the rows of the table that are not empty."""
    return (
        row
        for row in islice(_rows(content, head.separator), head.start, None)
        if any(cell.strip() for cell in row[1])
    )


def _rows(content, separator):
    """Yield (line, cells) of a text.

    Raise ValueError if it is no CSV, or ends inside quotation marks.
    """
    begun, last = [], []  # the lines of the row that is being read, and of the last one
    reader = csv.reader(_lines(content, begun), delimiter=separator)
    try:
        for cells in reader:
            yield reader.line_num, cells
            last = begun.copy()
            begun.clear()
        list(csv.reader(last, delimiter=separator, strict=True))
    except csv.Error as error:
        # Strict reading also refuses text behind a closing quotation mark, which some banks write.
        if "expected after" not in str(error):
            raise Refused(
                "damaged_file", f"Line {reader.line_num} is not valid CSV ({error}). {EXPORT}."
            ) from None


def _lines(content, begun):
    """Yield the lines of a text with their ends, and add them to `begun`.

    Raise ValueError if it becomes too long.
    """
    size = 0
    for number, line in enumerate(LINE.finditer(content), 1):
        size = len(line[0]) + (size if begun else 0)
        begun.append(line[0])
        if size > MAX_ROW:
            raise Refused(
                "damaged_file",
                f"Line {number}: a row has more than {MAX_ROW} characters. {EXPORT}.",
            )
        yield line[0]
