"""Running numbers without gaps, one series per type and year, taken in the transaction that uses them."""
import re
from string import Formatter

from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("numbering")

DRAFT = re.compile(r"DRAFT-\d+", re.I)


def format_of(config, invoice_type):
    return config.credit_note_number_format if invoice_type == "credit_note" else config.invoice_number_format


def take(db, name):
    """The next number of a counter: 1, 2, 3 …; a rollback gives it back."""
    return db.value(sql.take, name=name)


def number(db, invoice_type, year):
    """The next number of the series of a type and a year: series, sequence, invoice_number."""
    series = f"{invoice_type}-{year}"
    sequence = take(db, series)
    text = format_of(db.config, invoice_type).format(year=year, seq=sequence)
    if db.value(sql.taken, invoice_number=text):
        raise Problem("duplicate", f"The next number, {text}, is taken: do both number formats make the same ones, or was the "
                      "format changed to that of old invoices?", member="invoice_number")
    return {"series": series, "sequence": sequence, "invoice_number": text}


def looks_running(config, text):
    """Whether a number looks like a draft's or like one of the running series."""
    return bool(DRAFT.fullmatch(text) or any(_pattern(format_of(config, kind)).fullmatch(text)
                                             for kind in ("invoice", "credit_note")))


def _pattern(number_format):
    """Matches every number that a format can make."""
    digits = {"year": r"\d{4}", "seq": r"\d+", None: ""}
    return re.compile("".join(re.escape(text) + digits[field] for text, field, *_ in Formatter().parse(number_format)), re.I)


def series(db):
    """Every series with its first and last number, how many there are, and which are missing (there must be none)."""
    return [_represent(row, db.all(sql.gaps, series=row["series"])) for row in db.all(sql.series)]


def _represent(row, gaps):
    invoice_type, _, year = row["series"].rpartition("-")
    if row["counter"] != row["last_sequence"]:
        gaps = [*gaps, {"first": row["last_sequence"] + 1, "last": row["counter"]}]
    return {"series": row["series"], "invoice_type": invoice_type, "year": int(year), "first": row["first"], "last": row["last"],
            "count": row["count"], "gaps": gaps}
