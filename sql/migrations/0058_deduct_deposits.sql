-- Final invoices deduct deposits: their lines name the deposit, and the list of invoices has a filter for deposits.
ALTER TABLE invoice_items ADD COLUMN deposit_id INTEGER;       -- the deposit that a line of a sent final invoice deducts
CREATE INDEX invoices_by_deposit ON invoices (is_deposit);
