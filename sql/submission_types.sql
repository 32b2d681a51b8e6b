-- Submission types.

-- columns: fields = key title description input allowed_extensions max_size_mb due due_at needs_approval is_required roles
--   is_active sort_order max_length

-- name: get
SELECT t.id, t.event_id, e.event_key, {t.fields}, t.created_at, t.updated_at
  FROM submission_types t JOIN events e ON e.id = t.event_id
 WHERE t.id = :id;

-- name: list
SELECT t.id, t.event_id, e.event_key, {t.fields}, t.created_at, t.updated_at
  FROM submission_types t
  LEFT JOIN events e ON e.id = t.event_id
 WHERE TRUE
   AND t.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(t.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND t.event_id = :event_id                                       -- when event_id
   AND t.key = :key                                                 -- when key
   AND t.is_active = :is_active                                     -- when is_active
 ORDER BY {sort} {order} NULLS LAST, t.id {order}  -- sort: id=t.id sort_order=t.sort_order title=t.title_folded due_at=t.due_at created_at=t.id

-- name: of_event
SELECT t.id, t.event_id, e.event_key, {t.fields}, t.created_at, t.updated_at
  FROM submission_types t JOIN events e ON e.id = t.event_id
 WHERE t.event_id = :event_id ORDER BY t.id;

-- name: key_taken
SELECT id FROM submission_types WHERE event_id = :event_id AND key = :key;

-- name: add
INSERT INTO submission_types (event_id, {fields}, title_folded, created_at, updated_at)
VALUES (:event_id, {:fields}, fold(:title), :now, :stamp);

-- name: change
UPDATE submission_types SET event_id = :event_id, {fields = :fields}, title_folded = fold(:title), updated_at = :stamp
 WHERE id = :id;

-- name: move_submissions
-- Copy the due date to the submissions of the type.
UPDATE submissions SET due_at = :due_at, updated_at = :stamp WHERE type_id = :id AND due_at IS NOT :due_at;

-- name: has_submissions
SELECT 1 FROM submissions WHERE type_id = :id LIMIT 1;

-- name: remove
DELETE FROM submission_types WHERE id = :id;
