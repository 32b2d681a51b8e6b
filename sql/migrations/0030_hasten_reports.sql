-- Money is added up by currency, payments by gateway too: indexes in that order spare the sorting, which took longer than the adding. They hold
-- all that is added up, in the place of what migration 0028 put behind the dates, which are for lists again.

DROP INDEX payments_by_date;
CREATE INDEX payments_by_date ON payments (payment_date);
CREATE INDEX payments_by_currency ON payments (currency, gateway_key, payment_date, status, amount, refunded_amount, gateway_fee, invoice_id);

DROP INDEX invoices_by_issue_date;
CREATE INDEX invoices_by_issue_date ON invoices (issue_date);
CREATE INDEX invoices_by_currency ON invoices (currency, issue_date, locked_at, invoice_type, subtotal, tax_total, total, event_id);

DROP INDEX service_orders_by_participant;
CREATE INDEX service_orders_by_participant ON service_orders (event_participant_id, status);

-- The views of what is billed and of readiness say what they said, and ask no more than they must: SQLite works out both sides of OR and AND
-- where a value is wanted, and of CASE only as far as the first that holds. An invoice without credit notes has nothing that could be credited.

DROP VIEW billings;
CREATE VIEW billings AS
SELECT l.id, l.bills, l.net, i.event_participant_id, i.id AS invoice_id, i.invoice_number, i.status, i.currency,
       CASE WHEN CASE WHEN l.fee_of_participant_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM participants p WHERE p.id = l.fee_of_participant_id AND p.status <> 'cancelled')
                      WHEN l.service_order_item_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
                                 WHERE t.id = l.service_order_item_id AND t.status <> 'cancelled' AND o.status <> 'cancelled')
                      WHEN l.service_order_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM service_orders o WHERE o.id = l.service_order_id AND o.status <> 'cancelled')
                      ELSE
                        EXISTS (SELECT 1 FROM booth_reservations r WHERE r.id = l.booth_reservation_id AND r.booth_id = l.booth_id
                                                                     AND r.status NOT IN ('cancelled', 'expired')) END THEN 1
            WHEN i.status = 'draft' THEN 0
            WHEN l.net <= 0 THEN 1
            ELSE (SELECT sum(x.net) FROM invoices n JOIN invoice_items x ON x.invoice_id = n.id
                   WHERE x.tax_category = l.tax_category AND x.tax_rate = l.tax_rate
                     AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')) <= 0 END AS is_claimed
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id
 WHERE l.bills IS NOT NULL AND i.invoice_type = 'invoice' AND i.status <> 'cancelled' AND (i.credited < i.total OR i.total = 0)
   AND (NOT EXISTS (SELECT 1 FROM invoices n WHERE n.related_invoice_id = i.id)
        OR coalesce((SELECT sum(x.net) FROM invoice_items x JOIN invoices n ON n.id = x.invoice_id
                      WHERE x.bills = l.bills AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')
                     HAVING sum(n.invoice_type = 'credit_note') > 0), 1) > 0);

DROP VIEW item_claims;
CREATE VIEW item_claims AS
SELECT o.event_participant_id, 'item ' || t.id AS bills, NULL AS fee_of_participant_id, NULL AS booth_reservation_id, o.id AS service_order_id,
       t.id AS service_order_item_id, t.net, t.quantity, t.unit_price, t.tax_rate, o.currency,
       CASE WHEN EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'item ' || t.id) THEN 1
            ELSE EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'order ' || o.id) END AS is_billed
  FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
 WHERE o.status IN ('confirmed', 'completed') AND t.status <> 'cancelled' AND t.net > 0;

DROP VIEW readiness;
CREATE VIEW readiness AS
SELECT f.*, CASE WHEN status <> 'confirmed' THEN 0 WHEN has_open_submissions THEN 0 WHEN has_open_contract THEN 0 WHEN is_guest THEN 1 WHEN NOT has_booth THEN 0
                 WHEN has_open_order THEN 0 WHEN has_draft THEN 0 WHEN owes THEN 0 WHEN has_unbilled THEN 0 ELSE 1 END AS is_ready
  FROM (SELECT p.id, p.status, p.role, p.event_id, p.role IN ('speaker', 'visitor', 'press', 'staff') AS is_guest,
               CASE WHEN EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id AND r.status = 'confirmed') THEN 1
                    WHEN p.role = 'exhibitor' THEN 0
                    ELSE NOT EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id AND r.status = 'pending') END AS has_booth,
               EXISTS (SELECT 1 FROM required_submissions q WHERE q.event_participant_id = p.id AND NOT q.is_done) AS has_open_submissions,
               EXISTS (SELECT 1 FROM open_contracts c WHERE c.event_participant_id = p.id) AS has_open_contract,
               EXISTS (SELECT 1 FROM service_orders o WHERE o.event_participant_id = p.id
                                                        AND o.status IN ('draft', 'submitted')) AS has_open_order,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id AND i.status = 'draft') AS has_draft,
               CASE WHEN EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed) THEN 1
                    WHEN EXISTS (SELECT 1 FROM booth_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed) THEN 1
                    WHEN EXISTS (SELECT 1 FROM item_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed) THEN 1
                    ELSE EXISTS (SELECT 1 FROM billings b WHERE b.event_participant_id = p.id AND NOT b.is_claimed) END AS has_unbilled,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id AND i.status IN ('sent', 'partially_paid')
                                                  AND i.open_amount > 0) AS owes
          FROM participants p) f;
