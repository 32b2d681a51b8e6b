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

-- A delivery shows its last 10 attempts and counts all of them. `failures` is its place in the schedule of retries. Of
-- the attempts so far, only the last one is known.

ALTER TABLE webhook_deliveries RENAME COLUMN attempts TO failures;
ALTER TABLE webhook_deliveries ADD COLUMN attempts TEXT NOT NULL DEFAULT '[]';      -- JSON
ALTER TABLE webhook_deliveries ADD COLUMN attempt_count INTEGER NOT NULL DEFAULT 0;
-- 1: a redelivery was requested while an attempt was in progress.
ALTER TABLE webhook_deliveries ADD COLUMN redelivery_requested INTEGER NOT NULL DEFAULT 0 CHECK (redelivery_requested IN (0, 1));
UPDATE webhook_deliveries
   SET attempt_count = failures,
       attempts = json_array(json_object('attempted_at', coalesce(delivered_at, updated_at), 'response_status', response_status,
                                         'error', error, 'duration_ms', duration_ms))
 WHERE failures > 0;
