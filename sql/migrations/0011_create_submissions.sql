-- Submissions: what an event requires from its participants, what they submitted, and every revision of it.

CREATE TABLE submission_types (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id            INTEGER NOT NULL REFERENCES events (id),
  type_key            TEXT NOT NULL,
  title               TEXT NOT NULL COLLATE NOCASE,
  description         TEXT,
  input               TEXT NOT NULL CHECK (input IN ('file', 'text', 'textarea', 'url', 'checkbox')),
  allowed_extensions  TEXT NOT NULL,          -- JSON: lower case, without a dot; empty: any
  max_size_mb         INTEGER,
  due                 TEXT,                   -- JSON, as sent: a date, a timestamp, or days from a date of the event
  due_at              TEXT,                   -- due as a UTC timestamp: the last instant in time
  needs_approval      INTEGER NOT NULL CHECK (needs_approval IN (0, 1)),
  is_required         INTEGER NOT NULL CHECK (is_required IN (0, 1)),
  roles               TEXT NOT NULL,          -- JSON: the roles of the participants that must submit it
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

-- The submission of a participant, in its latest revision. event_id (of the participant) and due_at (of the type) are
-- copies, so that lists filter and sort by index.
CREATE TABLE submissions (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id              INTEGER NOT NULL REFERENCES events (id),
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  type_id               INTEGER NOT NULL REFERENCES submission_types (id),
  status                TEXT NOT NULL CHECK (status IN ('pending', 'submitted', 'approved', 'rejected',
                          'revision_requested')),
  value                 TEXT,                 -- JSON: a text, or true for a checkbox
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
-- Serves the filter for late submissions.
CREATE INDEX submissions_by_lateness ON submissions (status, submitted_at, due_at);
CREATE INDEX submissions_by_update ON submissions (updated_at);

-- Every submission as it was at that time, with the feedback. Files are named by their SHA-256, because the document
-- can change.
CREATE TABLE submission_revisions (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  submission_id  INTEGER NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
  revision       INTEGER NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('submitted', 'approved', 'rejected', 'revision_requested')),
  value          TEXT,
  document_id    INTEGER,                     -- no foreign key: the document can be deleted
  filename       TEXT,
  sha256         TEXT,
  size           INTEGER,                     -- bytes
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

-- The required submissions of each participant, with their state.
CREATE VIEW required_submissions AS
SELECT p.id AS event_participant_id, t.id AS type_id, t.title, t.due_at,
       coalesce(s.status = 'rejected', 0) AS is_rejected,
       coalesce(s.status = 'approved' OR s.status = 'submitted' AND NOT t.needs_approval, 0) AS is_done,
       coalesce(s.status = 'submitted', 0) AS is_in_review
  FROM participants p JOIN submission_types t ON t.event_id = p.event_id
  LEFT JOIN submissions s ON s.event_participant_id = p.id AND s.type_id = t.id
 WHERE t.is_required AND t.is_active AND instr(t.roles, '"' || p.role || '"');
