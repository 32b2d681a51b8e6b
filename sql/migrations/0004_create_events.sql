-- Events and categories.

-- date_from, date_to and application_deadline hold what the caller sent: a date or a timestamp. The columns *_at hold
-- the same as UTC timestamps. The table documents is created by a later migration.
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
  over_at                  TEXT,          -- end of the last day in the time zone of the event
  application_deadline     TEXT,
  application_deadline_at  TEXT,
  timezone                 TEXT NOT NULL,
  is_visible               INTEGER NOT NULL CHECK (is_visible IN (0, 1)),
  opening_hours            TEXT NOT NULL DEFAULT '[]',   -- JSON, replaced as a whole
  image_document_id        INTEGER REFERENCES documents (id) ON DELETE SET NULL,
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
CREATE INDEX events_by_image ON events (image_document_id) WHERE image_document_id IS NOT NULL;

-- Full-text search. The index has no copy of the text, so that triggers must keep it up to date.
CREATE VIRTUAL TABLE events_search USING fts5 (
  title, event_key, description, city, content = 'events', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
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

-- A tree of categories for contacts, applications and participants.
CREATE TABLE categories (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  category_key            TEXT NOT NULL UNIQUE,
  title                   TEXT NOT NULL COLLATE NOCASE,
  content                 TEXT,
  parent_category_id      INTEGER REFERENCES categories (id),
  is_visible              INTEGER NOT NULL CHECK (is_visible IN (0, 1)),
  applicant_visibility    TEXT NOT NULL CHECK (applicant_visibility IN ('selectable', 'container', 'admin_only')),
  account_access_enabled  INTEGER NOT NULL CHECK (account_access_enabled IN (0, 1)),
  sort_order              INTEGER NOT NULL,
  color                   TEXT,
  base_price              INTEGER,        -- category fee in minor units of the tenant's currency
  tax_rate                INTEGER,        -- hundredths of a percent; NULL: the tenant's rate
  created_at              TEXT NOT NULL,
  updated_at              TEXT NOT NULL
) STRICT;
CREATE INDEX categories_by_parent ON categories (parent_category_id);
CREATE INDEX categories_by_title ON categories (title);
CREATE INDEX categories_by_order ON categories (sort_order);
CREATE INDEX categories_by_update ON categories (updated_at);

-- The events that use a category.
CREATE TABLE category_events (
  category_id  INTEGER NOT NULL REFERENCES categories (id) ON DELETE CASCADE,
  event_id     INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  PRIMARY KEY (category_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX category_events_by_event ON category_events (event_id);
