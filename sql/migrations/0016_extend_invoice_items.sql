-- What a line of an invoice bills: a reservation or an order (there already), one item of the order, a participant's category fee.

ALTER TABLE invoice_items ADD COLUMN service_order_item_id INTEGER;
ALTER TABLE invoice_items ADD COLUMN fee_of_participant_id INTEGER;
CREATE INDEX invoice_items_by_order_item ON invoice_items (service_order_item_id) WHERE service_order_item_id IS NOT NULL;
CREATE INDEX invoice_items_by_fee ON invoice_items (fee_of_participant_id) WHERE fee_of_participant_id IS NOT NULL;
