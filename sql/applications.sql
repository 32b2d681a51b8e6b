-- Applications.

-- name: get
SELECT a.id, a.status, a.company_name, a.first_name, a.last_name, a.email, a.phone, a.fax, a.mobile, a.address, a.postal_code,
       a.city, a.state, a.country, a.website, a.notes, a.tax_id, a.rating, a.message, a.requested_area, a.late,
       a.terms_accepted_at, a.contact_id, c.customer_number, a.question, a.decided_at, a.decided_by, a.decision_reason,
       (SELECT json_group_array(event_key) FROM (SELECT e.event_key FROM application_events x JOIN events e ON e.id = x.event_id
          WHERE x.application_id = a.id ORDER BY e.id)) AS event_keys,
       (SELECT json_group_array(category_key) FROM (SELECT k.category_key FROM application_categories x
          JOIN categories k ON k.id = x.category_id WHERE x.application_id = a.id ORDER BY k.id)) AS category_keys,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'application' AND v.entity_id = a.id ORDER BY d.display_order, d.id)) AS custom_fields,
       a.created_at, a.updated_at
  FROM applications a LEFT JOIN contacts c ON c.id = a.contact_id
 WHERE a.id = :id;

-- name: list
SELECT a.id, a.status, a.company_name, a.first_name, a.last_name, a.email, a.phone, a.fax, a.mobile, a.address, a.postal_code,
       a.city, a.state, a.country, a.website, a.notes, a.tax_id, a.rating, a.message, a.requested_area, a.late,
       a.terms_accepted_at, a.contact_id, c.customer_number, a.question, a.decided_at, a.decided_by, a.decision_reason,
       a.created_at, a.updated_at
  FROM applications a
  LEFT JOIN contacts c ON c.id = a.contact_id
 WHERE TRUE
   AND a.id IN (SELECT value FROM json_each(:ids))                                                        -- when ids
   AND likelihood(a.updated_at >= :updated_since, 0.0001)                                                                     -- when updated_since
   AND a.status = :status                                                                                 -- when status
   AND a.id IN (SELECT application_id FROM application_events WHERE event_id = :event_id)                 -- when event_id
   AND a.id IN (SELECT application_id FROM application_categories WHERE category_id = :category_id)       -- when category_id
   AND a.id IN (SELECT rowid FROM applications_search WHERE applications_search MATCH :search)            -- when search
   AND a.id IN (SELECT entity_id FROM custom_field_terms WHERE field_id = :cf_field AND term = :cf_term)  -- when cf_few
   AND EXISTS (SELECT 1 FROM custom_field_terms WHERE field_id = :cf_field AND term = :cf_term AND entity_id = a.id)  -- when cf_many
   AND NOT EXISTS (SELECT 1 FROM json_each(:cf_rest) f WHERE NOT EXISTS (SELECT 1 FROM custom_field_terms t  -- when cf_rest
        WHERE t.field_id = f.value ->> 0 AND t.term = f.value ->> 1 AND t.entity_id = a.id))              -- when cf_rest
 ORDER BY {sort} {order} NULLS LAST, a.id {order}  -- sort: id=a.id created_at=a.id company_name=a.company_name_folded last_name=a.last_name_folded email=a.email_folded city=a.city_folded rating=a.rating

-- name: events_of
SELECT x.application_id, e.id, e.event_key, e.title, e.city, e.country, e.date_from, e.date_to
  FROM application_events x JOIN events e ON e.id = x.event_id
 WHERE x.application_id IN (SELECT value FROM json_each(:ids)) ORDER BY e.id;

-- name: categories_of
SELECT x.application_id, k.id, k.category_key, k.title
  FROM application_categories x JOIN categories k ON k.id = x.category_id
 WHERE x.application_id IN (SELECT value FROM json_each(:ids)) ORDER BY k.id;

-- name: event_ids
SELECT event_id FROM application_events WHERE application_id = :id ORDER BY event_id;

-- name: category_ids
SELECT category_id FROM application_categories WHERE application_id = :id ORDER BY category_id;

-- name: has_participants
SELECT 1 FROM participants WHERE application_id = :id LIMIT 1;

-- name: closed_events
-- Keys of those events whose application deadline has passed.
SELECT event_key FROM events
 WHERE id IN (SELECT value FROM json_each(:event_ids)) AND application_deadline_at < :now ORDER BY id;

-- name: second
-- Another open application with the same e-mail address for one of these events.
SELECT a.id FROM applications a JOIN application_events x ON x.application_id = a.id
 WHERE a.email = :email AND a.status IN ('new', 'in_review', 'waitlisted', 'info_requested') AND a.id <> :id
   AND x.event_id IN (SELECT value FROM json_each(:event_ids)) LIMIT 1;

-- name: add
INSERT INTO applications (company_name, first_name, last_name, email, phone, fax, mobile, address, postal_code, city, state, country,
  website, notes, tax_id, rating, message, requested_area, late, terms_accepted_at,
  company_name_folded, first_name_folded, last_name_folded, email_folded, city_folded, created_at, updated_at)
VALUES (:company_name, :first_name, :last_name, :email, :phone, :fax, :mobile, :address, :postal_code, :city, :state, :country,
  :website, :notes, :tax_id, :rating, :message, :requested_area, :late, :terms_accepted_at,
  fold(:company_name), fold(:first_name), fold(:last_name), fold(:email), fold(:city), :now, :stamp);

-- name: change
UPDATE applications SET company_name = :company_name, first_name = :first_name, last_name = :last_name, email = :email,
  phone = :phone, fax = :fax, mobile = :mobile, address = :address, postal_code = :postal_code, city = :city, state = :state,
  country = :country, website = :website, notes = :notes, tax_id = :tax_id, rating = :rating, message = :message,
  requested_area = :requested_area, late = :late, terms_accepted_at = :terms_accepted_at,
  company_name_folded = fold(:company_name), first_name_folded = fold(:first_name), last_name_folded = fold(:last_name),
  email_folded = fold(:email), city_folded = fold(:city)
 WHERE id = :id;

-- name: move
-- Set the status and the fields that an action changes.
UPDATE applications SET status = :status, contact_id = :contact_id, question = :question, decided_at = :decided_at,
  decided_by = :decided_by, decision_reason = :decision_reason, updated_at = :stamp
 WHERE id = :id;

-- name: touch
UPDATE applications SET updated_at = :stamp WHERE id = :id;

-- name: clear_events
DELETE FROM application_events WHERE application_id = :id;

-- name: add_events
INSERT INTO application_events (application_id, event_id) SELECT :id, value FROM json_each(:event_ids);

-- name: clear_categories
DELETE FROM application_categories WHERE application_id = :id;

-- name: add_categories
INSERT INTO application_categories (application_id, category_id) SELECT :id, value FROM json_each(:category_ids);

-- name: remove
DELETE FROM applications WHERE id = :id;
