-- Offsetting: the credit of one invoice pays another one of the same customer. It is stored as refunds of the payments of
-- the one and a payment of the other, all of the gateway `offset`, so that ledger, tax and DATEV follow.

-- The id of the payment of gateway offset: of that payment its own, and of the refunds that it was made of. NULL: the payment
-- or refund belongs to no offset.
ALTER TABLE payments ADD COLUMN offset_id INTEGER;
CREATE INDEX payments_by_offset ON payments (offset_id) WHERE offset_id IS NOT NULL;
ALTER TABLE refunds ADD COLUMN offset_id INTEGER REFERENCES payments (id);
CREATE INDEX refunds_by_offset ON refunds (offset_id) WHERE offset_id IS NOT NULL;

-- What an invoice counted of the customer's credit when it was sent, as JSON [[invoice number, minor units], …]: its PDF names
-- the invoices, also in a copy that is drawn later.
ALTER TABLE invoices ADD COLUMN counted_credits TEXT;

-- The credit of a customer, for offsets and for dunning.
CREATE INDEX invoices_with_credit ON invoices (contact_id, currency, open_amount) WHERE open_amount < 0;
