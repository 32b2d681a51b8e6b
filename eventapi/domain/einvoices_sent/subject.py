"""E-invoices of our own invoices: what it adds to what the service does with all records."""

from eventapi.domain.einvoices_sent import store
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("e_invoices")

EINVOICES_SENT = Subject(
    name="einvoices_sent",
    checks={"e-invoices": store.check},
    erases_at_end=(sql.drop,),
)
