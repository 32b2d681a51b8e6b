"""What test_plans.py lets statements do to large tables, with the reason.

A reason says what bounds the cost. "Slow" means that nothing does: docs/performance.md has the
cost.
"""

JOB = "a job of the worker or a command reads all of it, in the background"
CHECK = "eventapi check reads everything"
FIRST = "SQLite stops at the first row"
SMALLER = "slow, but of tens of thousands of rows at most"

# Statements that read all of a large table.
READS_ALL = {
    "admission.wrong_visitors": CHECK,
    "deposits.wrong": CHECK,
    "participants.wrong_counts": CHECK,
    "audit_export.currencies": JOB,
    "ledger.accounts": JOB,
    "e_invoices.all": CHECK,
    "dunning.wrong_levels": CHECK,
    "balance.overcredited": CHECK,
    "balance.wrong_totals": CHECK,
    "housekeeping.delete_old_events": JOB,
    "invoicing.pdfs_due": JOB,
    "mails.states": JOB,
    "metrics.events": JOB,
    "webhooks.forget_deliveries": "the oldest ones, a bounded number",
    "backups.last_change": FIRST,
    "demo.has_records": FIRST,
    "housekeeping.first_entries": FIRST,
    "status.first_change": FIRST,
    "calendar_feed.entries": SMALLER,
    "plans.booths_of": SMALLER,
    "reports.booths": SMALLER,
    "reports.services": SMALLER,
    "bank_rules.customers": "the open invoices only: partial indexes",
    "overview.credit": "the overpaid invoices only: a partial index",
    "reports.open": "the open invoices only: a partial index",
    "ledger.claims_open": "the few payments with a claim: partial indexes",
    "reports.open_then": "the few payments with a claim, and those without a date: partial indexes",
    "reports.payments_of_event": "the few payments without a date: a partial index",
    "reports.participants": "participants of a period: one index, 90 ms for 500,000",
    "reports.readiness": "slow: all participants",
}
# Statements whose plan reads more of a large table with statistics than without.
WORSE = {
    "ledger.claims_open": "begins with the few payments that have a claim: partial indexes",
    "calendar_feed.entries": "reads in the order of the feed, which holds nearly all entries",
    "deposits.wrong": CHECK,
    "balance.overcredited": CHECK,
    "plans.booths_of": SMALLER,
    "reports.booths": SMALLER,
}
