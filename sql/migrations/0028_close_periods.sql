-- Closed months. What counts in a closed month never changes: triggers refuse every write that would change it. The
-- rules in domain/books refuse such a write before, and say what to do instead.

-- One row for each month that was closed, in the order of the months. All earlier months are closed as well.
CREATE TABLE periods (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  month           TEXT NOT NULL UNIQUE,             -- such as 2026-05
  first_open_day  TEXT NOT NULL,                    -- the day after the month
  open_from       TEXT NOT NULL,                    -- the UTC timestamp at which that day begins
  timezone        TEXT NOT NULL,                    -- of the organiser, when the month was closed
  admin_id        INTEGER,                          -- who closed it
  admin_name      TEXT,
  figures         TEXT NOT NULL,                    -- JSON, amounts in minor units
  sha256          TEXT NOT NULL,                    -- of the text of `figures`; the audit log has it as well
  closed_at       TEXT NOT NULL
) STRICT;

CREATE TRIGGER periods_stay_closed BEFORE DELETE ON periods
BEGIN SELECT RAISE(ABORT, 'a closed month stays closed'); END;
CREATE TRIGGER periods_never_change BEFORE UPDATE ON periods
BEGIN SELECT RAISE(ABORT, 'a closed month stays closed'); END;
-- INSERT OR REPLACE would delete a row without the trigger for deletes.
CREATE TRIGGER periods_follow_each_other BEFORE INSERT ON periods
WHEN NEW.first_open_day <= (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'a closed month stays closed'); END;

-- For the ledger, which adds up all invoices and payments of a customer in the order of these indexes.
DROP INDEX invoices_by_debtor;
CREATE INDEX invoices_by_debtor ON invoices (debtor_number, currency, issue_date, locked_at, invoice_type, total);
DROP INDEX payments_by_invoice;
CREATE INDEX payments_by_invoice ON payments (invoice_id, payment_date_at, status, amount);

-- Each trigger reads one row: the last month that was closed.

-- A payment counts once it is completed, at its date. Afterwards only its refunds and its invoice can change: both have
-- a date of their own, and the move to another invoice is recorded before.
CREATE TRIGGER payments_closed_insert BEFORE INSERT ON payments
WHEN NEW.status IN ('completed', 'refunded')
 AND coalesce(NEW.payment_date_at, NEW.created_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the payment is closed'); END;

CREATE TRIGGER payments_closed_delete BEFORE DELETE ON payments
WHEN OLD.status IN ('completed', 'refunded')
 AND coalesce(OLD.payment_date_at, OLD.created_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the payment is closed'); END;

CREATE TRIGGER payments_closed_update BEFORE UPDATE OF
  id, invoice_id, amount, currency, gateway_key, gateway_fee, status, payment_date_at, created_at ON payments
WHEN CASE WHEN OLD.status IN ('completed', 'refunded') THEN
       coalesce(OLD.payment_date_at, OLD.created_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
       AND NOT (NEW.id = OLD.id AND NEW.amount = OLD.amount AND NEW.currency = OLD.currency
                AND NEW.gateway_key IS OLD.gateway_key AND NEW.gateway_fee = OLD.gateway_fee
                AND NEW.status IN ('completed', 'refunded')
                AND coalesce(NEW.payment_date_at, NEW.created_at) = coalesce(OLD.payment_date_at, OLD.created_at)
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

CREATE TRIGGER refunds_closed_insert BEFORE INSERT ON refunds
WHEN NEW.counts_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the refund is closed'); END;

CREATE TRIGGER refunds_closed_delete BEFORE DELETE ON refunds
WHEN OLD.counts_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the refund is closed'); END;

CREATE TRIGGER refunds_closed_update BEFORE UPDATE OF id, payment_id, amount, currency, gateway_key, counts_at ON refunds
WHEN min(OLD.counts_at, NEW.counts_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
 AND NOT (NEW.id = OLD.id AND NEW.payment_id = OLD.payment_id AND NEW.amount = OLD.amount
          AND NEW.currency = OLD.currency AND NEW.gateway_key IS OLD.gateway_key AND NEW.counts_at = OLD.counts_at)
BEGIN SELECT RAISE(ABORT, 'the month of the refund is closed'); END;

CREATE TRIGGER payment_moves_closed_insert BEFORE INSERT ON payment_moves
WHEN NEW.moved_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the move is closed'); END;

CREATE TRIGGER payment_moves_closed_delete BEFORE DELETE ON payment_moves
WHEN OLD.moved_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the move is closed'); END;

CREATE TRIGGER payment_moves_closed_update BEFORE UPDATE ON payment_moves
WHEN min(OLD.moved_at, NEW.moved_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the move is closed'); END;

-- The due date that an invoice had until changed_at decides how long it was past due at the end of a month.
CREATE TRIGGER due_date_changes_closed_insert BEFORE INSERT ON due_date_changes
WHEN NEW.changed_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the due date is closed'); END;

CREATE TRIGGER due_date_changes_closed_delete BEFORE DELETE ON due_date_changes
WHEN OLD.changed_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the due date is closed'); END;

CREATE TRIGGER due_date_changes_closed_update BEFORE UPDATE ON due_date_changes
WHEN min(OLD.changed_at, NEW.changed_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the due date is closed'); END;

-- An invoice counts once it is sent, at its issue date. Its status, its sums of payments and credit notes, and what
-- erasing a buyer empties can change afterwards. A due date changes only after the one before was kept. The customer
-- number changes only when the buyer is erased.
CREATE TRIGGER invoices_closed_insert BEFORE INSERT ON invoices
WHEN NEW.locked_at IS NOT NULL AND NEW.issue_date < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoices_closed_delete BEFORE DELETE ON invoices
WHEN OLD.locked_at IS NOT NULL AND OLD.issue_date < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoices_closed_update BEFORE UPDATE OF
  id, invoice_number, invoice_type, series, sequence, related_invoice_id, event_id, currency, subtotal, tax_total, total,
  exchange_rate, issue_date, due_date, locked_at, debtor_number ON invoices
WHEN CASE WHEN OLD.locked_at IS NOT NULL THEN
       OLD.issue_date < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
       AND NOT (NEW.id = OLD.id AND NEW.invoice_number = OLD.invoice_number AND NEW.invoice_type = OLD.invoice_type
                AND NEW.series IS OLD.series AND NEW.sequence IS OLD.sequence AND NEW.event_id IS OLD.event_id
                AND NEW.currency = OLD.currency AND NEW.subtotal = OLD.subtotal AND NEW.tax_total = OLD.tax_total
                AND NEW.total = OLD.total AND NEW.issue_date IS OLD.issue_date AND NEW.locked_at IS OLD.locked_at
                AND (NEW.exchange_rate IS OLD.exchange_rate OR OLD.exchange_rate IS NULL)
                AND (NEW.debtor_number IS OLD.debtor_number OR NEW.buyer IS NULL)
                AND (NEW.related_invoice_id IS OLD.related_invoice_id OR OLD.invoice_type = 'invoice')
                AND (NEW.due_date IS OLD.due_date OR EXISTS (
                       SELECT 1 FROM due_date_changes d WHERE d.invoice_id = OLD.id AND d.due_date IS OLD.due_date
                          AND d.changed_at >= (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)))) END
  OR CASE WHEN NEW.locked_at IS NOT NULL AND OLD.locked_at IS NULL THEN
       NEW.issue_date < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1) END
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoice_items_closed_insert BEFORE INSERT ON invoice_items
WHEN (SELECT issue_date FROM invoices WHERE id = NEW.invoice_id AND locked_at IS NOT NULL)
     < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoice_items_closed_delete BEFORE DELETE ON invoice_items
WHEN (SELECT issue_date FROM invoices WHERE id = OLD.invoice_id AND locked_at IS NOT NULL)
     < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoice_items_closed_update BEFORE UPDATE OF
  id, invoice_id, position, quantity, unit, unit_price, discount_percent, tax_rate, tax_category, net ON invoice_items
WHEN (SELECT min(issue_date) FROM invoices WHERE id IN (OLD.invoice_id, NEW.invoice_id) AND locked_at IS NOT NULL)
     < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoice_taxes_closed_insert BEFORE INSERT ON invoice_taxes
WHEN (SELECT issue_date FROM invoices WHERE id = NEW.invoice_id AND locked_at IS NOT NULL)
     < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoice_taxes_closed_delete BEFORE DELETE ON invoice_taxes
WHEN (SELECT issue_date FROM invoices WHERE id = OLD.invoice_id AND locked_at IS NOT NULL)
     < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;

CREATE TRIGGER invoice_taxes_closed_update BEFORE UPDATE ON invoice_taxes
WHEN (SELECT min(issue_date) FROM invoices WHERE id IN (OLD.invoice_id, NEW.invoice_id) AND locked_at IS NOT NULL)
     < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the invoice is closed'); END;
