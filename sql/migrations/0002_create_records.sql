-- What all kinds of records share: running numbers, the audit log and the outgoing events.

-- Running numbers without gaps. A number is taken in the transaction that uses it.
CREATE TABLE counters (
  name   TEXT PRIMARY KEY,
  value  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One entry per change, chained by hashes. The hash covers the fixed columns, the digest of the other columns and the
-- previous hash. Values and salt can therefore be erased (GDPR Art. 17), and the chain still proves that no entry was
-- lost or moved. AUTOINCREMENT reveals even that the last entry was removed.
CREATE TABLE audit_log (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
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
  digest         TEXT NOT NULL,           -- of the salt and of the columns that can be erased
  previous_hash  TEXT NOT NULL,
  hash           TEXT NOT NULL
) STRICT;
-- Every change writes one page of each index. Most of these indexes grow at their end, or at the end of one admin or
-- action.
CREATE INDEX audit_log_by_entity ON audit_log (entity_type, entity_id);
-- Finds deleted records of a person: after a deletion, only the audit log still knows them.
CREATE INDEX audit_log_of_deleted ON audit_log (entity_type) WHERE action = 'deleted';
CREATE INDEX audit_log_by_time ON audit_log (created_at);
CREATE INDEX audit_log_by_action ON audit_log (action);
CREATE INDEX audit_log_by_admin ON audit_log (admin_id);
CREATE INDEX audit_log_by_key ON audit_log (api_key_id);
CREATE INDEX audit_log_by_request ON audit_log (request_id);
-- The search scans this index instead of the table. The id comes first, so that new entries are written at its end.
CREATE INDEX audit_log_by_title ON audit_log (id, entity_title, description);

-- Where the chain begins after old entries were pruned: id and hash of the last pruned entry.
CREATE TABLE audit_anchors (
  last_id     INTEGER PRIMARY KEY,
  hash        TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT;

-- The only allowed change erases values and salt together; no fixed column may change with it.
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log
WHEN NOT (NEW.salt IS NULL AND NEW.old_values IS NULL AND NEW.new_values IS NULL AND NEW.entity_title IS NULL
          AND NEW.description IS NULL AND NEW.ip_address IS NULL AND NEW.user_agent IS NULL AND NEW.admin_name IS NULL
          AND NEW.id = OLD.id AND NEW.action = OLD.action AND NEW.entity_type IS OLD.entity_type
          AND NEW.entity_id IS OLD.entity_id AND NEW.admin_id IS OLD.admin_id AND NEW.api_key_id IS OLD.api_key_id
          AND NEW.request_id IS OLD.request_id AND NEW.created_at = OLD.created_at AND NEW.digest = OLD.digest
          AND NEW.previous_hash = OLD.previous_hash AND NEW.hash = OLD.hash)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- An entry can be deleted only after an anchor was written for it or for a later entry.
CREATE TRIGGER audit_log_keeps_entries BEFORE DELETE ON audit_log
WHEN OLD.id > (SELECT coalesce(max(last_id), 0) FROM audit_anchors)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- INSERT OR REPLACE would delete an entry without the trigger for deletes.
CREATE TRIGGER audit_log_never_replaces BEFORE INSERT ON audit_log
WHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM audit_log)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- What webhooks and the webhook feed deliver, written in the transaction of the change. The table has no index, because
-- every write would pay for it: events are read and pruned in the order of their ids.
CREATE TABLE outgoing_events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,             -- payment.created
  entity_type  TEXT NOT NULL,
  entity_id    INTEGER NOT NULL,
  scope        TEXT NOT NULL,             -- required of an API key, at least as SCOPE:read
  data         TEXT,                      -- JSON; NULL once anonymised
  created_at   TEXT NOT NULL
) STRICT;
