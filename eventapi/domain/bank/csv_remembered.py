"""Which of the remembered columns (formats.py) read a CSV file of a bank that is not known."""

from dataclasses import dataclass

from eventapi.domain.bank import account_numbers, csv_accounts, csv_numbered
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_forms import form_of
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
    """Return the Choice for a text, or None if no columns are remembered for its account and header
    line, or if its accounts have different ones.

    `remembered` is formats.candidates. `given` is the IBAN of the request, `accounts` are those of
    the organiser. Raise Refused if only the account is missing.
    """
    found, is_nameless = [], False
    for each in _with_header(content, remembered):
        head = head_of(content, each["own"])
        if not head or key_of(head.header()) != each["key"]:
            continue
        named = _accounts_of(content, head, each["own"], given, accounts)
        is_nameless = is_nameless or None in named
        if each["account"] in named:
            found.append((each, head))
    if not found and is_nameless:
        raise Refused(
            "account_required",
            "The columns of this file are remembered, but it does not name its account. Send account.",
        )
    if not found or any(each["own"] != found[0][0]["own"] for each, _ in found):
        return None
    ids = {each["account"]: each["id"] for each, _ in found}
    return Choice(found[0][1], found[0][0]["own"], ids)


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
    say so.
    """
    if given:
        return {given}
    above = csv_accounts.above(head.above, accounts) or csv_accounts.only(head.above, accounts)
    if "account" not in own:
        return {above}
    place = [normal(name) for name in head.cells].index(normal(own["account"]))
    cells = [row[place] for _, row in rows_below(content, head) if place < len(row)]
    return {account_numbers.resolved(compact(cell), accounts) or above for cell in cells}
