"""Payments: recording, changing, deleting and refunding money received against an invoice.

Rows hold amounts in minor units of their currency, records (see `represent`) in major units. Every
function that writes is called inside a write transaction, journals the change, and adjusts the paid
amount and the state of the invoice.
"""

import json

from eventapi import journal, money, times
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import balance, gateways, invoices, recoveries, refunds
from eventapi.domain.books import bookings, taxes
from eventapi.domain.records import amounts, anonymity, entities
from eventapi.errors import Faults, Problem, listed, quoted
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
    "created_at",
    "updated_at",
)


# Reading


def row(db, id):
    """Return the row of the payment with the rows of its refunds, or None."""
    found = db.one(sql.get, id=id)
    return found and {**found, "refunds": json.loads(found["refunds"])}


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
    found, payments = {}, [represent(row) for row in db.all(sql.of_invoices, ids=as_json(ids))]
    refunds.attach(db, payments)
    for payment in payments:
        found.setdefault(payment["invoice_id"], []).append(payment)
    return found


# Writing


def record(db, fields, bank_transaction_id=None, received=None):
    """Record a new payment and return its API object.

    `fields` is a complete validated body. `bank_transaction_id`: the bank transfer that has paid.
    `received`: (minor units, currency) that came in, if that is another currency than that of the
    invoice.

    Raise 422 for an unknown invoice, another currency than that of the invoice, an amount with too
    many decimals, a claim_amount that is not claimed, or a completed payment dated after tomorrow;
    409 `invoice_not_payable`, `anonymized`, `period_closed`, or `duplicate` if the gateway has
    reported the transaction before.
    """
    faults = Faults()
    if fields["status"] not in INITIAL:
        faults.add(
            "/status",
            "enum",
            f"must be {listed(INITIAL, 'or')} at first, but is {fields['status']}",
        )
    invoice, amount = _invoice_and_amount(db, fields, faults)
    claim = _claim_amount(fields, invoice, amount, faults)
    if claim:
        balance.check_claim(invoice, claim, amount, faults)
    if fields["status"] == "completed":
        refunds.check_completion(db, fields["payment_date"], faults)
    refunds.check_age(db, fields["payment_date"], invoice, faults)
    faults.raise_any()
    balance.refuse_unpayable(invoice)
    if fields["notes"]:
        anonymity.refuse_anonymized(
            {"id": invoice["contact_id"], "anonymized_at": invoice["anonymized_at"]}
        )
    bank_amount, bank_currency = received or (None, None)
    row = _add(
        db,
        {
            **fields,
            "claim_amount": claim,
            "bank_transaction_id": bank_transaction_id,
            "bank_amount": bank_amount,
            "bank_currency": bank_currency,
        },
        invoice,
        amount,
    )
    payment = represent(row)
    journal.created(db, entities.PAYMENT, payment)
    _adjust_invoice(db, None, row, invoice)
    if row["status"] == "completed" and taxes.follows_money(
        invoice, times.local_date(row["payment_date"], db.config.timezone)
    ):
        taxes.update(db, invoice["id"])
    return payment


def update(db, row, fields):
    """Change a payment and return its API object.

    `fields` holds the changed fields; a new `status` runs the action that leads there.

    Raise 422 for fields that contradict the invoice or an earlier refund; 409 `payment_locked`,
    `invalid_transition`, `invoice_not_payable`, `duplicate`, `period_closed` or `anonymized`.
    """
    new, invoice = _merged(db, row, fields)
    _refuse_other_transfer(row, new)
    action = (
        None
        if new["status"] == row["status"]
        else TRANSITIONS.action_to(row["status"], new["status"])
    )
    if action == "complete" and new["payment_date"] == row["payment_date"]:
        new = bookings.completed(db, new)
    locked = [name for name in TERMS if new[name] != row[name]]
    if locked and row["status"] not in OPEN:
        raise Problem(
            "payment_locked",
            f"{quoted(locked)} cannot change because the payment is "
            f"{row['status']}. Record another payment.",
            state=row["status"],
            members=locked,
        )
    anonymity.refuse_text(db, entities.PAYMENT, row, fields)
    if action == "complete" or new["invoice_id"] != row["invoice_id"]:
        balance.refuse_unpayable(invoice)
    if action == "refund":
        return _give_back(
            db,
            row,
            {**new, "status": row["status"]},
            new["amount"] - row["refunded_amount"],
            invoice,
        )
    return _store(db, row, new, TRANSITIONS.past(action) if action else "updated", invoice)


def delete(db, row):
    """Delete a payment with its refunds, documents, notes and tasks. Raise 409 `period_closed`."""
    bookings.refuse_payment(db, row, None)
    payment, taxed = represent(row), taxes.invoices_of(db, row)
    cascade.delete_with(db, "payment", row["id"])
    refunds.remove_all(db, row["refunds"])
    taken_back = recoveries.take_back(db, row)
    db.run(sql.remove, id=row["id"])
    refunds.release_transfer(db, row)
    journal.deleted(db, entities.PAYMENT, payment)
    _adjust_invoice(db, row, None, taken_back=taken_back)
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
    if action == "complete":
        faults = Faults()
        refunds.check_completion(db, row["payment_date"], faults)
        invoice = balance.by_id(db, row["invoice_id"])
        if row["claim_amount"]:
            balance.check_claim(invoice, row["claim_amount"], row["amount"], faults)
        faults.raise_any()
        balance.refuse_unpayable(invoice)
        return _store(db, row, bookings.completed(db, row), TRANSITIONS.past(action))
    return _store(db, row, {**row, "status": status}, TRANSITIONS.past(action))


def _refuse_other_transfer(row, new):
    """Raise 409 `payment_locked` if a change gives a payment by bank transfer another amount or
    currency.
    """
    changed = [name for name in ("amount", "currency") if new[name] != row[name]]
    if row["bank_transaction_id"] and changed:
        raise Problem(
            "payment_locked",
            f"{quoted(changed)} cannot change because bank transaction "
            f"{row['bank_transaction_id']} has paid this. Delete the payment, and assign the transaction "
            "again.",
            state=row["status"],
            members=changed,
        )


# Refunds


def refund(db, row, fields, bank_transaction_id=None):
    """Refund a part of a payment, or what is left, and return the API object of the payment.

    `fields` is a body of the action; for `bank_transaction_id` see `record`. Once nothing is left,
    the state is `refunded`, and a refund without amount changes nothing. Raise 422 for too many
    decimals, or a date before the payment or in the future; 409 `invalid_transition`, `duplicate`,
    `exceeds_payment`, `period_closed` or `anonymized`.
    """
    faults = Faults()
    units = fields["amount"] and amounts.of_currency(fields["amount"], row["currency"], faults)
    if fields["refunded_at"]:
        refunds.check_date(db, row, fields["refunded_at"], faults)
    faults.raise_any()
    is_refunded = TRANSITIONS.move("refund", row["status"]) is None
    refunds.refuse_known(db, row, fields["transaction_id"])
    if is_refunded and units is None:
        return represent(row)
    if fields["notes"]:
        anonymity.refuse(db, "payment", row["id"])
    left = row["amount"] - row["refunded_amount"]
    if units is not None and units > left:
        left = money.major(left, row["currency"])
        raise Problem(
            "exceeds_payment",
            "`amount` exceeds the rest of the payment. Refund at most "
            f"{formats.money(left, row['currency'], 'en')}.",
            left=left,
        )
    return _give_back(
        db,
        row,
        row,
        left if units is None else units,
        refunded_at=fields["refunded_at"],
        transaction_id=fields["transaction_id"],
        notes=fields["notes"],
        bank_transaction_id=bank_transaction_id,
    )


def delete_refund(db, row, refund):
    """Delete `refund`, a row of the payment, which is completed again. Raise 409 `period_closed`."""
    bookings.refuse_deletion(db, refund)
    refunds.remove_all(db, [refund])
    new = {
        **row,
        "status": "completed",
        "refunded_amount": row["refunded_amount"] - refund["amount"],
        "refunds": [other for other in row["refunds"] if other != refund],
    }
    _store(db, row, new, "refund_deleted", refund=refund)


def _give_back(db, old, new, amount, invoice=None, refunded_at=None, **values):
    """Refund `amount` minor units of the payment `new`, store both, and return the API object of
    the payment.
    """
    claim = (
        refunds.claim_of(new, amount, balance.by_id(db, new["invoice_id"]))
        if new["claim_amount"]
        else 0
    )
    refund = refunds.add(
        db, new, amount, refunded_at or refunds.default_date(db, new), claim_amount=claim, **values
    )
    refunded = new["refunded_amount"] + amount
    new = {
        **new,
        "refunded_amount": refunded,
        "refunds": [*new["refunds"], refund],
        "status": "refunded" if refunded == new["amount"] else new["status"],
    }
    return _store(db, old, new, "refunded", invoice, refund)


def _invoice_and_amount(db, wanted, faults):
    """Return the invoice of `invoice_number` (see `balance.by_number`) and the amount in minor
    units.

    Add what is wrong to `faults`.
    """
    invoice = balance.by_number(db, wanted["invoice_number"])
    if invoice is None:
        faults.add(
            "/invoice_number",
            "unknown",
            f"is unknown: no invoice has the number {wanted['invoice_number']}",
        )
    currency = wanted["currency"] or (invoice or {"currency": db.config.currency})["currency"]
    if invoice and currency != invoice["currency"]:
        faults.add(
            "/currency", "disagrees", f"must be {invoice['currency']}, the currency of the invoice"
        )
    return invoice, amounts.of_currency(wanted["amount"], currency, faults)


def _claim_amount(wanted, invoice, amount, faults):
    """Return the part of a payment that belongs to costs and interest of letters, in minor units."""
    if not wanted.get("claim_amount") or invoice is None or amount is None:
        return 0
    return (
        amounts.of_currency(wanted["claim_amount"], invoice["currency"], faults, "/claim_amount")
        or 0
    )


def _check_new_claim(db, old, new, invoice, faults):
    """Add a fault if a changed payment cannot have its claim_amount. `old` and `new` are its rows.

    A completed payment belongs to the claims of one invoice only, so that the figures of earlier
    days stay as they are.
    """
    returned = refunds.returned_claim(old)
    if not returned <= new["claim_amount"] <= new["amount"] - (old["refunded_amount"] - returned):
        faults.add(
            "/claim_amount",
            "refunded",
            "must be at least what refunds have returned of it, and leave at least "
            "what they have returned of the rest",
        )
    stays = (new["invoice_id"], new["currency"]) == (old["invoice_id"], old["currency"])
    is_moved = (
        old["status"] == "completed"
        and new["currency"] == old["currency"]
        and (
            not stays or (new["claim_amount"] != old["claim_amount"] and refunds.has_moved(db, old))
        )
    )
    if is_moved and new["claim_amount"]:
        faults.add(
            "/claim_amount",
            "moved",
            "must be 0 because the payment moves, or has moved, to another invoice. "
            "Refund it, and record what it pays of the claims as another payment",
        )
    counts = stays and old["status"] == "completed"
    if new["claim_amount"] > (old["claim_amount"] if counts else 0):
        own = refunds.left_of_claim(old) if counts else 0
        balance.check_claim(invoice, new["claim_amount"] - returned, new["amount"], faults, own=own)


def _add(db, fields, invoice, amount):
    """Insert a payment of `amount` minor units and return its row."""
    currency, date = invoice["currency"], fields["payment_date"] or db.now
    row = {
        **fields,
        "invoice_id": invoice["id"],
        "amount": amount,
        "refunded_amount": 0,
        "currency": currency,
        **gateways.terms(db, fields["gateway_key"], amount, currency),
        "payment_date": date,
        "payment_date_at": times.start(date, db.config.timezone),
    }
    bookings.refuse_payment(db, None, row)
    id = _once(db, row, lambda: db.insert(sql.add, **row, now=db.now))
    refunds.claim_transfer(db, row["bank_transaction_id"], row["bank_amount"] or amount)
    return {
        **row,
        "id": id,
        "invoice_number": invoice["invoice_number"],
        "created_at": db.now,
        "updated_at": db.stamp,
        "refunds": [],
    }


def _once(db, row, write):
    """Call `write`.

    Raise 409 `duplicate` if the unique index of transaction and gateway refuses the row.
    """
    try:
        return write()
    except Duplicate:
        known = db.value(
            sql.by_transaction, transaction_id=row["transaction_id"], gateway_key=row["gateway_key"]
        )
        if known is None:
            raise
        raise Problem(
            "duplicate",
            f"Payment {known} of this gateway already has the `transaction_id` "
            f"{row['transaction_id']}. Send another one, or none.",
            member="transaction_id",
            payment_id=known,
        ) from None


def _merged(db, row, fields):
    """Return the row with the changed fields, and its invoice.

    Raise 422 for what contradicts other records.
    """
    faults = Faults()
    wanted = {**represent(row), **fields}
    invoice, amount = _invoice_and_amount(db, wanted, faults)
    claim = _claim_amount(wanted, invoice, amount, faults)
    if amount is not None and amount <= row["refunded_amount"] < row["amount"]:
        faults.add("/amount", "refunded", "must be more than the refunded amount")
    if wanted["currency"] != row["currency"] and row["refunded_amount"]:
        faults.add(
            "/currency", "refunded", "cannot change because a part of the payment was refunded"
        )
    is_dated_anew = wanted["payment_date"] != row["payment_date"]
    if wanted["status"] == "completed" and (is_dated_anew or row["status"] != "completed"):
        refunds.check_completion(db, wanted["payment_date"], faults)
    if is_dated_anew:
        refunds.check_age(db, wanted["payment_date"], invoice, faults)
        refunds.check_payment_date(db, {**row, "payment_date": wanted["payment_date"]}, faults)
    if invoice and amount is not None and (claim or row["claim_amount"]):
        _check_new_claim(
            db,
            row,
            {**wanted, "invoice_id": invoice["id"], "amount": amount, "claim_amount": claim},
            invoice,
            faults,
        )
    faults.raise_any()
    new = {
        **row,
        **{
            name: wanted[name]
            for name in (
                "gateway_key",
                "transaction_id",
                "notes",
                "currency",
                "status",
                "payment_date",
            )
        },
        "invoice_id": invoice["id"],
        "invoice_number": invoice["invoice_number"],
        "amount": amount,
        "claim_amount": claim,
    }
    if any(new[name] != row[name] for name in ("gateway_key", "amount", "currency")):
        fee = gateways.terms(db, new["gateway_key"], amount, new["currency"])
        if (
            fee["gateway_id"] or new["gateway_key"] != row["gateway_key"]
        ):  # the fee of a removed gateway stays
            new.update(fee)
    return new, invoice


def _store(db, old, new, action, invoice=None, refund=None):
    """Write and journal a changed row, adjust its invoices, and return the API object.

    `refund`: the row that the event carries. Write nothing if nothing changed.
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
    event = {**payment, "refund": refunds.represent(refund, new["currency"])} if refund else payment
    journal.updated(db, entities.PAYMENT, represent(old), event, action=action)
    _adjust_invoice(db, old, new, invoice)
    taxes.update_all(db, taxed)
    return payment


def _adjust_invoice(db, old, new, invoice=None, taken_back=None):
    """Adjust the sums of the invoices of a payment: what is paid, also of claims, and what it
    recovers of write-offs.

    `old` and `new` are its rows; None for one that does not exist. `taken_back`: the result of
    `recoveries.take_back` if that was called before.
    """
    before, after = _paid(old), _paid(new)
    if old and new and old["invoice_id"] != new["invoice_id"]:
        _adjust_invoice(db, old, None, taken_back=recoveries.take_back(db, old, new))
        before, old = (0, 0), None
    # `refunded` of the invoice may depend on it
    was_refunded = old and not new and old["refunded_amount"]
    counts_otherwise = recoveries.counts_otherwise(old, new)
    paid, claims = (new_part - old_part for new_part, old_part in zip(after, before, strict=True))
    if before == after and not was_refunded and not counts_otherwise:
        return
    invoice = invoice or balance.by_id(db, (new or old)["invoice_id"])
    if old and new and counts_otherwise:
        taken_back = recoveries.take_back(db, old, new)
    shown, written_off = taken_back or (None, 0)
    if counts_otherwise and invoice["written_off"] + written_off > 0:
        shown = shown or invoices.row(db, invoice["id"])
        written_off += recoveries.recover(
            db,
            {
                **invoice,
                "paid_amount": invoice["paid_amount"] + paid,
                "written_off": invoice["written_off"] + written_off,
            },
            new,
        )
    if before != after or was_refunded or written_off:
        balance.adjust(db, invoice, paid=paid, claims=claims, written_off=written_off, before=shown)


def _paid(row):
    """Return the minor units that a payment adds to `paid_amount` and to `claims_paid` of its
    invoice.
    """
    if not row or row["status"] != "completed":
        return 0, 0
    claim = refunds.left_of_claim(row)
    return row["amount"] - row["refunded_amount"] - claim, claim
