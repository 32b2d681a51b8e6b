-- Webhooks, and what is and was to be delivered to each.

CREATE TABLE webhooks (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  api_key_id              INTEGER NOT NULL REFERENCES api_keys (id),    -- what it may hear of is what this key may read
  name                    TEXT NOT NULL COLLATE NOCASE,
  url                     TEXT NOT NULL,
  events                  TEXT NOT NULL,             -- JSON: names and patterns such as payment.*
  headers                 TEXT NOT NULL,             -- JSON; may hold secrets of the receiver, never answered
  is_active               INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  retry_count             INTEGER NOT NULL,
  timeout_seconds         INTEGER NOT NULL,
  secret                  TEXT NOT NULL,
  previous_secret         TEXT,                      -- signs as well until previous_secret_ends_at
  previous_secret_ends_at TEXT,
  last_event_id           INTEGER NOT NULL,          -- the last event that was looked at for it
  lease                   TEXT,                      -- who is delivering to it now, and until when that is believed
  lease_ends_at           TEXT,
  last_triggered_at       TEXT,
  last_success_at         TEXT,
  last_failure_at         TEXT,
  failing_since           TEXT,                      -- null while the last attempt succeeded
  failure_count           INTEGER NOT NULL DEFAULT 0,
  created_at              TEXT NOT NULL,
  updated_at              TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_by_name ON webhooks (name);
CREATE INDEX webhooks_active ON webhooks (last_event_id) WHERE is_active = 1;

-- What is sent stands in outgoing_events and is read when it is sent, so that anonymising has one place to go to. No foreign keys:
-- events are pruned by age, and the deliveries of a deleted webhook, of which there may be very many, leave in the same way.
CREATE TABLE webhook_deliveries (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id       INTEGER NOT NULL,
  outgoing_id      INTEGER NOT NULL,                 -- the id of the event
  event_name       TEXT NOT NULL,
  entity_type      TEXT NOT NULL,
  entity_id        INTEGER NOT NULL,
  event_at         TEXT NOT NULL,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'delivering', 'delivered', 'failed')),
  attempts         INTEGER NOT NULL DEFAULT 0,
  next_attempt_at  TEXT,                             -- null of a pending one: an earlier event of its record comes first
  response_status  INTEGER,
  error            TEXT,
  duration_ms      INTEGER,
  delivered_at     TEXT,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  UNIQUE (webhook_id, outgoing_id)
) STRICT;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (webhook_id, status);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, outgoing_id)
  WHERE status = 'pending' AND next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id, entity_type, entity_id, outgoing_id)
  WHERE status IN ('pending', 'delivering');
