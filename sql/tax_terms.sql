-- What the tax treatment of an invoice depends on, beside its lines.

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
