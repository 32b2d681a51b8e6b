-- E-invoices of suppliers: what an uploaded file says, as JSON. NULL if the file is not an e-invoice.
ALTER TABLE documents ADD COLUMN e_invoice TEXT;
ALTER TABLE documents ADD COLUMN is_e_invoice INTEGER AS (e_invoice IS NOT NULL) VIRTUAL;
CREATE INDEX documents_by_e_invoice ON documents (is_e_invoice);
