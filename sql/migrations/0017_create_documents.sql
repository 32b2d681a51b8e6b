-- Documents: pages made from templates, and files. Their bytes lie in the file store, named by sha256.

CREATE TABLE document_categories (
  id                   INTEGER PRIMARY KEY AUTOINCREMENT,
  key                  TEXT NOT NULL UNIQUE,
  name                 TEXT NOT NULL,
  default_template_id  INTEGER REFERENCES document_templates (id),
  created_at           TEXT NOT NULL,
  updated_at           TEXT NOT NULL
) STRICT;
CREATE INDEX document_categories_by_name ON document_categories (name);
CREATE INDEX document_categories_by_template ON document_categories (default_template_id) WHERE default_template_id IS NOT NULL;
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

CREATE TABLE documents (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  document_number   TEXT UNIQUE,                  -- null for the picture of an event
  title             TEXT,
  entity_type       TEXT NOT NULL,
  entity_id         INTEGER NOT NULL,
  category_id       INTEGER REFERENCES document_categories (id),
  template_id       INTEGER REFERENCES document_templates (id),
  metadata          TEXT,                         -- JSON
  content           TEXT,                         -- of what was made from a template: the closed subset of HTML; null for a file
  missing           TEXT NOT NULL DEFAULT '[]',   -- JSON: placeholders that had no value
  filename          TEXT,
  sha256            TEXT,                         -- of the stored bytes
  content_type      TEXT,
  size              INTEGER,
  width             INTEGER,                      -- pixels of an event's picture
  height            INTEGER,
  is_contract       INTEGER NOT NULL CHECK (is_contract IN (0, 1)),
  contract_status   TEXT CHECK (contract_status IN ('draft', 'pending_signature', 'active', 'terminated')),
  esign_status      TEXT NOT NULL DEFAULT 'pending'
                    CHECK (esign_status IN ('pending', 'sent', 'viewed', 'signed', 'declined', 'expired', 'voided')),
  signature_sha256  TEXT,                         -- the stored bytes that were sent to be signed
  requested_at      TEXT,
  requested_by      INTEGER REFERENCES admins (id),
  signer_name       TEXT,
  signed_at         TEXT,
  signed_by         INTEGER REFERENCES admins (id),     -- who told of it
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

ALTER TABLE events ADD COLUMN image_document_id INTEGER REFERENCES documents (id) ON DELETE SET NULL;
CREATE INDEX events_by_image ON events (image_document_id) WHERE image_document_id IS NOT NULL;

-- Contracts of participants who have none that is active: as long as one is there, the participant is not ready.
CREATE VIEW open_contracts AS
SELECT d.entity_id AS event_participant_id, d.document_number, d.contract_status
  FROM documents d
 WHERE d.entity_type = 'event_participant' AND d.is_contract
   AND NOT EXISTS (SELECT 1 FROM documents a WHERE a.entity_type = 'event_participant' AND a.entity_id = d.entity_id
                                               AND a.contract_status = 'active');
