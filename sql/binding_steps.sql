-- Evidence of what somebody has bindingly done.

-- name: add
INSERT INTO binding_steps (entity_type, entity_id, link_id, way, mailed_to, address, agent, shown_sha256, created_at)
VALUES (:entity_type, :entity_id, :link_id, :way, :mailed_to, :address, :agent, :shown_sha256, :now);

-- name: of
SELECT id, link_id, way, mailed_to, address, agent, shown_sha256, created_at FROM binding_steps
 WHERE entity_type = :entity_type AND entity_id = :entity_id ORDER BY id;
