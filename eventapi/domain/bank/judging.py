"""Judging whether a bank transaction pays an invoice, or refunds it: what speaks for it and against.

The functions return proposals in the form that matching.py describes. `known` is a Known.
"""

from dataclasses import dataclass

from eventapi.domain.bank import references, returns
from eventapi.domain.bank.known import customer_names, rest
from eventapi.domain.billing import recoveries
from eventapi.domain.billing.invoices import PAYABLE

# invoices that have the amount and nothing else in common: of more, any choice is a guess
MOST_ALIKE = 5
MOST = 10  # proposals of a transaction, apart from exact ones
NAMED = {"number", "creditor_reference", "end_to_end_id", "reversal"}
SHORTEST_NAME = 4  # letters; shorter names are a part of too many others


def rank(proposal):
    """Return the key by which proposals are sorted.

    Of equal ones, `by_number` and `by_likeness` know the best.
    """
    return (
        not proposal["is_exact"],
        not NAMED & set(proposal["reasons"]),
        len(proposal["objections"]),
        -len(proposal["reasons"]),
    )


# Invoices whose number is in the text


@dataclass(frozen=True, slots=True)
class Named:
    """An invoice that a transaction names.

    is_clear: its number is complete, and no other one may be meant.
    """

    invoice: dict
    reason: str
    is_clear: bool


def by_number(row, known):
    """Return a proposal for each invoice that the transaction names."""
    named = {}
    in_other_currency = {}
    meant = set()  # also those whose number the bank may have cut off
    for hit in known.hits[row["id"]]:
        invoice = known.invoices[hit.invoice_id]
        id = invoice["id"]
        if hit.is_named:
            meant.add(id)
        if invoice["currency"] == row["currency"]:
            is_clear = hit.is_clear and hit.is_unique
            if is_clear or id not in named:
                named[id] = Named(invoice, hit.reason, is_clear)
        elif row["amount"] > 0 and invoice["status"] in PAYABLE:
            in_other_currency[id] = _in_other_currency(row, invoice, hit.reason, known)

    shares = _adding_up(row, list(named.values()), known)
    if shares:
        return [
            _propose(row, one.invoice, [one.reason, "sum"], [], known, amount)
            for one, amount in zip(named.values(), shares, strict=True)
        ]

    proposals = []
    for one in named.values():
        objections = ["several"] if len(meant) > 1 else []
        if not one.is_clear:
            objections = ["uncertain"]
        proposals.append(
            _propose(row, one.invoice, [one.reason], objections, known, abs(rest(row)))
        )
    return [*proposals, *in_other_currency.values()]


def _adding_up(row, named, known):
    """Return what each of the Named gets if they are what the transaction pays, else None.

    It is what is open of them, or what is open with the claims of their letters.
    """
    if len(named) < 2 or _takes_back(row, known):
        return None
    if not all(one.is_clear and one.invoice["status"] in PAYABLE for one in named):
        return None

    side = 1 if row["amount"] > 0 else -1
    choices = [[side * one.invoice["open_amount"] for one in named]]
    if row["amount"] > 0:
        choices.append([_payable_amounts(one.invoice)[1] for one in named])
    for shares in choices:
        if min(shares) > 0 and sum(shares) == abs(rest(row)):
            return shares
    return None


def _in_other_currency(row, invoice, reason, known):
    """Return the proposal to pay an invoice in another currency, with what the payer has sent if
    the bank says it.
    """
    proposal = _propose(row, invoice, [reason], ["other_currency"], known, rest(row))
    sent = None
    if row.get("sent_currency") == invoice["currency"] and not row["assigned_amount"]:
        sent = row["sent_amount"]
    return {
        **proposal,
        "amount": rest(row),
        "claim_amount": 0,
        "invoice_amount": sent,
        "reasons": [name for name in proposal["reasons"] if name not in ("amount", "tolerance")],
        "objections": ["other_currency"],
        "is_exact": False,
    }


# Invoices that have something in common with the transaction


def by_likeness(row, known, left_out):
    """Return (proposals, number of candidates that were left out) for invoices that the transaction
    does not name.

    Candidates are the open invoices of the same amount, and those of a customer who has paid from
    the same account. At a show with booths of one size, hundreds have one amount: a part of the
    number and the name of the payer decide.
    """
    ids = list(known.amounts.get((row["currency"], rest(row)), ()))
    if row["amount"] > 0:
        for contact in known.payers.get(row["iban"], ()):
            ids += known.open_of.get(contact, ())
    alike = []
    for id in dict.fromkeys(ids):
        invoice = known.invoices[id]
        if invoice["id"] not in left_out and invoice["currency"] == row["currency"]:
            alike.append(invoice)

    marks = {invoice["id"]: _marks(row, invoice, known) for invoice in alike}
    chosen = [invoice for invoice in alike if any(marks[invoice["id"]])]
    if len(alike) - len(chosen) <= MOST_ALIKE:
        chosen = alike
    chosen = sorted(
        chosen,
        key=lambda invoice: _likelihood(row, invoice, marks[invoice["id"]]),
        reverse=True,
    )[:MOST]

    proposals = []
    for invoice in chosen:
        part, _, _ = marks[invoice["id"]]
        reasons = ["number_part"] if part else []
        proposals.append(_propose(row, invoice, reasons, ["no_number"], known, abs(rest(row))))
    return proposals, len(alike) - len(chosen)


def _marks(row, invoice, known):
    """Return what besides the amount speaks for an invoice.

    It is (characters of the longest end of its number in the text, whether the payer has the name
    of the customer, whether earlier payments of the customer came from the account).
    """
    if invoice["id"] not in known.marks:
        ends = references.ends(invoice["invoice_number"])
        known.marks[invoice["id"]] = ends, customer_names(invoice)
    ends, names = known.marks[invoice["id"]]
    keys = known.keys[row["id"]]
    part = next((len(end) for end in ends if end in keys), 0)
    return (
        part,
        _has_name(known.names[row["id"]], names),
        known.has_paid_from(row["iban"], invoice),
    )


def _likelihood(row, invoice, marks):
    """Return the key by which candidates are sorted: how much speaks for an invoice, then the part
    of its number.
    """
    has_amount = rest(row) in _payable_amounts(invoice)
    part, has_name, has_account = marks
    return sum((has_amount, part > 0, has_name, has_account)), part, -invoice["id"]


# A proposal


def _propose(row, invoice, reasons, objections, known, amount):
    """Return the proposal to settle an invoice with `amount` of the transaction, in positive minor
    units.
    """
    if row["amount"] > 0:
        owed = _payable_amounts(invoice)
        action, usable, claim, amount_objections = _incoming(amount, invoice)
        if {"underpaid", "claim_underpaid"} & set(amount_objections) and NAMED & set(reasons):
            tolerated = [
                payable for payable in owed if _is_tolerated(known, invoice, payable, amount)
            ]
            if tolerated:
                claim = tolerated[-1] - owed[0]
                reasons = [*reasons, "tolerance"]
                amount_objections = []
    else:
        owed = (_owed_to_customer(invoice),)
        action, usable, amount_objections = _outgoing(amount, owed[0], invoice)
        claim = 0

    reasons = list(reasons)
    if amount in owed:
        reasons.append("amount")
    if known.has_paid_from(row["iban"], invoice):
        reasons.append("iban")
    if _has_name(known.names[row["id"]], customer_names(invoice)):
        reasons.append("name")

    objections = [*objections, *amount_objections]
    if _takes_back(row, known):
        objections.append("reversal")
    return {
        "invoice_id": invoice["id"],
        "invoice_number": invoice["invoice_number"],
        "payment_id": None,
        "action": action,
        "amount": usable,
        "claim_amount": claim,
        "invoice_amount": None,
        "bank_transaction_id": None,
        "reasons": reasons,
        "objections": objections,
        "is_exact": not objections,
    }


def _payable_amounts(invoice):
    """Return the amounts that pay an invoice: alone, and with the claims of its letters."""
    return invoice["open_amount"], invoice["open_amount"] + max(invoice["claims_open"], 0)


def _is_tolerated(known, invoice, payable, amount):
    """Return whether an amount lacks so little of `payable` that the rest is written off."""
    lacking = payable - amount
    return 0 < lacking < invoice["open_amount"] and recoveries.is_tolerated(
        known.config, invoice, lacking
    )


def _takes_back(row, known):
    """Return whether an earlier transaction is taken back: that one decides, and not the number in
    the text.
    """
    return bool(row["is_reversal"]) or returns.has_named(row, known)


def _incoming(amount, invoice):
    """Return (action, amount, claim_amount, objections) of money that came in for an invoice.

    The open amount pays the invoice, and the open amount with the claims of letters pays both. Any
    other amount is divided by § 367 (1) BGB: into costs and interest first, then the invoice.
    """
    if invoice["status"] not in PAYABLE:
        return "return", amount, 0, ["cancelled"]

    owed = invoice["open_amount"]
    if amount == owed:
        return "pay", amount, 0, []

    claims = max(invoice["claims_open"], 0)
    whole = max(owed, 0) + claims
    if not whole:
        return "pay", amount, 0, ["duplicate"]
    if amount < whole:
        objection = "underpaid" if amount < owed else "claim_underpaid"
        return "pay", amount, min(amount, claims), [objection]
    objections = ["overpaid"] if amount > whole else []
    return "pay", whole, claims, objections


def _owed_to_customer(invoice):
    """Return what a customer is owed: what was overpaid, and what was paid of a letter that was
    withdrawn.
    """
    return -invoice["open_amount"] - min(invoice["claims_open"], 0)


def _outgoing(amount, owed, invoice):
    """Return (action, amount, objections) of money that went out to a customer.

    `owed`: what the customer is owed.
    """
    if invoice["paid_amount"] <= 0:
        return "return", amount, ["not_paid"]
    if owed <= 0:
        return "refund", min(amount, invoice["paid_amount"]), ["not_owed"]

    objections = []
    # What was paid in another way, such as by card, is sent back in that way.
    if amount > invoice["paid_by_transfer"]:
        objections.append("uncertain")
    if amount != owed:
        objections.append("amount_differs")
    return "refund", min(amount, owed), objections


def _has_name(payers, customers):
    """Return whether one of the names of a payer is one of a customer, as banks write names."""
    return any(
        min(len(name), len(other)) >= SHORTEST_NAME and (name in other or other in name)
        for name in customers
        for other in payers
    )
