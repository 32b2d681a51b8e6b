-- The latest `updated_at` that was ever stored (storage/database.py).

-- name: last
-- With the number of the last change of the settings, which each write transaction needs as well.
SELECT l.stamped_at, t.settings_revision FROM last_stamp l JOIN tenant t WHERE l.id = 1;

-- name: keep
UPDATE last_stamp SET stamped_at = :stamp WHERE id = 1;
