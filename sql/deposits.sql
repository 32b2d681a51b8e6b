-- Deposits, and the final invoices that deduct them.

-- name: named
-- The invoices of a JSON array of ids, in its order, with the final invoice that names each as a deposit.
SELECT i.id, i.invoice_number, i.issue_date, i.is_deposit, i.locked_at, i.status, i.contact_id, i.currency, i.event_id,
       i.open_amount, d.invoice_id AS final_id,
       (SELECT f.invoice_number FROM invoices f WHERE f.id = d.invoice_id) AS final_number
  FROM json_each(:ids) n CROSS JOIN invoices i ON i.id = n.value LEFT JOIN invoice_deposits d ON d.deposit_id = i.id
 ORDER BY n.key;

-- name: clear
DELETE FROM invoice_deposits WHERE invoice_id = :id;

-- name: add
INSERT INTO invoice_deposits (invoice_id, deposit_id) SELECT :id, n.value FROM json_each(:ids) n;

-- name: left
-- What credit notes have left of the tax groups of a deposit. Amounts of credit notes are negative.
SELECT t.category, t.rate, sum(t.net) AS net, sum(t.tax) AS tax,
       max(CASE WHEN i.id = :id THEN t.reason END) AS reason,
       max(CASE WHEN i.id = :id THEN t.reason_code END) AS reason_code
  FROM invoice_taxes t JOIN invoices i ON i.id = t.invoice_id
 WHERE i.id = :id OR i.related_invoice_id = :id AND i.invoice_type = 'credit_note' AND i.locked_at IS NOT NULL
 GROUP BY t.category, t.rate ORDER BY t.category, t.rate;

-- name: deducted_by
-- The sent invoices that deduct deposits of a JSON array of ids.
SELECT d.deposit_id, f.invoice_number FROM invoice_deposits d JOIN invoices f ON f.id = d.invoice_id
 WHERE d.deposit_id IN (SELECT value FROM json_each(:ids)) AND f.locked_at IS NOT NULL;

-- name: wrong
-- Deposits that are deducted with other amounts than credit notes have left of them. For `eventapi check`.
SELECT * FROM (
  SELECT f.invoice_number, d.invoice_number AS deposit_number,
         (SELECT coalesce(-sum(l.net), 0) FROM invoice_items l WHERE l.invoice_id = f.id
           AND l.deposit_id = d.id) AS deducted,
         d.subtotal + (SELECT coalesce(sum(n.subtotal), 0) FROM invoices n INDEXED BY invoices_by_related
                        WHERE n.related_invoice_id = d.id AND n.invoice_type = 'credit_note'
                        AND n.locked_at IS NOT NULL) AS left
    FROM invoice_deposits p CROSS JOIN invoices f ON f.id = p.invoice_id CROSS JOIN invoices d ON d.id = p.deposit_id
   WHERE f.locked_at IS NOT NULL)
 WHERE deducted <> left;
