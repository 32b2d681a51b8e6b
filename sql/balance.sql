-- The sums of an invoice, its status, and the checks of both.

-- name: by_number
SELECT id, invoice_number, invoice_type, status, currency, total, paid_amount, credited, written_off, claims_total,
       claims_paid, contact_id, issue_date, tax_basis, tax_date,
       (SELECT c.anonymized_at FROM contacts c WHERE c.id = contact_id) AS anonymized_at
  FROM invoices WHERE invoice_number = :invoice_number;

-- name: by_id
SELECT id, invoice_number, invoice_type, status, currency, total, paid_amount, credited, written_off, open_amount,
  claims_total, claims_paid, exchange_rate, issue_date, tax_basis, tax_date FROM invoices WHERE id = :id;

-- name: credit
-- What is owed to a contact in a currency: what its invoices have open below 0.
SELECT coalesce(-sum(open_amount), 0) FROM invoices INDEXED BY invoices_with_credit
 WHERE contact_id = :contact_id AND currency = :currency AND open_amount < 0;

-- name: was_refunded
-- Whether money that was paid for the invoice was given back.
SELECT 1 FROM payments WHERE invoice_id = :id AND refunded_amount > 0 LIMIT 1;

-- name: pay
-- Set what is paid of the invoice and of claims if the status does not change. No index on the status is touched.
UPDATE invoices SET paid_amount = :paid_amount, claims_paid = :claims_paid, updated_at = :stamp WHERE id = :id;

-- name: adjust
UPDATE invoices SET paid_amount = :paid_amount, claims_paid = :claims_paid, credited = :credited,
  written_off = :written_off, status = :status, updated_at = :stamp WHERE id = :id;

-- name: left_to_credit
-- Net amount and tax that are left of an invoice after its credit notes, by category and rate. Amounts of credit
-- notes are negative.
SELECT t.category, t.rate, sum(t.net) AS net, sum(t.tax) AS tax
  FROM invoice_taxes t JOIN invoices i ON i.id = t.invoice_id
 WHERE i.id = :id OR i.related_invoice_id = :id AND i.invoice_type = 'credit_note' AND i.locked_at IS NOT NULL
 GROUP BY t.category, t.rate;

-- name: wrong_totals
-- Stored sums and statuses that differ from those computed from items, taxes, payments and credit notes. For
-- `eventapi check`.
WITH claims AS (
  SELECT p.invoice_id, sum(p.claim_amount - (SELECT coalesce(sum(r.claim_amount), 0) FROM refunds r
   WHERE r.payment_id = p.id)) AS paid
    FROM payments p WHERE p.claim_amount > 0 AND p.status = 'completed' GROUP BY p.invoice_id),
sums AS (
  SELECT i.id, coalesce((SELECT sum(t.net) FROM invoice_taxes t WHERE t.invoice_id = i.id), 0) AS subtotal,
         coalesce((SELECT sum(t.tax) FROM invoice_taxes t WHERE t.invoice_id = i.id), 0) AS tax_total,
         coalesce((SELECT sum(p.amount - p.refunded_amount) FROM payments p
                    WHERE p.invoice_id = i.id AND p.status = 'completed'), 0) - coalesce(c.paid, 0) AS paid_amount,
         coalesce(c.paid, 0) AS claims_paid,
         coalesce((SELECT sum(m.amount) FROM claim_movements m WHERE m.invoice_id = i.id), 0) AS claims_total,
         coalesce((SELECT -sum(c.total) FROM invoices c WHERE c.related_invoice_id = i.id
                      AND c.invoice_type = 'credit_note' AND c.locked_at IS NOT NULL), 0) AS credited,
         coalesce((SELECT sum(w.amount) FROM write_offs w WHERE w.invoice_id = i.id), 0) AS written_off
    FROM invoices i LEFT JOIN claims c ON c.invoice_id = i.id),
states AS (
  SELECT i.id, CASE
           WHEN i.locked_at IS NULL THEN 'draft'
           WHEN i.invoice_type = 'credit_note' THEN 'sent'
           WHEN i.status = 'cancelled' AND s.credited = i.total AND s.paid_amount = 0 THEN 'cancelled'
           WHEN i.total > 0 AND s.credited >= i.total AND s.paid_amount <= 0 THEN
             CASE WHEN EXISTS (SELECT 1 FROM payments p WHERE p.invoice_id = i.id
               AND p.refunded_amount > 0) THEN 'refunded' ELSE 'cancelled' END
           WHEN i.total - s.credited - s.written_off <= s.paid_amount THEN CASE WHEN s.written_off > 0
             AND s.paid_amount <= 0 THEN 'written_off' ELSE 'paid' END
           WHEN s.paid_amount > 0 THEN 'partially_paid'
           ELSE 'sent' END AS status
    FROM invoices i JOIN sums s ON s.id = i.id)
SELECT i.invoice_number, w.member, w.stored, w.computed
  FROM invoices i
  JOIN (SELECT i.id, 'subtotal' AS member, i.subtotal AS stored, s.subtotal AS computed FROM invoices i
  JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'tax_total', i.tax_total, s.tax_total FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'total', i.total, s.subtotal + s.tax_total FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'paid_amount', i.paid_amount, s.paid_amount FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'claims_paid', i.claims_paid, s.claims_paid FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'claims_total', i.claims_total, s.claims_total FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'credited', i.credited, s.credited FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'written_off', i.written_off, s.written_off FROM invoices i JOIN sums s USING (id)
        UNION ALL SELECT i.id, 'status', i.status, t.status FROM invoices i JOIN states t USING (id)) w ON w.id = i.id
 WHERE w.stored IS NOT w.computed
 ORDER BY i.id, w.member;

-- name: lines
SELECT i.invoice_number, i.currency, l.position, l.quantity, l.unit_price, l.discount_percent, l.net
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id;

-- name: wrong_groups
-- Tax groups whose net amount differs from the sum of the lines. For `eventapi check`.
SELECT i.invoice_number, g.category, g.rate, sum(g.from_lines) AS from_lines, sum(g.stored) AS stored
  FROM (SELECT invoice_id, tax_category AS category, tax_rate AS rate, net AS from_lines, 0 AS stored FROM invoice_items
        UNION ALL SELECT invoice_id, category, rate, 0, net FROM invoice_taxes) g
  JOIN invoices i ON i.id = g.invoice_id
 GROUP BY g.invoice_id, g.category, g.rate
HAVING sum(g.from_lines) <> sum(g.stored)
 ORDER BY i.id;

-- name: taxes
-- All tax groups. credit_notes is the number of credit notes of the same invoice, 0 for an invoice.
SELECT i.invoice_number, i.currency, t.category, t.rate, t.net, t.tax,
       (SELECT count(*) FROM invoices c WHERE c.related_invoice_id = i.related_invoice_id
         AND i.invoice_type = 'credit_note'
                                          AND c.invoice_type = 'credit_note'
                                          AND c.locked_at IS NOT NULL) AS credit_notes
  FROM invoice_taxes t JOIN invoices i ON i.id = t.invoice_id;

-- name: overcredited
-- Tax groups of which more was credited than invoiced, or of which tax is left without a net amount. For `eventapi
-- check`.
SELECT o.invoice_number, t.category, t.rate, sum(t.net) AS net, sum(t.tax) AS tax, max(o.currency) AS currency
  FROM invoice_taxes t
  JOIN invoices i ON i.id = t.invoice_id AND i.locked_at IS NOT NULL
  JOIN invoices o ON o.id = CASE i.invoice_type WHEN 'credit_note' THEN i.related_invoice_id ELSE i.id END
 WHERE o.credited <> 0
 GROUP BY o.id, t.category, t.rate
HAVING sum(t.net) * coalesce(max(CASE WHEN i.invoice_type = 'invoice' THEN sign(t.net) END), -sign(sum(t.net))) < 0
    OR sum(t.net) = 0 AND sum(t.tax) <> 0
 ORDER BY o.id;
