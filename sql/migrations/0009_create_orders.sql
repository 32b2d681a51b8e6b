-- Orders: services that an organiser sells besides booths, and the orders of participants.
-- Quantities are whole numbers.

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
  base_price                 INTEGER NOT NULL,    -- net per unit, minor units of the tenant's currency
  tax_rate                   INTEGER,             -- hundredths of a percent; NULL: the tenant's rate
  min_quantity               INTEGER NOT NULL CHECK (min_quantity > 0),
  max_quantity               INTEGER CHECK (max_quantity >= min_quantity),
  quantity_step              INTEGER NOT NULL CHECK (quantity_step > 0),
  requires_specification     INTEGER NOT NULL CHECK (requires_specification IN (0, 1)),
  specification_label        TEXT,
  specification_placeholder  TEXT,
  lead_time_days             INTEGER NOT NULL,    -- orders end this many days before the event begins; 0: no limit
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

-- The offer of a service at an event. Without a row, the service is not offered there. The last CHECK guarantees that
-- the stock is never oversold.
CREATE TABLE service_events (
  service_id        INTEGER NOT NULL REFERENCES services (id) ON DELETE CASCADE,
  event_id          INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  base_price        INTEGER,                      -- minor units; NULL: the base price of the service
  early_bird_price  INTEGER,                      -- minor units
  early_bird_until  TEXT,                         -- a date: the last day of the early-bird price
  order_deadline    TEXT,                         -- a date: the last day for orders
  stock             INTEGER CHECK (stock >= 0),   -- NULL: unlimited
  ordered           INTEGER NOT NULL DEFAULT 0 CHECK (ordered >= 0),     -- by submitted, confirmed and completed orders
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
CREATE TRIGGER services_search_update
AFTER UPDATE OF service_name, service_key, short_description, description ON services BEGIN
  INSERT INTO services_search (services_search, rowid, service_name, service_key, short_description, description)
  VALUES ('delete', OLD.id, OLD.service_name, OLD.service_key, OLD.short_description, OLD.description);
  INSERT INTO services_search (rowid, service_name, service_key, short_description, description)
  VALUES (NEW.id, NEW.service_name, NEW.service_key, NEW.short_description, NEW.description);
END;

-- What a participant orders. Prices and taxes are frozen when the order is submitted.
CREATE TABLE service_orders (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  order_number          TEXT UNIQUE,              -- assigned when the order is submitted
  event_id              INTEGER NOT NULL REFERENCES events (id),        -- the event of the participant
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  status                TEXT NOT NULL CHECK (status IN ('draft', 'submitted', 'confirmed', 'completed', 'cancelled')),
  currency              TEXT NOT NULL,
  subtotal              INTEGER NOT NULL,         -- minor units, without cancelled items
  tax_total             INTEGER NOT NULL,         -- minor units, without cancelled items
  total                 INTEGER NOT NULL,         -- minor units, without cancelled items
  notes                 TEXT,
  submitted_at          TEXT,
  confirmed_at          TEXT,
  completed_at          TEXT,
  cancelled_at          TEXT,
  cancellation_reason   TEXT,
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL
) STRICT;
CREATE INDEX service_orders_by_event ON service_orders (event_id);
CREATE INDEX service_orders_by_status ON service_orders (status);
CREATE INDEX service_orders_by_total ON service_orders (total);
CREATE INDEX service_orders_by_submission ON service_orders (submitted_at);
CREATE INDEX service_orders_by_update ON service_orders (updated_at);
-- The status is included because the view readiness looks for open orders of every participant.
CREATE INDEX service_orders_by_participant ON service_orders (event_participant_id, status);

CREATE TABLE service_order_items (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  service_order_id  INTEGER NOT NULL REFERENCES service_orders (id) ON DELETE CASCADE,
  position          INTEGER NOT NULL,
  service_id        INTEGER NOT NULL REFERENCES services (id),
  booth_id          INTEGER REFERENCES booths (id),
  service_name      TEXT NOT NULL,                -- name of the service at the time of the order
  unit              TEXT NOT NULL,
  quantity          INTEGER NOT NULL CHECK (quantity > 0),
  unit_price        INTEGER NOT NULL,             -- minor units
  net               INTEGER NOT NULL,             -- minor units
  tax_rate          INTEGER NOT NULL,             -- hundredths of a percent
  specification     TEXT,
  status            TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
  completed_at      TEXT,
  cancelled_at      TEXT,
  UNIQUE (service_order_id, position)
) STRICT;
CREATE INDEX service_order_items_by_service ON service_order_items (service_id);
CREATE INDEX service_order_items_by_booth ON service_order_items (booth_id) WHERE booth_id IS NOT NULL;
