-- The stored e-invoices of sent invoices.

-- name: add
INSERT INTO e_invoices (invoice_id, document, sha256) VALUES (:invoice_id, :document, :sha256);

-- name: note_hash
UPDATE invoices SET xml_sha256 = :sha256 WHERE id = :invoice_id;

-- name: get
SELECT document FROM e_invoices WHERE invoice_id = :invoice_id;

-- name: all
-- Invoices that have an e-invoice or should have one, with the hash in the audit entry of sending, or NULL if the entry
-- was pruned. An anonymised buyer has no e-invoice any more. For `eventapi check`.
SELECT i.invoice_number, i.invoice_type, i.currency, i.issue_date, i.total, i.tax_total, i.xml_sha256, d.document,
       d.sha256, (SELECT a.new_values ->> 'xml_sha256' FROM audit_log a
         WHERE a.entity_type = 'invoice' AND a.entity_id = i.id AND a.action IN ('sent', 'created')
           AND a.new_values ->> 'xml_sha256' IS NOT NULL ORDER BY a.id LIMIT 1) AS journalled
  FROM invoices i LEFT JOIN e_invoices d ON d.invoice_id = i.id
 WHERE i.xml_sha256 IS NOT NULL AND i.buyer IS NOT NULL OR d.invoice_id IS NOT NULL
 ORDER BY i.id;

-- Erasing the data of an invoice, `id`, at the end of its retention period.

-- name: drop
DELETE FROM e_invoices WHERE invoice_id = :id;
