-- What reports add up by the time at which it came. The indexes that are made anew hold all that is added up, in the place of narrower ones:
-- fetching 200,000 rows in the order of their dates took seconds. The id behind the date keeps lists in order.

CREATE INDEX applications_by_creation ON applications (created_at);

DROP INDEX payments_by_date;
CREATE INDEX payments_by_date ON payments (payment_date, id, status, currency, gateway_key, amount, refunded_amount, gateway_fee, invoice_id);

DROP INDEX invoices_by_issue_date;
CREATE INDEX invoices_by_issue_date ON invoices (issue_date, id, locked_at, invoice_type, currency, subtotal, tax_total, total, event_id);

DROP INDEX participants_by_event_and_role;
CREATE INDEX participants_by_event_and_role ON participants (event_id, role, id, status, created_at);
