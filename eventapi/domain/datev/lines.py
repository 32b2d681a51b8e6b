"""The form of the files: a header of 31 fields, the names of the columns, and lines of fields.

DATEV format 700 (EXTF): Windows-1252, CR LF, semicolons, decimal comma, text in quotes, and quotes inside it doubled.
A text that begins with = stays as it is: DATEV imports text as text, and a character before it would change a name.
"""
from datetime import datetime
from decimal import Decimal

from eventapi import times
from eventapi.domain.datev import columns
from eventapi.domain.datev.letters import CHARSET, written

BATCH = 21, "Buchungsstapel", 13            # category, name and version of a format
DEBTORS = 16, "Debitoren/Kreditoren", 5
MOST_TEXTS = 1000                           # replaced texts that are remembered
ORIGIN = "EA"                               # two letters for the program that wrote the file


class Lines:
    """Lines of one file. `replaced` is {text: text as it is written} of texts whose letters were replaced."""

    def __init__(self, names, texts):
        self.names, self.replaced = names, {}
        self.empty = ['""' if place in texts else "" for place in range(len(names))]

    def head(self, header):
        """Return the first two lines as bytes."""
        return _encoded(header) + _encoded(self.names)

    def line(self, fields):
        """Return a line as bytes. `fields` is {1-based column: field as it is written}."""
        values = self.empty.copy()
        for column, field in fields.items():
            values[column - 1] = field
        return _encoded(values)

    def text(self, value, length):
        """Return a text as a field of at most `length` characters. None becomes an empty text."""
        if not value:
            return '""'
        shown = written(value)
        if shown != " ".join(value.split()) and len(self.replaced) < MOST_TEXTS:
            self.replaced[value] = shown
        return quoted(shown[:length].rstrip())


def quoted(text):
    """Return a text of ASCII letters as a field."""
    return '"' + text.replace('"', '""') + '"'


def amount(units, places):
    """Return a positive amount in units of 10^-places, with the two decimals that DATEV requires."""
    return f"{Decimal(units).scaleb(-places):.2f}".replace(".", ",")


def date(day, form):
    """Return a day such as 2026-05-01 in a form such as DDMMYY."""
    year, month, number = day.split("-")
    return form.replace("DD", number).replace("MM", month).replace("YYYY", year).replace("YY", year[2:])


def batch_header(config, made_at, period, *, is_locked):
    """Return the 31 header fields of a batch of bookings. `made_at` is a timestamp, `period` a Period (periods.py)."""
    return _header(config, BATCH, made_at, period.fiscal_year, [
        date(period.first, "YYYYMMDD"), date(period.last, "YYYYMMDD"), quoted(f"Buchungsstapel {period.name}"), '""',
        "1", "0", str(int(is_locked)), quoted(config.currency)])


def debtors_header(config, made_at, fiscal_year):
    """Return the 31 header fields of a file of debtors. They have no period, no booking type and no currency."""
    return _header(config, DEBTORS, made_at, fiscal_year, ["", "", '""', '""', "", "", "", '""'])


def _header(config, kind, made_at, fiscal_year, of_kind):
    category, name, version = kind
    return ['"EXTF"', "700", str(category), quoted(name), str(version), _local(made_at, config.timezone), "",
            quoted(ORIGIN), '""', '""', str(config.datev_adviser), str(config.datev_client),
            date(fiscal_year, "YYYYMMDD"), str(config.datev_account_length), *of_kind,
            "", '""', "", "", quoted(config.datev_chart), "", "", '""', '""']


def _local(timestamp, zone):
    """Return a timestamp as YYYYMMDDHHMMSSmmm in the zone."""
    return datetime.fromisoformat(timestamp).astimezone(times.zone(zone)).strftime("%Y%m%d%H%M%S000")


def _encoded(fields):
    return (";".join(fields) + "\r\n").encode(CHARSET)


def bookings():
    """Return the lines of a batch of bookings."""
    return Lines(columns.BOOKING, columns.BOOKING_TEXTS)


def debtors():
    """Return the lines of a file of debtors."""
    return Lines(columns.DEBTOR, columns.DEBTOR_TEXTS)
