-- Halls: plans, booths with their types and price formulas, and reservations.
-- Lengths are millimetres and areas are square millimetres, unless a column says otherwise.

-- The halls of an event.
CREATE TABLE plans (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id           INTEGER NOT NULL REFERENCES events (id),
  plan_key           TEXT NOT NULL,
  plan_name          TEXT NOT NULL COLLATE NOCASE,
  description        TEXT,
  area_name          TEXT COLLATE NOCASE,
  width              INTEGER NOT NULL CHECK (width > 0),
  height             INTEGER NOT NULL CHECK (height > 0),
  background_image   TEXT,                -- a URL
  grid_size          INTEGER NOT NULL CHECK (grid_size > 0),      -- stored for editors, in their own units
  scale_factor       INTEGER NOT NULL CHECK (scale_factor > 0),   -- stored for editors, in thousandths
  objects            TEXT NOT NULL DEFAULT '[]',                  -- JSON, lengths in millimetres; replaced as a whole
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

CREATE TABLE booth_types (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  booth_type_key   TEXT NOT NULL UNIQUE,
  booth_type_name  TEXT NOT NULL COLLATE NOCASE,
  description      TEXT,
  open_sides       INTEGER NOT NULL CHECK (open_sides BETWEEN 1 AND 4),       -- 1 row, 2 corner, 3 head, 4 island
  color            TEXT,
  price_model      TEXT NOT NULL CHECK (price_model IN ('fixed', 'per_m2', 'per_front_m')),
  price            INTEGER NOT NULL,      -- net, minor units of the tenant's currency, per booth, m² or metre of front
  tax_rate         INTEGER,               -- hundredths of a percent; NULL: the tenant's rate
  sort_order       INTEGER NOT NULL,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX booth_types_by_name ON booth_types (booth_type_name);
CREATE INDEX booth_types_by_order ON booth_types (sort_order);
CREATE INDEX booth_types_by_update ON booth_types (updated_at);

-- Price formulas of booths.
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

-- What is sold of a hall. The status follows the reservations; only `blocked` is set by the organiser.
CREATE TABLE booths (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  plan_id          INTEGER NOT NULL REFERENCES plans (id),
  event_id         INTEGER NOT NULL REFERENCES events (id),          -- the event of the plan
  booth_type_id    INTEGER REFERENCES booth_types (id),
  formula_id       INTEGER REFERENCES booth_formulas (id),
  booth_number     TEXT NOT NULL COLLATE NOCASE,
  booth_name       TEXT,
  description      TEXT,
  width            INTEGER NOT NULL CHECK (width > 0),
  depth            INTEGER NOT NULL CHECK (depth > 0),
  area             INTEGER NOT NULL GENERATED ALWAYS AS (width * depth) STORED,
  pos_x            INTEGER,               -- top left corner before the rotation; NULL until it is placed
  pos_y            INTEGER,
  rotation         INTEGER NOT NULL CHECK (rotation BETWEEN 0 AND 359),      -- degrees, clockwise about the centre
  fixed_price      INTEGER,               -- net, minor units of the tenant's currency; replaces formula and type
  tax_rate         INTEGER,               -- hundredths of a percent; NULL: the rate of the type, else the tenant's rate
  price            INTEGER,               -- net, minor units; NULL if there is none or it depends on the participant
  price_breakdown  TEXT,                  -- JSON
  status           TEXT NOT NULL CHECK (status IN ('available', 'reserved', 'sold', 'blocked')),
  held_until       TEXT,                  -- when the hold of a reserved booth expires
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

-- Reservations, sales and waiting list of booths.
CREATE TABLE booth_reservations (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  booth_id              INTEGER NOT NULL REFERENCES booths (id),
  event_id              INTEGER NOT NULL REFERENCES events (id),        -- the event of the booth
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  status                TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'cancelled', 'expired', 'waitlisted')),
  booth_number          TEXT COLLATE NOCASE,          -- copy from the booth for sorting; triggers keep it up to date
  final_price           INTEGER,                      -- net, minor units; NULL on the waiting list, unless negotiated
  is_negotiated         INTEGER NOT NULL DEFAULT 0 CHECK (is_negotiated IN (0, 1)),   -- given, not computed
  tax_rate              INTEGER,                      -- hundredths of a percent, frozen with the price
  price_breakdown       TEXT,                         -- JSON, frozen with the price
  notes                 TEXT,
  cancellation_reason   TEXT,
  reserved_at           TEXT,
  expires_at            TEXT,                         -- when the hold of a pending reservation expires
  confirmed_at          TEXT,
  cancelled_at          TEXT,
  created_by            INTEGER REFERENCES admins (id),
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL,
  CHECK ((status = 'pending') <= (expires_at IS NOT NULL))
) STRICT;
-- These two unique indexes guarantee that a booth is sold only once, and that a participant is on its waiting list only
-- once.
CREATE UNIQUE INDEX booth_reservations_live ON booth_reservations (booth_id) WHERE status IN ('pending', 'confirmed');
CREATE UNIQUE INDEX booth_reservations_waiting ON booth_reservations (booth_id, event_participant_id)
  WHERE status = 'waitlisted';
CREATE INDEX booth_reservations_by_expiry ON booth_reservations (expires_at) WHERE status = 'pending';
CREATE INDEX booth_reservations_by_booth ON booth_reservations (booth_id, status);
CREATE INDEX booth_reservations_by_event ON booth_reservations (event_id);
CREATE INDEX booth_reservations_by_participant ON booth_reservations (event_participant_id);
CREATE INDEX booth_reservations_by_status ON booth_reservations (status);
CREATE INDEX booth_reservations_by_number ON booth_reservations (booth_number);
CREATE INDEX booth_reservations_by_time ON booth_reservations (reserved_at);
CREATE INDEX booth_reservations_by_price ON booth_reservations (final_price);
CREATE INDEX booth_reservations_by_update ON booth_reservations (updated_at);
CREATE TRIGGER booth_reservations_insert AFTER INSERT ON booth_reservations BEGIN
  UPDATE booth_reservations SET booth_number = (SELECT booth_number FROM booths WHERE id = NEW.booth_id)
   WHERE id = NEW.id;
END;
CREATE TRIGGER booth_reservations_move AFTER UPDATE OF booth_id ON booth_reservations
WHEN NEW.booth_id <> OLD.booth_id BEGIN
  UPDATE booth_reservations SET booth_number = (SELECT booth_number FROM booths WHERE id = NEW.booth_id)
   WHERE id = NEW.id;
END;
CREATE TRIGGER booth_reservations_follow AFTER UPDATE OF booth_number ON booths BEGIN
  UPDATE booth_reservations SET booth_number = NEW.booth_number WHERE booth_id = NEW.id;
END;
