-- Refunds of payments, and the moves of payments from one invoice to another.

-- name: of_payments
SELECT payment_id, id, amount, claim_amount, refunded_at, transaction_id, notes, bank_transaction_id,
  gateway_key, offset_id, created_at FROM refunds
 WHERE payment_id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: add
INSERT INTO refunds (payment_id, amount, claim_amount, currency, gateway_key, transaction_id, refunded_at, counts_at,
  notes, bank_transaction_id, offset_id, created_at)
VALUES (:payment_id, :amount, :claim_amount, :currency, :gateway_key, :transaction_id, :refunded_at, :counts_at, :notes,
  :bank_transaction_id, :offset_id, :now);

-- name: of_offset
SELECT id, payment_id FROM refunds WHERE offset_id = :offset_id ORDER BY id;

-- name: by_transaction
-- The refund with this transaction id of this gateway. No gateway counts as one gateway.
SELECT id, payment_id FROM refunds
 WHERE transaction_id = :transaction_id AND coalesce(gateway_key, '') = coalesce(:gateway_key, '');

-- name: set_gateway
UPDATE refunds SET gateway_key = :gateway_key WHERE payment_id = :payment_id AND offset_id IS NULL;

-- name: remove
DELETE FROM refunds WHERE id = :id;

-- name: add_move
INSERT INTO payment_moves (payment_id, from_invoice_id, to_invoice_id, moved_at)
VALUES (:payment_id, :from_invoice_id, :to_invoice_id, :now);

-- name: has_moved
SELECT 1 FROM payment_moves WHERE payment_id = :payment_id LIMIT 1;

-- name: forget_moves
-- Moves at or before `until`; all moves without it.
DELETE FROM payment_moves
 WHERE payment_id = :payment_id
   AND moved_at <= :until                              -- when until

-- For `eventapi check`.

-- name: wrong_sums
-- Payments whose refunds do not add up to refunded_amount, return more of a claim or of the invoice than was paid of it, or are in another
-- currency or of another gateway. Refunds of an offset have the gateway offset, and others of a payment by offset none.
SELECT p.id, p.refunded_amount AS stored, coalesce(sum(r.amount), 0) AS computed,
       coalesce(sum(r.id IS NOT NULL AND (r.currency <> p.currency OR r.gateway_key IS NOT
         CASE WHEN r.offset_id IS NOT NULL THEN 'offset' WHEN p.offset_id IS NULL THEN p.gateway_key END)),
       0) AS strangers
  FROM payments p LEFT JOIN refunds r ON r.payment_id = p.id
 GROUP BY p.id
HAVING stored <> computed OR strangers > 0
  OR (p.status = 'refunded') <> (p.amount = computed AND p.status IN ('completed', 'refunded'))
    OR computed > 0 AND p.status NOT IN ('completed', 'refunded')
    OR coalesce(sum(r.claim_amount), 0) NOT BETWEEN computed - (p.amount - p.claim_amount) AND p.claim_amount
 ORDER BY p.id;

-- name: wrong_offsets
-- Payments by offset that are not made of exactly the refunds that name them.
SELECT p.id, p.amount AS stored, coalesce(sum(r.amount), 0) AS computed
  FROM payments p INDEXED BY payments_by_offset LEFT JOIN refunds r ON r.offset_id = p.id
 WHERE p.offset_id IS NOT NULL
 GROUP BY p.offset_id
HAVING stored <> computed
 ORDER BY p.offset_id;

-- name: wrong_moves
-- Moves that do not lead from one to the next, and in the end to the invoice of the payment.
SELECT payment_id, found, expected
  FROM (SELECT m.id, m.payment_id, m.to_invoice_id AS found,
               coalesce(lead(m.from_invoice_id) OVER (PARTITION BY m.payment_id ORDER BY m.moved_at, m.id),
               p.invoice_id) AS expected
          FROM payment_moves m JOIN payments p ON p.id = m.payment_id)
 WHERE found <> expected
 ORDER BY payment_id, id;

-- name: claim_transfer
-- Add to what payments and refunds have taken of a bank transaction, or release a part of it (negative).
UPDATE bank_transactions SET assigned_amount = assigned_amount + :amount, ignored_reason = NULL,
  status = CASE WHEN assigned_amount + :amount = abs(amount) THEN 'assigned' ELSE 'open' END, updated_at = :stamp
 WHERE id = :id;

-- Erasing the data of a contact, and at the end of the retention period that of an invoice. `id` is its id.

-- name: blank_remarks
UPDATE refunds SET notes = NULL
 WHERE payment_id IN (SELECT p.id FROM invoices i JOIN payments p ON p.invoice_id = i.id WHERE i.contact_id = :id)
   AND notes IS NOT NULL;

-- name: blank
UPDATE refunds SET transaction_id = NULL, notes = NULL
 WHERE payment_id IN (SELECT id FROM payments WHERE invoice_id = :id);
