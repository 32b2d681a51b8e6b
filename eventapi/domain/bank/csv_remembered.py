"""Which of the remembered columns (formats.py) read a CSV file of a bank that is not known."""

from dataclasses import dataclass

from eventapi.domain.bank import account_numbers, csv_accounts, csv_numbered
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_forms import form_of
from eventapi.domain.bank.csv_rows import IBAN
from eventapi.domain.bank.csv_tables import (
    SEPARATORS,
    Head,
    first_entry,
    first_rows,
    head_of,
    header_of,
    key_of,
    rows_below,
)
from eventapi.domain.bank.entries import Refused, compact
from eventapi.errors import listed

MOST_NAMED = 3  # accounts that a refusal names
PARAMETERS = "with column_booked_on, column_amount, column_text and so on"


@dataclass(frozen=True)
class Choice:
    """The Head of a file, and the remembered columns that read it. ids: account -> id of its format."""

    head: Head
    own: dict
    ids: dict

    def id_of(self, account):
        """Return the id of the format of an account. Another account in the file is read by the
        first one.
        """
        return self.ids.get(account) or next(iter(self.ids.values()))


def choose(content, remembered, given, accounts):
    """Return the Choice for a text, or None if no columns are remembered for its header line.

    `remembered` is formats.candidates. `given` is the IBAN of the request, `accounts` are those of
    the organiser. Raise Refused if columns are remembered for other accounts only, or if the
    accounts in the file have different ones.
    """
    found, others, named = [], [], set()
    for each in _with_header(content, remembered):
        head = head_of(content, each["own"])
        if not head or key_of(head.header()) != each["key"]:
            continue
        of_file = _accounts_of(content, head, each["own"], given, accounts)
        if each["account"] in of_file:
            found.append((each, head))
        else:
            others.append(each["account"])
            named |= of_file
    if not found:
        if others:
            raise _without_columns(others, named)
        return None
    first, head = found[0]
    if any(each["own"] != first["own"] for each, _ in found):
        raise Refused(
            "unknown_columns",
            "Different columns of this file are remembered for the accounts in it. Export each account by itself, or "
            f"name the columns that read all of them, {PARAMETERS}.",
        )
    return Choice(head, first["own"], {each["account"]: each["id"] for each, _ in found})


def _without_columns(others, named):
    """Return the Refused for a file whose accounts are `named`, while columns with its header line are
    remembered for `others`. None stands for an account that the file does not name.
    """
    if None in named:
        return Refused(
            "account_required",
            "The columns of this file are remembered, but it does not name its account. Send account.",
        )
    shown = listed(sorted(named)[:MOST_NAMED])
    return Refused(
        "unknown_columns",
        f"The columns of this file are remembered for the account {listed(others[:MOST_NAMED])}, but not for {shown}. "
        f"Name them once for it, {PARAMETERS}.",
    )


def _with_header(content, remembered):
    """Return those of the remembered columns whose header line is in a text: of the first row that
    is one of them. There is none if that is the row of a bank that is known. Without such a row, they
    are those that are named by numbers, of a file with as many columns.
    """
    keys = {each["key"] for each in remembered}
    for separator in SEPARATORS if keys else ():
        for cells in first_rows(content, separator):
            key = key_of(header_of(cells))
            if key in keys and form_of([normal(name) for name in cells]):
                return []
            if key in keys:
                return [each for each in remembered if each["key"] == key]
    if not keys:
        return []
    counts = {len(first_entry(content, separator)[1]) for separator in SEPARATORS}
    numbered = {key_of(csv_numbered.names(count)) for count in counts}
    return [each for each in remembered if each["key"] in numbered]


def _accounts_of(content, head, own, given, accounts):
    """Return the set of accounts that the rows of a file belong to. None is in it if a row does not
    say so. A text that is no account stands in a note below the rows, or is refused when it is read.
    """
    if given:
        return {given}
    above = csv_accounts.above(head.above, accounts) or csv_accounts.only(head.above, accounts)
    if "account" not in own:
        return {above}
    place = [normal(name) for name in head.cells].index(normal(own["account"]))
    cells = [row[place] for _, row in rows_below(content, head) if place < len(row)]
    found = {account_numbers.resolved(compact(cell), accounts) or above for cell in cells}
    return {account for account in found if not account or IBAN.fullmatch(account)} or {above}
