-- Payments: money received against an invoice, in minor units of its currency.

CREATE TABLE payments (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id       INTEGER NOT NULL REFERENCES invoices (id),
  amount           INTEGER NOT NULL CHECK (amount > 0),
  refunded_amount  INTEGER NOT NULL DEFAULT 0 CHECK (refunded_amount BETWEEN 0 AND amount),
  currency         TEXT NOT NULL,
  gateway_id       INTEGER,                 -- the gateway may be gone; key and name stay
  gateway_key      TEXT,
  gateway_name     TEXT,
  gateway_fee      INTEGER NOT NULL DEFAULT 0,
  transaction_id   TEXT,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'refunded', 'cancelled')),
  payment_date     TEXT,
  notes            TEXT,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX payments_by_invoice ON payments (invoice_id);
CREATE INDEX payments_by_amount ON payments (amount);
CREATE INDEX payments_by_status ON payments (status);
CREATE INDEX payments_by_date ON payments (payment_date);
CREATE INDEX payments_by_update ON payments (updated_at);
-- A gateway that calls twice is counted once.
CREATE UNIQUE INDEX payments_by_transaction ON payments (transaction_id, coalesce(gateway_key, ''))
  WHERE transaction_id IS NOT NULL;
