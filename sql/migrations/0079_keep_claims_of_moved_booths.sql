-- A reservation that moves to a booth of the same net price and tax rate is the same claim: nothing is credited or billed.

-- Where a confirmed reservation was before it moved: a JSON list of [booth_id, final_price, tax_rate]. NULL: it has not
-- moved, or was moved by an earlier version, which billed it again.
ALTER TABLE booth_reservations ADD COLUMN moved_from TEXT;

DROP VIEW billings;
DROP VIEW booth_claims;

-- Lines that bill something, as before (0010_create_billing.sql), but a booth stays billed while its reservation costs the
-- same as when it had this booth.
CREATE VIEW billings AS
SELECT l.id, l.bills, l.net, i.event_participant_id, i.id AS invoice_id, i.invoice_number, i.status, i.currency,
       CASE WHEN CASE WHEN l.fee_of_participant_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM participants p
                                 WHERE p.id = l.fee_of_participant_id AND p.status <> 'cancelled')
                      WHEN l.service_order_item_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
                                 WHERE t.id = l.service_order_item_id AND t.status <> 'cancelled'
                                   AND o.status <> 'cancelled')
                      WHEN l.service_order_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM service_orders o
                                 WHERE o.id = l.service_order_id AND o.status <> 'cancelled')
                      ELSE
                        EXISTS (SELECT 1 FROM booth_reservations r
                                 WHERE r.id = l.booth_reservation_id AND r.status NOT IN ('cancelled', 'expired')
                                   AND (r.booth_id = l.booth_id
                                        OR EXISTS (SELECT 1 FROM json_each(r.moved_from) m
                                                    WHERE m.value ->> 0 = l.booth_id AND m.value ->> 1 = r.final_price
                                                      AND m.value ->> 2 IS r.tax_rate))) END THEN 1
            WHEN i.status = 'draft' THEN 0
            WHEN l.net <= 0 THEN 1
            ELSE (SELECT sum(x.net) FROM invoices n JOIN invoice_items x ON x.invoice_id = n.id
                   WHERE x.tax_category = l.tax_category AND x.tax_rate = l.tax_rate
                     AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')) <= 0
            END AS is_claimed
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id
 WHERE l.bills IS NOT NULL AND i.invoice_type = 'invoice' AND i.status <> 'cancelled'
   AND (i.credited < i.total OR i.total = 0)
   AND (NOT EXISTS (SELECT 1 FROM invoices n WHERE n.related_invoice_id = i.id)
        OR coalesce((SELECT sum(x.net) FROM invoice_items x JOIN invoices n ON n.id = x.invoice_id
                      WHERE x.bills = l.bills
                        AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')
                     HAVING sum(n.invoice_type = 'credit_note') > 0), 1) > 0);

CREATE VIEW booth_claims AS
SELECT r.event_participant_id, 'booth ' || r.id || ' ' || r.booth_id AS bills, NULL AS fee_of_participant_id,
       r.id AS booth_reservation_id, NULL AS service_order_id, NULL AS service_order_item_id,
       r.final_price AS net, 1 AS quantity, r.final_price AS unit_price, r.tax_rate, NULL AS currency,
       CASE WHEN EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'booth ' || r.id || ' ' || r.booth_id) THEN 1
            WHEN r.moved_from IS NULL THEN 0
            ELSE EXISTS (SELECT 1 FROM json_each(r.moved_from) m
                          JOIN billings b ON b.bills = 'booth ' || r.id || ' ' || (m.value ->> 0)
                         WHERE m.value ->> 1 = r.final_price AND m.value ->> 2 IS r.tax_rate) END AS is_billed
  FROM booth_reservations r
 WHERE r.status = 'confirmed' AND r.final_price > 0;
