-- The record that `make run` shows as an example.

-- name: open_invoice
SELECT invoice_number FROM invoices
 WHERE status = 'sent' AND open_amount > 0 AND currency = :currency ORDER BY id LIMIT 1;
