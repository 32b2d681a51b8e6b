"""The ledger: for each customer and currency, what was owed before, what was added, and what is
owed after.

The customer is the one on the invoice as it was sent, so that merging contacts changes no account.
Invoices and credit notes count at their issue_date, payments, refunds and write-offs at their
dates. What a dunning letter claims counts on the day on which it is sent, and is taken back on that
of its withdrawal. A payment that moves to an invoice of another customer is subtracted from the one
and added to the other on the day of the move. Amounts are in minor units; a balance is positive if
the customer owes it, and negative if the customer has overpaid.

The reports on the ledger have a proof: its totals beside the figures of other reports, and the
number series. Each comparison is computed by other statements than the ledger, and says whether
both agree.
"""

from eventapi import money, times
from eventapi.domain.records import numbering
from eventapi.domain.reports import finance
from eventapi.domain.reports.catalogue import EVERYTHING, LAST_DAY
from eventapi.domain.reports.ranges import next_first_day, selected
from eventapi.errors import invalid_parameter, not_found
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("ledger")

MOVEMENTS = ("invoiced", "credited", "claimed", "received", "refunded", "written_off")
AMOUNTS = ("opening_balance", *MOVEMENTS, "closing_balance")
ALWAYS = {"first": "0001-01-01", "last": "9999-12-31", "begins": "0001-01-01", "ends": "9999-12-31"}
# of the reports
COLUMNS = ("customer_number", "customer_name", "currency", *AMOUNTS)
OF_CUSTOMER = ("date", "type", "invoice_number", "payment_id", "currency", "amount", "balance")
FILTERS = ("customer_number", "currency")


def span(config, first, last):
    """Return the parameters of a statement that select what is dated from `first` to `last`.

    Both may be None.
    """
    zone, found = config.timezone, dict(ALWAYS)
    if first:
        found.update(first=first, begins=times.start(first, zone))
    if last:
        found.update(last=last, ends=times.start(times.add_days(last, 1), zone))
    return found


def accounts(db, first, last, **filters):
    """Return a row for each customer and currency with a balance before `first`, or with a movement
    until `last`.

    Both are days and may be None. `filters`: customer_number, currency; prepaid=1 for only what was
    paid for invoices that were issued after `last`.
    """
    rows = db.all(sql.accounts, frozenset(filters), **filters, **span(db.config, first, last))
    return [{**row, "closing_balance": closing_balance(row)} for row in rows]


def closing_balance(row):
    """Return what is owed after the movements of a row."""
    return (
        row["opening_balance"]
        + row["invoiced"]
        - row["credited"]
        + row["claimed"]
        - row["received"]
        + row["refunded"]
        - row["written_off"]
    )


def add_names(db, rows, last):
    """Return the rows with `customer_name`: the name on the last invoice until the day `last`, None
    once it is erased.
    """
    pairs = as_json([(row["customer_number"], row["currency"]) for row in rows])
    names = {
        (row["customer_number"], row["currency"]): row["customer_name"]
        for row in db.all(sql.names, pairs=pairs, last=last or ALWAYS["last"])
    }
    return [
        {
            "customer_number": row["customer_number"],
            "customer_name": names[row["customer_number"], row["currency"]],
            **row,
        }
        for row in rows
    ]


def totals(rows):
    """Return the totals of these accounts, a row for each currency."""
    found = {}
    for row in rows:
        total = found.setdefault(
            row["currency"], {"currency": row["currency"], **dict.fromkeys(AMOUNTS, 0)}
        )
        for name in AMOUNTS:
            total[name] += row[name]
    return [found[currency] for currency in sorted(found)]


# The account of one customer


def is_customer(db, number):
    """Return whether an invoice was sent to this customer number."""
    return bool(db.value(sql.is_customer, customer_number=number))


def statement_of(db, number, first, last, **filters):
    """Return the account of a customer as a list with one entry for each currency.

    An entry has `currency`, the balances, and `movements`, oldest first, each with the balance
    after it. Amounts are in major units. `first` and `last` are days and may be None; `filters`:
    currency.
    """
    rows = db.all(
        sql.account,
        frozenset(filters),
        **filters,
        customer_number=number,
        **{
            name: value
            for name, value in span(db.config, first, last).items()
            if name in ("last", "ends")
        },
    )
    zone = db.config.timezone
    for row in rows:
        row["date"] = times.local_date(row.pop("at"), zone)
    currencies = sorted({row["currency"] for row in rows})
    return [
        _account(
            [row for row in rows if row["currency"] == currency], currency, first or ALWAYS["first"]
        )
        for currency in currencies
    ]


def _account(rows, currency, first):
    """Return the entry of a currency.

    The rows are those until the last day; those before `first` are the opening.
    """
    balance = opening = sum(row["amount"] for row in rows if row["date"] < first)
    movements = []
    for row in sorted((row for row in rows if row["date"] >= first), key=_order):
        balance += row["amount"]
        movements.append(
            {
                "date": row["date"],
                "type": row["kind"],
                "invoice_number": row["invoice_number"],
                "payment_id": row["payment_id"],
                "amount": money.major(row["amount"], currency),
                "balance": money.major(balance, currency),
            }
        )
    return {
        "currency": currency,
        "opening_balance": money.major(opening, currency),
        "movements": movements,
        "closing_balance": money.major(balance, currency),
    }


def _order(row):
    """Return the sort key of a movement: on the same day, documents come before money."""
    return row["date"], row["step"], row["payment_id"] or 0, row["id"], row["amount"]


# The reports, with the proof


def days(db, query):
    """Return the first and the last day that a query selects; None where it sets none.

    Raise 422 for a month without a year, for a year together with days, and for days out of order.
    """
    if "month" in query and "year" not in query:
        raise invalid_parameter("month", "required", "is a month of a `year`. Send `year` as well")
    if "year" in query:
        for name in ("date_from", "date_to"):
            if name in query:
                raise invalid_parameter(
                    name, "disagrees", "must not be sent together with `year`. Send one of them"
                )
        first = f"{query['year']:04}-{query.get('month', 1):02}-01"
        following = next_first_day(first, "month" if "month" in query else "year")
        return first, times.add_days(following, -1)
    first, last = selected(query, db.config.timezone)
    if last and last > LAST_DAY:
        raise invalid_parameter(
            "date_to", "maximum", f"must not be after {LAST_DAY}, but is {last}"
        )
    return first, last


def of_all(db, query, *, with_proof=True):
    """Return the ledger of all customers as API object, from one snapshot.

    The proof is None if the query selects a customer or a currency: other reports have no such
    filter.
    """
    first, last = days(db, query)
    filters = {name: query[name] for name in FILTERS if name in query}
    with db.snapshot():
        rows = add_names(db, accounts(db, first, last, **filters), last)
        sums = totals(rows)
        proven = proof(db, sums, first, last) if with_proof and not filters else None
    data = {
        "rows": [money.in_major_units(row, AMOUNTS) for row in rows],
        "totals": [money.in_major_units(row, AMOUNTS) for row in sums],
        "proof": proven,
    }
    return _report("ledger", first, last, filters, data)


def of_customer(db, number, query):
    """Return the account of one customer as API object.

    Raise 404 for a number to which no invoice was sent.
    """
    first, last = days(db, query)
    filters = {name: query[name] for name in FILTERS[1:] if name in query}
    with db.snapshot():
        if not is_customer(db, number):
            raise not_found("customer", number)
        found = statement_of(db, number, first, last, **filters)
        rows = [{"customer_number": number, "currency": account["currency"]} for account in found]
        names = [row["customer_name"] for row in add_names(db, rows, last)]
    name = next(filter(None, names), None)
    return _report(
        "account",
        first,
        last,
        filters,
        {"customer_number": number, "customer_name": name, "accounts": found},
    )


def movements(report):
    """Return the movements of an account as flat rows, with a row for each opening balance."""
    first = report["filters"]["date_from"]
    return [
        row
        for account in report["data"]["accounts"]
        for row in (
            dict.fromkeys(OF_CUSTOMER)
            | {
                "date": first,
                "type": "opening_balance",
                "currency": account["currency"],
                "balance": account["opening_balance"],
            },
            *({**movement, "currency": account["currency"]} for movement in account["movements"]),
        )
    ]


def _report(name, first, last, filters, data):
    shown = {"date_from": first, "date_to": last, **filters}
    return {"report_type": name, "filters": shown, "data": data, "generated_at": times.now()}


def proof(db, sums, first, last):
    """Return the proof of `sums`, the totals of all customers from `first` to `last`, which are
    days and may be None.

    `agrees` is true if all comparisons agree, and if no number is missing. The report on
    receivables knows no claims of letters, and only invoices that are issued. So what is open of
    claims, and what was paid for later invoices, is named beside it.
    """
    selection = {**EVERYTHING, "period": "year", "first": first, "last": last, "as_of": last}
    prepaid = (
        {
            row["currency"]: -row["closing_balance"]
            for row in totals(accounts(db, None, last, prepaid=1))
        }
        if last
        else {}
    )
    own = {name: {row["currency"]: row[name] for row in sums} for name in AMOUNTS}
    days = span(db.config, None, last)
    claims = {
        row["currency"]: row["amount"]
        for row in db.all(sql.claims_open, last=days["last"], ends=days["ends"])
    }
    found = {
        "revenue": compared(
            {name: own[name] for name in ("invoiced", "credited")},
            {"total": _revenue(db, selection)},
        ),
        "payments": compared(
            {name: own[name] for name in ("received", "refunded")},
            {"net": _payments(db, selection)},
        ),
        "receivables": compared(
            {"closing_balance": own["closing_balance"], "claims_open": claims},
            {"receivables": _receivables(db, selection), "prepaid": prepaid},
        ),
        "numbering": _series(db, first, last),
    }
    agrees = [
        row["agrees"] for name in ("revenue", "payments", "receivables") for row in found[name]
    ]
    return {
        **found,
        "agrees": all(agrees) and not any(series["gaps"] for series in found["numbering"]),
    }


def compared(own, others):
    """Return a row for each currency: amounts of the ledger, those of another report, and `agrees`.

    `own` and `others`: name -> {currency: amount}. Of each, the first amount counts positive, a
    second one negative.
    """
    rows = []
    for currency in sorted(
        {currency for amounts in (*own.values(), *others.values()) for currency in amounts}
    ):
        sides = [
            {name: amounts.get(currency, 0) for name, amounts in side.items()}
            for side in (own, others)
        ]
        shown = {
            name: money.major(amount, currency) for side in sides for name, amount in side.items()
        }
        rows.append(
            {
                "currency": currency,
                **shown,
                "agrees": _difference(sides[0]) == _difference(sides[1]),
            }
        )
    return rows


def _difference(amounts):
    first, *rest = amounts.values()
    return first - sum(rest)


def _revenue(db, selection):
    return _added(finance.revenue(db, selection), lambda row: row["total"])


def _payments(db, selection):
    return _added(finance.payments(db, selection), lambda row: row["received"] - row["refunded"])


def _receivables(db, selection):
    """Return what customers owe minus what is owed to them."""
    return _added(
        finance.receivables(db, selection),
        lambda row: -row["amount"] if row["bucket"] == finance.OVERPAID else row["amount"],
    )


def _added(rows, amount):
    sums = {}
    for row in rows:
        sums[row["currency"]] = sums.get(row["currency"], 0) + amount(row)
    return sums


def _series(db, first, last):
    """Return the number series of the years of the period."""
    years = int((first or "0001")[:4]), int((last or "9999")[:4])
    return [series for series in numbering.series(db) if years[0] <= series["year"] <= years[1]]
