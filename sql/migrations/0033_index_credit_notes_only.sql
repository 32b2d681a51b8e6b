-- Few invoices have a related invoice. An index of all says in its statistics that one value has all rows while there is
-- no credit note, and SQLite then reads the whole table for each overdue invoice. A partial index has only the others.
DROP INDEX invoices_by_related;
CREATE INDEX invoices_by_related ON invoices (related_invoice_id) WHERE related_invoice_id IS NOT NULL;
