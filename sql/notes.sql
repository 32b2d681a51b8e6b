-- Notes.

-- columns: fields = note_text note_type is_pinned

-- name: get
SELECT n.id, n.entity_type, n.entity_id, n.admin_id, a.name AS admin_name, {n.fields}, n.created_at, n.updated_at
  FROM notes n JOIN admins a ON a.id = n.admin_id
 WHERE n.id = :id;

-- name: list
SELECT n.id, n.entity_type, n.entity_id, n.admin_id, a.name AS admin_name, {n.fields}, n.created_at, n.updated_at
  FROM notes n LEFT JOIN admins a ON a.id = n.admin_id
 WHERE n.entity_type = :entity_type AND n.entity_id = :entity_id
   AND n.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND likelihood(n.updated_at >= :updated_since, 0.0001)                  -- when updated_since
   AND n.note_type = :note_type                        -- when note_type
   AND n.is_pinned = :is_pinned                        -- when is_pinned
 ORDER BY {sort} {order}, n.id {order}  -- sort: id=n.id is_pinned=n.is_pinned

-- name: of_entity
SELECT n.id, n.entity_type, n.entity_id, n.admin_id, a.name AS admin_name, {n.fields}, n.created_at, n.updated_at
  FROM notes n JOIN admins a ON a.id = n.admin_id
 WHERE n.entity_type = :entity_type AND n.entity_id = :entity_id ORDER BY n.id;

-- name: entity_exists
SELECT CASE :entity_type
       WHEN 'contact' THEN EXISTS (SELECT 1 FROM contacts WHERE id = :entity_id)
       WHEN 'application' THEN EXISTS (SELECT 1 FROM applications WHERE id = :entity_id)
       WHEN 'event_participant' THEN EXISTS (SELECT 1 FROM participants WHERE id = :entity_id)
       WHEN 'invoice' THEN EXISTS (SELECT 1 FROM invoices WHERE id = :entity_id)
       WHEN 'event' THEN EXISTS (SELECT 1 FROM events WHERE id = :entity_id) END;

-- name: add
INSERT INTO notes (entity_type, entity_id, admin_id, {fields}, created_at, updated_at)
VALUES (:entity_type, :entity_id, :admin_id, {:fields}, :now, :stamp)
RETURNING id, entity_type, entity_id, admin_id, (SELECT name FROM admins WHERE admins.id = admin_id) AS admin_name,
  {fields}, created_at, updated_at;

-- name: change
UPDATE notes SET entity_type = :entity_type, entity_id = :entity_id, {fields = :fields}, updated_at = :stamp
 WHERE id = :id;

-- name: move
UPDATE notes SET entity_id = :entity_id, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM notes WHERE id = :id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: drop_of_records
DELETE FROM notes WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'note');
