"""The balance of an invoice: payments, credit notes and write-offs determine its sums and its
status.

All amounts are in minor units.
"""

from decimal import ROUND_HALF_UP, Context, Decimal

from eventapi import journal, money
from eventapi.domain.billing import deposits, drafts, invoices
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.records import entities
from eventapi.errors import Problem, invalid_at
from eventapi.languages import formats
from eventapi.storage.statements import statements

sql = statements("balance")

# each has an outgoing event of the same name
EVENT_STATUSES = ("paid", "partially_paid", "refunded", "cancelled", "written_off")
EXACT = Context(prec=64, rounding=ROUND_HALF_UP)


def by_number(db, number):
    """Return the columns of the invoice that its balance needs, or None."""
    return db.one(sql.by_number, invoice_number=number)


def by_id(db, id):
    """Return the same columns for an invoice id, or None."""
    return db.one(sql.by_id, id=id)


def refuse_unpayable(invoice):
    """Raise 409 `invoice_not_payable` unless the invoice accepts payments.

    `invoice` is a row of `by_number`.
    """
    status, reason = invoice["status"], None
    if invoice["invoice_type"] == "credit_note":
        reason = "it is a credit note. Send the number of an invoice."
    elif status == "draft":
        reason = "it is a draft. Send it first."
    elif status == "cancelled":
        reason = "it is cancelled. Send the number of another invoice."
    if reason:
        raise Problem(
            "invoice_not_payable",
            f"{invoice['invoice_number']} cannot receive payments because {reason}",
            invoice_type=invoice["invoice_type"],
            state=status,
        )


def check_claim(invoice, claim, amount, faults, *, own=0, at="/claim_amount"):
    """Add a fault unless letters claim what a payment pays of them.

    `claim` and `amount` are minor units.

    `invoice` is a row of `by_number`. own: what the payment has paid of the claims before.
    """
    left = max(invoice["claims_total"] - invoice["claims_paid"] + own, 0)
    for most, noun in (
        (amount, "of the payment"),
        (left, f"that letters still claim for {invoice['invoice_number']}"),
    ):
        if claim > most:
            shown = formats.money(money.major(most, invoice["currency"]), invoice["currency"], "en")
            faults.add(at, "maximum", f"must not be more than the {shown} {noun}")
            return


def credit_of(db, row):
    """Return the credit of the contact of an invoice in its currency, and whether it is more than the option
    `dunning_minimum`.

    Then the contact is not asked for money before the credit is offset. `row` is a row of an invoice.
    """
    currency = row["currency"]
    base = db.config.currency
    credit = db.value(sql.credit, contact_id=row["contact_id"], currency=currency)
    worth = credit
    if currency != base:
        worth = money.converted(
            credit, currency, row["exchange_rate"] or 10**money.RATE_PLACES, base
        )
    return credit, worth > money.minor(db.config.dunning_minimum, base)


def status_of(total, paid_amount, credited, written_off=0):
    """Return the status to store for a sent invoice.

    `overdue` is computed when the invoice is read.

    An invoice that was credited in full is `cancelled` if no payment is left. `adjust` decides
    whether it is `refunded` instead.
    """
    if total > 0 and credited >= total and paid_amount <= 0:
        return "cancelled"
    if total - credited - paid_amount - written_off <= 0:
        return "written_off" if written_off > 0 and paid_amount <= 0 else "paid"
    return "partially_paid" if paid_amount > 0 else "sent"


def adjust(db, invoice, *, paid=0, claims=0, credited=0, written_off=0, before=None, action=None):
    """Add the amounts to the sums of a sent invoice and update its status.

    Negative amounts reduce the sums.

    `paid` and `credited` are amounts of the invoice itself, `claims` is what is paid of claims of
    its letters.

    `invoice` is a row of `by_number` or `by_id` that was read in this write transaction. Journal a
    credit and a change of the status. `before`: the row of the invoice before its write-offs
    changed, which is journalled as well; `action`: the word for it. Raise 422 if the paid amount
    becomes too large.
    """
    sums = {
        "paid_amount": invoice["paid_amount"] + paid,
        "credited": invoice["credited"] + credited,
        "written_off": invoice["written_off"] + written_off,
    }
    claims_paid = invoice["claims_paid"] + claims
    limit = money.LIMIT * 10 ** money.decimals(invoice["currency"])
    if max(sums["paid_amount"], claims_paid) >= limit:
        raise invalid_at(
            "/amount",
            "maximum",
            "is too large: the paid amount of the invoice must be less than 10^12",
        )
    status = status_of(invoice["total"], **sums)
    if (
        status == "cancelled"
        and invoice["status"] != "cancelled"
        and db.one(sql.was_refunded, id=invoice["id"])
    ):
        status = "refunded"  # it was paid, and the money was given back
    old = before or (
        invoices.row(db, invoice["id"]) if credited or status != invoice["status"] else None
    )
    if not old:  # the usual case: no index on the status is touched
        db.run(
            sql.pay,
            id=invoice["id"],
            paid_amount=sums["paid_amount"],
            claims_paid=claims_paid,
            now=db.now,
        )
    else:
        db.run(
            sql.adjust, id=invoice["id"], status=status, **sums, claims_paid=claims_paid, now=db.now
        )
        new = {
            **old,
            **sums,
            "status": status,
            "updated_at": db.stamp,
            "claims_open": old["claims_open"] - claims,
            "open_amount": old["total"]
            - sums["credited"]
            - sums["paid_amount"]
            - sums["written_off"],
        }
        if credited and sums["credited"] >= invoice["total"]:
            deposits.release(db, invoice["id"])
            new["deposit_ids"] = "[]"
        if before:
            new = invoices.row(db, invoice["id"])
        if not action:
            action = "credited" if credited and status == old["status"] else "updated"
            if status != old["status"] and status in EVENT_STATUSES:
                action = status
        journal.updated(
            db, entities.INVOICE, invoices.represent(old), invoices.represent(new), action=action
        )


# Credit notes


def fit_into_invoice(db, note):
    """Store the taxes of a credit note, fitted to what is left of its invoice, and return its
    totals.

    Raise 409 `exceeds_invoice`.
    """
    invoice = by_id(db, note["related_invoice_id"])
    if invoice["status"] in ("draft", "cancelled"):
        raise Problem(
            "exceeds_invoice",
            f"{invoice['invoice_number']} is {invoice['status']}. Nothing of it is left to credit. Delete "
            "this draft.",
        )
    taxes, left = taxes_of_credit(db, invoice["id"], note["items"], note["currency"])
    if taxes is None:
        left = [invoices.represent_tax(group, note["currency"]) for group in left if group["net"]]
        amounts = "; ".join(
            f"{formats.money(group['net'], note['currency'], 'en')} net in category "
            f"{group['category']} at {formats.percent(group['rate'], 'en')}"
            for group in left
        )
        raise Problem(
            "exceeds_invoice",
            f"The credit note exceeds the rest of {invoice['invoice_number']}. Left to "
            f"credit: {amounts or 'nothing'}.",
            left=left,
        )
    totals, open_total = invoice_lines.totals(taxes), invoice["total"] - invoice["credited"]
    if -totals["total"] > open_total:  # possible if a tax group of the invoice is negative
        open_total = money.major(open_total, note["currency"])
        raise Problem(
            "exceeds_invoice",
            f"The credit note exceeds the rest of {invoice['invoice_number']}. Left to "
            f"credit: {formats.money(open_total, note['currency'], 'en')} with tax.",
            left_total=open_total,
        )
    drafts.store_taxes(db, note["id"], taxes)
    return totals


def taxes_of_credit(db, invoice_id, lines, currency):
    """Return the result of `lines.credited_taxes`, and the rows of what is left of the invoice."""
    left = db.all(sql.left_to_credit, id=invoice_id)
    rest = {(group["category"], group["rate"]): (group["net"], group["tax"]) for group in left}
    taxes = invoice_lines.taxes(lines)
    return invoice_lines.credited_taxes(
        taxes, rest, is_exact_at_rest=not money.decimals(currency)
    ), left


def totals_of_credit(db, invoice_id, lines, currency):
    """Return the totals that a credit note with these lines will have."""
    taxes, _ = taxes_of_credit(db, invoice_id, lines, currency)
    return invoice_lines.totals(taxes if taxes is not None else invoice_lines.taxes(lines))


# Checks of `eventapi check`: recompute everything from lines and payments, with other code than the
# code that stores it


def check(db):
    """Return a sentence for each sum, tax or status of an invoice that is wrong."""
    with db.snapshot():
        return [
            *_wrong_lines(db),
            *_wrong_groups(db),
            *_wrong_taxes(db),
            *_wrong_totals(db),
            *_wrong_credit(db),
        ]


def _wrong_lines(db):
    for line in db.iterate(sql.lines):
        places = money.decimals(line["currency"])
        left = EXACT.subtract(1, Decimal(line["discount_percent"]).scaleb(-4))
        undiscounted = EXACT.multiply(
            Decimal(line["quantity"]).scaleb(-3), Decimal(line["unit_price"]).scaleb(-4)
        )
        net = EXACT.multiply(undiscounted, left)
        expected = int(EXACT.to_integral_value(net.scaleb(places, EXACT)))
        if expected != line["net"]:
            yield (
                f"{line['invoice_number']}: the net amount of item {line['position']} is {line['net']}, "
                f"but should be {expected} (minor units)"
            )


def _wrong_groups(db):
    for group in db.all(sql.wrong_groups):
        yield (
            f"{group['invoice_number']}: the net amount with tax {group['category']} {group['rate'] / 100} % is "
            f"{group['stored']}, but its items add up to {group['from_lines']} (minor units)"
        )


def _wrong_taxes(db):
    """Yield a sentence for each wrong tax.

    The taxes of several credit notes of an invoice may differ by rounding: at most one minor unit
    for each of them. In a currency without decimals, that of a single one may, because the tax that
    is left of the invoice is exact.
    """
    for group in db.iterate(sql.taxes):
        tax = EXACT.to_integral_value(
            EXACT.multiply(Decimal(group["net"]), Decimal(group["rate"]).scaleb(-4))
        )
        is_rounded = group["credit_notes"] > 1 or not money.decimals(group["currency"])
        allowed = group["credit_notes"] if is_rounded else 0
        if abs(group["tax"] - int(tax)) > allowed:
            yield (
                f"{group['invoice_number']}: tax {group['category']} {group['rate'] / 100} % is {group['tax']}, "
                f"but should be {int(tax)} (minor units)"
            )


def _wrong_totals(db):
    for wrong in db.all(sql.wrong_totals):
        yield f"{wrong['invoice_number']}: {wrong['member']} is {wrong['stored']}, but should be {wrong['computed']}"


def _wrong_credit(db):
    for group in db.all(sql.overcredited):
        yield (
            f"{group['invoice_number']}: after its credit notes, net {group['net']} and tax {group['tax']} "
            f"remain for {group['category']} {group['rate'] / 100} % (minor units)"
        )
