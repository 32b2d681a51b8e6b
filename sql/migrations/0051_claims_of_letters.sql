-- What dunning letters claim, and withdrawn letters.

-- Whether the sentence of § 286 (3) BGB is printed on the invoice.
ALTER TABLE invoices ADD COLUMN interest_notice INTEGER NOT NULL DEFAULT 0;

-- Counting invoices of a status, or of an event and a status, reads no record: overdue_from is part of the indexes.
DROP INDEX invoices_by_status_and_due_date;
CREATE INDEX invoices_by_status_and_due_date ON invoices (status, due_date, id, invoice_type, overdue_from);
DROP INDEX invoices_by_event;
CREATE INDEX invoices_by_event ON invoices (event_id, id, status, due_date, invoice_type, total, overdue_from);

-- Overdue invoices with everything that decides whether they are due for a dunning level: counting them reads no record.
-- An invoice is overdue one day after its due date at the earliest, so the order of the due dates is enough.
DROP INDEX invoices_to_dun;
CREATE INDEX invoices_to_dun ON invoices (due_date, overdue_from, dunning_level, dunning_deadline, open_amount, status, invoice_type)
  WHERE status IN ('sent', 'partially_paid') AND invoice_type = 'invoice';

-- The letters of a year, and those that were withdrawn in it.
DROP INDEX dunnings_by_day;
CREATE INDEX dunnings_by_day ON dunnings (sent_on, invoice_id, claimed);
CREATE INDEX dunnings_by_withdrawal ON dunnings (withdrawn_on, invoice_id, claimed) WHERE withdrawn_on IS NOT NULL;

-- What was claimed on each day, and taken back on another one, as the ledger and DATEV book it. amount: minor units.
CREATE VIEW claim_movements AS
SELECT d.invoice_id, d.sent_on AS day, d.claimed AS amount, d.id AS dunning_id, 0 AS is_withdrawal FROM dunnings d WHERE d.claimed > 0
 UNION ALL
SELECT d.invoice_id, d.withdrawn_on, -d.claimed, d.id, 1 FROM dunnings d WHERE d.claimed > 0 AND d.withdrawn_on IS NOT NULL;

-- What a letter claims counts in the ledger on its day, and what is taken back on the day of the withdrawal.
CREATE TRIGGER dunnings_closed_insert BEFORE INSERT ON dunnings
WHEN NEW.claimed > 0 AND min(NEW.sent_on, coalesce(NEW.withdrawn_on, NEW.sent_on)) < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the letter is closed'); END;

CREATE TRIGGER dunnings_closed_delete BEFORE DELETE ON dunnings
WHEN OLD.claimed > 0 AND OLD.sent_on < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the letter is closed'); END;

CREATE TRIGGER dunnings_closed_update BEFORE UPDATE OF id, invoice_id, sent_on, claimed ON dunnings
WHEN max(OLD.claimed, NEW.claimed) > 0 AND min(OLD.sent_on, NEW.sent_on) < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the letter is closed'); END;

CREATE TRIGGER dunnings_closed_withdrawal BEFORE UPDATE OF withdrawn_on ON dunnings
WHEN OLD.claimed > 0 AND OLD.withdrawn_on IS NOT NEW.withdrawn_on
 AND min(coalesce(OLD.withdrawn_on, NEW.withdrawn_on), coalesce(NEW.withdrawn_on, OLD.withdrawn_on)) < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the withdrawal is closed'); END;
