"""Read bank statements in the CSV files of German banks.

Most of these files say nothing about their balance and have no references of their own, so one that
was cut off between two rows cannot be recognised. Balances above and below the rows prove that the
file is whole (csv_balances.py). A value that cannot be read refuses the file: it never becomes 0.00
or an empty text.
"""

import codecs
import csv
import re
from dataclasses import dataclass, field, replace
from itertools import islice

from eventapi.domain.bank import account_numbers, csv_balances, csv_values, entries
from eventapi.domain.bank.csv_banks import FORMS, normal
from eventapi.domain.bank.csv_forms import form_of, forms_of, names_columns
from eventapi.domain.bank.csv_rows import EXPORT, IBAN, Row, Table
from eventapi.domain.bank.csv_states import MOST_STATES, state_columns, unbooked
from eventapi.domain.bank.entries import Refused, Statement, compact, identified
from eventapi.errors import listed

MAX_SIZE = 20_000_000  # bytes
MAX_ROW = 200_000  # characters; the csv module refuses a cell of more than 131,072
MAX_HEADER = 60  # rows above the names of the columns
MAX_STATE = 40  # characters of the state of a row that a warning shows
MOST_NAMED = 5  # states that a warning names
MOST_LINES = 20  # lines that a warning names
SEPARATORS = ";,\t"
OLD_NUMBER = re.compile("[0-9][0-9 /-]{4,30}")
ACCOUNT_LABELS = ("konto", "kontonummer", "konto-nr.", "konto-nr", "account", "account number")
LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")  # with its end


@dataclass
class Group:
    """The entries of one account and currency in a file, and the states and amounts of those that
    are not booked. An amount that cannot be read is None.
    """

    booked: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    pending: list = field(default_factory=list)


class Notes:
    """The rows that are neither entries nor balances. lines: their numbers.

    Rows that continue the text of an entry may be anywhere. Others are below the last entry, so that
    a damaged row between two entries is refused.
    """

    def __init__(self, table):
        self.table = table
        self.lines = []
        self.first_text, self.last_entry, self.last = None, 0, None

    def add(self, row):
        """Keep a row that is a note."""
        self.lines.append(row.line)
        self.last = row
        if not row.is_empty() and not self.first_text:
            self.first_text = row

    def entry(self, row):
        """Raise ValueError if this row, an entry, follows a text that is none."""
        if self.first_text:
            self.first_text.check_cells()
            self.first_text.date("booked_on")
        self.last_entry = row.line

    def end(self):
        """Raise ValueError if the last entry may be cut off: what is left of it is no note."""
        if not self.last or not self.table.is_open or not self.last.is_short:
            return
        if self.last.line == self.last_entry + 1:
            self.last.check_cells()


def read(file, account=None, most=entries.MAX_ENTRIES, own=None, accounts=()):
    """Return the Statements of a CSV file: one for each account and currency in it.

    `account` is the IBAN for a file that does not name its account. `accounts` are the IBANs of the
    organiser, see archives.read. `own` are the columns of a bank that is not known
    (csv_forms.forms_of). Raise Refused if the file is not the CSV of a bank that is known, if a row
    cannot be read, if the file is that of another account, or if it has more than `most` rows.
    """
    table = _table(_content(file), most, own)
    given, stated = compact(account), _account_above(table.above, accounts)
    only = accounts[0] if len(accounts) == 1 and not _names_number(table.above) else None
    groups, states = {}, {column: {} for column in state_columns(table.names, table.form)}
    balances, notes = csv_balances.Balances(table.style), Notes(table)
    for cells in table.above:
        balances.add_row(cells)
    for line, cells in table.rows:
        row = Row(table, line, cells)
        if row.is_balance():
            row.add_to(balances)
            continue
        if row.is_note():
            notes.add(row)
            continue
        notes.entry(row)
        row.check_cells()
        found = account_numbers.resolved(row.account(), accounts) or stated
        if given and found and not account_numbers.is_same(given, found):
            raise Refused(
                "other_account",
                f"Line {line}: the file is a statement of account {found}, not of {given}. Send it "
                "without `account`, or choose the other file.",
            )
        group = groups.setdefault((given or found or only, row.currency()), Group())
        pending = row.pending()
        if pending is None:
            group.booked.append(row.entry())
        else:
            group.skipped.append(pending)
            group.pending.append(row.pending_amount())
        for column, texts in states.items():
            if len(texts) <= MOST_STATES:
                texts[row.cells.get(column, "").strip()[:MAX_STATE]] = True
    notes.end()
    groups = groups or {(given or stated or only, "EUR"): Group()}
    if len(groups) == 1:
        for (_, currency), group in groups.items():
            balances.check(group.booked, group.pending, currency)
    unread = _unread(states)
    found = [
        _statement(table.form, own, currency, group, unread)
        for (own, currency), group in groups.items()
    ]
    lines = notes.lines
    found[0] = replace(found[0], notes=len(lines), note_lines=tuple(lines[:MOST_LINES]))
    return found


def _unread(states):
    """Return the `unread_state` of a Statement: the first column that seems to have rows that are
    not booked, and how.

    `states`: column -> its different texts, as keys.
    """
    for column, texts in states.items():
        if found := unbooked(column, texts):
            return column, *found[:MOST_NAMED]
    return ()


def _statement(form, account, currency, group, unread):
    """Return the Statement of a Group. `unread` is its `unread_state`."""
    kept = identified(account, [entry for entry in group.booked if entry.amount])
    days = [entry.booked_on for entry in kept]
    states = dict.fromkeys(text[:MAX_STATE] for text in group.skipped)
    return Statement(
        account,
        currency,
        kept,
        starts_on=min(days, default=None),
        ends_on=max(days, default=None),
        skipped=len(group.skipped),
        skipped_states=tuple(states)[:MOST_NAMED],
        empty=len(group.booked) - len(kept),
        form=form.name,
        unread_state=unread,
    )


# The file


def _content(file):
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


def _table(content, most, own):
    """Return the Table in a text.

    Raise ValueError if it is no sound CSV, or has more than `most` rows.
    """
    forms = forms_of(own) if own else FORMS
    for separator in SEPARATORS:
        above = []
        for _, cells in islice(_rows(content, separator), MAX_HEADER):
            names = [normal(name) for name in cells]
            if form := form_of(names, forms):
                start = len(above) + 1
                finder = csv_values.Finder(own or {}) if form.is_own else None
                for number, (line, cells) in enumerate(_below(content, separator, start), 1):
                    entries.check_number(number, most)
                    if finder:
                        _look(finder, form, line, dict(zip(names, cells, strict=False)))
                style = finder.style() if finder else csv_values.of_bank(form.decimal)
                is_open = not content.endswith(("\n", "\r"))
                return Table(form, names, above, _below(content, separator, start), style, is_open)
            above.append(cells)
    if own and names_columns(own):
        raise Refused(
            "columns_missing",
            f"No row has each of the columns {listed(sorted(forms[0].columns))} once. Send the names as "
            "they are in the file.",
        )
    if own:
        raise Refused(
            "columns_missing",
            f'No row has the columns of a bank that is known and, once, the column "{normal(own["state"])}'
            '". Send its name as it is in the file. If the bank is not known, send also '
            "column_booked_on, column_amount, column_text and so on.",
        )
    names = ", ".join(dict.fromkeys(form.name.partition(",")[0] for form in FORMS))
    raise Refused(
        "unknown_columns",
        f"The file is not the CSV of a bank that is known ({names}): no row has the names of its columns. "
        "Send the file as the bank wrote it, the statement in the format camt.053 or camt.052, or name the "
        "columns with column_booked_on, column_amount, column_text and so on.",
    )


def _look(finder, form, line, cells):
    """Let the Finder see the days and amounts of a row. `cells`: column -> cell."""
    for column in form.booked_on:
        finder.add_day(line, column, cells.get(column, "").strip())
    for column in (*form.amount, *form.debit, *form.credit):
        finder.add_amount(line, column, cells.get(column, "").strip())


def _below(content, separator, first):
    """Yield (line, cells) of the rows from a place on that are not empty."""
    return (
        row
        for row in islice(_rows(content, separator), first, None)
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


def _names_number(rows):
    """Return whether the rows above the columns have the number of an account."""
    for place, cells in enumerate(rows):
        below = rows[place + 1] if place + 1 < len(rows) else []
        for column, cell in enumerate(cells):
            beside = [*cells[column + 1 : column + 2], *below[column : column + 1]]
            is_label = normal(cell).rstrip(":") in ACCOUNT_LABELS
            if is_label and any(OLD_NUMBER.fullmatch(value.strip()) for value in beside):
                return True
    return False


def _account_above(rows, accounts):
    """Return the IBAN in the rows above the columns, also by an old number of these accounts, or
    None.
    """
    for cells in rows:
        for cell in cells:
            if OLD_NUMBER.fullmatch(cell.strip()):
                found = account_numbers.resolved(compact(cell), accounts)
                if found in accounts:
                    return found
            value = re.sub(r'[\s="]', "", cell.partition("/")[0]).upper()
            if IBAN.fullmatch(value):
                return value
    return None
