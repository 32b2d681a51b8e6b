"""The ledger as a report: of all customers with its proof, and of one customer with every movement."""
from eventapi import money, times
from eventapi.domain.books import ledger, proof
from eventapi.domain.reports.catalogue import LAST_DAY
from eventapi.domain.reports.periods import next_first_day
from eventapi.errors import invalid_parameter, not_found

COLUMNS = ("customer_number", "customer_name", "currency", *ledger.AMOUNTS)
OF_CUSTOMER = ("date", "type", "invoice_number", "payment_id", "currency", "amount", "balance")
FILTERS = ("customer_number", "currency")


def days(db, query):
    """Return the first and the last day that a query selects; None where it sets none.

    Raise 422 for a month without a year, for a year together with days, and for days out of order.
    """
    zone = db.config.timezone
    if "month" in query and "year" not in query:
        raise invalid_parameter("month", "required", "is a month of a `year`. Send `year` as well")
    if "year" in query:
        for name in ("date_from", "date_to"):
            if name in query:
                raise invalid_parameter(name, "disagrees", "must not be sent together with `year`. Send one of them")
        first = f"{query['year']:04}-{query.get('month', 1):02}-01"
        following = next_first_day(first, "month" if "month" in query else "year")
        return first, times.add_days(following, -1)
    first, last = (times.local_date(query.get(name), zone) for name in ("date_from", "date_to"))
    if first and last and first > last:
        raise invalid_parameter("date_to", "before_start", f"is {last}, and must not be before `date_from`, {first}")
    if last and last > LAST_DAY:
        raise invalid_parameter("date_to", "maximum", f"must not be after {LAST_DAY}, but is {last}")
    return first, last


def of_all(db, query, *, with_proof=True):
    """Return the ledger of all customers as API object, from one snapshot.

    The proof is None if the query selects a customer or a currency: other reports have no such filter.
    """
    first, last = days(db, query)
    filters = {name: query[name] for name in FILTERS if name in query}
    with db.snapshot():
        rows = ledger.add_names(db, ledger.accounts(db, first, last, **filters), last)
        totals = ledger.totals(rows)
        proven = proof.of(db, totals, first, last) if with_proof and not filters else None
    data = {"rows": [money.in_major_units(row, ledger.AMOUNTS) for row in rows],
            "totals": [money.in_major_units(row, ledger.AMOUNTS) for row in totals], "proof": proven}
    return _report("ledger", first, last, filters, data)


def of_customer(db, number, query):
    """Return the account of one customer as API object. Raise 404 for a number to which no invoice was sent."""
    first, last = days(db, query)
    filters = {name: query[name] for name in FILTERS[1:] if name in query}
    with db.snapshot():
        if not ledger.is_customer(db, number):
            raise not_found("customer", number)
        accounts = ledger.statement_of(db, number, first, last, **filters)
        rows = [{"customer_number": number, "currency": account["currency"]} for account in accounts]
        names = [row["customer_name"] for row in ledger.add_names(db, rows, last)]
    name = next(filter(None, names), None)
    return _report("account", first, last, filters,
                   {"customer_number": number, "customer_name": name, "accounts": accounts})


def movements(report):
    """Return the movements of an account as flat rows, with a row for each opening balance."""
    first = report["filters"]["date_from"]
    return [row for account in report["data"]["accounts"] for row in (
        dict.fromkeys(OF_CUSTOMER) | {"date": first, "type": "opening_balance", "currency": account["currency"],
                                      "balance": account["opening_balance"]},
        *({**movement, "currency": account["currency"]} for movement in account["movements"]))]


def _report(name, first, last, filters, data):
    shown = {"date_from": first, "date_to": last, **filters}
    return {"report_type": name, "filters": shown, "data": data, "generated_at": times.now()}
