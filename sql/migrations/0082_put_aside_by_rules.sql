-- Standing rules: new bank transactions that belong to no invoice are put aside when they are imported.
CREATE TABLE bank_rules (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,    -- never given again: bank_transactions.rule_id outlives the rule
  account       TEXT,                         -- IBAN of the organiser's account, NULL for each
  direction     TEXT NOT NULL CHECK (direction IN ('debit', 'credit')),
  counterparty  TEXT,                         -- an IBAN without spaces, or words of the name
  text          TEXT,                         -- words of the text, or their beginnings
  reason        TEXT NOT NULL,
  created_at    TEXT NOT NULL,
  updated_at    TEXT NOT NULL,
  CHECK (counterparty IS NOT NULL OR text IS NOT NULL)
) STRICT;
CREATE INDEX bank_rules_by_update ON bank_rules (updated_at);

-- The rule that has put the transaction aside. It may be deleted since.
ALTER TABLE bank_transactions ADD COLUMN rule_id INTEGER;

-- Find customers who owe only claims of letters, or are owed them: no rule puts their transfers aside.
CREATE INDEX invoices_with_claims_only ON invoices (contact_id) WHERE claims_total <> claims_paid AND open_amount = 0;
