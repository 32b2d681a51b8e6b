"""The first rows of a file with bank statements, for the person who says how to read it.

This runs in the process that parses the file (parsed.look), like everything that reads it.
"""

from contextlib import closing

from eventapi import money
from eventapi.domain.bank import archives, camt, csv_numbered, csv_values, guesses
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_forms import form_of
from eventapi.domain.bank.csv_states import is_state, state_columns
from eventapi.domain.bank.csv_tables import (
    SEPARATORS,
    content_of,
    entry_without_header,
    first_rows,
    header_of,
    key_of,
)
from eventapi.domain.bank.entries import Refused, text

ROWS = 8
COLUMNS = 60
CELL = 40  # characters
NAME = 60  # characters of the name of a column, as the API takes it
STATES = 8  # different texts in a column of states
NAMED = 5  # entries


def preview(file, account, own, accounts, *, reads):
    """Return {table, entries} of a file that is open for reading.

    `table` has the first rows of a CSV file, see `_table`; None for XML. `entries` is what the file
    means if it is read with `account` and `own` (archives.read), see `_entries_of`: of XML, and of
    CSV if `reads` is true. It is None if the file is refused.
    """
    table = _table_of(file)
    is_read = reads or table is None
    return {
        "table": table,
        "entries": _entries_of(file, account, own, accounts) if is_read else None,
    }


# The first rows


def _table_of(file):
    """Return the table of the file, in a ZIP that of its first one."""
    start = file.read(4)
    file.seek(0)
    if start not in archives.ZIP:
        return _table(file)
    with closing(archives.members(file)) as members:
        for _, member in members:
            return _table(member)


def _table(file):
    """Return {bank, key, names, rows, columns, guess, states} of a CSV file, or None of an XML file.

    `bank` is the name of the form by which it is recognised, or None. `names` are the cells of the
    row with the names of the columns, `rows` those below it, and `key` is csv_tables.key_of it.
    `columns` has the name of each column that a request can name -> a text in it, and `guess` is
    guesses.columns of them. `states` are the different texts of each column that seems to say which
    rows are booked.
    """
    start = file.read(200)
    file.seek(0)
    if camt.recognise(start):
        return None
    content = content_of(file)
    form, separator, place = _header(content)
    header, *below = list(first_rows(content, separator))[place:]
    places = None if form else csv_numbered.places(header)
    if places:
        below = [header, *below]
        header = csv_numbered.names(len(header))
    below = [cells for cells in below if any(cell.strip() for cell in cells)]
    width = max((_width(cells) for cells in (header, *below[:ROWS])), default=0)
    names = [shown(name, NAME) for name in header[:width]]
    columns = _columns(names, below)
    return {
        "bank": form and form.name,
        "key": key_of(header_of(header)),
        "names": names,
        "rows": [[shown(cell) for cell in cells[:width]] for cells in below[:ROWS]],
        "columns": columns,
        "guess": _guess(columns, places),
        "states": _states(names, below, form),
    }


def _width(cells):
    """Return the number of columns of a row that the page shows, without empty ones at its end."""
    places = [place for place, cell in enumerate(cells[:COLUMNS], 1) if cell.strip()]
    return max(places, default=0)


def shown(cell, longest=CELL):
    """Return the text of a cell in one line, cut off after so many characters."""
    value = text(cell, longest + 1) or ""
    return value if len(value) <= longest else f"{value[:longest].rstrip()}…"


def _header(content):
    """Return (Form of a bank that is known or None, separator, place of the row) of the names of the columns.

    If no bank is known, it is the first row with most texts, of which those count more that are
    names of columns elsewhere.
    """
    best = (0, SEPARATORS[0], 0)
    for separator in SEPARATORS:
        for place, cells in enumerate(first_rows(content, separator)):
            names = [normal(name) for name in cells]
            if form := form_of(names):
                return form, separator, place
            points = _points(names[:COLUMNS])
            if points > best[0]:
                best = (points, separator, place)
    if found := entry_without_header(content):
        separator, place, _ = found
        return None, separator, place
    return None, *best[1:]


def _points(names):
    texts = [name for name in dict.fromkeys(names) if name and not _is_value(name)]
    if len(texts) < 2:
        return 0
    return len(texts) + 10 * len(guesses.columns(texts))


def _is_value(cell):
    return csv_values.is_like_amount(cell) or csv_values.is_like_day(cell)


def _columns(names, rows):
    """Return {name: the first text below it} of the columns that a request can name: once there."""
    found = {}
    normals = [normal(name) for name in names]
    for place, name in enumerate(names):
        if not name or len(name) > NAME or normals.count(normals[place]) > 1:
            continue
        texts = (row[place].strip() for row in rows if place < len(row))
        found[name] = shown(next(filter(None, texts), ""))
    return found


def _guess(columns, places):
    """Return {key of csv_forms.OWN: name}. `places`: csv_numbered.places of a file without names."""
    if places is None:
        return guesses.columns(columns)
    day, amount = places
    found = {"booked_on": str(day), "amount": str(amount)}
    # A column behind the last one that is shown cannot be chosen.
    return {field: name for field, name in found.items() if name in columns}


def _states(names, rows, form):
    normals = [normal(name) for name in names]
    if form:
        columns = state_columns(normals, form)
    else:
        columns = [name for name in normals if is_state(name)]
    found = {}
    for column in columns:
        place = normals.index(column)
        texts = (shown(row[place]) for row in rows if place < len(row))
        found[names[place]] = [each for each in dict.fromkeys(texts) if each][:STATES]
    return found


# What it means


def _entries_of(file, account, own, accounts):
    """Return {first, totals} of the entries in a file, or None if it is refused.

    `first` are some of them as {booked_on, amount, currency, party, text}, `totals` the sums by
    currency as {currency, credit, debit}; amounts are those of the API.
    """
    file.seek(0)
    try:
        statements = list(archives.read(file, account, own=own, accounts=accounts))
    except Refused:
        return None
    entries = [entry for statement in statements for entry in statement.entries]
    return {
        "first": [_entry(entry) for entry in entries[:NAMED]],
        "totals": [_total(entries, code) for code in dict.fromkeys(e.currency for e in entries)],
    }


def _entry(entry):
    return {
        "booked_on": entry.booked_on,
        "amount": money.major(entry.amount, entry.currency),
        "currency": entry.currency,
        "party": shown(entry.party or ""),
        "text": shown(entry.reference or entry.description or "", 3 * CELL),
    }


def _total(entries, currency):
    amounts = [entry.amount for entry in entries if entry.currency == currency]
    return {
        "currency": currency,
        "credit": money.major(sum(amount for amount in amounts if amount > 0), currency),
        "debit": money.major(-sum(amount for amount in amounts if amount < 0), currency),
    }
