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
   UNION ALL SELECT min(created_at) FROM payments WHERE payment_date_at IS NULL AND created_at >= :after
   UNION ALL SELECT min(counts_at) FROM refunds WHERE counts_at >= :after
   UNION ALL SELECT min(moved_at) FROM payment_moves WHERE moved_at >= :after);

-- name: next_application
SELECT min(created_at) FROM applications WHERE created_at >= :after;

-- name: revenue
-- Amounts invoiced and credited in each period. `figures` is a JSON list of rows.
WITH kinds AS MATERIALIZED (SELECT DISTINCT currency FROM invoices INDEXED BY invoices_by_currency)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'invoices', invoices, 'credit_notes', credit_notes, 'invoiced', invoiced,
                'credited', credited, 'net', net, 'tax', tax, 'total', total)) FROM (
           SELECT sum(i.invoice_type = 'invoice') AS invoices, sum(i.invoice_type = 'credit_note') AS credit_notes,
                  sum(CASE i.invoice_type WHEN 'invoice' THEN i.subtotal ELSE 0 END) AS invoiced,
                  sum(CASE i.invoice_type WHEN 'credit_note' THEN -i.subtotal ELSE 0 END) AS credited,
                  sum(i.subtotal) AS net, sum(i.tax_total) AS tax, sum(i.total) AS total
             FROM invoices i INDEXED BY invoices_by_currency
            WHERE i.currency = k.currency AND i.issue_date >= s.value ->> 1 AND i.issue_date < s.value ->> 2 AND i.locked_at IS NOT NULL
              AND i.event_id = :event_id                    -- when event_id
           HAVING count(*) > 0)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k ORDER BY s.key, k.currency;

-- name: tax
WITH kinds AS MATERIALIZED (SELECT DISTINCT currency FROM invoices INDEXED BY invoices_by_currency)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'tax_category', category, 'tax_rate', rate, 'invoices', invoices,
                'credit_notes', credit_notes, 'net', net, 'tax', tax)) FROM (
           SELECT t.category, t.rate, sum(i.invoice_type = 'invoice') AS invoices,
                  sum(i.invoice_type = 'credit_note') AS credit_notes, sum(t.net) AS net, sum(t.tax) AS tax
             FROM invoices i INDEXED BY invoices_by_currency CROSS JOIN invoice_taxes t ON t.invoice_id = i.id
            WHERE i.currency = k.currency AND i.issue_date >= s.value ->> 1 AND i.issue_date < s.value ->> 2 AND i.locked_at IS NOT NULL
              AND i.event_id = :event_id                    -- when event_id
            GROUP BY t.category, t.rate ORDER BY t.category, t.rate)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k ORDER BY s.key, k.currency;

-- name: payments
-- Payments in each period. It runs twice, for payments with a date and for those without one, because these use
-- different indexes. For an event, a payment belongs to the invoice that it was first completed for: that of its first
-- move, or its invoice if it never moved.
WITH kinds AS MATERIALIZED (SELECT DISTINCT currency, gateway_key FROM payments INDEXED BY payments_by_currency)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'gateway_key', k.gateway_key, 'payments', payments, 'received', received,
                'refunded', 0, 'fees', fees, 'net', received - fees)) FROM (
           SELECT count(*) AS payments, sum(p.amount) AS received, sum(p.gateway_fee) AS fees
             FROM payments p INDEXED BY payments_by_currency
            WHERE p.currency = k.currency AND p.gateway_key IS k.gateway_key AND p.status IN ('completed', 'refunded')
              AND p.payment_date_at >= s.value ->> 1 AND p.payment_date_at < s.value ->> 2                                 -- when dated
              AND p.payment_date_at IS NULL AND p.created_at >= s.value ->> 1 AND p.created_at < s.value ->> 2             -- when undated
              AND coalesce(CASE WHEN p.id IN (SELECT payment_id FROM payment_moves) THEN                                     -- when event_id
                             (SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = p.id ORDER BY m.moved_at, m.id LIMIT 1) END,   -- when event_id
                           p.invoice_id) IN (SELECT id FROM invoices WHERE event_id = :event_id)        -- when event_id
           HAVING count(*) > 0)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k ORDER BY s.key, k.currency, k.gateway_key;

-- name: refunds
-- Refunds in each period, with the columns of `payments`. For an event, a refund belongs to the invoice that its payment
-- had at the time of the refund.
WITH kinds AS MATERIALIZED (SELECT DISTINCT currency, gateway_key FROM refunds INDEXED BY refunds_by_currency)
SELECT s.value ->> 0 AS period, (
         SELECT json_group_array(json_object('currency', k.currency, 'gateway_key', k.gateway_key, 'payments', 0, 'received', 0,
                'refunded', refunded, 'fees', 0, 'net', -refunded)) FROM (
           SELECT sum(r.amount) AS refunded
             FROM refunds r INDEXED BY refunds_by_currency
            WHERE r.currency = k.currency AND r.gateway_key IS k.gateway_key AND r.counts_at >= s.value ->> 1 AND r.counts_at < s.value ->> 2
              AND coalesce((SELECT m.from_invoice_id FROM payment_moves m WHERE m.payment_id = r.payment_id AND m.moved_at > r.counts_at   -- when event_id
                             ORDER BY m.moved_at, m.id LIMIT 1), (SELECT p.invoice_id FROM payments p WHERE p.id = r.payment_id))        -- when event_id
                  IN (SELECT id FROM invoices WHERE event_id = :event_id)      -- when event_id
           HAVING count(*) > 0)) AS figures
  FROM json_each(:spans) s CROSS JOIN kinds k ORDER BY s.key, k.currency, k.gateway_key;

-- name: moves
-- What the payments of an event gained and lost in each period by moves from and to invoices of other events, with the
-- columns of `payments`.
WITH moved AS MATERIALIZED (
  SELECT s.key, s.value ->> 0 AS period, p.currency, p.gateway_key, (t.event_id IS :event_id) - (f.event_id IS :event_id) AS sign,
         p.amount, p.gateway_fee, (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.counts_at < m.moved_at) AS refunded
    FROM json_each(:spans) s CROSS JOIN payment_moves m ON m.moved_at >= s.value ->> 1 AND m.moved_at < s.value ->> 2
    JOIN payments p ON p.id = m.payment_id JOIN invoices f ON f.id = m.from_invoice_id JOIN invoices t ON t.id = m.to_invoice_id
   WHERE (t.event_id IS :event_id) <> (f.event_id IS :event_id))
SELECT period, json_array(json_object('currency', currency, 'gateway_key', gateway_key, 'payments', sum(sign), 'received', sum(sign * amount),
       'refunded', sum(sign * refunded), 'fees', sum(sign * gateway_fee), 'net', sum(sign * (amount - refunded - gateway_fee)))) AS figures
  FROM moved GROUP BY key, currency, gateway_key ORDER BY key;

-- name: open
-- Open amounts by due date, and the amounts that customers have overpaid, which are negative.
SELECT i.currency, i.due_date, count(*) AS invoices, sum(i.open_amount) AS amount
  FROM invoices i
 WHERE i.status IN ('sent', 'partially_paid') AND i.open_amount > 0
   AND +i.event_id = :event_id                              -- when event_id
 GROUP BY i.currency, i.due_date
UNION ALL
SELECT i.currency, NULL, count(*), sum(i.open_amount)
  FROM invoices i INDEXED BY invoices_overpaid
 WHERE i.open_amount < 0
   AND +i.event_id = :event_id                              -- when event_id
 GROUP BY i.currency;

-- name: open_then
-- The same as at the end of a day. Invoices, credit notes, payments and refunds count from their dates. A payment that
-- moved to another invoice later counts for the invoice that it had then, and an invoice has the due date of then.
WITH credit (id, amount) AS MATERIALIZED (
  SELECT related_invoice_id, sum(total) FROM invoices
   WHERE invoice_type = 'credit_note' AND locked_at IS NOT NULL AND issue_date <= :as_of GROUP BY related_invoice_id),
later (payment_id, from_invoice_id, to_invoice_id, amount) AS MATERIALIZED (
  SELECT p.id, m.from_invoice_id, m.to_invoice_id,
         p.amount - coalesce((SELECT sum(r.amount) FROM refunds r WHERE r.payment_id = p.id AND r.counts_at <= :until), 0)
    FROM payment_moves m CROSS JOIN payments p ON p.id = m.payment_id
   WHERE m.moved_at > :until AND p.status IN ('completed', 'refunded') AND coalesce(p.payment_date_at, p.created_at) <= :until),
paid (id, amount) AS MATERIALIZED (
  SELECT invoice_id, sum(amount) FROM payments
   WHERE status IN ('completed', 'refunded') AND coalesce(payment_date_at, created_at) <= :until GROUP BY invoice_id),
corrections (id, amount) AS MATERIALIZED (
  SELECT id, sum(amount) FROM (
    SELECT p.invoice_id AS id, -r.amount AS amount FROM refunds r CROSS JOIN payments p ON p.id = r.payment_id WHERE r.counts_at <= :until
     UNION ALL SELECT from_invoice_id, amount FROM later
     UNION ALL SELECT to_invoice_id, -amount FROM later)
   GROUP BY id)
SELECT o.currency, CASE WHEN o.amount > 0 THEN o.due_date END AS due_date, count(*) AS invoices, sum(o.amount) AS amount
  FROM (SELECT i.currency, CASE WHEN i.id IN (SELECT invoice_id FROM due_date_changes WHERE changed_at > :until) THEN
                 (SELECT d.due_date FROM due_date_changes d WHERE d.invoice_id = i.id AND d.changed_at > :until ORDER BY d.changed_at, d.id LIMIT 1)
               ELSE i.due_date END AS due_date, i.total + coalesce(c.amount, 0) - coalesce(p.amount, 0) - coalesce(x.amount, 0) AS amount
          FROM invoices i LEFT JOIN credit c ON c.id = i.id LEFT JOIN paid p ON p.id = i.id LEFT JOIN corrections x ON x.id = i.id
         WHERE i.invoice_type = 'invoice' AND i.locked_at IS NOT NULL AND i.issue_date <= :as_of
           AND +i.event_id = :event_id                      -- when event_id
       ) o
 WHERE o.amount <> 0
 GROUP BY o.currency, 2, o.amount > 0;

-- name: participants
SELECT (SELECT event_key FROM events WHERE id = p.event_id) AS event_key, p.role, sum(p.status = 'registered') AS registered,
       sum(p.status = 'confirmed') AS confirmed, sum(p.status = 'cancelled') AS cancelled, count(*) AS participants
  FROM participants p
 WHERE TRUE
   AND p.event_id = :event_id                               -- when event_id
   AND p.created_at >= :begins                              -- when begins
   AND p.created_at < :ends                                 -- when ends
 GROUP BY p.event_id, p.role ORDER BY p.event_id, p.role;

-- name: applications
WITH spans AS MATERIALIZED (SELECT value ->> 0 AS period, value ->> 1 AS begins, value ->> 2 AS ends FROM json_each(:spans))
SELECT s.period, sum(a.status = 'new') AS new, sum(a.status = 'in_review') AS in_review, sum(a.status = 'info_requested') AS info_requested,
       sum(a.status = 'waitlisted') AS waitlisted, sum(a.status = 'approved') AS approved, sum(a.status = 'rejected') AS rejected,
       sum(a.status = 'withdrawn') AS withdrawn, count(*) AS applications
  FROM spans s CROSS JOIN applications a ON a.created_at >= s.begins AND a.created_at < s.ends
 WHERE TRUE
   AND EXISTS (SELECT 1 FROM application_events x WHERE x.application_id = a.id AND x.event_id = :event_id)      -- when event_id
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
       sum(b.status = 'blocked') AS blocked, sum(b.area) AS area, sum(CASE b.status WHEN 'sold' THEN b.area ELSE 0 END) AS sold_area,
       sum(CASE b.status WHEN 'reserved' THEN b.area ELSE 0 END) AS reserved_area,
       sum(CASE b.status WHEN 'available' THEN b.area ELSE 0 END) AS available_area,
       sum(CASE b.status WHEN 'blocked' THEN b.area ELSE 0 END) AS blocked_area, sum(coalesce(b.sold_for, 0)) AS revenue
  FROM priced b JOIN plans l ON l.id = b.plan_id JOIN events e ON e.id = b.event_id LEFT JOIN booth_types t ON t.id = b.booth_type_id
 GROUP BY b.plan_id, b.booth_type_id ORDER BY e.id, l.sort_order, l.id, t.sort_order NULLS LAST, t.id;

-- name: services
WITH sales AS MATERIALIZED (
  SELECT o.event_id, t.service_id, o.currency, count(DISTINCT o.id) AS orders, sum(t.quantity) AS quantity, sum(t.net) AS net
    FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
   WHERE o.status IN ('submitted', 'confirmed', 'completed') AND t.status <> 'cancelled'
     AND +o.event_id = :event_id                            -- when event_id
     AND +o.submitted_at >= :begins                         -- when begins
     AND +o.submitted_at < :ends                            -- when ends
   GROUP BY o.event_id, t.service_id, o.currency)
SELECT e.event_key, s.service_key, s.service_name, k.category_key, coalesce(y.currency, :currency) AS currency, coalesce(y.orders, 0) AS orders,
       coalesce(y.quantity, 0) AS quantity, coalesce(y.net, 0) AS net, x.stock, x.stock - x.ordered AS available
  FROM events e CROSS JOIN service_events x ON x.event_id = e.id JOIN services s ON s.id = x.service_id
  LEFT JOIN service_categories k ON k.id = s.category_id
  LEFT JOIN sales y ON y.event_id = x.event_id AND y.service_id = x.service_id
 WHERE TRUE
   AND e.id = :event_id                                     -- when event_id
 ORDER BY e.id, s.sort_order, s.id, y.currency;

-- name: check_ins
SELECT e.event_key, e.timezone, c.hour, nullif(c.station, '') AS station, sum(c.check_ins) AS check_ins, sum(c.check_outs) AS check_outs
  FROM events e CROSS JOIN check_in_counts c ON c.event_id = e.id
 WHERE TRUE
   AND e.id = :event_id                                     -- when event_id
   AND c.day >= :first                                      -- when first
   AND c.day <= :last                                       -- when last
 GROUP BY e.id, c.hour, c.station HAVING sum(c.check_ins) > 0 OR sum(c.check_outs) > 0 ORDER BY e.id, c.hour, c.station;

-- name: readiness
-- Most visitors only have to be confirmed. They are counted, and only the other participants are looked at one by
-- one.
WITH contracts (id) AS MATERIALIZED (SELECT event_participant_id FROM open_contracts),
asked (id) AS MATERIALIZED (
  SELECT p.id FROM events e CROSS JOIN participants p ON p.event_id = e.id AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
   WHERE TRUE
     AND e.id = :event_id                                   -- when event_id
   UNION
  SELECT p.id FROM submission_types t CROSS JOIN json_each(t.roles) r CROSS JOIN participants p ON p.event_id = t.event_id AND p.role = r.value
   WHERE t.is_required AND t.is_active
     AND t.event_id = :event_id                             -- when event_id
   UNION
  SELECT id FROM contracts),
lacks AS MATERIALIZED (
  SELECT f.event_id, f.role, f.status, f.id IN contracts AS contract, f.has_open_submissions AS submissions,
         CASE WHEN f.is_guest THEN 0 ELSE NOT f.has_booth END AS booth, CASE WHEN f.is_guest THEN 0 ELSE f.has_open_order END AS open_order,
         CASE WHEN f.is_guest THEN 0 ELSE f.has_draft END AS draft, CASE WHEN f.is_guest THEN 0 ELSE f.has_unbilled END AS unbilled,
         CASE WHEN f.is_guest THEN 0 ELSE f.owes END AS owes
    FROM asked a CROSS JOIN readiness f ON f.id = a.id
   WHERE f.status <> 'cancelled'),
lacking AS MATERIALIZED (
  SELECT event_id, role, sum(contract) AS contract, sum(submissions) AS submissions, sum(booth) AS booth, sum(open_order) AS open_order,
         sum(draft) AS draft, sum(unbilled) AS unbilled, sum(owes) AS owes,
         sum(status = 'confirmed' AND contract + submissions + booth + open_order + draft + unbilled + owes > 0) AS held_back
    FROM lacks GROUP BY event_id, role),
people AS MATERIALIZED (
  SELECT p.event_id, p.role, sum(p.status <> 'cancelled') AS participants, sum(p.status = 'confirmed') AS confirmed FROM participants p
   WHERE TRUE
     AND p.event_id = :event_id                             -- when event_id
   GROUP BY p.event_id, p.role)
SELECT e.event_key, p.role, p.participants, p.confirmed - coalesce(l.held_back, 0) AS ready, p.participants - p.confirmed AS unconfirmed,
       coalesce(l.contract, 0) AS open_contract, coalesce(l.submissions, 0) AS open_submissions, coalesce(l.booth, 0) AS no_booth,
       coalesce(l.open_order, 0) AS open_order, coalesce(l.draft, 0) AS draft_invoice, coalesce(l.unbilled, 0) AS unbilled, coalesce(l.owes, 0) AS unpaid
  FROM people p CROSS JOIN events e ON e.id = p.event_id LEFT JOIN lacking l ON l.event_id = p.event_id AND l.role = p.role
 WHERE p.participants > 0
 ORDER BY p.event_id, p.role;

-- name: event
SELECT event_key, timezone FROM events WHERE id = :id;

-- name: event_title
SELECT title FROM events WHERE id = :id;
