"""Billing: what it adds to what the service does with all records."""

from eventapi.domain.billing import balance, bills, deposits, mails, refunds
from eventapi.domain.records.subject import Mail, Subject

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
)
