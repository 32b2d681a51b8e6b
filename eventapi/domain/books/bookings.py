"""Bookings in closed months: which changes of invoices, payments and refunds are refused.

Rows are those of `payments`; only a completed or refunded payment counts. It belongs to the month
of its date. Moving it to another invoice and refunding it have a date of their own, and are always
possible.
"""

from eventapi import money
from eventapi.domain.books import periods
from eventapi.errors import quoted

COUNTING = ("completed", "refunded")
FIXED = ("amount", "claim_amount", "currency", "gateway_key", "gateway_fee")


def dated(payment):
    """Return the date or timestamp at which a payment counts, or None if it does not count."""
    counts = payment and payment["status"] in COUNTING
    return (payment["payment_date"] or payment["created_at"]) if counts else None


def refuse_payment(db, old, new):
    """Raise 409 `period_closed` if a change of a payment would change a closed month.

    `old` and `new` are its rows; None for one that does not exist.
    """
    before, after = dated(old), dated(new)
    if before:
        month = periods.closed_month(db, before)
        changed = month and changed_fields(old, new, before != after)
        if changed:
            raise periods.closed(
                db,
                month,
                changed[0],
                _fact(old, new, month, changed),
                "Refund the payment, which is dated today, and record another one if needed.",
            )
    if after and after != before:
        periods.refuse_closed(
            db,
            after,
            "payment_date",
            "Send a `payment_date` in an open month, or record the "
            "payment without one: then it is dated now.",
        )


def changed_fields(old, new, is_moved):
    """Return the fields that differ and count. For a deletion, `payment_date` stands for all.

    Whether a payment has a date of its own is kept with the month, also if it was recorded at the
    same second.
    """
    if new is None:
        return ["payment_date"]
    is_moved = is_moved or new["payment_date"] != old["payment_date"]
    return [
        *(name for name in FIXED if new[name] != old[name]),
        *(["payment_date"] if is_moved else []),
    ]


def _fact(old, new, month, changed):
    what = (
        f"Payment {old['id']} cannot be deleted"
        if new is None
        else f"{quoted(changed)} cannot change"
    )
    return f"{what} because the payment is dated {dated(old)}, and {month} is closed."


def completed(db, payment):
    """Return the row of a pending payment as it is completed: dated now if the month of its date is
    closed.
    """
    new = {**payment, "status": "completed"}
    if periods.closed_month(db, dated(new)):
        new["payment_date"] = db.now
    return new


def refuse_refund(db, refunded_at):
    """Raise 409 `period_closed` for a new refund that is dated in a closed month."""
    periods.refuse_closed(
        db,
        refunded_at,
        "refunded_at",
        "Send a later `refunded_at`, or none: then the refund is dated now.",
    )


def refuse_deletion(db, refund):
    """Raise 409 `period_closed` if a refund to be deleted is dated in a closed month.

    `refund` is a row.
    """
    month = periods.closed_month(db, refund["refunded_at"])
    if month:
        raise periods.closed(
            db,
            month,
            "refunded_at",
            f"Refund {refund['id']} cannot be deleted because it is dated "
            f"{refund['refunded_at']}, and {month} is closed.",
            "If the money was not given back, record it as a payment, which is dated today.",
        )


def refuse_rate(db, invoice, rate):
    """Raise 409 `period_closed` if the first exchange rate of a sent invoice would change a closed
    month.

    Only months that were closed by an early version have such invoices. They count at the rate of
    the options. `invoice` is a row, `rate` in the unit of its column.
    """
    usual = money.usual_rate(db.config, invoice["currency"])
    month = periods.closed_month(db, invoice["issue_date"])
    if month and usual and rate != usual:
        raise periods.closed(
            db,
            month,
            "exchange_rate",
            f"`exchange_rate` cannot be another one than that of the option "
            f"`exchange_rates`, because the invoice counts in {month}, which is closed.",
            f"Send {money.unscaled(usual, money.RATE_PLACES)}.",
        )


def refuse_invoice(db, invoice, issue_date):
    """Raise 409 `period_closed` if an invoice to be sent has an issue date in a closed month.

    Only an invoice from another system has an issue date of its own. Any other one is issued today, and today lies in
    a closed month only if the clock was set back. `invoice` is a row.
    """
    if invoice["taken_over"]:
        remedy = (
            "An invoice from another system counts in the month in which "
            "that system issued it. Book it there, and delete this draft."
        )
    else:
        remedy = (
            "An invoice is issued on the day that the clock of the server shows, so this clock is "
            "behind. Set it right, then send the invoice again."
        )
    periods.refuse_closed(db, issue_date, "issue_date", remedy)


def refuse_letter(db, member, today):
    """Raise 409 `period_closed` if today, the day of a dunning letter or of its withdrawal, lies in a closed month.

    `member` is the field that gets the day. A dry run has no `db.stamp`, and a clock that was set back would hide the
    closed month from `periods.closed_month`: so the days themselves are compared.
    """
    first_open_day = periods.first_open_day(db)
    if first_open_day is None or today >= first_open_day:
        return
    month = today[:7]
    raise periods.closed(
        db,
        month,
        member,
        f"`{member}` would be {today}, the day that the clock of the server shows, and {month} is closed.",
        "Set the clock of the server right, then send the request again.",
    )
