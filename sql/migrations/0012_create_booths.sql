-- Booths: what is sold of a hall, what kinds there are, and by which formulas they are priced.
-- Lengths are millimetres, areas square millimetres, prices minor units of the tenant's currency, tax rates hundredths of a percent.

CREATE TABLE booth_types (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  booth_type_key   TEXT NOT NULL UNIQUE,
  booth_type_name  TEXT NOT NULL COLLATE NOCASE,
  description      TEXT,
  open_sides       INTEGER NOT NULL CHECK (open_sides BETWEEN 1 AND 4),       -- row, corner, head, island
  color            TEXT,
  price_model      TEXT NOT NULL CHECK (price_model IN ('fixed', 'per_m2', 'per_front_m')),
  price            INTEGER NOT NULL,
  tax_rate         INTEGER,               -- the tenant's where null
  sort_order       INTEGER NOT NULL,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX booth_types_by_name ON booth_types (booth_type_name);
CREATE INDEX booth_types_by_order ON booth_types (sort_order);
CREATE INDEX booth_types_by_update ON booth_types (updated_at);

CREATE TABLE booth_formulas (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL COLLATE NOCASE UNIQUE,
  expression   TEXT NOT NULL,
  description  TEXT,
  result_type  TEXT NOT NULL CHECK (result_type IN ('currency', 'number', 'percentage')),
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL
) STRICT;
CREATE INDEX booth_formulas_by_update ON booth_formulas (updated_at);

CREATE TABLE booths (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  plan_id          INTEGER NOT NULL REFERENCES plans (id),
  event_id         INTEGER NOT NULL REFERENCES events (id),          -- the plan's
  booth_type_id    INTEGER REFERENCES booth_types (id),
  formula_id       INTEGER REFERENCES booth_formulas (id),
  booth_number     TEXT NOT NULL COLLATE NOCASE,
  booth_name       TEXT,
  description      TEXT,
  width            INTEGER NOT NULL CHECK (width > 0),
  depth            INTEGER NOT NULL CHECK (depth > 0),
  area             INTEGER NOT NULL GENERATED ALWAYS AS (width * depth) STORED,
  pos_x            INTEGER,               -- top left of the rectangle before it is turned; both null: unplaced
  pos_y            INTEGER,
  rotation         INTEGER NOT NULL CHECK (rotation BETWEEN 0 AND 359),      -- degrees, clockwise about its centre
  fixed_price      INTEGER,
  tax_rate         INTEGER,               -- the type's, then the tenant's, where null
  price            INTEGER,               -- null while it depends on the participant
  price_breakdown  TEXT,                  -- JSON
  status           TEXT NOT NULL CHECK (status IN ('available', 'reserved', 'sold', 'blocked')),   -- follows the reservations, but for blocked
  held_until       TEXT,                  -- of a reserved one: when its hold runs out
  blocked_reason   TEXT,
  amenities        TEXT,
  notes            TEXT,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  UNIQUE (event_id, booth_number),
  CHECK ((pos_x IS NULL) = (pos_y IS NULL))
) STRICT;
CREATE INDEX booths_by_plan ON booths (plan_id);
CREATE INDEX booths_by_type ON booths (booth_type_id);
CREATE INDEX booths_by_formula ON booths (formula_id);
CREATE INDEX booths_by_number ON booths (booth_number);
CREATE INDEX booths_by_area ON booths (area);
CREATE INDEX booths_by_price ON booths (price);
CREATE INDEX booths_by_status ON booths (status);
CREATE INDEX booths_by_update ON booths (updated_at);
