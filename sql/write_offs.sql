-- Write-offs of invoices, and recoveries of them by later payments.

-- name: add
INSERT INTO write_offs (invoice_id, kind, amount, currency, reason, written_off_at, counts_at, payment_id, created_at)
VALUES (:invoice_id, :kind, :amount, :currency, :reason, :written_off_at, :counts_at, :payment_id, :now);

-- name: remove
DELETE FROM write_offs WHERE id = :id;

-- name: of_invoices
SELECT w.invoice_id, w.currency, w.id, w.kind, w.amount, w.reason, w.written_off_at, w.payment_id FROM write_offs w
 WHERE w.invoice_id IN (SELECT value FROM json_each(:ids)) ORDER BY w.id;

-- name: of_payment
SELECT id, invoice_id, kind, amount, reason, written_off_at FROM write_offs WHERE payment_id = :payment_id ORDER BY id;

-- name: recoveries_of_invoice
SELECT id, amount, written_off_at, payment_id FROM write_offs WHERE invoice_id = :invoice_id AND kind = 'recovery'
 ORDER BY id DESC;

-- name: last_day
-- The day of the last write-off of an invoice.
SELECT max(written_off_at) FROM write_offs WHERE invoice_id = :invoice_id AND amount > 0;

-- name: latest_payment
SELECT id, status, payment_date, created_at, 1 AS is_latest FROM payments
 WHERE invoice_id = :invoice_id AND status = 'completed' ORDER BY id DESC LIMIT 1;

-- Erasing the data of a contact, and at the end of the retention period that of an invoice. `id` is its id.

-- name: blank_reasons
UPDATE write_offs SET reason = NULL WHERE invoice_id IN (SELECT id FROM invoices WHERE contact_id = :id)
  AND reason IS NOT NULL;

-- name: blank
UPDATE write_offs SET reason = NULL WHERE invoice_id = :id;
