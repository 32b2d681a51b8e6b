-- Merging contacts: the contacts and participants themselves. What belongs to them is handed over by statements
-- `hand_over…` of their own files. A test checks that no table is missing.

-- name: in_short
SELECT id, customer_number, company_name, first_name, last_name, email, phone, postal_code, city FROM contacts
 WHERE id IN (SELECT value FROM json_each(:ids));

-- name: participants
-- Participants of the duplicate. counterpart_id is the participant of the other contact with the same event and role.
SELECT p.id, (SELECT k.id FROM participants k WHERE k.event_id = p.event_id AND k.contact_id = :contact_id
  AND k.role = p.role) AS counterpart_id
  FROM participants p WHERE p.contact_id = :duplicate_id ORDER BY p.id;

-- name: move_participant
UPDATE participants SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_aliases
UPDATE badge_aliases SET event_participant_id = :participant_id, updated_at = :stamp WHERE event_participant_id = :id;

-- name: add_alias
-- Keep the number of a deleted participant valid.
INSERT INTO badge_aliases (badge_number, event_participant_id, created_at, updated_at)
  VALUES (:badge_number, :participant_id, :now, :stamp);

-- name: hand_over_profile
-- The profile, unless the other participant has one.
UPDATE profiles SET participant_id = :participant_id, updated_at = :stamp
 WHERE participant_id = :id AND NOT EXISTS (SELECT 1 FROM profiles k WHERE k.participant_id = :participant_id);

-- name: hand_over_choice
-- The time to choose a booth, unless the other participant has its own.
UPDATE booth_choices SET participant_id = :participant_id
 WHERE participant_id = :id AND NOT EXISTS (SELECT 1 FROM booth_choices k WHERE k.participant_id = :participant_id);

-- name: move_categories
INSERT OR IGNORE INTO contact_categories (contact_id, category_id)
SELECT :contact_id, category_id FROM contact_categories WHERE contact_id = :duplicate_id;

-- name: move_tags
INSERT OR IGNORE INTO contact_tags (contact_id, tag) SELECT :contact_id, tag FROM contact_tags
 WHERE contact_id = :duplicate_id;

-- name: follow
-- Contacts that were merged into the duplicate now belong to the contact that is kept.
UPDATE merged_contacts SET contact_id = :contact_id WHERE contact_id = :duplicate_id;

-- name: remember
INSERT INTO merged_contacts (duplicate_id, contact_id, merged_at) VALUES (:duplicate_id, :contact_id, :now);
