-- A completed payment of a closed month also keeps whether it has a date of its own: the hash of the month contains it.
DROP TRIGGER payments_closed_update;
CREATE TRIGGER payments_closed_update BEFORE UPDATE OF
  id, invoice_id, amount, currency, gateway_key, gateway_fee, status, payment_date_at, created_at ON payments
WHEN CASE WHEN OLD.status IN ('completed', 'refunded') THEN
       coalesce(OLD.payment_date_at, OLD.created_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
       AND NOT (NEW.id = OLD.id AND NEW.amount = OLD.amount AND NEW.currency = OLD.currency
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
