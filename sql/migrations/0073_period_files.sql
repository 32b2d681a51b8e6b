-- Files that a closing keeps, so that what was handed to the adviser and to the tax office never changes: see
-- domain/books/files.py.

-- Where the organiser was, and in which currency it kept its books, when the month was closed. NULL: the month was closed by
-- an earlier version, so it is not known. `timezone` was stored before.
ALTER TABLE periods ADD COLUMN organiser_country TEXT;
ALTER TABLE periods ADD COLUMN currency TEXT;

CREATE TABLE period_files (
  period_id  INTEGER NOT NULL REFERENCES periods (id),
  name       TEXT NOT NULL,     -- such as recapitulative or datev_bookings
  sha256     TEXT NOT NULL,     -- of the file; the audit log has it as well
  size       INTEGER NOT NULL,  -- of the file in bytes
  kept_at    TEXT NOT NULL,
  content    BLOB NOT NULL,     -- the file, compressed with zlib; the last column, so that the others are read without it
  PRIMARY KEY (period_id, name)
) STRICT;

-- The months whose files were deleted at the end of their retention. No file of them is kept again.
CREATE TABLE period_file_ends (
  period_id  INTEGER PRIMARY KEY REFERENCES periods (id),
  ended_at   TEXT NOT NULL
) STRICT;

CREATE TRIGGER period_files_never_change BEFORE UPDATE ON period_files
BEGIN SELECT RAISE(ABORT, 'a kept file never changes'); END;
CREATE TRIGGER period_files_stay BEFORE DELETE ON period_files
WHEN NOT EXISTS (SELECT 1 FROM period_file_ends e WHERE e.period_id = OLD.period_id)
BEGIN SELECT RAISE(ABORT, 'a kept file stays until its retention ends'); END;
-- INSERT OR REPLACE would delete a row without the trigger for deletes.
CREATE TRIGGER period_files_are_kept_once BEFORE INSERT ON period_files
WHEN EXISTS (SELECT 1 FROM period_files f WHERE f.period_id = NEW.period_id AND f.name = NEW.name)
  OR EXISTS (SELECT 1 FROM period_file_ends e WHERE e.period_id = NEW.period_id)
BEGIN SELECT RAISE(ABORT, 'a kept file is never replaced'); END;
