-- Titles and events of records of any kind, by entity type and id.

-- name: short
-- Title and event of each record. An application belongs to an event only if it is for a single one.
WITH pairs (entity_type, entity_id) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:pairs))
SELECT p.entity_type, p.entity_id, e.title, e.id AS event_id FROM pairs p CROSS JOIN events e ON e.id = p.entity_id
 WHERE p.entity_type = 'event'
 UNION ALL
SELECT p.entity_type, p.entity_id,
       coalesce(c.company_name, nullif(trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, '')), ''),
       c.customer_number), NULL
  FROM pairs p CROSS JOIN contacts c ON c.id = p.entity_id WHERE p.entity_type = 'contact'
 UNION ALL
SELECT p.entity_type, p.entity_id, c.customer_number || ' at ' || e.event_key, e.id
  FROM pairs p CROSS JOIN participants r ON r.id = p.entity_id JOIN contacts c ON c.id = r.contact_id
  JOIN events e ON e.id = r.event_id
 WHERE p.entity_type = 'event_participant'
 UNION ALL
SELECT p.entity_type, p.entity_id,
       coalesce(a.company_name, nullif(trim(coalesce(a.first_name, '') || ' ' || coalesce(a.last_name, '')), ''),
       a.email), CASE (SELECT count(*) FROM application_events WHERE application_id = a.id)
                 WHEN 1 THEN (SELECT event_id FROM application_events WHERE application_id = a.id) END
  FROM pairs p CROSS JOIN applications a ON a.id = p.entity_id WHERE p.entity_type = 'application'
 UNION ALL
SELECT p.entity_type, p.entity_id, k.title, NULL FROM pairs p CROSS JOIN categories k ON k.id = p.entity_id
 WHERE p.entity_type = 'category'
 UNION ALL
SELECT p.entity_type, p.entity_id, i.invoice_number, i.event_id FROM pairs p CROSS JOIN invoices i ON i.id = p.entity_id
 WHERE p.entity_type = 'invoice'
 UNION ALL
SELECT p.entity_type, p.entity_id, i.invoice_number, i.event_id
  FROM pairs p CROSS JOIN payments m ON m.id = p.entity_id JOIN invoices i ON i.id = m.invoice_id
  WHERE p.entity_type = 'payment'
 UNION ALL
SELECT p.entity_type, p.entity_id, h.plan_name, h.event_id FROM pairs p CROSS JOIN plans h ON h.id = p.entity_id
 WHERE p.entity_type = 'plan'
 UNION ALL
SELECT p.entity_type, p.entity_id, b.booth_number, b.event_id FROM pairs p CROSS JOIN booths b ON b.id = p.entity_id
 WHERE p.entity_type = 'booth'
 UNION ALL
SELECT p.entity_type, p.entity_id, t.booth_type_name, NULL FROM pairs p CROSS JOIN booth_types t ON t.id = p.entity_id
 WHERE p.entity_type = 'booth_type'
 UNION ALL
SELECT p.entity_type, p.entity_id, f.name, NULL FROM pairs p CROSS JOIN booth_formulas f ON f.id = p.entity_id
 WHERE p.entity_type = 'booth_formula'
 UNION ALL
SELECT p.entity_type, p.entity_id, r.booth_number || ' at ' || e.event_key, e.id
  FROM pairs p CROSS JOIN booth_reservations r ON r.id = p.entity_id JOIN events e ON e.id = r.event_id
  WHERE p.entity_type = 'booth_reservation'
 UNION ALL
SELECT p.entity_type, p.entity_id, s.service_name, NULL FROM pairs p CROSS JOIN services s ON s.id = p.entity_id
 WHERE p.entity_type = 'service'
 UNION ALL
SELECT p.entity_type, p.entity_id, k.category_name, NULL FROM pairs p CROSS
  JOIN service_categories k ON k.id = p.entity_id
 WHERE p.entity_type = 'service_category'
 UNION ALL
SELECT p.entity_type, p.entity_id, o.order_number, o.event_id FROM pairs p CROSS
  JOIN service_orders o ON o.id = p.entity_id
 WHERE p.entity_type = 'service_order'
 UNION ALL
SELECT p.entity_type, p.entity_id, coalesce(d.title, d.document_number, d.filename), NULL
  FROM pairs p CROSS JOIN documents d ON d.id = p.entity_id WHERE p.entity_type = 'document'
 UNION ALL
SELECT p.entity_type, p.entity_id, t.title, t.event_id
  FROM pairs p CROSS JOIN submissions s ON s.id = p.entity_id JOIN submission_types t ON t.id = s.type_id
  WHERE p.entity_type = 'submission'
 UNION ALL
SELECT p.entity_type, p.entity_id, v.checked_in_at, v.event_id FROM pairs p CROSS JOIN check_ins v ON v.id = p.entity_id
 WHERE p.entity_type = 'check_in'
 UNION ALL
SELECT p.entity_type, p.entity_id, s.title, s.event_id FROM pairs p CROSS JOIN schedule_slots s ON s.id = p.entity_id
 WHERE p.entity_type = 'schedule'
 UNION ALL
SELECT p.entity_type, p.entity_id, 'Note on ' || replace(n.entity_type, '_', ' ') || ' ' || n.entity_id,
  NULL FROM pairs p CROSS JOIN notes n ON n.id = p.entity_id WHERE p.entity_type = 'note'
 UNION ALL
SELECT p.entity_type, p.entity_id, t.title, t.event_id FROM pairs p CROSS JOIN tasks t ON t.id = p.entity_id
 WHERE p.entity_type = 'task';
