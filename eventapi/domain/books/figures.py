"""The figures of months that are kept when they are closed: revenue, tax, payments, and the balances of the customers.

Amounts are in minor units. Each figure is a list of rows with a currency, except `bookings_sha256`: the hash of every
invoice, tax group, payment, refund and move of the month, so that none can change unnoticed.
"""
import json
from hashlib import sha256

from eventapi import money, times
from eventapi.domain.books import ledger
from eventapi.domain.reports import finance
from eventapi.domain.reports.catalogue import REPORTS
from eventapi.domain.reports.periods import next_first_day, spans
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("periods")

BY_PERIOD = {"revenue": finance.revenue, "tax": finance.converted_tax, "payments": finance.payments}
EVERYTHING = {"first": None, "last": None, "period": "month", "as_of": None, "zone": None, "event_key": None,
              "given": frozenset(), "values": {}}


def months(db):
    """Return the months in which something is dated, oldest first."""
    found = {name for statement, of_days in ((sql.next_issue, True), (sql.next_payment, False))
             for name, *_ in json.loads(spans(db, statement, EVERYTHING, of_days=of_days))}
    return sorted(found)


def of_months(db, wanted):
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
        found[month] = {**reports, "balances": balanced(db, days, reports["payments"], balances),
                        "bookings_sha256": digest(db, days)}
        balances = nonzero(found[month]["balances"], "closing_balance")
    return found


def nonzero(totals, name):
    """Return {currency: balance} without balances of 0, so that a month has the same rows whichever month is first."""
    return {row["currency"]: row[name] for row in totals if row[name]}


def balanced(db, days, payments, opening):
    """Return the totals of the ledger in a month, a row for each currency.

    `days`: the month as the parameters of a statement. `payments`: rows of the report. `opening`: currency -> balance.
    """
    found = {}
    for row in (*db.all(sql.issued, **days), *payments, *({"currency": currency} for currency in opening)):
        total = found.setdefault(row["currency"], {"currency": row["currency"], **dict.fromkeys(ledger.AMOUNTS, 0)})
        for name in ledger.MOVEMENTS:
            total[name] += row.get(name, 0)
    for currency, total in found.items():
        total["opening_balance"] = opening.get(currency, 0)
        total["closing_balance"] = ledger.closing_balance(total)
    return [found[currency] for currency in sorted(found)]


def last_day(month):
    """Return the last day of a month such as 2026-05."""
    return times.add_days(next_first_day(f"{month}-01", "month"), -1)


def digest(db, days):
    """Return the SHA-256 of every booking of a period: of one JSON array for each, and a line feed after it."""
    found = sha256()
    for row in db.iterate(sql.entries, **days):
        found.update(f"{as_json(list(row.values()))}\n".encode())
    return found.hexdigest()


def in_major_units(figures):
    """Return figures with amounts in major units."""
    reports = {name: [_in_major_units(row, REPORTS[name]) for row in figures[name]] for name in BY_PERIOD}
    return {**reports, "balances": [money.in_major_units(row, ledger.AMOUNTS) for row in figures["balances"]],
            "bookings_sha256": figures["bookings_sha256"]}


def _in_major_units(row, report):
    """Return a row in major units. Months that were closed by an early version have null for `base_currency`."""
    row = money.in_major_units(row, report.money)
    if report.base_money:
        row["base_currency"] = row.get("base_currency")
        row.update({name: money.major(row.get(name), row["base_currency"]) for name in report.base_money})
    return row
