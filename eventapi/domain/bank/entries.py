"""Bank statements as the service sees them, whichever format a bank wrote: statements with booked
entries.

Amounts are whole minor units of their currency, positive for money that came in and negative for
money that went out. Dates are texts such as 2026-12-04. None stands for what the bank does not say.
"""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, replace

MAX_REFERENCE = 2000  # characters; a SEPA transfer has at most 140, a batch in one sum more
MAX_TEXT = 140
MAX_ENTRIES = 50_000  # entries and statements of a file, which are held in memory at once
MAX_TOTAL = 2**63  # minor units, what SQLite stores
YEARS = range(2000, 2100)
LINES = (27, 35)  # characters of the lines in which banks write a text
LONG = 130  # characters. Banks cut a text after 140, and may remove spaces from it afterwards.
SPACES = re.compile(r"\s+")
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
NO_REFERENCE = frozenset(("", "NONREF", "NOTPROVIDED", "NOTAVAILABLE", "KEINEREFERENZ"))


class Refused(ValueError):
    """A file that cannot be imported. code: that of the fault in the response."""

    def __init__(self, code, detail):
        super().__init__(detail)
        self.code = code


@dataclass(frozen=True, slots=True)
class Entry:
    """A booked entry of a statement, or one transaction of a batch.

    key: the identity, 40 characters: the same for the same entry in each file of one format, and for two entries never
    the same. It covers the account, so it is unique in the whole database.
    """

    booked_on: str
    amount: int
    currency: str
    key: str = ""
    valued_on: str | None = None
    party: str | None = None  # the name of the payer, or of the payee if money went out
    party_iban: str | None = None
    party_bic: str | None = None
    ultimate_party: str | None = None  # for whom the payer pays
    reference: str | None = None  # the text of the payer, parts joined without a space
    cut_at: int | None = None  # characters of it after which the bank may have cut off something
    creditor_references: tuple[
        str, ...
    ] = ()  # structured references such as RF91INV202600022, without spaces
    end_to_end_id: str | None = None  # of a returned payment, that of the original one
    mandate: str | None = None
    bank_reference: str | None = None
    is_reversal: bool = False  # takes an earlier entry back; the amount has the sign of this entry
    return_reason: str | None = None  # a code of ISO 20022, such as AC01
    batch_position: int | None = None  # 1 for the first transaction of a batch that was split
    batch_size: int | None = None  # number of its transactions, also if the batch cannot be split
    batch_sum: int | None = None  # what they add up to, if that is not the amount
    code: str | None = None  # the kind of booking, such as PMNT/RCDT/ESCT or NTRF+166+00931
    description: str | None = None  # the same in words of the bank
    sent_amount: int | None = None  # what the payer sent in another currency, without sign
    sent_currency: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of one account in one currency.

    skipped: number of entries in the file that are not booked yet, so they are no money. skipped_states: what a CSV
    file says of them, each text once. empty: number of entries of 0.00, which are left out as well.
    unread_state: the name of a column of a CSV file that is not read and looks like the state of
    its rows, and texts in it that do not say "booked". is_unproven: a report in camt.052 lacks a
    balance, so it may lack entries. notes: number of lines of a CSV file that are no rows, in the first
    statement of the file. note_lines: numbers of the first of them. header: the header line of a CSV
    file whose columns are named, as it is in the file, or the numbers of its columns; empty if it is
    too long to be remembered. format_id: that of the remembered columns by which it was read.
    """

    account: str | None  # IBAN without spaces, or the bank's own number of the account
    currency: str
    entries: tuple[Entry, ...]
    number: str | None = None
    starts_on: str | None = None
    ends_on: str | None = None
    opening: int | None = None
    closing: int | None = None
    skipped: int = 0
    empty: int = 0
    form: str = ""  # the format of the file, such as camt.053.001.08 or the name of a bank
    skipped_states: tuple[str, ...] = ()
    unread_state: tuple[str, ...] = ()
    is_unproven: bool = False
    notes: int = 0
    note_lines: tuple[int, ...] = ()
    header: tuple[str, ...] = ()
    format_id: int | None = None


def identified(account, entries):
    """Return the entries of one statement of this account as a tuple, each with its key.

    With a reference of the bank, that reference, the date and the amount identify an entry. Without
    it, the texts do, without spaces and case, because a bank may wrap the same text in another way.
    Entries that are alike in all of this are counted, within the statement and so within a day: two
    equal payments of a day are two, and the same entry in the next file is the same. The number in
    the statement is not part of the key, since files overlap. Raise ValueError if their sum is too
    large to be stored.
    """
    if sum(abs(entry.amount) for entry in entries) >= MAX_TOTAL:
        raise Refused(
            "unreadable_value",
            f"The amounts of account {account} add up to more than can be stored, so they are wrong. "
            "Download the statement again from the bank.",
        )
    seen, found = Counter(), []
    for entry in entries:
        parts = (account or "", entry.currency, entry.booked_on, str(entry.amount), *_marks(entry))
        seen[parts] += 1
        found.append(replace(entry, key=_digest(*parts, str(seen[parts]))))
    return tuple(found)


def _marks(entry):
    """Return the texts that identify an entry beside its account, date and amount."""
    if entry.bank_reference:
        return ("bank", entry.bank_reference)
    texts = (
        entry.reference,
        entry.party,
        entry.party_iban,
        entry.end_to_end_id,
        *entry.creditor_references,
    )
    return ("text", *(SPACES.sub("", text or "").casefold() for text in texts))


def _digest(*parts):
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:40]


def day(value):
    """Return a datetime.date as text. Raise ValueError if no bank has booked anything in that year."""
    if value.year not in YEARS:
        raise ValueError(f"the year {value.year} is not between {YEARS[0]} and {YEARS[-1]}")
    return value.isoformat()


def check_number(count, most):
    """Raise ValueError if a file has more than `most` entries and statements, a part of
    MAX_ENTRIES.
    """
    if count > most:
        raise Refused(
            "too_many_entries",
            f"At most {MAX_ENTRIES} entries are read at once. Send the statements in several files, such "
            "as one for each month.",
        )


def text(value, longest=MAX_TEXT):
    """Return a text of a bank without control characters and repeated spaces, or None if nothing is
    left.
    """
    value = SPACES.sub(" ", value or "")
    return CONTROL.sub("", value).strip()[:longest].strip() or None


def may_be_cut(*parts):
    """Return whether the bank may have cut off the end of a text that it wrote in these parts or
    lines.

    The parts are those of the file, since their lengths decide. Then the last line is full, or the
    text is long.
    """
    lines = [line for part in parts for line in (part or "").splitlines() if line.strip()]
    lengths = [len(kept) for line in lines[-1:] for kept in (line, line.strip())]
    lengths += [sum(map(len, lines)), sum(len(line.strip()) for line in lines)]
    return bool(lines) and any(
        length >= LONG or 0 in (length % LINES[0], length % LINES[1]) for length in lengths
    )


def joined_lines(lines):
    """Return the lines of a text as one.

    Banks break full lines inside of a word or number as well, so the next line follows without a
    space, unless letters follow digits. Behind a line that is shorter than those of any bank there
    is a space. A number is found with or without it (references.py), but two numbers on two lines
    are two only with it.
    """
    whole, is_full = "", False
    for line in filter(None, lines):
        is_end = whole[-1:].isdigit() and line[0].isalpha()
        whole += line if is_full and not is_end else f" {line}"
        is_full = len(line) >= LINES[0]
    return whole[1:]


def joined(parts):
    """Return the fields `reference` and `cut_at` of an Entry. parts: [(text, whether its end may be
    cut off)].
    """
    whole, cut_at = text(" ".join(part for part, _ in parts), MAX_REFERENCE + 1) or "", None
    for number, (_, is_cut) in enumerate(parts, 1):
        if is_cut and cut_at is None:
            cut_at = len(text(" ".join(part for part, _ in parts[:number]), MAX_REFERENCE) or "")
    if len(whole) > MAX_REFERENCE and cut_at is None:
        cut_at = MAX_REFERENCE
    return {"reference": text(whole, MAX_REFERENCE), "cut_at": cut_at}


def compact(value, longest=35):
    """Return an identifier (IBAN, BIC, RF reference) without spaces and in capitals, or None if it
    is empty.
    """
    return (text(SPACES.sub("", value or ""), longest) or "").upper() or None


def reference(value, longest=MAX_TEXT):
    """Return a reference, or None if it is one of the words that stand for none."""
    value = text(value, longest)
    return None if (value or "").replace(" ", "").upper() in NO_REFERENCE else value
