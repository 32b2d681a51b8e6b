"""Bank transfers behind payments and refunds: how much of a transfer they have taken.

A transfer is a row of bank_transactions. Its payments (money that came in) or refunds (money that went out) together
never exceed it. Amounts are minor units. Functions that write are called inside a write transaction.
"""
from eventapi.errors import Problem, quoted
from eventapi.storage.statements import statements

sql = statements("payments")

FIXED = ("amount", "currency")          # of a payment that a transfer has paid


def claim(db, bank_transaction_id, amount):
    """Record that a payment or refund of `amount` takes a part of the transfer. Do nothing if the id is None.

    The caller has checked that the rest of the transfer is enough.
    """
    if bank_transaction_id:
        db.run(sql.claim_transfer, id=bank_transaction_id, amount=amount)


def release(db, record):
    """Record that a payment or refund, which is deleted, no longer takes a part of its transfer. The rest is open."""
    claim(db, record["bank_transaction_id"], -record["amount"])


def refuse_change(payment, new):
    """Raise 409 `payment_locked` if a change gives a payment by bank transfer another amount or currency."""
    changed = [name for name in FIXED if new[name] != payment[name]]
    if payment["bank_transaction_id"] and changed:
        raise Problem("payment_locked", f"{quoted(changed)} cannot change because bank transaction "
                      f"{payment['bank_transaction_id']} has paid this. Delete the payment, and assign the transaction "
                      "again.", state=payment["status"], members=changed)
