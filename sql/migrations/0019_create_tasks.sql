-- Tasks: what the staff has to do, about a record or about none. They go with it when it is deleted.

CREATE TABLE tasks (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  title          TEXT NOT NULL COLLATE NOCASE,
  description    TEXT,
  status         TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
  priority       TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'normal', 'low')),
  priority_rank  INTEGER NOT NULL GENERATED ALWAYS AS (CASE priority WHEN 'urgent' THEN 4 WHEN 'high' THEN 3 WHEN 'normal' THEN 2 ELSE 1 END) STORED,
  due_date       TEXT,                    -- JSON, as given: a day, a moment, or days before or after a date of the event
  due_at         TEXT,                    -- the last instant in time
  assigned_to    INTEGER REFERENCES admins (id),
  entity_type    TEXT,
  entity_id      INTEGER,
  event_id       INTEGER REFERENCES events (id),      -- the event that the entity is, or is of
  created_by     INTEGER NOT NULL REFERENCES admins (id),
  completed_at   TEXT,
  completed_by   INTEGER REFERENCES admins (id),
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  CHECK ((entity_type IS NULL) = (entity_id IS NULL)),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL))
) STRICT;
CREATE INDEX tasks_by_title ON tasks (title);
CREATE INDEX tasks_by_due ON tasks (due_at);
CREATE INDEX tasks_by_priority ON tasks (priority_rank);
CREATE INDEX tasks_by_status ON tasks (status, due_at);
CREATE INDEX tasks_by_status_and_id ON tasks (status);
CREATE INDEX tasks_by_creation ON tasks (created_at);
CREATE INDEX tasks_by_assignee ON tasks (assigned_to, status);
CREATE INDEX tasks_by_entity ON tasks (entity_type, entity_id);
CREATE INDEX tasks_by_entity_id ON tasks (entity_id) WHERE entity_id IS NOT NULL;
CREATE INDEX tasks_by_event ON tasks (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX tasks_open_by_due ON tasks (due_at) WHERE status IN ('pending', 'in_progress');
CREATE INDEX tasks_by_update ON tasks (updated_at);

CREATE VIRTUAL TABLE tasks_search USING fts5 (
  title, description, content = 'tasks', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks BEGIN
  INSERT INTO tasks_search (rowid, title, description) VALUES (NEW.id, NEW.title, NEW.description);
END;
CREATE TRIGGER tasks_search_delete AFTER DELETE ON tasks BEGIN
  INSERT INTO tasks_search (tasks_search, rowid, title, description) VALUES ('delete', OLD.id, OLD.title, OLD.description);
END;
CREATE TRIGGER tasks_search_update AFTER UPDATE OF title, description ON tasks BEGIN
  INSERT INTO tasks_search (tasks_search, rowid, title, description) VALUES ('delete', OLD.id, OLD.title, OLD.description);
  INSERT INTO tasks_search (rowid, title, description) VALUES (NEW.id, NEW.title, NEW.description);
END;
