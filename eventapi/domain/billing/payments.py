"""Payments as they are read: rows turned into answers."""
from eventapi import money
from eventapi.storage.statements import statements

sql = statements("payments")

AMOUNTS = ("amount", "gateway_fee", "net_amount", "refunded_amount")


def represent(row):
    """A row as it is answered; the row stays as it is."""
    payment = {**row, "net_amount": row["amount"] - row["gateway_fee"]}
    money.majors(payment, AMOUNTS, row["currency"])
    return payment


def of_invoices(db, ids):
    """invoice id -> its payments, for many invoices at once."""
    payments = {}
    for row in db.all(sql.of_invoices, ids=ids):
        payments.setdefault(row["invoice_id"], []).append(represent(row))
    return payments
