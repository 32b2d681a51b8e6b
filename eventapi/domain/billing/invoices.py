"""Invoices as they are read: rows turned into answers."""
import json

from eventapi import money, times
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("invoices")

OPEN = ("sent", "partially_paid")           # what of these is past its due date is overdue
AMOUNTS = ("subtotal", "tax_total", "total", "paid_amount", "credited", "open_amount")
PLACES = {"quantity": 3, "unit_price": 4, "discount_percent": 2, "tax_rate": 2}     # decimals of an item's numbers


def row(db, id):
    """The stored invoice with its items and taxes, or None."""
    found = db.one(sql.get, id=id, today=times.today(db.config.timezone, db.now))
    return found and {**found, **{name: json.loads(found[name]) for name in ("items", "taxes")}}


def get(db, id):
    """The invoice as it is answered, or None."""
    found = row(db, id)
    return found and represent(found)


def represent(row):
    """A row as it is answered; the row stays as it is."""
    currency = row["currency"]
    invoice = {
        **row, "status": public_status(row), **{name: money.major(row[name], currency) for name in AMOUNTS},
        "is_reverse_charge": bool(row["is_reverse_charge"]), "taken_over": bool(row["taken_over"]),
        "is_locked": row["locked_at"] is not None,
        "seller": row["seller"] and json.loads(row["seller"]), "buyer": row["buyer"] and json.loads(row["buyer"]),
    }
    if "items" in row:
        invoice.update(_parts(row["items"], row["taxes"], currency))
    invoice.pop("pdf_sha256", None)
    del invoice["is_past_due"]
    return invoice


def buyer_as_sent(invoice):
    """Whom a sent invoice, as it is answered, went to; 409 once that had to be taken away."""
    if invoice["buyer"] is None:
        raise Problem("anonymized", f"Whom {invoice['invoice_number']} went to was anonymised; it is not drawn, cancelled or "
                      "credited any more.")
    return invoice["buyer"]


def public_status(row):
    return "overdue" if row["status"] in OPEN and row["is_past_due"] else row["status"]


def represent_parts(row, currency):
    """Items and taxes, which a statement gives as JSON."""
    return _parts(json.loads(row["items"]), json.loads(row["taxes"]), currency)


def _parts(items, taxes, currency):
    return {"items": [represent_item(item, currency) for item in items], "taxes": [represent_tax(tax, currency) for tax in taxes]}


def represent_item(item, currency):
    return {**item, **{name: money.unscaled(item[name], places) for name, places in PLACES.items()},
            "net": money.major(item["net"], currency)}


def represent_tax(tax, currency):
    return {**tax, "rate": money.unscaled(tax["rate"], 2), "net": money.major(tax["net"], currency),
            "tax": money.major(tax["tax"], currency)}


def in_short(db, ids):
    """id -> invoice without its parts, for many at once."""
    return {row["id"]: represent_short(row) for row in db.all(sql.in_short, ids=ids, today=times.today(db.config.timezone, db.now))}


def represent_short(row):
    row["status"] = public_status(row)
    del row["is_past_due"]
    money.convert_to_major(row, ("total", "paid_amount", "open_amount"), row["currency"])
    return row
