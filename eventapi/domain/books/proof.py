"""The proof of a ledger: its totals beside the figures of other reports, and the number series.

Each comparison is computed by other statements than the ledger, and says whether both agree.
"""
from eventapi import money
from eventapi.domain.books import ledger
from eventapi.domain.records import numbering
from eventapi.domain.reports import finance

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
