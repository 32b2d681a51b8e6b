-- Invoices: the end of the service period.

ALTER TABLE invoices ADD COLUMN service_date_to TEXT;
