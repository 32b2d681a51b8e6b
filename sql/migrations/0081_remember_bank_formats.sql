-- Columns of CSV files that an import has named, for the account and the header line of the file: see
-- domain/bank/formats.py. A file with both is read by them.
CREATE TABLE bank_formats (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  account       TEXT NOT NULL,    -- IBAN
  header        TEXT NOT NULL,    -- JSON, the texts of the header line, or "1", "2"… if the file has none
  header_key    TEXT NOT NULL,    -- SHA-256 of these texts in the spelling by which columns are compared
  query         TEXT NOT NULL,    -- JSON, the parameters that were sent
  last_used_at  TEXT CHECK (last_used_at IS NOT NULL),    -- when an import last read a file by them
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  UNIQUE (account, header_key)
) STRICT;
CREATE INDEX bank_formats_by_use ON bank_formats (last_used_at);
CREATE INDEX bank_formats_by_update ON bank_formats (updated_at);
