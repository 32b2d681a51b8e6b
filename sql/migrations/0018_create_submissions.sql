-- Submissions: what an event asks of its participants, what they handed in, and every revision of it.

CREATE TABLE submission_types (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id            INTEGER NOT NULL REFERENCES events (id),
  type_key            TEXT NOT NULL,
  title               TEXT NOT NULL COLLATE NOCASE,
  description         TEXT,
  input               TEXT NOT NULL CHECK (input IN ('file', 'text', 'textarea', 'url', 'checkbox')),
  allowed_extensions  TEXT NOT NULL,          -- JSON, lower case without a dot; empty: any
  max_size_mb         INTEGER,
  due                 TEXT,                   -- JSON, as given: a day, a moment, or days before or after a date of the event
  due_at              TEXT,                   -- the last instant in time
  needs_approval      INTEGER NOT NULL CHECK (needs_approval IN (0, 1)),
  is_required         INTEGER NOT NULL CHECK (is_required IN (0, 1)),
  roles               TEXT NOT NULL,          -- JSON: of whom it is asked
  is_active           INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  sort_order          INTEGER NOT NULL,
  created_at          TEXT NOT NULL,
  updated_at          TEXT NOT NULL,
  UNIQUE (event_id, type_key)
) STRICT;
CREATE INDEX submission_types_by_key ON submission_types (type_key);
CREATE INDEX submission_types_by_title ON submission_types (title);
CREATE INDEX submission_types_by_activity ON submission_types (is_active);
CREATE INDEX submission_types_by_due ON submission_types (due_at);
CREATE INDEX submission_types_by_order ON submission_types (sort_order);
CREATE INDEX submission_types_by_update ON submission_types (updated_at);

-- event_id is the participant's, due_at the type's: they stand here to be filtered and sorted by.
CREATE TABLE submissions (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id              INTEGER NOT NULL REFERENCES events (id),
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  type_id               INTEGER NOT NULL REFERENCES submission_types (id),
  status                TEXT NOT NULL CHECK (status IN ('pending', 'submitted', 'approved', 'rejected', 'revision_requested')),
  value                 TEXT,                 -- JSON: text, or true of a checkbox
  document_id           INTEGER REFERENCES documents (id),
  due_at                TEXT,
  revision              INTEGER NOT NULL,     -- how often it was submitted
  submitted_at          TEXT,
  feedback              TEXT,
  reviewed_by           INTEGER REFERENCES admins (id),
  reviewed_at           TEXT,
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL,
  UNIQUE (event_participant_id, type_id)
) STRICT;
CREATE INDEX submissions_by_event ON submissions (event_id);
CREATE INDEX submissions_by_type ON submissions (type_id);
CREATE INDEX submissions_by_document ON submissions (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX submissions_by_status ON submissions (status);
CREATE INDEX submissions_by_event_and_status ON submissions (event_id, status);
CREATE INDEX submissions_by_submission ON submissions (submitted_at);
CREATE INDEX submissions_by_due ON submissions (due_at);
CREATE INDEX submissions_by_lateness ON submissions (status, submitted_at, due_at);
CREATE INDEX submissions_by_update ON submissions (updated_at);

-- What was submitted each time, as it was then, and what was said to it. A file is named by its bytes: the document may change.
CREATE TABLE submission_revisions (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  submission_id  INTEGER NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
  revision       INTEGER NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('submitted', 'approved', 'rejected', 'revision_requested')),
  value          TEXT,
  document_id    INTEGER,                     -- it may be deleted since
  filename       TEXT,
  sha256         TEXT,
  size           INTEGER,
  due_at         TEXT,
  submitted_at   TEXT NOT NULL,
  feedback       TEXT,
  reviewed_by    INTEGER REFERENCES admins (id),
  reviewed_at    TEXT,
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  UNIQUE (submission_id, revision)
) STRICT;
CREATE INDEX submission_revisions_by_file ON submission_revisions (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX submission_revisions_by_update ON submission_revisions (updated_at);

-- What each participant cannot do without, and how far it is.
CREATE VIEW required_submissions AS
SELECT p.id AS event_participant_id, t.id AS type_id, t.title, t.due_at, coalesce(s.status = 'rejected', 0) AS is_rejected,
       coalesce(s.status = 'approved' OR s.status = 'submitted' AND NOT t.needs_approval, 0) AS is_done,
       coalesce(s.status = 'submitted', 0) AS is_in_review
  FROM participants p JOIN submission_types t ON t.event_id = p.event_id
  LEFT JOIN submissions s ON s.event_participant_id = p.id AND s.type_id = t.id
 WHERE t.is_required AND t.is_active AND instr(t.roles, '"' || p.role || '"');

-- What stands between a participant and the show, as far as records tell; is_ready is that nothing does.
DROP VIEW readiness;
CREATE VIEW readiness AS
SELECT f.*, CASE WHEN status <> 'confirmed' THEN 0 WHEN has_open_submissions THEN 0 WHEN has_open_contract THEN 0 WHEN is_guest THEN 1 WHEN NOT has_booth THEN 0
                 WHEN has_open_order THEN 0 WHEN has_draft THEN 0 WHEN has_unbilled THEN 0 WHEN owes THEN 0 ELSE 1 END AS is_ready      -- CASE asks no more than it must
  FROM (SELECT p.id, p.status, p.role, p.event_id, p.role IN ('speaker', 'visitor', 'press', 'staff') AS is_guest,
               p.role <> 'exhibitor' AND NOT EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id
                                                        AND r.status = 'pending')
               OR EXISTS (SELECT 1 FROM booth_reservations r WHERE r.event_participant_id = p.id AND r.status = 'confirmed') AS has_booth,
               EXISTS (SELECT 1 FROM required_submissions q WHERE q.event_participant_id = p.id AND NOT q.is_done) AS has_open_submissions,
               EXISTS (SELECT 1 FROM open_contracts c WHERE c.event_participant_id = p.id) AS has_open_contract,
               EXISTS (SELECT 1 FROM service_orders o WHERE o.event_participant_id = p.id
                                                        AND o.status IN ('draft', 'submitted')) AS has_open_order,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id AND i.status = 'draft') AS has_draft,
               EXISTS (SELECT 1 FROM fee_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed)
               OR EXISTS (SELECT 1 FROM booth_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed)
               OR EXISTS (SELECT 1 FROM item_claims c WHERE c.event_participant_id = p.id AND NOT c.is_billed)
               OR EXISTS (SELECT 1 FROM billings b WHERE b.event_participant_id = p.id AND NOT b.is_claimed) AS has_unbilled,
               EXISTS (SELECT 1 FROM invoices i WHERE i.event_participant_id = p.id AND i.status IN ('sent', 'partially_paid')
                                                  AND i.open_amount > 0) AS owes
          FROM participants p) f;
