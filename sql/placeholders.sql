-- Values of placeholders: the record that a document is about, and the records that it belongs to.

-- name: subject
-- Ids of the records that belong to the record of a document.
SELECT id AS contact_id, NULL AS participant_id, NULL AS event_id, NULL AS invoice_id,
  NULL AS service_order_id FROM contacts
 WHERE :entity_type = 'contact' AND id = :entity_id
 UNION ALL SELECT contact_id, NULL,
   (SELECT min(event_id) FROM application_events WHERE application_id = applications.id), NULL, NULL
   FROM applications WHERE :entity_type = 'application' AND id = :entity_id
 UNION ALL SELECT contact_id, id, event_id, NULL, NULL FROM participants WHERE :entity_type = 'event_participant'
   AND id = :entity_id
 UNION ALL SELECT contact_id, event_participant_id, event_id, id, NULL FROM invoices WHERE :entity_type = 'invoice'
   AND id = :entity_id
 UNION ALL SELECT i.contact_id, i.event_participant_id, i.event_id, i.id, NULL FROM payments m
   JOIN invoices i ON i.id = m.invoice_id
  WHERE :entity_type = 'payment' AND m.id = :entity_id
 UNION ALL SELECT p.contact_id, p.id, p.event_id, NULL, NULL FROM booth_reservations r
   JOIN participants p ON p.id = r.event_participant_id
  WHERE :entity_type = 'booth_reservation' AND r.id = :entity_id
 UNION ALL SELECT p.contact_id, p.id, p.event_id, NULL, o.id FROM service_orders o
   JOIN participants p ON p.id = o.event_participant_id
  WHERE :entity_type = 'service_order' AND o.id = :entity_id
 UNION ALL SELECT NULL, NULL, id, NULL, NULL FROM events WHERE :entity_type = 'event' AND id = :entity_id
 UNION ALL SELECT NULL, NULL, event_id, NULL, NULL FROM plans WHERE :entity_type = 'plan' AND id = :entity_id
 UNION ALL SELECT NULL, NULL, event_id, NULL, NULL FROM booths WHERE :entity_type = 'booth' AND id = :entity_id;

-- name: contact
SELECT customer_number, company_name, first_name, last_name, email, phone, address, postal_code, city, state, country,
       website, tax_id, leitweg_id, gln, language
  FROM contacts WHERE id = :contact_id;

-- name: applicant
-- The applicant in place of a contact, as long as the application has none.
SELECT NULL AS customer_number, company_name, first_name, last_name, email, phone, address, postal_code, city, state,
       country, website, tax_id, NULL AS language
  FROM applications WHERE :entity_type = 'application' AND id = :entity_id;

-- name: participant
SELECT p.role, p.status, p.badge_name, p.badge_number, k.title AS category
  FROM participants p LEFT JOIN categories k ON k.id = p.category_id WHERE p.id = :participant_id;

-- name: event
SELECT title, event_key, venue, address, postal_code, city, country, date_from, date_to, application_deadline,
  timezone FROM events WHERE id = :event_id;

-- name: booths
-- Booths that the participant has reserved, as one row.
SELECT group_concat(booth_number, ', ') AS numbers, group_concat(DISTINCT plan_name) AS halls, sum(area) AS area,
  sum(final_price) AS price
  FROM (SELECT r.booth_number, p.plan_name, b.area, r.final_price
          FROM booth_reservations r JOIN booths b ON b.id = r.booth_id JOIN plans p ON p.id = b.plan_id
         WHERE r.event_participant_id = :participant_id AND r.status IN ('pending', 'confirmed')
         ORDER BY r.booth_number_natural);

-- name: invoice
SELECT invoice_number AS number, issue_date, due_date, total, currency, seller FROM invoices WHERE id = :invoice_id;

-- name: service_order
SELECT order_number AS number, total, currency FROM service_orders WHERE id = :service_order_id;
