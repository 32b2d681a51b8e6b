"""The account of a CSV file that names it above the columns, or not at all."""

import re

from eventapi.domain.bank import account_numbers
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_rows import IBAN
from eventapi.domain.bank.entries import compact

OLD_NUMBER = re.compile("[0-9][0-9 /-]{4,30}")
LABELS = ("konto", "kontonummer", "konto-nr.", "konto-nr", "account", "account number")


def only(rows, accounts):
    """Return the only one of these accounts, None if there are several, or if the rows above the
    columns have the number of another one.
    """
    return accounts[0] if len(accounts) == 1 and not _names_number(rows) else None


def _names_number(rows):
    """Return whether the rows above the columns have the number of an account."""
    for place, cells in enumerate(rows):
        below = rows[place + 1] if place + 1 < len(rows) else []
        for column, cell in enumerate(cells):
            beside = [*cells[column + 1 : column + 2], *below[column : column + 1]]
            is_label = normal(cell).rstrip(":") in LABELS
            if is_label and any(OLD_NUMBER.fullmatch(value.strip()) for value in beside):
                return True
    return False


def above(rows, accounts):
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
