-- Closed months.

-- name: last
-- The last month that was closed. Months are closed in their order.
SELECT month, first_open_day, open_from FROM periods ORDER BY id DESC LIMIT 1;

-- name: list
SELECT month, timezone, organiser_country, currency, admin_name, figures, sha256, closed_at FROM periods ORDER BY id;

-- name: get
SELECT id, month, admin_name, figures, sha256, closed_at FROM periods WHERE month = :month;

-- name: add
INSERT INTO periods (
  month, first_open_day, open_from, timezone, organiser_country, currency, admin_id, admin_name, figures, sha256, closed_at)
VALUES (:month, :first_open_day, :open_from, :timezone, :organiser_country, :currency, :admin_id, :admin_name, :figures,
  :sha256, :now);

-- name: last_audit_entry
SELECT coalesce(max(id), 0) FROM audit_log;

-- name: changed
-- Whether a booking before :open_from may have changed after the audit entry :seen. An invoice counts once it is sent. A payment may
-- have been deleted, dated later, or erased. A refund is never before its payment.
SELECT 1 FROM audit_log l
 WHERE l.id > :seen
   AND (l.entity_type = 'invoice' AND l.action IN ('created', 'sent')
        AND EXISTS (SELECT 1 FROM invoices i WHERE i.id = l.entity_id AND i.locked_at IS NOT NULL
        AND min(i.issue_date, coalesce(i.tax_date, i.issue_date)) < :first_open_day)
        OR l.entity_type = 'invoice' AND l.action IN ('written_off', 'write_off_deleted', 'dunned', 'dunning_withdrawn')
        OR l.entity_type = 'payment'
        AND (NOT EXISTS (SELECT 1 FROM payments p WHERE p.id = l.entity_id
        AND coalesce(p.payment_date_at, p.created_at) >= :open_from)
             OR json_type(l.old_values, '$.payment_date') IS NOT NULL
             AND substr(coalesce(l.old_values ->> '$.payment_date', ''), 1, 10) <= :first_open_day
             OR l.old_values IS NULL AND l.action <> 'created'))
 LIMIT 1;

-- name: without_rate
-- At most :most sent invoices and credit notes from the day :since on, dated before :before, that are not in the currency :home and have
-- no exchange rate.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM invoices
   UNION ALL SELECT (SELECT min(i.currency) FROM invoices i WHERE i.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT i.id, i.invoice_number, i.currency
  FROM kinds k CROSS JOIN invoices i INDEXED BY invoices_by_currency
    ON i.currency = k.currency AND i.issue_date >= :since AND i.issue_date < :before AND i.locked_at IS NOT NULL
 WHERE k.currency <> :home AND i.exchange_rate IS NULL LIMIT :most;

-- name: taxed_without_rate
-- The same for documents that are dated later, and whose tax counts on these days.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM tax_entries
   UNION ALL SELECT (SELECT min(e.currency) FROM tax_entries e WHERE e.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT DISTINCT i.id, i.invoice_number, i.currency
  FROM kinds k CROSS JOIN tax_entries e INDEXED BY tax_entries_by_day ON e.currency = k.currency AND e.day >= :since
  AND e.day < :before
 CROSS JOIN invoices i ON i.id = e.document_id
 WHERE k.currency <> :home AND i.exchange_rate IS NULL AND i.issue_date >= :before LIMIT :most;

-- name: entries
-- Every booking of the period, in a fixed order. Their hash is kept when the month is closed.
SELECT 'invoice' AS kind, i.id, i.invoice_number, i.invoice_type, i.issue_date AS at, i.currency, i.subtotal,
  i.tax_total, i.total, i.event_id, i.related_invoice_id
  FROM invoices i INDEXED BY invoices_by_issue_date
 WHERE i.locked_at IS NOT NULL AND i.issue_date >= :first AND i.issue_date <= :last AND i.invoice_type = 'credit_note'
 UNION ALL
SELECT 'invoice', i.id, i.invoice_number, i.invoice_type, i.issue_date, i.currency, i.subtotal, i.tax_total, i.total,
  i.event_id, NULL
  FROM invoices i INDEXED BY invoices_by_issue_date
 WHERE i.locked_at IS NOT NULL AND i.issue_date >= :first AND i.issue_date <= :last AND i.invoice_type = 'invoice'
 UNION ALL
SELECT 'tax', t.invoice_id, t.category, t.rate, i.issue_date, i.currency, t.net, t.tax, NULL, NULL, NULL
  FROM invoices i INDEXED BY invoices_by_issue_date CROSS JOIN invoice_taxes t ON t.invoice_id = i.id
 WHERE i.locked_at IS NOT NULL AND i.issue_date >= :first AND i.issue_date <= :last
 UNION ALL
SELECT 'payment', p.id, p.gateway_key, 'dated', p.payment_date_at, p.currency, p.amount, p.gateway_fee,
  nullif(p.claim_amount, 0), coalesce(
         (SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id ORDER BY m.moved_at, m.id LIMIT 1),
         p.invoice_id), NULL
  FROM payments p INDEXED BY payments_by_date
 WHERE p.payment_date_at >= :begins AND p.payment_date_at < :ends AND p.status IN ('completed', 'refunded')
 UNION ALL
SELECT 'payment', p.id, p.gateway_key, 'undated', p.created_at, p.currency, p.amount, p.gateway_fee,
  nullif(p.claim_amount, 0), coalesce(
         (SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id ORDER BY m.moved_at, m.id LIMIT 1),
         p.invoice_id), NULL
  FROM payments p INDEXED BY payments_undated
 WHERE p.payment_date_at IS NULL AND p.created_at >= :begins AND p.created_at < :ends
   AND p.status IN ('completed', 'refunded')
 UNION ALL
SELECT 'refund', r.id, r.gateway_key, NULL, r.counts_at, r.currency, r.amount, NULL, nullif(r.claim_amount, 0),
  r.payment_id, NULL
  FROM refunds r INDEXED BY refunds_by_time WHERE r.counts_at >= :begins AND r.counts_at < :ends
 UNION ALL
SELECT 'move', m.id, NULL, NULL, m.moved_at, NULL, NULL, NULL, m.payment_id, m.from_invoice_id, m.to_invoice_id
  FROM payment_moves m INDEXED BY payment_moves_by_time WHERE m.moved_at >= :begins AND m.moved_at < :ends
 UNION ALL
SELECT 'write_off', w.id, w.kind, NULL, w.counts_at, w.currency, w.amount, NULL, NULL, w.payment_id, w.invoice_id
  FROM write_offs w INDEXED BY write_offs_by_time WHERE w.counts_at >= :begins AND w.counts_at < :ends
 UNION ALL
SELECT 'claim', c.id, NULL, NULL, c.day, c.currency, c.amount, NULL, NULL, c.dunning_id, c.invoice_id
  FROM claim_movements c WHERE c.day >= :first AND c.day <= :last
 ORDER BY 1, 2, 3, 4;

-- name: written_off
-- What was written off in a period, less recoveries, by currency.
SELECT currency, sum(amount) AS written_off FROM write_offs INDEXED BY write_offs_by_time
 WHERE counts_at >= :begins AND counts_at < :ends GROUP BY currency;

-- name: claimed
-- What letters claimed in a period, less what was taken back, by currency.
SELECT currency, sum(amount) AS claimed FROM claim_movements WHERE day >= :first AND day <= :last GROUP BY currency;

-- name: next_issue
-- The first issue date of a sent invoice on or after a day.
SELECT min(issue_date) FROM invoices INDEXED BY invoices_by_issue_date WHERE issue_date >= :after
  AND locked_at IS NOT NULL;

-- name: next_payment
-- The first payment, refund, write-off or move of a payment at or after a time. A payment without a date counts when it was created.
SELECT min(at) FROM (
  SELECT min(payment_date_at) AS at FROM payments WHERE payment_date_at >= :after
   UNION ALL SELECT min(created_at) FROM payments INDEXED BY payments_undated WHERE payment_date_at IS NULL
     AND created_at >= :after
   UNION ALL SELECT min(counts_at) FROM refunds WHERE counts_at >= :after
   UNION ALL SELECT min(moved_at) FROM payment_moves WHERE moved_at >= :after
   UNION ALL SELECT min(counts_at) FROM write_offs WHERE counts_at >= :after);

-- name: next_claim
-- The first day on or after a day on which a letter claimed something, or was withdrawn.
SELECT min(day) FROM claim_movements WHERE day >= :after;

-- name: issued
-- What was invoiced and credited in a period, with tax, by currency.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM invoices
   UNION ALL SELECT (SELECT min(i.currency) FROM invoices i WHERE i.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT i.currency, sum(CASE i.invoice_type WHEN 'invoice' THEN i.total ELSE 0 END) AS invoiced,
       sum(CASE i.invoice_type WHEN 'credit_note' THEN -i.total ELSE 0 END) AS credited
  FROM kinds k CROSS JOIN invoices i INDEXED BY invoices_by_currency
    ON i.currency = k.currency AND i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL
 GROUP BY i.currency;
