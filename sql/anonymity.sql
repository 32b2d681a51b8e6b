-- Which contact a record belongs to, if that contact has been anonymised.

-- name: contact_behind
-- The anonymised contact that a record belongs to. A note, document or task is followed to the record that it is
-- about, which can be another of these.
WITH RECURSIVE about (entity_type, entity_id) AS (
  SELECT :entity_type, :entity_id
   UNION SELECT n.entity_type, n.entity_id FROM about a CROSS JOIN notes n ON n.id = a.entity_id
     WHERE a.entity_type = 'note'
   UNION SELECT d.entity_type, d.entity_id FROM about a CROSS JOIN documents d ON d.id = a.entity_id
     WHERE a.entity_type = 'document'
   UNION SELECT t.entity_type, t.entity_id FROM about a CROSS JOIN tasks t ON t.id = a.entity_id
     WHERE a.entity_type = 'task')
SELECT c.id, c.anonymized_at FROM about a CROSS JOIN contacts c ON c.id = CASE a.entity_type
  WHEN 'contact' THEN a.entity_id
  WHEN 'application' THEN (SELECT contact_id FROM applications WHERE id = a.entity_id)
  WHEN 'event_participant' THEN (SELECT contact_id FROM participants WHERE id = a.entity_id)
  WHEN 'invoice' THEN (SELECT contact_id FROM invoices WHERE id = a.entity_id)
  WHEN 'payment' THEN (SELECT i.contact_id FROM payments m JOIN invoices i ON i.id = m.invoice_id
    WHERE m.id = a.entity_id)
  WHEN 'submission' THEN (SELECT p.contact_id FROM submissions s JOIN participants p ON p.id = s.event_participant_id
    WHERE s.id = a.entity_id)
  WHEN 'booth_reservation' THEN
    (SELECT p.contact_id FROM booth_reservations r JOIN participants p ON p.id = r.event_participant_id
      WHERE r.id = a.entity_id)
  WHEN 'service_order' THEN (SELECT p.contact_id FROM service_orders o
    JOIN participants p ON p.id = o.event_participant_id WHERE o.id = a.entity_id)
  WHEN 'check_in' THEN (SELECT p.contact_id FROM check_ins k JOIN participants p ON p.id = k.event_participant_id
    WHERE k.id = a.entity_id) END
 WHERE c.anonymized_at IS NOT NULL;
