-- Checks of VAT ids.

-- name: add
INSERT INTO vat_checks (contact_id, vat_id, result, checked_on, reference, confirmed, notes, admin_id, created_at)
VALUES (:contact_id, :vat_id, :result, :checked_on, :reference, :confirmed, :notes, :admin_id, :now);

-- name: of_contact
-- All checks of a contact, for the export of its data.
SELECT k.id, k.vat_id, k.result, k.checked_on, k.reference, k.confirmed, k.notes, k.admin_id, a.name AS admin_name, k.created_at
  FROM vat_checks k LEFT JOIN admins a ON a.id = k.admin_id
 WHERE k.contact_id = :contact_id ORDER BY k.id;

-- name: hand_over
UPDATE vat_checks SET contact_id = :contact_id WHERE contact_id = :duplicate_id;

-- name: erase
DELETE FROM vat_checks WHERE contact_id = :id;
