-- Attachments: notes, tasks and documents about a record. entity_type and entity_id name that record.

-- What the staff writes about a record. Notes are deleted with it.
CREATE TABLE notes (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_type  TEXT NOT NULL CHECK (entity_type IN ('contact', 'application', 'event_participant', 'invoice', 'event')),
  entity_id    INTEGER NOT NULL,
  admin_id     INTEGER NOT NULL REFERENCES admins (id),
  note_text    TEXT NOT NULL,
  note_type    TEXT NOT NULL CHECK (note_type IN ('info', 'warning', 'followup', 'internal')),
  is_pinned    INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_entity ON notes (entity_type, entity_id, is_pinned);

-- What the staff has to do, with or without a record. Tasks are deleted with their record.
CREATE TABLE tasks (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  title          TEXT NOT NULL COLLATE NOCASE,
  description    TEXT,
  status         TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
  priority       TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'normal', 'low')),
  priority_rank  INTEGER NOT NULL GENERATED ALWAYS AS
                   (CASE priority WHEN 'urgent' THEN 4 WHEN 'high' THEN 3 WHEN 'normal' THEN 2 ELSE 1 END) STORED,
  due_date       TEXT,                    -- JSON, as sent: a date, a timestamp, or days from a date of the event
  due_at         TEXT,                    -- due_date as a UTC timestamp: the last instant in time
  assigned_to    INTEGER REFERENCES admins (id),
  entity_type    TEXT,
  entity_id      INTEGER,
  event_id       INTEGER REFERENCES events (id),      -- the event of the record, or the record itself if it is an event
  created_by     INTEGER NOT NULL REFERENCES admins (id),
  completed_at   TEXT,
  completed_by   INTEGER REFERENCES admins (id),
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  CHECK ((entity_type IS NULL) = (entity_id IS NULL)),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL))
) STRICT;
CREATE INDEX tasks_by_title ON tasks (title);
CREATE INDEX tasks_by_due ON tasks (due_at);
CREATE INDEX tasks_by_priority ON tasks (priority_rank);
CREATE INDEX tasks_by_status ON tasks (status, due_at);
CREATE INDEX tasks_by_status_and_id ON tasks (status);
CREATE INDEX tasks_by_creation ON tasks (created_at);
CREATE INDEX tasks_by_assignee ON tasks (assigned_to, status);
CREATE INDEX tasks_by_entity ON tasks (entity_type, entity_id);
CREATE INDEX tasks_by_entity_id ON tasks (entity_id) WHERE entity_id IS NOT NULL;
CREATE INDEX tasks_by_event ON tasks (event_id) WHERE event_id IS NOT NULL;
-- Serves the filter for overdue tasks.
CREATE INDEX tasks_open_by_due ON tasks (due_at) WHERE status IN ('pending', 'in_progress');
CREATE INDEX tasks_by_update ON tasks (updated_at);

CREATE VIRTUAL TABLE tasks_search USING fts5 (
  title, description, content = 'tasks', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks BEGIN
  INSERT INTO tasks_search (rowid, title, description) VALUES (NEW.id, NEW.title, NEW.description);
END;
CREATE TRIGGER tasks_search_delete AFTER DELETE ON tasks BEGIN
  INSERT INTO tasks_search (tasks_search, rowid, title, description)
  VALUES ('delete', OLD.id, OLD.title, OLD.description);
END;
CREATE TRIGGER tasks_search_update AFTER UPDATE OF title, description ON tasks BEGIN
  INSERT INTO tasks_search (tasks_search, rowid, title, description)
  VALUES ('delete', OLD.id, OLD.title, OLD.description);
  INSERT INTO tasks_search (rowid, title, description) VALUES (NEW.id, NEW.title, NEW.description);
END;

CREATE TABLE document_categories (
  id                   INTEGER PRIMARY KEY AUTOINCREMENT,
  key                  TEXT NOT NULL UNIQUE,
  name                 TEXT NOT NULL,
  default_template_id  INTEGER REFERENCES document_templates (id),
  created_at           TEXT NOT NULL,
  updated_at           TEXT NOT NULL
) STRICT;
CREATE INDEX document_categories_by_name ON document_categories (name);
CREATE INDEX document_categories_by_template ON document_categories (default_template_id)
  WHERE default_template_id IS NOT NULL;
CREATE INDEX document_categories_by_update ON document_categories (updated_at);

CREATE TABLE document_templates (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  key          TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  category_id  INTEGER REFERENCES document_categories (id),
  body         TEXT NOT NULL,
  is_contract  INTEGER NOT NULL CHECK (is_contract IN (0, 1)),
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL
) STRICT;
CREATE INDEX document_templates_by_name ON document_templates (name);
CREATE INDEX document_templates_by_category ON document_templates (category_id);
CREATE INDEX document_templates_by_contract ON document_templates (is_contract);
CREATE INDEX document_templates_by_update ON document_templates (updated_at);

-- Pages made from a template, and files. The bytes of files lie in the file store, named by their SHA-256.
CREATE TABLE documents (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  document_number   TEXT UNIQUE,                  -- NULL for the image of an event
  title             TEXT,
  entity_type       TEXT NOT NULL,
  entity_id         INTEGER NOT NULL,
  category_id       INTEGER REFERENCES document_categories (id),
  template_id       INTEGER REFERENCES document_templates (id),
  metadata          TEXT,                         -- JSON
  content           TEXT,                         -- page made from the template, in a subset of HTML; NULL for a file
  missing           TEXT NOT NULL DEFAULT '[]',   -- JSON: placeholders without a value
  filename          TEXT,
  sha256            TEXT,                         -- of the stored bytes
  content_type      TEXT,
  size              INTEGER,                      -- bytes
  width             INTEGER,                      -- pixels, for the image of an event
  height            INTEGER,
  is_contract       INTEGER NOT NULL CHECK (is_contract IN (0, 1)),
  contract_status   TEXT CHECK (contract_status IN ('draft', 'pending_signature', 'active', 'terminated')),
  esign_status      TEXT NOT NULL DEFAULT 'pending'
                    CHECK (esign_status IN ('pending', 'sent', 'viewed', 'signed', 'declined', 'expired', 'voided')),
  signature_sha256  TEXT,                         -- the stored bytes that were sent for signature
  requested_at      TEXT,
  requested_by      INTEGER REFERENCES admins (id),
  signer_name       TEXT,
  signed_at         TEXT,
  signed_by         INTEGER REFERENCES admins (id),     -- the admin who recorded the signature
  terminated_at     TEXT,
  terminated_by     INTEGER REFERENCES admins (id),
  created_at        TEXT NOT NULL,
  updated_at        TEXT NOT NULL,
  CHECK (is_contract = (contract_status IS NOT NULL)),
  CHECK ((sha256 IS NULL) = (size IS NULL) AND (sha256 IS NULL) = (content_type IS NULL))
) STRICT;
CREATE INDEX documents_by_entity ON documents (entity_type, entity_id);
CREATE INDEX documents_by_entity_id ON documents (entity_id);
CREATE INDEX documents_by_category ON documents (category_id);
CREATE INDEX documents_by_template ON documents (template_id) WHERE template_id IS NOT NULL;
CREATE INDEX documents_by_contract ON documents (is_contract);
CREATE INDEX documents_by_contract_status ON documents (contract_status);
CREATE INDEX documents_by_esign_status ON documents (esign_status);
CREATE INDEX documents_by_update ON documents (updated_at);

-- Contracts of participants without an active contract. A participant with a row here is not ready.
CREATE VIEW open_contracts AS
SELECT d.entity_id AS event_participant_id, d.document_number, d.contract_status
  FROM documents d
 WHERE d.entity_type = 'event_participant' AND d.is_contract
   AND NOT EXISTS (SELECT 1 FROM documents a WHERE a.entity_type = 'event_participant' AND a.entity_id = d.entity_id
                                               AND a.contract_status = 'active');
