"""The two files: the bookings of a month or year, and the debtors.

A file is written once, into a temporary file and in one snapshot of the database. So memory stays
small, and an error is known before the response begins.
"""

from collections import defaultdict
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import NamedTuple

from eventapi import money, times
from eventapi.domain.books import files
from eventapi.domain.books.regions import COUNTRIES
from eventapi.domain.datev import bookings, collecting, comparing, lines
from eventapi.domain.datev.accounts import Accounts, Missing, refuse_incomplete
from eventapi.domain.datev.lines import quoted
from eventapi.errors import invalid_parameter
from eventapi.languages import choice
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.identifiers import companies

sql = statements("datev")


class Period(NamedTuple):
    """A month or a year.

    name: 2026-05 or 2026. first, last: days; `last` is included. begins, ends: timestamps; `ends` is not included.
    fiscal_year: the first day of the fiscal year of `first`.
    """

    name: str
    first: str
    last: str
    begins: str
    ends: str
    fiscal_year: str


def period(config, year, month):
    """Return the Period of a month in the tenant's time zone, or of the year if `month` is None."""
    first = f"{year:04}-{month or 1:02}-01"
    following = f"{year + 1:04}-01-01" if month in (None, 12) else f"{year:04}-{month + 1:02}-01"
    return Period(
        first[:7] if month else first[:4],
        first,
        times.add_days(following, -1),
        times.start(first, config.timezone),
        times.start(following, config.timezone),
        fiscal_year(config, first),
    )


def fiscal_year(config, day):
    """Return the first day of the fiscal year of a day."""
    start = config.datev_fiscal_year_start
    return f"{int(day[:4]) - (day[5:] < start):04}-{start}"


def refuse_two_fiscal_years(config, year, month):
    """Raise 422 for a year that lies in two fiscal years.

    A batch has dates without a year, and so only one of them.
    """
    if month is None and config.datev_fiscal_year_start != "01-01":
        raise invalid_parameter(
            "month",
            "required",
            f"is required: {year} lies in two fiscal years, because "
            f"`datev_fiscal_year_start` is {config.datev_fiscal_year_start}. Request each month by "
            "itself",
        )


PERSON, COMPANY = "1", "2"  # Adressattyp
LANGUAGES = {"de": "1", "en": "5"}  # Sprache: those of our mails and documents
ERASED = "(Daten gelöscht)"


def fields(row, account, lines, config):
    """Return the fields of a debtor, {1-based column: field}.

    `lines` writes the texts, see lines.py.

    A company has the name of its contact person beside it. The second line of an address is its
    addition. DATEV reads only the fields of the kind of addressee.
    """
    person = full_name(row)
    company = row["company_name"] or (ERASED if row["anonymized_at"] else None)
    street, _, addition = (row["address"] or "").partition("\n")
    country, vat_number = vat_id(row["tax_id"])
    texts = {
        8: (company or row["last_name"] or person, 15),
        9: (country, 2),
        10: (vat_number, 13),
        16: (street, 36),
        18: (row["postal_code"], 10),
        19: (row["city"], 30),
        20: (row["country"], 2),
        22: (addition, 36),
        29: (row["phone"], 60),
        33: (row["email"], 60),
        99: (row["number"], 15),
    }
    if company or not person:
        texts.update({2: (company or row["number"], 50), 102: (person, 40)})
    else:
        texts.update(
            {
                4: (row["last_name"] or row["first_name"], 30),
                5: (row["first_name"] if row["last_name"] else None, 30),
            }
        )
    found = {column: lines.text(value, length) for column, (value, length) in texts.items()}
    language = choice.choose(config, row["language"])
    return {
        **found,
        1: account,
        7: quoted(COMPANY if company or not person else PERSON),
        15: quoted("STR" if street else ""),
        101: quoted(LANGUAGES[language]),
    }


def vat_id(text):
    """Return (country, number) of a VAT id of the EU, ("", "") for any other text.

    Greece is EL in VAT ids.
    """
    found = companies.vat_id_by_format(text)
    return (found[:2], found[2:]) if found and found[:2] in COUNTRIES else ("", "")


MOST_BOOKINGS = 99_999  # that DATEV imports from one file
CHUNK = 64 * 1024  # bytes of the file that are sent at a time
WITH_DEBTORS = (sql.invoices, sql.payments, sql.refunds, sql.moves, sql.write_offs, sql.claims)


class File(NamedTuple):
    """A file to be sent. `content` is open at its beginning. `summary` is an API object."""

    name: str
    size: int
    content: object
    summary: dict

    def pieces(self):
        """Yield the content as bytes, and close the file."""
        with self.content:
            while piece := self.content.read(CHUNK):
                yield piece


# Bookings


def batch(db, year, month=None, links=None, *, is_kept=False):
    """Return the File of the bookings of a month, or of a year, as they are computed now.

    DATEV locks those of a file that is kept (`is_kept`), and of a period that was closed by a
    version which kept no files.

    links: {id of an invoice or credit note: GUID of its document}, for the column Beleglink.

    Raise 409 `datev_incomplete`; 422 for a year in two fiscal years, or one with too many bookings.
    """
    refuse_two_fiscal_years(db.config, year, month)
    chosen, missing, sheet = period(db.config, year, month), Missing(), lines.bookings()
    sums, made_at = defaultdict(lambda: [0, 0, 0]), times.now()
    invoice_ids = set()
    with temporary(db.config) as content, db.snapshot():
        accounts = Accounts(db.config, missing, _holders(db))
        is_locked = is_kept or files.is_closed_without_files(db, chosen.last)
        content.write(
            sheet.head(lines.batch_header(db.config, made_at, chosen, is_locked=is_locked))
        )
        for row, booking in collecting.of_period(db, chosen, accounts, links or {}):
            invoice_ids.add(row["invoice_id"])
            booking = collecting.priced(row, booking, db.config, missing)
            for part in (
                bookings.parts(booking, db.config.currency) if booking.units and not missing else ()
            ):
                content.write(
                    sheet.line(
                        bookings.fields(part, sheet, db.config.currency, is_locked=is_locked)
                    )
                )
                _count(sums, part)
        refuse_incomplete(missing)
        days = {"first": chosen.first, "last": chosen.last}
        taken_over = db.value(sql.taken_over, **days)
        left_out = [] if db.config.datev_claims else db.all(sql.claimed, **days)
        tax_differences = comparing.differences(db, invoice_ids)
        count = sum(entry[0] for entry in sums.values())
        if count > MOST_BOOKINGS and month is None:
            raise invalid_parameter(
                "month",
                "too_many",
                f"must be sent: {year} has {count} bookings, and DATEV "
                f"imports at most {MOST_BOOKINGS} from one file",
            )
    return _file(
        f"EXTF_Buchungsstapel_{chosen.name}.csv",
        content,
        sheet,
        {
            "report_type": "datev",
            "filters": {"year": year, "month": month},
            "lines": count,
            "sums": _represented(sums),
            "taken_over": taken_over,
            "documents": 0,
            "claims_left_out": [money.in_major_units(row, ("amount",)) for row in left_out],
            "tax_differences": tax_differences,
            "is_locked": is_locked,
            "generated_at": made_at,
        },
    )


def _count(sums, booking):
    """Add a booking to the control sums: {(kind, currency): [bookings, debit, credit]}."""
    entry = sums[booking.kind, booking.currency]
    entry[0] += 1
    entry[1 if booking.units > 0 else 2] += abs(booking.units)


def _represented(sums):
    """Return the control sums as API objects, in major units."""
    return [
        {
            "kind": kind,
            "currency": currency,
            "bookings": count,
            "debit": money.major(debit, currency),
            "credit": money.major(credit, currency),
        }
        for (kind, currency), (count, debit, credit) in sorted(sums.items())
    ]


# Debtors


def debtor_file(db, year=None, month=None):
    """Return the File of the debtors with bookings in a month or year, or of all.

    Raise 409 `datev_incomplete`; 422 for a month without a year.
    """
    if month and not year:
        raise invalid_parameter("year", "required", "is required together with `month`")
    missing, sheet, made_at = Missing(), lines.debtors(), times.now()
    chosen = year and period(db.config, year, month)
    fiscal = (
        chosen.fiscal_year if chosen else fiscal_year(db.config, times.today(db.config.timezone))
    )
    with temporary(db.config) as content, db.snapshot():
        holders = _holders(db)
        accounts = Accounts(db.config, missing, holders)
        numbers = _numbers(db, chosen) if chosen else sorted(holders)
        content.write(sheet.head(lines.debtors_header(db.config, made_at, fiscal)))
        count = 0
        for number, rows in groupby(
            db.iterate(sql.customers, numbers=as_json(numbers)), itemgetter("number")
        ):
            *_, row = rows  # several contacts may have borne the number
            account, count = accounts.debtor(number), count + 1
            if not missing:
                content.write(sheet.line(fields(row, account, sheet, db.config)))
        refuse_incomplete(missing)
    return _file(
        "_".join(filter(None, ("EXTF_Debitoren", chosen and chosen.name))) + ".csv",
        content,
        sheet,
        {
            "report_type": "datev_debtors",
            "filters": {"year": year, "month": month},
            "lines": count,
            "generated_at": made_at,
        },
    )


def _numbers(db, chosen):
    """Return the customer numbers of the bookings of a period, sorted."""
    return sorted(
        {
            row["debtor_number"]
            for statement in WITH_DEBTORS
            for row in db.iterate(statement, **chosen._asdict())
        }
    )


def _holders(db):
    """Return {customer number: ids of the contacts that bear it} over all sent invoices."""
    holders = defaultdict(set)
    for row in db.iterate(sql.numbers):
        holders[row["number"]].add(row["contact_id"])
    return holders


# Files


@contextmanager
def temporary(config):
    """Open an unnamed file in the data directory, because /tmp may be in memory.

    Close it if the block raises.
    """
    config.files.mkdir(exist_ok=True)
    file = TemporaryFile("w+b", dir=config.files)
    try:
        yield file
    except BaseException:
        file.close()
        raise


def _file(name, content, sheet, summary):
    """Return the File of what was written.

    `summary` gets its name, and the texts whose letters were replaced.
    """
    size = content.tell()
    content.seek(0)
    replaced = [
        {"text": text, "written": written} for text, written in sorted(sheet.replaced.items())
    ]
    return File(name, size, content, {**summary, "file": name, "replaced": replaced})
