"""Totals that triggers keep for long lists: their comparison with the records."""
from eventapi.storage.statements import statements

sql = statements("totals")


def check(db):
    """Yield a sentence for each total that is wrong, and for each step of the clock that is not noted."""
    for wrong in db.all(sql.wrong_contacts):
        yield f"the number of contacts in {wrong['country']} differs from the contacts"
    for wrong in db.all(sql.wrong_payments):
        yield (f"the number of payments of {wrong['month'] or 'no month'} that are {wrong['status']} differs from the "
               "payments")
    for wrong in db.all(sql.wrong_invoices):
        yield (f"the number of documents of type {wrong['invoice_type']} of {wrong['month'] or 'no month'} that are "
               f"{wrong['status']} differs from the invoices")
    for wrong in db.all(sql.wrong_entries):
        yield (f"the number of audit entries with action {wrong['action']} and entity_type {wrong['entity_type']} "
               "differs from the audit log")
    for id in db.values(sql.wrong_steps):
        yield f"audit entry {id}: created_at is before that of the entry before it, and audit_clock_steps lacks it"
