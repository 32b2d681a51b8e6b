"""Reports about money: revenue, tax, payments and receivables.

Amounts are in minor units, and a row has one currency.

Sent invoices and credit notes count in the period of their own issue_date, their tax on the days of
the tax point. A cancelled invoice therefore still counts, and the credit note for it counts as
well. A payment counts in the period of its payment_date, a refund in that of its refunded_at. A
payment that moved to another invoice counts for it from the move on. Later bookings therefore do
not change the figures of an earlier date; corrections do: a deletion, or another amount, currency,
date or gateway.

For `selection` see catalogue.py.
"""

import json
from bisect import bisect_right
from collections import defaultdict

from eventapi import money, times
from eventapi.domain.reports.ranges import spans
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("reports")

BUCKETS = ("not_due", "1-30", "31-60", "61-90", "90+")
OVERPAID = "overpaid"  # the bucket of what is owed to customers


def revenue(db, selection):
    """Return the invoiced and credited amounts by period and currency."""
    return _by_period(
        db, sql.revenue, selection, spans(db, sql.next_issue, selection, of_days=True)
    )


def tax(db, selection):
    """Return net amounts and tax by period, currency, tax category, rate in percent, and region of
    the buyer.

    They count on the days of the tax point (see books/taxes.py).
    """
    rows = _by_period(db, sql.tax, selection, spans(db, sql.next_tax, selection, of_days=True))
    return [{**row, "tax_rate": row["tax_rate"] / 100} for row in rows]


def converted_tax(db, selection):
    """Return the rows of `tax` with `base_currency`, the tenant's, and net amount and tax in it.

    Amounts are converted at the exchange rate of their invoice, else at that of the options, as in
    the file for DATEV. They are None if an invoice of the row has neither.
    """
    base, rows = db.config.currency, tax(db, selection)
    foreign = sorted({row["currency"] for row in rows} - {base})
    rates = [
        (
            currency,
            money.usual_rate(db.config, currency),
            10 ** (5 + money.decimals(currency) - money.decimals(base)),
        )
        for currency in foreign
    ]
    periods = spans(db, sql.next_tax, selection, of_days=True)
    found = (
        _by_period(db, sql.converted_tax, selection, periods, rates=as_json(rates)) if rates else []
    )
    sums = {
        (
            row["period"],
            row["currency"],
            row["tax_category"],
            row["tax_rate"] / 100,
            row["region"],
        ): row
        for row in found
    }
    for row in rows:
        amounts = sums.get(
            tuple(
                row[name] for name in ("period", "currency", "tax_category", "tax_rate", "region")
            )
        )
        row.update(
            base_currency=base,
            base_net=amounts["base_net"] if amounts else row["net"],
            base_tax=amounts["base_tax"] if amounts else row["tax"],
        )
    return rows


def payments(db, selection):
    """Return the payments and refunds by period, currency and gateway.

    Payments with and without a payment_date are read by two queries, so that both use an index.
    """
    periods = spans(db, sql.next_payment, selection)
    if selection["given"]:
        rows = _payments_of_event(db, selection, periods) + _by_period(
            db, sql.moves, selection, periods
        )
    else:
        rows = _by_period(db, sql.payments, selection, periods)
        rows += _by_period(db, sql.undated_payments, selection, periods)
    rows += _by_period(db, sql.refunds, selection, periods)
    return _added(rows)


def _payments_of_event(db, selection, periods):
    """Return the payments of an event by period, currency and gateway.

    Periods are found here, because SQLite would have to sort the payments of the event to group
    them.
    """
    found, sums = json.loads(periods), {}
    starts = [start for _, start, _ in found]
    for at, currency, gateway_key, amount, fee in db.tuples(
        sql.payments_of_event, **selection["values"]
    ):
        place = bisect_right(starts, at) - 1
        if place < 0 or at >= found[place][2]:
            continue
        entry = sums.setdefault((place, currency, gateway_key), [0, 0, 0])
        entry[0] += 1
        entry[1] += amount
        entry[2] += fee
    return [
        {
            "period": found[place][0],
            "currency": currency,
            "gateway_key": gateway_key,
            "payments": count,
            "received": received,
            "refunded": 0,
            "fees": fees,
            "net": received - fees,
        }
        for (place, currency, gateway_key), (count, received, fees) in sums.items()
    ]


def receivables(db, selection):
    """Return the open amounts by currency and days past due: at present, or at the end of the day
    `as_of`.

    The bucket `overpaid` holds what is owed to customers, as a positive amount.
    """
    as_of = selection["as_of"] or times.today(db.config.timezone)
    if selection["as_of"] is None:
        rows = db.all(sql.open, selection["given"], **selection["values"])
    else:
        until = times.end(as_of, db.config.timezone)
        rows = db.all(
            sql.open_then, selection["given"], **selection["values"], as_of=as_of, until=until
        )
    sums = defaultdict(lambda: [0, 0])
    for row in rows:
        entry = sums[
            row["currency"], bucket(row["due_date"], as_of) if row["amount"] > 0 else OVERPAID
        ]
        entry[0] += row["invoices"]
        entry[1] += abs(row["amount"])
    currencies = sorted({currency for currency, _ in sums})
    rows = [
        (currency, name, *sums[currency, name])
        for currency in currencies
        for name in (*BUCKETS, OVERPAID)
    ]
    return [
        dict(zip(("currency", "bucket", "invoices", "amount"), row, strict=True)) for row in rows
    ]


def bucket(due_date, as_of):
    """Return the bucket of an invoice.

    An invoice without due date, or due on the day itself, is not past due.
    """
    days = times.days_between(due_date, as_of) if due_date else 0
    return BUCKETS[0] if days <= 0 else BUCKETS[min(4, (days + 29) // 30)]


def _by_period(db, statement, selection, periods, **values):
    """Return the rows of all periods, which are the result of `spans`.

    `values` are further parameters.

    The statement returns for each period a JSON array of rows.
    """
    found = db.all(statement, selection["given"], **selection["values"], **values, spans=periods)
    return [
        {"period": row["period"], **figures}
        for row in found
        for figures in json.loads(row["figures"])
    ]


def _added(rows):
    """Add up the rows with the same period, currency and gateway, and sort them by these."""
    keys = ("period", "currency", "gateway_key")
    sums = {}
    for row in rows:
        key = tuple(row[name] for name in keys)
        if key not in sums:
            sums[key] = dict(row)
        else:
            for name in row.keys() - set(keys):
                sums[key][name] += row[name]
    return [sums[key] for key in sorted(sums, key=lambda key: tuple(part or "" for part in key))]
