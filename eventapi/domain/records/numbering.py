"""Invoice numbers without gaps: one series per type and year.

A number is taken in the transaction that uses it.
"""

import re
from string import Formatter

from eventapi.errors import Problem
from eventapi.storage import folding
from eventapi.storage.statements import statements

sql = statements("numbering")

DRAFT = re.compile(r"DRAFT-\d+", re.I)


def format_of(config, invoice_type):
    """Return the number format of invoices or credit notes, with the fields `year` and `seq`."""
    return (
        config.credit_note_number_format
        if invoice_type == "credit_note"
        else config.invoice_number_format
    )


def take(db, name):
    """Return the next number of a counter: 1, 2, 3 … A rollback makes it available again.

    Requires a write transaction.
    """
    return db.value(sql.take, name=name)


def number(db, invoice_type, year):
    """Take the next number of the series of a type and a year.

    Return `{series, sequence, invoice_number}`.

    Raise 409 `duplicate` if an invoice has that number already. Call this inside a write
    transaction.
    """
    series = f"{invoice_type}-{year}"
    sequence = take(db, series)
    text = format_of(db.config, invoice_type).format(year=year, seq=sequence)
    if db.value(sql.taken, invoice_number=text):
        raise Problem(
            "duplicate",
            f"The next `invoice_number`, {text}, is used by another invoice. Either invoices and credit "
            "notes have the same number format, or the format was changed to one that older invoices "
            "used. Change the options invoice_number_format and credit_note_number_format.",
            member="invoice_number",
        )
    return {"series": series, "sequence": sequence, "invoice_number": text}


def next_number(db, invoice_type, year):
    """Return the next number of the series of a type and a year, as an example. It is not taken."""
    last = db.value(sql.last, name=f"{invoice_type}-{year}") or 0
    return format_of(db.config, invoice_type).format(year=year, seq=last + 1)


def looks_running(config, text):
    """Return whether a number looks like that of a draft, or like one that a series makes.

    Case and separators make no difference: on a bank transfer, INV 2026 00001 is INV-2026-00001.
    """
    formats = [format_of(config, invoice_type) for invoice_type in ("invoice", "credit_note")]
    letters = folding.number_letters(text)
    return bool(DRAFT.fullmatch(text)) or any(
        _pattern(number_format).fullmatch(letters) for number_format in formats
    )


def _pattern(number_format):
    """Return the pattern that matches the letters and digits of every number that a format can
    make.
    """
    digits = {"year": r"\d{4}", "seq": r"\d+", None: ""}
    return re.compile(
        "".join(
            re.escape(folding.number_letters(text) or "") + digits[field]
            for text, field, *_ in Formatter().parse(number_format)
        )
    )


def series(db):
    """Return every series with its first and last number, its count and its gaps, of which there
    must be none.

    A number is unique in its series, so a series that has as many as its last one has no gap.
    """
    return [
        _represent(row, [] if _is_whole(row) else db.all(sql.gaps, series=row["series"]))
        for row in db.all(sql.series)
    ]


def _is_whole(row):
    return row["first_sequence"] == 1 and row["count"] == row["last_sequence"]


def _represent(row, gaps):
    invoice_type, _, year = row["series"].rpartition("-")
    if row["counter"] != row["last_sequence"]:
        gaps = [*gaps, {"first": row["last_sequence"] + 1, "last": row["counter"]}]
    return {
        "series": row["series"],
        "invoice_type": invoice_type,
        "year": int(year),
        "first": row["first"],
        "last": row["last"],
        "count": row["count"],
        "gaps": gaps,
    }
