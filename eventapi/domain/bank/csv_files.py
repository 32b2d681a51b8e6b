"""Read bank statements in the CSV files of German banks.

Most of these files say nothing about their balance and have no references of their own, so one that
was cut off between two rows cannot be recognised. Balances above and below the rows prove that the
file is whole (csv_balances.py). A value that cannot be read refuses the file: it never becomes 0.00
or an empty text.
"""

import codecs
import csv
import re
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from eventapi import money
from eventapi.domain.bank import csv_balances, csv_values, entries
from eventapi.domain.bank.csv_forms import (
    FORMS,
    MOST_STATES,
    form_of,
    forms_of,
    names_columns,
    normal,
    state_columns,
    unbooked,
)
from eventapi.domain.bank.entries import Entry, Statement, compact, identified, reference, text
from eventapi.errors import listed

MAX_SIZE = 20_000_000  # bytes
MAX_ROW = 200_000  # characters; the csv module refuses a cell of more than 131,072
MAX_HEADER = 60  # rows above the names of the columns
MAX_STATE = 40  # characters of the state of a row that a warning shows
MOST_NAMED = 5  # states that a warning names
SEPARATORS = ";,\t"
GERMAN_DATE = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}|[0-9]{2})")
ISO_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?")
SIGNS = {"S": -1, "H": 1}  # debit (Soll), credit (Haben)
IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
LINE_END = re.compile(r"[\r\n]+")
LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")  # with its end
EXPORT = "Export the entries from the bank again, and do not open the file in a spreadsheet program"


@dataclass(frozen=True)
class Table:
    """The rows of a file below the names of its columns. rows: an iterator of (line, cells)."""

    form: object
    names: list
    above: list
    rows: object


@dataclass
class Group:
    """The entries of one account and currency in a file, and the states and amounts of those that
    are not booked. An amount that cannot be read is None.
    """

    booked: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    pending: list = field(default_factory=list)


def read(file, account=None, most=entries.MAX_ENTRIES, own=None):
    """Return the Statements of a CSV file: one for each account and currency in it.

    `account` is the IBAN for a file that does not name its account. `own` are the columns of a bank
    that is not known (csv_forms.forms_of). Raise ValueError if the file is not the CSV of a bank
    that is known, if a row cannot be read, if the file is that of another account, or if it has
    more than `most` rows.
    """
    table = _table(_content(file), most, own)
    given, stated = compact(account), _account_above(table.above)
    groups, states = {}, {column: {} for column in state_columns(table.names, table.form)}
    balances = csv_balances.Balances(table.form.decimal)
    for cells in table.above:
        balances.add_row(cells)
    for line, cells in table.rows:
        row = _Row(table, line, cells)
        if row.is_footer():
            row.add_to(balances)
            continue
        found = row.account() or stated
        if given and found and not _is_same(given, found):
            raise ValueError(
                f"Line {line}: the file is a statement of account {found}, not of {given}. Send it "
                "without `account`, or choose the other file."
            )
        group = groups.setdefault((given or found, row.currency()), Group())
        pending = row.pending()
        if pending is None:
            group.booked.append(row.entry())
        else:
            group.skipped.append(pending)
            group.pending.append(row.pending_amount())
        for column, texts in states.items():
            if len(texts) <= MOST_STATES:
                texts[row.cells.get(column, "").strip()[:MAX_STATE]] = True
    groups = groups or {(given or stated, "EUR"): Group()}
    if len(groups) == 1:
        for (_, currency), group in groups.items():
            balances.check(group.booked, group.pending, currency)
    unread = _unread(states)
    return [
        _statement(table.form, own, currency, group, unread)
        for (own, currency), group in groups.items()
    ]


def _unread(states):
    """Return the `unread_state` of a Statement: the first column that seems to have rows that are
    not booked, and how.

    `states`: column -> its different texts, as keys.
    """
    for column, texts in states.items():
        if found := unbooked(column, texts):
            return column, *found[:MOST_NAMED]
    return ()


def _is_same(given, found):
    """Return whether the account in a file is this one.

    Some banks write only the number at the end of the IBAN.
    """
    return given == found or (found.isdecimal() and given.endswith(found.zfill(10)))


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
        raise ValueError(f"The CSV file has more than {MAX_SIZE} bytes. Export a shorter period.")
    marked = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "windows-1252"):
        try:
            content = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise ValueError(f"The CSV file is neither UTF-8 nor Windows-1252. {EXPORT}.")
    if "\0" in content:
        raise ValueError(
            f"The file is not a text file, because it contains NUL characters. {EXPORT}."
        )
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
                for number, _ in enumerate(_below(content, separator, len(above) + 1), 1):
                    entries.check_number(number, most)
                return Table(form, names, above, _below(content, separator, len(above) + 1))
            above.append(cells)
    if own and names_columns(own):
        raise ValueError(
            f"No row has each of the columns {listed(sorted(forms[0].columns))} once. Send the names as "
            "they are in the file."
        )
    if own:
        raise ValueError(
            f'No row has the columns of a bank that is known and, once, the column "{normal(own["state"])}'
            '". Send its name as it is in the file. If the bank is not known, send also '
            "column_booked_on, column_amount, column_text and so on."
        )
    names = ", ".join(dict.fromkeys(form.name.partition(",")[0] for form in FORMS))
    raise ValueError(
        f"The file is not the CSV of a bank that is known ({names}): no row has the names of its columns. "
        "Send the statement in the format camt.053, which every bank offers, or name the columns with "
        "column_booked_on, column_amount, column_text and so on."
    )


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
            raise ValueError(
                f"Line {reader.line_num} is not valid CSV ({error}). {EXPORT}."
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
            raise ValueError(f"Line {number}: a row has more than {MAX_ROW} characters. {EXPORT}.")
        yield line[0]


def _account_above(rows):
    """Return the IBAN in the rows above the columns, or None."""
    for cells in rows:
        for cell in cells:
            value = re.sub(r"\s", "", cell.partition("/")[0]).upper()
            if IBAN.fullmatch(value):
                return value
    return None


# Rows


class _Row:
    """A row of a Table: its cells by the fields of the form."""

    def __init__(self, table, line, cells):
        """Raise ValueError unless the row has as many cells as there are columns, apart from empty
        ones at the end.
        """
        self.table, self.form, self.line = table, table.form, line
        self.first, self.all = normal(cells[0]), cells
        # of two columns with one name, the last
        self.cells = dict(zip(table.names, cells, strict=False))
        self.is_short = len(cells) < len(table.names) - (table.names[-1] == "")
        self.is_long = any(cell.strip() for cell in cells[len(table.names) :])

    def is_footer(self):
        """Return whether the row shows a balance.

        Raise ValueError if it is neither that nor an entry.
        """
        names = self.table.names
        has_no_day = names[0] in self.form.booked_on or not self.value("booked_on")
        if (has_no_day and csv_balances.is_balance(self.first)) or self.signed_balance():
            return True
        if self.first.startswith("umsaetze"):
            raise ValueError(
                f"Line {self.line}: the file contains several accounts. Export each account by itself."
            )
        if self.is_short or self.is_long:
            raise ValueError(
                f"Line {self.line} has {len(self.all)} cells, but there are {len(names)} columns. The "
                f"file was cut off or changed. {EXPORT}."
            )
        return False

    def signed_balance(self):
        """Return the label of a balance that is in a row like an entry, or None."""
        label = normal(self.cells.get("kundenreferenz", ""))
        is_balance = self.form.sign and label in (*csv_balances.OPENING, *csv_balances.CLOSING)
        return label if is_balance else None

    def add_to(self, balances):
        """Add the balance in this row to the Balances of the file."""
        label = self.signed_balance()
        if not label:
            balances.add_row(self.all)
            return
        number = csv_values.number(self.value("amount"), self.form.decimal)
        sign = SIGNS.get(self.value("sign").upper())
        is_known = number is not None and sign is not None
        balances.add(label, sign * abs(number) if is_known else None)

    def value(self, name):
        """Return the text of a field, "" if the file has no such column."""
        value = self.cell(name).strip()
        return "" if value in ("N/A", "n/a") else value

    def cell(self, name):
        """Return the cell of a field as it is in the file, "" if there is no such column."""
        column = next((column for column in getattr(self.form, name) if column in self.cells), None)
        return self.cells[column] if column is not None else ""

    def fault(self, name, problem):
        """Return the ValueError for a field that cannot be read."""
        columns = getattr(self.form, name)
        column = next((column for column in columns if column in self.cells), columns[0])
        return ValueError(
            f'Line {self.line}, column "{column}": "{self.cells.get(column, "")[:60]}" {problem}. '
            f"{EXPORT}."
        )

    def pending(self):
        """Return the state of an entry that is not booked yet, None of one that is.

        In a column that the request names, no state is not booked.
        """
        state, status = self.value("own_state"), self.value("status")
        if self.form.own_state and normal(state) not in self.form.own_booked:
            return state
        is_booked = normal(status).startswith(self.form.booked) if self.form.booked else True
        is_pending = not is_booked or normal(status).startswith(self.form.pending)
        return status if is_pending else None

    def pending_amount(self):
        """Return the amount of an entry that is not booked yet, None if it cannot be read."""
        try:
            return self.amount()
        except ValueError:
            return None

    def account(self):
        """Return the own account in this row, or None if the file does not name it in a column."""
        return compact(self.value("account"))

    def currency(self):
        value = (self.value("currency") or "EUR").upper()
        if value not in money.CURRENCIES:
            raise self.fault("currency", "is not a currency of ISO 4217")
        return value

    def entry(self):
        """Return the Entry of this row."""
        amount = self.amount()
        party = self.value("payer") if amount > 0 and self.form.payer else self.value("party")
        fields = {
            "party": text(party),
            "party_iban": _iban(self.value("party_iban")),
            "party_bic": compact(self.value("party_bic"), 11),
            "end_to_end_id": reference(self.value("end_to_end_id")),
            "mandate": reference(self.value("mandate")),
            "bank_reference": reference(self.value("bank_reference")),
        }
        found = self.labelled()
        fields |= {name: value for name, value in found.items() if value and not fields.get(name)}
        return Entry(
            booked_on=self.date("booked_on"),
            valued_on=self.date("valued_on") if self.value("valued_on") else None,
            amount=amount,
            currency=self.currency(),
            code=text(self.value("code"), 40),
            **fields,
        )

    def amount(self):
        """Return the amount in minor units with its sign."""
        if not self.value("amount") and (self.value("debit") or self.value("credit")):
            debit, credit = (
                abs(self.number(name)) if self.value(name) else 0 for name in ("debit", "credit")
            )
            if debit and credit:
                raise self.fault("debit", "stands beside a credit, so the amount is not certain")
            return credit - debit
        amount = self.number("amount" if self.form.amount else "credit")
        for name in ("debit", "credit"):
            if self.value(name) and abs(self.number(name)) != abs(amount):
                raise self.fault(name, f"is not the amount {self.value('amount')} of the row")
        if not self.form.sign:
            return amount
        sign = SIGNS.get(self.value("sign").upper())
        if sign is None:
            raise self.fault("sign", "is neither S (debit) nor H (credit)")
        return sign * abs(amount)

    def number(self, name):
        """Return a number in minor units."""
        number = csv_values.number(self.value(name), self.form.decimal)
        if number is None:
            example = "1.234,56" if self.form.decimal == "," else "1,234.56"
            other = (
                " (the parameter decimal_separator says which one is written)"
                if self.form.is_own
                else ""
            )
            raise self.fault(name, f"is not an amount such as {example}{other}")
        units = money.minor(number, self.currency())
        if units is None or abs(number) >= money.LIMIT:
            raise self.fault(name, f"has more digits than an amount in {self.currency()}")
        return units

    def date(self, name):
        """Return a date as ISO text."""
        value = self.value(name)
        german, iso = GERMAN_DATE.fullmatch(value), ISO_DATE.fullmatch(value)
        try:
            if german:
                day, month, year = (int(part) for part in german.groups())
                return entries.day(date(year + 2000 if year < 100 else year, month, day))
            return entries.day(date.fromisoformat(iso[1] if iso else value))
        except ValueError:
            raise self.fault(
                name, "is not a date such as 31.12.2025 or 2025-12-31, between 2000 and 2099"
            ) from None

    def labelled(self):
        """Return the fields that stand in the text behind labels, and `reference`, what is left of
        the text.

        The old files of Volksbanken break a text into lines of 27 characters, also inside a number.
        """
        value = self.value("reference")
        if self.form.sign:
            kind, _, rest = value.partition("\n")
            value = f"{kind.strip()} {entries.joined_lines(LINE_END.split(rest))}"
        targets = dict(self.form.labels)
        parts = re.split(f"({'|'.join(map(re.escape, targets))})", value) if targets else [value]
        found = {}
        for label, part in zip(parts[1::2], parts[2::2], strict=True):
            if targets[label] and part.strip():
                found.setdefault(targets[label], part.partition(" IBAN: ")[0])
        plain = [parts[0], found.get("reference", "")]
        plain = plain if any(part.strip() for part in plain) else [value]
        is_cut = any(map(entries.may_be_cut, (self.cell("reference"), *plain)))
        return {
            "party": text(found.get("party")),
            "party_iban": _iban(found.get("party_iban", "")),
            "party_bic": compact(found.get("party_bic", "").split(" ")[0], 11)
            if "party_bic" in found
            else None,
            "ultimate_party": text(found.get("ultimate_party")),
            "mandate": reference(found.get("mandate"), 35),
            "end_to_end_id": reference(found.get("end_to_end_id"), 35),
            **entries.joined([(" ".join(plain), is_cut)]),
        }


def _iban(value):
    """Return an IBAN without spaces, or None if the text is another number of an account."""
    value = re.sub(r"\s", "", value).upper()
    return value if IBAN.fullmatch(value) else None
