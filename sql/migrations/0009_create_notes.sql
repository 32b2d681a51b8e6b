-- Notes: what the staff writes down about another record. They go with it when it is deleted.

CREATE TABLE notes (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_type  TEXT NOT NULL CHECK (entity_type IN ('contact', 'application', 'event_participant', 'invoice', 'event')),
  entity_id    INTEGER NOT NULL,
  admin_id     INTEGER NOT NULL REFERENCES admins (id),
  note_text    TEXT NOT NULL,
  note_type    TEXT NOT NULL CHECK (note_type IN ('info', 'warning', 'followup', 'internal')),
  is_pinned    INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_entity ON notes (entity_type, entity_id, is_pinned);
