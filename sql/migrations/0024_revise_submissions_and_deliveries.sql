-- Submission types have the field `key`.

ALTER TABLE submission_types RENAME COLUMN type_key TO key;

-- Whether a submission is late is decided once, when it is submitted for the first time. Before, it was computed from
-- the latest revision and the current due date.

ALTER TABLE submissions ADD COLUMN is_late INTEGER CHECK (is_late IN (0, 1));       -- NULL before the first submit
UPDATE submissions SET is_late = (
  SELECT coalesce(r.due_at < r.submitted_at, 0) FROM submission_revisions r
   WHERE r.submission_id = submissions.id ORDER BY r.revision LIMIT 1);
DROP INDEX submissions_by_lateness;
CREATE INDEX submissions_by_lateness ON submissions (is_late, due_at);
