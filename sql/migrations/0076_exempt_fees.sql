-- The fee of a category with an exemption reason has the tax rate 0.
DROP VIEW fee_claims;
CREATE VIEW fee_claims AS
SELECT p.id AS event_participant_id, 'fee ' || p.id AS bills, p.id AS fee_of_participant_id,
       NULL AS booth_reservation_id, NULL AS service_order_id, NULL AS service_order_item_id,
       k.base_price AS net, 1 AS quantity, k.base_price AS unit_price,
       CASE WHEN k.exemption_reason IS NULL THEN k.tax_rate ELSE 0 END AS tax_rate, NULL AS currency,
       EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'fee ' || p.id) AS is_billed
  FROM participants p JOIN categories k ON k.id = p.category_id
 WHERE p.status <> 'cancelled' AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND k.base_price > 0;
