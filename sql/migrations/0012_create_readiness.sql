-- Readiness of participants for their event, as far as the records show it.

-- One row per participant: what is missing, and is_ready, which is 1 if nothing is. For guests, only status,
-- submissions and contracts count. is_ready tests cheap conditions first, because CASE stops at the first that is true.
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
               CASE WHEN EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = p.id
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
