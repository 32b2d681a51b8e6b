"""Recoveries: what a payment brings in of an amount that was written off before.

A payment that exceeds what is open adds a write-off with a negative amount. It is dated with the
payment, or with the last write-off if that is later. Changing, moving or deleting the payment
computes it again; a refund does not. Amounts are minor units. Call these functions inside a write
transaction.
"""

from eventapi import money, times
from eventapi.domain.billing import invoices
from eventapi.storage.statements import statements

sql = statements("write_offs")

COUNTING = ("completed", "refunded")


def add(db, invoice, kind, amount, day, *, reason=None, payment_id=None):
    """Insert a write-off of an invoice, of which the row needs only id and currency.

    `day` is a date.
    """
    db.insert(
        sql.add,
        invoice_id=invoice["id"],
        currency=invoice["currency"],
        kind=kind,
        amount=amount,
        reason=reason,
        written_off_at=day,
        counts_at=times.start(day, db.config.timezone),
        payment_id=payment_id,
        now=db.now,
    )


def counts_otherwise(old, new):
    """Return whether a change of a payment means that its recovery has to be computed again.

    `old` and `new` are its rows; None for one that does not exist.
    """
    return _counting(old) != _counting(new)


def _counting(payment):
    counts = payment and payment["status"] in COUNTING
    if not counts:
        return None
    return (
        payment["invoice_id"],
        payment["amount"] - payment["claim_amount"],
        payment["payment_date"],
    )


def take_back(db, payment, new=None):
    """Take back what a payment has brought about at its invoice, before it changes, moves or is
    deleted.

    Return (the row of the invoice as it was, the amount that this adds to `written_off`), or (None,
    0). If the payment moves to another invoice, `new` is its new row: until today it counts for the
    old one, so that an opposite entry of today replaces the deletion. A tolerance is dated with its
    payment, and stays with it.
    """
    found = db.all(sql.of_payment, payment_id=payment["id"])
    own = [row for row in found if row["invoice_id"] == payment["invoice_id"]]
    is_deleted = new is None
    is_moved = new is not None and new["invoice_id"] != payment["invoice_id"]
    if not (found if is_deleted else own):
        return None, 0
    before, amount = invoices.row(db, payment["invoice_id"]), sum(row["amount"] for row in own)
    if is_moved and new["currency"] == payment["currency"]:
        if amount:
            add(
                db,
                before,
                "recovery" if amount > 0 else "write_off",
                -amount,
                max(
                    times.today(db.config.timezone, db.now), *(row["written_off_at"] for row in own)
                ),
                payment_id=payment["id"],
            )
        return before, -amount
    for row in found if is_deleted else own:
        db.run(sql.remove, id=row["id"])
    if is_deleted or is_moved:
        return before, -amount
    kept = sum(row["amount"] for row in own if row["kind"] == "tolerance")
    if kept:
        reason = next(row["reason"] for row in own if row["kind"] == "tolerance")
        add(db, before, "tolerance", kept, _day(db, new), reason=reason, payment_id=payment["id"])
    return before, kept - amount


def recover(db, invoice, payment):
    """Add the recovery of a payment that exceeds what is open, and return it: 0, or a negative
    amount.

    `invoice` has its sums as they are with the payment. `payment` is its row; None if it was
    deleted: then the latest of the other payments recovers what it can.
    """
    excess = (
        invoice["paid_amount"] + invoice["credited"] + invoice["written_off"] - invoice["total"]
    )
    amount = min(excess, invoice["written_off"])
    payment = payment or (
        db.one(sql.latest_payment, invoice_id=invoice["id"]) if amount > 0 else None
    )
    if amount <= 0 or not payment or payment["status"] != "completed":
        return 0
    day = max(_day(db, payment), db.value(sql.last_day, invoice_id=invoice["id"]))
    if payment.get("is_latest"):  # its own date may lie in a closed month
        day = max(day, times.today(db.config.timezone, db.now))
    add(db, invoice, "recovery", -amount, day, payment_id=payment["id"])
    return -amount


def is_tolerated(config, invoice, lacking):
    """Return whether a transfer that lacks this amount of an invoice pays it: at most the option
    `payment_tolerance`.

    `invoice` has currency and exchange_rate. Without a rate, nothing is tolerated in another
    currency.
    """
    if invoice["currency"] != config.currency:
        rate = invoice["exchange_rate"] or money.usual_rate(config, invoice["currency"])
        if not rate:
            return False
        lacking = money.converted(lacking, invoice["currency"], rate, config.currency)
    return lacking <= money.minor(config.payment_tolerance, config.currency)


def _day(db, payment):
    return times.local_date(payment["payment_date"] or payment["created_at"], db.config.timezone)
