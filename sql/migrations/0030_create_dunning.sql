-- Dunning: levels, what was sent, and disputes.

-- The levels of the organiser. An invoice goes from one level to the next in the order of `level`.
CREATE TABLE dunning_levels (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  level          INTEGER NOT NULL UNIQUE CHECK (level > 0),
  name           TEXT NOT NULL,
  days           INTEGER NOT NULL CHECK (days > 0),           -- after the due date
  deadline_days  INTEGER NOT NULL CHECK (deadline_days > 0),  -- from the letter to the new date of payment
  fee            INTEGER NOT NULL DEFAULT 0,                  -- minor units of the tenant's currency
  has_lump_sum   INTEGER NOT NULL DEFAULT 0 CHECK (has_lump_sum IN (0, 1)),     -- 40 EUR, § 288 (5) BGB
  interest       TEXT NOT NULL DEFAULT 'none' CHECK (interest IN ('none', 'consumer', 'business', 'fixed')),
  interest_rate  INTEGER,                                     -- hundredths of a percent per year, for `fixed`
  title_de       TEXT,
  title_en       TEXT,
  text_de        TEXT,
  text_en        TEXT,
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL,
  CHECK ((interest = 'fixed') = (interest_rate IS NOT NULL))
) STRICT;
CREATE INDEX dunning_levels_by_update ON dunning_levels (updated_at);

-- What was sent. Amounts are minor units of the invoice's currency. The level is copied, because levels can change.
CREATE TABLE dunnings (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id    INTEGER NOT NULL REFERENCES invoices (id),
  level         INTEGER NOT NULL,
  level_name    TEXT NOT NULL,
  sent_on       TEXT NOT NULL,                                -- date in the tenant's time zone
  due_date      TEXT NOT NULL,                                -- of the invoice on that day
  days_overdue  INTEGER NOT NULL,
  open_amount   INTEGER NOT NULL,
  fee           INTEGER NOT NULL,                             -- of this level
  lump_sum      INTEGER NOT NULL,                             -- 40 EUR if it is claimed, on this level or before, else 0
  costs         INTEGER NOT NULL,                             -- fees of all levels so far, at least the lump sum
  interest      INTEGER NOT NULL,                             -- from the due date to sent_on
  total_claim   INTEGER NOT NULL CHECK (total_claim = open_amount + costs + interest),
  deadline      TEXT NOT NULL,                                -- new date of payment
  language      TEXT NOT NULL,
  title         TEXT NOT NULL,
  text          TEXT,                                         -- as sent; NULL once the invoice was erased
  mail          TEXT,                                         -- queued or skipped; NULL if no mail was asked for
  mail_reason   TEXT,                                         -- why it was skipped
  mail_id       INTEGER,                                      -- no foreign key: mails are kept for 90 days
  created_at    TEXT NOT NULL,
  UNIQUE (invoice_id, level)                                  -- no level is sent twice
) STRICT;
CREATE INDEX dunnings_by_mail ON dunnings (mail_id) WHERE mail_id IS NOT NULL;

-- Mails with dunning letters. SQLite cannot change a CHECK constraint, so the table is built again.
ALTER TABLE mails RENAME TO old_mails;
CREATE TABLE mails (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL CHECK (kind IN ('newsletter_confirmation', 'invoice', 'invoice_reminder', 'dunning')),
  entity_type    TEXT NOT NULL,
  entity_id      INTEGER NOT NULL,
  admin_id       INTEGER NOT NULL REFERENCES admins (id),      -- the admin whose request queued the mail
  recipient      TEXT NOT NULL COLLATE NOCASE,
  subject        TEXT NOT NULL,
  base_url       TEXT NOT NULL,                    -- base URL of the links in the mail
  language       TEXT,                             -- that the request has named; NULL otherwise
  text           TEXT,                             -- that the request has named; NULL otherwise
  state          TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'uncertain')),
  attempts       INTEGER NOT NULL DEFAULT 0,
  next_at        TEXT,                             -- a queued mail is not sent before this time
  lease          TEXT,                             -- token of the worker that is sending it now
  message_id     TEXT NOT NULL UNIQUE,
  error          TEXT,
  taken_at       TEXT,                             -- time of the last attempt
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL
) STRICT;
INSERT INTO mails (id, kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, text, state,
  attempts, next_at, lease, message_id, error, taken_at, created_at, updated_at)
SELECT id, kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, text, state, attempts,
       next_at, lease, message_id, error, taken_at, created_at, updated_at FROM old_mails;
-- No id is given out again, because dunnings refer to mails that may be deleted.
DELETE FROM sqlite_sequence WHERE name = 'mails';
UPDATE sqlite_sequence SET name = 'mails' WHERE name = 'old_mails';
DROP TABLE old_mails;
CREATE INDEX mails_due ON mails (next_at, id) WHERE state = 'queued';
CREATE INDEX mails_by_state ON mails (state);
-- The worker limits the rate of attempts.
CREATE INDEX mails_by_attempt ON mails (taken_at);
CREATE INDEX mails_by_entity ON mails (entity_type, entity_id);
CREATE INDEX mails_by_age ON mails (updated_at);

ALTER TABLE invoices ADD COLUMN disputed_at TEXT;             -- NULL unless the buyer disputes the invoice
ALTER TABLE invoices ADD COLUMN dispute_reason TEXT;
ALTER TABLE invoices ADD COLUMN dunning_level INTEGER;        -- the last level that was sent
ALTER TABLE invoices ADD COLUMN dunning_deadline TEXT;        -- date of payment on the last letter
CREATE INDEX invoices_disputed ON invoices (id) WHERE disputed_at IS NOT NULL;
CREATE INDEX invoices_to_dun ON invoices (due_date) WHERE status IN ('sent', 'partially_paid') AND invoice_type = 'invoice';
