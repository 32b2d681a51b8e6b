"""Matching of bank transactions with invoices: the proposals of a page of transactions.

A proposal is {invoice_id, invoice_number, payment_id, action, amount, claim_amount, invoice_amount,
bank_transaction_id, reasons, objections, is_exact}, with the amounts in minor units;
`invoice_amount` is in the currency of the invoice if that is another one, else None. `claim_amount`
is the part of the amount that pays costs and interest of dunning letters. `action` is `pay` (record
a payment), `refund` (refund a payment of the invoice), `return` (the invoice takes no money: send
it back) or `offset` (see returns.py). A proposal is exact if nothing speaks against it. Only exact
ones are booked without being accepted by a person.
"""

from eventapi.domain.bank import judging, returns
from eventapi.domain.bank.known import read_known


def proposals(db, transactions, taken=None):
    """Return {id: [proposal, …]} for these rows of transactions, the best proposals first.

    `taken`: invoice id -> (minor units that a dry run has already used of its open amount, and of
    its claims).
    """
    return {id: proposed for id, (proposed, _) in judged(db, transactions, taken).items()}


def judged(db, transactions, taken=None):
    """Return {id: (proposals, number of candidates that were left out)}, see `proposals`."""
    waiting = [row for row in transactions if row["status"] == "open"]
    known = read_known(db, waiting, taken or {})
    return {row["id"]: _judge(row, known) for row in waiting}


def _judge(row, known):
    """Return (proposals, number of candidates that were left out) of one transaction.

    A reversal decides before a number, and a number before invoices that are only alike.
    """
    proposed = returns.proposals(row, known) if row["amount"] < 0 else []

    if not _has_exact(proposed):
        named = judging.by_number(row, known)
        proposed = named if _has_exact(named) else proposed + named

    omitted = 0
    if not _has_exact(proposed):
        ids = {proposal["invoice_id"] for proposal in proposed}
        alike, omitted = judging.by_likeness(row, known, ids)
        proposed = proposed + alike

    if row["id"] in known.doubled:
        proposed = [
            {**one, "objections": [*one["objections"], "other_format"], "is_exact": False}
            for one in proposed
        ]

    ranked = enumerate(sorted(proposed, key=judging.rank))
    kept = [proposal for place, proposal in ranked if proposal["is_exact"] or place < judging.MOST]
    return kept, omitted + len(proposed) - len(kept)


def _has_exact(proposals):
    return any(proposal["is_exact"] for proposal in proposals)
