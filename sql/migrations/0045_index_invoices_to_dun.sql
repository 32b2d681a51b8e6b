-- Overdue invoices with everything that decides whether they are due for a dunning level: counting them reads no record.
DROP INDEX invoices_to_dun;
CREATE INDEX invoices_to_dun ON invoices (due_date, dunning_level, dunning_deadline, open_amount, status, invoice_type)
  WHERE status IN ('sent', 'partially_paid') AND invoice_type = 'invoice';
