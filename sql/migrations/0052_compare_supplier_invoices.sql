-- The e-invoices of one supplier, for warnings of an invoice that comes twice and of a changed account.
CREATE INDEX documents_by_supplier ON documents (coalesce(e_invoice ->> '$.seller.vat_id', e_invoice ->> '$.seller.name'))
  WHERE e_invoice IS NOT NULL;
