-- Submissions and their revisions.

-- columns: shown = s.id, s.event_id, e.event_key, s.event_participant_id, s.type_id, t.key AS type_key, t.title,
--   t.input, s.status, s.value, s.document_id, s.due_at, s.is_late, s.revision, s.submitted_at, s.feedback,
--   s.reviewed_by, a.name AS reviewed_by_name, s.reviewed_at, s.created_at
-- columns: revision = r.id, r.submission_id, r.revision, r.status, r.value, r.document_id, r.filename, r.sha256,
--   r.size, r.due_at, r.submitted_at, r.feedback, r.reviewed_by, a.name AS reviewed_by_name, r.reviewed_at,
--   r.created_at, r.updated_at

-- name: get
SELECT {shown},
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'submission' AND v.entity_id = s.id ORDER BY d.display_order, d.id)) AS custom_fields,
       s.updated_at
  FROM submissions s JOIN events e ON e.id = s.event_id JOIN submission_types t ON t.id = s.type_id
  LEFT JOIN admins a ON a.id = s.reviewed_by
 WHERE s.id = :id;

-- name: list
SELECT {shown}, s.updated_at
  FROM submissions s
  LEFT JOIN events e ON e.id = s.event_id
  LEFT JOIN submission_types t ON t.id = s.type_id
  LEFT JOIN admins a ON a.id = s.reviewed_by
 WHERE TRUE
   AND s.id IN (SELECT value FROM json_each(:ids))                                  -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)                           -- when updated_since
   AND s.event_id = :event_id                                                       -- when event_id
   AND s.event_participant_id = :event_participant_id                               -- when event_participant_id
   AND s.type_id = :type_id                                                         -- when type_id
   AND s.type_id IN (SELECT k.id FROM submission_types k WHERE k.key = :type_key)   -- when type_key
   AND s.status = :status                                                           -- when status
   AND coalesce(s.is_late, s.due_at < :now, 0) = :is_late                           -- when is_late
   AND s.id IN (SELECT t.entity_id FROM json_each(:cf_terms) f CROSS JOIN custom_field_terms t                -- when cf_terms
        ON t.field_id = f.value ->> 0 AND t.term = f.value ->> 1                                            -- when cf_terms
        GROUP BY t.entity_id HAVING count(*) = json_array_length(:cf_terms))                                -- when cf_terms
 ORDER BY {sort} {order} NULLS LAST, s.id {order}  -- sort: id=s.id created_at=s.id submitted_at=s.submitted_at due_at=s.due_at status=s.status

-- name: participants_of
SELECT s.id AS submission_id, p.id, p.contact_id, c.customer_number, p.role, p.status, c.company_name, c.first_name,
       c.last_name, c.email, c.phone
  FROM submissions s JOIN participants p ON p.id = s.event_participant_id JOIN contacts c ON c.id = p.contact_id
 WHERE s.id IN (SELECT value FROM json_each(:ids));

-- name: types_of
SELECT s.id AS submission_id, t.id, t.key, t.title, t.description, t.input, t.needs_approval, t.is_required, t.is_active
  FROM submissions s JOIN submission_types t ON t.id = s.type_id
 WHERE s.id IN (SELECT value FROM json_each(:ids));

-- name: find
-- The submission of a participant for a type.
SELECT id, status FROM submissions WHERE event_participant_id = :event_participant_id AND type_id = :type_id;

-- name: participant
SELECT p.id, p.event_id, e.event_key, p.role, p.status, p.contact_id, c.anonymized_at
  FROM participants p JOIN events e ON e.id = p.event_id JOIN contacts c ON c.id = p.contact_id
 WHERE p.id = :id;

-- name: document
SELECT id, entity_type, entity_id, filename, size, sha256 FROM documents WHERE id = :id;

-- name: add
INSERT INTO submissions (event_id, event_participant_id, type_id, status, value, document_id, due_at, revision,
  created_at, updated_at)
VALUES (:event_id, :event_participant_id, :type_id, 'pending', :value, :document_id, :due_at, 0, :now, :stamp);

-- name: change
UPDATE submissions SET value = :value, document_id = :document_id, updated_at = :stamp WHERE id = :id;

-- name: submit
-- The first submit decides whether the submission is late.
UPDATE submissions SET status = :status, revision = revision + 1, submitted_at = :now,
  is_late = coalesce(is_late, due_at < :now, 0), feedback = NULL, reviewed_by = NULL, reviewed_at = NULL,
  updated_at = :stamp
 WHERE id = :id;

-- name: review
UPDATE submissions SET status = :status, feedback = :feedback, reviewed_by = :admin_id, reviewed_at = :now,
  updated_at = :stamp
 WHERE id = :id;

-- name: remove
DELETE FROM submissions WHERE id = :id;

-- Revisions.

-- name: revisions
SELECT {revision}
  FROM submission_revisions r
  LEFT JOIN admins a ON a.id = r.reviewed_by
 WHERE r.submission_id = :submission_id
   AND r.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(r.updated_at >= :updated_since, 0.0001)           -- when updated_since
 ORDER BY {sort} {order} NULLS LAST, r.id {order}  -- sort: id=r.id revision=r.revision

-- name: revision
SELECT {revision}
  FROM submission_revisions r LEFT JOIN admins a ON a.id = r.reviewed_by
 WHERE r.submission_id = :submission_id AND r.revision = :revision;

-- name: all_revisions
SELECT {revision}
  FROM submission_revisions r LEFT JOIN admins a ON a.id = r.reviewed_by
 WHERE r.submission_id = :submission_id ORDER BY r.revision;

-- name: keep_revision
-- Keep what was submitted, with the file as it is now.
INSERT INTO submission_revisions (submission_id, revision, status, value, document_id, filename, sha256, size, due_at,
  submitted_at, created_at, updated_at)
SELECT s.id, s.revision, s.status, s.value, s.document_id, d.filename, d.sha256, d.size, s.due_at, s.submitted_at,
  :now, :stamp
  FROM submissions s LEFT JOIN documents d ON d.id = s.document_id
 WHERE s.id = :id;

-- name: review_revision
UPDATE submission_revisions SET status = :status, feedback = :feedback, reviewed_by = :admin_id, reviewed_at = :now,
  updated_at = :stamp
 WHERE submission_id = :id AND revision = :revision;

-- Merging of two submissions.

-- name: move_revisions_up
-- Make room for earlier revisions. The numbers are negative at first, because each is unique at any time.
UPDATE submission_revisions SET revision = -(revision + :count), updated_at = :stamp WHERE submission_id = :id;

-- name: settle_revisions
UPDATE submission_revisions SET revision = -revision WHERE submission_id = :id AND revision < 0;

-- name: take_revisions
UPDATE submission_revisions SET submission_id = :id, updated_at = :stamp WHERE submission_id = :other_id;

-- name: count_taken
UPDATE submissions SET revision = revision + :count,
  is_late = coalesce(is_late, (SELECT o.is_late FROM submissions o WHERE o.id = :other_id)), updated_at = :stamp
 WHERE id = :id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: blank
UPDATE submissions SET value = NULL, document_id = NULL, feedback = NULL, updated_at = :stamp
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'submission')
   AND (value IS NOT NULL OR document_id IS NOT NULL OR feedback IS NOT NULL);

-- name: blank_revisions
UPDATE submission_revisions SET value = NULL, document_id = NULL, filename = NULL, sha256 = NULL, size = NULL,
  feedback = NULL, updated_at = :stamp
 WHERE submission_id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'submission');

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: to_hand_over
-- Submissions of the duplicate's participant. counterpart_id is the other participant's submission of the same type.
SELECT o.id, (SELECT k.id FROM submissions k WHERE k.event_participant_id = :participant_id
  AND k.type_id = o.type_id) AS counterpart_id
  FROM submissions o WHERE o.event_participant_id = :id ORDER BY o.id;

-- name: hand_over
UPDATE submissions SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;
