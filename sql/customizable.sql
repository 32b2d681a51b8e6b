-- Records whose custom fields have changed.

-- name: contact
SELECT id, anonymized_at FROM contacts WHERE id = CASE :entity_type
  WHEN 'contact' THEN :id
  WHEN 'application' THEN (SELECT contact_id FROM applications WHERE id = :id)
  WHEN 'event_participant' THEN (SELECT contact_id FROM participants WHERE id = :id)
  WHEN 'submission' THEN (SELECT p.contact_id FROM submissions s JOIN participants p ON p.id = s.event_participant_id WHERE s.id = :id)
  END;

-- name: touch_contact
UPDATE contacts SET updated_at = :now WHERE id = :id;

-- name: touch_application
UPDATE applications SET updated_at = :now WHERE id = :id;

-- name: touch_participant
UPDATE participants SET updated_at = :now WHERE id = :id;

-- name: touch_event
UPDATE events SET updated_at = :now WHERE id = :id;

-- name: touch_booth
UPDATE booths SET updated_at = :now WHERE id = :id;

-- name: touch_submission
UPDATE submissions SET updated_at = :now WHERE id = :id;
