"""Settling of bank transactions: payments and refunds that a transfer has paid.

Amounts are minor units.

Everything goes through billing.payments, so that sums, states, events and the audit log follow.
Call these functions inside a write transaction.
"""

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
    left, wanted = abs(rest(row)), sum(share["amount"] for share in shares)
    if wanted > left:
        shown = money.major(left, row["currency"])
        sums = [
            formats.money(money.major(units, row["currency"]), row["currency"], "en")
            for units in (wanted, left)
        ]
        raise Problem(
            "exceeds_transfer",
            f"The amounts add up to {sums[0]}, which exceeds what is left of the "
            f"transfer. Assign at most {sums[1]}.",
            left=shown,
        )
    for share in shares:
        BOOK[share["action"]](db, row, share)
    new = transactions.row(db, row["id"])
    if new["assigned_amount"] != row["assigned_amount"]:
        transactions.journal_change(db, row, new)


def _accepted(db, row):
    """Return the proposals to book if the request names no invoice: the exact ones, or the only
    one.
    """
    found = matching.proposals(db, [row])[row["id"]]
    exact = [proposal for proposal in found if proposal["is_exact"]]
    accepted = exact or found
    lacks_amount = [
        one
        for one in accepted
        if "other_currency" in one["objections"] and not one["invoice_amount"]
    ]
    if (len(accepted) != 1 and not exact) or accepted[0]["action"] == "return" or lacks_amount:
        reason = (
            "no proposal"
            if not found
            else f"{len(found)} proposals, and none of them is exact"
            if len(found) > 1
            else "a proposal whose invoice is in another currency, and the bank does not say what was sent"
            if lacks_amount
            else "a proposal whose invoice takes no money, so send it back"
        )
        raise Problem(
            "no_proposal",
            f"Bank transaction {row['id']} has {reason}. "
            f"{'Send what it gets as `invoice_amount` in' if lacks_amount else 'Name the invoices in'} "
            "`invoices`, or use POST /payments/unmatched/"
            f"{row['id']}/ignore for a transfer that pays none, such as a fee.",
            proposals=len(found),
        )
    return accepted


def _shares(db, row, wanted):
    """Return the shares that a request names. Raise 422 with everything that is wrong."""
    faults, shares, left = Faults(), [], abs(rest(row))
    for index, item in enumerate(wanted):
        invoice = balance.by_number(db, item["invoice_number"])
        place = f"/invoices/{index}"
        if item["invoice_number"] in {earlier["invoice_number"] for earlier in wanted[:index]}:
            faults.add(
                f"{place}/invoice_number",
                "repeated",
                "is there twice. Send one `amount` for the invoice",
            )
        elif invoice is None:
            faults.add(
                f"{place}/invoice_number",
                "unknown",
                f"is unknown: no invoice has the number {item['invoice_number']}",
            )
        elif invoice["currency"] != row["currency"] and row["amount"] < 0:
            faults.add(
                f"{place}/invoice_number",
                "disagrees",
                f"must be an invoice in {row['currency']}, the currency "
                f"of the transfer, but {item['invoice_number']} is in {invoice['currency']}. Refund its payment "
                "with POST /payments/{id}/refund, and ignore the transfer",
            )
        else:
            credited = _invoice_amount(row, item, invoice, place, faults)
            claim = _claim_amount(row, item, invoice, place, faults)
            amount = (
                left
                if credited and item.get("amount") is None
                else _amount(row, item, invoice, claim, left, place, faults)
            )
            if claim:
                balance.check_claim(
                    invoice, claim, credited or amount, faults, at=f"{place}/claim_amount"
                )
            left -= amount
            shares.append(
                {
                    "action": "pay" if row["amount"] > 0 else "refund",
                    "invoice_id": invoice["id"],
                    "invoice_number": invoice["invoice_number"],
                    "payment_id": None,
                    "amount": amount,
                    "claim_amount": claim,
                    "invoice_amount": credited,
                }
            )
    faults.raise_any()
    return shares


def _invoice_amount(row, item, invoice, place, faults):
    """Return what an invoice in another currency gets, in its currency; None for one in that of the
    transfer.
    """
    sent, currency = item.get("invoice_amount"), invoice["currency"]
    if currency == row["currency"]:
        if sent is not None:
            faults.add(
                f"{place}/invoice_amount",
                "not_allowed",
                f"must not be sent: {invoice['invoice_number']} and "
                f"the transfer are both in {currency}. Send `amount`",
            )
        return None
    if sent is None:
        faults.add(
            f"{place}/invoice_amount",
            "required",
            f"is required: {invoice['invoice_number']} is in {currency}, "
            f"and the transfer in {row['currency']}. Send what it pays of the invoice, in {currency}",
        )
        return None
    return amounts.of_currency(sent, currency, faults, f"{place}/invoice_amount")


def _claim_amount(row, item, invoice, place, faults):
    """Return what a share pays of the claims of letters, in the currency of the invoice."""
    if not item.get("claim_amount"):
        return 0
    if row["amount"] < 0:
        faults.add(
            f"{place}/claim_amount",
            "not_allowed",
            "must not be sent for money that went out: the refund "
            "returns what was paid of claims by itself",
        )
        return 0
    return (
        amounts.of_currency(
            item["claim_amount"], invoice["currency"], faults, f"{place}/claim_amount"
        )
        or 0
    )


def _amount(row, item, invoice, claim, left, place, faults):
    """Return the amount of one share: as sent, or what is open of the invoice, with `claim`, and
    left of the transfer.
    """
    if item.get("amount") is not None:
        return amounts.of_currency(item["amount"], row["currency"], faults, f"{place}/amount") or 0
    owed = invoice["total"] - invoice["credited"] - invoice["paid_amount"] - invoice["written_off"]
    amount = min(left, max(owed, 0) + claim if row["amount"] > 0 else -owed)
    if amount <= 0:
        faults.add(f"{place}/amount", "required", _without_amount(item["invoice_number"], left))
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
    credited, currency, received = share["amount"], row["currency"], None
    if share.get("invoice_amount"):
        currency = balance.by_id(db, share["invoice_id"])["currency"]
        credited, received = share["invoice_amount"], (share["amount"], row["currency"])
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
    found = sorted(
        db.all(sql.payments_of_invoice, id=share["invoice_id"]),
        key=lambda payment: (
            not (row["iban"] and payment["iban"] == row["iban"]),
            not payment["is_transfer"],
        ),
    )
    parts = _parts(
        [payment for payment in found if share["payment_id"] in (None, payment["id"])],
        share["amount"],
        balance.by_id(db, share["invoice_id"]),
    )
    left = share["amount"] - sum(parts.values())
    for id, amount in parts.items():
        if amount:
            old = payments.row(db, id)
            date, paid = booking_date(db, row), refunds.paid_at(old)
            payments.refund(
                db,
                old,
                {
                    "amount": _major(amount, row["currency"]),
                    "notes": None,
                    "transaction_id": _transaction_id(db, row),
                    "refunded_at": paid
                    if refunds.is_before(date, paid, db.config.timezone)
                    else date,
                },
                bank_transaction_id=row["id"],
            )
    if left:
        shown = money.major(share["amount"] - left, row["currency"])
        raise Problem(
            "nothing_to_refund",
            f"Payments of {share['invoice_number']} can be refunded by at most "
            f"{formats.money(shown, row['currency'], 'en')}.",
            left=shown,
        )


def _parts(found, amount, invoice):
    """Return {payment id: what is refunded of it}.

    What was paid of claims that stand is returned last.
    """
    owed, parts, left = max(invoice["claims_paid"] - invoice["claims_total"], 0), {}, amount
    for payment in found:
        claim = min(owed, payment["claim"])
        parts[payment["id"]] = min(left, payment["rest"] - payment["claim"] + claim)
        left -= parts[payment["id"]]
        owed -= min(claim, parts[payment["id"]])
    for payment in found:
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
    return today if periods.closed_month(db, row["booked_on"]) else min(row["booked_on"], today)


def _major(units, currency):
    return Decimal(units).scaleb(-money.decimals(currency))


def _transaction_id(db, row):
    """Return the transaction id of the next payment or refund of a transfer: unique for the
    account.
    """
    identity = db.value(sql.identity, id=row["id"])
    taken = set(db.values(sql.transaction_ids, id=row["id"]))
    return next(
        name
        for name in (identity, *(f"{identity}/{number}" for number in range(2, len(taken) + 3)))
        if name not in taken
    )
