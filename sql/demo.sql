-- The sample show.

-- name: has_records
SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM contacts);
