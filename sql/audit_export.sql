-- The export for a tax audit: every table of it, in the order of its key. What is dated from :first to :last, or from :begins until
-- before :ends (UTC), is selected.

-- name: currencies
SELECT DISTINCT currency FROM invoices INDEXED BY invoices_by_currency;

-- name: invoices
SELECT i.id AS invoice_id, i.invoice_number, i.invoice_type,
       (SELECT r.invoice_number FROM invoices r WHERE r.id = i.related_invoice_id) AS related_invoice_number,
       i.issue_date, i.service_date, i.service_date_to, i.due_date,
       CASE i.invoice_type WHEN 'invoice' THEN i.tax_date END AS tax_date, CASE i.invoice_type
         WHEN 'invoice' THEN i.tax_basis END AS tax_basis, i.debtor_number AS customer_number,
       i.buyer ->> '$.name' AS buyer_name, i.buyer ->> '$.address' AS buyer_address,
       i.buyer ->> '$.postal_code' AS buyer_postal_code, i.buyer ->> '$.city' AS buyer_city,
       i.buyer ->> '$.country' AS buyer_country, i.buyer ->> '$.vat_id' AS buyer_vat_id, i.buyer_reference, i.currency,
       i.subtotal, i.tax_total, i.total, i.exchange_rate, i.is_reverse_charge, i.is_deposit, i.taken_over, i.status,
       i.series, i.sequence, i.locked_at AS sent_at, i.cancellation_reason, e.sha256 AS xml_sha256, i.pdf_sha256
  FROM invoices i INDEXED BY invoices_by_issue_date LEFT JOIN e_invoices e ON e.invoice_id = i.id
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL
 ORDER BY i.issue_date, i.id;

-- name: invoice_lines
SELECT l.invoice_id, i.invoice_number, l.position, l.description, l.quantity, l.unit, l.unit_price, l.discount_percent,
       l.tax_category, l.tax_rate, l.exemption_reason, i.currency, l.net
  FROM invoices i INDEXED BY invoices_by_issue_date CROSS JOIN invoice_items l ON l.invoice_id = i.id
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL
 ORDER BY i.issue_date, i.id, l.position;

-- name: invoice_taxes
SELECT t.invoice_id, i.invoice_number, i.issue_date, t.category AS tax_category, t.rate AS tax_rate, i.currency, t.net,
  t.tax, t.reason AS exemption_reason
  FROM invoices i INDEXED BY invoices_by_issue_date CROSS JOIN invoice_taxes t ON t.invoice_id = i.id
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL
 ORDER BY i.issue_date, i.id, t.category, t.rate;

-- name: payments
-- Each payment with the invoice that it was first completed for.
WITH found AS MATERIALIZED (
  SELECT id, payment_date_at AS at FROM payments INDEXED BY payments_by_date WHERE payment_date_at >= :begins
    AND payment_date_at < :ends
   UNION ALL
  SELECT id, created_at FROM payments INDEXED BY payments_undated WHERE payment_date_at IS NULL
    AND created_at >= :begins AND created_at < :ends)
SELECT p.id AS payment_id, f.at AS payment_date, i.invoice_number, i.debtor_number AS customer_number, p.currency,
       p.amount, p.claim_amount, p.gateway_key, p.gateway_name, p.gateway_fee, p.transaction_id, p.bank_transaction_id,
       p.status, p.created_at
  FROM found f CROSS JOIN payments p ON p.id = f.id
  JOIN invoices i ON i.id = coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id
  ORDER BY m.moved_at, m.id LIMIT 1), p.invoice_id)
 WHERE p.status IN ('completed', 'refunded');

-- name: refunds
-- Each refund with the invoice that its payment had then.
SELECT r.id AS refund_id, r.payment_id, r.counts_at AS refund_date, i.invoice_number,
       i.debtor_number AS customer_number, r.currency, r.amount, r.claim_amount, r.gateway_key, r.transaction_id,
       r.bank_transaction_id, r.created_at
  FROM refunds r INDEXED BY refunds_by_time CROSS JOIN payments p ON p.id = r.payment_id
  JOIN invoices i ON i.id = coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = r.payment_id
  AND m.moved_at > r.counts_at
                                       ORDER BY m.moved_at, m.id LIMIT 1), p.invoice_id)
 WHERE r.counts_at >= :begins AND r.counts_at < :ends
 ORDER BY r.counts_at, r.id;

-- name: moves
-- Payments that moved from one invoice to another, with what was left of them.
SELECT m.id AS move_id, m.payment_id, m.moved_at AS move_date, f.invoice_number AS from_invoice_number,
       f.debtor_number AS from_customer_number, t.invoice_number AS to_invoice_number,
       t.debtor_number AS to_customer_number, p.currency,
       p.amount - (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id
           AND r.counts_at < m.moved_at) AS amount
  FROM payment_moves m INDEXED BY payment_moves_by_time CROSS JOIN payments p ON p.id = m.payment_id
  JOIN invoices f ON f.id = m.from_invoice_id JOIN invoices t ON t.id = m.to_invoice_id
 WHERE m.moved_at >= :begins AND m.moved_at < :ends
 ORDER BY m.moved_at, m.id;

-- name: write_offs
SELECT w.id AS write_off_id, w.counts_at AS write_off_date, w.kind, i.invoice_number,
       i.debtor_number AS customer_number, w.currency, w.amount, w.reason, w.payment_id, w.created_at
  FROM write_offs w INDEXED BY write_offs_by_time CROSS JOIN invoices i ON i.id = w.invoice_id
 WHERE w.counts_at >= :begins AND w.counts_at < :ends
 ORDER BY w.counts_at, w.id;

-- name: letters
-- Dunning letters that were sent or withdrawn in the year.
WITH found AS MATERIALIZED (
  SELECT id FROM dunnings INDEXED BY dunnings_by_day WHERE sent_on >= :first AND sent_on <= :last
   UNION
  SELECT id FROM dunnings INDEXED BY dunnings_by_withdrawal WHERE withdrawn_on >= :first AND withdrawn_on <= :last)
SELECT d.id AS letter_id, d.sent_on, i.invoice_number, i.debtor_number AS customer_number, d.level, d.title, d.due_date,
       d.deadline, i.currency, d.open_amount, d.costs, d.interest, d.claims_paid, d.total_claim, d.claimed,
       d.calculation, d.withdrawn_on, d.withdrawn_reason, d.created_at
  FROM found f CROSS JOIN dunnings d ON d.id = f.id CROSS JOIN invoices i ON i.id = d.invoice_id
 ORDER BY d.sent_on, d.id;

-- name: supplier_invoices
-- E-invoices of suppliers by their issue date or, if it is none, by the time of the upload. Amounts have four decimals.
WITH found AS MATERIALIZED (
  SELECT d.id, d.e_invoice, d.filename, d.sha256, d.created_at,
         CASE WHEN date(d.e_invoice ->> '$.issue_date') = d.e_invoice ->> '$.issue_date' THEN d.e_invoice ->> '$.issue_date' END AS issue_date
    FROM documents d INDEXED BY documents_by_e_invoice WHERE d.is_e_invoice = 1)
SELECT f.id AS document_id, f.issue_date, f.e_invoice ->> '$.type' AS type, f.e_invoice ->> '$.number' AS number,
       f.e_invoice ->> '$.seller.name' AS seller_name, f.e_invoice ->> '$.seller.vat_id' AS seller_vat_id,
       f.e_invoice ->> '$.currency' AS currency,
       CAST(round((f.e_invoice ->> '$.net_total') * 10000) AS INTEGER) AS net_total,
       CAST(round((f.e_invoice ->> '$.tax_total') * 10000) AS INTEGER) AS tax_total,
           CAST(round((f.e_invoice ->> '$.total') * 10000) AS INTEGER) AS total, f.created_at, f.filename, f.sha256
  FROM found f
 WHERE coalesce(f.issue_date >= :first AND f.issue_date <= :last, f.created_at >= :begins AND f.created_at < :ends)
 ORDER BY f.issue_date, f.id;

-- name: customers
-- Each customer of the ledger, as on the last invoice until :last that still has a buyer.
SELECT c.value AS customer_number, i.buyer ->> '$.name' AS name, i.buyer ->> '$.contact_name' AS contact_name,
       i.buyer ->> '$.address' AS address, i.buyer ->> '$.postal_code' AS postal_code, i.buyer ->> '$.city' AS city,
       i.buyer ->> '$.country' AS country, i.buyer ->> '$.vat_id' AS vat_id
  FROM json_each(:numbers) c LEFT JOIN invoices i ON i.id = (
         SELECT d.id FROM invoices d INDEXED BY invoices_by_debtor
          WHERE d.debtor_number = c.value AND d.issue_date <= :last AND d.locked_at IS NOT NULL AND d.buyer IS NOT NULL
          ORDER BY d.issue_date DESC, d.id DESC LIMIT 1);

-- name: periods
SELECT month, timezone, admin_name AS closed_by, closed_at, figures, sha256 FROM periods
 WHERE month >= substr(:first, 1, 7) AND month <= substr(:last, 1, 7) ORDER BY id;

-- name: bank_currencies
SELECT DISTINCT currency FROM bank_statements INDEXED BY bank_statements_by_account;

-- name: bank_transactions
SELECT b.id AS bank_transaction_id, b.account, b.booked_on, b.currency, b.amount, b.party, b.iban, b.text, b.status,
  b.assigned_amount, b.ignored_reason
  FROM json_each('["open", "assigned", "ignored"]') s
 CROSS JOIN bank_transactions b INDEXED BY bank_transactions_by_status_and_date ON b.status = s.value
   AND b.booked_on >= :first AND b.booked_on <= :last;

-- name: audit_log
-- Entries about invoices, payments and what decides about them. Others have nothing to do with taxes.
SELECT l.id AS entry_id, l.created_at, l.action, l.entity_type, l.entity_id, l.entity_title, l.old_values, l.new_values,
  l.admin_name, l.previous_hash, l.hash
  FROM json_each('["invoice", "payment", "period", "gateway", "audit_log"]') k
 CROSS JOIN audit_log l INDEXED BY audit_log_by_entity ON l.entity_type = k.value
 WHERE l.created_at >= :begins AND l.created_at < :ends;

-- name: e_invoices
SELECT i.id, i.invoice_number, e.document
  FROM invoices i INDEXED BY invoices_by_issue_date CROSS JOIN e_invoices e ON e.invoice_id = i.id
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL
 ORDER BY i.issue_date, i.id;

-- name: pdfs
SELECT i.id, i.invoice_number, i.pdf_sha256
  FROM invoices i INDEXED BY invoices_by_issue_date
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.pdf_sha256 IS NOT NULL
 ORDER BY i.issue_date, i.id;
