-- What a request may know of its own key.

-- name: key
SELECT id, name, expires_at, last_used_at FROM api_keys WHERE id = :id;
