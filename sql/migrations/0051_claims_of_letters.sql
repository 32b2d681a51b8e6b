ALTER TABLE invoices ADD COLUMN overdue_from TEXT;                          -- 0049
ALTER TABLE invoices ADD COLUMN claims_total INTEGER NOT NULL DEFAULT 0;    -- 0049
ALTER TABLE invoices ADD COLUMN claims_paid INTEGER NOT NULL DEFAULT 0;     -- 0049
ALTER TABLE payments ADD COLUMN claim_amount INTEGER NOT NULL DEFAULT 0;    -- 0049
CREATE TABLE write_offs (id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL, amount INTEGER NOT NULL, written_off_at TEXT NOT NULL) STRICT; -- 0049
CREATE INDEX write_offs_by_invoice ON write_offs (invoice_id);
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

ALTER TABLE dunnings RENAME TO old_dunnings;
DROP INDEX dunnings_by_mail;
CREATE TABLE dunnings (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id        INTEGER NOT NULL REFERENCES invoices (id),
  level             INTEGER NOT NULL,
  level_name        TEXT NOT NULL,
  sent_on           TEXT NOT NULL,                        -- date in the tenant's time zone
  due_date          TEXT NOT NULL,                        -- of the invoice on that day
  days_overdue      INTEGER NOT NULL,
  open_amount       INTEGER NOT NULL,
  fee               INTEGER NOT NULL,                     -- of this level
  lump_sum          INTEGER NOT NULL,                     -- 40 EUR if it is claimed, on this level or before, else 0
  costs             INTEGER NOT NULL,                     -- fees of all letters so far, at least the lump sum
  interest          INTEGER NOT NULL,                     -- from the first day that bears interest to sent_on
  claims_paid       INTEGER NOT NULL DEFAULT 0,           -- what was paid of costs and interest before
  total_claim       INTEGER NOT NULL CHECK (total_claim = open_amount + costs + interest - claims_paid),
  claimed           INTEGER NOT NULL DEFAULT 0 CHECK (claimed >= 0),    -- costs and interest without those of earlier letters
  calculation       TEXT,                                 -- JSON: how open_amount and interest were computed; NULL in older letters
  deadline          TEXT NOT NULL,                        -- new date of payment
  language          TEXT NOT NULL,
  title             TEXT NOT NULL,
  text              TEXT,                                 -- as sent; NULL once the invoice was erased
  mail              TEXT,                                 -- queued or skipped; NULL if no mail was asked for
  mail_reason       TEXT,                                 -- why it was skipped
  mail_id           INTEGER,                              -- no foreign key: mails are kept for 90 days
  withdrawn_on      TEXT,                                 -- date in the tenant's time zone; NULL: the letter stands
  withdrawn_reason  TEXT,
  created_at        TEXT NOT NULL
) STRICT;
INSERT INTO dunnings (id, invoice_id, level, level_name, sent_on, due_date, days_overdue, open_amount, fee, lump_sum, costs, interest,
  total_claim, deadline, language, title, text, mail, mail_reason, mail_id, created_at)
SELECT id, invoice_id, level, level_name, sent_on, due_date, days_overdue, open_amount, fee, lump_sum, costs, interest, total_claim, deadline,
       language, title, text, mail, mail_reason, mail_id, created_at FROM old_dunnings;
DROP TABLE old_dunnings;
CREATE INDEX dunnings_by_mail ON dunnings (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX dunnings_by_invoice ON dunnings (invoice_id);
-- No level is sent twice, unless its letter was withdrawn.
CREATE UNIQUE INDEX dunnings_that_stand ON dunnings (invoice_id, level) WHERE withdrawn_on IS NULL;

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

UPDATE invoices SET overdue_from = date(due_date, CASE strftime('%w', due_date) WHEN '6' THEN '+3 days' WHEN '0' THEN '+2 days' ELSE '+1 day' END)
 WHERE locked_at IS NOT NULL AND invoice_type = 'invoice';
