"""Checks of payments: what a payment can be, and what of it can change.

Rows hold amounts in minor units. Functions with an argument `faults` add what is wrong to it; the
others raise.
"""

from eventapi import times
from eventapi.domain.billing import balance, gateways, refunds
from eventapi.domain.records import amounts
from eventapi.errors import Faults, Problem, listed, quoted

INITIAL = ("pending", "completed", "failed")
OPEN = ("pending", "completed")
# change only while a payment is open
TERMS = (
    "invoice_id",
    "amount",
    "claim_amount",
    "currency",
    "gateway_key",
)
# of a payment that an offset has made: the record of what was offset
OF_OFFSET = (*TERMS, "transaction_id", "payment_date", "status")
MOST_YEARS = 5  # between a payment in advance and its invoice


# A new payment, and a changed one


def new_terms(db, fields, *, is_offset=False):
    """Return the invoice of a new payment, and its amount and claim_amount in minor units.

    `fields` is a complete validated body; only that of an offset may have its gateway. Raise 422 for an
    unknown invoice, another currency than that of the invoice, an amount with too many decimals, a
    claim_amount that is not claimed, or a completed payment dated after tomorrow.
    """
    faults = Faults()
    if not is_offset:
        check_gateway(fields["gateway_key"], faults)
    if fields["status"] not in INITIAL:
        faults.add(
            "/status",
            "enum",
            f"must be {listed(INITIAL, 'or')} at first, but is {fields['status']}",
        )
    invoice, amount = invoice_and_amount(db, fields, faults)
    claim = claim_amount(fields, invoice, amount, faults)
    if claim:
        balance.check_claim(invoice, claim, amount, faults)

    if fields["status"] == "completed":
        check_completion(db, fields["payment_date"], faults)
    check_age(db, fields["payment_date"], invoice, faults)

    faults.raise_any()
    return invoice, amount, claim


def changed_terms(db, old, fields):
    """Return the invoice of a changed payment, and its amount and claim_amount in minor units.

    `old` is the row before the change, `fields` the API object after it. Raise 422 for fields that
    contradict the invoice or an earlier refund.
    """
    faults = Faults()
    if fields["gateway_key"] != old["gateway_key"]:
        check_gateway(fields["gateway_key"], faults)
    invoice, amount = invoice_and_amount(db, fields, faults)
    claim = claim_amount(fields, invoice, amount, faults)
    if amount is not None and amount <= old["refunded_amount"] < old["amount"]:
        faults.add("/amount", "refunded", "must be more than the refunded amount")
    if fields["currency"] != old["currency"] and old["refunded_amount"]:
        faults.add(
            "/currency", "refunded", "cannot change because a part of the payment was refunded"
        )

    has_new_date = fields["payment_date"] != old["payment_date"]
    if fields["status"] == "completed" and (has_new_date or old["status"] != "completed"):
        check_completion(db, fields["payment_date"], faults)
    if has_new_date:
        check_age(db, fields["payment_date"], invoice, faults)
        check_refund_dates(db, {**old, "payment_date": fields["payment_date"]}, faults)

    if invoice and amount is not None and (claim or old["claim_amount"]):
        new = {
            **old,
            "invoice_id": invoice["id"],
            "currency": fields["currency"],
            "amount": amount,
            "claim_amount": claim,
        }
        check_changed_claim(db, old, new, invoice, faults)

    faults.raise_any()
    return invoice, amount, claim


# Gateway, invoice and amounts


def check_gateway(key, faults, at="/gateway_key"):
    """Add a fault for the gateway `offset`: only an offset makes such payments."""
    if key == gateways.OFFSET:
        faults.add(
            at,
            "reserved",
            "must not be offset, which marks what an offset has made. To count the credit of an invoice "
            "towards another one, use POST /invoices/{id}/offset",
        )


def invoice_and_amount(db, fields, faults):
    """Return the invoice of `invoice_number` (see `balance.by_number`) and the amount in minor
    units.

    Either is None if it is wrong.
    """
    invoice = balance.by_number(db, fields["invoice_number"])
    if invoice is None:
        faults.add(
            "/invoice_number",
            "unknown",
            f"is unknown: no invoice has the number {fields['invoice_number']}",
        )

    currency = fields["currency"]
    if not currency:
        currency = invoice["currency"] if invoice else db.config.currency
    if invoice and currency != invoice["currency"]:
        faults.add(
            "/currency", "disagrees", f"must be {invoice['currency']}, the currency of the invoice"
        )
    return invoice, amounts.of_currency(fields["amount"], currency, faults)


def claim_amount(fields, invoice, amount, faults):
    """Return the part of a payment that belongs to costs and interest of letters, in minor units.

    It is 0 if invoice or amount are wrong.
    """
    if not fields.get("claim_amount") or invoice is None or amount is None:
        return 0
    claim = amounts.of_currency(
        fields["claim_amount"], invoice["currency"], faults, "/claim_amount"
    )
    return claim or 0


def check_changed_claim(db, old, new, invoice, faults):
    """Add a fault if a changed payment cannot have its claim_amount. `old` and `new` are its rows.

    A completed payment belongs to the claims of one invoice only, so that the figures of earlier
    days stay as they are.
    """
    returned = refunds.returned_claim(old)
    returned_of_rest = old["refunded_amount"] - returned
    if not returned <= new["claim_amount"] <= new["amount"] - returned_of_rest:
        faults.add(
            "/claim_amount",
            "refunded",
            "must be at least what refunds have returned of it, and leave at least "
            "what they have returned of the rest",
        )

    has_counted = old["status"] == "completed" and new["currency"] == old["currency"]
    is_other_invoice = new["invoice_id"] != old["invoice_id"]
    is_moved = has_counted and is_other_invoice
    if has_counted and not is_moved and new["claim_amount"] != old["claim_amount"]:
        is_moved = refunds.has_moved(db, old)
    if is_moved and new["claim_amount"]:
        faults.add(
            "/claim_amount",
            "moved",
            "must be 0 because the payment moves, or has moved, to another invoice. "
            "Refund it, and record what it pays of the claims as another payment",
        )

    claim_before = 0
    own = 0
    if has_counted and not is_other_invoice:
        claim_before = old["claim_amount"]
        own = refunds.left_of_claim(old)
    if new["claim_amount"] > claim_before:
        balance.check_claim(invoice, new["claim_amount"] - returned, new["amount"], faults, own=own)


# Dates


def check_completion(db, payment_date, faults):
    """Add a fault if the date of a completed payment is after tomorrow.

    A gateway may date it one day ahead.
    """
    if not payment_date:
        return
    zone = db.config.timezone
    tomorrow = times.add_days(times.today(zone, db.now), 1)
    if times.local_date(payment_date, zone) > tomorrow:
        faults.add(
            "/payment_date",
            "future",
            f"must not be after tomorrow for a completed payment, but is "
            f"{payment_date}. Correct it, or leave the payment pending",
        )


def check_age(db, payment_date, invoice, faults):
    """Add a fault if a payment is dated more than MOST_YEARS before its invoice: it is a typing
    error.

    `invoice` may be None.
    """
    if not payment_date or not invoice or not invoice["issue_date"]:
        return
    issued = invoice["issue_date"]
    day = times.local_date(payment_date, db.config.timezone)
    earliest = f"{int(issued[:4]) - MOST_YEARS:04}{issued[4:]}"
    if day < earliest:
        faults.add(
            "/payment_date",
            "past",
            f"must not be more than {MOST_YEARS} years before the invoice, which is of "
            f"{issued}, but is {day}",
        )


def check_refund_dates(db, payment, faults):
    """Add a fault at /payment_date if the payment is dated after one of its refunds.

    `payment` is a row.
    """
    paid = refunds.paid_at(payment)
    for refund in payment["refunds"]:
        if refunds.is_before(refund["refunded_at"], paid, db.config.timezone):
            faults.add(
                "/payment_date",
                "after_refund",
                f"must not be after the refund of {refund['refunded_at']} (refund {refund['id']})",
            )
            return


# What of a payment is locked


def refuse_locked(old, new):
    """Raise 409 `payment_locked` if the terms of a payment change that is neither pending nor
    completed.
    """
    locked = [name for name in TERMS if new[name] != old[name]]
    if locked and old["status"] not in OPEN:
        raise Problem(
            "payment_locked",
            f"{quoted(locked)} cannot change because the payment is "
            f"{old['status']}. Record another payment.",
            state=old["status"],
            members=locked,
        )


def refuse_offset(old, new):
    """Raise 409 `payment_locked` if a payment changes that an offset has made, but for its notes."""
    locked = [name for name in OF_OFFSET if new[name] != old[name]]
    if old["offset_id"] and locked:
        raise Problem(
            "payment_locked",
            f"{quoted(locked)} cannot change because the payment was made by an offset. Delete the payment, "
            "which undoes the offset, and offset again.",
            state=old["status"],
            members=locked,
        )


def refuse_offset_refunds(payment):
    """Raise 409 `in_use` if refunds of a payment belong to offsets, so that it cannot be deleted.

    `payment` is a row.
    """
    ids = sorted({refund["offset_id"] for refund in payment["refunds"] if refund["offset_id"]})
    if ids:
        raise Problem(
            "in_use",
            f"Payment {payment['id']} cannot be deleted because it was offset with another invoice. Delete "
            f"{listed([f'payment {id}' for id in ids])} first, which undoes that.",
            used_by=["payments"],
        )


def refuse_paid_out(payment):
    """Raise 409 `in_use` if money of a payment that an offset has made was paid out, so that it cannot be deleted.

    The offset would be undone, and the customer would have the credit again beside the money. `payment` is a row.
    """
    if payment["offset_id"] and payment["refunds"]:
        ids = listed([str(refund["id"]) for refund in payment["refunds"]])
        noun = "refund" if len(payment["refunds"]) == 1 else "refunds"
        raise Problem(
            "in_use",
            f"Payment {payment['id']} cannot be deleted, which would undo its offset, because {noun} {ids} paid money "
            f"of it out. Delete {noun} {ids} first if that was recorded by mistake.",
            used_by=["refunds"],
        )


def refuse_offset_refund(refund):
    """Raise 409 `in_use` if a refund to be deleted belongs to an offset. `refund` is a row."""
    if refund["offset_id"]:
        raise Problem(
            "in_use",
            f"Refund {refund['id']} cannot be deleted because it belongs to an offset. Delete payment "
            f"{refund['offset_id']}, which undoes the offset as a whole.",
            used_by=["payments"],
        )


def refuse_other_transfer(old, new):
    """Raise 409 `payment_locked` if a change gives a payment by bank transfer another amount or
    currency.
    """
    changed = [name for name in ("amount", "currency") if new[name] != old[name]]
    if old["bank_transaction_id"] and changed:
        raise Problem(
            "payment_locked",
            f"{quoted(changed)} cannot change because bank transaction "
            f"{old['bank_transaction_id']} has paid this. Delete the payment, and assign the transaction "
            "again.",
            state=old["status"],
            members=changed,
        )
