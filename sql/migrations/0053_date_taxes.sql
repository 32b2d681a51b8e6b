-- When the tax of each document counts: net amount and tax by day, as the report on taxes and DATEV show them.
CREATE TABLE tax_entries (
  invoice_id   INTEGER NOT NULL REFERENCES invoices (id),
  day          TEXT NOT NULL,
  document_id  INTEGER NOT NULL REFERENCES invoices (id),      -- the invoice, or the credit note that brings it about
  kind         TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note', 'payment', 'write_off')),
  category     TEXT NOT NULL,
  rate         INTEGER NOT NULL,
  region       TEXT CHECK (region IN ('home', 'eu', 'third')), -- of AE, G, K and O; NULL also for documents from before
  currency     TEXT NOT NULL,                                  -- of the invoice
  net          INTEGER NOT NULL,
  tax          INTEGER NOT NULL,
  base_net     INTEGER,                                        -- in the organiser's currency; NULL: converted when it is read
  base_tax     INTEGER CHECK ((base_tax IS NULL) = (base_net IS NULL)),
  PRIMARY KEY (invoice_id, day, document_id, kind, category, rate)
) STRICT, WITHOUT ROWID;
-- Documents that were sent before keep their tax at the day of issue.
UPDATE invoices
   SET tax_date = CASE WHEN taken_over THEN issue_date ELSE coalesce(service_date_to, service_date, issue_date) END,
       tax_basis = 'issue_date'
 WHERE locked_at IS NOT NULL AND tax_basis IS NULL;
INSERT INTO tax_entries (invoice_id, day, document_id, kind, category, rate, currency, net, tax)
SELECT CASE i.invoice_type WHEN 'credit_note' THEN i.related_invoice_id ELSE i.id END, i.issue_date, i.id, i.invoice_type, t.category,
       t.rate, i.currency, t.net, t.tax
  FROM invoices i CROSS JOIN invoice_taxes t ON t.invoice_id = i.id
 WHERE i.locked_at IS NOT NULL;
CREATE INDEX tax_entries_by_day ON tax_entries (currency, day, category, rate, region, kind, document_id, net, tax);
CREATE INDEX tax_entries_of_money ON tax_entries (day, invoice_id) WHERE kind = 'payment';

CREATE TRIGGER tax_entries_closed_insert BEFORE INSERT ON tax_entries
WHEN NEW.day < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the tax is closed'); END;
CREATE TRIGGER tax_entries_closed_delete BEFORE DELETE ON tax_entries
WHEN OLD.day < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the tax is closed'); END;
CREATE TRIGGER tax_entries_closed_update BEFORE UPDATE ON tax_entries
WHEN min(OLD.day, NEW.day) < (SELECT first_open_day FROM periods ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'the month of the tax is closed'); END;
