-- What participants owe and what has been billed, from the views `claims` and `billings`.

-- name: claims
-- Everything that a participant owes, with what the description of an invoice line needs.
SELECT c.bills, c.fee_of_participant_id, c.booth_reservation_id, c.service_order_id, c.service_order_item_id,
       c.quantity, c.unit_price, c.net, c.tax_rate, c.currency, c.is_billed, k.title, r.booth_id, b.booth_number,
       y.booth_type_name,
       CASE WHEN y.price_model = 'per_m2' THEN y.price END AS price_per_m2, b.width, b.depth, t.service_name, t.unit,
       s.unit_label, o.order_number, e.title AS event_title,
       CASE WHEN p.id IS NULL THEN s.place_of_supply WHEN k.place_of_supply IS NOT NULL THEN k.place_of_supply
            WHEN k.role IN ('visitor', 'press', 'staff', 'speaker') THEN 'event' WHEN k.role = 'sponsor' THEN 'recipient'
       END AS place_of_supply,
       coalesce(k.exemption_reason, y.exemption_reason, s.exemption_reason) AS exemption_reason
  FROM claims c
  JOIN participants q ON q.id = c.event_participant_id
  JOIN events e ON e.id = q.event_id
  LEFT JOIN participants p ON p.id = c.fee_of_participant_id
  LEFT JOIN categories k ON k.id = p.category_id
  LEFT JOIN booth_reservations r ON r.id = c.booth_reservation_id
  LEFT JOIN booths b ON b.id = r.booth_id
  LEFT JOIN booth_types y ON y.id = b.booth_type_id
  LEFT JOIN service_order_items t ON t.id = c.service_order_item_id
  LEFT JOIN services s ON s.id = t.service_id
  LEFT JOIN service_orders o ON o.id = c.service_order_id
 WHERE c.event_participant_id = :id
 ORDER BY c.fee_of_participant_id NULLS LAST, c.booth_reservation_id NULLS LAST, c.service_order_id, t.position;

-- name: generated_lines
-- Lines of a draft that billing has written and nobody has edited, whether the record that they bill was cancelled, and
-- the number of another invoice that was sent and bills the same. costs_the_same: the reservation has another booth now, and
-- costs what it did with the booth of the line. Drafts of credit notes do not count: they may be
-- deleted after this draft was sent.
SELECT l.position, l.fee_of_participant_id, l.booth_reservation_id, l.service_order_item_id, l.booth_id, l.quantity,
       l.unit_price, l.tax_category, l.tax_rate, l.exemption_reason, l.exemption_code, l.usual_tax_category,
       l.usual_tax_rate, l.usual_exemption_reason, l.usual_exemption_code, l.place_of_supply,
       CASE WHEN l.fee_of_participant_id IS NOT NULL THEN
              (SELECT p.status = 'cancelled' FROM participants p WHERE p.id = l.fee_of_participant_id)
            WHEN l.service_order_item_id IS NOT NULL THEN
              (SELECT t.status = 'cancelled' OR o.status = 'cancelled'
                 FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
                WHERE t.id = l.service_order_item_id)
            ELSE (SELECT r.status IN ('cancelled', 'expired') FROM booth_reservations r
                   WHERE r.id = l.booth_reservation_id) END AS is_cancelled,
       (SELECT i.invoice_number FROM invoice_items x JOIN invoices i ON i.id = x.invoice_id
         WHERE x.bills = l.bills AND i.id <> l.invoice_id AND i.invoice_type = 'invoice'
           AND i.status NOT IN ('draft', 'cancelled') AND (i.credited < i.total OR i.total = 0)
           AND coalesce((SELECT sum(y.net) FROM invoice_items y JOIN invoices n ON n.id = y.invoice_id
                          WHERE y.bills = l.bills AND (n.id = i.id OR n.related_invoice_id = i.id
                            AND n.invoice_type = 'credit_note' AND n.status <> 'draft')
                         HAVING sum(n.invoice_type = 'credit_note') > 0), 1) > 0
         LIMIT 1) AS billed_on,
       EXISTS (SELECT 1 FROM booth_reservations r JOIN json_each(r.moved_from) m
                WHERE r.id = l.booth_reservation_id AND m.value ->> 0 = l.booth_id AND m.value ->> 1 = r.final_price
                  AND m.value ->> 2 IS r.tax_rate) AS costs_the_same
  FROM invoice_items l
 WHERE l.invoice_id = :id AND l.is_generated
 ORDER BY l.position;

-- name: billing_invoices
-- Invoices and credit notes, including drafts, with a line for something that the participant owes or owed.
SELECT i.id, i.invoice_number, i.status FROM invoices i
 WHERE i.event_participant_id = :id
   AND EXISTS (SELECT 1 FROM invoice_items l WHERE l.invoice_id = i.id AND l.bills IS NOT NULL)
 ORDER BY i.id;

-- name: standing
-- Invoices of a participant that were sent, and neither cancelled nor credited in full. is_credited: a credit note is drafted.
SELECT i.id, i.invoice_number, i.total, i.open_amount, i.currency,
       EXISTS (SELECT 1 FROM invoices n WHERE n.related_invoice_id = i.id AND n.invoice_type = 'credit_note'
                AND n.status = 'draft') AS is_credited
  FROM invoices i
 WHERE i.event_participant_id = :id AND i.invoice_type = 'invoice' AND i.locked_at IS NOT NULL
   AND i.status NOT IN ('cancelled', 'refunded') AND i.credited < i.total
 ORDER BY i.id;

-- name: unclaimed
-- Invoices, including drafts, that bill something which the participant no longer owes.
SELECT DISTINCT invoice_id, invoice_number, status, currency, bills
  FROM billings WHERE event_participant_id = :id AND NOT is_claimed ORDER BY invoice_id, bills;

-- name: crediting_drafts
-- Drafts of credit notes that credit something which the participant owes again.
SELECT DISTINCT i.id AS invoice_id, i.invoice_number
  FROM invoices i JOIN invoice_items l ON l.invoice_id = i.id
 WHERE i.event_participant_id = :id AND i.invoice_type = 'credit_note' AND i.status = 'draft'
   AND l.bills IN (SELECT value FROM json_each(:bills))
 ORDER BY i.id;

-- name: lines
-- Lines of an invoice and of its credit notes.
SELECT i.invoice_type, l.bills, l.description, l.quantity, l.unit, l.unit_price, l.discount_percent, l.is_discount,
       l.tax_rate, l.tax_category, l.exemption_reason, l.exemption_code, l.net, l.place_of_supply, l.service_order_id,
       l.service_order_item_id, l.booth_reservation_id, l.fee_of_participant_id
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id
 WHERE i.id = :id OR i.related_invoice_id = :id AND i.invoice_type = 'credit_note'
 ORDER BY i.id, l.position;

-- name: party
SELECT c.id, c.language, c.anonymized_at, e.date_from, e.date_to, e.timezone
  FROM participants p JOIN contacts c ON c.id = p.contact_id JOIN events e ON e.id = p.event_id
 WHERE p.id = :id;

-- name: drafted
-- What drafts of invoices bill for a participant.
SELECT l.fee_of_participant_id, l.booth_reservation_id, l.service_order_item_id
  FROM invoices i JOIN invoice_items l ON l.invoice_id = i.id
 WHERE i.event_participant_id = :id AND i.invoice_type = 'invoice' AND i.status = 'draft' AND l.bills IS NOT NULL;

-- name: drafted_credit
-- Total of the drafts of credit notes of a participant, a negative amount.
SELECT coalesce(sum(total), 0) FROM invoices
 WHERE event_participant_id = :id AND invoice_type = 'credit_note' AND status = 'draft' AND currency = :currency;

-- name: sums
-- Sums of the participant's sent invoices and credit notes by currency.
SELECT currency, sum(total) AS invoiced, sum(paid_amount) AS paid, sum(open_amount) AS open,
  sum(claims_total - claims_paid) AS claims_open
  FROM invoices WHERE event_participant_id = :id AND locked_at IS NOT NULL GROUP BY currency;

-- For `eventapi check`: what should not exist.

-- name: billed_twice
-- What is on more than one invoice, for more than it costs.
SELECT b.bills, c.net AS price, sum(b.net) AS billed, group_concat(DISTINCT b.invoice_number) AS numbers
  FROM claims c
  JOIN billings b ON b.bills = c.bills
 GROUP BY b.bills
HAVING count(DISTINCT b.invoice_id) > 1 AND sum(b.net) > c.net
 ORDER BY b.bills;

-- name: wrong_stock
-- Offers whose stored number of ordered units differs from their orders.
SELECT s.service_key, e.event_key, x.ordered AS stored,
       (SELECT coalesce(sum(t.quantity), 0) FROM service_order_items t
         JOIN service_orders o ON o.id = t.service_order_id
         WHERE t.service_id = x.service_id AND o.event_id = x.event_id AND t.status <> 'cancelled'
           AND o.status IN ('submitted', 'confirmed', 'completed')) AS computed
  FROM service_events x JOIN services s ON s.id = x.service_id JOIN events e ON e.id = x.event_id
 WHERE stored <> computed
 ORDER BY s.service_key, e.event_key;

-- name: wrong_booths
-- Booths whose stored status contradicts their reservation.
SELECT e.event_key, b.booth_number, b.status AS stored, r.status AS reservation
  FROM booths b JOIN events e ON e.id = b.event_id
  LEFT JOIN booth_reservations r ON r.booth_id = b.id AND r.status IN ('pending', 'confirmed')
 WHERE b.status IN ('available', 'blocked') AND r.id IS NOT NULL
    OR b.status = 'reserved' AND r.status IS NOT 'pending' OR b.status = 'sold' AND r.status IS NOT 'confirmed'
 ORDER BY b.id;
