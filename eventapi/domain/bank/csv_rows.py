"""Rows of a bank's CSV file: an entry, a balance, or a note below the table."""

import re
from dataclasses import dataclass

from eventapi import money
from eventapi.domain.bank import csv_balances, csv_values, entries
from eventapi.domain.bank.csv_banks import Form, normal
from eventapi.domain.bank.csv_values import Style
from eventapi.domain.bank.entries import Entry, Refused, compact, reference, text

IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
LINE_END = re.compile(r"[\r\n]+")
SIGNS = {"S": -1, "H": 1}  # debit (Soll), credit (Haben)
# the first cell of a row with sums or a number of rows, as `normal` returns it
TOTAL = re.compile(
    "(?:(?:zwischen|gesamt|end)?summe|(?:sub-?)?total|totale|gesamt|anzahl|number of)(?:[^a-z].*)?"
)
EXPORT = "Export the entries from the bank again, and do not open the file in a spreadsheet program"


@dataclass(frozen=True)
class Table:
    """The rows of a file below the names of its columns. rows: an iterator of (line, cells).

    is_open: the last line has no end, so that it may be cut off.
    """

    form: Form
    names: list
    above: list
    rows: object
    style: Style
    is_open: bool


class Row:
    """A row of a Table: its cells by the fields of the form."""

    def __init__(self, table, line, cells):
        self.table, self.form, self.line = table, table.form, line
        self.first, self.all = normal(cells[0]), cells
        # of two columns with one name, the last
        self.cells = dict(zip(table.names, cells, strict=False))
        self.is_short = len(cells) < len(table.names) - (table.names[-1] == "")
        self.is_long = any(cell.strip() for cell in cells[len(table.names) :])

    def is_balance(self):
        """Return whether the row shows a balance.

        Raise ValueError if another account begins with it.
        """
        has_no_day = self.begins_with_day_column() or not self.value("booked_on")
        if (has_no_day and csv_balances.is_balance(self.first)) or self.signed_balance():
            return True
        has_day_alone = self.value("booked_on") and self.has_no_amount()
        if has_day_alone and any(map(csv_balances.is_label, self.all)):
            return True
        if has_no_day and self.first.startswith("umsaetze") and not self.form.is_own:
            raise Refused(
                "several_accounts",
                f"Line {self.line}: the file contains several accounts. Export each account by itself.",
            )
        return False

    def is_note(self):
        """Return whether the row has neither a day nor an amount, or is a sum of the others.

        A row with what is left of a damaged day or amount is no note, and is refused.
        """
        day = self.value("booked_on")
        is_row = self.has_state() and not self.is_short
        if is_row or csv_values.is_like_day(day):
            return False
        if TOTAL.fullmatch(self.first) or TOTAL.fullmatch(normal(day)):
            return True
        amounts = (self.value(name) for name in ("amount", "debit", "credit"))
        return not any(map(csv_values.is_like_amount, amounts)) and not self.is_shifted()

    def is_shifted(self):
        """Return whether the row has a day and an amount in other columns than theirs."""
        cells = [cell.strip() for cell in self.all]
        others = [cell for cell in cells if not csv_values.DATE.fullmatch(cell)]
        return len(others) < len(cells) and any(map(csv_values.is_like_amount, others))

    def has_state(self):
        """Return whether a cell says that this is a row, booked or not."""
        status = normal(self.value("status"))
        if self.form.status == self.form.booked_on:
            return status.startswith(self.form.pending)
        return bool(status or self.value("own_state"))

    def begins_with_day_column(self):
        """Return whether the first column of the table is that of the day."""
        return self.table.names[0] in self.form.booked_on

    def may_be_cut(self):
        """Return whether this may be what is left of a row at the end of a file.

        Where rows begin with their day, a beginning that is none is that of a note.
        """
        return self.is_short and not self.begins_with_day_column()

    def has_no_amount(self):
        """Return whether the cells of the amounts are empty."""
        return not any(self.value(name) for name in ("amount", "debit", "credit"))

    def is_empty(self):
        """Return whether the cells of the day and the amounts are empty."""
        return self.has_no_amount() and not self.value("booked_on")

    def check_cells(self):
        """Raise ValueError unless the row has as many cells as there are columns."""
        if self.is_short or self.is_long:
            raise Refused(
                "cut_off",
                f"Line {self.line} has {len(self.all)} cells, but there are {len(self.table.names)} columns. The "
                f"file was cut off or changed. {EXPORT}.",
            )

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
        number = csv_values.number(self.value("amount"), self.table.style)
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
        return Refused(
            "unreadable_value",
            f'Line {self.line}, column "{column}": "{self.cells.get(column, "")[:60]}" {problem}. '
            f"{EXPORT}.",
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
        number = csv_values.number(self.value(name), self.table.style)
        if number is None:
            example = "1.234,56" if self.table.style.decimal == "," else "1,234.56"
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
        try:
            return csv_values.day(self.value(name), self.table.style)
        except ValueError:
            order = (
                " (the parameter dates says in which order day, month and year are written)"
                if self.form.is_own
                else ""
            )
            raise self.fault(
                name,
                f"is not a date such as 31.12.2025 or 2025-12-31, between 2000 and 2099{order}",
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
