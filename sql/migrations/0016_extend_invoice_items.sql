-- What a line of an invoice bills: a reservation or an order (there already), one item of the order, a participant's category fee.
-- And what of all that is billed: views, since bill, balance, readiness and check must say the same.

ALTER TABLE invoice_items ADD COLUMN service_order_item_id INTEGER;
ALTER TABLE invoice_items ADD COLUMN fee_of_participant_id INTEGER;
ALTER TABLE invoice_items ADD COLUMN booth_id INTEGER;          -- where the reservation was: moving it to another booth is billed anew
ALTER TABLE invoice_items ADD COLUMN bills TEXT GENERATED ALWAYS AS (CASE
  WHEN fee_of_participant_id IS NOT NULL THEN 'fee ' || fee_of_participant_id
  WHEN service_order_item_id IS NOT NULL THEN 'item ' || service_order_item_id
  WHEN service_order_id IS NOT NULL THEN 'order ' || service_order_id
  WHEN booth_reservation_id IS NOT NULL THEN 'booth ' || booth_reservation_id || ' ' || coalesce(booth_id, 0) END) VIRTUAL;
CREATE INDEX invoice_items_by_fee ON invoice_items (fee_of_participant_id) WHERE fee_of_participant_id IS NOT NULL;
CREATE INDEX invoice_items_by_bill ON invoice_items (bills) WHERE bills IS NOT NULL;

-- A line that bills something, of an invoice that stands and is not wholly credited; drafts included. is_claimed: what it bills still
-- stands, or nothing is left of it to give back: it cost nothing, or its tax group was credited. A booth that was moved away from does not.
CREATE VIEW billings AS
SELECT l.id, l.bills, l.net, i.event_participant_id, i.id AS invoice_id, i.invoice_number, i.status, i.currency,
       CASE WHEN l.fee_of_participant_id IS NOT NULL THEN
              EXISTS (SELECT 1 FROM participants p WHERE p.id = l.fee_of_participant_id AND p.status <> 'cancelled')
            WHEN l.service_order_item_id IS NOT NULL THEN
              EXISTS (SELECT 1 FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
                       WHERE t.id = l.service_order_item_id AND t.status <> 'cancelled' AND o.status <> 'cancelled')
            WHEN l.service_order_id IS NOT NULL THEN
              EXISTS (SELECT 1 FROM service_orders o WHERE o.id = l.service_order_id AND o.status <> 'cancelled')
            ELSE
              EXISTS (SELECT 1 FROM booth_reservations r WHERE r.id = l.booth_reservation_id AND r.booth_id = l.booth_id
                                                           AND r.status NOT IN ('cancelled', 'expired')) END
       OR i.status <> 'draft' AND (l.net <= 0 OR
          (SELECT sum(x.net) FROM invoices n JOIN invoice_items x ON x.invoice_id = n.id
            WHERE x.tax_category = l.tax_category AND x.tax_rate = l.tax_rate
              AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')) <= 0) AS is_claimed
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id
 WHERE l.bills IS NOT NULL AND i.invoice_type = 'invoice' AND i.status <> 'cancelled' AND (i.credited < i.total OR i.total = 0)
   AND coalesce((SELECT sum(x.net) FROM invoice_items x JOIN invoices n ON n.id = x.invoice_id
                  WHERE x.bills = l.bills AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')
                 HAVING sum(n.invoice_type = 'credit_note') > 0), 1) > 0;

-- What a participant owes the organiser, billed or not. Net amounts in minor units; currency and tax rate are the tenant's where null.
CREATE VIEW fee_claims AS
SELECT p.id AS event_participant_id, 'fee ' || p.id AS bills, p.id AS fee_of_participant_id, NULL AS booth_reservation_id, NULL AS service_order_id,
       NULL AS service_order_item_id, k.base_price AS net, 1 AS quantity, k.base_price AS unit_price, k.tax_rate, NULL AS currency,
       EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'fee ' || p.id) AS is_billed
  FROM participants p JOIN categories k ON k.id = p.category_id
 WHERE p.status <> 'cancelled' AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND k.base_price > 0;

CREATE VIEW booth_claims AS
SELECT r.event_participant_id, 'booth ' || r.id || ' ' || r.booth_id AS bills, NULL AS fee_of_participant_id, r.id AS booth_reservation_id, NULL AS service_order_id,
       NULL AS service_order_item_id, r.final_price AS net, 1 AS quantity, r.final_price AS unit_price, r.tax_rate, NULL AS currency,
       EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'booth ' || r.id || ' ' || r.booth_id) AS is_billed
  FROM booth_reservations r
 WHERE r.status = 'confirmed' AND r.final_price > 0;

CREATE VIEW item_claims AS
SELECT o.event_participant_id, 'item ' || t.id AS bills, NULL AS fee_of_participant_id, NULL AS booth_reservation_id, o.id AS service_order_id,
       t.id AS service_order_item_id, t.net, t.quantity, t.unit_price, t.tax_rate, o.currency,
       EXISTS (SELECT 1 FROM billings b WHERE b.bills IN ('item ' || t.id, 'order ' || o.id)) AS is_billed
  FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
 WHERE o.status IN ('confirmed', 'completed') AND t.status <> 'cancelled' AND t.net > 0;

CREATE VIEW claims AS SELECT * FROM fee_claims UNION ALL SELECT * FROM booth_claims UNION ALL SELECT * FROM item_claims;

-- What stands between a participant and the show, as far as records tell; is_ready is that nothing does.
CREATE VIEW readiness AS
SELECT f.*, CASE WHEN status <> 'confirmed' THEN 0 WHEN is_guest THEN 1 WHEN NOT has_booth THEN 0 WHEN has_open_order THEN 0
                 WHEN has_draft THEN 0 WHEN has_unbilled THEN 0 WHEN owes THEN 0 ELSE 1 END AS is_ready      -- CASE asks no more than it must
  FROM (SELECT p.id, p.status, p.role, p.event_id, p.role IN ('speaker', 'visitor', 'press', 'staff') AS is_guest,
               p.role <> 'exhibitor' AND NOT EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id
                                                        AND r.status = 'pending')
               OR EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id AND r.status = 'confirmed') AS has_booth,
               EXISTS (SELECT 1 FROM service_orders o WHERE o.event_participant_id = p.id
                                                        AND o.status IN ('draft', 'submitted')) AS has_open_order,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id AND i.status = 'draft') AS has_draft,
               EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed)
               OR EXISTS (SELECT 1 FROM booth_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed)
               OR EXISTS (SELECT 1 FROM item_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed)
               OR EXISTS (SELECT 1 FROM billings b WHERE b.event_participant_id = p.id AND NOT b.is_claimed) AS has_unbilled,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id AND i.status IN ('sent', 'partially_paid')
                                                  AND i.open_amount > 0) AS owes
          FROM participants p) f;
