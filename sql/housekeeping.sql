-- Deleting expired rows in pieces of limited size, and the heartbeat of the worker. Tables whose ids are in order of
-- time are read from the oldest id on, so that no index on the time is needed.

-- name: record_heartbeat
-- Record the worker's heartbeat. jumped_at is the time at which it came more than ten days after the one before, until
-- the clock is set back to an earlier time.
INSERT INTO worker_heartbeats (id, seen_at) VALUES (1, :now)
ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at,
  jumped_at = CASE WHEN julianday(excluded.seen_at) - julianday(seen_at) > 10 THEN excluded.seen_at
                   WHEN excluded.seen_at < jumped_at THEN NULL ELSE jumped_at END;

-- name: jumped_ahead
-- The time at which the clock jumped ahead, if that was less than a day ago.
SELECT jumped_at FROM worker_heartbeats WHERE julianday(:now) - julianday(jumped_at) < 1;

-- name: last_heartbeat
SELECT seen_at FROM worker_heartbeats;

-- name: delete_old_idempotency_keys
DELETE FROM idempotency_keys WHERE (api_key_id, idempotency_key) IN
  (SELECT api_key_id, idempotency_key FROM idempotency_keys WHERE created_at <= :before
    ORDER BY created_at LIMIT :size);

-- name: delete_old_events
DELETE FROM outgoing_events WHERE id IN
  (SELECT id FROM (SELECT id, created_at FROM outgoing_events ORDER BY id LIMIT :size) WHERE created_at <= :before);

-- name: first_entries
-- The oldest entries of the audit log.
SELECT id, hash, created_at FROM audit_log ORDER BY id LIMIT :size;

-- name: anchor
-- Store the id and hash of the last entry that is deleted, so that the chain can still be verified.
INSERT INTO audit_anchors (last_id, hash, created_at) VALUES (:last_id, :hash, :now);

-- name: delete_entries
DELETE FROM audit_log WHERE id <= :last_id;

-- name: delete_anchors
DELETE FROM audit_anchors WHERE last_id < :last_id;

-- name: used_files
-- Hashes of all stored files in use. Every column that holds such a hash must be listed here.
SELECT pdf_sha256 FROM invoices WHERE pdf_sha256 IS NOT NULL
 UNION SELECT sha256 FROM documents WHERE sha256 IS NOT NULL
 UNION SELECT signature_sha256 FROM documents WHERE signature_sha256 IS NOT NULL
 UNION SELECT sha256 FROM submission_revisions WHERE sha256 IS NOT NULL
 UNION SELECT sha256 FROM bulk_imports WHERE sha256 IS NOT NULL;
