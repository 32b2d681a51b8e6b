-- Where a supply is taxed, and what an invoice makes of it.

-- 'recipient': at the seat of the exhibitor, if it is a business. 'event': where the show is. NULL of an event: not
-- decided. NULL of a category, a service or a line: as the event.
ALTER TABLE events ADD COLUMN place_of_supply TEXT CHECK (place_of_supply IN ('recipient', 'event'));
ALTER TABLE categories ADD COLUMN place_of_supply TEXT CHECK (place_of_supply IN ('recipient', 'event'));
ALTER TABLE services ADD COLUMN place_of_supply TEXT CHECK (place_of_supply IN ('recipient', 'event'));
ALTER TABLE invoice_items ADD COLUMN place_of_supply TEXT CHECK (place_of_supply IN ('recipient', 'event'));

-- Why a price has no tax (category E).
ALTER TABLE categories ADD COLUMN exemption_reason TEXT CHECK (length(exemption_reason) BETWEEN 1 AND 200);
ALTER TABLE services ADD COLUMN exemption_reason TEXT CHECK (length(exemption_reason) BETWEEN 1 AND 200);
ALTER TABLE booth_types ADD COLUMN exemption_reason TEXT CHECK (length(exemption_reason) BETWEEN 1 AND 200);

-- NULL: a VAT id or a company name decide.
ALTER TABLE contacts ADD COLUMN is_business INTEGER CHECK (is_business IN (0, 1));

-- The invoices that exist were decided by the office, so that no figure changes.
ALTER TABLE invoices ADD COLUMN tax_treatment TEXT NOT NULL DEFAULT 'standard'
  CHECK (tax_treatment IN ('standard', 'reverse_charge', 'not_taxable', 'small_business'));
ALTER TABLE invoices ADD COLUMN tax_decided_by TEXT NOT NULL DEFAULT 'office' CHECK (tax_decided_by IN ('rule', 'office'));
-- 1: the tax of the line was typed, and the rule leaves it alone.
ALTER TABLE invoice_items ADD COLUMN is_tax_typed INTEGER NOT NULL DEFAULT 0 CHECK (is_tax_typed IN (0, 1));

UPDATE invoices SET tax_treatment = 'reverse_charge' WHERE locked_at IS NULL AND is_reverse_charge;
UPDATE invoices SET tax_treatment = (SELECT CASE l.tax_category WHEN 'AE' THEN 'reverse_charge' ELSE 'not_taxable' END
    FROM invoice_items l WHERE l.invoice_id = invoices.id LIMIT 1)
 WHERE locked_at IS NOT NULL
   AND id IN (SELECT invoice_id FROM invoice_items GROUP BY invoice_id
               HAVING min(tax_category) = max(tax_category) AND min(tax_category) IN ('AE', 'O'));
-- Drafts whose events are changed, or whose buyers are: their tax may be another one.
CREATE INDEX drafts_by_rule ON invoices (contact_id) WHERE locked_at IS NULL AND tax_decided_by = 'rule';
