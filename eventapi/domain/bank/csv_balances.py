"""Balances above and below the rows of a CSV file: they are no entries, and may prove that the file
has all of them.
"""

import re
from decimal import Decimal

from eventapi import money
from eventapi.domain.bank import csv_values
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.entries import Refused

BALANCE = re.compile(
    "(?:(?:alter|neuer|letzter|aktueller) )?(?:kontostand.*|(?:anfangs|end|schluss)?saldo"
    "(?:[^a-z].*)?)|(?:anfangs|end|schluss)bestand(?:[^a-z].*)?|saldo-?vortrag(?:[^a-z].*)?"
    "|(?:opening|closing) balance(?:[^a-z].*)?"
)
OPENING = (
    "alter kontostand",
    "alter saldo",
    "anfangssaldo",
    "anfangsbestand",
    "saldovortrag",
    "opening balance",
)
CLOSING = (
    "neuer kontostand",
    "neuer saldo",
    "endsaldo",
    "endbestand",
    "schlusssaldo",
    "schlussbestand",
    "closing balance",
)
# the whole text of a row that has a day and no amount
LABELS = frozenset((*OPENING, *CLOSING, "kontostand", "saldo", "vortrag"))


def is_balance(text):
    """Return whether a cell, already normal, says that its row shows a balance."""
    return bool(BALANCE.fullmatch(text))


def is_label(cell):
    """Return whether a cell is the label of a balance, and nothing else."""
    return normal(cell).rstrip(":") in LABELS


class Balances:
    """The opening and the closing balances that a file names, in minor units.

    A label that is not one of OPENING and CLOSING says not surely which balance it is: the last one
    of Deutsche Bank may be that before or after the entries.
    """

    def __init__(self, style):
        self.style = style
        self.opening, self.closing = [], []

    def add(self, label, value):
        """Keep the balance with this label. `value` is None if it cannot be read."""
        name = normal(label).rstrip(":")
        if name in OPENING:
            self.opening.append(value)
        if name in CLOSING:
            self.closing.append(value)

    def add_row(self, cells):
        """Keep the balance in a row: a label, and the only amount behind it.

        Of several numbers, one is a day such as 20261130, or the number of an account.
        """
        filled = [cell for cell in cells if cell.strip()]
        if len(filled) < 2:
            return
        numbers = [csv_values.number(cell, self.style) for cell in filled[1:]]
        amounts = [number for number in numbers if number is not None]
        self.add(filled[0], amounts[0] if len(amounts) == 1 else None)

    def check(self, entries, pending, currency):
        """Raise ValueError unless the entries lead from the opening to the closing balance.

        Nothing is checked if the file does not name each once. `pending` are the amounts of the
        rows that are not booked, in minor units, None for one that cannot be read: some banks count
        them.
        """
        known = [*self.opening, *self.closing]
        if len(self.opening) != 1 or len(self.closing) != 1 or None in known:
            return
        change = _scaled(sum(entry.amount for entry in entries), currency)
        opening, closing = known
        if closing == opening + change or None in pending:
            return
        if closing != opening + change + _scaled(sum(pending), currency):
            raise Refused(
                "balance_differs",
                f"The opening balance {opening} {currency} and the rows {change} {currency} make "
                f"{opening + change} {currency}, but the closing balance is {closing} {currency}. Rows are "
                "missing, or were changed. Export the entries from the bank again, without a filter, and do not "
                "open the file in a spreadsheet program.",
            )


def _scaled(units, currency):
    """Return minor units of a currency as a Decimal."""
    return Decimal(units).scaleb(-money.decimals(currency))
