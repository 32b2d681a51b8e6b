-- When the tax of invoices counts. Amounts are minor units. See domain/books/taxes.py.

-- name: invoice
-- What decides about the tax of a sent invoice. `groups`: those of the invoice and its credit notes, as [document id, kind, issue date,
-- category, rate, net, tax]. `write_offs`: [day, amount, id]. `money`: [time, amount] of what it received, gave back, and gained and lost
-- by moves, without what was paid of claims. A payment with such a part never moves.
SELECT i.id, i.currency, i.total, i.issue_date, i.tax_date, i.tax_basis, i.tax_rules, i.untaxed_date, i.exchange_rate,
       i.buyer ->> 'vat_id' AS vat_id, i.buyer ->> 'country' AS country,
       (SELECT json_group_array(json(entry)) FROM (
          SELECT json_array(n.id, n.invoice_type, n.issue_date, t.category, t.rate, t.net, t.tax) AS entry
            FROM invoices n CROSS JOIN invoice_taxes t ON t.invoice_id = n.id
           WHERE n.id IN (SELECT i.id UNION ALL SELECT c.id FROM invoices c INDEXED BY invoices_by_related
                                                 WHERE c.related_invoice_id = i.id AND c.invoice_type = 'credit_note')
             AND n.locked_at IS NOT NULL
           ORDER BY n.invoice_type = 'credit_note', n.id, t.category, t.rate)) AS groups,
       (SELECT json_group_array(json_array(w.written_off_at, w.amount, w.id)) FROM write_offs w
         WHERE w.invoice_id = i.id) AS write_offs,
       (SELECT json_group_array(json_array(at, amount)) FROM (
          SELECT coalesce(p.payment_date_at, p.created_at) AS at, p.amount - p.claim_amount AS amount
            FROM payments p
           WHERE p.status IN ('completed', 'refunded')
             AND p.id IN (SELECT id FROM payments WHERE invoice_id = i.id UNION SELECT payment_id FROM payment_moves
             WHERE from_invoice_id = i.id)
             AND i.id = coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id
             ORDER BY m.moved_at, m.id LIMIT 1),
                                 p.invoice_id)
           UNION ALL
          SELECT r.counts_at, r.claim_amount - r.amount
            FROM refunds r CROSS JOIN payments p ON p.id = r.payment_id
           WHERE r.payment_id IN (SELECT id FROM payments WHERE invoice_id = i.id
                                   UNION SELECT payment_id FROM payment_moves WHERE from_invoice_id = i.id)
             AND i.id = coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id
             AND m.moved_at > r.counts_at
                                   ORDER BY m.moved_at, m.id LIMIT 1), p.invoice_id)
           UNION ALL
          SELECT m.moved_at, s.value * (p.amount - (SELECT coalesce(sum(r.amount), 0) FROM refunds r
           WHERE r.payment_id = p.id AND r.counts_at < m.moved_at))
            FROM json_each('[-1, 1]') s CROSS JOIN payment_moves m CROSS JOIN payments p ON p.id = m.payment_id
           WHERE m.id IN (SELECT id FROM payment_moves WHERE from_invoice_id = i.id UNION SELECT id FROM payment_moves
           WHERE to_invoice_id = i.id)
             AND i.id = CASE s.value WHEN -1 THEN m.from_invoice_id ELSE m.to_invoice_id END
             AND p.status IN ('completed', 'refunded'))) AS money
  FROM invoices i WHERE i.id = :id AND i.locked_at IS NOT NULL AND i.invoice_type = 'invoice';

-- name: stored
SELECT day, document_id, kind, category, rate, region, currency, net, tax, base_net, base_tax FROM tax_entries
 WHERE invoice_id = :id AND day >= :open_from;

-- name: add
INSERT INTO tax_entries (invoice_id, day, document_id, kind, category, rate, region, currency, net, tax, base_net,
  base_tax)
VALUES (:id, :day, :document_id, :kind, :category, :rate, :region, :currency, :net, :tax, :base_net, :base_tax);

-- name: remove
DELETE FROM tax_entries
 WHERE invoice_id = :id AND day = :day AND document_id = :document_id AND kind = :kind AND category = :category
   AND rate = :rate;

-- name: invoices_of_payment
-- The invoices that a payment belongs to, or belonged to before it moved.
SELECT :invoice_id AS id UNION SELECT from_invoice_id FROM payment_moves WHERE payment_id = :payment_id
 UNION SELECT to_invoice_id FROM payment_moves WHERE payment_id = :payment_id;

-- name: wrong
-- Invoices whose tax entries do not add up to the invoice less its credit notes and write-offs. With the basis `payment` they follow the
-- money, and are not compared.
SELECT i.invoice_number,
       coalesce((SELECT sum(e.net + e.tax) FROM tax_entries e WHERE e.invoice_id = i.id), 0) AS stored,
       i.total - i.credited - i.written_off AS computed
  FROM invoices i
 WHERE i.locked_at IS NOT NULL AND i.invoice_type = 'invoice' AND i.tax_basis <> 'payment'
   AND coalesce((SELECT sum(e.net + e.tax) FROM tax_entries e WHERE e.invoice_id = i.id),
     0) <> i.total - i.credited - i.written_off;

-- name: late
-- Invoices whose tax counts at their issue date, because the month of the supply was closed when they were sent.
SELECT i.id AS invoice_id, i.invoice_number, NULL AS related_invoice_number, i.tax_date, i.total, i.currency
  FROM invoices i INDEXED BY invoices_by_issue_date
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL AND i.invoice_type = 'invoice'
   AND i.taken_over = 0
   AND i.tax_basis <> 'issue_date' AND i.tax_date <> coalesce(i.service_date_to, i.service_date)
   AND i.event_id = :event_id                               -- when event_id
 ORDER BY i.issue_date, i.id;

-- name: credited
-- Credit notes of invoices whose tax follows the supply, and of deposits.
SELECT n.id AS invoice_id, n.invoice_number, o.id AS related_id, o.invoice_number AS related_invoice_number, o.tax_date,
  n.issue_date, -n.total AS total, n.currency
  FROM invoices n INDEXED BY invoices_by_issue_date CROSS JOIN invoices o ON o.id = n.related_invoice_id
 WHERE n.issue_date >= :first AND n.issue_date <= :last AND n.locked_at IS NOT NULL AND n.invoice_type = 'credit_note'
   AND (o.tax_basis = 'supply' OR o.tax_date IS NULL)
   AND n.event_id = :event_id                               -- when event_id
 ORDER BY n.issue_date, n.id;
