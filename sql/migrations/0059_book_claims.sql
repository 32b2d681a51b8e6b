-- The claims of dunning letters in the books: payments and refunds have a part that belongs to them, and the ledger has
-- what was claimed and taken back.

-- Of a refund: what it returns of the claim_amount of its payment.
ALTER TABLE refunds ADD COLUMN claim_amount INTEGER NOT NULL DEFAULT 0 CHECK (claim_amount BETWEEN 0 AND amount);
CREATE INDEX payments_with_claims ON payments (invoice_id) WHERE claim_amount > 0;
CREATE INDEX refunds_with_claims ON refunds (payment_id) WHERE claim_amount > 0;

-- What a letter claims on the day on which it is sent, and takes back, as a negative amount, on that of its withdrawal. A letter that
-- was sent in a month that is closed already counts on the first open day: the closed month does not change.
DROP VIEW claim_movements;
CREATE TABLE claim_movements (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id  INTEGER NOT NULL REFERENCES invoices (id),
  dunning_id  INTEGER NOT NULL REFERENCES dunnings (id),
  day         TEXT NOT NULL,                        -- in the organiser's time zone
  currency    TEXT NOT NULL,                        -- of the invoice
  amount      INTEGER NOT NULL CHECK (amount <> 0)
) STRICT;
INSERT INTO claim_movements (invoice_id, dunning_id, day, currency, amount)
SELECT invoice_id, dunning_id, max(day, coalesce((SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1), day)), currency, amount
  FROM (SELECT d.invoice_id, d.id AS dunning_id, d.sent_on AS day, i.currency, d.claimed AS amount
          FROM dunnings d JOIN invoices i ON i.id = d.invoice_id WHERE d.claimed > 0
         UNION ALL
        SELECT d.invoice_id, d.id, d.withdrawn_on, i.currency, -d.claimed
          FROM dunnings d JOIN invoices i ON i.id = d.invoice_id WHERE d.claimed > 0 AND d.withdrawn_on IS NOT NULL)
 ORDER BY day, dunning_id;
CREATE INDEX claim_movements_by_invoice ON claim_movements (invoice_id, day, amount);
CREATE INDEX claim_movements_by_day ON claim_movements (day, invoice_id, amount);
CREATE INDEX claim_movements_by_dunning ON claim_movements (dunning_id);

CREATE TRIGGER claim_movements_closed_insert BEFORE INSERT ON claim_movements
WHEN NEW.day < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the claim is closed'); END;
CREATE TRIGGER claim_movements_closed_delete BEFORE DELETE ON claim_movements
WHEN OLD.day < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the claim is closed'); END;
CREATE TRIGGER claim_movements_closed_update BEFORE UPDATE ON claim_movements
WHEN min(OLD.day, NEW.day) < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the claim is closed'); END;

-- What a payment or refund of a closed month pays of claims stays as well: it decides about receivables and tax.
DROP TRIGGER payments_closed_update;
CREATE TRIGGER payments_closed_update BEFORE UPDATE OF
  id, invoice_id, amount, claim_amount, currency, gateway_key, gateway_fee, status, payment_date_at, created_at ON payments
WHEN CASE WHEN OLD.status IN ('completed', 'refunded') THEN
       coalesce(OLD.payment_date_at, OLD.created_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
       AND NOT (NEW.id = OLD.id AND NEW.amount = OLD.amount AND NEW.claim_amount = OLD.claim_amount AND NEW.currency = OLD.currency
                AND NEW.gateway_key IS OLD.gateway_key AND NEW.gateway_fee = OLD.gateway_fee
                AND NEW.status IN ('completed', 'refunded')
                AND NEW.payment_date_at IS OLD.payment_date_at AND NEW.created_at = OLD.created_at
                AND (NEW.invoice_id = OLD.invoice_id OR EXISTS (
                       SELECT 1 FROM payment_moves m
                        WHERE m.payment_id = OLD.id AND m.from_invoice_id = OLD.invoice_id
                          AND m.to_invoice_id = NEW.invoice_id
                          AND m.moved_at >= (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)))) END
  OR CASE WHEN NEW.status IN ('completed', 'refunded') THEN
       coalesce(NEW.payment_date_at, NEW.created_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
       AND NOT (OLD.status IN ('completed', 'refunded')
                AND coalesce(NEW.payment_date_at, NEW.created_at) = coalesce(OLD.payment_date_at, OLD.created_at)) END
BEGIN SELECT RAISE(ABORT, 'the month of the payment is closed'); END;

DROP TRIGGER refunds_closed_update;
CREATE TRIGGER refunds_closed_update BEFORE UPDATE OF id, payment_id, amount, claim_amount, currency, gateway_key, counts_at ON refunds
WHEN min(OLD.counts_at, NEW.counts_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
 AND NOT (NEW.id = OLD.id AND NEW.payment_id = OLD.payment_id AND NEW.amount = OLD.amount AND NEW.claim_amount = OLD.claim_amount
          AND NEW.currency = OLD.currency AND NEW.gateway_key IS OLD.gateway_key AND NEW.counts_at = OLD.counts_at)
BEGIN SELECT RAISE(ABORT, 'the month of the refund is closed'); END;
