"""Closed months: what counts in a closed month never changes.

Corrections are dated in an open month.

A month such as 2026-05 is closed together with all months before it, and is never opened again. Its
figures are kept, and the audit log has them with their hash. Days are those of the organiser's time
zone. Each invoice of a closed month in another currency has an exchange rate of its own, so that
the option `exchange_rates` changes no figure of it.
"""

import json
import re
from functools import lru_cache
from hashlib import sha256

from eventapi import journal, money, times
from eventapi.domain.books import files, keeping, ledger
from eventapi.domain.records import entities
from eventapi.domain.reports import finance
from eventapi.domain.reports.catalogue import EVERYTHING, REPORTS
from eventapi.domain.reports.ranges import next_first_day, spans
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql, of_reports = statements("periods"), statements("reports")

MONTH = re.compile(r"(?!000)\d{4}-(0[1-9]|1[0-2])", re.ASCII)
MOST_NAMED = 100  # invoices without exchange rate that an error names
ATTEMPTS = 3  # to close a month with figures that were computed before
BY_PERIOD = {"revenue": finance.revenue, "tax": finance.converted_tax, "payments": finance.payments}
# options that decide what a month contains -> what they are called
OPTIONS = {
    "timezone": "time zone",
    "organiser_country": "country",
    "currency": "currency",
}
LAST_YEAR = "9999"  # the month after December of this year is outside the calendar


# What other modules ask before they write


def first_open_day(db):
    """Return the first day that is not in a closed month, or None if no month is closed."""
    found = db.one(sql.last)
    return found and found["first_open_day"]


def closed_month(db, date):
    """Return the closed month that a date or a timestamp lies in, or None.

    A month that is not over is never closed, and `db.stamp` is never before the closing of a month.
    So a date of this month costs no statement, and that of now, the usual one, only a comparison.
    """
    zone, stamp = db.config.timezone, db.stamp or times.now()
    if date >= stamp:
        return None
    at = times.start(date, zone)
    if at >= month_began(zone, stamp[:16]):
        return None
    last = db.one(sql.last)
    if last is None:
        return None
    # the time zone may have changed since
    is_closed = at < last["open_from"] or (times.is_date(date) and date < last["first_open_day"])
    return times.local_date(date, zone)[:7] if is_closed else None


@lru_cache(maxsize=8)
def month_began(zone, minute):
    """Return the timestamp at which the month began that a minute such as 2026-05-01T09:30 (UTC)
    lies in.
    """
    return times.start(f"{times.local_date(f'{minute}:00Z', zone)[:7]}-01", zone)


def refuse_closed(db, date, member, remedy):
    """Raise 409 `period_closed` if a date or timestamp lies in a closed month.

    `member` is the field that has the date or cannot change because of it, `remedy` a sentence that
    says what to do.
    """
    month = closed_month(db, date)
    if month:
        raise closed(db, month, member, f"`{member}` is {date}, and {month} is closed.", remedy)


def closed(db, month, member, fact, remedy):
    """Return the 409 Problem for a change in a closed month. `fact` and `remedy` are sentences."""
    return Problem(
        "period_closed",
        f"{fact} {remedy}",
        month=month,
        member=member,
        first_open_day=first_open_day(db),
    )


# Closing


def all_months(db):
    """Return the months with records and the closed months as API objects, oldest first."""
    with db.snapshot():
        kept = files.of_months(db)
        rows = {
            row["month"]: represent(row, kept.get(row["month"], [])) for row in db.all(sql.list)
        }
        last = max(rows, default="")
        months = sorted({*rows, *months_with_bookings(db)})
    return [
        rows.get(month) or unclosed(month, "closed" if month <= last else "open")
        for month in months
    ]


def unclosed(month, state):
    """Return the API object of a month without figures: an open one, or a closed one without a
    record.
    """
    return {
        "month": month,
        "state": state,
        **dict.fromkeys(("closed_at", "closed_by", "figures", "sha256")),
        "files": [],
    }


def represent(row, kept):
    """Return the API object of a closed month, with its amounts in major units and the files that
    were kept.
    """
    return {
        "month": row["month"],
        "state": "closed",
        "closed_at": row["closed_at"],
        "closed_by": row["admin_name"],
        "figures": in_major_units(json.loads(row["figures"])),
        "sha256": row["sha256"],
        "files": kept,
    }


def close_in_pieces(write, db, values, keeps=()):
    """Close a month with figures and files that are computed before the write lock is taken.

    See `in_pieces` in web/routes.py, and `close` for `keeps`.

    Compute them again if a booking of the months has changed meanwhile. After ATTEMPTS, leave the
    closing to `close`.
    """
    month = values["month"]
    for _ in range(ATTEMPTS):
        with db.snapshot():
            seen = db.value(sql.last_audit_entry)
            closing = to_close(db, month)
            computed = figures_of(db, closing)
            written = keeping.written_of(db, closing, keeps)
        if not computed:
            return
        with write() as writer:
            if not is_changed(writer, month, seen):
                keep_all(writer, to_close(writer, month), computed, written)
                return


def close(db, month, keeps=()):
    """Close a month and all months before it, and return the API object of the month.

    `keeps` are the files that subjects add (`Kept` in records/subject.py). A month that is closed
    already stays as it is. Call this inside a write transaction. Raise 404 for what is no month, and
    409 `period_not_over` or `period_incomplete`.
    """
    closing = to_close(db, month)
    keep_all(db, closing, figures_of(db, closing), keeping.written_of(db, closing, keeps))
    return closed_period(db, month)


def closed_period(db, month):
    """Return the API object of a closed month."""
    row = db.one(sql.get, month=month)
    return represent(row, files.of_month(db, month)) if row else unclosed(month, "closed")


def to_close(db, month):
    """Return the months that are closed together with a month, sorted: none if it is closed
    already.

    Raise 404 for what is no month, and 409 `period_not_over` or `period_incomplete`.
    """
    refuse_no_month(month)
    last = db.one(sql.last)
    if last and month <= last["month"]:
        return []
    refuse_early(db, month)
    refuse_unconverted(db, month, last["first_open_day"] if last else "")
    months = {
        found
        for found in months_with_bookings(db)
        if found < month and (not last or found > last["month"])
    }
    return sorted({*months, month})


def refuse_no_month(month):
    """Raise 404 for a text that is no month."""
    if not MONTH.fullmatch(month) or month >= LAST_YEAR:
        raise Problem(
            "not_found", f"Month {month} not found. Write a month as YYYY-MM, such as 2026-09."
        )


def is_changed(db, month, seen):
    """Return whether a booking until the end of a month may have changed after the audit entry
    `seen`.
    """
    day = next_first_day(f"{month}-01", "month")
    return bool(
        db.value(
            sql.changed,
            seen=seen,
            first_open_day=day,
            open_from=times.start(day, db.config.timezone),
        )
    )


def refuse_early(db, month):
    """Raise 409 `period_not_over` for a month that is not over in the organiser's time zone."""
    first_day = next_first_day(f"{month}-01", "month")
    if times.today(db.config.timezone, db.now) < first_day:
        raise Problem(
            "period_not_over",
            f"{month} is not over. Close it on {first_day} or later.",
            month=month,
            closable_from=first_day,
        )


def refuse_unconverted(db, month, since):
    """Raise 409 `period_incomplete` if an invoice from the day `since` until the end of a month has
    no exchange rate.

    The option `exchange_rates` may change later. An invoice takes the rate from there when it is
    sent.
    """
    values = {
        "since": since,
        "before": next_first_day(f"{month}-01", "month"),
        "home": db.config.currency,
        "most": MOST_NAMED,
    }
    invoices = db.all(sql.without_rate, **values) + db.all(sql.taxed_without_rate, **values)
    if invoices:
        numbers = ", ".join(invoice["invoice_number"] for invoice in invoices)
        raise Problem(
            "period_incomplete",
            f"These invoices are not in {db.config.currency} and have no exchange rate: "
            f"{numbers}. Set `exchange_rate` of each, then close the month again.",
            month=month,
            invoices=invoices,
        )


def keep_later(db, month, kept):
    """Keep the files of a closed month that were not kept when it was closed, and return the API
    object of the month.

    What is kept already stays as it is. Call this inside a write transaction. Raise 404 for what is
    no month, 409 `period_open`, and as `kept.write`.
    """
    refuse_no_month(month)
    last = db.one(sql.last)
    if not last or month > last["month"]:
        raise Problem(
            "period_open",
            f"{month} is not closed. Close it first: POST /reports/periods/{month}/close.",
            month=month,
        )
    lacking = {row["month"]: row["id"] for row in files.without(db, kept.names[0])}
    if month in lacking:
        keeping.add(db, lacking[month], month, kept.write(db, month))
    return closed_period(db, month)


def keep_all(db, months, computed, written):
    """Store and journal months that are closed.

    `computed`: {month: figures}, `written`: {month: {name: Packed}}; both may have other months,
    too.
    """
    for month in months:
        keep(db, month, computed[month], written[month])


def keep(db, month, kept, written):
    """Store and journal a month that is closed. `kept` are its figures, `written` its files."""
    day, zone, text = next_first_day(f"{month}-01", "month"), db.config.timezone, as_json(kept)
    digest = sha256(text.encode()).hexdigest()
    id = db.insert(
        sql.add,
        month=month,
        first_open_day=day,
        open_from=times.start(day, zone),
        timezone=zone,
        organiser_country=db.config.organiser_country,
        currency=db.config.currency,
        admin_id=db.actor.admin_id,
        admin_name=db.actor.admin_name,
        figures=text,
        sha256=digest,
        now=db.now,
    )
    hashes = files.add(db, id, written)
    journal.administered(
        db,
        entities.PERIOD,
        "closed",
        id,
        title=month,
        old={"state": "open"},
        new={
            "state": "closed",
            "month": month,
            "sha256": digest,
            "files": hashes,
            "figures": kept,
        },
    )


# The figures: revenue, tax, payments, and the balances of the customers, in minor units. Each is a
# list of rows with a currency, except `bookings_sha256`: the hash of every invoice, tax group,
# payment, refund, move, write-off and claim of the month, so that none can change unnoticed.


def months_with_bookings(db):
    """Return the months in which something is dated, oldest first."""
    found = {
        name
        for statement, of_days in (
            (sql.next_issue, True),
            (of_reports.next_tax, True),
            (sql.next_claim, True),
            (sql.next_payment, False),
        )
        for name, *_ in json.loads(spans(db, statement, EVERYTHING, of_days=of_days))
    }
    return sorted(found)


def figures_of(db, wanted):
    """Return {month: figures} of these months, which are sorted. Each is read once."""
    if not wanted:
        return {}
    selection = {**EVERYTHING, "first": f"{wanted[0]}-01", "last": last_day(wanted[-1])}
    rows = {name: report(db, selection) for name, report in BY_PERIOD.items()}
    before = ledger.totals(ledger.accounts(db, selection["first"], selection["first"]))
    balances, found = nonzero(before, "opening_balance"), {}
    for month in wanted:
        days = ledger.span(db.config, f"{month}-01", last_day(month))
        reports = {name: [row for row in rows[name] if row["period"] == month] for name in rows}
        found[month] = {
            **reports,
            "balances": balanced(db, days, reports["payments"], balances),
            "bookings_sha256": bookings_hash(db, days),
        }
        balances = nonzero(found[month]["balances"], "closing_balance")
    return found


def nonzero(totals, name):
    """Return {currency: balance} without balances of 0, so that a month has the same rows whichever
    month is first.
    """
    return {row["currency"]: row[name] for row in totals if row[name]}


def balanced(db, days, payments, opening):
    """Return the totals of the ledger in a month, a row for each currency.

    `days`: the month as the parameters of a statement. `payments`: rows of the report. `opening`:
    currency -> balance.
    """
    found = {}
    rows = (
        *db.all(sql.issued, **days),
        *payments,
        *db.all(sql.written_off, **days),
        *db.all(sql.claimed, **days),
    )
    for row in (*rows, *({"currency": currency} for currency in opening)):
        total = found.setdefault(
            row["currency"], {"currency": row["currency"], **dict.fromkeys(ledger.AMOUNTS, 0)}
        )
        for name in ledger.MOVEMENTS:
            total[name] += row.get(name, 0)
    for currency, total in found.items():
        total["opening_balance"] = opening.get(currency, 0)
        total["closing_balance"] = ledger.closing_balance(total)
    return [found[currency] for currency in sorted(found)]


def last_day(month):
    """Return the last day of a month such as 2026-05."""
    return times.add_days(next_first_day(f"{month}-01", "month"), -1)


def bookings_hash(db, days):
    """Return the SHA-256 of every booking of a period: of one JSON array for each, and a line feed
    after it.
    """
    found = sha256()
    for row in db.iterate(sql.entries, **days):
        found.update(f"{as_json(list(row.values()))}\n".encode())
    return found.hexdigest()


def in_major_units(figures):
    """Return figures with amounts in major units."""
    reports = {
        name: [_in_major_units(row, REPORTS[name]) for row in figures[name]] for name in BY_PERIOD
    }
    # early versions had no write-offs, and no claims
    written = [{"written_off": 0, "claimed": 0, **row} for row in figures["balances"]]
    return {
        **reports,
        "balances": [
            {
                "currency": row["currency"],
                **{name: money.major(row[name], row["currency"]) for name in ledger.AMOUNTS},
            }
            for row in written
        ],
        "bookings_sha256": figures["bookings_sha256"],
    }


def _in_major_units(row, report):
    """Return a row in major units.

    Months that were closed by an early version have null for `base_currency`.
    """
    row = money.in_major_units(row, report.money)
    if report.base_money:
        row.setdefault("region", None)  # an earlier version had none
        row["base_currency"] = row.get("base_currency")
        row.update(
            {name: money.major(row.get(name), row["base_currency"]) for name in report.base_money}
        )
    return row


# Checks of `eventapi check`


def check(db):
    """Yield a sentence for each closed month whose figures differ from those when it was closed."""
    rows = db.all(sql.list)
    for row in rows:
        for name, words in OPTIONS.items():
            now = getattr(db.config, name)
            # null: closed by an earlier version, so it is not known
            if row[name] is not None and row[name] != now:
                yield (
                    f"{row['month']} was closed with the {words} {row[name]}, but the option {name} is {now} now: "
                    "set it back"
                )
        if sha256(row["figures"].encode()).hexdigest() != row["sha256"]:
            yield f"{row['month']}: the figures that were kept when the month was closed were changed"
    computed = figures_of(db, [row["month"] for row in rows])
    for row in rows:
        kept = json.loads(row["figures"])
        for name in kept:
            if kept[name] != as_kept(computed[row["month"]][name], kept[name]):
                yield f"{row['month']}: {name} differ from those when the month was closed"
    yield from keeping.check(db)


def as_kept(computed, kept):
    """Return computed figures as JSON, without columns that the figures kept by an early version
    lack.
    """
    computed = json.loads(as_json(computed))
    if isinstance(kept, list) and kept and len(computed) == len(kept):
        return [{name: row[name] for name in kept[0] if name in row} for row in computed]
    return computed
