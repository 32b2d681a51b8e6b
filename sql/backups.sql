-- What identifies a backup: the last change of its database, and whether it is one of eventapi.

-- name: last_change
-- Time, id and hash of the last entry of the audit log.
SELECT created_at AS at, id, hash FROM audit_log ORDER BY id DESC LIMIT 1;

-- name: has_change
-- A row if the audit log has, or had before it was pruned, the entry that is the last one of another database.
SELECT 1 FROM audit_log WHERE id = :id AND created_at = :at AND hash = coalesce(:hash, hash)
 UNION ALL SELECT 1 FROM audit_anchors WHERE last_id >= :id LIMIT 1;

-- name: is_eventapi
-- Number of these tables. 3 means that the file is a database of eventapi.
SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('tenant', 'api_keys', 'audit_log');
