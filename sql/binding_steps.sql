-- Evidence of what somebody has bindingly done.

-- name: add
INSERT INTO binding_steps (entity_type, entity_id, link_id, way, mailed_to, address, agent, shown_sha256, created_at)
VALUES (:entity_type, :entity_id, :link_id, :way, :mailed_to, :address, :agent, :shown_sha256, :now);

-- name: of
SELECT id, link_id, way, mailed_to, address, agent, shown_sha256, created_at FROM binding_steps
 WHERE entity_type = :entity_type AND entity_id = :entity_id ORDER BY id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: blank
-- Whoever has accepted or ordered something bindingly: that it was done stays.
UPDATE binding_steps SET mailed_to = NULL, address = NULL, agent = NULL
 WHERE id IN (SELECT b.id FROM json_each(:pairs) p CROSS JOIN binding_steps b ON b.entity_type = p.value ->> 0
   AND b.entity_id = p.value ->> 1);
