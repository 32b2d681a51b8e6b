-- The tenant, who may do what, the journal and what the outside needs: everything that is not a resource.

CREATE TABLE tenant (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  tier  TEXT NOT NULL DEFAULT 'Business+' CHECK (tier IN ('Starter', 'Business', 'Business+'))
) STRICT;
INSERT INTO tenant (id) VALUES (1);

CREATE TABLE flags (
  name     TEXT PRIMARY KEY,
  enabled  INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX flags_disabled ON flags (name) WHERE enabled = 0;      -- asked at every request
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

-- Only the SHA-256 of a key is kept: keys are random, so one fast hash is right.
CREATE TABLE api_keys (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  admin_id      INTEGER NOT NULL REFERENCES admins (id),
  name          TEXT NOT NULL,
  key_hash      TEXT NOT NULL UNIQUE,
  scopes        TEXT NOT NULL,            -- words separated by spaces
  expires_at    TEXT,
  revoked_at    TEXT,
  last_used_at  TEXT,                     -- written at most hourly
  created_at    TEXT NOT NULL
) STRICT;

CREATE TABLE gateways (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  gateway_key  TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  fee_percent  INTEGER NOT NULL DEFAULT 0,   -- hundredths of a percent
  fee_fixed    INTEGER NOT NULL DEFAULT 0,   -- minor units of the tenant's currency
  created_at   TEXT NOT NULL
) STRICT;

-- Running numbers without gaps: taken in the transaction that uses them.
CREATE TABLE counters (
  name   TEXT PRIMARY KEY,
  value  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  api_key_id       INTEGER NOT NULL REFERENCES api_keys (id),
  idempotency_key  TEXT NOT NULL,
  fingerprint      TEXT NOT NULL,         -- hash of method, path, query and body
  status           INTEGER NOT NULL,
  location         TEXT,
  data             TEXT,                  -- JSON
  created_at       TEXT NOT NULL,
  PRIMARY KEY (api_key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- One entry per change, chained by hashes. The hash covers the fixed columns, the digest of the rest and the hash before,
-- so that values and salt can be taken away (GDPR Art. 17) and the chain still proves that no entry was lost or moved.
CREATE TABLE audit_log (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,    -- so that even a removed last entry is missed
  action         TEXT NOT NULL,
  entity_type    TEXT,
  entity_id      INTEGER,
  entity_title   TEXT,
  description    TEXT,
  old_values     TEXT,                    -- JSON
  new_values     TEXT,                    -- JSON
  admin_id       INTEGER,
  admin_name     TEXT,
  api_key_id     INTEGER,
  request_id     TEXT,
  ip_address     TEXT,
  user_agent     TEXT,
  created_at     TEXT NOT NULL,
  salt           TEXT,
  digest         TEXT NOT NULL,           -- of the salt and the columns that may be taken away
  previous_hash  TEXT NOT NULL,
  hash           TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_by_entity ON audit_log (entity_type, entity_id);

-- Where the chain begins after old entries were pruned: the last entry that is gone, and its hash.
CREATE TABLE audit_anchors (
  last_id     INTEGER PRIMARY KEY,
  hash        TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log
WHEN NOT (NEW.salt IS NULL AND NEW.old_values IS NULL AND NEW.new_values IS NULL AND NEW.entity_title IS NULL
          AND NEW.description IS NULL AND NEW.ip_address IS NULL AND NEW.user_agent IS NULL AND NEW.admin_name IS NULL
          AND NEW.id = OLD.id AND NEW.action = OLD.action AND NEW.entity_type IS OLD.entity_type
          AND NEW.entity_id IS OLD.entity_id AND NEW.admin_id IS OLD.admin_id AND NEW.api_key_id IS OLD.api_key_id
          AND NEW.request_id IS OLD.request_id AND NEW.created_at = OLD.created_at AND NEW.digest = OLD.digest
          AND NEW.previous_hash = OLD.previous_hash AND NEW.hash = OLD.hash)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_log_keeps_entries BEFORE DELETE ON audit_log
WHEN OLD.id > (SELECT coalesce(max(last_id), 0) FROM audit_anchors)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_log_never_replaces BEFORE INSERT ON audit_log
WHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM audit_log)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- What webhooks and the feed will tell, written in the transaction of the change. Without an index: it is read and pruned in the
-- order of ids, and every write pays for it.
CREATE TABLE outgoing_events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,             -- payment.created
  entity_type  TEXT NOT NULL,
  entity_id    INTEGER NOT NULL,
  scope        TEXT NOT NULL,             -- a key needs it to hear of this
  data         TEXT,                      -- JSON; null once anonymised
  created_at   TEXT NOT NULL
) STRICT;

-- Signs of life of the worker.
CREATE TABLE worker_signs (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  seen_at  TEXT NOT NULL
) STRICT;
