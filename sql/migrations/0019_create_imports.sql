-- Bulk imports: many contacts or participants in one request, and the rejected records.

CREATE TABLE bulk_imports (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  kind              TEXT NOT NULL CHECK (kind IN ('contacts', 'participants')),
  status            TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
  mode              TEXT NOT NULL CHECK (mode IN ('create', 'upsert', 'update')),
  match_field       TEXT NOT NULL CHECK (match_field IN ('email', 'customer_number', 'external_id')),
  skip_on_error     INTEGER NOT NULL CHECK (skip_on_error IN (0, 1)),
  create_contacts   INTEGER NOT NULL CHECK (create_contacts IN (0, 1)),
  dry_run           INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  event_id          INTEGER REFERENCES events (id) ON DELETE SET NULL,
  field_mapping     TEXT NOT NULL,          -- JSON: name in the source -> field
  form              TEXT NOT NULL,          -- JSON: how to read the source
  sha256            TEXT,                   -- the stored source; NULL once the import is done
  total             INTEGER NOT NULL,
  processed         INTEGER NOT NULL DEFAULT 0,
  created           INTEGER NOT NULL DEFAULT 0,
  updated           INTEGER NOT NULL DEFAULT 0,
  skipped           INTEGER NOT NULL DEFAULT 0,
  rejected          INTEGER NOT NULL DEFAULT 0,
  contacts_created  INTEGER NOT NULL DEFAULT 0,
  details           TEXT NOT NULL DEFAULT '[]',      -- JSON: the result of the first records
  failure           TEXT,
  admin_id          INTEGER,                -- the caller, for the audit entries of changes that the worker makes
  admin_name        TEXT,
  api_key_id        INTEGER,
  request_id        TEXT,
  finished_at       TEXT,
  created_at        TEXT NOT NULL,
  updated_at        TEXT NOT NULL
) STRICT;
CREATE INDEX bulk_imports_by_kind ON bulk_imports (kind);
CREATE INDEX bulk_imports_by_status ON bulk_imports (status);
CREATE INDEX bulk_imports_by_update ON bulk_imports (updated_at);
CREATE INDEX bulk_imports_by_event ON bulk_imports (event_id);
CREATE INDEX bulk_imports_by_end ON bulk_imports (finished_at) WHERE finished_at IS NOT NULL;

-- Rejected records. E-mail, customer number and external id are columns, so that an erasure request finds them by
-- index.
CREATE TABLE bulk_import_errors (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  bulk_import_id   INTEGER NOT NULL REFERENCES bulk_imports (id) ON DELETE CASCADE,
  record_index     INTEGER NOT NULL,
  faults           TEXT NOT NULL,           -- JSON: [{field, code, detail}]
  source           TEXT NOT NULL,           -- JSON: the record as it was sent
  email            TEXT COLLATE NOCASE,
  customer_number  TEXT,
  external_id      TEXT,
  created_at       TEXT NOT NULL,
  UNIQUE (bulk_import_id, record_index)
) STRICT;
CREATE INDEX bulk_import_errors_by_email ON bulk_import_errors (email) WHERE email IS NOT NULL;
CREATE INDEX bulk_import_errors_by_number ON bulk_import_errors (customer_number) WHERE customer_number IS NOT NULL;
CREATE INDEX bulk_import_errors_by_external_id ON bulk_import_errors (external_id) WHERE external_id IS NOT NULL;
