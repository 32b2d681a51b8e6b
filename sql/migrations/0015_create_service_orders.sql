-- Service orders: what a participant wants besides space. Prices and taxes are frozen when an order is submitted.

CREATE TABLE service_orders (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  order_number          TEXT UNIQUE,              -- given when it is submitted
  event_id              INTEGER NOT NULL REFERENCES events (id),        -- the participant's
  event_participant_id  INTEGER NOT NULL REFERENCES participants (id),
  status                TEXT NOT NULL CHECK (status IN ('draft', 'submitted', 'confirmed', 'completed', 'cancelled')),
  currency              TEXT NOT NULL,
  subtotal              INTEGER NOT NULL,         -- minor units; what was cancelled counts no more
  tax_total             INTEGER NOT NULL,
  total                 INTEGER NOT NULL,
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
CREATE INDEX service_orders_by_participant ON service_orders (event_participant_id);
CREATE INDEX service_orders_by_status ON service_orders (status);
CREATE INDEX service_orders_by_total ON service_orders (total);
CREATE INDEX service_orders_by_submission ON service_orders (submitted_at);
CREATE INDEX service_orders_by_update ON service_orders (updated_at);

CREATE TABLE service_order_items (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  service_order_id  INTEGER NOT NULL REFERENCES service_orders (id) ON DELETE CASCADE,
  position          INTEGER NOT NULL,
  service_id        INTEGER NOT NULL REFERENCES services (id),
  booth_id          INTEGER REFERENCES booths (id),
  service_name      TEXT NOT NULL,                -- as ordered
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
