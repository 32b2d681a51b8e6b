-- What /metrics tells, read without counting a big table row by row.

-- name: created
SELECT name AS label, seq AS value FROM sqlite_sequence ORDER BY name;

-- name: events
-- Ids are given without gaps and taken away from the oldest on.
SELECT coalesce((SELECT max(id) FROM outgoing_events) - (SELECT min(id) FROM outgoing_events) + 1, 0) AS waiting,
       (SELECT created_at FROM outgoing_events ORDER BY id LIMIT 1) AS oldest;

-- name: idempotency_keys
SELECT count(*) FROM idempotency_keys;

-- name: api_keys
SELECT count(*) FROM api_keys k JOIN admins a ON a.id = k.admin_id
 WHERE k.revoked_at IS NULL AND a.is_active = 1 AND (k.expires_at IS NULL OR k.expires_at > :now);
