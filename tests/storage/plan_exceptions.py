"""What test_plans.py lets statements do to large tables: `NAME` or `NAME FILTER`, and the reason.

A reason says what bounds the cost. "Slow" means that nothing does: docs/architecture.md has the cost.
"""

JOB = "a job of the worker or a command reads all of it, in the background"
CHECK = "eventapi check reads everything"
FIRST = "SQLite stops at the first row"
TOTAL = "counts an index without its rows: some milliseconds for a million"
SMALLER = "slow, but of tens of thousands of rows at most"
TESTED = "slow: each row is tested until the page is full"
MANY = "slow: all rows of the filter are sorted, ids only"
PERIOD = "walks in the order of the list until the page is full"
CLOCK = "slow: only for a time across which the clock was set back"
WITH_PERIOD = "only with date_from or date_to, which have the index"
NO_STATUS = "only the rows without a status, of which there are none"
NO_VALUES = "all rows of the big database have the same value"

# Statements that read all of a large table.
READS_ALL = {
    "totals.wrong_contacts": CHECK, "totals.wrong_payments": CHECK, "totals.wrong_invoices": CHECK,
    "totals.wrong_entries": CHECK, "totals.wrong_steps": CHECK,
    "admission.wrong_visitors": CHECK, "participants.wrong_counts": CHECK,
    "applications.list": TOTAL, "audit_log.list": TOTAL, "booths.list": TOTAL,
    "contacts.list": TOTAL, "documents.list": TOTAL, "invoices.list": TOTAL, "newsletter.list": TOTAL,
    "participants.list": TOTAL, "service_orders.list": TOTAL, "submissions.list": TOTAL,
    "tasks.list": TOTAL,
    "audit_export.currencies": JOB, "books.accounts": JOB, "e_invoices.all": CHECK, "dunning.wrong_levels": CHECK,
    "ledger.overcredited": CHECK, "ledger.wrong_totals": CHECK, "housekeeping.delete_old_events": JOB,
    "invoicing.pdfs_due": JOB, "mails.states": JOB, "metrics.events": JOB,
    "webhooks.forget_deliveries": "the oldest ones, a bounded number",
    "backups.last_change": FIRST, "demo.has_records": FIRST, "housekeeping.first_entries": FIRST,
    "status.first_change": FIRST,
    "calendar_feed.entries": SMALLER, "plans.booths_of": SMALLER, "reports.booths": SMALLER,
    "reports.open": "the open invoices only: a partial index",
    "reports.payments_of_event": "the few payments without a date: a partial index",
    "reports.participants": "participants of a period: one index, 90 ms for 500,000",
    "reports.readiness": "slow: all participants",
    "reports.open_then": "all invoices until a day once: 300 ms for 250,000",
}
# Lists that read a large table in order and test each row, with a filter.
WALKS = {
    "applications.list cf_rest": "only with cf_few or cf_many", "booths.list cf_rest": "only with cf_few or cf_many",
    "contacts.list cf_rest": "only with cf_few or cf_many", "participants.list cf_rest": "only with cf_few or cf_many",
    "submissions.list cf_rest": "only with cf_few or cf_many",
    "invoices.list date_from": PERIOD,
    "invoices.list date_to": PERIOD, "newsletter.list from_date": PERIOD, "newsletter.list to_date": PERIOD,
    "payments.list date_from": PERIOD, "payments.list date_to": PERIOD,
    "audit_log.list date_from_by_clock": CLOCK, "audit_log.list date_to_by_clock": CLOCK,
    "invoices.list status_then": WITH_PERIOD, "payments.list status_then": WITH_PERIOD,
    "audit_log.list entity_id": TESTED, "audit_log.list search": TESTED, "participants.list ready": TESTED,
    "invoices.list disputed": TESTED, "submissions.list is_late": TESTED,
    "submissions.list type_key": TESTED, "booths.list max_area": SMALLER, "booths.list max_price": SMALLER,
    "booths.list min_area": SMALLER, "booths.list free": SMALLER,
    "check_ins.list absent": "nearly all visits are over", "invoices.list not_overdue": "most invoices are not overdue",
}
# Lists that sort more than 10,000 rows.
SORTS_MANY = {
    "applications.list search": MANY, "newsletter.list search": MANY,
    "check_ins.list date": MANY, "check_ins.list present": "few visits have not ended",
    "documents.list entity_type": NO_VALUES,
    "documents.list is_contract": NO_VALUES, "documents.list is_e_invoice": NO_VALUES,
    "dunning.list": "only by id: open invoices that are overdue are few",
    "invoices.list event_id": MANY, "invoices.list not_overdue": MANY, "invoices.list overdue": MANY,
    "invoices.list status": MANY, "invoices.list type": MANY,
    "newsletter.list status": MANY, "payments.list status": MANY,
    "tasks.list": MANY,
    "payments.list date_from": NO_STATUS, "payments.list date_to": NO_STATUS,
}
# Statements whose plan reads more of a large table with statistics than without.
WORSE = {
    "booths.list free": SMALLER,
    "calendar_feed.entries": "reads in the order of the feed, which holds nearly all entries",
    "newsletter.list from_date": "nearly all subscribers match", "newsletter.list to_date": "nearly all match",
    "ledger.overcredited": CHECK, "plans.booths_of": SMALLER, "reports.booths": SMALLER,
    "submissions.list type_key": "walks in the order of the list, since each type has many",
    "payments.list date_from": NO_STATUS, "payments.list date_to": NO_STATUS,
}
