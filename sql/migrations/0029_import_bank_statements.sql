-- Bank statements: imported statements, their transactions, and which payments and refunds a transaction has settled.
-- Amounts are minor units of the currency of the transaction.

-- One row for each statement of an imported file.
CREATE TABLE bank_statements (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256           TEXT NOT NULL,             -- of the file as it was sent
  position         INTEGER NOT NULL,          -- place of the statement in the file, from 0
  format           TEXT NOT NULL,             -- such as camt.053.001.08 or csv
  account          TEXT NOT NULL,             -- IBAN
  currency         TEXT NOT NULL,
  sequence         INTEGER,                   -- the bank's running number
  from_date        TEXT,
  to_date          TEXT,
  opening_balance  INTEGER,
  closing_balance  INTEGER,
  total            INTEGER NOT NULL,          -- sum of the booked entries
  entries          INTEGER NOT NULL,          -- number of booked transactions with an amount
  skipped_pending  INTEGER NOT NULL,          -- entries that were not booked yet
  imported         INTEGER NOT NULL DEFAULT 0,    -- transactions that came with this statement first
  admin_id         INTEGER,
  admin_name       TEXT,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  UNIQUE (sha256, position),
  CHECK (opening_balance IS NULL OR closing_balance IS NULL OR opening_balance + total = closing_balance)
) STRICT;
CREATE INDEX bank_statements_by_account ON bank_statements (account, currency, to_date);
CREATE INDEX bank_statements_by_end ON bank_statements (to_date);
CREATE INDEX bank_statements_by_update ON bank_statements (updated_at);

-- One row for each booked transaction, however many files contain it.
CREATE TABLE bank_transactions (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  statement_id        INTEGER NOT NULL REFERENCES bank_statements (id),   -- the first that contained it
  account             TEXT NOT NULL,
  currency            TEXT NOT NULL,
  identity            TEXT NOT NULL,          -- a hash, see domain/bank/entries.py
  -- Lists sort by the next two. SQLite reads `IS NULL` of a cursor from an index only if the column is not NOT NULL.
  booked_on           TEXT CHECK (booked_on IS NOT NULL),
  amount              INTEGER CHECK (amount IS NOT NULL AND amount <> 0),   -- negative for money that has left
  party               TEXT,                   -- name of the payer, or of the recipient
  ultimate_party      TEXT,                   -- for whom the payer pays
  iban                TEXT,                   -- of the party
  bic                 TEXT,
  text                TEXT,
  cut_at              INTEGER,                -- characters of `text` after which the bank may have cut off something
  description         TEXT,                   -- the kind of booking in words of the bank
  creditor_reference  TEXT,                   -- ISO 11649, RF…; several are separated by a space
  end_to_end_id       TEXT,
  return_reason       TEXT,                   -- a code of ISO 20022, such as AC01
  is_reversal         INTEGER NOT NULL DEFAULT 0 CHECK (is_reversal IN (0, 1)),
  assigned_amount     INTEGER NOT NULL DEFAULT 0,     -- sum of its payments and refunds
  status              TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'assigned', 'ignored')),
  ignored_reason      TEXT,
  search_text         TEXT,                   -- party, IBAN, text and references, folded
  erased_at           TEXT,                   -- when the personal data was erased
  created_at          TEXT NOT NULL,
  updated_at          TEXT NOT NULL,
  UNIQUE (account, identity),
  CHECK (assigned_amount BETWEEN 0 AND abs(amount)),
  CHECK ((status = 'assigned') = (assigned_amount = abs(amount)))
) STRICT;
CREATE INDEX bank_transactions_by_status ON bank_transactions (status);
CREATE INDEX bank_transactions_by_status_and_date ON bank_transactions (status, booked_on);
CREATE INDEX bank_transactions_by_status_and_amount ON bank_transactions (status, amount);
CREATE INDEX bank_transactions_by_amount ON bank_transactions (account, amount, booked_on);
CREATE INDEX bank_transactions_by_statement ON bank_transactions (statement_id);
CREATE INDEX bank_transactions_by_iban ON bank_transactions (iban) WHERE iban IS NOT NULL;
CREATE INDEX bank_transactions_by_update ON bank_transactions (updated_at);
CREATE INDEX bank_transactions_with_people ON bank_transactions (booked_on) WHERE erased_at IS NULL;

ALTER TABLE payments ADD COLUMN bank_transaction_id INTEGER REFERENCES bank_transactions (id);
CREATE INDEX payments_by_bank_transaction ON payments (bank_transaction_id) WHERE bank_transaction_id IS NOT NULL;
ALTER TABLE refunds ADD COLUMN bank_transaction_id INTEGER REFERENCES bank_transactions (id);
CREATE INDEX refunds_by_bank_transaction ON refunds (bank_transaction_id) WHERE bank_transaction_id IS NOT NULL;

-- Two forms of the number of a sent invoice, by which the text of a transfer finds it: letters and digits without the
-- leading zeros of each group of digits (inv202617), and with them (inv202600017).
ALTER TABLE invoices ADD COLUMN number_key TEXT;
ALTER TABLE invoices ADD COLUMN number_letters TEXT;
UPDATE invoices SET number_key = number_key(invoice_number), number_letters = number_letters(invoice_number)
 WHERE locked_at IS NOT NULL;
CREATE INDEX invoices_by_number_key ON invoices (number_key) WHERE number_key IS NOT NULL;
CREATE INDEX invoices_by_number_letters ON invoices (number_letters) WHERE number_letters IS NOT NULL;

-- Sent invoices that are not settled, by the amount that a transfer may have; negative if the customer is owed money.
CREATE INDEX invoices_open ON invoices (currency, open_amount, contact_id) WHERE open_amount <> 0 AND locked_at IS NOT NULL;
