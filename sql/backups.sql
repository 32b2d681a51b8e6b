-- What identifies a backup: the last change of its database, and whether it is one of eventapi.

-- name: last_change
-- Time and id of the last entry of the audit log.
SELECT created_at AS at, id FROM audit_log ORDER BY id DESC LIMIT 1;

-- name: is_eventapi
-- Number of these tables. 3 means that the file is a database of eventapi.
SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('tenant', 'api_keys', 'audit_log');
