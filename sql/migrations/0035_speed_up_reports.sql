-- Payments by invoice, with everything that the reports on payments of an event add up.
DROP INDEX payments_by_invoice;
CREATE INDEX payments_by_invoice ON payments (invoice_id, payment_date_at, status, amount, currency, gateway_key, gateway_fee);

-- Payments by kind. Payments that count for an event are read by invoice, so this needs no invoice.
DROP INDEX payments_by_currency;
CREATE INDEX payments_by_currency ON payments (currency, gateway_key, payment_date_at, status, amount, gateway_fee);

-- Payments without a date count when they were created. Every report that adds up payments reads them apart.
CREATE INDEX payments_undated ON payments (created_at, status, currency, gateway_key, amount, gateway_fee, invoice_id)
  WHERE payment_date_at IS NULL;

-- Sent invoices by currency, with everything that the reports on revenue and receivables add up.
DROP INDEX invoices_by_currency;
CREATE INDEX invoices_by_currency
  ON invoices (currency, issue_date, locked_at, invoice_type, subtotal, tax_total, total, event_id, due_date);

-- Open invoices by currency and amount, with everything that the report on receivables adds up.
DROP INDEX invoices_open;
CREATE INDEX invoices_open ON invoices (currency, open_amount, contact_id, status, locked_at, due_date, event_id)
  WHERE open_amount <> 0 AND locked_at IS NOT NULL;

-- Applications by creation, with the status that the report on applications counts.
DROP INDEX applications_by_creation;
CREATE INDEX applications_by_creation ON applications (created_at, status);
