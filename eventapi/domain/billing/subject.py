"""Billing: what it adds to what the service does with all records."""

from eventapi.domain.billing import balance, bills, deposits, refunds
from eventapi.domain.records.subject import Subject

BILLING = Subject(
    name="billing",
    checks={
        "balances": balance.check,
        "refunds": refunds.check,
        "deductions": deposits.check_deductions,
        "sales": bills.check,
    },
)
