-- The audit log, whose entries form a hash chain, and the outgoing events.

-- name: last
-- The last entry of the chain. If all entries have been deleted, the last anchor takes its place.
SELECT id, hash FROM (SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1)
 UNION ALL SELECT last_id, hash FROM (SELECT last_id, hash FROM audit_anchors ORDER BY last_id DESC LIMIT 1)
 ORDER BY id DESC LIMIT 1;

-- name: add_entry
INSERT INTO audit_log (id, action, entity_type, entity_id, entity_title, description, old_values, new_values, admin_id,
  admin_name, api_key_id, request_id, ip_address, user_agent, created_at, salt, digest, previous_hash, hash,
  search_text)
VALUES (:id, :action, :entity_type, :entity_id, :entity_title, :description, :old_values, :new_values, :admin_id,
  :admin_name, :api_key_id, :request_id, :ip_address, :user_agent, :created_at, :salt, :digest, :previous_hash, :hash,
  ifnull(fold(:entity_title), '') || char(10) || ifnull(fold(:description), ''));

-- name: add_event
INSERT INTO outgoing_events (name, entity_type, entity_id, scope, data, created_at)
VALUES (:name, :entity_type, :entity_id, :scope, :data, :now);

-- name: anchor
SELECT last_id, hash FROM audit_anchors ORDER BY last_id DESC LIMIT 1;

-- name: pruning
-- A row if the log itself records that it was pruned up to this id.
SELECT 1 FROM audit_log WHERE action = 'pruned' AND entity_type = 'audit_log' AND new_values ->> '$.last_id' = :last_id;

-- name: hash_of
-- The hash of an entry, or of the anchor of a deleted one.
SELECT hash FROM audit_log WHERE id = :id UNION ALL SELECT hash FROM audit_anchors WHERE last_id = :id LIMIT 1;

-- name: entries
SELECT * FROM audit_log ORDER BY id;

-- name: last_given
-- The last id given out, also if its entry has been deleted.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'), 0);
