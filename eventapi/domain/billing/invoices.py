"""Invoices: reading rows, turning them into API objects, and the seller and the buyer on them.

Rows hold amounts in minor units and the numbers of an item as integers with the decimals in PLACES. API objects hold
major units and plain numbers.
"""
import json

from eventapi import money, times
from eventapi.errors import Problem, listed
from eventapi.storage.statements import statements

sql = statements("invoices")

OPEN = ("sent", "partially_paid")           # with one of these, an invoice past its due date is overdue
AMOUNTS = ("subtotal", "tax_total", "total", "paid_amount", "credited", "open_amount")
PLACES = {"quantity": 3, "unit_price": 4, "discount_percent": 2, "tax_rate": 2}     # decimals of an item's numbers
SELLER = {name: f"organiser_{name}" for name in ("name", "street", "postal_code", "city", "country", "email", "vat_id",
                                                  "tax_number", "iban", "bic")}


def row(db, id):
    """Return the row of the invoice with its items and taxes, or None."""
    found = db.one(sql.get, id=id, today=times.today(db.config.timezone, db.now))
    return found and {**found, **{name: json.loads(found[name]) for name in ("items", "taxes")}}


def get(db, id):
    """Return the API object of the invoice, or None."""
    found = row(db, id)
    return found and represent(found)


def represent(row):
    """Return the API object of a row. The row is not changed."""
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
    """Return the buyer to whom the invoice was sent. `invoice` is an API object.

    Raise 409 `anonymized` if the buyer was anonymised.
    """
    if invoice["buyer"] is None:
        raise Problem("anonymized", f"The buyer of {invoice['invoice_number']} was anonymised. "
                      "The invoice can no longer be drawn, mailed, cancelled or credited.")
    return invoice["buyer"]


def public_status(row):
    """Return the status of the API object: `overdue` depends on the current date and is not stored."""
    return "overdue" if row["status"] in OPEN and row["is_past_due"] else row["status"]


def represent_parts(row, currency):
    """Return the API objects of items and taxes. The row holds both as JSON texts."""
    return _parts(json.loads(row["items"]), json.loads(row["taxes"]), currency)


def _parts(items, taxes, currency):
    return {"items": [represent_item(item, currency) for item in items],
            "taxes": [represent_tax(tax, currency) for tax in taxes]}


def represent_item(item, currency):
    return {**item, **{name: money.unscaled(item[name], places) for name, places in PLACES.items()},
            "net": money.major(item["net"], currency)}


def represent_tax(tax, currency):
    return {**tax, "rate": money.unscaled(tax["rate"], 2), "net": money.major(tax["net"], currency),
            "tax": money.major(tax["tax"], currency)}


def summaries(db, ids):
    """Return {id: invoice without items and taxes} for a JSON array of ids."""
    rows = db.all(sql.summaries, ids=ids, today=times.today(db.config.timezone, db.now))
    return {row["id"]: represent_summary(row) for row in rows}


def represent_summary(row):
    """Turn a row of `summaries` into the API object, in place, and return it."""
    row["status"] = public_status(row)
    del row["is_past_due"]
    money.convert_to_major(row, ("total", "paid_amount", "open_amount"), row["currency"])
    return row


# Seller and buyer

def parties(db, row):
    """Return the seller and the buyer on the invoice: as sent, or for a draft as they are now.

    The buyer of a credit note is that of its invoice. Raise 409 `anonymized` if that buyer was anonymised.
    """
    if row["seller"]:
        shown = represent(row)
        return shown["seller"], shown["buyer"]
    seller = {name: getattr(db.config, option) or None for name, option in SELLER.items()}
    if row["invoice_type"] == "credit_note":
        return seller, buyer_as_sent(get(db, row["related_invoice_id"]))
    return seller, buyer(db.one(sql.buyer, id=row["contact_id"]))


def buyer(contact):
    """Return the buyer on an invoice for the row of a contact."""
    person = " ".join(filter(None, (contact["first_name"], contact["last_name"]))) or None
    return {"name": contact["company_name"] or person, "contact_name": person if contact["company_name"] else None,
            **{name: contact[name] for name in ("address", "postal_code", "city", "state", "country", "language")},
            "vat_id": contact["tax_id"], "customer_number": contact["customer_number"],
            "email": contact["invoice_email"] or contact["email"]}


def _where(missing):
    """Return the sentence that says where the missing values are set."""
    places = [text for prefix, text in (("organiser_", "the options in the configuration of the server"),
                                        ("contact.", "the fields of the contact"))
              if any(name.startswith(prefix) for name in missing)]
    without = " To send it without mail, send `mail` as false." if missing == ["contact.email"] else ""
    return f"Set {listed(places)}, then send the invoice again.{without}"


def refuse_incomplete(row, seller, buyer, *, email_missing):
    """Raise 409 `invoice_incomplete` if the invoice lacks what the law requires, or an address to mail to."""
    missing = [f"organiser_{name}" for name in ("name", "street", "city") if not seller[name]]
    wanted = {"name": "company_name or last_name", "address": "address", "city": "city"}
    if any(item["tax_category"] == "AE" for item in row["items"]):
        wanted["vat_id"] = "tax_id"                     # rule BR-AE-02 of EN 16931: the buyer owes the tax
        missing += [] if seller["vat_id"] else ["organiser_vat_id"]
    elif not (seller["vat_id"] or seller["tax_number"]):
        missing.append("organiser_vat_id or organiser_tax_number")
    missing += [f"contact.{field}" for name, field in wanted.items() if not buyer[name]]
    missing += ["contact.email"] if email_missing else []
    if missing:
        raise Problem("invoice_incomplete", f"The invoice cannot be sent without {listed(missing)}. {_where(missing)}",
                      missing=missing)
