-- Events. date_from, date_to and application_deadline stand as given (a day or a moment) and, in *_at, as UTC instants.

CREATE TABLE events (
  id                       INTEGER PRIMARY KEY AUTOINCREMENT,
  event_key                TEXT NOT NULL UNIQUE,
  title                    TEXT NOT NULL COLLATE NOCASE,
  description              TEXT,
  country                  TEXT NOT NULL,
  state                    TEXT,
  city                     TEXT COLLATE NOCASE,
  date_from                TEXT,
  date_from_at             TEXT,
  date_to                  TEXT,
  date_to_at               TEXT,
  over_at                  TEXT,          -- end of the last day in the event's zone
  application_deadline     TEXT,
  application_deadline_at  TEXT,
  timezone                 TEXT NOT NULL,
  is_visible               INTEGER NOT NULL CHECK (is_visible IN (0, 1)),
  opening_hours            TEXT NOT NULL DEFAULT '[]',   -- JSON, replaced as a whole
  created_at               TEXT NOT NULL,
  updated_at               TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_title ON events (title);
CREATE INDEX events_by_city ON events (city);
CREATE INDEX events_by_date_from ON events (date_from_at);
CREATE INDEX events_by_visibility ON events (is_visible, date_from_at);
CREATE INDEX events_by_date_to ON events (date_to_at);
CREATE INDEX events_by_end ON events (over_at);
CREATE INDEX events_by_update ON events (updated_at);

CREATE VIRTUAL TABLE events_search USING fts5 (
  title, event_key, description, city, content = 'events', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3');
CREATE TRIGGER events_search_insert AFTER INSERT ON events BEGIN
  INSERT INTO events_search (rowid, title, event_key, description, city)
  VALUES (NEW.id, NEW.title, NEW.event_key, NEW.description, NEW.city);
END;
CREATE TRIGGER events_search_delete AFTER DELETE ON events BEGIN
  INSERT INTO events_search (events_search, rowid, title, event_key, description, city)
  VALUES ('delete', OLD.id, OLD.title, OLD.event_key, OLD.description, OLD.city);
END;
CREATE TRIGGER events_search_update AFTER UPDATE OF title, event_key, description, city ON events BEGIN
  INSERT INTO events_search (events_search, rowid, title, event_key, description, city)
  VALUES ('delete', OLD.id, OLD.title, OLD.event_key, OLD.description, OLD.city);
  INSERT INTO events_search (rowid, title, event_key, description, city)
  VALUES (NEW.id, NEW.title, NEW.event_key, NEW.description, NEW.city);
END;
