-- The settings of the public pages of events.

-- columns: fields = language is_public show_directory show_plan show_programme is_indexed texts accent_color contact_email contact_phone embed_origins apply_is_open apply_capacity apply_terms my_is_open my_rights
--   booth_from booth_until booth_types booth_confirm hold_days badges_free badge_service_id apply_file_type
--   visit_is_open visit_until visit_fields show_prices mail_texts apply_form price_display

-- name: get
-- An event without a row has the defaults of the table.
SELECT e.id, e.event_key, p.language, ifnull(p.is_public, 0) AS is_public,
       ifnull(p.show_directory, 1) AS show_directory, ifnull(p.show_plan, 0) AS show_plan,
       ifnull(p.show_programme, 1) AS show_programme, ifnull(p.is_indexed, 1) AS is_indexed,
       ifnull(p.texts, '{}') AS texts, p.accent_color, p.contact_email, p.contact_phone,
       ifnull(p.embed_origins, '[]') AS embed_origins, ifnull(p.apply_is_open, 0) AS apply_is_open, p.apply_capacity,
       ifnull(p.apply_terms, '{}') AS apply_terms, ifnull(p.my_is_open, 0) AS my_is_open,
       p.my_rights, p.booth_from, p.booth_until, ifnull(p.booth_types, '[]') AS booth_types,
       ifnull(p.booth_confirm, 'office') AS booth_confirm, ifnull(p.hold_days, 7) AS hold_days,
       ifnull(p.badges_free, 2) AS badges_free, p.badge_service_id, p.apply_file_type,
       ifnull(p.visit_is_open, 0) AS visit_is_open, p.visit_until, ifnull(p.visit_fields, '[]') AS visit_fields,
       ifnull(p.show_prices, 0) AS show_prices, ifnull(p.mail_texts, '{}') AS mail_texts,
       p.apply_form, p.price_display, p.created_at, p.updated_at
  FROM events e LEFT JOIN event_pages p ON p.event_id = e.id
 WHERE e.id = :id;

-- name: kept
-- What the row itself holds, without defaults.
SELECT apply_form, price_display FROM event_pages WHERE event_id = :id;

-- name: looks_at_prices
-- A row if prices are shown, and nobody has said how since forms show them with tax.
SELECT 1 FROM event_pages WHERE event_id = :id AND show_prices = 1 AND price_display IS NULL;

-- name: find
SELECT id, is_visible FROM events WHERE event_key = :event_key;

-- name: open_for_exhibitors
-- The shows whose exhibitors have pages of their own, and whom they ask.
SELECT e.title, ifnull(p.contact_email, :email) AS email, ifnull(p.contact_phone, :phone) AS phone
  FROM event_pages p JOIN events e ON e.id = p.event_id
 WHERE p.my_is_open = 1 AND NOT EXISTS (SELECT 1 FROM flags WHERE name = 'pages' AND enabled = 0)
 ORDER BY e.date_from_at, e.id;

-- name: event_word
-- What mails call the event.
SELECT event_word FROM events WHERE id = :event_id;

-- name: disabled
SELECT 1 FROM flags WHERE name = 'pages' AND enabled = 0;

-- name: disabled_flags
SELECT name FROM flags WHERE enabled = 0;

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

-- name: timezone
SELECT timezone FROM events WHERE id = :id;

-- name: unknown_types
-- Keys in the list that no booth type has.
SELECT value FROM json_each(:keys) WHERE value NOT IN (SELECT booth_type_key FROM booth_types);

-- name: is_offered
SELECT 1 FROM service_events WHERE service_id = :service_id AND event_id = :id;

-- name: add
INSERT INTO event_pages (event_id, {fields}, created_at, updated_at) VALUES (:id, {:fields}, :now, :stamp)
    ON CONFLICT (event_id) DO UPDATE SET {fields = :fields}, updated_at = :stamp;

-- name: copy
INSERT INTO event_pages (event_id, {fields}, created_at, updated_at)
SELECT :new_id, language, 0, show_directory, show_plan, show_programme, is_indexed, texts, accent_color, contact_email,
       contact_phone, embed_origins, 0, apply_capacity, apply_terms, 0, my_rights, NULL, NULL, booth_types,
       booth_confirm, hold_days, badges_free, badge_service_id, NULL, 0, NULL, visit_fields, show_prices, mail_texts,
       apply_form, price_display, :now, :stamp
  FROM event_pages WHERE event_id = :old_id;
