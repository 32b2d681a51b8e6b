-- What the state of an installation needs of the database.

-- name: first_change
SELECT created_at FROM audit_log ORDER BY id LIMIT 1;

-- name: unsent_mails
SELECT count(*) FROM mails WHERE state IN ('failed', 'uncertain');

-- name: is_overdue_without_levels
-- Whether an invoice is overdue although no dunning level exists.
SELECT 1 FROM invoices i
 WHERE i.status IN ('sent', 'partially_paid') AND i.invoice_type = 'invoice' AND i.due_date < :today
   AND i.overdue_from <= :today
   AND i.open_amount > 0
   AND NOT EXISTS (SELECT 1 FROM dunning_levels)
 LIMIT 1;
