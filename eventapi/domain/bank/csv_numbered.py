"""CSV files without a header line: their columns are named by their numbers, "1", "2" and so on."""

import re

from eventapi.domain.bank import csv_values
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_forms import OWN, names_columns

NUMBER = re.compile("[1-9][0-9]{0,2}")
DECIMALS = re.compile(r"[.,][0-9]{1,2}(?![0-9])")


def names_numbers(own):
    """Return whether all columns that a request names are numbers. `own`: csv_forms.forms_of."""
    if not own or not names_columns(own):
        return False
    return all(NUMBER.fullmatch(normal(own[field])) for field in OWN if field in own)


def names(count):
    """Return the names of so many columns."""
    return [str(number) for number in range(1, count + 1)]


def has_day(cells):
    """Return whether one of the cells is a day."""
    return any(csv_values.DATE.fullmatch(cell.strip()) for cell in cells)


def is_entry(cells, own):
    """Return whether a row has each of the columns, a day and an amount in those with these numbers."""
    row = dict(zip(names(len(cells)), cells, strict=True))
    columns = {field: normal(own[field]) for field in OWN if field in own}
    if not row.keys() >= set(columns.values()):
        return False
    amounts = [row[columns[field]] for field in ("amount", "debit", "credit") if field in columns]
    return has_day([row[columns["booked_on"]]]) and any(map(csv_values.is_like_amount, amounts))


def places(cells):
    """Return the numbers of the first column with a day and of the first one with an amount, or None
    if the row has not both.
    """
    texts = [cell.strip() for cell in cells]
    days = [number for number, text in enumerate(texts, 1) if csv_values.DATE.fullmatch(text)]
    amounts = [
        number
        for number, text in enumerate(texts, 1)
        if number not in days and csv_values.is_like_amount(text) and DECIMALS.search(text)
    ]
    return (days[0], amounts[0]) if days and amounts else None
