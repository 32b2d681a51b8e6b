-- The rules by which the tax of an invoice is reported. They are kept when it is sent, so that an upgrade changes no figure:
-- 1: as before this migration. 2: groups with rate 0 of a deposit count with the supply; the report and DATEV convert the
-- cumulated amounts of an invoice in another currency; goods to Northern Ireland (category K) are supplies to the EU.
ALTER TABLE invoices ADD COLUMN tax_rules INTEGER NOT NULL DEFAULT 1 CHECK (tax_rules IN (1, 2));
-- Of a deposit with the rules 2: the day of the supply, on which its groups with rate 0 count.
ALTER TABLE invoices ADD COLUMN untaxed_date TEXT;
CREATE INDEX tax_entries_without_tax ON tax_entries (day, invoice_id) WHERE rate = 0 AND kind <> 'payment';
