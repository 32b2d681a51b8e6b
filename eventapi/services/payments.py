"""Payments as they are read: rows turned into answers."""
from eventapi import money
from eventapi.statements import statements

sql = statements("payments")

MEMBERS = ("id", "invoice_id", "invoice_number", "amount", "currency", "gateway_id", "gateway_key", "gateway_name",
           "transaction_id", "gateway_fee", "net_amount", "refunded_amount", "status", "payment_date", "notes", "created_at",
           "updated_at")


def represent(row):
    """A row as it is answered; the row stays as it is."""
    currency = row["currency"]
    payment = {**row, "amount": money.major(row["amount"], currency), "gateway_fee": money.major(row["gateway_fee"], currency),
               "net_amount": money.major(row["amount"] - row["gateway_fee"], currency),
               "refunded_amount": money.major(row["refunded_amount"], currency)}
    return {name: payment[name] for name in MEMBERS}


def of_invoices(db, ids):
    """invoice id -> its payments, for many invoices at once."""
    payments = {}
    for row in db.all(sql.of_invoices, ids=ids):
        payments.setdefault(row["invoice_id"], []).append(represent(row))
    return payments
