"""Invoices: reading rows, turning them into API objects, and the seller and the buyer on them.

Rows hold amounts in minor units and the numbers of an item as integers with the decimals in PLACES.
API objects hold major units and plain numbers.
"""

import json

from eventapi import money, times
from eventapi.domain.mail import deliveries
from eventapi.domain.vat.buyers import Buyer
from eventapi.errors import Problem
from eventapi.names import full_name
from eventapi.storage.statements import statements

sql = statements("invoices")

OPEN = ("sent", "partially_paid")  # money is owed; with one of these, an invoice can be overdue
SHOWN_OPEN = ("sent", "overdue", "partially_paid")  # the same, as the API shows it
PAYABLE = ("sent", "partially_paid", "paid", "refunded", "written_off")  # accepts payments
AMOUNTS = (
    "subtotal",
    "tax_total",
    "total",
    "paid_amount",
    "prepaid_amount",
    "credited",
    "written_off",
    "open_amount",
    "claims_total",
    "claims_open",
)
# decimals of an item's numbers
PLACES = {
    "quantity": 3,
    "unit_price": 4,
    "discount_percent": 2,
    "tax_rate": 2,
}
SELLER = {
    name: f"organiser_{name}"
    for name in (
        "name",
        "street",
        "postal_code",
        "city",
        "country",
        "email",
        "contact",
        "phone",
        "vat_id",
        "tax_number",
        "register_number",
        "register_court",
        "directors",
        "footer",
        "electronic_address",
        "iban",
        "bic",
    )
}
BUYER = (
    "name",
    "contact_name",
    "address",
    "postal_code",
    "city",
    "state",
    "country",
    "language",
    "vat_id",
    "is_business",
    "customer_number",
    "email",
    "leitweg_id",
    "gln",
    "electronic_address",
    "e_invoice_profile",
)


def row(db, id):
    """Return the row of the invoice with its items and taxes, or None."""
    found = db.one(sql.get, id=id, today=times.today(db.config.timezone, db.now))
    return found and {
        **found,
        **{name: json.loads(found[name]) for name in ("items", "taxes", "write_offs")},
    }


def get(db, id):
    """Return the API object of the invoice, or None."""
    found = row(db, id)
    return found and represent(found)


def represent(row):
    """Return the API object of a row. The row is not changed."""
    currency = row["currency"]
    invoice = {
        **deliveries.represent(row),
        "status": public_status(row),
        **{name: money.major(row[name], currency) for name in AMOUNTS},
        "exchange_rate": money.unscaled(row["exchange_rate"], money.RATE_PLACES),
        "is_reverse_charge": row["tax_treatment"] == "reverse_charge",
        "interest_notice": bool(row["interest_notice"]),
        "taken_over": bool(row["taken_over"]),
        "is_deposit": bool(row["is_deposit"]),
        "deposit_ids": json.loads(row["deposit_ids"]),
        "is_locked": row["locked_at"] is not None,
        "is_disputed": row.get("disputed_at") is not None,
        "payment_reference": _payment_reference(row),
        "seller": _party(row["seller"], SELLER),
        "buyer": _party(row["buyer"], BUYER),
    }
    if row["invoice_type"] == "credit_note":
        invoice.update(tax_date=None, tax_basis=None)
    if "items" in row:
        invoice.update(_parts(row["items"], row["taxes"], currency))
    if "write_offs" in row:
        invoice["write_offs"] = [
            represent_write_off(write_off, currency) for write_off in row["write_offs"]
        ]
    invoice.pop("pdf_sha256", None)
    del invoice["is_past_due"]
    return invoice


def _party(text, names):
    """Return a seller or buyer as sent, with null for each of the fields that earlier versions did
    not store.
    """
    return text and {**dict.fromkeys(names), **json.loads(text)}


def _payment_reference(row):
    """Return what a payer quotes. Nobody pays a draft or a credit note."""
    is_payable = row["locked_at"] is not None and row["invoice_type"] == "invoice"
    return row.get("payment_reference") or row["invoice_number"] if is_payable else None


def buyer_as_sent(invoice):
    """Return the buyer to whom the invoice was sent. `invoice` is an API object.

    Raise 409 `anonymized` if the buyer was anonymised.
    """
    if invoice["buyer"] is None:
        raise Problem(
            "anonymized",
            f"The buyer of {invoice['invoice_number']} was anonymised. "
            "The invoice can no longer be drawn, mailed, cancelled or credited.",
        )
    return invoice["buyer"]


def public_status(row):
    """Return the status of the API object: `overdue` depends on the current date and is not stored."""
    return "overdue" if row["status"] in OPEN and row["is_past_due"] else row["status"]


def represent_parts(row, currency):
    """Return the API objects of items and taxes. The row holds both as JSON texts."""
    return _parts(json.loads(row["items"]), json.loads(row["taxes"]), currency)


def _parts(items, taxes, currency):
    return {
        "items": [represent_item(item, currency) for item in items],
        "taxes": [represent_tax(tax, currency) for tax in taxes],
    }


def represent_item(item, currency):
    return {
        **item,
        **{name: money.unscaled(item[name], places) for name, places in PLACES.items()},
        "is_discount": bool(item["is_discount"]),
        "net": money.major(item["net"], currency),
    }


def represent_write_off(write_off, currency):
    return {**write_off, "amount": money.major(write_off["amount"], currency)}


def represent_tax(tax, currency):
    return {
        **tax,
        "rate": money.unscaled(tax["rate"], 2),
        "net": money.major(tax["net"], currency),
        "tax": money.major(tax["tax"], currency),
    }


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

    The buyer of a credit note is that of its invoice. Raise 409 `anonymized` if that buyer was
    anonymised.
    """
    if row["seller"]:
        shown = represent(row)
        return shown["seller"], shown["buyer"]
    if row["invoice_type"] == "credit_note":
        return seller(db.config), buyer_as_sent(get(db, row["related_invoice_id"]))
    return seller(db.config), buyer(db.one(sql.buyer, id=row["contact_id"]))


def seller(config):
    """Return the organiser as the seller on an invoice that is sent now."""
    return {name: getattr(config, option) or None for name, option in SELLER.items()}


def buyer_now(db, contact_id):
    """Return the buyer on an invoice that would be sent to a contact now: {} once the contact is
    anonymised.
    """
    contact = db.one(sql.buyer, id=contact_id)
    return {} if contact["anonymized_at"] else buyer(contact)


def buyer(contact):
    """Return the buyer on an invoice for the row of a contact."""
    person = full_name(contact) or None
    return {
        "name": contact["company_name"] or person,
        "contact_name": person if contact["company_name"] else None,
        **{
            name: contact[name]
            for name in ("address", "postal_code", "city", "state", "country", "language")
        },
        "vat_id": contact["tax_id"],
        "is_business": counts_as_business(contact),
        "customer_number": contact["customer_number"],
        "email": contact["invoice_email"] or contact["email"],
        **{
            name: contact[name]
            for name in ("leitweg_id", "gln", "electronic_address", "e_invoice_profile")
        },
    }


def counts_as_business(contact):
    """Return whether the row of a contact is a business for the VAT."""
    is_business = contact["is_business"]
    return Buyer(
        country=contact["country"],
        is_company=bool(contact["company_name"]),
        is_business=None if is_business is None else bool(is_business),
        tax_id=contact["tax_id"],
    ).counts_as_business()
