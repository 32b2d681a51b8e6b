-- The settings of the public pages of events.

-- columns: fields = language is_public show_directory show_plan show_programme is_indexed texts accent_color contact_email contact_phone embed_origins apply_is_open apply_capacity apply_terms apply_file_type
--   visit_is_open visit_until visit_fields show_prices mail_texts

-- name: get
-- An event without a row has the defaults of the table.
SELECT e.id, e.event_key, p.language, ifnull(p.is_public, 0) AS is_public, ifnull(p.show_directory, 1) AS show_directory,
       ifnull(p.show_plan, 0) AS show_plan, ifnull(p.show_programme, 1) AS show_programme, ifnull(p.is_indexed, 1) AS is_indexed,
       ifnull(p.texts, '{}') AS texts, p.accent_color, p.contact_email, p.contact_phone, ifnull(p.embed_origins, '[]') AS embed_origins,
       ifnull(p.apply_is_open, 0) AS apply_is_open, p.apply_capacity, ifnull(p.apply_terms, '{}') AS apply_terms, p.apply_file_type,
       ifnull(p.visit_is_open, 0) AS visit_is_open, p.visit_until, ifnull(p.visit_fields, '[]') AS visit_fields, ifnull(p.show_prices, 0) AS show_prices,
       ifnull(p.mail_texts, '{}') AS mail_texts, p.created_at, p.updated_at
  FROM events e LEFT JOIN event_pages p ON p.event_id = e.id
 WHERE e.id = :id;

-- name: find
SELECT id, is_visible FROM events WHERE event_key = :event_key;

-- name: disabled
SELECT 1 FROM flags WHERE name = 'pages' AND enabled = 0;

-- name: has_date
SELECT date_from IS NOT NULL FROM events WHERE id = :id;

-- name: has_automatic_category
-- A row if the event has a category with which visitors register.
SELECT 1 FROM category_events x JOIN categories k ON k.id = x.category_id
 WHERE x.event_id = :id AND k.approval = 'automatic' AND k.applicant_visibility = 'selectable' LIMIT 1;

-- name: has_submission_type
SELECT 1 FROM submission_types WHERE event_id = :id AND key = :key;

-- name: mail_text
-- The organiser's own text of a mail in a language.
SELECT mail_texts ->> ('$.' || :name || '.' || :language) FROM event_pages WHERE event_id = :event_id;

-- name: add
INSERT INTO event_pages (event_id, {fields}, created_at, updated_at) VALUES (:id, {:fields}, :now, :stamp)
    ON CONFLICT (event_id) DO UPDATE SET {fields = :fields}, updated_at = :stamp;

-- name: copy
INSERT INTO event_pages (event_id, {fields}, created_at, updated_at)
SELECT :new_id, language, 0, show_directory, show_plan, show_programme, is_indexed, texts, accent_color, contact_email, contact_phone,
       embed_origins, 0, apply_capacity, apply_terms, NULL, 0, NULL, visit_fields, show_prices, mail_texts, :now, :stamp
  FROM event_pages WHERE event_id = :old_id;
