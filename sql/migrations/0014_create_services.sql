-- Services: what an organiser sells besides space, and on what terms at which event.
-- Prices are minor units of the tenant's currency, tax rates hundredths of a percent, quantities whole.

CREATE TABLE service_categories (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  category_key   TEXT NOT NULL UNIQUE,
  category_name  TEXT NOT NULL COLLATE NOCASE,
  sort_order     INTEGER NOT NULL,
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL
) STRICT;
CREATE INDEX service_categories_by_name ON service_categories (category_name);
CREATE INDEX service_categories_by_order ON service_categories (sort_order);
CREATE INDEX service_categories_by_update ON service_categories (updated_at);

CREATE TABLE services (
  id                         INTEGER PRIMARY KEY AUTOINCREMENT,
  category_id                INTEGER REFERENCES service_categories (id),
  service_key                TEXT NOT NULL UNIQUE,
  service_name               TEXT NOT NULL COLLATE NOCASE,
  description                TEXT,
  short_description          TEXT,
  unit                       TEXT NOT NULL,
  unit_label                 TEXT,
  base_price                 INTEGER NOT NULL,
  tax_rate                   INTEGER,             -- the tenant's where null
  min_quantity               INTEGER NOT NULL CHECK (min_quantity > 0),
  max_quantity               INTEGER CHECK (max_quantity >= min_quantity),
  quantity_step              INTEGER NOT NULL CHECK (quantity_step > 0),
  requires_specification     INTEGER NOT NULL CHECK (requires_specification IN (0, 1)),
  specification_label        TEXT,
  specification_placeholder  TEXT,
  lead_time_days             INTEGER NOT NULL,
  image_filename             TEXT,
  is_active                  INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  sort_order                 INTEGER NOT NULL,
  created_at                 TEXT NOT NULL,
  updated_at                 TEXT NOT NULL
) STRICT;
CREATE INDEX services_by_category ON services (category_id);
CREATE INDEX services_by_name ON services (service_name);
CREATE INDEX services_by_activity ON services (is_active);
CREATE INDEX services_by_order ON services (sort_order);
CREATE INDEX services_by_update ON services (updated_at);

-- What is not offered at an event has no row here. That no more is ordered than there is, is decided by the last line.
CREATE TABLE service_events (
  service_id        INTEGER NOT NULL REFERENCES services (id) ON DELETE CASCADE,
  event_id          INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  base_price        INTEGER,                      -- the service's where null
  early_bird_price  INTEGER,
  early_bird_until  TEXT,                         -- a day, the last one
  order_deadline    TEXT,                         -- a day, the last one
  stock             INTEGER CHECK (stock >= 0),   -- without end where null
  ordered           INTEGER NOT NULL DEFAULT 0 CHECK (ordered >= 0),     -- by orders submitted, confirmed, completed
  is_active         INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  PRIMARY KEY (service_id, event_id),
  CHECK (stock IS NULL OR ordered <= stock)
) STRICT, WITHOUT ROWID;
CREATE INDEX service_events_by_event ON service_events (event_id, service_id);

CREATE VIRTUAL TABLE services_search USING fts5 (
  service_name, service_key, short_description, description, content = 'services', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER services_search_insert AFTER INSERT ON services BEGIN
  INSERT INTO services_search (rowid, service_name, service_key, short_description, description)
  VALUES (NEW.id, NEW.service_name, NEW.service_key, NEW.short_description, NEW.description);
END;
CREATE TRIGGER services_search_delete AFTER DELETE ON services BEGIN
  INSERT INTO services_search (services_search, rowid, service_name, service_key, short_description, description)
  VALUES ('delete', OLD.id, OLD.service_name, OLD.service_key, OLD.short_description, OLD.description);
END;
CREATE TRIGGER services_search_update AFTER UPDATE OF service_name, service_key, short_description, description ON services BEGIN
  INSERT INTO services_search (services_search, rowid, service_name, service_key, short_description, description)
  VALUES ('delete', OLD.id, OLD.service_name, OLD.service_key, OLD.short_description, OLD.description);
  INSERT INTO services_search (rowid, service_name, service_key, short_description, description)
  VALUES (NEW.id, NEW.service_name, NEW.service_key, NEW.short_description, NEW.description);
END;
