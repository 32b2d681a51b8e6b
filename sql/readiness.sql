-- Readiness of participants: the facts of the view `readiness`, with the date on which each part is due.

-- name: facts
-- The facts about several participants. Lists are JSON.
SELECT f.id, f.status, f.role, f.is_guest, f.has_booth, f.has_open_order,
       EXISTS (SELECT 1 FROM service_orders o WHERE o.event_participant_id = f.id
         AND o.status <> 'cancelled') AS has_order,
       f.has_draft, f.has_unbilled, f.owes, e.date_from,
       (SELECT json_group_array(json_object('title', q.title, 'due_at', q.due_at, 'is_done', q.is_done, 'is_rejected',
               q.is_rejected, 'is_in_review', q.is_in_review))
          FROM required_submissions q WHERE q.event_participant_id = f.id) AS required_submissions,
       f.has_open_contract,
       (SELECT json_group_array(json_object('document_number', d.document_number, 'contract_status',
       d.contract_status)) FROM documents d
         WHERE d.entity_type = 'event_participant' AND d.entity_id = f.id AND d.is_contract) AS contracts,
       (SELECT json_group_array(r.booth_number) FROM booth_reservations r
         WHERE r.event_participant_id = f.id AND r.status = 'confirmed') AS booth_numbers,
       (SELECT k.category_key FROM participants p JOIN categories k ON k.id = p.category_id
         WHERE p.id = f.id) AS category_key,
       (SELECT min(r.expires_at) FROM booth_reservations r WHERE r.event_participant_id = f.id
         AND r.status = 'pending') AS held_until,
       (SELECT min(x.order_deadline) FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
          JOIN service_events x ON x.service_id = t.service_id AND x.event_id = o.event_id
         WHERE o.event_participant_id = f.id AND o.status = 'draft') AS order_deadline,
       (SELECT min(i.due_date) FROM invoices i
         WHERE i.event_participant_id = f.id AND +i.status IN ('sent', 'partially_paid')
         AND i.open_amount > 0) AS payment_due
  FROM readiness f JOIN events e ON e.id = f.event_id
 WHERE f.id IN (SELECT value FROM json_each(:ids));
