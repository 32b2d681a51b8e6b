"""The report on taxes and the file for DATEV, compared for each invoice and month.

Over all files, the bookings with a month in column 116 are the amounts of that month in the report.
Invoices that were sent by an earlier version convert each booking by itself, and are not compared.
"""

from collections import defaultdict

from eventapi import money
from eventapi.domain.datev import bookings, collecting
from eventapi.domain.datev.accounts import Accounts, Missing
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("datev")

AT_A_TIME = 500  # invoices


def differences(db, ids):
    """Return where the report and DATEV differ, [{invoice_number, month, report, datev}], for some
    invoices. Amounts include tax, in the organiser's currency.
    """
    chosen = sorted(set(ids))
    found = []
    for start in range(0, len(chosen), AT_A_TIME):
        found += _differences(db, chosen[start : start + AT_A_TIME])
    return found


def check(db):
    """Yield a sentence for each difference. For `eventapi check`."""
    ids = _next_ids(db, 0)
    while ids:
        for one in _differences(db, ids):
            yield (
                f"{one['invoice_number']}: in {one['month']} its amounts with tax are {one['report']} in the report on "
                f"taxes, and {one['datev']} in the files for DATEV ({db.config.currency})"
            )
        ids = _next_ids(db, ids[-1])


def _next_ids(db, after):
    """Return the ids of the next invoices after an id that are compared."""
    return db.values(sql.compared, after=after, most=AT_A_TIME)


def _differences(db, ids):
    """Return the differences of at most AT_A_TIME invoices."""
    numbers, reported = _reported(db, ids)
    declared = _declared(db, list(numbers))
    base = db.config.currency
    found = []
    for key in sorted(reported.keys() | declared.keys()):
        invoice_id, month = key
        report, datev = reported.get(key, 0), declared.get(key, 0)
        if report != datev:
            found.append(
                {
                    "invoice_number": numbers[invoice_id],
                    "month": month,
                    "report": money.major(report, base),
                    "datev": money.major(datev, base),
                }
            )
    return found


def _reported(db, ids):
    """Return ({invoice id: number}, {(invoice id, month): amount}) as the report shows them.

    Invoices without an exchange rate are left out: neither shows an amount.
    """
    numbers = {}
    sums = defaultdict(int)
    for row in db.iterate(sql.reported, ids=as_json(ids)):
        if row["currency"] != db.config.currency and not _rate(db.config, row):
            continue
        numbers[row["invoice_id"]] = row["invoice_number"]
        if row["month"]:
            sums[row["invoice_id"], row["month"]] += _worth(db.config, row)
    return numbers, sums


def _rate(config, row):
    """Return the exchange rate of the invoice of a row, else that of the options, or None."""
    return row["exchange_rate"] or money.usual_rate(config, row["currency"])


def _worth(config, row):
    """Return the amount with tax of a row of `reported` in the organiser's currency."""
    if row["base_net"] is not None:
        return row["base_net"] + row["base_tax"]
    if row["currency"] == config.currency:
        return row["net"] + row["tax"]
    net, tax = (
        money.converted(row[name], row["currency"], _rate(config, row), config.currency)
        for name in ("net", "tax")
    )
    return net + tax


def _declared(db, ids):
    """Return {(invoice id, month): amount} of the bookings that declare tax, as DATEV adds them up."""
    # Which account a booking is on makes no difference here, so what is missing is nothing to report.
    missing = Missing()
    accounts = Accounts(db.config, missing, {})
    base = db.config.currency
    sums = defaultdict(int)
    for row, booking in collecting.of_invoices(db, ids, accounts):
        day = _declared_on(row, booking)
        if day is None:
            continue
        booking = collecting.priced(row, booking, db.config, missing)
        sign = -1 if booking.kind == "write_off" else 1
        for part in bookings.parts(booking, base):
            sums[row["invoice_id"], day[:7]] += sign * bookings.worth_of(part, base)
    return sums


def _declared_on(row, booking):
    """Return the day on which a booking declares tax, or None if it declares none.

    DATEV takes the day of the booking for the write-off of an invoice that counts at its issue date.
    """
    if booking.kind == "write_off" and row["tax_basis"] == "issue_date" and not row["is_deposit"]:
        return booking.day
    return booking.tax_day
