-- What /metrics tells, read without counting a big table row by row. Each gives name, label and value.

-- name: created
SELECT name AS label, seq AS value FROM sqlite_sequence ORDER BY name;

-- name: events
SELECT count(*) AS waiting, min(created_at) AS oldest FROM outgoing_events;

-- name: idempotency_keys
SELECT count(*) FROM idempotency_keys;

-- name: api_keys
SELECT count(*) FROM api_keys k JOIN admins a ON a.id = k.admin_id
 WHERE k.revoked_at IS NULL AND a.is_active = 1 AND (k.expires_at IS NULL OR k.expires_at > :now);
