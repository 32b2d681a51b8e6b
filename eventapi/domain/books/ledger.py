"""The ledger: for each customer and currency, what was owed before, what was added, and what is owed after.

The customer is the one on the invoice as it was sent, so that merging contacts changes no account. Invoices and credit
notes count at their issue_date, payments and refunds at their dates. A payment that moves to an invoice of another
customer is subtracted from the one and added to the other on the day of the move. Amounts are in minor units; a balance
is positive if the customer owes it, and negative if the customer has overpaid.
"""
from eventapi import money, times
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("books")

MOVEMENTS = ("invoiced", "credited", "received", "refunded")
AMOUNTS = ("opening_balance", *MOVEMENTS, "closing_balance")
ALWAYS = {"first": "0001-01-01", "last": "9999-12-31", "begins": "0001-01-01", "ends": "9999-12-31"}


def span(config, first, last):
    """Return the parameters of a statement that select what is dated from `first` to `last`. Both may be None."""
    zone, found = config.timezone, dict(ALWAYS)
    if first:
        found.update(first=first, begins=times.start(first, zone))
    if last:
        found.update(last=last, ends=times.start(times.add_days(last, 1), zone))
    return found


def accounts(db, first, last, **filters):
    """Return a row for each customer and currency with a balance before `first`, or with a movement until `last`.

    Both are days and may be None. `filters`: customer_number, currency; prepaid=1 for only what was paid for invoices
    that were issued after `last`.
    """
    rows = db.all(sql.accounts, frozenset(filters), **filters, **span(db.config, first, last))
    return [{**row, "closing_balance": closing_balance(row)} for row in rows]


def closing_balance(row):
    """Return what is owed after the movements of a row."""
    return row["opening_balance"] + row["invoiced"] - row["credited"] - row["received"] + row["refunded"]


def add_names(db, rows, last):
    """Return the rows with `customer_name`: the name on the last invoice until the day `last`, None once it is erased.
    """
    pairs = as_json([(row["customer_number"], row["currency"]) for row in rows])
    names = {(row["customer_number"], row["currency"]): row["customer_name"]
             for row in db.all(sql.names, pairs=pairs, last=last or ALWAYS["last"])}
    return [{"customer_number": row["customer_number"],
             "customer_name": names[row["customer_number"], row["currency"]], **row} for row in rows]


def totals(rows):
    """Return the totals of these accounts, a row for each currency."""
    found = {}
    for row in rows:
        total = found.setdefault(row["currency"], {"currency": row["currency"], **dict.fromkeys(AMOUNTS, 0)})
        for name in AMOUNTS:
            total[name] += row[name]
    return [found[currency] for currency in sorted(found)]


# The account of one customer

def is_customer(db, number):
    """Return whether an invoice was sent to this customer number."""
    return bool(db.value(sql.is_customer, customer_number=number))


def statement_of(db, number, first, last, **filters):
    """Return the account of a customer as a list with one entry for each currency.

    An entry has `currency`, the balances, and `movements`, oldest first, each with the balance after it. Amounts are in
    major units. `first` and `last` are days and may be None; `filters`: currency.
    """
    rows = db.all(sql.account, frozenset(filters), **filters, customer_number=number,
                  **{name: value for name, value in span(db.config, first, last).items() if name in ("last", "ends")})
    zone = db.config.timezone
    for row in rows:
        row["date"] = times.local_date(row.pop("at"), zone)
    currencies = sorted({row["currency"] for row in rows})
    return [_account([row for row in rows if row["currency"] == currency], currency, first or ALWAYS["first"])
            for currency in currencies]


def _account(rows, currency, first):
    """Return the entry of a currency. The rows are those until the last day; those before `first` are the opening."""
    balance = opening = sum(row["amount"] for row in rows if row["date"] < first)
    movements = []
    for row in sorted((row for row in rows if row["date"] >= first), key=_order):
        balance += row["amount"]
        movements.append({
            "date": row["date"], "type": row["kind"], "invoice_number": row["invoice_number"],
            "payment_id": row["payment_id"], "amount": money.major(row["amount"], currency),
            "balance": money.major(balance, currency)})
    return {"currency": currency, "opening_balance": money.major(opening, currency), "movements": movements,
            "closing_balance": money.major(balance, currency)}


def _order(row):
    """Return the sort key of a movement: on the same day, documents come before money."""
    return row["date"], row["step"], row["payment_id"] or 0, row["id"], row["amount"]
