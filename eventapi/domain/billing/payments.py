"""Payments: recording, changing, deleting and refunding money received against an invoice.

Rows hold amounts in minor units of their currency, records (see `represent`) in major units. Every function that
writes is called inside a write transaction, journals the change, and adjusts the paid amount and the state of the
invoice.
"""
from decimal import Decimal

from eventapi import journal, money, times
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import gateways, ledger
from eventapi.domain.records import entities
from eventapi.errors import Faults, Problem
from eventapi.states import Transitions
from eventapi.storage.database import Duplicate
from eventapi.storage.statements import statements

sql = statements("payments")

TRANSITIONS = Transitions("payment", {
    "complete": (("pending",), "completed"),
    "fail": (("pending",), "failed"),
    "cancel": (("pending",), "cancelled"),
    "refund": (("completed",), "refunded"),
})
INITIAL = ("pending", "completed", "failed")
OPEN = ("pending", "completed")
TERMS = ("invoice_id", "amount", "currency", "gateway_key")         # these change only while a payment is open
AMOUNTS = ("amount", "gateway_fee", "net_amount", "refunded_amount")
# In this order, so that a new payment has the same ETag as when it is read.
FIELDS = ("id", "invoice_id", "invoice_number", "amount", "currency", "gateway_id", "gateway_key", "gateway_name",
          "transaction_id", "gateway_fee", "refunded_amount", "status", "payment_date", "notes", "created_at",
          "updated_at")


# Reading

def row(db, id):
    """Return the row of the payment, or None."""
    return db.one(sql.get, id=id)


def represent(row):
    """Return the API object of a row. The row is not changed."""
    payment = {**{name: row[name] for name in FIELDS}, "net_amount": row["amount"] - row["gateway_fee"]}
    money.convert_to_major(payment, AMOUNTS, row["currency"])
    return payment


def of_invoices(db, ids):
    """Return {invoice id: [payment, …]} for a JSON array of invoice ids."""
    payments = {}
    for row in db.all(sql.of_invoices, ids=ids):
        payments.setdefault(row["invoice_id"], []).append(represent(row))
    return payments


# Writing

def record(db, fields):
    """Record a new payment and return its API object.

    `fields` is a complete validated body.

    Raise 422 for an unknown invoice, another currency than that of the invoice, or an amount with too many decimals;
    409 `invoice_not_payable`, or `duplicate` if the gateway has reported the transaction before.
    """
    faults = Faults()
    if fields["status"] not in INITIAL:
        faults.add("/status", "enum", "must be one of: " + ", ".join(INITIAL))
    invoice, amount = _invoice_and_amount(db, fields, faults)
    faults.raise_any()
    ledger.refuse_unpayable(invoice)
    row = _add(db, fields, invoice, amount)
    payment = represent(row)
    journal.created(db, entities.PAYMENT, payment)
    _adjust_invoice(db, None, row, invoice)
    return payment


def update(db, row, fields):
    """Change a payment and return its API object.

    `fields` holds the changed fields; a new `status` runs the action that leads there.

    Raise 422 for fields that contradict the invoice or an earlier refund; 409 `payment_locked`, `invalid_transition`,
    `invoice_not_payable` or `duplicate`.
    """
    new, invoice = _merged(db, row, fields)
    status = fields.get("status", row["status"])
    action = None if status == row["status"] else TRANSITIONS.action_to(row["status"], status)
    locked = [name for name in TERMS if new[name] != row[name]]
    if locked and row["status"] not in OPEN:
        raise Problem("payment_locked", f"{', '.join(f'`{name}`' for name in locked)} cannot change because the "
                      f"payment is {row['status']}. Record another payment.",
                      state=row["status"], members=locked)
    new["status"] = status
    if action == "refund":
        new["refunded_amount"] = new["amount"]
    if action == "complete" or new["invoice_id"] != row["invoice_id"]:
        ledger.refuse_unpayable(invoice)
    return _store(db, row, new, TRANSITIONS.past(action) if action else "updated", invoice)


def delete(db, row):
    """Delete a payment with its documents, notes and tasks."""
    payment = represent(row)
    cascade.delete_with(db, "payment", row["id"])
    db.run(sql.remove, id=row["id"])
    journal.deleted(db, entities.PAYMENT, payment)
    _adjust_invoice(db, row, None)


def move(db, row, action):
    """Complete, fail, cancel or fully refund a payment and return its API object.

    A payment that is in the target state already stays as it is. Raise 409 `invalid_transition`, or
    `invoice_not_payable` for `complete`.
    """
    status = TRANSITIONS.move(action, row["status"])
    if status is None:
        return represent(row)
    new = {**row, "status": status}
    if action == "refund":
        new["refunded_amount"] = row["amount"]
    if action == "complete":
        ledger.refuse_unpayable(ledger.by_id(db, row["invoice_id"]))
    return _store(db, row, new, TRANSITIONS.past(action))


def refund(db, row, amount=None):
    """Refund `amount` of a payment and return its API object.

    The amount is in major units; without one, refund what is left.

    A refund of everything that is left changes the state to `refunded`. Raise 422 for too many decimals; 409
    `exceeds_payment` or `invalid_transition`.
    """
    units = amount and _in_minor_units(amount, row["currency"])
    left = row["amount"] - row["refunded_amount"]
    if units is None or row["status"] not in ("completed", "refunded"):
        return move(db, row, "refund")
    if units > left:
        raise Problem("exceeds_payment",
                      f"`amount` exceeds the rest of the payment. At most {money.major(left, row['currency'])} "
                      f"{row['currency']} can be refunded.", left=money.major(left, row["currency"]))
    if units == left:
        return move(db, row, "refund")
    return _store(db, row, {**row, "refunded_amount": row["refunded_amount"] + units}, "refunded")


def _invoice_and_amount(db, wanted, faults):
    """Return the invoice of `invoice_number` (see `ledger.by_number`) and the amount in minor units.

    Add what is wrong to `faults`.
    """
    invoice = ledger.by_number(db, wanted["invoice_number"])
    if invoice is None:
        faults.add("/invoice_number", "unknown", "no invoice has this number")
    currency = wanted["currency"] or (invoice or {"currency": db.config.currency})["currency"]
    if invoice and currency != invoice["currency"]:
        faults.add("/currency", "disagrees", f"must be {invoice['currency']}, the currency of the invoice")
    return invoice, _in_minor_units(wanted["amount"], currency, faults)


def _in_minor_units(amount, currency, faults=None):
    """Return the amount in minor units. Add too many decimals to `faults`, or raise 422 at once if it is None."""
    collected = Faults() if faults is None else faults
    units = money.minor(Decimal(str(amount)), currency)
    if units is None:
        collected.add("/amount", "decimals", f"must have at most {money.decimals(currency)} decimals in {currency}")
    if faults is None:
        collected.raise_any()
    return units


def _add(db, fields, invoice, amount):
    """Insert a payment of `amount` minor units and return its row."""
    currency, zone = invoice["currency"], db.config.timezone
    row = {**fields, "invoice_id": invoice["id"], "amount": amount, "refunded_amount": 0, "currency": currency,
           **gateways.terms(db, fields["gateway_key"], amount, currency),
           "payment_date": times.start(fields["payment_date"], zone) or db.now}
    id = _once(db, row, lambda: db.insert(sql.add, **row, now=db.now))
    return {**row, "id": id, "invoice_number": invoice["invoice_number"], "created_at": db.now, "updated_at": db.now}


def _once(db, row, write):
    """Call `write`. Raise 409 `duplicate` if the unique index of transaction and gateway refuses the row."""
    try:
        return write()
    except Duplicate:
        known = db.value(sql.by_transaction, transaction_id=row["transaction_id"], gateway_key=row["gateway_key"])
        if known is None:
            raise
        raise Problem("duplicate", f"Payment {known} already has this `transaction_id` of this gateway.",
                      member="transaction_id",
                      payment_id=known) from None


def _merged(db, row, fields):
    """Return the row with the changed fields, and its invoice. Raise 422 for what contradicts other records."""
    faults = Faults()
    wanted = {**represent(row), **fields}
    invoice, amount = _invoice_and_amount(db, wanted, faults)
    if amount is not None and amount <= row["refunded_amount"] < row["amount"]:
        faults.add("/amount", "refunded", "must be more than the refunded amount")
    if wanted["currency"] != row["currency"] and row["refunded_amount"]:
        faults.add("/currency", "refunded", "cannot change because a part of the payment was refunded")
    faults.raise_any()
    new = {**row, **{name: wanted[name] for name in ("gateway_key", "transaction_id", "notes", "currency")},
           "invoice_id": invoice["id"], "invoice_number": invoice["invoice_number"], "amount": amount,
           "payment_date": times.start(wanted["payment_date"], db.config.timezone)}
    if any(new[name] != row[name] for name in ("gateway_key", "amount", "currency")):
        fee = gateways.terms(db, new["gateway_key"], amount, new["currency"])
        if fee["gateway_id"] or new["gateway_key"] != row["gateway_key"]:       # the fee of a removed gateway stays
            new.update(fee)
    return new, invoice


def _store(db, old, new, action, invoice=None):
    """Write and journal a changed row, adjust its invoices, and return the API object.

    Write nothing if nothing changed.
    """
    if new == old:
        return represent(old)
    _once(db, new, lambda: db.run(sql.change, **{**new, "now": db.now}))
    new["updated_at"] = db.now
    payment = represent(new)
    journal.updated(db, entities.PAYMENT, represent(old), payment, action=action)
    _adjust_invoice(db, old, new, invoice)
    return payment


def _adjust_invoice(db, old, new, invoice=None):
    """Adjust the paid amount of the invoices of a payment.

    `old` and `new` are its rows; None for one that does not exist.
    """
    before, after = _paid(old), _paid(new)
    if old and new and old["invoice_id"] != new["invoice_id"]:
        _adjust_invoice(db, old, None)
        before, old = 0, None
    if before != after:
        invoice = invoice or ledger.by_id(db, (new or old)["invoice_id"])
        ledger.adjust(db, invoice, paid=after - before)


def _paid(row):
    """Return the minor units that a payment adds to the paid amount of its invoice."""
    return row["amount"] - row["refunded_amount"] if row and row["status"] == "completed" else 0
