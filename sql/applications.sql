-- Applications.

-- columns: fields = company_name first_name last_name email phone fax mobile address postal_code city state country website notes
--   language tax_id rating message requested_area late terms_accepted_at booth_type_id is_business
-- columns: decision = question answer answered_at decided_at decided_by decision_reason
-- columns: personal = fields without country language rating requested_area late terms_accepted_at booth_type_id is_business
-- columns: texts = company_name first_name last_name email city

-- name: get
SELECT a.id, a.status, {a.fields}, t.booth_type_key, t.booth_type_name, a.email_confirmed_at, a.contact_id,
       c.customer_number, {a.decision},
       (SELECT json_group_array(event_key) FROM (SELECT e.event_key FROM application_events x
         JOIN events e ON e.id = x.event_id
          WHERE x.application_id = a.id ORDER BY e.id)) AS event_keys,
       (SELECT json_group_array(category_key) FROM (SELECT k.category_key FROM application_categories x
          JOIN categories k ON k.id = x.category_id WHERE x.application_id = a.id ORDER BY k.id)) AS category_keys,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'application' AND v.entity_id = a.id ORDER BY d.display_order, d.id)) AS custom_fields,
       a.created_at, a.updated_at
  FROM applications a LEFT JOIN contacts c ON c.id = a.contact_id LEFT JOIN booth_types t ON t.id = a.booth_type_id
 WHERE a.id = :id;

-- name: list
SELECT a.id, a.status, {a.fields}, t.booth_type_key, t.booth_type_name, a.email_confirmed_at, a.contact_id,
       c.customer_number, {a.decision},
       a.created_at, a.updated_at
  FROM applications a
  LEFT JOIN contacts c ON c.id = a.contact_id
  LEFT JOIN booth_types t ON t.id = a.booth_type_id
 WHERE TRUE
   AND a.id IN (SELECT value FROM json_each(:ids))                                                        -- when ids
   AND likelihood(a.updated_at >= :updated_since, 0.0001)                                                                     -- when updated_since
   AND a.status = :status                                                                                 -- when status
   AND a.id IN (SELECT application_id FROM application_events WHERE event_id = :event_id)                 -- when event_id
   AND a.id IN (SELECT application_id FROM application_categories WHERE category_id = :category_id)       -- when category_id
   AND a.id IN (SELECT application_id FROM application_gaps WHERE lacks = :lacks)                         -- when lacks
   AND a.id IN (SELECT rowid FROM applications_search WHERE applications_search MATCH :search)            -- when search
   AND a.id IN (SELECT t.entity_id FROM json_each(:cf_terms) f CROSS JOIN custom_field_terms t                -- when cf_terms
        ON t.field_id = f.value ->> 0 AND t.term = f.value ->> 1                                            -- when cf_terms
        GROUP BY t.entity_id HAVING count(*) = json_array_length(:cf_terms))                                -- when cf_terms
 ORDER BY {sort} {order} NULLS LAST, a.id {order}  -- sort: id=a.id created_at=a.id company_name=a.company_name_folded last_name=a.last_name_folded email=a.email_folded city=a.city_folded rating=a.rating

-- name: events_of
SELECT x.application_id, e.id, e.event_key, e.title, e.city, e.country, e.date_from, e.date_to
  FROM application_events x JOIN events e ON e.id = x.event_id
 WHERE x.application_id IN (SELECT value FROM json_each(:ids)) ORDER BY e.id;

-- name: categories_of
SELECT x.application_id, k.id, k.category_key, k.title
  FROM application_categories x JOIN categories k ON k.id = x.category_id
 WHERE x.application_id IN (SELECT value FROM json_each(:ids)) ORDER BY k.id;

-- name: selectable_category
-- The category with this key, if applicants can choose it.
SELECT id FROM categories WHERE category_key = :name AND applicant_visibility = 'selectable';

-- name: selectable_categories
-- The categories of these events that applicants can choose, in the order of a form.
SELECT x.event_id, k.category_key, u.category_key AS parent_category_key, k.title, k.content AS description, k.approval,
       k.base_price AS price, CASE WHEN k.exemption_reason IS NULL THEN k.tax_rate ELSE 0 END AS tax_rate,
       ifnull(p.show_prices, 0) AS show_prices
  FROM category_events x JOIN categories k ON k.id = x.category_id LEFT JOIN categories u ON u.id = k.parent_category_id
  LEFT JOIN event_pages p ON p.event_id = x.event_id
 WHERE x.event_id IN (SELECT value FROM json_each(:ids)) AND k.applicant_visibility = 'selectable'
 ORDER BY x.event_id, k.sort_order, fold(k.title), k.id;

-- name: offered_type_by_id
-- The booth type, if it has a usual size: a form offers those.
SELECT id FROM booth_types WHERE id = :name AND usual_width IS NOT NULL AND usual_depth IS NOT NULL;

-- name: offered_type_by_key
SELECT id FROM booth_types WHERE booth_type_key = :name AND usual_width IS NOT NULL AND usual_depth IS NOT NULL;

-- name: event_ids
SELECT event_id FROM application_events WHERE application_id = :id ORDER BY event_id;

-- name: category_ids
SELECT category_id FROM application_categories WHERE application_id = :id ORDER BY category_id;

-- name: role
-- The role of the participants that approval adds: that of the first category.
SELECT k.role FROM application_categories x JOIN categories k ON k.id = x.category_id
 WHERE x.application_id = :id ORDER BY k.sort_order, k.id LIMIT 1;

-- name: has_fees
-- A row if a category of the event has a price.
SELECT 1 FROM category_events x JOIN categories k ON k.id = x.category_id WHERE x.event_id = :event_id
  AND k.base_price > 0 LIMIT 1;

-- name: titles
SELECT e.title FROM application_events x JOIN events e ON e.id = x.event_id WHERE x.application_id = :id ORDER BY e.id;

-- name: participants
-- The participants that an approved application has made or found, and that take part.
SELECT p.id FROM applications a JOIN application_events x ON x.application_id = a.id
  JOIN participants p ON p.event_id = x.event_id AND p.contact_id = a.contact_id
 WHERE a.id = :id AND a.status = 'approved' AND p.role = :role AND p.status <> 'cancelled' ORDER BY p.id;

-- name: has_participants
SELECT 1 FROM participants WHERE application_id = :id LIMIT 1;

-- name: admitted
-- Key of each event of an application at which its contact is a participant, and the status of that participant. The
-- one with the role of the application is the last one of an event.
SELECT e.event_key, p.status FROM application_events a JOIN events e ON e.id = a.event_id
  JOIN participants p ON p.event_id = a.event_id AND p.contact_id = :contact_id
 WHERE a.application_id = :id ORDER BY p.role = :role, p.id;

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
INSERT INTO applications ({fields}, {texts_folded}, created_at, updated_at)
VALUES ({:fields}, {fold(:texts)}, :now, :stamp);

-- name: change
-- Another address is not confirmed.
UPDATE applications SET {fields = :fields}, {texts_folded = fold(:texts)},
  email_confirmed_at = CASE WHEN email IS :email THEN email_confirmed_at END
 WHERE id = :id;

-- name: confirm_email
UPDATE applications SET email_confirmed_at = :now WHERE id = :id;

-- name: move
-- Set the status and the fields that an action changes.
UPDATE applications SET status = :status, contact_id = :contact_id, {decision = :decision}, updated_at = :stamp
 WHERE id = :id;

-- name: blank
-- Erase the personal data of the applications among `pairs`, and note the contact.
UPDATE applications SET {personal = NULL}, {texts_folded = NULL}, question = NULL, answer = NULL,
  decision_reason = NULL, contact_id = :id, updated_at = :stamp
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'application');

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

-- Merging: what a contact hands over to the contact `contact_id`.

-- name: of_contact
SELECT id FROM applications WHERE contact_id = :contact_id ORDER BY id;

-- name: hand_over
UPDATE applications SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;
