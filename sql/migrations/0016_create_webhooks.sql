-- Webhooks and their deliveries.

CREATE TABLE webhooks (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  api_key_id              INTEGER NOT NULL REFERENCES api_keys (id),   -- limits what it receives to what the key can read
  name                    TEXT NOT NULL COLLATE NOCASE,
  url                     TEXT NOT NULL,
  events                  TEXT NOT NULL,             -- JSON: names of events, and patterns such as payment.*
  headers                 TEXT NOT NULL,             -- JSON; can hold secrets of the receiver, never returned
  is_active               INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  retry_count             INTEGER NOT NULL,
  timeout_seconds         INTEGER NOT NULL,
  secret                  TEXT NOT NULL,
  previous_secret         TEXT,                      -- also signs, until previous_secret_ends_at
  previous_secret_ends_at TEXT,
  last_event_id           INTEGER NOT NULL,          -- the last outgoing event that was matched against this webhook
  lease                   TEXT,                      -- token of the worker that delivers to it now
  lease_ends_at           TEXT,
  last_triggered_at       TEXT,
  last_success_at         TEXT,
  last_failure_at         TEXT,
  failing_since           TEXT,                      -- NULL if the last attempt succeeded
  failure_count           INTEGER NOT NULL DEFAULT 0,
  created_at              TEXT NOT NULL,
  updated_at              TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_by_name ON webhooks (name);
CREATE INDEX webhooks_active ON webhooks (last_event_id) WHERE is_active = 1;

-- One row per webhook and event. The payload is read from outgoing_events when it is sent, so that an anonymisation has
-- to erase it in one table only. There are no foreign keys: events are pruned by age, and so are the deliveries of a
-- deleted webhook, which can be very many.
CREATE TABLE webhook_deliveries (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id       INTEGER NOT NULL,
  outgoing_id      INTEGER NOT NULL,                 -- id of the outgoing event
  event_name       TEXT NOT NULL,
  entity_type      TEXT NOT NULL,
  entity_id        INTEGER NOT NULL,
  event_at         TEXT NOT NULL,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'delivering', 'delivered', 'failed')),
  attempts         INTEGER NOT NULL DEFAULT 0,
  next_attempt_at  TEXT,                             -- NULL while it waits for an earlier event of the record
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
-- The worker takes the next due delivery from the first index, and finds earlier events of the same record with the
-- second.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, outgoing_id)
  WHERE status = 'pending' AND next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id, entity_type, entity_id, outgoing_id)
  WHERE status IN ('pending', 'delivering');
