"""Settling of bank transactions: payments and refunds that a transfer has paid.

Amounts are minor units.

Everything goes through billing.payments, so that sums, states, events and the audit log follow.
Call these functions inside a write transaction.
"""

from dataclasses import dataclass
from decimal import Decimal

from eventapi import money, times
from eventapi.domain.bank import matching, transactions
from eventapi.domain.bank.known import rest
from eventapi.domain.billing import balance, payments, recoveries, refunds, write_offs
from eventapi.domain.books import periods
from eventapi.domain.records import amounts
from eventapi.errors import Faults, Problem
from eventapi.languages import formats
from eventapi.storage.statements import statements

sql = statements("bank_statements")

GATEWAY = "bank"  # gateway_key of the payments
OFFSET = "Taken back by the bank: transactions {} and {}"


def assign(db, row, shares):
    """Assign a transaction and return its row.

    `shares`: [{"invoice_number", "amount", "claim_amount", "invoice_amount"}] of the request; None
    or no amount takes what is open, with the claim_amount. None instead of the list accepts the
    proposal. Raise 422 for unknown invoices; 409 `invalid_transition`, `no_proposal`,
    `exceeds_transfer`, `nothing_to_refund` and what payments raise.
    """
    transactions.TRANSITIONS.move("assign", row["status"])
    if row["status"] == "assigned":
        raise transactions.TRANSITIONS.refused(
            f"Bank transaction {row['id']} is assigned already. Delete its payments to assign it again.",
            row["status"],
            ("open",),
        )
    settle(db, row, _accepted(db, row) if shares is None else _shares(db, row, shares))
    return transactions.row(db, row["id"])


def settle(db, row, shares):
    """Book `shares` of a transaction, which are proposals or have their fields action, amount and
    the invoice.
    """
    left = abs(rest(row))
    total = sum(share["amount"] for share in shares)
    if total > left:
        raise Problem(
            "exceeds_transfer",
            f"The amounts add up to {_shown(total, row)}, which exceeds what is left of the "
            f"transfer. Assign at most {_shown(left, row)}.",
            left=money.major(left, row["currency"]),
        )
    for share in shares:
        BOOK[share["action"]](db, row, share)
    new = transactions.row(db, row["id"])
    if new["assigned_amount"] != row["assigned_amount"]:
        transactions.journal_change(db, row, new)


def _accepted(db, row):
    """Return the proposals to book if the request names no invoice: the exact ones, or the only
    one.

    Raise 409 `no_proposal`.
    """
    proposals = matching.proposals(db, [row])[row["id"]]
    exact = [proposal for proposal in proposals if proposal["is_exact"]]
    if exact:
        return exact
    lacks_amount = any(
        "other_currency" in one["objections"] and not one["invoice_amount"] for one in proposals
    )
    if len(proposals) == 1 and proposals[0]["action"] != "return" and not lacks_amount:
        return proposals

    if not proposals:
        reason = "no proposal"
    elif len(proposals) > 1:
        reason = f"{len(proposals)} proposals, and none of them is exact"
    elif lacks_amount:
        reason = (
            "a proposal whose invoice is in another currency, and the bank does not say what was "
            "sent"
        )
    else:
        reason = "a proposal whose invoice takes no money, so send it back"
    remedy = "Name the invoices in"
    if lacks_amount:
        remedy = "Send what it gets as `invoice_amount` in"
    raise Problem(
        "no_proposal",
        f"Bank transaction {row['id']} has {reason}. {remedy} `invoices`, or use POST "
        f"/payments/unmatched/{row['id']}/ignore for a transfer that pays none, such as a fee.",
        proposals=len(proposals),
    )


# Shares of a request


@dataclass(frozen=True, slots=True)
class Item:
    """An item of `invoices` in a request.

    row: the transaction. sent: the item. invoice: the row of its invoice. place: JSON pointer of
    the item. faults: those of the whole request.
    """

    row: dict
    sent: dict
    invoice: dict
    place: str
    faults: Faults

    def add_fault(self, name, code, detail):
        self.faults.add(f"{self.place}/{name}", code, detail)


def _shares(db, row, items):
    """Return the shares that a request names. Raise 422 with everything that is wrong."""
    faults = Faults()
    shares = []
    left = abs(rest(row))
    numbers = set()
    for index, sent in enumerate(items):
        number = sent["invoice_number"]
        place = f"/invoices/{index}"
        invoice = balance.by_number(db, number)
        if number in numbers:
            faults.add(
                f"{place}/invoice_number",
                "repeated",
                "is there twice. Send one `amount` for the invoice",
            )
        elif invoice is None:
            faults.add(
                f"{place}/invoice_number",
                "unknown",
                f"is unknown: no invoice has the number {number}",
            )
        elif invoice["currency"] != row["currency"] and row["amount"] < 0:
            faults.add(
                f"{place}/invoice_number",
                "disagrees",
                f"must be an invoice in {row['currency']}, the currency "
                f"of the transfer, but {number} is in {invoice['currency']}. Refund its payment "
                "with POST /payments/{id}/refund, and ignore the transfer",
            )
        else:
            share = _share(Item(row, sent, invoice, place, faults), left)
            left -= share["amount"]
            shares.append(share)
        numbers.add(number)
    faults.raise_any()
    return shares


def _share(item, left):
    """Return the share of one item. `left`: what the items before have left of the transfer."""
    credited = _invoice_amount(item)
    claim = _claim_amount(item)
    if credited and item.sent.get("amount") is None:
        amount = left
    else:
        amount = _amount(item, claim, left)
    if claim:
        balance.check_claim(
            item.invoice, claim, credited or amount, item.faults, at=f"{item.place}/claim_amount"
        )
    return {
        "action": "pay" if item.row["amount"] > 0 else "refund",
        "invoice_id": item.invoice["id"],
        "invoice_number": item.invoice["invoice_number"],
        "payment_id": None,
        "amount": amount,
        "claim_amount": claim,
        "invoice_amount": credited,
    }


def _invoice_amount(item):
    """Return what an invoice in another currency gets, in its currency; None for one in that of the
    transfer.
    """
    sent = item.sent.get("invoice_amount")
    number = item.invoice["invoice_number"]
    currency = item.invoice["currency"]
    if currency == item.row["currency"]:
        if sent is not None:
            item.add_fault(
                "invoice_amount",
                "not_allowed",
                f"must not be sent: {number} and the transfer are both in {currency}. Send "
                "`amount`",
            )
        return None
    if sent is None:
        item.add_fault(
            "invoice_amount",
            "required",
            f"is required: {number} is in {currency}, and the transfer in "
            f"{item.row['currency']}. Send what it pays of the invoice, in {currency}",
        )
        return None
    return amounts.of_currency(sent, currency, item.faults, f"{item.place}/invoice_amount")


def _claim_amount(item):
    """Return what a share pays of the claims of letters, in the currency of the invoice."""
    sent = item.sent.get("claim_amount")
    if not sent:
        return 0
    if item.row["amount"] < 0:
        item.add_fault(
            "claim_amount",
            "not_allowed",
            "must not be sent for money that went out: the refund "
            "returns what was paid of claims by itself",
        )
        return 0
    place = f"{item.place}/claim_amount"
    return amounts.of_currency(sent, item.invoice["currency"], item.faults, place) or 0


def _amount(item, claim, left):
    """Return the amount of one share: as sent, or what is open of the invoice, with `claim`, and
    left of the transfer.
    """
    sent = item.sent.get("amount")
    if sent is not None:
        place = f"{item.place}/amount"
        return amounts.of_currency(sent, item.row["currency"], item.faults, place) or 0

    invoice = item.invoice
    owed = invoice["total"] - invoice["credited"] - invoice["paid_amount"] - invoice["written_off"]
    usable = max(owed, 0) + claim if item.row["amount"] > 0 else -owed
    amount = min(left, usable)
    if amount <= 0:
        item.add_fault("amount", "required", _without_amount(item.sent["invoice_number"], left))
    return max(amount, 0)


def _without_amount(number, left):
    """Return the text of the fault that no amount follows for an invoice.

    `left`: what is left of the transfer.
    """
    if left > 0:
        return (
            f"is required: nothing is open of {number}. Send the part of the transfer that belongs to it, or leave "
            "out the invoice"
        )
    return (
        f"cannot be more than 0: nothing is left of the transfer for {number}. Leave out the invoice, or send less "
        "for the others"
    )


# Booking


def _pay(db, row, share):
    """Record a payment, and write off the small rest that the option `payment_tolerance` allows."""
    credited = share["amount"]
    currency = row["currency"]
    received = None
    if share.get("invoice_amount"):
        credited = share["invoice_amount"]
        currency = balance.by_id(db, share["invoice_id"])["currency"]
        received = (share["amount"], row["currency"])
    payment = payments.record(
        db,
        {
            "invoice_number": share["invoice_number"],
            "amount": _major(credited, currency),
            "currency": currency,
            "claim_amount": _major(share["claim_amount"], currency),
            "gateway_key": GATEWAY,
            "transaction_id": _transaction_id(db, row),
            "status": "completed",
            "payment_date": booking_date(db, row),
            "notes": None,
        },
        bank_transaction_id=row["id"],
        received=received,
    )
    if "tolerance" in share.get("reasons", ()):
        invoice = balance.by_id(db, share["invoice_id"])
        if invoice["open_amount"] > 0 and recoveries.is_tolerated(
            db.config, invoice, invoice["open_amount"]
        ):
            write_offs.add_tolerance(db, payment, invoice["open_amount"])


def _refund(db, row, share):
    """Refund the payment that the share names, or payments of its invoice until the amount is
    reached.

    Those that came from the same account are first, then those that came by transfer, and of these
    the latest.
    """
    rows = sorted(
        db.all(sql.payments_of_invoice, id=share["invoice_id"]),
        key=lambda payment: (
            not (row["iban"] and payment["iban"] == row["iban"]),
            not payment["is_transfer"],
        ),
    )
    rows = [payment for payment in rows if share["payment_id"] in (None, payment["id"])]
    parts = _parts(rows, share["amount"], balance.by_id(db, share["invoice_id"]))
    for id, amount in parts.items():
        if amount:
            _refund_payment(db, row, id, amount)

    refunded = sum(parts.values())
    if refunded < share["amount"]:
        raise Problem(
            "nothing_to_refund",
            f"Payments of {share['invoice_number']} can be refunded by at most "
            f"{_shown(refunded, row)}.",
            left=money.major(refunded, row["currency"]),
        )


def _refund_payment(db, row, id, amount):
    """Refund a part of a payment on the day of the transfer, but not before it was paid."""
    payment = payments.row(db, id)
    date = booking_date(db, row)
    paid = refunds.paid_at(payment)
    if refunds.is_before(date, paid, db.config.timezone):
        date = paid
    payments.refund(
        db,
        payment,
        {
            "amount": _major(amount, row["currency"]),
            "notes": None,
            "transaction_id": _transaction_id(db, row),
            "refunded_at": date,
        },
        bank_transaction_id=row["id"],
    )


def _parts(rows, amount, invoice):
    """Return {payment id: what is refunded of it}.

    What was paid of claims that stand is returned last.
    """
    owed = max(invoice["claims_paid"] - invoice["claims_total"], 0)
    left = amount
    parts = {}
    for payment in rows:
        claim = min(owed, payment["claim"])
        part = min(left, payment["rest"] - payment["claim"] + claim)
        parts[payment["id"]] = part
        left -= part
        owed -= min(claim, part)
    for payment in rows:
        more = min(left, payment["rest"] - parts[payment["id"]])
        parts[payment["id"]] += more
        left -= more
    return parts


def _offset(db, row, share):
    """Ignore a debit and the credit that it takes back, of which nothing was assigned."""
    original = transactions.row(db, share["bank_transaction_id"])
    if original["status"] != "open" or original["assigned_amount"]:
        raise Problem(
            "no_proposal",
            f"Bank transaction {original['id']} is no longer open. Read the proposals again.",
            proposals=0,
        )
    for one in (original, row):
        transactions.set_status(db, one, "ignored", OFFSET.format(original["id"], row["id"]))


def _return(db, row, share):
    raise Problem(
        "no_proposal",
        f"{share['invoice_number']} takes no money. Send it back, or name another invoice.",
        proposals=1,
    )


BOOK = {"pay": _pay, "refund": _refund, "offset": _offset, "return": _return}


def booking_date(db, row):
    """Return the date of a payment or refund: the day on which the bank has booked it.

    It is today if that day is later, because banks book transfers for Monday on the evening before
    a weekend, or if its month is closed.
    """
    today = times.today(db.config.timezone, db.now)
    if periods.closed_month(db, row["booked_on"]):
        return today
    return min(row["booked_on"], today)


def _major(units, currency):
    return Decimal(units).scaleb(-money.decimals(currency))


def _shown(units, row):
    """Return an amount in the currency of a transaction as error texts show it."""
    return formats.money(money.major(units, row["currency"]), row["currency"], "en")


def _transaction_id(db, row):
    """Return the transaction id of the next payment or refund of a transfer: unique for the
    account.
    """
    identity = db.value(sql.identity, id=row["id"])
    taken = set(db.values(sql.transaction_ids, id=row["id"]))
    name = identity
    number = 1
    while name in taken:
        number += 1
        name = f"{identity}/{number}"
    return name
