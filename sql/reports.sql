-- Reports: figures added up over the records. `spans` is a JSON list of periods as [name, start, end), computed by
-- the caller, who knows the time zones. Each period is a range of an index, so that records outside the requested
-- periods are not read. `kinds` are the values by which amounts are separated; they are the first columns of that
-- index.

-- name: next_issue
-- The first issue date on or after a day.
SELECT min(issue_date) FROM invoices WHERE issue_date >= :after;

-- name: next_payment
-- The first payment, refund or move of a payment at or after a time. A payment without a date counts when it was
-- created.
SELECT min(at) FROM (
  SELECT min(payment_date_at) AS at FROM payments WHERE payment_date_at >= :after
   UNION ALL SELECT min(created_at) FROM payments INDEXED BY payments_undated WHERE payment_date_at IS NULL
     AND created_at >= :after
   UNION ALL SELECT min(counts_at) FROM refunds WHERE counts_at >= :after
   UNION ALL SELECT min(moved_at) FROM payment_moves WHERE moved_at >= :after);

-- name: next_application
SELECT min(created_at) FROM applications WHERE created_at >= :after;

-- name: revenue
-- Amounts invoiced and credited in each period. `figures` is a JSON list of rows.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM invoices
   UNION ALL SELECT (SELECT min(i.currency) FROM invoices i WHERE i.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'invoices', invoices, 'credit_notes', credit_notes,
                'invoiced', invoiced, 'credited', credited, 'net', net, 'tax', tax, 'total', total)) FROM (
           SELECT sum(i.invoice_type = 'invoice') AS invoices, sum(i.invoice_type = 'credit_note') AS credit_notes,
                  sum(CASE i.invoice_type WHEN 'invoice' THEN i.subtotal ELSE 0 END) AS invoiced,
                  sum(CASE i.invoice_type WHEN 'credit_note' THEN -i.subtotal ELSE 0 END) AS credited,
                  sum(i.subtotal) AS net, sum(i.tax_total) AS tax, sum(i.total) AS total
             FROM invoices i INDEXED BY invoices_by_currency
            WHERE i.currency = k.currency AND i.issue_date >= s.value ->> 1 AND i.issue_date < s.value ->> 2
            AND i.locked_at IS NOT NULL
              AND i.event_id = :event_id                    -- when event_id
           HAVING count(*) > 0)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k WHERE k.currency IS NOT NULL ORDER BY s.key, k.currency;

-- name: next_tax
-- The first day on or after a day on which tax counts.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM tax_entries
   UNION ALL SELECT (SELECT min(e.currency) FROM tax_entries e WHERE e.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT min((SELECT min(e.day) FROM tax_entries e WHERE e.currency = k.currency AND e.day >= :after)) FROM kinds k;

-- name: tax
-- When the tax counts: see domain/books/taxes.py. A row has the invoices and credit notes that it comes from.
WITH RECURSIVE kinds (currency) AS (
  SELECT min(currency) FROM tax_entries
   UNION ALL SELECT (SELECT min(e.currency) FROM tax_entries e WHERE e.currency > k.currency) FROM kinds k
     WHERE k.currency IS NOT NULL)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'tax_category', category, 'tax_rate', rate,
                'region', region, 'invoices', invoices, 'credit_notes', credit_notes, 'net', net, 'tax', tax)) FROM (
           SELECT e.category, e.rate, e.region,
                  count(DISTINCT CASE WHEN e.kind IN ('invoice', 'payment') THEN e.document_id END) AS invoices,
                  count(DISTINCT CASE e.kind WHEN 'credit_note' THEN e.document_id END) AS credit_notes,
                      sum(e.net) AS net, sum(e.tax) AS tax
             FROM tax_entries e INDEXED BY tax_entries_by_day
            WHERE e.currency = k.currency AND e.day >= s.value ->> 1 AND e.day < s.value ->> 2
              AND (SELECT i.event_id FROM invoices i WHERE i.id = e.document_id) = :event_id      -- when event_id
            GROUP BY e.category, e.rate, e.region ORDER BY e.category, e.rate, e.region)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k WHERE k.currency IS NOT NULL ORDER BY s.key, k.currency;

-- name: converted_tax
-- The same in another currency, for each [currency, rate, divisor] in `rates`. What is not stored in it is converted here: the exchange
-- rate is that of the document, else the one in `rates`, in units of 10^-10. It is multiplied in two parts, so that 64 bits suffice, and
-- rounded half away from zero.
WITH rates (place, currency, price, divisor) AS MATERIALIZED (SELECT key, value ->> 0, value ->> 1,
  value ->> 2 FROM json_each(:rates))
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'tax_category', category, 'tax_rate', rate,
                'region', region, 'base_net', base_net, 'base_tax', base_tax)) FROM (
           SELECT category, rate, region, CASE count(*)
             WHEN count(coalesce(base_net, price)) THEN sum(coalesce(base_net,
                    sign(net) * ((abs(net) * (price / 100000) + abs(net) * (price % 100000) / 100000 + divisor / 2) / divisor))) END AS base_net,
                  CASE count(*) WHEN count(coalesce(base_tax, price)) THEN sum(coalesce(base_tax,
                    sign(tax) * ((abs(tax) * (price / 100000) + abs(tax) * (price % 100000) / 100000 + divisor / 2) / divisor))) END AS base_tax
             FROM (SELECT e.category, e.rate, e.region, e.net, e.tax, e.base_net, e.base_tax,
                          coalesce((SELECT i.exchange_rate FROM invoices i WHERE i.id = e.document_id),
                          k.price) AS price, k.divisor
                     FROM tax_entries e INDEXED BY tax_entries_by_day
                    WHERE e.currency = k.currency AND e.day >= s.value ->> 1 AND e.day < s.value ->> 2
                      AND (SELECT i.event_id FROM invoices i WHERE i.id = e.document_id) = :event_id      -- when event_id
                  )
            GROUP BY category, rate, region ORDER BY category, rate, region)) AS figures
  FROM json_each(:spans) s CROSS JOIN rates k ORDER BY s.key, k.place;

-- name: payments
-- Payments with a date in each period. The kinds are found by one step of the index each, without reading its rows.
WITH RECURSIVE currencies (currency) AS (
  SELECT min(currency) FROM payments
   UNION ALL SELECT (SELECT min(p.currency) FROM payments p WHERE p.currency > c.currency) FROM currencies c
     WHERE c.currency IS NOT NULL),
kinds (currency, gateway_key, is_first) AS (
  SELECT currency, NULL, 1 FROM currencies WHERE currency IS NOT NULL
   UNION ALL
  SELECT k.currency, (SELECT min(p.gateway_key) FROM payments p INDEXED BY payments_by_currency
                       WHERE p.currency = k.currency AND p.gateway_key > coalesce(k.gateway_key, '')), 0
    FROM kinds k WHERE k.is_first OR k.gateway_key IS NOT NULL)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'gateway_key', k.gateway_key, 'payments', payments,
                'received', received, 'refunded', 0, 'fees', fees, 'net', received - fees)) FROM (
           SELECT count(*) AS payments, sum(p.amount) AS received, sum(p.gateway_fee) AS fees
             FROM payments p INDEXED BY payments_by_currency
            WHERE p.currency = k.currency AND p.gateway_key IS k.gateway_key AND p.status IN ('completed', 'refunded')
              AND p.payment_date_at >= s.value ->> 1 AND p.payment_date_at < s.value ->> 2
           HAVING count(*) > 0)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k WHERE k.is_first OR k.gateway_key IS NOT NULL
 ORDER BY s.key, k.currency, k.gateway_key;

-- name: undated_payments
-- The same for payments without a date, which count when they were created. They are few, and have an index of their own.
SELECT s.value ->> 0 AS period,
       json_array(json_object('currency', p.currency, 'gateway_key', p.gateway_key, 'payments', count(*), 'received',
       sum(p.amount), 'refunded', 0, 'fees', sum(p.gateway_fee), 'net', sum(p.amount - p.gateway_fee))) AS figures
  FROM json_each(:spans) s CROSS JOIN payments p INDEXED BY payments_undated
    ON p.payment_date_at IS NULL AND p.created_at >= s.value ->> 1 AND p.created_at < s.value ->> 2
 WHERE p.status IN ('completed', 'refunded')
 GROUP BY s.key, p.currency, p.gateway_key;

-- name: payments_of_event
-- The payments of an event, each with the time at which it counts. A payment belongs to the invoice that it was first
-- completed for: that of its first move, or its invoice if it never moved.
WITH own (id) AS MATERIALIZED (SELECT id FROM invoices WHERE event_id = :event_id)
SELECT p.payment_date_at AS at, p.currency, p.gateway_key, p.amount, p.gateway_fee
  FROM own o CROSS JOIN payments p INDEXED BY payments_by_invoice
    ON p.invoice_id = o.id AND p.payment_date_at IS NOT NULL AND p.status IN ('completed', 'refunded')
 WHERE p.id NOT IN (SELECT payment_id FROM payment_moves)
 UNION ALL
SELECT p.created_at, p.currency, p.gateway_key, p.amount, p.gateway_fee
  FROM payments p INDEXED BY payments_undated
 WHERE p.payment_date_at IS NULL AND p.status IN ('completed', 'refunded')
   AND p.invoice_id IN (SELECT id FROM own) AND p.id NOT IN (SELECT payment_id FROM payment_moves)
 UNION ALL
SELECT coalesce(p.payment_date_at, p.created_at), p.currency, p.gateway_key, p.amount, p.gateway_fee
  FROM payments p WHERE p.id IN (SELECT payment_id FROM payment_moves) AND p.status IN ('completed', 'refunded')
   AND (SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id
   ORDER BY m.moved_at, m.id LIMIT 1) IN (SELECT id FROM own);

-- name: refunds
-- Refunds in each period, with the columns of `payments`. For an event, a refund belongs to the invoice that its payment
-- had at the time of the refund.
SELECT s.value ->> 0 AS period,
       json_array(json_object('currency', r.currency, 'gateway_key', r.gateway_key, 'payments', 0, 'received', 0,
       'refunded', sum(r.amount), 'fees', 0, 'net', -sum(r.amount))) AS figures
  FROM json_each(:spans) s CROSS JOIN refunds r INDEXED BY refunds_by_time ON r.counts_at >= s.value ->> 1
  AND r.counts_at < s.value ->> 2
 WHERE TRUE
   AND coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = r.payment_id AND m.moved_at > r.counts_at   -- when event_id
                  ORDER BY m.moved_at, m.id LIMIT 1), (SELECT p.invoice_id FROM payments p WHERE p.id = r.payment_id))        -- when event_id
       IN (SELECT id FROM invoices WHERE event_id = :event_id)      -- when event_id
 GROUP BY s.key, r.currency, r.gateway_key;

-- name: moves
-- What the payments of an event gained and lost in each period by moves from and to invoices of other events, with the
-- columns of `payments`.
WITH moved AS MATERIALIZED (
  SELECT s.key, s.value ->> 0 AS period, p.currency, p.gateway_key,
         (t.event_id IS :event_id) - (f.event_id IS :event_id) AS sign, p.amount, p.gateway_fee,
         (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id
             AND r.counts_at < m.moved_at) AS refunded
    FROM json_each(:spans) s CROSS JOIN payment_moves m ON m.moved_at >= s.value ->> 1 AND m.moved_at < s.value ->> 2
    JOIN payments p ON p.id = m.payment_id JOIN invoices f ON f.id = m.from_invoice_id
    JOIN invoices t ON t.id = m.to_invoice_id
   WHERE (t.event_id IS :event_id) <> (f.event_id IS :event_id))
SELECT period, json_array(json_object('currency', currency, 'gateway_key', gateway_key, 'payments', sum(sign),
       'received', sum(sign * amount), 'refunded', sum(sign * refunded), 'fees', sum(sign * gateway_fee), 'net',
       sum(sign * (amount - refunded - gateway_fee)))) AS figures
  FROM moved GROUP BY key, currency, gateway_key ORDER BY key;

-- name: open
-- Open amounts by due date, and the amounts that customers have overpaid, which are negative.
SELECT i.currency, i.due_date, count(*) AS invoices, sum(i.open_amount) AS amount
  FROM invoices i INDEXED BY invoices_open
 WHERE i.status IN ('sent', 'partially_paid') AND i.open_amount <> 0 AND i.open_amount > 0 AND i.locked_at IS NOT NULL
   AND i.event_id = :event_id                               -- when event_id
 GROUP BY i.currency, i.due_date
UNION ALL
SELECT i.currency, NULL, count(*), sum(i.open_amount)
  FROM invoices i INDEXED BY invoices_overpaid
 WHERE i.open_amount < 0
   AND +i.event_id = :event_id                              -- when event_id
 GROUP BY i.currency;

-- name: open_then
-- The same as at the end of a day. Invoices, credit notes, payments, refunds and write-offs count from their dates, without
-- what was paid of claims of letters. A payment that
-- moved to another invoice later counts for the invoice that it had then, and an invoice has the due date of then.
WITH credit (id, amount) AS MATERIALIZED (
  SELECT related_invoice_id, sum(total) FROM invoices INDEXED BY invoices_by_related
   WHERE related_invoice_id IS NOT NULL AND invoice_type = 'credit_note' AND locked_at IS NOT NULL
   AND issue_date <= :as_of
   GROUP BY related_invoice_id),
later (payment_id, from_invoice_id, to_invoice_id, amount) AS MATERIALIZED (
  SELECT p.id, m.from_invoice_id, m.to_invoice_id,
         p.amount - coalesce((SELECT sum(r.amount) FROM refunds r WHERE r.payment_id = p.id AND r.counts_at <= :until),
         0)
    FROM payment_moves m CROSS JOIN payments p ON p.id = m.payment_id
   WHERE m.moved_at > :until AND p.status IN ('completed', 'refunded')
   AND coalesce(p.payment_date_at, p.created_at) <= :until),
corrections (id, amount) AS MATERIALIZED (
  SELECT id, sum(amount) FROM (
    SELECT p.invoice_id AS id, p.amount FROM payments p INDEXED BY payments_undated
     WHERE p.payment_date_at IS NULL AND p.created_at <= :until AND p.status IN ('completed', 'refunded')
     UNION ALL SELECT p.invoice_id, -p.claim_amount FROM payments p INDEXED BY payments_with_claims
     WHERE p.claim_amount > 0 AND coalesce(p.payment_date_at, p.created_at) <= :until
     AND p.status IN ('completed', 'refunded')
     UNION ALL SELECT p.invoice_id, r.claim_amount - r.amount FROM refunds r CROSS
       JOIN payments p ON p.id = r.payment_id WHERE r.counts_at <= :until
     UNION ALL SELECT w.invoice_id, w.amount FROM write_offs w INDEXED BY write_offs_by_time WHERE w.counts_at <= :until
     UNION ALL SELECT from_invoice_id, amount FROM later
     UNION ALL SELECT to_invoice_id, -amount FROM later)
   GROUP BY id),
owed (currency, due_date, amount) AS MATERIALIZED (
  SELECT i.currency, CASE WHEN i.id IN (SELECT invoice_id FROM due_date_changes WHERE changed_at > :until) THEN
           (SELECT d.due_date FROM due_date_changes d WHERE d.invoice_id = i.id AND d.changed_at > :until
             ORDER BY d.changed_at, d.id LIMIT 1)
         ELSE i.due_date END,
         i.total + coalesce(c.amount, 0) - coalesce(x.amount, 0) - coalesce((
           SELECT sum(p.amount) FROM payments p INDEXED BY payments_by_invoice
            WHERE p.invoice_id = i.id AND p.payment_date_at <= :until AND p.status IN ('completed', 'refunded')), 0)
    FROM invoices i INDEXED BY invoices_by_currency
    LEFT JOIN credit c ON c.id = i.id LEFT JOIN corrections x ON x.id = i.id
   WHERE i.invoice_type = 'invoice' AND i.locked_at IS NOT NULL AND i.issue_date <= :as_of
     AND i.event_id = :event_id                             -- when event_id
  )
SELECT currency, CASE WHEN amount > 0 THEN due_date END AS due_date, count(*) AS invoices, sum(amount) AS amount
  FROM owed WHERE amount <> 0
 GROUP BY currency, 2, amount > 0;

-- name: participants
SELECT (SELECT event_key FROM events WHERE id = p.event_id) AS event_key, p.role,
       sum(p.status = 'registered') AS registered, sum(p.status = 'confirmed') AS confirmed,
       sum(p.status = 'cancelled') AS cancelled, count(*) AS participants
  FROM participants p
 WHERE TRUE
   AND p.event_id = :event_id                               -- when event_id
   AND p.created_at >= :begins                              -- when begins
   AND p.created_at < :ends                                 -- when ends
 GROUP BY p.event_id, p.role ORDER BY p.event_id, p.role;

-- name: participants_of_all_days
SELECT (SELECT event_key FROM events WHERE id = n.event_id) AS event_key, n.role,
       sum(CASE n.status WHEN 'registered' THEN n.participants ELSE 0 END) AS registered,
       sum(CASE n.status WHEN 'confirmed' THEN n.participants ELSE 0 END) AS confirmed,
       sum(CASE n.status WHEN 'cancelled' THEN n.participants ELSE 0 END) AS cancelled,
       sum(n.participants) AS participants
  FROM participant_counts n
 WHERE TRUE
   AND n.event_id = :event_id                               -- when event_id
 GROUP BY n.event_id, n.role HAVING sum(n.participants) > 0 ORDER BY n.event_id, n.role;

-- name: applications
WITH spans AS MATERIALIZED (SELECT value ->> 0 AS period, value ->> 1 AS begins,
  value ->> 2 AS ends FROM json_each(:spans))
SELECT s.period, sum(a.status = 'new') AS new, sum(a.status = 'in_review') AS in_review,
       sum(a.status = 'info_requested') AS info_requested, sum(a.status = 'waitlisted') AS waitlisted,
       sum(a.status = 'approved') AS approved, sum(a.status = 'rejected') AS rejected,
       sum(a.status = 'withdrawn') AS withdrawn, count(*) AS applications
  FROM spans s CROSS JOIN applications a INDEXED BY applications_by_creation ON a.created_at >= s.begins
  AND a.created_at < s.ends
 WHERE TRUE
   AND a.id IN (SELECT application_id FROM application_events WHERE event_id = :event_id)      -- when event_id
 GROUP BY s.period ORDER BY s.begins;

-- name: booths
-- Booths by plan and type. A reserved booth whose hold has run out is available, unless it has a waiting list.
WITH priced AS (
  SELECT b.event_id, b.plan_id, b.booth_type_id, b.area, b.price,
         CASE WHEN b.status = 'reserved' AND b.held_until <= :now AND NOT EXISTS (
                SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted') THEN 'available'
              ELSE b.status END AS status,
         (SELECT r.final_price FROM booth_reservations r WHERE r.booth_id = b.id AND r.status = 'confirmed') AS sold_for
    FROM booths b
   WHERE TRUE
     AND b.event_id = :event_id                             -- when event_id
)
SELECT e.event_key, l.plan_key, l.plan_name, t.booth_type_key, t.booth_type_name, count(*) AS booths,
       sum(b.status = 'sold') AS sold, sum(b.status = 'reserved') AS reserved, sum(b.status = 'available') AS available,
       sum(b.status = 'blocked') AS blocked, sum(b.area) AS area,
       sum(CASE b.status WHEN 'sold' THEN b.area ELSE 0 END) AS sold_area,
       sum(CASE b.status WHEN 'reserved' THEN b.area ELSE 0 END) AS reserved_area,
       sum(CASE b.status WHEN 'available' THEN b.area ELSE 0 END) AS available_area,
       sum(CASE b.status WHEN 'blocked' THEN b.area ELSE 0 END) AS blocked_area,
           sum(coalesce(b.sold_for, 0)) AS revenue
  FROM priced b JOIN plans l ON l.id = b.plan_id JOIN events e ON e.id = b.event_id LEFT
  JOIN booth_types t ON t.id = b.booth_type_id
 GROUP BY b.plan_id, b.booth_type_id ORDER BY e.id, l.sort_order, l.id, t.sort_order NULLS LAST, t.id;

-- name: services
WITH sales AS MATERIALIZED (
  SELECT o.event_id, t.service_id, o.currency, count(DISTINCT o.id) AS orders, sum(t.quantity) AS quantity,
    sum(t.net) AS net
    FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
   WHERE o.status IN ('submitted', 'confirmed', 'completed') AND t.status <> 'cancelled'
     AND +o.event_id = :event_id                            -- when event_id
     AND +o.submitted_at >= :begins                         -- when begins
     AND +o.submitted_at < :ends                            -- when ends
   GROUP BY o.event_id, t.service_id, o.currency)
SELECT e.event_key, s.service_key, s.service_name, k.category_key, coalesce(y.currency, :currency) AS currency,
       coalesce(y.orders, 0) AS orders, coalesce(y.quantity, 0) AS quantity, coalesce(y.net, 0) AS net, x.stock,
       x.stock - x.ordered AS available
  FROM events e CROSS JOIN service_events x ON x.event_id = e.id JOIN services s ON s.id = x.service_id
  LEFT JOIN service_categories k ON k.id = s.category_id
  LEFT JOIN sales y ON y.event_id = x.event_id AND y.service_id = x.service_id
 WHERE TRUE
   AND e.id = :event_id                                     -- when event_id
 ORDER BY e.id, s.sort_order, s.id, y.currency;

-- name: check_ins
SELECT e.event_key, e.timezone, c.hour, nullif(c.station, '') AS station, sum(c.check_ins) AS check_ins,
  sum(c.check_outs) AS check_outs
  FROM events e CROSS JOIN check_in_counts c ON c.event_id = e.id
 WHERE TRUE
   AND e.id = :event_id                                     -- when event_id
   AND c.day >= :first                                      -- when first
   AND c.day <= :last                                       -- when last
 GROUP BY e.id, c.hour, c.station HAVING sum(c.check_ins) > 0 OR sum(c.check_outs) > 0 ORDER BY e.id, c.hour, c.station;

-- name: readiness
-- Most visitors only have to be confirmed. They are counted, and only the participants of whom more is asked are looked
-- at. What they lack is read as a few sets of ids, which takes a fraction of the time of the view `readiness`, whose
-- rules these are. contracts: participants with a contract and without an active one. complete: those with everything
-- that they have to submit.
WITH contracts (id) AS MATERIALIZED (
  SELECT entity_id FROM documents INDEXED BY documents_contracts WHERE is_contract AND entity_type = 'event_participant'
   GROUP BY entity_id HAVING max(contract_status = 'active') = 0),
submits (event_id, role, types) AS MATERIALIZED (
  SELECT t.event_id, r.value, count(DISTINCT t.id) FROM submission_types t CROSS JOIN json_each(t.roles) r
   WHERE t.is_required AND t.is_active GROUP BY t.event_id, r.value),
groups (event_id, role) AS MATERIALIZED (
  SELECT e.id, r.value FROM events e CROSS JOIN json_each('["exhibitor", "co_exhibitor", "sponsor"]') r
   UNION SELECT event_id, role FROM submits),
found (id, event_id, role, status, is_guest) AS MATERIALIZED (
  SELECT p.id, p.event_id, p.role, p.status, p.role IN ('speaker', 'visitor', 'press', 'staff')
    FROM groups g CROSS JOIN participants p INDEXED BY participants_by_event_and_role ON p.event_id = g.event_id
    AND p.role = g.role
   WHERE p.status <> 'cancelled'
     AND g.event_id = :event_id                             -- when event_id
   UNION ALL
  SELECT p.id, p.event_id, p.role, p.status, p.role IN ('speaker', 'visitor', 'press', 'staff')
    FROM contracts c CROSS JOIN participants p ON p.id = c.id
   WHERE p.status <> 'cancelled' AND (p.event_id, p.role) NOT IN groups
     AND p.event_id = :event_id                             -- when event_id
  ),
complete (id) AS (
  SELECT p.id FROM submission_types t CROSS JOIN submissions s ON s.type_id = t.id CROSS
    JOIN participants p ON p.id = s.event_participant_id
   CROSS JOIN submits x ON x.event_id = p.event_id AND x.role = p.role
   WHERE t.is_required AND t.is_active AND t.event_id = p.event_id AND instr(t.roles, '"' || p.role || '"')
     AND (s.status = 'approved' OR s.status = 'submitted' AND NOT t.needs_approval)
     AND t.event_id = :event_id                             -- when event_id
   GROUP BY p.id HAVING count(*) = x.types),
unbilled (id) AS (
  SELECT event_participant_id FROM fee_claims WHERE NOT is_billed
     AND event_participant_id IN (SELECT id FROM found)     -- when event_id
   UNION ALL
  SELECT event_participant_id FROM booth_claims WHERE NOT is_billed
     AND event_participant_id IN (SELECT id FROM found)     -- when event_id
   UNION ALL
  SELECT event_participant_id FROM item_claims WHERE NOT is_billed
     AND event_participant_id IN (SELECT id FROM found)     -- when event_id
   UNION ALL
  SELECT b.event_participant_id FROM (SELECT id FROM invoice_items INDEXED BY invoice_items_by_bill
   WHERE bills IS NOT NULL) l
   CROSS JOIN billings b ON b.id = l.id
   WHERE NOT b.is_claimed
     AND b.event_participant_id IN (SELECT id FROM found)   -- when event_id
  ),
lacks AS MATERIALIZED (
  SELECT event_id, role, status, id IN contracts AS contract, (event_id, role) IN (SELECT event_id, role FROM submits)
    AND id NOT IN complete AS submissions,
         NOT is_guest AND id NOT IN (SELECT event_participant_id FROM booth_reservations WHERE status = 'confirmed')
           AND (role = 'exhibitor'
         OR id IN (SELECT event_participant_id FROM booth_reservations WHERE status = 'pending')) AS booth, NOT is_guest
         AND id IN (SELECT event_participant_id FROM service_orders
         WHERE status IN ('draft', 'submitted')) AS open_order,
         NOT is_guest AND id IN (SELECT event_participant_id FROM invoices INDEXED BY invoices_drafts
                                  WHERE status = 'draft' AND event_participant_id IS NOT NULL) AS draft,
         NOT is_guest AND id IN unbilled AS unbilled,
         NOT is_guest AND id IN (SELECT event_participant_id FROM invoices INDEXED BY invoices_open
                                  WHERE open_amount <> 0 AND open_amount > 0 AND locked_at IS NOT NULL
                                  AND status IN ('sent', 'partially_paid')
                                    AND event_participant_id IS NOT NULL) AS owes
    FROM found),
lacking AS MATERIALIZED (
  SELECT event_id, role, sum(contract) AS contract, sum(submissions) AS submissions, sum(booth) AS booth,
         sum(open_order) AS open_order, sum(draft) AS draft, sum(unbilled) AS unbilled, sum(owes) AS owes,
         sum(status = 'confirmed'
           AND contract + submissions + booth + open_order + draft + unbilled + owes > 0) AS held_back
    FROM lacks GROUP BY event_id, role),
people AS MATERIALIZED (
  SELECT event_id, role, sum(CASE WHEN status <> 'cancelled' THEN participants ELSE 0 END) AS participants,
         sum(CASE WHEN status = 'confirmed' THEN participants ELSE 0 END) AS confirmed
    FROM participant_counts n
   WHERE TRUE
     AND n.event_id = :event_id                             -- when event_id
   GROUP BY event_id, role)
SELECT e.event_key, p.role, p.participants, p.confirmed - coalesce(l.held_back, 0) AS ready,
       p.participants - p.confirmed AS unconfirmed, coalesce(l.contract, 0) AS open_contract,
       coalesce(l.submissions, 0) AS open_submissions, coalesce(l.booth, 0) AS no_booth,
       coalesce(l.open_order, 0) AS open_order, coalesce(l.draft, 0) AS draft_invoice,
           coalesce(l.unbilled, 0) AS unbilled, coalesce(l.owes, 0) AS unpaid
  FROM people p CROSS JOIN events e ON e.id = p.event_id LEFT JOIN lacking l ON l.event_id = p.event_id
  AND l.role = p.role
 WHERE p.participants > 0
 ORDER BY p.event_id, p.role;

-- name: event
SELECT event_key, timezone FROM events WHERE id = :id;

-- name: event_title
SELECT title FROM events WHERE id = :id;
