-- What write-offs, tax points, claims of dunning letters, deposits and payments in another currency store.
ALTER TABLE invoices ADD COLUMN written_off INTEGER NOT NULL DEFAULT 0;       -- sum of its write-offs less recoveries
ALTER TABLE invoices ADD COLUMN tax_date TEXT;                                -- of a sent invoice: contract 8, Tax point 1
ALTER TABLE invoices ADD COLUMN tax_basis TEXT CHECK (tax_basis IN ('supply', 'payment', 'issue_date'));
ALTER TABLE invoices ADD COLUMN is_deposit INTEGER NOT NULL DEFAULT 0 CHECK (is_deposit IN (0, 1));
ALTER TABLE invoices ADD COLUMN claims_total INTEGER NOT NULL DEFAULT 0;      -- sum of `claimed` of its letters that stand
ALTER TABLE invoices ADD COLUMN claims_paid INTEGER NOT NULL DEFAULT 0;       -- sum of `claim_amount` of its payments
ALTER TABLE invoices ADD COLUMN overdue_from TEXT;                            -- the first day on which it is overdue

-- Two constraints of the table change, and no row: its written_off is 0. SQLite offers this way for changes that leave
-- the stored rows as they are (https://www.sqlite.org/lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
   SET sql = replace(replace(sql, '''refunded'', ''cancelled'')', '''refunded'', ''cancelled'', ''written_off'')'),
                     'total - credited - paid_amount END', 'total - credited - paid_amount - written_off END')
 WHERE type = 'table' AND name = 'invoices';
PRAGMA writable_schema = RESET;

UPDATE invoices
   SET tax_date = CASE WHEN taken_over THEN issue_date ELSE coalesce(service_date_to, service_date, issue_date) END,
       tax_basis = 'issue_date'
 WHERE locked_at IS NOT NULL;
-- The day after the due date; one that is a Saturday or a Sunday is put off to Monday (section 193 BGB).
UPDATE invoices
   SET overdue_from = date(due_date, CASE strftime('%w', due_date) WHEN '6' THEN '+3 days' WHEN '0' THEN '+2 days' ELSE '+1 day' END)
 WHERE due_date IS NOT NULL AND locked_at IS NOT NULL AND invoice_type = 'invoice';

CREATE TABLE write_offs (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id      INTEGER NOT NULL REFERENCES invoices (id),
  kind            TEXT NOT NULL CHECK (kind IN ('write_off', 'tolerance', 'recovery')),
  amount          INTEGER NOT NULL CHECK (CASE kind WHEN 'recovery' THEN amount < 0 ELSE amount > 0 END),
  currency        TEXT NOT NULL,                    -- of the invoice
  reason          TEXT,                             -- NULL for a recovery
  written_off_at  TEXT NOT NULL,                    -- a day in the organiser's time zone
  counts_at       TEXT NOT NULL,                    -- the UTC timestamp at which that day begins
  payment_id      INTEGER REFERENCES payments (id), -- the payment that brought it about: tolerance and recovery
  created_at      TEXT NOT NULL,
  CHECK (kind = 'write_off' OR payment_id IS NOT NULL)
) STRICT;
CREATE INDEX write_offs_by_invoice ON write_offs (invoice_id, counts_at, amount);
CREATE INDEX write_offs_by_payment ON write_offs (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX write_offs_by_time ON write_offs (counts_at, invoice_id, amount);
CREATE TRIGGER write_offs_closed_insert BEFORE INSERT ON write_offs
WHEN NEW.counts_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the write-off is closed'); END;
CREATE TRIGGER write_offs_closed_delete BEFORE DELETE ON write_offs
WHEN OLD.counts_at < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the write-off is closed'); END;
CREATE TRIGGER write_offs_closed_update BEFORE UPDATE OF id, invoice_id, kind, amount, currency, counts_at ON write_offs
WHEN min(OLD.counts_at, NEW.counts_at) < (SELECT open_from FROM periods ORDER BY id DESC LIMIT 1)
 AND NOT (NEW.id = OLD.id AND NEW.invoice_id = OLD.invoice_id AND NEW.kind = OLD.kind AND NEW.amount = OLD.amount
          AND NEW.currency = OLD.currency AND NEW.counts_at = OLD.counts_at)
BEGIN SELECT RAISE(ABORT, 'the month of the write-off is closed'); END;

-- The part of a payment that pays the claims of letters; what the bank received, if that is another currency.
ALTER TABLE payments ADD COLUMN claim_amount INTEGER NOT NULL DEFAULT 0 CHECK (claim_amount BETWEEN 0 AND amount);
ALTER TABLE payments ADD COLUMN bank_amount INTEGER;
ALTER TABLE payments ADD COLUMN bank_currency TEXT CHECK ((bank_currency IS NULL) = (bank_amount IS NULL));

-- A letter that was withdrawn stays, and its level can be sent again. Letters from before claim nothing in the ledger.
ALTER TABLE dunnings RENAME TO old_dunnings;
DROP INDEX dunnings_by_mail;
CREATE TABLE dunnings (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id        INTEGER NOT NULL REFERENCES invoices (id),
  level             INTEGER NOT NULL,
  level_name        TEXT NOT NULL,
  sent_on           TEXT NOT NULL,                  -- date in the tenant's time zone
  due_date          TEXT NOT NULL,                  -- of the invoice on that day
  days_overdue      INTEGER NOT NULL,
  open_amount       INTEGER NOT NULL,
  fee               INTEGER NOT NULL,               -- of this level
  lump_sum          INTEGER NOT NULL,               -- 40 EUR if it is claimed, on this level or before, else 0
  costs             INTEGER NOT NULL,               -- fees of all levels so far, at least the lump sum
  interest          INTEGER NOT NULL,               -- from the beginning of default to sent_on
  claims_paid       INTEGER NOT NULL DEFAULT 0,     -- what was paid of costs and interest before
  total_claim       INTEGER NOT NULL CHECK (total_claim = open_amount + costs + interest - claims_paid),
  claimed           INTEGER NOT NULL DEFAULT 0 CHECK (claimed >= 0),    -- costs and interest that earlier letters did not claim
  calculation       TEXT,                           -- JSON: how open_amount and interest were computed; NULL for older letters
  deadline          TEXT NOT NULL,                  -- new date of payment
  language          TEXT NOT NULL,
  title             TEXT NOT NULL,
  text              TEXT,                           -- as sent; NULL once the invoice was erased
  mail              TEXT,                           -- queued or skipped; NULL if no mail was asked for
  mail_reason       TEXT,                           -- why it was skipped
  mail_id           INTEGER,                        -- no foreign key: mails are kept for 90 days
  withdrawn_on      TEXT,                           -- date in the tenant's time zone
  withdrawn_reason  TEXT,
  created_at        TEXT NOT NULL
) STRICT;
INSERT INTO dunnings (id, invoice_id, level, level_name, sent_on, due_date, days_overdue, open_amount, fee, lump_sum, costs, interest,
  total_claim, deadline, language, title, text, mail, mail_reason, mail_id, created_at)
SELECT id, invoice_id, level, level_name, sent_on, due_date, days_overdue, open_amount, fee, lump_sum, costs, interest,
  total_claim, deadline, language, title, text, mail, mail_reason, mail_id, created_at FROM old_dunnings;
DROP TABLE old_dunnings;
CREATE UNIQUE INDEX dunnings_by_level ON dunnings (invoice_id, level) WHERE withdrawn_on IS NULL;   -- no level is sent twice
CREATE INDEX dunnings_by_invoice ON dunnings (invoice_id, level);
CREATE INDEX dunnings_by_mail ON dunnings (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX dunnings_by_day ON dunnings (sent_on, invoice_id, claimed) WHERE claimed > 0;

-- The deposits that a final invoice deducts. A final invoice that is deleted or cancelled gives them free.
CREATE TABLE invoice_deposits (
  invoice_id  INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  deposit_id  INTEGER NOT NULL UNIQUE REFERENCES invoices (id),
  PRIMARY KEY (invoice_id, deposit_id)
) STRICT, WITHOUT ROWID;
