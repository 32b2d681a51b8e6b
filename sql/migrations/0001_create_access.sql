-- Access: the tenant, its features, the admins and their API keys.
--
-- Conventions of all migrations:
-- * The `id` of a record is AUTOINCREMENT, so that the id of a deleted record is never used again.
-- * Columns named *_at hold UTC timestamps as text (2026-11-20T09:00:00Z). Dates are text as well (2026-11-20).
-- * Booleans are 0 or 1. Columns with JSON text say so.
-- * Money is INTEGER minor units (cents), tax rates are INTEGER hundredths of a percent (1900 is 19 %).
-- * The id is the last column of every index by itself, because SQLite stores the rowid there.
-- * Indexes named *_by_update serve the filter `updated_since` of a list.

-- One row: the organiser of this database and its plan tier. The API requires the tier Business+.
CREATE TABLE tenant (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  tier  TEXT NOT NULL DEFAULT 'Business+' CHECK (tier IN ('Starter', 'Business', 'Business+'))
) STRICT;
INSERT INTO tenant (id) VALUES (1);

-- Features that the organiser can switch off.
CREATE TABLE flags (
  name     TEXT PRIMARY KEY,
  enabled  INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1))
) STRICT, WITHOUT ROWID;
-- Every request reads the disabled flags. Usually there are none, and then this index is empty.
CREATE INDEX flags_disabled ON flags (name) WHERE enabled = 0;
INSERT INTO flags (name) VALUES ('invoices'), ('booths'), ('plans'), ('services'), ('service_orders'), ('tasks'),
  ('documents'), ('schedules'), ('webhooks');

CREATE TABLE admins (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT NOT NULL,
  email       TEXT,
  is_active   INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  created_at  TEXT NOT NULL,
  updated_at  TEXT NOT NULL
) STRICT;

-- Only the SHA-256 of a key is stored. Keys are random, so that one fast hash is enough.
CREATE TABLE api_keys (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  admin_id      INTEGER NOT NULL REFERENCES admins (id),
  name          TEXT NOT NULL,
  key_hash      TEXT NOT NULL UNIQUE,
  scopes        TEXT NOT NULL,            -- separated by spaces
  expires_at    TEXT,
  revoked_at    TEXT,
  last_used_at  TEXT,                     -- written at most once an hour, so that reads do not write
  created_at    TEXT NOT NULL
) STRICT;

-- Responses to requests with an Idempotency-Key, kept for 24 hours. Secrets that are shown once are not stored.
CREATE TABLE idempotency_keys (
  api_key_id       INTEGER NOT NULL REFERENCES api_keys (id),
  idempotency_key  TEXT NOT NULL,
  fingerprint      TEXT NOT NULL,         -- hash of method, path, query and body
  status           INTEGER NOT NULL,
  location         TEXT,
  data             TEXT,                  -- JSON
  meta             TEXT,                  -- JSON: `meta` of the response, except the request id
  request_id       TEXT,                  -- the first request; its audit entries name the records in `data`
  created_at       TEXT NOT NULL,
  PRIMARY KEY (api_key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
