-- Recording that documents were posted. How they reach their customer otherwise is written where they are sent: `deliver` in
-- sql/invoicing.sql, `add` in sql/dunning.sql.

-- name: post_invoice
UPDATE invoices SET posted_on = :posted_on, updated_at = :stamp WHERE id = :id;

-- name: post_letter
UPDATE dunnings SET posted_on = :posted_on WHERE id = :id;

-- name: touch_invoice
-- The invoice has changed, because a letter of it has.
UPDATE invoices SET updated_at = :stamp WHERE id = :id;
