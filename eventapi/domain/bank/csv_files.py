"""Read bank statements in the CSV files of German banks.

Most of these files say nothing about their balance and have no references of their own, so one that
was cut off between two rows cannot be recognised. Balances above and below the rows prove that the
file is whole (csv_balances.py). A value that cannot be read refuses the file: it never becomes 0.00
or an empty text.
"""

from dataclasses import dataclass, field, replace

from eventapi.domain.bank import (
    account_numbers,
    csv_accounts,
    csv_balances,
    csv_remembered,
    entries,
)
from eventapi.domain.bank.csv_rows import Row
from eventapi.domain.bank.csv_states import MOST_STATES, state_columns, unbooked
from eventapi.domain.bank.csv_tables import content_of, head_of, refusal, table_of
from eventapi.domain.bank.entries import Refused, Statement, compact, identified

MAX_STATE = 40  # characters of the state of a row that a warning shows
MOST_NAMED = 5  # states that a warning names
MOST_LINES = 20  # lines that a warning names
MAX_HEADER = 8000  # characters of a header line that is remembered


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
        if not self.last or not self.table.is_open or not self.last.may_be_cut():
            return
        if self.last.line == self.last_entry + 1:
            self.last.check_cells()


def read(file, account=None, most=entries.MAX_ENTRIES, own=None, accounts=(), remembered=()):
    """Return the Statements of a CSV file: one for each account and currency in it.

    `account` is the IBAN for a file that does not name its account. `accounts` are the IBANs of the
    organiser, see archives.read. `own` are the columns of a bank that is not known
    (csv_forms.forms_of), `remembered` those of earlier files (formats.candidates), which read a
    file without `own`. Raise Refused if the file is not the CSV of a bank that is known, if a row
    cannot be read, if the file is that of another account, or if it has more than `most` rows.
    """
    content, given = content_of(file), compact(account)
    choice = None if own else csv_remembered.choose(content, remembered, given, accounts)
    head = choice.head if choice else head_of(content, own)
    if not head:
        raise refusal(content, own)
    table = table_of(content, head, most, choice.own if choice else own)
    stated = csv_accounts.above(table.above, accounts)
    only = csv_accounts.only(table.above, accounts)
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
    header = head.header() if table.form.is_own else ()
    if sum(map(len, header)) > MAX_HEADER:
        header = ()
    found = [
        replace(
            _statement(table.form, own_account, currency, group, unread),
            header=header,
            format_id=choice.id_of(own_account) if choice else None,
        )
        for (own_account, currency), group in groups.items()
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
