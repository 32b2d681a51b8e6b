-- Responses stored for Idempotency-Key.

-- name: get
SELECT fingerprint, status, location, data, meta, request_id FROM idempotency_keys
 WHERE api_key_id = :api_key_id AND idempotency_key = :key AND created_at > :since;

-- name: keep
-- Store a response. It replaces an expired one with the same key.
INSERT INTO idempotency_keys (api_key_id, idempotency_key, fingerprint, status, location, data, meta, request_id,
  created_at)
VALUES (:api_key_id, :key, :fingerprint, :status, :location, :data, :meta, :request_id, :now)
ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location,
  data = excluded.data, meta = excluded.meta, request_id = excluded.request_id, created_at = excluded.created_at;
