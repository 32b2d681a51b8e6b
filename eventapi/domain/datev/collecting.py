"""The bookings of a period, and those of some invoices that declare tax."""

from eventapi import times
from eventapi.domain.books import taxes
from eventapi.domain.datev import bookings
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("datev")


def of_period(db, chosen, accounts, links):
    """Yield (row, Booking) for the documents of a period, its money, write-offs and claims, and the
    tax of advances and deposits.

    `chosen` is a Period, `links` {id of an invoice or credit note: GUID of its document}.
    """
    values = chosen._asdict()
    yield from _of_documents(db, db.iterate(sql.invoices, **values), accounts, links)
    yield from _of_payments(db, values, accounts)
    for row in _dated(db, db.iterate(sql.refunds, **values)):
        yield row, bookings.of_refund(row, accounts)
    for row in _dated(db, db.iterate(sql.moves, **values)):
        yield row, bookings.of_move(row, accounts)
    yield from _of_write_offs(db, db.iterate(sql.write_offs, **values), accounts)
    claims = db.config.datev_claims
    for row in _dated(db, db.iterate(sql.claims, **values)) if claims else ():
        yield row, bookings.of_claim(row, accounts, claims)
    days = {"first": chosen.first, "last": chosen.last}
    yield from _of_advances(db, db.iterate(sql.advances, **days), accounts)
    yield from _of_deposits(db, db.iterate(sql.untaxed_deposits, **days), accounts)


def of_invoices(db, ids, accounts):
    """Yield (row, Booking) for all that can declare tax of some invoices: documents, write-offs,
    and the tax of advances and deposits. Rows have `invoice_id`.
    """
    chosen = {"ids": as_json(ids)}
    yield from _of_documents(db, db.iterate(sql.documents_of, **chosen), accounts, {})
    yield from _of_write_offs(db, db.iterate(sql.write_offs_of, **chosen), accounts)
    yield from _of_advances(db, db.iterate(sql.advances_of, **chosen), accounts)
    yield from _of_deposits(db, db.iterate(sql.untaxed_deposits_of, **chosen), accounts)


class _Booked:
    """The Movements of the invoice that was read last, with their amounts in the organiser's
    currency: see `taxes.booked`. Rows of one invoice mostly follow each other.
    """

    def __init__(self, db):
        self.db = db
        self.invoice_id = None
        self.found = []

    def of(self, invoice_id, kind, id):
        """Return {(category, rate): (Movement, amount)} of a document or a write-off."""
        if invoice_id != self.invoice_id:
            self.found = taxes.booked(self.db, invoice_id)
            self.invoice_id = invoice_id
        return {
            one.key: (one, amount) for one, amount in self.found if (one.kind, one.id) == (kind, id)
        }


def _of_documents(db, rows, accounts, links):
    booked = _Booked(db)
    config = db.config
    for row in rows:
        worth = None
        if row["tax_rules"] > 1 and row["currency"] != config.currency:
            groups = booked.of(row["invoice_id"], row["invoice_type"], row["id"])
            _, worth = groups[row["category"], row["rate"]]
        link = links.get(row["id"])
        yield row, bookings.of_invoice(row, accounts, config.organiser_country, link, worth)


def _of_payments(db, values, accounts):
    fees = db.config.datev_fees
    for row in _dated(db, db.iterate(sql.payments, **values)):
        yield row, bookings.of_payment(row, accounts)
        if row["bank_amount"]:
            yield row, bookings.of_exchange(row, accounts, db.config)
        if fees and row["gateway_fee"]:
            yield row, bookings.of_fee(row, accounts, fees)


def _of_write_offs(db, rows, accounts):
    booked = _Booked(db)
    for row in _dated(db, rows):
        groups = booked.of(row["invoice_id"], "write_off", row["id"])
        for movement, worth in groups.values():
            if movement.net or movement.tax:
                yield row, bookings.of_write_off(row, accounts, movement, worth)


def _of_advances(db, rows, accounts):
    country = db.config.organiser_country
    for row in rows:
        if row["tax_date"] is None:
            yield row, bookings.of_deposit(row, accounts, country)
        else:
            for booking in bookings.of_advance(row, accounts):
                yield row, booking


def _of_deposits(db, rows, accounts):
    for row in rows:
        yield row, bookings.of_deposit(row, accounts, db.config.organiser_country)


def _dated(db, rows):
    """Yield rows with `day`, the date of `at` in the tenant's time zone."""
    for row in rows:
        row["day"] = times.local_date(row["at"], db.config.timezone)
        yield row


def priced(row, booking, config, missing):
    """Return a booking with an exchange rate if it needs one: that of its invoice, else that of the
    options. Without any, note the invoice in `missing`.
    """
    if booking.currency == config.currency or booking.rate or not booking.units:
        return booking
    rate = config.exchange_rates.get(booking.currency)
    if rate is None:
        missing.record(
            "invoice",
            row["invoice_number"],
            f"is in {booking.currency} and has no exchange rate. Set {booking.currency} in exchange_rates in the "
            "settings; it counts for invoices without a rate of their own.",
        )
        return booking
    return bookings.with_rate(booking, rate)
