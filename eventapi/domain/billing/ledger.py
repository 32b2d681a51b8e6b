"""The ledger: money received and credit given make the sums and the state of an invoice."""
from decimal import ROUND_HALF_UP, Context, Decimal

from eventapi import journal, money
from eventapi.domain.billing import invoices
from eventapi.domain.records import entities
from eventapi.errors import Problem, invalid_at
from eventapi.storage.statements import statements

sql = statements("ledger")

TOLD = ("paid", "partially_paid", "refunded")       # states that have an event of their own
EXACT = Context(prec=64, rounding=ROUND_HALF_UP)


def by_number(db, number):
    """What the ledger needs of an invoice, or None."""
    return db.one(sql.by_number, invoice_number=number)


def by_id(db, id):
    return db.one(sql.by_id, id=id)


def refuse_unpayable(invoice):
    """409 unless the invoice takes payments."""
    kind = "credit note" if invoice["invoice_type"] == "credit_note" else "invoice"
    if kind == "credit note" or invoice["status"] in ("draft", "cancelled"):
        raise Problem("invoice_not_payable", f"The {kind} {invoice['invoice_number']} is {invoice['status']}; it takes no "
                      "payments.", invoice_type=invoice["invoice_type"], state=invoice["status"])


def status_of(total, paid_amount, credited):
    """The state of a sent invoice; `overdue` is read off the due date later."""
    if total > 0 and credited >= total and paid_amount <= 0:
        return "refunded"
    if total - credited - paid_amount <= 0:
        return "paid"
    return "partially_paid" if paid_amount > 0 else "sent"


def settle(db, invoice, *, paid=0, credited=0):
    """Adds money or credit to a sent invoice (less than nothing takes it back). Its state follows, and is journalled when
    it changes. `invoice` is a row of `by_number` or `by_id`, read in this transaction."""
    sums = {"paid_amount": invoice["paid_amount"] + paid, "credited": invoice["credited"] + credited}
    limit = money.LIMIT * 10 ** money.decimals(invoice["currency"])
    if sums["paid_amount"] >= limit:
        raise invalid_at("/amount", "maximum", "brings what is paid on the invoice to 10^12 or more")
    status = status_of(invoice["total"], **sums)
    old = invoices.row(db, invoice["id"]) if credited or status != invoice["status"] else None
    if not old:                        # the usual case touches no index of the state
        db.run(sql.pay, id=invoice["id"], paid_amount=sums["paid_amount"], now=db.now)
    else:
        db.run(sql.settle, id=invoice["id"], status=status, **sums, now=db.now)
        new = {**old, **sums, "status": status, "open_amount": old["total"] - sums["credited"] - sums["paid_amount"],
               "updated_at": db.now}
        action = "credited" if status == old["status"] else status if status in TOLD else "updated"
        journal.updated(db, entities.INVOICE, invoices.represent(old), invoices.represent(new), action=action)


# What `eventapi check` asks: everything again from lines and payments, by other means than those that wrote it

def check(db):
    """What in the books does not add up, as sentences."""
    with db.snapshot():
        return [*_wrong_lines(db), *_wrong_groups(db), *_wrong_taxes(db), *_wrong_totals(db), *_wrong_credit(db)]


def _wrong_lines(db):
    for line in db.iterate(sql.lines):
        places = money.decimals(line["currency"])
        left = EXACT.subtract(1, Decimal(line["discount_percent"]).scaleb(-4))
        net = EXACT.multiply(EXACT.multiply(Decimal(line["quantity"]).scaleb(-3), Decimal(line["unit_price"]).scaleb(-4)), left)
        expected = int(EXACT.to_integral_value(net.scaleb(places, EXACT)))
        if expected != line["net"]:
            yield (f"{line['invoice_number']}: the net amount of item {line['position']} is {line['net']}, "
                   f"but should be {expected} (minor units)")


def _wrong_groups(db):
    for group in db.all(sql.wrong_groups):
        yield (f"{group['invoice_number']}: the net amount with tax {group['category']} {group['rate'] / 100} % is "
               f"{group['stored']}, but its items add up to {group['from_lines']} (minor units)")


def _wrong_taxes(db):
    """A later credit note of an invoice may differ by what rounding left over, at most one minor unit for each of them."""
    for group in db.iterate(sql.taxes):
        tax = EXACT.to_integral_value(EXACT.multiply(Decimal(group["net"]), Decimal(group["rate"]).scaleb(-4)))
        allowed = group["credit_notes"] if group["credit_notes"] > 1 else 0
        if abs(group["tax"] - int(tax)) > allowed:
            yield (f"{group['invoice_number']}: tax {group['category']} {group['rate'] / 100} % is {group['tax']}, "
                   f"but should be {int(tax)} (minor units)")


def _wrong_totals(db):
    for wrong in db.all(sql.wrong_totals):
        yield f"{wrong['invoice_number']}: {wrong['member']} is {wrong['stored']}, but should be {wrong['computed']}"


def _wrong_credit(db):
    for group in db.all(sql.overcredited):
        yield (f"{group['invoice_number']}: after its credit notes, net {group['net']} and tax {group['tax']} "
               f"remain for {group['category']} {group['rate'] / 100} % (minor units)")
