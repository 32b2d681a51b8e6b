"""Offsets: the credit of an invoice pays another invoice of the same customer.

An invoice has credit if more was paid than is left of it after its credit notes. An offset is stored as refunds of its
payments, latest first, and one payment of the other invoice. All of them have the gateway `offset` and one `offset_id`,
the id of that payment, and are dated now. So the ledger, the tax and DATEV follow as from any other movement of money,
and the gateway adds up to 0.

Amounts of rows are minor units. Call these functions inside a write transaction.
"""

from eventapi import money
from eventapi.domain.billing import (
    balance,
    deposits,
    gateways,
    invoices,
    issuing,
    payments,
    refunds,
    sending,
)
from eventapi.domain.records import amounts
from eventapi.errors import Faults, Problem
from eventapi.languages import formats
from eventapi.storage.statements import statements

sql = statements("offsets")


def create(db, row, fields):
    """Offset the credit of an invoice with another invoice, and return the row of the first.

    `fields` is a body of the action. Without amount, all that fits is offset. Raise 422 for an unknown invoice, one of
    another customer or currency, or too many decimals; 409 `invalid_transition`, `exceeds_invoice` or `period_closed`.
    """
    _refuse_without_credit(row)
    faults = Faults()
    units = None
    if fields["amount"] is not None:
        units = amounts.of_currency(fields["amount"], row["currency"], faults)
    other = _other_invoice(db, row, fields["invoice_number"], faults)
    faults.raise_any()
    _refuse_unpayable(other)

    credit = _credit(db, row)
    most = min(credit, max(other["open_amount"], 0))
    if units is None:
        units = most
    if units > most or most <= 0:
        _refuse_excess(row, credit, other)
    _book(db, row["id"], other["id"], units)
    return invoices.row(db, row["id"])


def send(db, row, mail, payments_before, *, offset):
    """Send a draft as `issuing.send` does, and return its row, the outcome of the mail, and what was offset.

    With `offset`, an invoice counts the credit of the customer, oldest first, as paid before. The credit that a credit
    note makes pays the open invoices of the customer, earliest due first; one that the buyer disputes is left out. What
    was offset is a list of {"invoice_number", "amount"}: the other invoices, with amounts in major units.
    """
    is_draft = row["status"] == "draft"
    if not offset or not is_draft:
        return *issuing.send(db, row, mail, payments_before), []
    if row["invoice_type"] == "credit_note":
        return _send_credit_note(db, row, mail, payments_before)
    return _send_invoice(db, row, mail, payments_before)


def _send_invoice(db, row, mail, payments_before):
    whole = deposits.deducted(db, row)
    left = whole["total"] - sending.prepaid(db, whole, payments_before)
    counted = []
    for credit in db.all(sql.credits, contact_id=row["contact_id"], currency=row["currency"]):
        units = min(_credit(db, credit), left)
        if units > 0:
            counted.append((credit, units))
            left -= units

    printed = [(credit["invoice_number"], units) for credit, units in counted]
    sent, outcome = issuing.send(db, row, mail, payments_before, credits=printed)
    for credit, units in counted:
        _book(db, credit["id"], sent["id"], units)
    return invoices.row(db, row["id"]), outcome, _shown(printed, row["currency"])


def _send_credit_note(db, row, mail, payments_before):
    sent, outcome = issuing.send(db, row, mail, payments_before)
    invoice = balance.by_id(db, row["related_invoice_id"])
    left = _credit(db, invoice)
    paid = []
    for other in db.all(sql.open, contact_id=row["contact_id"], currency=row["currency"]):
        units = min(left, other["open_amount"])
        if units > 0:
            _book(db, invoice["id"], other["id"], units)
            paid.append((other["invoice_number"], units))
            left -= units
    return sent, outcome, _shown(paid, row["currency"])


def _shown(pairs, currency):
    return [
        {"invoice_number": number, "amount": money.major(units, currency)}
        for number, units in pairs
    ]


# What can be offset


def _refuse_without_credit(row):
    """Raise 409 `invalid_transition` for an invoice without credit, and for a credit note."""
    number = row["invoice_number"]
    state = invoices.public_status(row)
    if row["invoice_type"] == "credit_note":
        detail = (
            f"{number} is a credit note, and its credit is that of its invoice. Use POST "
            f"/invoices/{row['related_invoice_id']}/offset."
        )
    elif row["open_amount"] >= 0:
        open_amount = _money(row["open_amount"], row["currency"])
        detail = (
            f"{number} has no credit: {open_amount} of it is open. Use the invoice whose `open_amount` is below 0, and "
            "name the one to be paid as `invoice_number`."
        )
    else:
        return
    raise Problem(
        "invalid_transition",
        detail,
        state=state,
        allowed_from=["paid"],
        allowed_actions=issuing.table(row).actions(state),
    )


def _other_invoice(db, row, number, faults):
    """Return the row of the invoice to be paid, or None with a fault: it is of the same customer and currency."""
    known = balance.by_number(db, number)
    if known is None:
        faults.add("/invoice_number", "unknown", f"is unknown: no invoice has the number {number}")
        return None
    if known["contact_id"] != row["contact_id"]:
        faults.add(
            "/invoice_number",
            "disagrees",
            f"must be an invoice to contact {row['contact_id']}, as {row['invoice_number']} is, but {number} is to "
            f"contact {known['contact_id']}",
        )
    elif known["currency"] != row["currency"]:
        faults.add(
            "/invoice_number",
            "disagrees",
            f"must be an invoice in {row['currency']}, as {row['invoice_number']} is, but {number} is in "
            f"{known['currency']}",
        )
    return balance.by_id(db, known["id"])


def _refuse_unpayable(other):
    """Raise 409 `invalid_transition` unless an invoice takes payments."""
    state = other["status"]
    if other["invoice_type"] == "invoice" and state in invoices.PAYABLE:
        return
    what = "a credit note" if other["invoice_type"] == "credit_note" else state
    raise Problem(
        "invalid_transition",
        f"{other['invoice_number']} is {what}, so no credit can pay it. Send the number of an open invoice as "
        "`invoice_number`.",
        state=state,
        allowed_from=list(invoices.PAYABLE),
        allowed_actions=[],
    )


def _refuse_excess(row, credit, other):
    """Raise 409 `exceeds_invoice`, which names what can be offset."""
    open_amount = max(other["open_amount"], 0)
    most = min(credit, open_amount)
    currency = row["currency"]
    remedy = "Send the number of an open invoice as `invoice_number`."
    if most:
        remedy = f"Offset at most {_money(most, currency)}."
    raise Problem(
        "exceeds_invoice",
        f"{row['invoice_number']} has a credit of {_money(credit, currency)}, and {_money(open_amount, currency)} of "
        f"{other['invoice_number']} is open. {remedy}",
        left_total=money.major(most, currency),
    )


def _money(units, currency):
    return formats.money(money.major(units, currency), currency, "en")


def _credit(db, invoice):
    """Return the credit of an invoice that its payments have: at most what they have left."""
    paid = sum(refunds.left_of_invoice(payment) for payment in _payments(db, invoice))
    return max(min(-invoice["open_amount"], paid), 0)


def _payments(db, invoice):
    """Return the rows of the completed payments of an invoice with their refunds, latest first."""
    return [payments.row(db, id) for id in db.values(sql.payments, id=invoice["id"])]


# Booking


def _book(db, invoice_id, other_id, units):
    """Store an offset: a payment of the other invoice, and refunds of the payments of the first, latest first."""
    invoice = balance.by_id(db, invoice_id)
    other = balance.by_id(db, other_id)
    parts = []
    left = units
    for payment in _payments(db, invoice):
        part = min(left, refunds.left_of_invoice(payment))
        if part > 0:
            parts.append((payment, part))
            left -= part

    day = _day(db, [payment for payment, _ in parts])
    made = payments.record(
        db,
        {
            "invoice_number": other["invoice_number"],
            "amount": money.major(units, invoice["currency"]),
            "currency": None,
            "gateway_key": gateways.OFFSET,
            "transaction_id": None,
            "status": "completed",
            "payment_date": day,
            "notes": None,
        },
        received=_worth(db.config, invoice, other, [part for _, part in parts]),
        is_offset=True,
    )
    for payment, part in parts:
        payments.refund_offset(db, payment["id"], part, day, made["id"])


def _day(db, paid):
    """Return when an offset counts: now, or the date of a payment that is dated tomorrow."""
    day = db.now
    for payment in paid:
        own = refunds.default_date(db, payment)
        if refunds.is_before(day, own, db.config.timezone):
            day = own
    return day


def _worth(config, invoice, other, parts):
    """Return (minor units, currency) of what refunds of these amounts are worth in the organiser's currency.

    None if both invoices have the same exchange rate. Otherwise the accounts gain or lose the difference, as from a
    transfer in another currency.
    """
    currency = invoice["currency"]
    usual = money.usual_rate(config, currency)
    rate = invoice["exchange_rate"] or usual
    other_rate = other["exchange_rate"] or usual
    if currency == config.currency or not rate or rate == other_rate:
        return None
    return sum(
        money.converted(part, currency, rate, config.currency) for part in parts
    ), config.currency
