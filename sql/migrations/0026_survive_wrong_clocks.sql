-- The latest `updated_at` that was ever stored. A transaction stamps no earlier one, even if the clock was set back, so
-- that a client that asks for `updated_since` misses nothing. One row.

CREATE TABLE last_stamp (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  stamped_at  TEXT NOT NULL
) STRICT;

INSERT INTO last_stamp (id, stamped_at)
SELECT 1, coalesce((SELECT max(created_at) FROM audit_log), '2000-01-01T00:00:00Z');

-- When the clock jumped ahead by days since the heartbeat before: housekeeping then waits before it deletes anything.
ALTER TABLE worker_heartbeats ADD COLUMN jumped_at TEXT;
