-- What the tax treatment of drafts depends on.

-- name: event
SELECT country, place_of_supply, date_from, date_to, timezone FROM events WHERE id = :id;

-- name: participant
SELECT contact_id, event_id FROM participants WHERE id = :id;

-- name: buyer
SELECT country, company_name, is_business, tax_id,
       (SELECT json_group_array(json(k.answer)) FROM (
         SELECT json_object('vat_id', vat_id, 'result', result, 'checked_on', checked_on) AS answer
           FROM vat_checks WHERE contact_id = contacts.id ORDER BY checked_on, id) k) AS vat_checks
  FROM contacts WHERE id = :id;

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
