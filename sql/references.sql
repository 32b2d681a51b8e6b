-- The id of a record that a request names by id or by key.

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

-- name: application_by_id
SELECT id FROM applications WHERE id = :name;

-- name: participant_by_id
SELECT id FROM participants WHERE id = :name;

-- name: invoice_by_id
SELECT id FROM invoices WHERE id = :name;

-- name: invoice_by_number
SELECT id FROM invoices WHERE invoice_number = :name;

-- name: plan_by_id
SELECT id FROM plans WHERE id = :name;

-- name: booth_by_id
SELECT id FROM booths WHERE id = :name;

-- name: booth_type_by_id
SELECT id FROM booth_types WHERE id = :name;

-- name: booth_type_by_key
SELECT id FROM booth_types WHERE booth_type_key = :name;

-- name: formula_by_id
SELECT id FROM booth_formulas WHERE id = :name;

-- name: service_by_id
SELECT id FROM services WHERE id = :name;

-- name: service_by_key
SELECT id FROM services WHERE service_key = :name;

-- name: service_category_by_id
SELECT id FROM service_categories WHERE id = :name;

-- name: service_category_by_key
SELECT id FROM service_categories WHERE category_key = :name;

-- name: document_category_by_id
SELECT id FROM document_categories WHERE id = :name;

-- name: document_category_by_key
SELECT id FROM document_categories WHERE key = :name;

-- name: document_template_by_id
SELECT id FROM document_templates WHERE id = :name;

-- name: document_template_by_key
SELECT id FROM document_templates WHERE key = :name;
