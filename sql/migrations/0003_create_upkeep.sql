-- Upkeep of the installation.

-- One row: the last heartbeat of the worker.
CREATE TABLE worker_heartbeats (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  seen_at  TEXT NOT NULL
) STRICT;

-- Deleted data leaves free space in the file. After an anonymisation, this table fills that space with zeros and is
-- emptied again, so that no personal data is left in the file.
CREATE TABLE blanks (
  id     INTEGER PRIMARY KEY,
  zeros  BLOB NOT NULL
) STRICT;
