"""Reports about money: what was invoiced, taxed, received and is owed. Rows are in minor units, never two currencies in one.

An invoice counts in the period of its issue_date from the moment it is sent, a credit note in its own: a cancelled invoice and the
credit note over it are both there. A payment counts in the period of its payment_date, what was given back of it with it.
"""
import json
from collections import defaultdict

from eventapi import times
from eventapi.domain.reports.periods import spans
from eventapi.storage.statements import statements

sql = statements("reports")

BUCKETS = ("not_due", "1-30", "31-60", "61-90", "90+")


def revenue(db, asked):
    return _by_period(db, sql.revenue, asked, spans(db, sql.next_issue, asked, of_days=True))


def tax(db, asked):
    rows = _by_period(db, sql.tax, asked, spans(db, sql.next_issue, asked, of_days=True))
    return [{**row, "tax_rate": row["tax_rate"] / 100} for row in rows]


def payments(db, asked):
    periods = spans(db, sql.next_payment, asked)
    return _added(*(_by_period(db, sql.payments, asked, periods, word) for word in ("dated", "undated")))


def receivables(db, asked):
    """What is open, by how many days it is past due: now, or as it was at the end of a day that is over."""
    as_of = asked["as_of"] or times.today(db.config.timezone)
    if asked["as_of"] is None:
        rows = db.all(sql.open, asked["given"], **asked["values"])
    else:
        rows = db.all(sql.open_then, asked["given"], **asked["values"], as_of=as_of, until=times.end(as_of, db.config.timezone))
    sums = defaultdict(lambda: [0, 0])
    for row in rows:
        entry = sums[row["currency"], bucket(row["due_date"], as_of)]
        entry[0] += row["invoices"]
        entry[1] += row["amount"]
    currencies = sorted({currency for currency, _ in sums})
    return [{"currency": currency, "bucket": name, "invoices": sums[currency, name][0], "amount": sums[currency, name][1]}
            for currency in currencies for name in BUCKETS]


def bucket(due_date, as_of):
    """Due on the day itself, or never, is not past due."""
    days = times.days_between(due_date, as_of) if due_date else 0
    return BUCKETS[0] if days <= 0 else BUCKETS[min(4, (days + 29) // 30)]


def _by_period(db, statement, asked, periods, *words):
    """The statement gives for each period and kind the figures, as JSON; `words` are more of its optional lines."""
    return [{"period": row["period"], **figures} for row in db.all(statement, asked["given"].union(words), **asked["values"], spans=periods)
            for figures in json.loads(row["figures"])]


def _added(rows, others):
    """Rows of the same key become one."""
    sums = {}
    for row in (*rows, *others):
        key = tuple(value for name, value in row.items() if name in ("period", "currency", "gateway_key"))
        known = sums.get(key)
        sums[key] = row if known is None else {
            name: value if name in ("period", "currency", "gateway_key") else value + row[name] for name, value in known.items()}
    return [sums[key] for key in sorted(sums, key=lambda key: tuple(part or "" for part in key))]
