-- The record that `make run` shows as an example.

-- name: open_invoice
SELECT invoice_number FROM invoices
 WHERE status = 'sent' AND open_amount > 0 AND currency = :currency ORDER BY id LIMIT 1;

-- name: public_show
SELECT e.event_key FROM event_pages p JOIN events e ON e.id = p.event_id WHERE p.is_public = 1
 ORDER BY e.date_from LIMIT 1;

-- name: open_form
SELECT e.event_key FROM event_pages p JOIN events e ON e.id = p.event_id WHERE p.apply_is_open = 1
 ORDER BY e.date_from LIMIT 1;

-- name: door
-- A door of the show that is open.
SELECT l.id FROM links l JOIN events e ON e.id = l.event_id WHERE l.kind = 'door' AND l.revoked_at IS NULL
  AND e.over_at >= :now ORDER BY l.id LIMIT 1;

-- name: open_registration
SELECT e.event_key FROM event_pages p JOIN events e ON e.id = p.event_id WHERE p.visit_is_open = 1
 ORDER BY e.date_from LIMIT 1;

-- name: exhibitor
-- The link of an exhibitor whose page is open.
SELECT l.id FROM links l JOIN event_pages p ON p.event_id = l.event_id AND p.my_is_open = 1
 WHERE l.kind = 'participant' AND l.revoked_at IS NULL ORDER BY l.id LIMIT 1;
