-- What a backup says about the database in it.

-- name: last_change
SELECT created_at AS at, id FROM audit_log ORDER BY id DESC LIMIT 1;

-- name: is_eventapi
SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('tenant', 'api_keys', 'audit_log');
