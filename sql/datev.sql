-- The bookings of a period for DATEV, and the customers. Amounts are minor units and include tax. A debtor is known by
-- the customer number that was on the invoice.

-- columns: document = i.id, i.invoice_type, i.invoice_number, o.id AS invoice_id,
--   o.invoice_number AS paid_number, o.debtor_number, o.tax_rules,
--   i.issue_date, i.due_date, i.service_date, i.service_date_to, i.currency, o.tax_basis, o.tax_date,
--   o.issue_date AS paid_issue_date, o.is_deposit AND o.tax_date IS NULL AS is_deposit,
--   i.buyer ->> 'name' AS name, i.buyer ->> 'vat_id' AS vat_id, i.buyer ->> 'country' AS country,
--   t.category, t.rate, t.net + t.tax AS gross
-- columns: written_off = w.id, w.counts_at AS at, w.amount, w.currency, w.reason, i.id AS invoice_id,
--   i.invoice_number, i.debtor_number, i.exchange_rate, i.buyer ->> 'name' AS name, i.tax_basis, i.tax_date,
--   i.issue_date AS paid_issue_date, i.is_deposit AND i.tax_date IS NULL AS is_deposit, i.service_date,
--   i.service_date_to
-- columns: taxed = e.day, i.id AS invoice_id, i.invoice_number, i.debtor_number, i.service_date, i.service_date_to,
--   i.tax_date, i.currency, i.exchange_rate, i.buyer ->> 'name' AS name, i.buyer ->> 'vat_id' AS vat_id, e.region,
--   e.category, e.rate

-- name: numbers
-- The customer numbers of all sent invoices, with the contacts that bear them.
SELECT debtor_number AS number, contact_id FROM invoices WHERE debtor_number IS NOT NULL
 GROUP BY debtor_number, contact_id;

-- name: invoices
-- One row for each tax group of the invoices and credit notes of a period, without those that were taken over.
-- `invoice_id` and `paid_number` are those of the invoice that a credit note credits, of an invoice its own.
SELECT {document}, coalesce(CASE WHEN o.tax_rules > 1 THEN o.exchange_rate END, i.exchange_rate,
       o.exchange_rate) AS exchange_rate,
       (SELECT cost_centre FROM events WHERE id = o.event_id) AS cost_centre
  FROM invoices i
 CROSS JOIN invoice_taxes t ON t.invoice_id = i.id
 CROSS JOIN invoices o ON o.id = CASE i.invoice_type WHEN 'credit_note' THEN i.related_invoice_id ELSE i.id END
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL AND i.taken_over = 0
 ORDER BY i.issue_date, i.id, t.category, t.rate;

-- name: documents_of
-- The same for some invoices and their credit notes.
SELECT {document}, coalesce(o.exchange_rate, i.exchange_rate) AS exchange_rate, NULL AS cost_centre
  FROM json_each(:ids) j CROSS JOIN invoices o ON o.id = j.value
 CROSS JOIN invoices i ON i.id IN (SELECT o.id UNION ALL SELECT n.id FROM invoices n INDEXED BY invoices_by_related
                                    WHERE n.related_invoice_id = o.id AND n.invoice_type = 'credit_note')
 CROSS JOIN invoice_taxes t ON t.invoice_id = i.id
 WHERE i.locked_at IS NOT NULL AND i.taken_over = 0;

-- name: advances
-- What the money that came before the supply, or for a deposit, changes in the tax groups of its invoices: one row for each
-- day and group. `worth` is the amount in the organiser's currency, NULL if the booking is converted by itself.
SELECT {taxed}, e.net + e.tax AS gross, CASE WHEN i.tax_rules > 1 THEN e.base_net + e.base_tax END AS worth,
       (SELECT cost_centre FROM events WHERE id = i.event_id) AS cost_centre
  FROM tax_entries e INDEXED BY tax_entries_of_money CROSS JOIN invoices i ON i.id = e.invoice_id
 WHERE e.kind = 'payment' AND e.day >= :first AND e.day <= :last
   AND (i.is_deposit AND i.tax_date IS NULL OR i.tax_basis = 'supply' AND e.day < i.tax_date)
 ORDER BY e.day, i.id, e.category, e.rate;

-- name: advances_of
-- The same for some invoices.
SELECT {taxed}, e.net + e.tax AS gross, CASE WHEN i.tax_rules > 1 THEN e.base_net + e.base_tax END AS worth,
       NULL AS cost_centre
  FROM json_each(:ids) j CROSS JOIN invoices i ON i.id = j.value CROSS JOIN tax_entries e ON e.invoice_id = i.id
 WHERE e.kind = 'payment' AND (i.is_deposit AND i.tax_date IS NULL OR i.tax_basis = 'supply' AND e.day < i.tax_date);

-- name: untaxed_deposits
-- What counts on a day in the groups with rate 0 of deposits: the supply, and credit notes and write-offs after it.
SELECT {taxed}, sum(e.net + e.tax) AS gross, sum(e.base_net + e.base_tax) AS worth,
       (SELECT cost_centre FROM events WHERE id = i.event_id) AS cost_centre
  FROM tax_entries e INDEXED BY tax_entries_without_tax CROSS JOIN invoices i ON i.id = e.invoice_id
 WHERE e.rate = 0 AND e.kind <> 'payment' AND e.day >= :first AND e.day <= :last AND i.untaxed_date IS NOT NULL
 GROUP BY e.day, i.id, e.category ORDER BY e.day, i.id, e.category;

-- name: untaxed_deposits_of
-- The same for some invoices.
SELECT {taxed}, sum(e.net + e.tax) AS gross, sum(e.base_net + e.base_tax) AS worth, NULL AS cost_centre
  FROM json_each(:ids) j CROSS JOIN invoices i ON i.id = j.value CROSS JOIN tax_entries e ON e.invoice_id = i.id
 WHERE e.rate = 0 AND e.kind <> 'payment' AND i.untaxed_date IS NOT NULL
 GROUP BY e.day, i.id, e.category;

-- name: documents
-- The invoices and credit notes of a period with what their PDF is read or drawn from. One that was erased has neither.
SELECT i.id, i.invoice_number, i.pdf_sha256, i.pdf_source FROM invoices i
 WHERE i.issue_date >= :first AND i.issue_date <= :last AND i.locked_at IS NOT NULL AND i.taken_over = 0
   AND (i.pdf_sha256 IS NOT NULL OR i.pdf_source IS NOT NULL)
 ORDER BY i.issue_date, i.id;

-- name: taken_over
SELECT count(*) FROM invoices WHERE issue_date >= :first AND issue_date <= :last AND locked_at IS NOT NULL
  AND taken_over = 1;

-- name: payments
-- A payment belongs to the invoice that it was first completed for: that of its first move, or its invoice if it never
-- moved. A payment without a date counts when it was created.
WITH received AS (
  SELECT id, payment_date_at AS at FROM payments WHERE payment_date_at >= :begins AND payment_date_at < :ends
   UNION ALL SELECT id, created_at FROM payments INDEXED BY payments_undated WHERE payment_date_at IS NULL
     AND created_at >= :begins AND created_at < :ends)
SELECT d.at, p.amount, p.currency, p.bank_amount, p.bank_currency, p.gateway_key, p.gateway_fee, p.transaction_id,
       i.id AS invoice_id, i.invoice_number, i.debtor_number, i.exchange_rate, i.buyer ->> 'name' AS name
  FROM received d
 CROSS JOIN payments p ON p.id = d.id
 CROSS JOIN invoices i ON i.id = coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id
                                            ORDER BY m.moved_at, m.id LIMIT 1), p.invoice_id)
 WHERE p.status IN ('completed', 'refunded')
 ORDER BY d.at, p.id;

-- name: refunds
-- A refund belongs to the invoice that its payment had at the time of the refund.
SELECT r.counts_at AS at, r.amount, r.currency, r.gateway_key, r.transaction_id, i.id AS invoice_id, i.invoice_number,
       i.debtor_number, i.exchange_rate, i.buyer ->> 'name' AS name
  FROM refunds r
 CROSS JOIN invoices i ON i.id = coalesce((SELECT m.from_invoice_id FROM payment_moves m
 WHERE m.payment_id = r.payment_id
                                              AND m.moved_at > r.counts_at ORDER BY m.moved_at, m.id LIMIT 1),
                                          (SELECT p.invoice_id FROM payments p WHERE p.id = r.payment_id))
 WHERE r.counts_at >= :begins AND r.counts_at < :ends
 ORDER BY r.counts_at, r.id;

-- name: moves
-- Two rows for each move of a payment: what the first invoice loses, as a negative amount, and what the second gets.
SELECT m.moved_at AS at, s.value * (p.amount - (SELECT coalesce(sum(r.amount), 0) FROM refunds r
                                                 WHERE r.payment_id = p.id AND r.counts_at < m.moved_at)) AS amount,
       p.currency, p.gateway_key, p.transaction_id, i.id AS invoice_id, i.invoice_number, i.debtor_number,
       i.exchange_rate, i.buyer ->> 'name' AS name
  FROM payment_moves m
 CROSS JOIN payments p ON p.id = m.payment_id
 CROSS JOIN json_each('[-1, 1]') s
 CROSS JOIN invoices i ON i.id = CASE s.value WHEN -1 THEN m.from_invoice_id ELSE m.to_invoice_id END
 WHERE m.moved_at >= :begins AND m.moved_at < :ends AND p.status IN ('completed', 'refunded')
 ORDER BY m.moved_at, m.id, s.value;

-- name: claims
-- What letters claimed or, as a negative amount, took back.
SELECT c.day AS at, c.amount, c.currency, i.id AS invoice_id, i.invoice_number, i.debtor_number, i.exchange_rate,
       i.buyer ->> 'name' AS name, d.title
  FROM claim_movements c CROSS JOIN invoices i ON i.id = c.invoice_id CROSS JOIN dunnings d ON d.id = c.dunning_id
 WHERE c.day >= :first AND c.day <= :last
 ORDER BY c.day, c.id;

-- name: claimed
SELECT currency, count(*) AS claims, sum(amount) AS amount FROM claim_movements WHERE day >= :first AND day <= :last
 GROUP BY currency ORDER BY currency;

-- name: write_offs
SELECT {written_off},
       (SELECT cost_centre FROM events WHERE id = i.event_id) AS cost_centre
  FROM write_offs w INDEXED BY write_offs_by_time CROSS JOIN invoices i ON i.id = w.invoice_id
 WHERE w.counts_at >= :begins AND w.counts_at < :ends
 ORDER BY w.counts_at, w.id;

-- name: write_offs_of
-- The same for some invoices.
SELECT {written_off}, NULL AS cost_centre
  FROM json_each(:ids) j CROSS JOIN invoices i ON i.id = j.value CROSS JOIN write_offs w ON w.invoice_id = i.id
 WHERE i.taken_over = 0
 ORDER BY i.id, w.id;

-- name: reported
-- What the report on taxes shows of those among some invoices whose amounts in the report and in DATEV are the same, as far as DATEV
-- names a day for it (column 116). By payment, DATEV finds the day of what is taxed by itself.
SELECT i.id AS invoice_id, i.invoice_number, substr(e.day, 1, 7) AS month, i.currency, i.exchange_rate,
       e.net, e.tax, e.base_net, e.base_tax
  FROM json_each(:ids) j CROSS JOIN invoices i ON i.id = j.value
  LEFT JOIN tax_entries e ON e.invoice_id = i.id AND (i.tax_basis <> 'payment' OR e.rate = 0 OR i.tax_date IS NULL)
 WHERE i.tax_rules > 1 AND i.taken_over = 0
 ORDER BY i.id, e.day;

-- name: compared
-- Sent invoices after an id whose amounts in the report and in DATEV are the same, at most :most.
SELECT id FROM invoices WHERE id > :after AND tax_rules > 1 AND invoice_type = 'invoice' AND taken_over = 0
   AND locked_at IS NOT NULL
 ORDER BY id LIMIT :most;

-- name: customers
-- The contacts of customer numbers. If several contacts bore a number, the one that bears it now comes last.
WITH pairs (place, number, contact_id) AS (
  SELECT DISTINCT n.key, n.value, i.contact_id
    FROM json_each(:numbers) n CROSS JOIN invoices i ON i.debtor_number = n.value)
SELECT n.number, c.id, c.company_name, c.first_name, c.last_name, c.address, c.postal_code, c.city, c.country,
       coalesce(c.invoice_email, c.email) AS email, c.phone, c.tax_id, c.language, c.anonymized_at
  FROM pairs n CROSS JOIN contacts c ON c.id = n.contact_id
 ORDER BY n.place, c.customer_number IS n.number, c.id;
