-- Figures for /metrics, read without counting the rows of big tables.

-- name: created
-- Number of rows ever created in each table.
SELECT name AS label, seq AS value FROM sqlite_sequence ORDER BY name;

-- name: events
-- Number and age of outgoing events. Ids have no gaps, and the oldest rows are deleted first, so the number follows
-- from the first and the last id.
SELECT coalesce((SELECT max(id) FROM outgoing_events) - (SELECT min(id) FROM outgoing_events) + 1, 0) AS waiting,
       (SELECT created_at FROM outgoing_events ORDER BY id LIMIT 1) AS oldest;

-- name: idempotency_keys
SELECT count(*) FROM idempotency_keys;

-- name: api_keys
SELECT count(*) FROM api_keys k JOIN admins a ON a.id = k.admin_id
 WHERE k.revoked_at IS NULL AND a.is_active = 1 AND (k.expires_at IS NULL OR k.expires_at > :now);
