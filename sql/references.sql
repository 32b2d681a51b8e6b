-- Records by their id or key.

-- name: event_by_id
SELECT id FROM events WHERE id = :name;

-- name: event_by_key
SELECT id FROM events WHERE event_key = :name;

-- name: contact_by_id
SELECT id FROM contacts WHERE id = :name;

-- name: contact_by_number
SELECT id FROM contacts WHERE customer_number = :name;

-- name: category_by_id
SELECT id FROM categories WHERE id = :name;

-- name: category_by_key
SELECT id FROM categories WHERE category_key = :name;

-- name: participant_by_id
SELECT id FROM participants WHERE id = :name;

-- name: invoice_by_id
SELECT id FROM invoices WHERE id = :name;

-- name: invoice_by_number
SELECT id FROM invoices WHERE invoice_number = :name;
