-- Offsets: the credit of invoices, and what it can pay. A credit is what an invoice has open below 0.

-- name: credits
-- The invoices of a contact that have credit, oldest first.
SELECT id, invoice_number, open_amount FROM invoices INDEXED BY invoices_with_credit
 WHERE contact_id = :contact_id AND currency = :currency AND open_amount < 0
 ORDER BY issue_date, id;

-- name: open
-- The open invoices of a contact that the buyer does not dispute, earliest due first.
SELECT id, invoice_number, open_amount FROM invoices INDEXED BY invoices_by_contact
 WHERE contact_id = :contact_id AND currency = :currency AND status IN ('sent', 'partially_paid')
   AND invoice_type = 'invoice' AND open_amount > 0 AND disputed_at IS NULL
 ORDER BY due_date, id;

-- name: payments
-- The completed payments of an invoice, latest first.
SELECT id FROM payments WHERE invoice_id = :id AND status = 'completed'
 ORDER BY coalesce(payment_date_at, created_at) DESC, id DESC;

-- name: of_credit_note
-- The invoices that the credit of an invoice has paid from a time on, and what is open of them now.
SELECT n.invoice_number, n.open_amount, sum(r.amount) AS amount
  FROM payments p CROSS JOIN refunds r ON r.payment_id = p.id CROSS JOIN payments o ON o.id = r.offset_id
 CROSS JOIN invoices n ON n.id = o.invoice_id
 WHERE p.invoice_id = :id AND r.created_at >= :since
 GROUP BY n.id ORDER BY min(r.id);

-- name: counted
-- What of the customer's credit has paid an invoice.
SELECT coalesce(sum(amount - refunded_amount), 0) FROM payments WHERE invoice_id = :id AND offset_id IS NOT NULL;
