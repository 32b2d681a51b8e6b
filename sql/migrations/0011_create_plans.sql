-- Plans: the halls of an event. Lengths are millimetres.

CREATE TABLE plans (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id           INTEGER NOT NULL REFERENCES events (id),
  plan_key           TEXT NOT NULL,
  plan_name          TEXT NOT NULL COLLATE NOCASE,
  description        TEXT,
  area_name          TEXT COLLATE NOCASE,
  width              INTEGER NOT NULL CHECK (width > 0),
  height             INTEGER NOT NULL CHECK (height > 0),
  background_image   TEXT,                -- an address
  grid_size          INTEGER NOT NULL CHECK (grid_size > 0),      -- as given: for who draws on it
  scale_factor       INTEGER NOT NULL CHECK (scale_factor > 0),   -- thousandths
  objects            TEXT NOT NULL DEFAULT '[]',                  -- JSON, lengths in millimetres, replaced as a whole
  is_active          INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  sort_order         INTEGER NOT NULL,
  created_at         TEXT NOT NULL,
  updated_at         TEXT NOT NULL,
  UNIQUE (event_id, plan_key)
) STRICT;
CREATE INDEX plans_by_event ON plans (event_id);
CREATE INDEX plans_by_activity ON plans (is_active);
CREATE INDEX plans_by_name ON plans (plan_name);
CREATE INDEX plans_by_key ON plans (plan_key);
CREATE INDEX plans_by_area ON plans (area_name);
CREATE INDEX plans_by_order ON plans (sort_order);
CREATE INDEX plans_by_update ON plans (updated_at);
