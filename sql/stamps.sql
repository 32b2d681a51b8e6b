-- The latest `updated_at` that was ever stored (storage/database.py).

-- name: last
SELECT stamped_at FROM last_stamp WHERE id = 1;

-- name: keep
UPDATE last_stamp SET stamped_at = :stamp WHERE id = 1;
