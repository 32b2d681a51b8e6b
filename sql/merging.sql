-- Merging contacts: the records of the duplicate and of its participants. A test checks that no table is missing.

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

-- name: invoices
SELECT id FROM invoices WHERE contact_id = :contact_id ORDER BY id;

-- name: invoices_of_participant
SELECT id FROM invoices WHERE event_participant_id = :id ORDER BY id;

-- name: move_invoice
UPDATE invoices SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_invoice
UPDATE invoices SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_fee
-- If both participants were billed a fee, the line of the duplicate does not move: its fee is no longer owed and has
-- to be credited.
UPDATE invoice_items SET fee_of_participant_id = :participant_id
 WHERE fee_of_participant_id = :id AND NOT EXISTS (SELECT 1 FROM billings WHERE bills = 'fee ' || :participant_id);

-- name: hosted
-- Participants whose host the duplicate's participant is.
SELECT id FROM participants WHERE host_participant_id = :id ORDER BY id;

-- name: hand_over_hosted
UPDATE participants SET host_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: reservations
-- Reservations of the duplicate's participant. is_second_place: the other participant already holds the booth or is
-- on its waiting list.
SELECT r.id, r.status = 'waitlisted' AND EXISTS (SELECT 1 FROM booth_reservations k
         WHERE k.booth_id = r.booth_id AND k.event_participant_id = :participant_id
           AND k.status IN ('waitlisted', 'pending', 'confirmed')) AS is_second_place
  FROM booth_reservations r WHERE r.event_participant_id = :id ORDER BY r.id;

-- name: hand_over_reservation
UPDATE booth_reservations SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: orders
SELECT id FROM service_orders WHERE event_participant_id = :id ORDER BY id;

-- name: hand_over_order
UPDATE service_orders SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: submissions
-- Submissions of the duplicate's participant. counterpart_id is the other participant's submission of the same type.
SELECT o.id, (SELECT k.id FROM submissions k WHERE k.event_participant_id = :participant_id
  AND k.type_id = o.type_id) AS counterpart_id
  FROM submissions o WHERE o.event_participant_id = :id ORDER BY o.id;

-- name: hand_over_submission
UPDATE submissions SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_aliases
UPDATE badge_aliases SET event_participant_id = :participant_id, updated_at = :stamp WHERE event_participant_id = :id;

-- name: add_alias
-- Keep the number of a deleted participant valid.
INSERT INTO badge_aliases (badge_number, event_participant_id, created_at, updated_at)
  VALUES (:badge_number, :participant_id, :now, :stamp);

-- name: slots
SELECT DISTINCT schedule_slot_id FROM schedule_assignments WHERE event_participant_id = :id ORDER BY schedule_slot_id;

-- name: drop_second_assignments
-- Assignments that the other participant already has.
DELETE FROM schedule_assignments WHERE event_participant_id = :id AND (schedule_slot_id, role) IN (
  SELECT schedule_slot_id, role FROM schedule_assignments WHERE event_participant_id = :participant_id);

-- name: hand_over_assignments
UPDATE schedule_assignments SET event_participant_id = :participant_id WHERE event_participant_id = :id;

-- name: visits
SELECT id FROM check_ins WHERE event_participant_id = :id ORDER BY id;

-- name: hand_over_profile
-- The profile, unless the other participant has one.
UPDATE profiles SET participant_id = :participant_id, updated_at = :stamp
 WHERE participant_id = :id AND NOT EXISTS (SELECT 1 FROM profiles k WHERE k.participant_id = :participant_id);

-- name: links
SELECT id FROM links WHERE participant_id = :id ORDER BY id;

-- name: hand_over_link
UPDATE links SET participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_choice
-- The time to choose a booth, unless the other participant has its own.
UPDATE booth_choices SET participant_id = :participant_id
 WHERE participant_id = :id AND NOT EXISTS (SELECT 1 FROM booth_choices k WHERE k.participant_id = :participant_id);

-- name: hand_over_visit
UPDATE check_ins SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_scans
UPDATE check_in_scans SET event_participant_id = :participant_id WHERE event_participant_id = :id;

-- name: applications
SELECT id FROM applications WHERE contact_id = :contact_id ORDER BY id;

-- name: move_application
UPDATE applications SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;

-- name: subscribers
-- Newsletter subscribers that belong to the duplicate. If several contacts have the address, it is that of the oldest.
SELECT id FROM newsletter_subscribers WHERE contact_id = :duplicate_id
 UNION SELECT s.id FROM contacts c JOIN newsletter_subscribers s ON s.email = c.email
        WHERE c.id = :duplicate_id AND s.contact_id IS NULL
        AND c.id = (SELECT min(o.id) FROM contacts o WHERE o.email = c.email)
 ORDER BY id;

-- name: move_subscriber
UPDATE newsletter_subscribers SET contact_id = :contact_id, updated_at = :stamp WHERE id = :id;

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
