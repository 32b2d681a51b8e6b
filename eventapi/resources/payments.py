"""Payments: money received against an invoice."""
from decimal import Decimal

from eventapi import journal, money, times
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import gateways, invoices, ledger
from eventapi.domain.billing.payments import represent
from eventapi.domain.records import references
from eventapi.errors import Faults, Problem
from eventapi.states import Transitions
from eventapi.storage.database import Duplicate, as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("payments", "payment", scope="payments", flag="invoices")
sql = statements("payments")

TRANSITIONS = Transitions("payment", {
    "complete": (("pending",), "completed"),
    "fail": (("pending",), "failed"),
    "cancel": (("pending",), "cancelled"),
    "refund": (("completed",), "refunded"),
})
PAST = {"complete": "completed", "fail": "failed", "cancel": "cancelled", "refund": "refunded"}
BEGINNINGS = ("pending", "completed", "failed")
OPEN = ("pending", "completed")
TERMS = ("invoice_id", "amount", "currency", "gateway_key")         # what changes only while a payment is open


@routes.list("/payments", query="payment.query")
def list_payments(db, query):
    return page(db, sql.list, references.filters(db, query, references.INVOICE), represent, INCLUDES)


@routes.post("/payments", schema="payment")
def record_payment(db, body):
    invoice, amount = check(db, body)
    ledger.refuse_unpayable(invoice)
    row = add(db, body, invoice, amount)
    payment = represent(row)
    journal.created(db, "payment", payment, title=invoice["invoice_number"], scope="payments")
    follow(db, None, row, invoice)
    return created(payment, f"/payments/{row['id']}")


@routes.get("/payments/<id>", query="payment.one")
def get_payment(db, id, query):
    return one(db, represent(get(db, id)), query, INCLUDES)


@routes.update("/payments/<id>", schema="payment")
def update_payment(db, id, body):
    row = get(db, id)
    unchanged(represent(row))
    return change(db, row, body)


@routes.delete("/payments/<id>")
def delete_payment(db, id):
    row = get(db, id)
    payment = unchanged(represent(row))
    cascade.delete_with(db, "payment", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "payment", payment, title=payment["invoice_number"], scope="payments")
    follow(db, row, None)
    return deleted()


@routes.post("/payments/<id>/complete")
def complete_payment(db, id):
    """The money has come."""
    return move(db, get(db, id), "complete")


@routes.post("/payments/<id>/fail")
def fail_payment(db, id):
    return move(db, get(db, id), "fail")


@routes.post("/payments/<id>/cancel")
def cancel_payment(db, id):
    return move(db, get(db, id), "cancel")


@routes.post("/payments/<id>/refund", schema="payment.refund")
def refund_payment(db, id, body):
    """Gives money back, all that is left when no amount is said."""
    row = get(db, id)
    amount = body["amount"] and in_minor_units(body["amount"], row["currency"])
    left = row["amount"] - row["refunded_amount"]
    if amount is None or row["status"] not in ("completed", "refunded"):
        return move(db, row, "refund")
    if amount > left:
        raise Problem("exceeds_payment", f"Of this payment {money.major(left, row['currency'])} {row['currency']} are left to "
                      "give back.", left=money.major(left, row["currency"]))
    if amount == left:
        return move(db, row, "refund")
    return store(db, row, {**row, "refunded_amount": row["refunded_amount"] + amount}, "refunded")


def get(db, id):
    return found(db.one(sql.get, id=id), "payment", id)


def check(db, wanted):
    """Invoice and amount in minor units that a new payment names; 422 for what the records say against it."""
    faults = Faults()
    if wanted["status"] not in BEGINNINGS:
        faults.add("/status", "enum", "must be one of: " + ", ".join(BEGINNINGS))
    invoice, amount = named(db, wanted, faults)
    faults.raise_any()
    return invoice, amount


def named(db, wanted, faults):
    """The invoice, and the amount in minor units, that invoice_number, currency and amount stand for."""
    invoice = ledger.by_number(db, wanted["invoice_number"])
    if invoice is None:
        faults.add("/invoice_number", "unknown", "names no invoice")
    currency = wanted["currency"] or (invoice or {"currency": db.config.currency})["currency"]
    if invoice and currency != invoice["currency"]:
        faults.add("/currency", "disagrees", f"must be {invoice['currency']}, the currency of the invoice")
    return invoice, in_minor_units(wanted["amount"], currency, faults)


def in_minor_units(amount, currency, faults=None):
    """422, at once when no faults are collected, for an amount that the currency cannot express."""
    collected = Faults() if faults is None else faults
    units = money.minor(Decimal(str(amount)), currency)
    if units is None:
        collected.add("/amount", "decimals", f"must have at most {money.decimals(currency)} decimals in {currency}")
    if faults is None:
        collected.raise_any()
    return units


def add(db, body, invoice, amount):
    """Stores a new payment; gives its row."""
    currency, zone = invoice["currency"], db.config.timezone
    row = {**body, "invoice_id": invoice["id"], "amount": amount, "refunded_amount": 0, "currency": currency,
           **gateways.terms(db, body["gateway_key"], amount, currency),
           "payment_date": times.start(body["payment_date"], zone) or db.now}
    id = once(db, row, lambda: db.insert(sql.add, **row, now=db.now))
    return {**row, "id": id, "invoice_number": invoice["invoice_number"], "created_at": db.now, "updated_at": db.now}


def once(db, row, write):
    """409 when the gateway has told of this transaction before; the unique index decides."""
    try:
        return write()
    except Duplicate:
        known = db.value(sql.by_transaction, transaction_id=row["transaction_id"], gateway_key=row["gateway_key"])
        if known is None:
            raise
        raise Problem("duplicate", f"The payment {known} has this transaction_id of this gateway.", member="transaction_id",
                      payment_id=known) from None


def change(db, row, body):
    """The payment with other members; `status` asks for the action that leads there."""
    new, invoice = merged(db, row, body)
    status = body.get("status", row["status"])
    action = None if status == row["status"] else TRANSITIONS.action_to(row["status"], status)
    locked = [name for name in TERMS if new[name] != row[name]]
    if locked and row["status"] not in OPEN:
        raise Problem("payment_locked", f"The payment is {row['status']}: {', '.join(locked)} cannot change any more.",
                      state=row["status"], members=locked)
    new["status"] = status
    if action == "refund":
        new["refunded_amount"] = new["amount"]
    if action == "complete" or new["invoice_id"] != row["invoice_id"]:
        ledger.refuse_unpayable(invoice)
    return store(db, row, new, PAST.get(action, "updated"), invoice)


def merged(db, row, body):
    """The row with what a body says, and the invoice that it then belongs to. 422 for what the records say against it."""
    faults = Faults()
    wanted = {**represent(row), **body}
    invoice, amount = named(db, wanted, faults)
    if amount is not None and amount <= row["refunded_amount"] < row["amount"]:
        faults.add("/amount", "refunded", "must be more than what was given back of it")
    if wanted["currency"] != row["currency"] and row["refunded_amount"]:
        faults.add("/currency", "refunded", "cannot change once something was given back")
    faults.raise_any()
    new = {**row, **{name: wanted[name] for name in ("gateway_key", "transaction_id", "notes", "currency")},
           "invoice_id": invoice["id"], "invoice_number": invoice["invoice_number"], "amount": amount,
           "payment_date": times.start(wanted["payment_date"], db.config.timezone)}
    if any(new[name] != row[name] for name in ("gateway_key", "amount", "currency")):
        fee = gateways.terms(db, new["gateway_key"], amount, new["currency"])
        if fee["gateway_id"] or new["gateway_key"] != row["gateway_key"]:       # a gateway that is gone leaves its fee behind
            new.update(fee)
    return new, invoice


def move(db, row, action):
    """The payment after complete, fail, cancel, or refund of all that is left."""
    status = TRANSITIONS.move(action, row["status"])
    if status is None:
        return represent(row)
    new = {**row, "status": status}
    if action == "refund":
        new["refunded_amount"] = row["amount"]
    if action == "complete":
        ledger.refuse_unpayable(ledger.by_id(db, row["invoice_id"]))
    return store(db, row, new, PAST[action])


def store(db, old, new, action, invoice=None):
    """Writes and journals a changed payment, and lets its invoices follow; gives it as answered."""
    if new == old:
        return represent(old)
    once(db, new, lambda: db.run(sql.change, **{**new, "now": db.now}))
    new["updated_at"] = db.now
    payment = represent(new)
    journal.updated(db, "payment", represent(old), payment, action=action, title=new["invoice_number"], scope="payments")
    follow(db, old, new, invoice)
    return payment


def follow(db, old, new, invoice=None):
    """Brings the invoices of a payment up to it: `old` and `new` are its rows, None where there is none."""
    before, after = counts(old), counts(new)
    if old and new and old["invoice_id"] != new["invoice_id"]:
        follow(db, old, None)
        before, old = 0, None
    if before != after:
        invoice = invoice or ledger.by_id(db, (new or old)["invoice_id"])
        ledger.settle(db, invoice, paid=after - before)


def counts(row):
    """What a payment adds to paid_amount of its invoice."""
    return row["amount"] - row["refunded_amount"] if row and row["status"] == "completed" else 0


def include_invoice(db, payments):
    known = invoices.in_short(db, as_json([payment["invoice_id"] for payment in payments]))
    for payment in payments:
        payment["invoice"] = known[payment["invoice_id"]]


def include_allowed_actions(_, payments):
    for payment in payments:
        payment["allowed_actions"] = TRANSITIONS.actions(payment["status"])


INCLUDES = {"invoice": include_invoice, "allowed_actions": include_allowed_actions}
