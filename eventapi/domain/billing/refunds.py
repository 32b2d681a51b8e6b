"""Refunds of payments and moves of payments between invoices: what happens to a payment after its
date.

Both have a date of their own, so that the figures of an earlier date stay the same. Payments and
refunds may take parts of a bank transfer, a row of bank_transactions: together never more than it
has. Rows hold amounts in minor units, API objects hold major units. Functions that write are called
inside a write transaction.
"""

from eventapi import money, times
from eventapi.domain.billing import balance, gateways
from eventapi.domain.books import bookings
from eventapi.errors import Problem
from eventapi.languages import formats
from eventapi.storage.database import Duplicate, as_json
from eventapi.storage.statements import statements

sql = statements("refunds")

# fields of a refund that has only an amount
DEFAULTS = {"refunded_at": None, "transaction_id": None, "notes": None}


def attach(db, payments):
    """Add `refunds` to each of these API objects of payments."""
    found = {payment["id"]: [] for payment in payments}
    for row in db.all(sql.of_payments, ids=as_json(list(found))):
        found[row.pop("payment_id")].append(row)
    for payment in payments:
        payment["refunds"] = [represent(row, payment["currency"]) for row in found[payment["id"]]]


def of_offset(db, offset_id):
    """Return rows of id and payment_id: the refunds that the payment of an offset was made of."""
    return db.all(sql.of_offset, offset_id=offset_id)


def represent(row, currency):
    """Return the API object of a row of a refund."""
    refund = dict(row)
    money.convert_to_major(refund, ("amount", "claim_amount"), currency)
    return refund


# Dates


def check_date(db, payment, refunded_at, faults):
    """Add a fault at /refunded_at if it is before the payment or in the future. `payment` is a row."""
    zone = db.config.timezone
    paid = paid_at(payment)
    if is_before(refunded_at, paid, zone):
        faults.add(
            "/refunded_at",
            "before_payment",
            f"must not be before the payment, which is dated {paid}",
        )
    if is_before(db.now, refunded_at, zone):
        faults.add("/refunded_at", "future", f"must not be in the future; now is {db.now}")


def paid_at(payment):
    """Return the date or timestamp of a payment as it is shown. `payment` is a row."""
    return payment["payment_date"] or payment["created_at"]


def is_before(value, other, zone):
    """Return whether a date or timestamp is before another one.

    If either is a date, compare the dates in the zone.
    """
    if times.is_date(value) or times.is_date(other):
        return times.local_date(value, zone) < times.local_date(other, zone)
    return times.utc(value, zone) < times.utc(other, zone)


def default_date(db, payment):
    """Return now as the date of a refund, or the date of the payment if that is later: it may be
    dated tomorrow.
    """
    paid = paid_at(payment)
    return paid if is_before(db.now, paid, db.config.timezone) else db.now


# Writing


def refuse_known(db, payment, transaction_id):
    """Raise 409 `duplicate` if the gateway has reported this refund before."""
    if not transaction_id:
        return
    other = db.one(sql.by_transaction, transaction_id=transaction_id, gateway_key=_gateway(payment))
    if other:
        raise Problem(
            "duplicate",
            f"Refund {other['id']} of payment {other['payment_id']} already has the "
            f"`transaction_id` {transaction_id} of this gateway. Send another one, or none.",
            member="transaction_id",
            refund_id=other["id"],
            payment_id=other["payment_id"],
        )


def add(db, payment, amount, fields, bank_transaction_id=None, offset_id=None):
    """Insert a refund of `amount` minor units and return its row.

    `payment` is a row. `fields` is a body of the action; its amount is not read. offset_id: the payment that an offset
    has made of this refund, which returns nothing of a claim_amount. Raise 409 `period_closed`.
    """
    claim = 0
    if payment["claim_amount"] and not offset_id:
        claim = claim_of(payment, amount, balance.by_id(db, payment["invoice_id"]))
    refunded_at = fields["refunded_at"] or default_date(db, payment)
    bookings.refuse_refund(db, refunded_at)

    row = {
        "amount": amount,
        "claim_amount": claim,
        "refunded_at": refunded_at,
        "transaction_id": fields["transaction_id"],
        "notes": fields["notes"],
        "bank_transaction_id": bank_transaction_id,
        "gateway_key": _gateway(payment, offset_id),
        "offset_id": offset_id,
    }
    id = db.insert(
        sql.add,
        **row,
        payment_id=payment["id"],
        currency=payment["currency"],
        counts_at=times.start(refunded_at, db.config.timezone),
        now=db.now,
    )
    claim_transfer(db, bank_transaction_id, amount)
    return {"id": id, **row, "created_at": db.now}


def _gateway(payment, offset_id=None):
    """Return the gateway_key of a refund of a payment: that of the payment, or of the offset.

    What was paid by offset came from no gateway, so money that is returned of it leaves the bank.
    """
    if offset_id:
        return gateways.OFFSET
    return None if payment["offset_id"] else payment["gateway_key"]


def reopened(db, before):
    """Return the warning `reopens_invoice` in a list if the customer owes something again since a
    refund.

    `before` is the row of the invoice before it (`balance.by_id`).
    """
    after = balance.by_id(db, before["id"])
    if before["open_amount"] > 0 or after["open_amount"] <= 0:
        return []
    amount = money.major(after["open_amount"], after["currency"])
    shown = formats.money(amount, after["currency"], "en")
    detail = (
        f"{after['invoice_number']} still stands, so the customer owes {shown} again. If nothing is owed, "
        'credit the invoice: POST /invoices/{id}/credit with `"whole": true`.'
    )
    return [
        {
            "code": "reopens_invoice",
            "invoice_id": after["id"],
            "open_amount": amount,
            "detail": detail,
        }
    ]


def with_refund(payment, refund):
    """Return the row of a payment with one more refund. It is `refunded` once nothing is left."""
    new = dict(payment)
    new["refunds"] = [*payment["refunds"], refund]
    new["refunded_amount"] = payment["refunded_amount"] + refund["amount"]
    if new["refunded_amount"] == new["amount"]:
        new["status"] = "refunded"
    return new


def without_refund(payment, refund):
    """Return the row of a payment without one of its refunds. It is `completed` again."""
    return {
        **payment,
        "refunds": [other for other in payment["refunds"] if other != refund],
        "refunded_amount": payment["refunded_amount"] - refund["amount"],
        "status": "completed",
    }


# What a payment pays of costs and interest of dunning letters: its claim_amount, less what refunds
# have returned of it


def returned_claim(payment):
    """Return what refunds have returned of the claim_amount of a payment.

    `payment` is a row with its refunds.
    """
    return sum(refund["claim_amount"] for refund in payment["refunds"])


def left_of_claim(payment):
    """Return what is left of the claim_amount of a payment. `payment` is a row with its refunds."""
    return payment["claim_amount"] - returned_claim(payment)


def left_of_invoice(payment):
    """Return what refunds have left of a payment without its claim_amount. `payment` is a row with its refunds."""
    return payment["amount"] - payment["refunded_amount"] - left_of_claim(payment)


def claim_of(payment, amount, invoice):
    """Return the part of a new refund that returns the claim_amount of its payment.

    What was paid of a letter that was withdrawn is returned first, because it is owed to the
    customer; otherwise the claim_amount is returned last. `invoice` is a row of `balance.by_number`.
    """
    left = left_of_claim(payment)
    owed = min(amount, left, max(0, invoice["claims_paid"] - invoice["claims_total"]))
    of_invoice = min(amount - owed, left_of_invoice(payment))
    return amount - of_invoice


def has_moved(db, payment):
    """Return whether a payment has moved from one invoice to another."""
    return bool(db.value(sql.has_moved, payment_id=payment["id"]))


def remove_all(db, rows):
    """Delete these refunds. What they have taken of bank transfers is open again."""
    for row in rows:
        db.run(sql.remove, id=row["id"])
        release_transfer(db, row)


def follow(db, old, new):
    """Keep the refunds and moves of a payment in line with its change.

    `old` and `new` are its rows.

    Call this before the payment itself is written: a payment of a closed month may only change its
    invoice if the move is recorded.

    A completed payment that moves to another invoice counts for that invoice from now on. A new
    currency corrects the payment as a whole: then it counts for the new invoice from its date.

    Raise 409 `duplicate` if the new gateway has reported one of the refunds for another payment.
    """
    if new["gateway_key"] != old["gateway_key"] and old["refunded_amount"]:
        _set_gateway(db, new)
    if new["currency"] != old["currency"]:
        db.run(sql.forget_moves, payment_id=new["id"])
        return
    if new["payment_date"] != old["payment_date"]:  # a move before the payment means nothing
        db.run(sql.forget_moves, frozenset({"until"}), payment_id=new["id"], until=counts_at(new))
    if (
        old["status"] == "completed"
        and new["invoice_id"] != old["invoice_id"]
        and counts_at(new) < db.now
    ):
        db.run(
            sql.add_move,
            payment_id=new["id"],
            from_invoice_id=old["invoice_id"],
            to_invoice_id=new["invoice_id"],
            now=db.now,
        )


def _set_gateway(db, payment):
    try:
        db.run(sql.set_gateway, payment_id=payment["id"], gateway_key=payment["gateway_key"])
    except Duplicate:
        raise Problem(
            "duplicate",
            "`gateway_key` cannot change: this gateway has another refund with the "
            "`transaction_id` of a refund of this payment. Delete one of the two refunds first.",
            member="gateway_key",
        ) from None


def counts_at(payment):
    """Return the UTC timestamp from which a payment counts.

    `payment` is a row with `payment_date_at`.
    """
    return payment["payment_date_at"] or payment["created_at"]


# Bank transfers


def claim_transfer(db, bank_transaction_id, amount):
    """Record that a payment or refund takes `amount` of a bank transfer.

    Do nothing if the id is None.

    The caller has checked that the rest of the transfer is enough.
    """
    if bank_transaction_id:
        db.run(sql.claim_transfer, id=bank_transaction_id, amount=amount)


def release_transfer(db, record):
    """Record that a payment or refund, which is deleted, takes nothing of its transfer any more.

    The rest is open.
    """
    claim_transfer(
        db, record["bank_transaction_id"], -(record.get("bank_amount") or record["amount"])
    )


# Checks of `eventapi check`


def check(db):
    """Yield a sentence for each payment whose refunds or moves contradict it."""
    for wrong in db.all(sql.wrong_sums):
        yield (
            f"payment {wrong['id']}: the refunded amount is {wrong['stored']}, but its refunds add up to "
            f"{wrong['computed']} (minor units), or do not fit its state, currency, gateway or claim_amount"
        )
    for wrong in db.all(sql.wrong_offsets):
        yield (
            f"payment {wrong['id']}: its offset is {wrong['stored']}, but the refunds that it was made of add up to "
            f"{wrong['computed']} (minor units)"
        )
    for wrong in db.all(sql.wrong_moves):
        yield (
            f"payment {wrong['payment_id']}: it moved to invoice {wrong['found']}, but its next invoice is "
            f"{wrong['expected']}"
        )
