-- Set updated_at of a record whose custom fields have changed.

-- name: touch_participant
UPDATE participants SET updated_at = :stamp WHERE id = :id;

-- name: touch_event
UPDATE events SET updated_at = :stamp WHERE id = :id;

-- name: touch_booth
UPDATE booths SET updated_at = :stamp WHERE id = :id;

-- name: touch_submission
UPDATE submissions SET updated_at = :stamp WHERE id = :id;
