-- Payment references: the text that a payer quotes, if it is not the number of the invoice.

-- The creditor reference (ISO 11649, RF…) that a sent invoice asks for. NULL: the payer quotes the invoice number.
ALTER TABLE invoices ADD COLUMN payment_reference TEXT;
CREATE INDEX invoices_by_payment_reference ON invoices (payment_reference) WHERE payment_reference IS NOT NULL;
