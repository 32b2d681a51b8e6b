-- Billing: invoices and credit notes, payments, and what participants owe.
-- Amounts are minor units of the invoice's currency. Amounts of a credit note are negative.

-- Payment gateways with their fees.
CREATE TABLE gateways (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  gateway_key  TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  fee_percent  INTEGER NOT NULL DEFAULT 0,   -- hundredths of a percent
  fee_fixed    INTEGER NOT NULL DEFAULT 0,   -- minor units of the tenant's currency
  created_at   TEXT NOT NULL
) STRICT;

CREATE TABLE invoices (
  id                    INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_number        TEXT NOT NULL UNIQUE,             -- DRAFT-{id} until the invoice is sent
  series                TEXT,                             -- such as invoice-2026; NULL for drafts and old invoices
  sequence              INTEGER,                          -- running number in the series
  invoice_type          TEXT NOT NULL DEFAULT 'invoice' CHECK (invoice_type IN ('invoice', 'credit_note')),
  related_invoice_id    INTEGER REFERENCES invoices (id),
  status                TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'sent', 'partially_paid', 'paid',
                          'refunded', 'cancelled')),      -- `overdue` is not stored: it follows from the due date
  contact_id            INTEGER NOT NULL REFERENCES contacts (id),
  event_participant_id  INTEGER REFERENCES participants (id),
  event_id              INTEGER REFERENCES events (id),   -- the event of the participant
  currency              TEXT NOT NULL,
  subtotal              INTEGER NOT NULL DEFAULT 0,
  tax_total             INTEGER NOT NULL DEFAULT 0,
  total                 INTEGER NOT NULL DEFAULT 0,
  paid_amount           INTEGER NOT NULL DEFAULT 0,       -- completed payments minus refunds
  credited              INTEGER NOT NULL DEFAULT 0,       -- sum of the sent credit notes, as a positive amount
  open_amount           INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN invoice_type = 'credit_note' THEN 0
                          ELSE total - credited - paid_amount END) STORED,
  issue_date            TEXT,
  service_date          TEXT,
  due_date              TEXT,
  buyer_reference       TEXT,
  is_reverse_charge     INTEGER NOT NULL DEFAULT 0 CHECK (is_reverse_charge IN (0, 1)),
  text                  TEXT,
  notes                 TEXT,
  taken_over            INTEGER NOT NULL DEFAULT 0 CHECK (taken_over IN (0, 1)),    -- an old invoice outside the series
  seller                TEXT,                             -- JSON, as it was when the invoice was sent
  buyer                 TEXT,                             -- JSON, as it was when the invoice was sent
  pdf_source            TEXT,                             -- JSON, the row as it was sent, until its PDF is stored
  pdf_sha256            TEXT,                             -- the stored PDF, as it was sent
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
CREATE INDEX invoices_by_contact ON invoices (contact_id);
CREATE INDEX invoices_by_participant ON invoices (event_participant_id);
CREATE INDEX invoices_by_event ON invoices (event_id);
CREATE INDEX invoices_by_related ON invoices (related_invoice_id);
CREATE INDEX invoices_by_update ON invoices (updated_at);
CREATE INDEX invoices_by_issue_date ON invoices (issue_date);
CREATE INDEX invoices_without_pdf ON invoices (id) WHERE pdf_source IS NOT NULL;
-- Reports sum per currency and read only this index. It begins with the columns that they group by, because sorting
-- would take longer than adding.
CREATE INDEX invoices_by_currency
  ON invoices (currency, issue_date, locked_at, invoice_type, subtotal, tax_total, total, event_id);

-- The lines of an invoice. A line can bill a booth reservation, a service order (as a whole or one item) or the
-- category fee of a participant.
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
  booth_reservation_id    INTEGER,
  booth_id                INTEGER,                        -- of the reservation, which is billed again after a move
  service_order_id        INTEGER,
  service_order_item_id   INTEGER,
  fee_of_participant_id   INTEGER,
  bills                   TEXT GENERATED ALWAYS AS (CASE
    WHEN fee_of_participant_id IS NOT NULL THEN 'fee ' || fee_of_participant_id
    WHEN service_order_item_id IS NOT NULL THEN 'item ' || service_order_item_id
    WHEN service_order_id IS NOT NULL THEN 'order ' || service_order_id
    WHEN booth_reservation_id IS NOT NULL
      THEN 'booth ' || booth_reservation_id || ' ' || coalesce(booth_id, 0) END) VIRTUAL,
  UNIQUE (invoice_id, position)
) STRICT;
CREATE INDEX invoice_items_by_order ON invoice_items (service_order_id) WHERE service_order_id IS NOT NULL;
CREATE INDEX invoice_items_by_reservation ON invoice_items (booth_reservation_id)
  WHERE booth_reservation_id IS NOT NULL;
CREATE INDEX invoice_items_by_fee ON invoice_items (fee_of_participant_id) WHERE fee_of_participant_id IS NOT NULL;
CREATE INDEX invoice_items_by_bill ON invoice_items (bills) WHERE bills IS NOT NULL;

-- Sums of an invoice per tax category and rate (EN 16931).
CREATE TABLE invoice_taxes (
  invoice_id  INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  category    TEXT NOT NULL,
  rate        INTEGER NOT NULL,                           -- hundredths of a percent
  net         INTEGER NOT NULL,
  tax         INTEGER NOT NULL,
  reason      TEXT,
  PRIMARY KEY (invoice_id, category, rate)
) STRICT, WITHOUT ROWID;

-- Money received for an invoice.
CREATE TABLE payments (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id       INTEGER NOT NULL REFERENCES invoices (id),
  amount           INTEGER NOT NULL CHECK (amount > 0),
  refunded_amount  INTEGER NOT NULL DEFAULT 0 CHECK (refunded_amount BETWEEN 0 AND amount),
  currency         TEXT NOT NULL,
  gateway_id       INTEGER,                 -- no foreign key: a gateway can be deleted, its key and name stay here
  gateway_key      TEXT,
  gateway_name     TEXT,
  gateway_fee      INTEGER NOT NULL DEFAULT 0,
  transaction_id   TEXT,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'refunded', 'cancelled')),
  payment_date     TEXT,                    -- UTC timestamp
  notes            TEXT,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX payments_by_invoice ON payments (invoice_id);
CREATE INDEX payments_by_amount ON payments (amount);
CREATE INDEX payments_by_status ON payments (status);
CREATE INDEX payments_by_update ON payments (updated_at);
-- A gateway that reports a transaction twice is counted once.
CREATE UNIQUE INDEX payments_by_transaction ON payments (transaction_id, coalesce(gateway_key, ''))
  WHERE transaction_id IS NOT NULL;
CREATE INDEX payments_by_date ON payments (payment_date);
-- For reports, like invoices_by_currency.
CREATE INDEX payments_by_currency
  ON payments (currency, gateway_key, payment_date, status, amount, refunded_amount, gateway_fee, invoice_id);

-- What is billed: lines that bill something, of invoices (drafts included) that are not cancelled and not credited in
-- full. is_claimed is 0 if the line must be credited, or removed from a draft: what it bills was cancelled, or the
-- reservation was moved to another booth. It is 1 if what it bills is still valid, and also if nothing is left to
-- credit: the line costs nothing, or its tax group is already credited.
--
-- This view and the following ones use CASE instead of OR and AND where they can. SQLite evaluates both sides of OR and
-- AND when their value is selected, but of CASE only the conditions up to the first that is true.
CREATE VIEW billings AS
SELECT l.id, l.bills, l.net, i.event_participant_id, i.id AS invoice_id, i.invoice_number, i.status, i.currency,
       CASE WHEN CASE WHEN l.fee_of_participant_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM participants p
                                 WHERE p.id = l.fee_of_participant_id AND p.status <> 'cancelled')
                      WHEN l.service_order_item_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM service_order_items t JOIN service_orders o ON o.id = t.service_order_id
                                 WHERE t.id = l.service_order_item_id AND t.status <> 'cancelled'
                                   AND o.status <> 'cancelled')
                      WHEN l.service_order_id IS NOT NULL THEN
                        EXISTS (SELECT 1 FROM service_orders o
                                 WHERE o.id = l.service_order_id AND o.status <> 'cancelled')
                      ELSE
                        EXISTS (SELECT 1 FROM booth_reservations r
                                 WHERE r.id = l.booth_reservation_id AND r.booth_id = l.booth_id
                                   AND r.status NOT IN ('cancelled', 'expired')) END THEN 1
            WHEN i.status = 'draft' THEN 0
            WHEN l.net <= 0 THEN 1
            ELSE (SELECT sum(x.net) FROM invoices n JOIN invoice_items x ON x.invoice_id = n.id
                   WHERE x.tax_category = l.tax_category AND x.tax_rate = l.tax_rate
                     AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')) <= 0
            END AS is_claimed
  FROM invoice_items l JOIN invoices i ON i.id = l.invoice_id
 WHERE l.bills IS NOT NULL AND i.invoice_type = 'invoice' AND i.status <> 'cancelled'
   AND (i.credited < i.total OR i.total = 0)
   AND (NOT EXISTS (SELECT 1 FROM invoices n WHERE n.related_invoice_id = i.id)
        OR coalesce((SELECT sum(x.net) FROM invoice_items x JOIN invoices n ON n.id = x.invoice_id
                      WHERE x.bills = l.bills
                        AND (n.id = i.id OR n.related_invoice_id = i.id AND n.invoice_type = 'credit_note')
                     HAVING sum(n.invoice_type = 'credit_note') > 0), 1) > 0);

-- What a participant owes the organiser, billed or not: category fees, booths and order items. Net amounts in minor
-- units. Where currency or tax_rate is NULL, the tenant's applies.
CREATE VIEW fee_claims AS
SELECT p.id AS event_participant_id, 'fee ' || p.id AS bills, p.id AS fee_of_participant_id,
       NULL AS booth_reservation_id, NULL AS service_order_id, NULL AS service_order_item_id,
       k.base_price AS net, 1 AS quantity, k.base_price AS unit_price, k.tax_rate, NULL AS currency,
       EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'fee ' || p.id) AS is_billed
  FROM participants p JOIN categories k ON k.id = p.category_id
 WHERE p.status <> 'cancelled' AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor') AND k.base_price > 0;

CREATE VIEW booth_claims AS
SELECT r.event_participant_id, 'booth ' || r.id || ' ' || r.booth_id AS bills, NULL AS fee_of_participant_id,
       r.id AS booth_reservation_id, NULL AS service_order_id, NULL AS service_order_item_id,
       r.final_price AS net, 1 AS quantity, r.final_price AS unit_price, r.tax_rate, NULL AS currency,
       EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'booth ' || r.id || ' ' || r.booth_id) AS is_billed
  FROM booth_reservations r
 WHERE r.status = 'confirmed' AND r.final_price > 0;

CREATE VIEW item_claims AS
SELECT o.event_participant_id, 'item ' || t.id AS bills, NULL AS fee_of_participant_id, NULL AS booth_reservation_id,
       o.id AS service_order_id, t.id AS service_order_item_id,
       t.net, t.quantity, t.unit_price, t.tax_rate, o.currency,
       CASE WHEN EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'item ' || t.id) THEN 1
            ELSE EXISTS (SELECT 1 FROM billings b WHERE b.bills = 'order ' || o.id) END AS is_billed
  FROM service_orders o JOIN service_order_items t ON t.service_order_id = o.id
 WHERE o.status IN ('confirmed', 'completed') AND t.status <> 'cancelled' AND t.net > 0;

CREATE VIEW claims AS
SELECT * FROM fee_claims UNION ALL SELECT * FROM booth_claims UNION ALL SELECT * FROM item_claims;
