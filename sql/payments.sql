-- Payments.

-- columns: shown = amount claim_amount currency gateway_id gateway_key gateway_name transaction_id gateway_fee
--   refunded_amount status payment_date notes bank_transaction_id bank_amount bank_currency offset_id created_at updated_at

-- name: get
SELECT p.id, p.invoice_id, i.invoice_number, {p.shown},
       (SELECT json_group_array(json(part)) FROM (
          SELECT json_object('id', r.id, 'amount', r.amount, 'claim_amount', r.claim_amount, 'refunded_at',
                 r.refunded_at, 'transaction_id', r.transaction_id, 'notes', r.notes, 'bank_transaction_id',
                 r.bank_transaction_id, 'gateway_key', r.gateway_key, 'offset_id', r.offset_id, 'created_at', r.created_at) AS part
            FROM refunds r WHERE r.payment_id = p.id ORDER BY r.id)) AS refunds
  FROM payments p JOIN invoices i ON i.id = p.invoice_id
 WHERE p.id = :id;

-- name: list
SELECT p.id, p.invoice_id, i.invoice_number, {p.shown}
  FROM payments p
  LEFT JOIN invoices i ON i.id = p.invoice_id
 WHERE TRUE
   AND p.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND likelihood(p.updated_at >= :updated_since, 0.0001)                  -- when updated_since
   AND p.invoice_id = :invoice_id                      -- when invoice_id
   AND p.status = :status                              -- when status
   AND p.payment_date_at >= :date_from                 -- when date_from
   AND p.payment_date_at <= :date_to                   -- when date_to
   AND p.id IN (SELECT rowid FROM payments_search WHERE payments_search MATCH :search)  -- when search
   AND p.id IN (SELECT rowid FROM payments_search WHERE payments_search MATCH :search_names UNION ALL SELECT x.id FROM payments x WHERE x.invoice_id IN (SELECT rowid FROM invoices_search WHERE invoices_search MATCH :search_names))  -- when search_names
 ORDER BY {sort} {order} NULLS LAST, p.id {order}  -- sort: id=p.id amount=p.amount status=p.status payment_date=p.payment_date_at created_at=p.id

-- name: of_invoices
SELECT p.id, p.invoice_id, i.invoice_number, {p.shown}
  FROM payments p JOIN invoices i ON i.id = p.invoice_id
 WHERE p.invoice_id IN (SELECT value FROM json_each(:ids)) ORDER BY p.id;

-- name: add
INSERT INTO payments (invoice_id, amount, claim_amount, currency, gateway_id, gateway_key, gateway_name, gateway_fee,
  transaction_id, status, payment_date, payment_date_at, notes, bank_transaction_id, bank_amount, bank_currency,
  search_text, created_at, updated_at)
VALUES (:invoice_id, :amount, :claim_amount, :currency, :gateway_id, :gateway_key, :gateway_name, :gateway_fee,
  :transaction_id, :status, :payment_date, :payment_date_at, :notes, :bank_transaction_id, :bank_amount, :bank_currency,
  (SELECT fold(i.invoice_number || coalesce(' ' || :transaction_id, '') || coalesce(' ' || :notes, ''))
     FROM invoices i WHERE i.id = :invoice_id), :now, :stamp);

-- name: change
UPDATE payments SET invoice_id = :invoice_id, amount = :amount, claim_amount = :claim_amount, currency = :currency,
  gateway_id = :gateway_id, gateway_key = :gateway_key, gateway_name = :gateway_name, gateway_fee = :gateway_fee,
  transaction_id = :transaction_id, refunded_amount = :refunded_amount, status = :status, payment_date = :payment_date,
  payment_date_at = :payment_date_at, notes = :notes,
  search_text = (SELECT fold(i.invoice_number || coalesce(' ' || :transaction_id, '') || coalesce(' ' || :notes, ''))
                   FROM invoices i WHERE i.id = :invoice_id),
  updated_at = :stamp
 WHERE id = :id;

-- name: set_offset
-- A payment that an offset has made names itself.
UPDATE payments SET offset_id = id WHERE id = :id;

-- name: by_transaction
-- The payment with this transaction id of this gateway. No gateway counts as one gateway.
SELECT id FROM payments WHERE transaction_id = :transaction_id
  AND coalesce(gateway_key, '') = coalesce(:gateway_key, '');

-- name: remove
DELETE FROM payments WHERE id = :id;

-- Erasing the data of a contact, and at the end of the retention period that of an invoice. `id` is its id.

-- name: blank_remarks
UPDATE payments SET notes = NULL, updated_at = :stamp,
  search_text = (SELECT fold(i.invoice_number || coalesce(' ' || transaction_id, '')) FROM invoices i
    WHERE i.id = invoice_id)
 WHERE invoice_id IN (SELECT id FROM invoices WHERE contact_id = :id) AND notes IS NOT NULL;

-- name: blank
UPDATE payments SET transaction_id = NULL, notes = NULL, updated_at = :stamp,
  search_text = (SELECT fold(i.invoice_number) FROM invoices i WHERE i.id = :id)
 WHERE invoice_id = :id;
