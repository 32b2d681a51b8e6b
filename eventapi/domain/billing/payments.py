"""Payments: recording, changing, deleting and refunding money received against an invoice.

Rows hold amounts in minor units of their currency, records (see `represent`) in major units. Every
function that writes is called inside a write transaction, journals the change, and adjusts the paid
amount and the state of the invoice.

`payment_checks` says what a payment can be, `payment_effects` what it changes at its invoice, and
`refunds` what a refund writes.
"""

import json

from eventapi import journal, money, times
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import (
    balance,
    gateways,
    payment_checks,
    payment_effects,
    recoveries,
    refunds,
)
from eventapi.domain.books import bookings, taxes
from eventapi.domain.records import amounts, anonymity, entities
from eventapi.errors import Faults, Problem
from eventapi.languages import formats
from eventapi.states import Transitions
from eventapi.storage.database import Duplicate, as_json
from eventapi.storage.statements import statements

sql = statements("payments")

TRANSITIONS = Transitions(
    "payment",
    {
        "complete": (("pending",), "completed"),
        "fail": (("pending",), "failed"),
        "cancel": (("pending",), "cancelled"),
        "refund": (("completed",), "refunded"),
    },
)
# what a change copies; the other fields follow from these, from the invoice and from the gateway
COPIED = ("gateway_key", "transaction_id", "notes", "currency", "status", "payment_date")
AMOUNTS = ("amount", "claim_amount", "gateway_fee", "net_amount", "refunded_amount")
# In this order, so that a new payment has the same ETag as when it is read.
FIELDS = (
    "id",
    "invoice_id",
    "invoice_number",
    "amount",
    "claim_amount",
    "currency",
    "gateway_id",
    "gateway_key",
    "gateway_name",
    "transaction_id",
    "gateway_fee",
    "refunded_amount",
    "status",
    "payment_date",
    "notes",
    "bank_transaction_id",
    "bank_amount",
    "bank_currency",
    "offset_id",
    "created_at",
    "updated_at",
)


# Reading


def row(db, id):
    """Return the row of the payment with the rows of its refunds, or None."""
    payment = db.one(sql.get, id=id)
    if payment is None:
        return None
    return {**payment, "refunds": json.loads(payment["refunds"])}


def represent(row):
    """Return the API object of a row, with refunds if the row has them. The row is not changed."""
    payment = {name: row[name] for name in FIELDS}
    payment["net_amount"] = row["amount"] - row["gateway_fee"]
    money.convert_to_major(payment, AMOUNTS, row["currency"])
    payment["bank_amount"] = money.major(row["bank_amount"], row["bank_currency"])
    if "refunds" in row:
        payment["refunds"] = [
            refunds.represent(refund, row["currency"]) for refund in row["refunds"]
        ]
    return payment


def of_invoices(db, ids):
    """Return {invoice id: [payment with its refunds, …]} for these ids of invoices."""
    payments = [represent(row) for row in db.all(sql.of_invoices, ids=as_json(ids))]
    refunds.attach(db, payments)

    by_invoice = {}
    for payment in payments:
        by_invoice.setdefault(payment["invoice_id"], []).append(payment)
    return by_invoice


# Writing


def record(db, fields, bank_transaction_id=None, received=None, *, is_offset=False):
    """Record a new payment and return its API object.

    `fields` is a complete validated body. `bank_transaction_id`: the bank transfer that has paid.
    `received`: (minor units, currency) that came in, if that is another currency than that of the
    invoice. is_offset: whether an offset makes this payment.

    Raise 422 for an unknown invoice, another currency than that of the invoice, an amount with too
    many decimals, a claim_amount that is not claimed, or a completed payment dated after tomorrow;
    409 `invoice_not_payable`, `anonymized`, `period_closed`, or `duplicate` if the gateway has
    reported the transaction before.
    """
    invoice, amount, claim = payment_checks.new_terms(db, fields, is_offset=is_offset)
    balance.refuse_unpayable(invoice)
    if fields["notes"]:
        anonymity.refuse_anonymized(
            {"id": invoice["contact_id"], "anonymized_at": invoice["anonymized_at"]}
        )

    currency = invoice["currency"]
    date = fields["payment_date"] or db.now
    bank_amount, bank_currency = received or (None, None)
    row = {
        **fields,
        "invoice_id": invoice["id"],
        "amount": amount,
        "claim_amount": claim,
        "refunded_amount": 0,
        "currency": currency,
        "payment_date": date,
        "payment_date_at": times.start(date, db.config.timezone),
        "bank_transaction_id": bank_transaction_id,
        "bank_amount": bank_amount,
        "bank_currency": bank_currency,
        "offset_id": None,
    }
    row.update(gateways.terms(db, fields["gateway_key"], amount, currency))
    bookings.refuse_payment(db, None, row)
    row = _insert(db, row, invoice)
    if is_offset:
        db.run(sql.set_offset, id=row["id"])
        row["offset_id"] = row["id"]
    refunds.claim_transfer(db, bank_transaction_id, bank_amount or amount)

    payment = represent(row)
    journal.created(db, entities.PAYMENT, payment)
    payment_effects.apply(db, invoice, payment_effects.of_change(None, row))
    if row["status"] == "completed":
        day = times.local_date(row["payment_date"], db.config.timezone)
        if taxes.follows_money(invoice, day):
            taxes.update(db, invoice["id"])
    return payment


def update(db, row, fields):
    """Change a payment and return its API object.

    `fields` holds the changed fields; a new `status` runs the action that leads there.

    Raise 422 for fields that contradict the invoice or an earlier refund; 409 `payment_locked`,
    `invalid_transition`, `anonymized`, `invoice_not_payable`, `period_closed` or `duplicate`.
    """
    payment = {**represent(row), **fields}
    invoice, amount, claim = payment_checks.changed_terms(db, row, payment)
    new = _changed_row(db, row, payment, invoice, amount, claim)
    payment_checks.refuse_offset(row, new)
    payment_checks.refuse_other_transfer(row, new)

    action = None
    if new["status"] != row["status"]:
        action = TRANSITIONS.action_to(row["status"], new["status"])
    if action == "complete" and new["payment_date"] == row["payment_date"]:
        new = bookings.completed(db, new)

    payment_checks.refuse_locked(row, new)
    anonymity.refuse_text(db, entities.PAYMENT, row, fields)
    if action == "complete" or new["invoice_id"] != row["invoice_id"]:
        balance.refuse_unpayable(invoice)

    if action == "refund":
        left = new["amount"] - new["refunded_amount"]
        new_refund = refunds.add(db, new, left, refunds.DEFAULTS)
        new = refunds.with_refund(new, new_refund)
        return _store(db, row, new, "refunded", invoice, new_refund)
    word = TRANSITIONS.past(action) if action else "updated"
    return _store(db, row, new, word, invoice)


def delete(db, row):
    """Delete a payment with its refunds, documents, notes and tasks.

    Deleting one that an offset has made undoes the offset. Raise 409 `period_closed`, or `in_use` if the payment was
    offset with another invoice, or money of an offset was paid out.
    """
    payment_checks.refuse_offset_refunds(row)
    payment_checks.refuse_paid_out(row)
    bookings.refuse_payment(db, row, None)
    if row["offset_id"]:
        _take_back_offset(db, row["id"])
    payment = represent(row)
    taxed = taxes.invoices_of(db, row)
    effect = payment_effects.of_change(row, None)

    cascade.delete_with(db, "payment", row["id"])
    refunds.remove_all(db, row["refunds"])
    effect.before, effect.written_off = recoveries.take_back(db, row)
    db.run(sql.remove, id=row["id"])
    refunds.release_transfer(db, row)

    journal.deleted(db, entities.PAYMENT, payment)
    if effect.changes_invoice:
        payment_effects.apply(db, balance.by_id(db, row["invoice_id"]), effect)
    taxes.update_all(db, taxed)


def move(db, row, action):
    """Complete, fail or cancel a payment and return its API object.

    One in the target state stays as it is.

    If the month of its date is closed, it is completed with the date of now. Raise 409
    `invalid_transition`, or `invoice_not_payable` for `complete`; 422 for completing a payment
    dated after tomorrow, or one whose claim_amount is not claimed any more.
    """
    status = TRANSITIONS.move(action, row["status"])
    if status is None:
        return represent(row)
    if action != "complete":
        return _store(db, row, {**row, "status": status}, TRANSITIONS.past(action))

    faults = Faults()
    payment_checks.check_completion(db, row["payment_date"], faults)
    invoice = balance.by_id(db, row["invoice_id"])
    if row["claim_amount"]:
        balance.check_claim(invoice, row["claim_amount"], row["amount"], faults)
    faults.raise_any()
    balance.refuse_unpayable(invoice)
    return _store(db, row, bookings.completed(db, row), TRANSITIONS.past(action))


def refund(db, row, fields, bank_transaction_id=None):
    """Refund a part of a payment, or what is left, and return the API object of the payment.

    `fields` is a body of the action; for `bank_transaction_id` see `record`. Once nothing is left,
    the state is `refunded`, and a refund without amount changes nothing. Raise 422 for too many
    decimals, or a date before the payment or in the future; 409 `invalid_transition`, `duplicate`,
    `anonymized`, `exceeds_payment` or `period_closed`.
    """
    faults = Faults()
    amount = None
    if fields["amount"] is not None:
        amount = amounts.of_currency(fields["amount"], row["currency"], faults)
    if fields["refunded_at"]:
        refunds.check_date(db, row, fields["refunded_at"], faults)
    faults.raise_any()

    is_refunded = TRANSITIONS.move("refund", row["status"]) is None
    refunds.refuse_known(db, row, fields["transaction_id"])
    if is_refunded and amount is None:
        return represent(row)
    if fields["notes"]:
        anonymity.refuse(db, "payment", row["id"])

    left = row["amount"] - row["refunded_amount"]
    if amount is None:
        amount = left
    if amount > left:
        left = money.major(left, row["currency"])
        raise Problem(
            "exceeds_payment",
            "`amount` exceeds the rest of the payment. Refund at most "
            f"{formats.money(left, row['currency'], 'en')}.",
            left=left,
        )

    new_refund = refunds.add(db, row, amount, fields, bank_transaction_id)
    new = refunds.with_refund(row, new_refund)
    return _store(db, row, new, "refunded", refund=new_refund)


def delete_refund(db, row, refund):
    """Delete `refund`, a row of the payment, which is completed again.

    Raise 409 `period_closed`, or `in_use` if it belongs to an offset.
    """
    payment_checks.refuse_offset_refund(refund)
    _remove_refund(db, row, refund)


def refund_offset(db, id, amount, day, offset_id):
    """Refund `amount` minor units of a payment by an offset, and return the API object of the payment.

    day: date or timestamp of the offset. offset_id: the payment that is made of the refunds. Raise 409
    `period_closed`.
    """
    payment = row(db, id)
    fields = {**refunds.DEFAULTS, "refunded_at": day}
    new_refund = refunds.add(db, payment, amount, fields, offset_id=offset_id)
    new = refunds.with_refund(payment, new_refund)
    return _store(db, payment, new, "refunded", refund=new_refund)


def _take_back_offset(db, offset_id):
    """Delete the refunds of an offset. Raise 409 `period_closed`."""
    for found in refunds.of_offset(db, offset_id):
        payment = row(db, found["payment_id"])
        refund = next(one for one in payment["refunds"] if one["id"] == found["id"])
        _remove_refund(db, payment, refund)


def _remove_refund(db, payment, refund):
    """Delete a refund, and journal the change of its payment. Raise 409 `period_closed`."""
    bookings.refuse_deletion(db, refund)
    refunds.remove_all(db, [refund])
    new = refunds.without_refund(payment, refund)
    _store(db, payment, new, "refund_deleted", refund=refund)


# Rows


def _insert(db, row, invoice):
    """Insert a payment and return its complete row. Raise 409 `duplicate`."""
    id = _once(db, row, lambda: db.insert(sql.add, **row, now=db.now))
    return {
        **row,
        "id": id,
        "invoice_number": invoice["invoice_number"],
        "created_at": db.now,
        "updated_at": db.stamp,
        "refunds": [],
    }


def _changed_row(db, row, payment, invoice, amount, claim):
    """Return the row of a payment as `payment`, its changed API object, wants it.

    Invoice, amount and claim are those of `payment_checks.changed_terms`.
    """
    new = dict(row)
    for name in COPIED:
        new[name] = payment[name]
    new["invoice_id"] = invoice["id"]
    new["invoice_number"] = invoice["invoice_number"]
    new["amount"] = amount
    new["claim_amount"] = claim

    if any(new[name] != row[name] for name in ("gateway_key", "amount", "currency")):
        terms = gateways.terms(db, new["gateway_key"], amount, new["currency"])
        # the fee of a removed gateway stays
        if terms["gateway_id"] or new["gateway_key"] != row["gateway_key"]:
            new.update(terms)
    return new


def _store(db, old, new, action, invoice=None, refund=None):
    """Write and journal a changed row, adjust its invoices, and return the API object.

    `refund`: the row that the event carries. Write nothing if nothing changed. Raise 409
    `period_closed` or `duplicate`.
    """
    if new == old:
        return represent(old)
    bookings.refuse_payment(db, old, new)
    taxed = taxes.invoices_of(db, old) | {new["invoice_id"]}

    new = {**new, "payment_date_at": times.start(new["payment_date"], db.config.timezone)}
    refunds.follow(db, old, new)
    _once(db, new, lambda: db.run(sql.change, **{**new, "now": db.now}))
    new["updated_at"] = db.stamp

    payment = represent(new)
    event = payment
    if refund:
        event = {**payment, "refund": refunds.represent(refund, new["currency"])}
    journal.updated(db, entities.PAYMENT, represent(old), event, action=action)

    payment_effects.apply_change(db, old, new, invoice)
    taxes.update_all(db, taxed)
    return payment


def _once(db, row, write):
    """Call `write` and return its result.

    Raise 409 `duplicate` if the unique index of transaction and gateway refuses the row.
    """
    try:
        return write()
    except Duplicate:
        other_id = db.value(
            sql.by_transaction, transaction_id=row["transaction_id"], gateway_key=row["gateway_key"]
        )
        if other_id is None:
            raise
        raise Problem(
            "duplicate",
            f"Payment {other_id} of this gateway already has the `transaction_id` "
            f"{row['transaction_id']}. Send another one, or none.",
            member="transaction_id",
            payment_id=other_id,
        ) from None
