-- E-invoices (EN 16931): the XML document of each sent invoice, and the fields that it needs.

-- The exchange rate holds ten-billionths of the tenant's currency for one unit of the invoice's currency. NULL if the
-- currencies are the same, or if the rate is not known.
ALTER TABLE invoices ADD COLUMN exchange_rate INTEGER CHECK (exchange_rate > 0);
-- Paid before the invoice was sent, minor units. The document shows it; later payments do not change it.
ALTER TABLE invoices ADD COLUMN prepaid_amount INTEGER NOT NULL DEFAULT 0;
-- Hash of the stored document. NULL for drafts, and for invoices that have none.
ALTER TABLE invoices ADD COLUMN xml_sha256 TEXT;
-- The customer number when the invoice was sent. Bookkeeping knows the customer by it, also after a merge or erasure.
ALTER TABLE invoices ADD COLUMN debtor_number TEXT;
UPDATE invoices SET debtor_number = coalesce(buyer ->> 'customer_number',
    (SELECT c.customer_number FROM contacts c WHERE c.id = invoices.contact_id))
 WHERE locked_at IS NOT NULL;
CREATE INDEX invoices_by_debtor ON invoices (debtor_number) WHERE debtor_number IS NOT NULL;

-- The document of a sent invoice, as it was issued: the original. Its hash is in the audit log as well.
CREATE TABLE e_invoices (
  invoice_id  INTEGER PRIMARY KEY REFERENCES invoices (id) ON DELETE CASCADE,
  document    BLOB NOT NULL,                              -- XML (CII), compressed by zlib
  sha256      TEXT NOT NULL                               -- of the XML
) STRICT;

ALTER TABLE invoice_taxes ADD COLUMN reason_code TEXT;    -- a code of the list VATEX

ALTER TABLE contacts ADD COLUMN leitweg_id TEXT;
ALTER TABLE contacts ADD COLUMN gln TEXT;
ALTER TABLE contacts ADD COLUMN electronic_address TEXT;  -- SCHEME:ID, such as 0204:991-33333TEST-33
ALTER TABLE contacts ADD COLUMN e_invoice_profile TEXT NOT NULL DEFAULT 'en16931'
  CHECK (e_invoice_profile IN ('en16931', 'xrechnung', 'peppol'));

-- The lines of an invoice, with category K (intra-community supply). SQLite cannot change a CHECK constraint, so the
-- table is built again. In the legacy mode, renaming does not touch the views that read the table.
PRAGMA legacy_alter_table = ON;
ALTER TABLE invoice_items RENAME TO old_invoice_items;
PRAGMA legacy_alter_table = OFF;
CREATE TABLE invoice_items (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id              INTEGER NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
  position                INTEGER NOT NULL,
  description             TEXT NOT NULL,
  quantity                INTEGER NOT NULL,               -- thousandths
  unit                    TEXT,
  unit_price              INTEGER NOT NULL,               -- ten-thousandths of the major unit
  discount_percent        INTEGER NOT NULL DEFAULT 0,     -- hundredths of a percent
  is_discount             INTEGER NOT NULL DEFAULT 0      -- 1: a discount on the whole invoice; quantity is negative
                            CHECK (is_discount IN (0, 1)),
  tax_rate                INTEGER NOT NULL,               -- hundredths of a percent
  tax_category            TEXT NOT NULL CHECK (tax_category IN ('S', 'Z', 'E', 'AE', 'G', 'O', 'K')),
  exemption_reason        TEXT,
  exemption_code          TEXT,                           -- a code of the list VATEX
  -- The tax that a line gets back when reverse charge is turned off. NULL outside of reverse charge, and for a line
  -- that was created under reverse charge: it then gets the default tax.
  usual_tax_category      TEXT,
  usual_tax_rate          INTEGER,
  usual_exemption_reason  TEXT,
  usual_exemption_code    TEXT,
  net                     INTEGER NOT NULL,
  -- 1 if billing has written the line, and nobody has edited it since. A draft with such a line is outdated once the
  -- record that the line bills has another price.
  is_generated            INTEGER NOT NULL DEFAULT 0 CHECK (is_generated IN (0, 1)),
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
INSERT INTO invoice_items (id, invoice_id, position, description, quantity, unit, unit_price, discount_percent,
  tax_rate, tax_category, exemption_reason, usual_tax_category, usual_tax_rate, usual_exemption_reason, net,
  is_generated, booth_reservation_id, booth_id, service_order_id, service_order_item_id, fee_of_participant_id)
SELECT id, invoice_id, position, description, quantity, unit, unit_price, discount_percent, tax_rate, tax_category,
       exemption_reason, usual_tax_category, usual_tax_rate, usual_exemption_reason, net, is_generated,
       booth_reservation_id, booth_id, service_order_id, service_order_item_id, fee_of_participant_id
  FROM old_invoice_items;
DROP TABLE old_invoice_items;
CREATE INDEX invoice_items_by_order ON invoice_items (service_order_id) WHERE service_order_id IS NOT NULL;
CREATE INDEX invoice_items_by_reservation ON invoice_items (booth_reservation_id)
  WHERE booth_reservation_id IS NOT NULL;
CREATE INDEX invoice_items_by_fee ON invoice_items (fee_of_participant_id) WHERE fee_of_participant_id IS NOT NULL;
CREATE INDEX invoice_items_by_bill ON invoice_items (bills) WHERE bills IS NOT NULL;
