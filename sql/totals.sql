-- Totals that triggers keep, compared with what they count. For `eventapi check`.

-- name: wrong_contacts
-- Countries whose contact_counts differ from the contacts.
WITH counted AS (SELECT country, count(*) FROM contacts GROUP BY country),
kept AS (SELECT * FROM contact_counts WHERE contacts <> 0)
SELECT country FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
 UNION SELECT country FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted);

-- name: wrong_payments
-- Months and states whose payment_counts differ from the payments.
WITH counted AS (SELECT coalesce(substr(payment_date_at, 1, 7), '') AS month, status, count(*) FROM payments GROUP BY 1, 2),
kept AS (SELECT * FROM payment_counts WHERE payments <> 0)
SELECT month, status FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
 UNION SELECT month, status FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted);

-- name: wrong_invoices
-- Months, states and types whose invoice_counts differ from the invoices.
WITH counted AS (SELECT coalesce(substr(issue_date, 1, 7), '') AS month, status, invoice_type, count(*) FROM invoices GROUP BY 1, 2, 3),
kept AS (SELECT * FROM invoice_counts WHERE invoices <> 0)
SELECT month, status, invoice_type FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
 UNION SELECT month, status, invoice_type FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted);

-- name: wrong_entries
-- Kinds of entries whose audit_counts differ from the entries.
WITH counted AS (SELECT coalesce(entity_type, '') AS entity_type, action, coalesce(admin_id, 0), coalesce(api_key_id, 0), count(*)
                   FROM audit_log GROUP BY 1, 2, 3, 4),
kept AS (SELECT * FROM audit_counts WHERE entries <> 0)
SELECT entity_type, action FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
 UNION SELECT entity_type, action FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted);

-- name: wrong_steps
-- Entries before which the clock was set back, without a row in audit_clock_steps.
SELECT id FROM (SELECT id, created_at, lag(created_at) OVER (ORDER BY id) AS before FROM audit_log)
 WHERE created_at < before
EXCEPT SELECT id FROM audit_clock_steps;
