-- Invoices and credit notes. Amounts in minor units of the invoice's currency; a credit note's are negative.

CREATE TABLE invoices (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_number        TEXT NOT NULL UNIQUE,             -- DRAFT-{id} until sent
  series                TEXT,                             -- invoice-2026: type and year; null for drafts and old numbers
  sequence              INTEGER,                          -- its place in the series
  invoice_type          TEXT NOT NULL DEFAULT 'invoice' CHECK (invoice_type IN ('invoice', 'credit_note')),
  related_invoice_id    INTEGER REFERENCES invoices (id),
  status                TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'sent', 'partially_paid', 'paid', 'refunded',
                          'cancelled')),                  -- overdue is read off the due date
  contact_id            INTEGER NOT NULL REFERENCES contacts (id),
  event_participant_id  INTEGER REFERENCES participants (id),
  event_id              INTEGER REFERENCES events (id),   -- the participant's
  currency              TEXT NOT NULL,
  subtotal              INTEGER NOT NULL DEFAULT 0,
  tax_total             INTEGER NOT NULL DEFAULT 0,
  total                 INTEGER NOT NULL DEFAULT 0,
  paid_amount           INTEGER NOT NULL DEFAULT 0,       -- completed payments less what was refunded
  credited              INTEGER NOT NULL DEFAULT 0,       -- less the sum of its sent credit notes
  open_amount           INTEGER NOT NULL GENERATED ALWAYS AS
                          (CASE WHEN invoice_type = 'credit_note' THEN 0 ELSE total - credited - paid_amount END) STORED,
  issue_date            TEXT,
  service_date          TEXT,
  due_date              TEXT,
  buyer_reference       TEXT,
  is_reverse_charge     INTEGER NOT NULL DEFAULT 0 CHECK (is_reverse_charge IN (0, 1)),
  text                  TEXT,
  notes                 TEXT,
  taken_over            INTEGER NOT NULL DEFAULT 0 CHECK (taken_over IN (0, 1)),
  seller                TEXT,                             -- JSON, as sent
  buyer                 TEXT,                             -- JSON, as sent
  pdf_sha256            TEXT,                             -- the stored file, as sent
  locked_at             TEXT,
  reminder_sent_at      TEXT,
  reminder_count        INTEGER NOT NULL DEFAULT 0,
  created_at            TEXT NOT NULL,
  updated_at            TEXT NOT NULL,
  CHECK ((series IS NULL) = (sequence IS NULL)),
  CHECK (invoice_type = 'invoice' OR related_invoice_id IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX invoices_by_series ON invoices (series, sequence) WHERE series IS NOT NULL;
CREATE INDEX invoices_by_status ON invoices (status);
CREATE INDEX invoices_by_status_and_due_date ON invoices (status, due_date);
CREATE INDEX invoices_by_type ON invoices (invoice_type);
CREATE INDEX invoices_by_due_date ON invoices (due_date);
CREATE INDEX invoices_by_total ON invoices (total);
CREATE INDEX invoices_by_issue_date ON invoices (issue_date);
CREATE INDEX invoices_by_contact ON invoices (contact_id);
CREATE INDEX invoices_by_participant ON invoices (event_participant_id);
CREATE INDEX invoices_by_event ON invoices (event_id);
CREATE INDEX invoices_by_related ON invoices (related_invoice_id);
CREATE INDEX invoices_by_update ON invoices (updated_at);

CREATE TABLE invoice_items (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id              INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  position                INTEGER NOT NULL,
  description             TEXT NOT NULL,
  quantity                INTEGER NOT NULL,               -- thousandths
  unit                    TEXT,
  unit_price              INTEGER NOT NULL,               -- ten-thousandths of the major unit
  discount_percent        INTEGER NOT NULL DEFAULT 0,     -- hundredths of a percent
  tax_rate                INTEGER NOT NULL,               -- hundredths of a percent
  tax_category            TEXT NOT NULL CHECK (tax_category IN ('S', 'Z', 'E', 'AE', 'G', 'O')),
  exemption_reason        TEXT,
  net                     INTEGER NOT NULL,
  service_order_id        INTEGER,
  booth_reservation_id    INTEGER,
  UNIQUE (invoice_id, position)
) STRICT;
CREATE INDEX invoice_items_by_order ON invoice_items (service_order_id) WHERE service_order_id IS NOT NULL;
CREATE INDEX invoice_items_by_reservation ON invoice_items (booth_reservation_id) WHERE booth_reservation_id IS NOT NULL;

CREATE TABLE invoice_taxes (
  invoice_id  INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  category    TEXT NOT NULL,
  rate        INTEGER NOT NULL,                           -- hundredths of a percent
  net         INTEGER NOT NULL,
  tax         INTEGER NOT NULL,
  reason      TEXT,
  PRIMARY KEY (invoice_id, category, rate)
) STRICT, WITHOUT ROWID;
