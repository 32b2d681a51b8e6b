-- Refunds as records with a date of their own, dates of payments as they were given, and the history of payments that
-- moved from one invoice to another and of due dates. With these, the figures of a past date stay the same.

-- payment_date holds what the caller sent: a date or a timestamp. payment_date_at holds the UTC timestamp that it means.
-- Existing dates are UTC timestamps already.
ALTER TABLE payments ADD COLUMN payment_date_at TEXT;
UPDATE payments SET payment_date_at = payment_date;
DROP INDEX payments_by_date;
CREATE INDEX payments_by_date ON payments (payment_date_at);
DROP INDEX payments_by_currency;
-- For reports, like invoices_by_currency.
CREATE INDEX payments_by_currency
  ON payments (currency, gateway_key, payment_date_at, status, amount, gateway_fee, invoice_id);

-- Money given back to a customer, as a whole or in parts. payments.refunded_amount is the sum of the refunds.
CREATE TABLE refunds (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  payment_id      INTEGER NOT NULL REFERENCES payments (id) ON DELETE CASCADE,
  amount          INTEGER NOT NULL CHECK (amount > 0),
  currency        TEXT NOT NULL,                    -- of the payment
  gateway_key     TEXT,                             -- of the payment
  transaction_id  TEXT,
  refunded_at     TEXT NOT NULL,                    -- as given: a date or a timestamp
  counts_at       TEXT NOT NULL,                    -- the UTC timestamp that refunded_at means
  notes           TEXT,
  created_at      TEXT NOT NULL
) STRICT;
CREATE INDEX refunds_by_payment ON refunds (payment_id);
CREATE INDEX refunds_by_time ON refunds (counts_at);
-- A gateway that reports a refund twice is counted once.
CREATE UNIQUE INDEX refunds_by_transaction ON refunds (transaction_id, coalesce(gateway_key, ''))
  WHERE transaction_id IS NOT NULL;
-- For reports, like invoices_by_currency.
CREATE INDEX refunds_by_currency ON refunds (currency, gateway_key, counts_at, amount, payment_id);

-- Until now a payment had only the sum of its refunds. The sum becomes one refund. Its date is that of the last audit
-- entry about a refund of the payment. If the entry was pruned, it is the last change of the payment. It is never
-- before the payment.
INSERT INTO refunds (payment_id, amount, currency, gateway_key, refunded_at, counts_at, created_at)
SELECT id, refunded_amount, currency, gateway_key, max(refunded, coalesce(payment_date, created_at)),
       max(refunded, coalesce(payment_date, created_at)), refunded
  FROM (SELECT p.*, coalesce((SELECT max(l.created_at) FROM audit_log l
                               WHERE l.entity_type = 'payment' AND l.entity_id = p.id AND l.action = 'refunded'),
                             p.updated_at) AS refunded
          FROM payments p WHERE p.refunded_amount > 0)
 ORDER BY id;

-- Completed payments that moved to another invoice: until moved_at a payment counts for from_invoice_id. Moves made
-- before this table existed count from the date of the payment, as they did until now.
CREATE TABLE payment_moves (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  payment_id       INTEGER NOT NULL REFERENCES payments (id) ON DELETE CASCADE,
  from_invoice_id  INTEGER NOT NULL REFERENCES invoices (id),
  to_invoice_id    INTEGER NOT NULL REFERENCES invoices (id),
  moved_at         TEXT NOT NULL
) STRICT;
CREATE INDEX payment_moves_by_payment ON payment_moves (payment_id, moved_at);
CREATE INDEX payment_moves_by_time ON payment_moves (moved_at);
CREATE INDEX payment_moves_by_source ON payment_moves (from_invoice_id);
CREATE INDEX payment_moves_by_target ON payment_moves (to_invoice_id);

-- Due dates that sent invoices had until changed_at. Earlier changes are in the audit log only.
CREATE TABLE due_date_changes (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id  INTEGER NOT NULL REFERENCES invoices (id),
  due_date    TEXT,
  changed_at  TEXT NOT NULL
) STRICT;
CREATE INDEX due_date_changes_by_invoice ON due_date_changes (invoice_id, changed_at);

-- Invoices for which more was paid than is owed. The report on receivables adds them up.
CREATE INDEX invoices_overpaid ON invoices (currency, open_amount, event_id) WHERE open_amount < 0;

-- An invoice that was credited in full and never paid is cancelled, not refunded.
UPDATE invoices SET status = 'cancelled'
 WHERE status = 'refunded' AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.invoice_id = invoices.id AND p.refunded_amount > 0);
