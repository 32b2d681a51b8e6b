-- Invoices: the end of the service period, the reason of a cancellation, mails with a text and a language; lines that
-- billing has written, and their tax without reverse charge.

ALTER TABLE invoices ADD COLUMN service_date_to TEXT;
ALTER TABLE invoices ADD COLUMN cancellation_reason TEXT;

-- Language and text that the request for a mail has named; NULL otherwise.
ALTER TABLE mails ADD COLUMN language TEXT;
ALTER TABLE mails ADD COLUMN text TEXT;

-- The tax that a line gets back when reverse charge is turned off. NULL outside of reverse charge, and for a line that
-- was created under reverse charge: it then gets the default tax.
ALTER TABLE invoice_items ADD COLUMN usual_tax_category TEXT;
ALTER TABLE invoice_items ADD COLUMN usual_tax_rate INTEGER;
ALTER TABLE invoice_items ADD COLUMN usual_exemption_reason TEXT;

-- 1 if billing has written the line, and nobody has edited it since. A draft with such a line is outdated once the
-- record that the line bills has another price.
ALTER TABLE invoice_items ADD COLUMN is_generated INTEGER NOT NULL DEFAULT 0 CHECK (is_generated IN (0, 1));

-- Earlier versions did not record who wrote a line. In drafts, take a line for generated if its amount is that of the
-- record that it bills. The price of a booth from which the reservation has moved since is not known any more.
UPDATE invoice_items SET is_generated = 1
 WHERE bills IS NOT NULL AND discount_percent = 0
   AND invoice_id IN (SELECT id FROM invoices WHERE status = 'draft' AND invoice_type = 'invoice')
   AND net = CASE
     WHEN fee_of_participant_id IS NOT NULL THEN
       (SELECT k.base_price FROM participants p JOIN categories k ON k.id = p.category_id
         WHERE p.id = fee_of_participant_id)
     WHEN service_order_item_id IS NOT NULL THEN
       (SELECT t.net FROM service_order_items t WHERE t.id = service_order_item_id)
     WHEN booth_reservation_id IS NOT NULL THEN
       (SELECT CASE WHEN r.booth_id = invoice_items.booth_id THEN r.final_price ELSE invoice_items.net END
          FROM booth_reservations r WHERE r.id = booth_reservation_id) END;
UPDATE invoice_items SET is_generated = 1
 WHERE bills IS NOT NULL
   AND invoice_id IN (SELECT id FROM invoices WHERE status = 'draft' AND invoice_type = 'credit_note');
