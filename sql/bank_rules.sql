-- Standing rules for bank transactions that belong to no invoice.

-- columns: fields = account direction counterparty text reason

-- name: get
SELECT r.id, {r.fields}, r.created_at, r.updated_at FROM bank_rules r WHERE r.id = :id;

-- name: list
SELECT r.id, {r.fields}, r.created_at, r.updated_at
  FROM bank_rules r
 WHERE TRUE
   AND r.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(r.updated_at >= :updated_since, 0.0001)           -- when updated_since
 ORDER BY {sort} {order}, r.id {order}  -- sort: id=r.id

-- name: all
-- What an import compares its transactions with.
SELECT r.id, {r.fields} FROM bank_rules r ORDER BY r.id;

-- name: add
INSERT INTO bank_rules ({fields}, created_at, updated_at) VALUES ({:fields}, :now, :stamp);

-- name: change
UPDATE bank_rules SET {fields = :fields}, updated_at = :stamp WHERE id = :id;

-- name: remove
DELETE FROM bank_rules WHERE id = :id;

-- name: customers
-- Customers with an invoice, credit or claim of a letter that is not settled.
SELECT c.id, c.company_name, c.first_name, c.last_name FROM contacts c
 WHERE c.id IN (SELECT i.contact_id FROM invoices i INDEXED BY invoices_open
                 WHERE i.open_amount <> 0 AND i.locked_at IS NOT NULL
                 UNION
                SELECT i.contact_id FROM invoices i INDEXED BY invoices_with_claims_only
                 WHERE i.claims_total <> i.claims_paid AND i.open_amount = 0)
 ORDER BY c.id;
