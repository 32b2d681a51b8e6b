"""Billing: what it adds to what the service does with all records."""

from eventapi.domain.billing import balance, bills, deposits, hand_over, mails, refunds
from eventapi.domain.records import entities
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql_of_invoices = statements("invoicing")
sql_of_payments = statements("payments")
sql_of_refunds = statements("refunds")
sql_of_write_offs = statements("write_offs")

BILLING = Subject(
    name="billing",
    checks={
        "balances": balance.check,
        "refunds": refunds.check,
        "deductions": deposits.check_deductions,
        "sales": bills.check,
    },
    mails=(
        Mail(kind="invoice", contents=mails.invoice, prepare=mails.with_pdf),
        Mail(kind="invoice_reminder", contents=mails.reminder, prepare=mails.with_pdf),
    ),
    erases=(
        sql_of_invoices.blank_remarks,
        sql_of_payments.blank_remarks,
        sql_of_refunds.blank_remarks,
        sql_of_write_offs.blank_reasons,
    ),
    deletes=((entities.INVOICE, sql_of_invoices.drop_drafts),),
    erases_at_end=(
        sql_of_invoices.blank,
        sql_of_invoices.blank_items,
        sql_of_payments.blank,
        sql_of_refunds.blank,
        sql_of_write_offs.blank,
    ),
    merges_contacts=(hand_over.of_contact,),
    merges_participants=(hand_over.of_participant,),
)
