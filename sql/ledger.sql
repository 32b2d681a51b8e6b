-- The ledger of the customers. A customer is the number on the invoice as it was sent. Invoices and credit notes are selected by
-- the days :first to :last, payments, refunds and moves from :begins until before :ends (UTC).
--
-- A payment belongs to the invoice that it was first completed for: that of its first move, or its invoice if it never moved. A
-- refund belongs to the invoice that its payment had then. A move takes what is left of the payment from one invoice to another.

-- name: accounts
-- What was owed before, and the sums of what was invoiced, credited, claimed by letters, received, refunded and written off, by customer and currency. Payments are
-- first added up for the invoice that they have now, in the order of an index, which needs no sorting. `others` corrects this for
-- the few that moved, and adds refunds, and payments without a date. With `prepaid`, only what was paid for invoices that were issued
-- after :last.
WITH moved (payment_id, at, received, invoice_id) AS (
  SELECT p.id, coalesce(p.payment_date_at, p.created_at), -p.amount, p.invoice_id
    FROM payments p WHERE p.id IN (SELECT payment_id FROM payment_moves) AND p.status IN ('completed', 'refunded')
   UNION ALL
  SELECT p.id, coalesce(p.payment_date_at, p.created_at), p.amount,
         (SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id ORDER BY m.moved_at, m.id LIMIT 1)
    FROM payments p WHERE p.id IN (SELECT payment_id FROM payment_moves) AND p.status IN ('completed', 'refunded')),
others (at, received, refunded, invoice_id) AS (
  SELECT at, received, 0, invoice_id FROM moved
   UNION ALL
  SELECT p.created_at, p.amount, 0, p.invoice_id FROM payments p INDEXED BY payments_undated
   WHERE p.payment_date_at IS NULL AND p.status IN ('completed', 'refunded')
   UNION ALL
  SELECT r.counts_at, 0, r.amount,
    coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = r.payment_id
      AND m.moved_at > r.counts_at
                                              ORDER BY m.moved_at, m.id LIMIT 1),
                                                (SELECT p.invoice_id FROM payments p WHERE p.id = r.payment_id))
    FROM refunds r INDEXED BY refunds_by_time WHERE r.counts_at < :ends
   UNION ALL
  SELECT m.moved_at, side.value * p.amount,
         side.value * (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id
           AND r.counts_at < m.moved_at),
         CASE side.value WHEN 1 THEN m.to_invoice_id ELSE m.from_invoice_id END
    FROM payments p CROSS JOIN payment_moves m ON m.payment_id = p.id CROSS JOIN json_each('[1, -1]') side
   WHERE p.id IN (SELECT payment_id FROM payment_moves) AND m.moved_at < :ends
   AND p.status IN ('completed', 'refunded'))
SELECT customer_number, currency, sum(opening_balance) AS opening_balance, sum(invoiced) AS invoiced,
       sum(credited) AS credited, sum(claimed) AS claimed, sum(received) AS received, sum(refunded) AS refunded,
       sum(written_off) AS written_off
  FROM (SELECT i.debtor_number AS customer_number, i.currency,
    sum(CASE WHEN i.issue_date < :first THEN i.total ELSE 0 END) AS opening_balance,
               sum(CASE WHEN i.issue_date >= :first AND i.invoice_type = 'invoice' THEN i.total ELSE 0 END) AS invoiced,
               sum(CASE WHEN i.issue_date >= :first AND i.invoice_type = 'credit_note' THEN -i.total
                 ELSE 0 END) AS credited, 0 AS claimed, 0 AS received, 0 AS refunded, 0 AS written_off
          FROM invoices i INDEXED BY invoices_by_debtor
         WHERE i.locked_at IS NOT NULL AND i.issue_date <= :last
           AND i.issue_date > :last                                 -- when prepaid
           AND i.debtor_number = :customer_number                   -- when customer_number
           AND i.currency = :currency                               -- when currency
         GROUP BY i.debtor_number, i.currency
        UNION ALL
        SELECT i.debtor_number, i.currency, sum(CASE WHEN p.payment_date_at < :begins THEN -p.amount ELSE 0 END), 0, 0,
               0, sum(CASE WHEN p.payment_date_at >= :begins THEN p.amount ELSE 0 END), 0, 0
          FROM invoices i INDEXED BY invoices_by_debtor CROSS JOIN payments p INDEXED BY payments_by_invoice
            ON p.invoice_id = i.id AND p.payment_date_at < :ends AND p.status IN ('completed', 'refunded')
         WHERE TRUE
           AND i.issue_date > :last                                 -- when prepaid
           AND i.debtor_number = :customer_number                   -- when customer_number
           AND i.currency = :currency                               -- when currency
         GROUP BY i.debtor_number, i.currency
        UNION ALL
        SELECT i.debtor_number, i.currency, sum(CASE WHEN o.at < :begins THEN o.refunded - o.received ELSE 0 END), 0, 0,
               0, sum(CASE WHEN o.at >= :begins THEN o.received ELSE 0 END),
               sum(CASE WHEN o.at >= :begins THEN o.refunded ELSE 0 END), 0
          FROM others o CROSS JOIN invoices i ON i.id = o.invoice_id
         WHERE o.at < :ends
           AND i.issue_date > :last                                 -- when prepaid
           AND o.invoice_id IN (SELECT id FROM invoices WHERE debtor_number = :customer_number)         -- when customer_number
           AND i.currency = :currency                               -- when currency
         GROUP BY i.debtor_number, i.currency
        UNION ALL
        SELECT i.debtor_number, i.currency, sum(CASE WHEN w.counts_at < :begins THEN -w.amount ELSE 0 END), 0, 0, 0, 0,
               0, sum(CASE WHEN w.counts_at >= :begins THEN w.amount ELSE 0 END)
          FROM write_offs w INDEXED BY write_offs_by_time CROSS JOIN invoices i ON i.id = w.invoice_id
         WHERE w.counts_at < :ends
           AND i.issue_date > :last                                 -- when prepaid
           AND w.invoice_id IN (SELECT id FROM invoices WHERE debtor_number = :customer_number)         -- when customer_number
           AND i.currency = :currency                               -- when currency
         GROUP BY i.debtor_number, i.currency
        UNION ALL
        SELECT i.debtor_number, i.currency, sum(CASE WHEN c.day < :first THEN c.amount ELSE 0 END), 0, 0,
               sum(CASE WHEN c.day >= :first THEN c.amount ELSE 0 END), 0, 0, 0
          FROM claim_movements c INDEXED BY claim_movements_by_day CROSS JOIN invoices i ON i.id = c.invoice_id
         WHERE c.day <= :last
           AND i.issue_date > :last                                 -- when prepaid
           AND c.invoice_id IN (SELECT id FROM invoices WHERE debtor_number = :customer_number)         -- when customer_number
           AND i.currency = :currency                               -- when currency
         GROUP BY i.debtor_number, i.currency)
 GROUP BY customer_number, currency
HAVING sum(opening_balance) <> 0 OR sum(invoiced) <> 0 OR sum(credited) <> 0 OR sum(claimed) <> 0 OR sum(received) <> 0
  OR sum(refunded) <> 0 OR sum(written_off) <> 0
 ORDER BY customer_number, currency;

-- name: names
-- The name of a customer on the last invoice until :last that has one, for each [customer number, currency] in `pairs`.
SELECT c.value ->> 0 AS customer_number, c.value ->> 1 AS currency, (
         SELECT i.buyer ->> '$.name' FROM invoices i INDEXED BY invoices_by_debtor
          WHERE i.debtor_number = c.value ->> 0 AND i.currency = c.value ->> 1 AND i.issue_date <= :last
          AND i.locked_at IS NOT NULL AND i.buyer IS NOT NULL
          ORDER BY i.issue_date DESC LIMIT 1) AS customer_name
  FROM json_each(:pairs) c;

-- name: account
-- The movements of one customer until :last, or before :ends. Positive amounts are owed by the customer.
WITH own (id) AS MATERIALIZED (SELECT id FROM invoices INDEXED BY invoices_by_debtor
  WHERE debtor_number = :customer_number AND locked_at IS NOT NULL),
paid (id) AS MATERIALIZED (
  SELECT p.id FROM own o CROSS JOIN payments p ON p.invoice_id = o.id
   UNION SELECT m.payment_id FROM own o CROSS JOIN payment_moves m ON m.from_invoice_id = o.id
   UNION SELECT m.payment_id FROM own o CROSS JOIN payment_moves m ON m.to_invoice_id = o.id),
movements (at, kind, invoice_id, payment_id, amount, id) AS (
  SELECT coalesce(p.payment_date_at, p.created_at), 'payment', coalesce(
           (SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id ORDER BY m.moved_at, m.id LIMIT 1),
         p.invoice_id), p.id, -p.amount, p.id
    FROM payments p WHERE p.id IN (SELECT id FROM paid) AND p.status IN ('completed', 'refunded')
   UNION ALL
  SELECT r.counts_at, 'refund',
    coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = r.payment_id
      AND m.moved_at > r.counts_at
                                           ORDER BY m.moved_at, m.id LIMIT 1), p.invoice_id), p.id, r.amount, r.id
    FROM payments p CROSS JOIN refunds r ON r.payment_id = p.id WHERE p.id IN (SELECT id FROM paid)
   UNION ALL
  SELECT m.moved_at, 'move', CASE side.value WHEN 1 THEN m.to_invoice_id ELSE m.from_invoice_id END, p.id,
         -side.value * (p.amount - (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id
           AND r.counts_at < m.moved_at)), m.id
    FROM payments p CROSS JOIN payment_moves m ON m.payment_id = p.id CROSS JOIN json_each('[1, -1]') side
   WHERE p.id IN (SELECT id FROM paid) AND p.status IN ('completed', 'refunded')
   UNION ALL
  SELECT w.counts_at, CASE w.kind WHEN 'recovery' THEN 'recovery'
    ELSE 'write_off' END, w.invoice_id, w.payment_id, -w.amount, w.id
    FROM write_offs w WHERE w.invoice_id IN (SELECT id FROM own)
   UNION ALL
  SELECT c.day, 'claim', c.invoice_id, NULL, c.amount, c.id FROM claim_movements c
   WHERE c.invoice_id IN (SELECT id FROM own) AND c.day <= :last)
SELECT i.issue_date AS at, i.invoice_type AS kind, i.invoice_number, i.currency, NULL AS payment_id, i.total AS amount,
  0 AS step, i.id AS id
  FROM invoices i WHERE i.id IN (SELECT id FROM own) AND i.issue_date <= :last
   AND i.currency = :currency                               -- when currency
 UNION ALL
SELECT v.at, v.kind, i.invoice_number, i.currency, v.payment_id, v.amount, 1, v.id
  FROM movements v CROSS JOIN invoices i ON i.id = v.invoice_id WHERE v.invoice_id IN (SELECT id FROM own)
  AND v.at < :ends
   AND i.currency = :currency                               -- when currency
 ORDER BY currency;

-- name: claims_open
-- What letters claimed until :last, less what payments and refunds before :ends paid and returned of it, by currency. Payments for invoices
-- that were issued later are left out: the ledger has them as prepaid.
SELECT currency, sum(amount) AS amount
  FROM (SELECT c.currency, sum(c.amount) AS amount FROM claim_movements c WHERE c.day <= :last GROUP BY c.currency
        UNION ALL
        SELECT p.currency, -sum(p.claim_amount) FROM payments p INDEXED BY payments_with_claims CROSS
          JOIN invoices i ON i.id = p.invoice_id
         WHERE p.claim_amount > 0 AND coalesce(p.payment_date_at, p.created_at) < :ends
         AND p.status IN ('completed', 'refunded') AND i.issue_date <= :last
         GROUP BY p.currency
        UNION ALL
        SELECT r.currency, sum(r.claim_amount) FROM refunds r INDEXED BY refunds_with_claims CROSS
          JOIN payments p ON p.id = r.payment_id
         CROSS JOIN invoices i ON i.id = p.invoice_id
         WHERE r.claim_amount > 0 AND r.counts_at < :ends AND i.issue_date <= :last GROUP BY r.currency)
 GROUP BY currency;

-- name: is_customer
SELECT 1 FROM invoices WHERE debtor_number = :customer_number AND locked_at IS NOT NULL LIMIT 1;
