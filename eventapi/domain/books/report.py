"""The ledger as a report: of all customers with its proof, and of one customer with every movement.

The proof has the totals beside the figures of other reports, and the number series. Each comparison is computed by
other statements than the ledger, and says whether both agree.
"""
from eventapi import money, times
from eventapi.domain.books import ledger
from eventapi.domain.records import numbering
from eventapi.domain.reports import finance
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
        proven = of(db, totals, first, last) if with_proof and not filters else None
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


ALL_EVENTS = {"period": "year", "zone": None, "event_key": None, "given": frozenset(), "values": {}}


def of(db, totals, first, last):
    """Return the proof of the totals of all customers from `first` to `last`, which are days and may be None.

    `agrees` is true if all comparisons agree, and if no number is missing. The report on receivables knows only
    invoices that are issued, so what was paid for later ones is named beside it.
    """
    selection = {**ALL_EVENTS, "first": first, "last": last, "as_of": last}
    prepaid = {row["currency"]: -row["closing_balance"]
               for row in ledger.totals(ledger.accounts(db, None, last, prepaid=1))} if last else {}
    found = {
        "revenue": compared(totals, ("invoiced", "credited"), {"total": _revenue(db, selection)}),
        "payments": compared(totals, ("received", "refunded"), {"net": _payments(db, selection)}),
        "receivables": compared(totals, ("closing_balance",), {
            "receivables": _receivables(db, selection), "prepaid": prepaid}),
        "numbering": _series(db, first, last)}
    agrees = [row["agrees"] for name in ("revenue", "payments", "receivables") for row in found[name]]
    return {**found, "agrees": all(agrees) and not any(series["gaps"] for series in found["numbering"])}


def compared(totals, names, others):
    """Return a row for each currency: the amounts `names` of the totals, those of another report, and `agrees`.

    `others`: name -> {currency: amount}. Of each side, the first amount counts positive, a second one negative.
    """
    own = {name: {row["currency"]: row[name] for row in totals} for name in names}
    rows = []
    for currency in sorted({currency for amounts in (*own.values(), *others.values()) for currency in amounts}):
        sides = [{name: amounts.get(currency, 0) for name, amounts in side.items()} for side in (own, others)]
        shown = {name: money.major(amount, currency) for side in sides for name, amount in side.items()}
        rows.append({"currency": currency, **shown, "agrees": _difference(sides[0]) == _difference(sides[1])})
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
    return _added(finance.receivables(db, selection),
                  lambda row: -row["amount"] if row["bucket"] == finance.OVERPAID else row["amount"])


def _added(rows, amount):
    sums = {}
    for row in rows:
        sums[row["currency"]] = sums.get(row["currency"], 0) + amount(row)
    return sums


def _series(db, first, last):
    """Return the number series of the years of the period."""
    years = int((first or "0001")[:4]), int((last or "9999")[:4])
    return [series for series in numbering.series(db) if years[0] <= series["year"] <= years[1]]
