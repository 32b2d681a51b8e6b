"""Payments: money received for an invoice."""

from eventapi.domain.billing import balance, invoices, payments, refunds
from eventapi.domain.billing.payments import TRANSITIONS, represent
from eventapi.domain.records import references
from eventapi.plugins.access import may_read
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.includes import allowed_actions, ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("payments", "payment", scope="payments", flag="invoices", states=(TRANSITIONS,))
sql = statements("payments")


@routes.list("/payments", query="payment.query")
def list_payments(db, who, query):
    """List payments.

    `search` also finds the buyer of the invoice, with a key that may read invoices.
    """
    query = references.filters(db, query, references.INVOICE)
    if "search" in query:
        name = "search_names" if may_read(who, "invoices") else "search"
        query[name] = folding.expression(query.pop("search"))
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post(
    "/payments",
    schema="payment",
    desk=Desk(fields=("amount", "payment_date", "gateway_key", "notes"), fixed=("invoice_number",)),
)
def create_payment(db, body):
    return created(payments.record(db, body), "/payments")


@routes.get("/payments/<id>", query="payment.one")
def get_payment(db, id, query):
    return one(db, represent(row(db, id)), query, INCLUDES)


@routes.update("/payments/<id>", schema="payment")
def update_payment(db, id, body):
    return payments.update(db, require_match(row(db, id), represent), body)


@routes.delete("/payments/<id>", desk=Desk(is_final=True))
def delete_payment(db, id):
    payments.delete(db, require_match(row(db, id), represent))


@routes.post("/payments/<id>/complete", desk=Desk())
def complete_payment(db, id):
    """Complete a pending payment: the money has been received."""
    return payments.move(db, row(db, id), "complete")


@routes.post("/payments/<id>/fail")
def fail_payment(db, id):
    return payments.move(db, row(db, id), "fail")


@routes.post("/payments/<id>/cancel", desk=Desk())
def cancel_payment(db, id):
    return payments.move(db, row(db, id), "cancel")


@routes.post(
    "/payments/<id>/refund",
    schema="payment.refund",
    rolls_back=True,
    desk=Desk(fields=("amount", "refunded_at", "notes"), is_final=True),
)
def refund_payment(db, id, body):
    """Refund a payment. Refunds what is left unless `amount` is given.

    `warnings` in meta has `reopens_invoice` if the customer owes the money again after the refund,
    because the invoice still stands. Credit the invoice first if that is not meant.
    """
    payment = row(db, id)
    before = balance.by_id(db, payment["invoice_id"])
    refunded = payments.refund(db, payment, body)
    return Response(refunded, meta={"warnings": refunds.reopened(db, before)})


@routes.delete("/payments/<id>/refunds/<refund_id>")
def delete_payment_refund(db, id, refund_id):
    """Delete a refund that was recorded by mistake. A payment that was refunded is completed again."""
    payment = require_match(row(db, id), represent)
    refund = next((refund for refund in payment["refunds"] if refund["id"] == refund_id), None)
    payments.delete_refund(db, payment, found(refund, "refund", refund_id))


def row(db, id):
    return found(payments.row(db, id), "payment", id)


def include_invoice(db, records):
    known = invoices.summaries(db, ids_of(records, "invoice_id"))
    for payment in records:
        payment["invoice"] = known[payment["invoice_id"]]


INCLUDES = {
    "invoice": include_invoice,
    "refunds": refunds.attach,
    "allowed_actions": allowed_actions(TRANSITIONS.of),
}
