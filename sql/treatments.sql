-- The lines of drafts for their tax treatment, and the drafts that a change may outdate.

-- name: lines
SELECT position, tax_category, tax_rate, exemption_reason, exemption_code, usual_tax_category, usual_tax_rate,
       usual_exemption_reason, usual_exemption_code, place_of_supply, is_tax_typed
  FROM invoice_items WHERE invoice_id = :id ORDER BY position;

-- name: drafts_of_contact
-- Drafts to a contact that the rule has decided.
SELECT id, contact_id, event_id, service_date, service_date_to, locked_at, tax_decided_by FROM invoices
 WHERE locked_at IS NULL AND tax_decided_by = 'rule' AND contact_id = :contact_id ORDER BY id;

-- name: drafts_of_event
-- Drafts for an event that the rule has decided.
SELECT id, contact_id, event_id, service_date, service_date_to, locked_at, tax_decided_by FROM invoices
 WHERE locked_at IS NULL AND tax_decided_by = 'rule' AND event_id = :event_id ORDER BY id;
