-- Readiness, as before (0012_create_readiness.sql), but what is not billed is found without looking up each claim: lists of
-- thousands of exhibitors ask for it. The statement overview.exhibitors has the same rules for all exhibitors of an event.
DROP VIEW readiness;
CREATE VIEW readiness AS
SELECT f.*, CASE WHEN status <> 'confirmed' THEN 0 WHEN has_open_submissions THEN 0 WHEN has_open_contract THEN 0
                 WHEN is_guest THEN 1 WHEN NOT has_booth THEN 0 WHEN has_open_order THEN 0 WHEN has_draft THEN 0
                 WHEN owes THEN 0 WHEN has_unbilled THEN 0 ELSE 1 END AS is_ready
  FROM (SELECT p.id, p.status, p.role, p.event_id, p.role IN ('speaker', 'visitor', 'press', 'staff') AS is_guest,
               CASE WHEN EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id
                                                                      AND r.status = 'confirmed') THEN 1
                    WHEN p.role = 'exhibitor' THEN 0
                    ELSE NOT EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id
                                                                          AND r.status = 'pending') END AS has_booth,
               EXISTS (SELECT 1 FROM required_submissions q WHERE q.event_participant_id = p.id
                                                              AND NOT q.is_done) AS has_open_submissions,
               EXISTS (SELECT 1 FROM open_contracts c WHERE c.event_participant_id = p.id) AS has_open_contract,
               EXISTS (SELECT 1 FROM service_orders o WHERE o.event_participant_id = p.id
                                                        AND o.status IN ('draft', 'submitted')) AS has_open_order,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id
                                                  AND i.status = 'draft') AS has_draft,
               -- What has no line at all is surely not billed. Otherwise the lines prove that everything is, but for credit
               -- notes, cancelled invoices, and what was cancelled, moved or merged.
               CASE WHEN NOT EXISTS (SELECT 1 FROM invoice_items l WHERE l.fee_of_participant_id = p.id)
                         AND EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = p.id) THEN 1
                    WHEN EXISTS (SELECT 1 FROM booth_reservations r
                                  WHERE r.event_participant_id = p.id AND r.status = 'confirmed' AND r.final_price > 0
                                    AND NOT EXISTS (SELECT 1 FROM invoice_items l
                                                     WHERE l.booth_reservation_id = r.id AND l.booth_id = r.booth_id)
                                    AND r.moved_from IS NULL) THEN 1
                    WHEN EXISTS (SELECT 1 FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
                                  WHERE o.event_participant_id = p.id AND o.status IN ('confirmed', 'completed')
                                    AND t.status <> 'cancelled' AND t.net > 0
                                    AND NOT EXISTS (SELECT 1 FROM invoice_items l
                                                     WHERE l.service_order_id = o.id
                                                       AND ifnull(l.service_order_item_id, t.id) = t.id)) THEN 1
                    WHEN p.status <> 'cancelled'
                         AND NOT EXISTS (SELECT 1 FROM invoices i
                                          WHERE i.event_participant_id = p.id
                                            AND (i.invoice_type = 'credit_note' OR i.status = 'cancelled' OR i.total < 0))
                         AND NOT EXISTS (SELECT 1 FROM booth_reservations r
                                          WHERE r.event_participant_id = p.id
                                            AND (r.status IN ('cancelled', 'expired') OR r.moved_from IS NOT NULL))
                         AND NOT EXISTS (SELECT 1 FROM service_orders o WHERE o.event_participant_id = p.id
                                                                          AND o.status = 'cancelled')
                         AND NOT EXISTS (SELECT 1 FROM service_orders o JOIN service_order_items t
                                             ON t.service_order_id = o.id AND t.status = 'cancelled'
                                          WHERE o.event_participant_id = p.id)
                         AND NOT EXISTS (SELECT 1 FROM badge_aliases a WHERE a.event_participant_id = p.id) THEN 0
                    WHEN EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = p.id
                                                              AND NOT c.is_billed) THEN 1
                    WHEN EXISTS (SELECT 1 FROM booth_claims c WHERE c.event_participant_id = p.id
                                                                AND NOT c.is_billed) THEN 1
                    WHEN EXISTS (SELECT 1 FROM item_claims c WHERE c.event_participant_id = p.id
                                                               AND NOT c.is_billed) THEN 1
                    ELSE EXISTS (SELECT 1 FROM billings b WHERE b.event_participant_id = p.id
                                                            AND NOT b.is_claimed) END AS has_unbilled,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id
                                                  AND i.status IN ('sent', 'partially_paid')
                                                  AND i.open_amount > 0) AS owes
          FROM participants p) f;
