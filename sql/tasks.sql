-- Tasks.

-- columns: fields = title description status priority due_date due_at assigned_to entity_type entity_id event_id
--   completed_at completed_by
-- columns: texts = title description

-- name: get
SELECT t.id, t.entity_type, t.entity_id, t.event_id, t.assigned_to, a.name AS assigned_to_name, t.created_by,
       c.name AS created_by_name, t.title, t.description, t.due_date, t.due_at, t.priority, t.status, t.completed_at,
       t.completed_by, t.created_at, t.updated_at
  FROM tasks t JOIN admins c ON c.id = t.created_by
  LEFT JOIN admins a ON a.id = t.assigned_to
 WHERE t.id = :id;

-- name: list
SELECT t.id, t.entity_type, t.entity_id, t.event_id, t.assigned_to, a.name AS assigned_to_name, t.created_by,
       c.name AS created_by_name, t.title, t.description, t.due_date, t.due_at, t.priority, t.status, t.completed_at,
       t.completed_by, t.created_at, t.updated_at
  FROM tasks t
  LEFT JOIN admins c ON c.id = t.created_by
  LEFT JOIN admins a ON a.id = t.assigned_to
 WHERE TRUE
   AND t.id IN (SELECT value FROM json_each(:ids))                                            -- when ids
   AND likelihood(t.updated_at >= :updated_since, 0.0001)                                     -- when updated_since
   AND t.status = :status                                                                     -- when status
   AND t.priority_rank = CASE :priority WHEN 'urgent' THEN 4 WHEN 'high' THEN 3 WHEN 'normal' THEN 2 ELSE 1 END     -- when priority
   AND t.assigned_to = :assigned_to                                                           -- when assigned_to
   AND t.entity_type = :entity_type                                                           -- when entity_type
   AND t.entity_id = :entity_id                                                               -- when entity_id
   AND t.event_id = :event_id                                                                 -- when event_id
   AND t.status IN ('pending', 'in_progress') AND t.due_at < :now                             -- when overdue
   AND t.id IN (SELECT rowid FROM tasks_search WHERE tasks_search MATCH :search)              -- when search
 ORDER BY {sort} {order} NULLS LAST, t.id {order}  -- sort: id=t.id title=t.title_folded due_date=t.due_at priority=t.priority_rank status=t.status created_at=t.created_at

-- name: of_entity
SELECT id FROM tasks WHERE entity_type = :entity_type AND entity_id = :entity_id ORDER BY id;

-- name: due_with_event
-- Tasks whose due date may change with the event.
SELECT id FROM tasks WHERE event_id = :event_id AND due_date IS NOT NULL ORDER BY id;

-- name: is_active
SELECT is_active FROM admins WHERE id = :id;

-- name: add
INSERT INTO tasks ({fields}, created_by, {texts_folded}, created_at, updated_at)
VALUES ({:fields}, :created_by, {fold(:texts)}, :now, :stamp);

-- name: change
UPDATE tasks SET {fields = :fields}, {texts_folded = fold(:texts)}, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM tasks WHERE id = :id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: drop_of_records
DELETE FROM tasks WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'task');
