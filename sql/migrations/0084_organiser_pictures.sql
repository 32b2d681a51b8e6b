-- Pictures of the organiser: those that it uploads as settings. What they were before they were made smaller is not kept.
CREATE TABLE organiser_pictures (
  name       TEXT PRIMARY KEY,      -- logo
  kind       TEXT NOT NULL,         -- content type, such as image/png
  width      INTEGER NOT NULL,      -- in pixels
  height     INTEGER NOT NULL,
  sha256     TEXT NOT NULL,         -- of the content
  content    BLOB NOT NULL,
  changed_at TEXT NOT NULL
) STRICT;
