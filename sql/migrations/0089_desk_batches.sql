-- What somebody at the desk does with many records: the trial, then the result. Kept for seven days. Of the records it has
-- the ids, codes and amounts only; pages read their names.
CREATE TABLE desk_batches (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  admin_id     INTEGER NOT NULL REFERENCES admins (id),
  resource     TEXT NOT NULL,                      -- as in paths of the API: service-orders
  action       TEXT NOT NULL,
  fields       TEXT NOT NULL,                      -- JSON: name -> texts of the form
  back         TEXT NOT NULL,                      -- address within the desk that it was started from
  begins       INTEGER NOT NULL DEFAULT 0,         -- place of the first entry of the part in hand
  size         INTEGER NOT NULL,                   -- entries of all parts
  state        TEXT NOT NULL DEFAULT 'tried' CHECK (state IN ('tried', 'running', 'done')),  -- of the part in hand
  created_at   TEXT NOT NULL
) STRICT;
CREATE INDEX desk_batches_by_admin ON desk_batches (admin_id);
CREATE INDEX desk_batches_by_age ON desk_batches (created_at);

CREATE TABLE desk_batch_entries (
  batch_id     INTEGER NOT NULL REFERENCES desk_batches (id) ON DELETE CASCADE,
  place        INTEGER NOT NULL,
  record_id    INTEGER NOT NULL,
  trial        TEXT,                               -- JSON: {status, code, amount …}
  result       TEXT,                               -- the same, once it was done
  undone       TEXT,                               -- the same, once it was taken back
  PRIMARY KEY (batch_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX desk_batch_entries_by_record ON desk_batch_entries (record_id);
