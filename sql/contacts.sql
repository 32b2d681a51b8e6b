-- Contacts.

-- columns: fields = customer_number external_id company_name first_name last_name email invoice_email phone fax mobile address
--   postal_code city state country website notes tax_id is_business leitweg_id gln electronic_address e_invoice_profile language
--   rating
-- columns: personal = fields without customer_number country e_invoice_profile rating
-- columns: texts = company_name first_name last_name email city

-- vat_check is the last check of the present VAT id. Ids that an earlier version stored may have separators.

-- name: get
SELECT c.id, {c.fields},
       (SELECT json_group_array(tag) FROM (SELECT tag FROM contact_tags WHERE contact_id = c.id ORDER BY tag)) AS tags,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'contact' AND v.entity_id = c.id ORDER BY d.display_order, d.id)) AS custom_fields,
       coalesce((SELECT status FROM newsletter_subscribers WHERE email = c.email),
                (SELECT min(status) FROM newsletter_subscribers WHERE contact_id = c.id), 'none') AS newsletter_status,
       (SELECT json_object('id', k.id, 'vat_id', k.vat_id, 'result', k.result, 'checked_on', k.checked_on,
               'reference', k.reference, 'confirmed', json(k.confirmed), 'notes', k.notes, 'admin_id', k.admin_id,
               'admin_name', a.name, 'created_at', k.created_at) FROM vat_checks k LEFT JOIN admins a ON a.id = k.admin_id
         WHERE k.contact_id = c.id AND k.vat_id = upper(replace(replace(replace(c.tax_id, ' ', ''), '.', ''), '-', ''))
         ORDER BY k.checked_on DESC, k.id DESC LIMIT 1) AS vat_check,
       c.account_access_enabled, c.has_account, c.anonymized_at, c.created_at, c.updated_at
  FROM contacts c
 WHERE c.id = :id;

-- name: states
-- Several contacts with the fields that the audit log records.
SELECT c.id, {c.fields},
       (SELECT json_group_array(tag) FROM (SELECT tag FROM contact_tags WHERE contact_id = c.id ORDER BY tag)) AS tags,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'contact' AND v.entity_id = c.id ORDER BY d.display_order, d.id)) AS custom_fields,
       coalesce((SELECT status FROM newsletter_subscribers WHERE email = c.email),
                (SELECT min(status) FROM newsletter_subscribers WHERE contact_id = c.id), 'none') AS newsletter_status,
       (SELECT json_object('id', k.id, 'vat_id', k.vat_id, 'result', k.result, 'checked_on', k.checked_on,
               'reference', k.reference, 'confirmed', json(k.confirmed), 'notes', k.notes, 'admin_id', k.admin_id,
               'admin_name', a.name, 'created_at', k.created_at) FROM vat_checks k LEFT JOIN admins a ON a.id = k.admin_id
         WHERE k.contact_id = c.id AND k.vat_id = upper(replace(replace(replace(c.tax_id, ' ', ''), '.', ''), '-', ''))
         ORDER BY k.checked_on DESC, k.id DESC LIMIT 1) AS vat_check,
       c.account_access_enabled, c.has_account, c.anonymized_at, c.created_at, c.updated_at,
       (SELECT json_group_array(category_key) FROM (SELECT g.category_key FROM contact_categories cc
         JOIN categories g ON g.id = cc.category_id
         WHERE cc.contact_id = c.id ORDER BY g.category_key)) AS category_keys
  FROM contacts c
 WHERE c.id IN (SELECT value FROM json_each(:ids)) ORDER BY c.id;

-- name: list
SELECT c.id, {c.fields},
       (SELECT json_group_array(tag) FROM (SELECT tag FROM contact_tags WHERE contact_id = c.id ORDER BY tag)) AS tags,
       coalesce((SELECT status FROM newsletter_subscribers WHERE email = c.email),
                (SELECT min(status) FROM newsletter_subscribers WHERE contact_id = c.id), 'none') AS newsletter_status,
       (SELECT json_object('id', k.id, 'vat_id', k.vat_id, 'result', k.result, 'checked_on', k.checked_on,
               'reference', k.reference, 'confirmed', json(k.confirmed), 'notes', k.notes, 'admin_id', k.admin_id,
               'admin_name', a.name, 'created_at', k.created_at) FROM vat_checks k LEFT JOIN admins a ON a.id = k.admin_id
         WHERE k.contact_id = c.id AND k.vat_id = upper(replace(replace(replace(c.tax_id, ' ', ''), '.', ''), '-', ''))
         ORDER BY k.checked_on DESC, k.id DESC LIMIT 1) AS vat_check,
       c.account_access_enabled, c.has_account, c.anonymized_at, c.created_at, c.updated_at
  FROM contacts c
 WHERE TRUE
   AND c.id IN (SELECT value FROM json_each(:ids))                                       -- when ids
   AND likelihood(c.updated_at >= :updated_since, 0.0001)                                                    -- when updated_since
   AND c.country = :country                                                              -- when country
   AND c.email = :email                                                                  -- when email
   AND c.external_id = :external_id                                                      -- when external_id
   AND c.customer_number = :customer_number                                              -- when customer_number
   AND c.id IN (SELECT rowid FROM contacts_search WHERE contacts_search MATCH :search)                       -- when search
   AND c.id IN (SELECT contact_id FROM contact_categories WHERE category_id = :category_id)                  -- when category_id
   AND c.id IN (SELECT DISTINCT contact_id FROM participants WHERE event_id = :event_id)                     -- when event_id
   AND c.id IN (SELECT contact_id FROM contact_tags WHERE tag = :tag)                                        -- when tag
   AND c.id IN (SELECT t.entity_id FROM json_each(:cf_terms) f CROSS JOIN custom_field_terms t                -- when cf_terms
        ON t.field_id = f.value ->> 0 AND t.term = f.value ->> 1                                            -- when cf_terms
        GROUP BY t.entity_id HAVING count(*) = json_array_length(:cf_terms))                                -- when cf_terms
 ORDER BY {sort} {order} NULLS LAST, c.id {order}  -- sort: id=c.id created_at=c.id company_name=c.company_name_folded last_name=c.last_name_folded first_name=c.first_name_folded email=c.email_folded customer_number=c.customer_number_natural city=c.city_folded

-- name: categories_of
SELECT cc.contact_id, g.id, g.category_key, g.title
  FROM contact_categories cc JOIN categories g ON g.id = cc.category_id
 WHERE cc.contact_id IN (SELECT value FROM json_each(:ids))
 ORDER BY cc.contact_id, g.sort_order, g.id;

-- name: events_of
SELECT p.contact_id, e.id, e.event_key, e.title, p.id AS participant_id
  FROM participants p JOIN events e ON e.id = p.event_id
 WHERE p.contact_id IN (SELECT value FROM json_each(:ids))
 ORDER BY p.contact_id, p.id;

-- name: category_keys
SELECT g.category_key FROM contact_categories cc JOIN categories g ON g.id = cc.category_id
 WHERE cc.contact_id = :contact_id ORDER BY g.category_key;

-- name: category_ids
SELECT category_id FROM contact_categories WHERE contact_id = :contact_id ORDER BY category_id;

-- name: language
SELECT language FROM contacts WHERE id = :id;

-- name: ids_by_email
SELECT id FROM contacts WHERE email = :email ORDER BY id;

-- name: customer_number_taken
-- The contact that has this customer number.
SELECT id FROM contacts WHERE customer_number = :value;

-- name: external_id_taken
SELECT id FROM contacts WHERE external_id = :value;

-- name: next_number
INSERT INTO counters (name, value) VALUES ('customer_number', 1)
ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value;

-- name: add
INSERT INTO contacts ({fields}, account_access_enabled, {texts_folded}, customer_number_folded, customer_number_natural,
  folded_name, folded_phone, created_at, updated_at)
VALUES ({:fields}, :account_access_enabled, {fold(:texts)}, fold(:customer_number), natural_key(:customer_number),
  nullif(letters(:company_name), '') || ' ' || letters(nullif(:postal_code, '')), :folded_phone, :now, :stamp);

-- name: add_with_id
INSERT INTO contacts (id, {fields}, account_access_enabled, {texts_folded}, customer_number_folded,
  customer_number_natural, folded_name, folded_phone, created_at, updated_at)
VALUES (:id, {:fields}, :account_access_enabled, {fold(:texts)}, fold(:customer_number), natural_key(:customer_number),
  nullif(letters(:company_name), '') || ' ' || letters(nullif(:postal_code, '')), :folded_phone, :now, :stamp);

-- name: last_id
-- The last id given out. sqlite_sequence also counts deleted rows.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'contacts'), 0);

-- name: next_numbers
-- Reserve several customer numbers at once. Returns the last one.
INSERT INTO counters (name, value) VALUES ('customer_number', :size)
ON CONFLICT DO UPDATE SET value = value + :size RETURNING value;

-- name: numbers_taken
-- Which of these customer numbers a contact has, or had when an invoice was sent to it.
SELECT n.value FROM json_each(:numbers) n
 WHERE EXISTS (SELECT 1 FROM contacts c WHERE c.customer_number = n.value)
   OR EXISTS (SELECT 1 FROM invoices i WHERE i.debtor_number = n.value);

-- name: change
UPDATE contacts SET {fields = :fields}, account_access_enabled = :account_access_enabled, {texts_folded = fold(:texts)},
  customer_number_folded = fold(:customer_number), customer_number_natural = natural_key(:customer_number),
  folded_name = nullif(letters(:company_name), '') || ' ' || letters(nullif(:postal_code, '')),
  folded_phone = :folded_phone
 WHERE id = :id;

-- name: touch
UPDATE contacts SET updated_at = :stamp WHERE id = :id;

-- name: blank
-- Erase the personal data. The contact keeps a customer number without meaning.
UPDATE contacts SET {personal = NULL}, {texts_folded = NULL}, folded_name = NULL, folded_phone = NULL,
  customer_number = :customer_number, customer_number_folded = fold(:customer_number),
  customer_number_natural = natural_key(:customer_number), e_invoice_profile = 'en16931', account_access_enabled = 0,
  has_account = 0, email_before = NULL, anonymized_at = :now, updated_at = :stamp
 WHERE id = :id;

-- name: clear_tags
DELETE FROM contact_tags WHERE contact_id = :id;

-- name: tag
INSERT OR IGNORE INTO contact_tags (contact_id, tag) SELECT :contact_id, value FROM json_each(:tags);

-- name: clear_categories
DELETE FROM contact_categories WHERE contact_id = :contact_id;

-- name: categorize
INSERT OR IGNORE INTO contact_categories (contact_id, category_id) SELECT :contact_id, value FROM json_each(:ids);

-- name: users
SELECT 'invoice' AS one, 'invoices' AS many, count(*) AS count FROM invoices WHERE contact_id = :id
 UNION ALL SELECT 'participant', 'participants', count(*) FROM participants WHERE contact_id = :id
 UNION ALL SELECT 'application', 'applications', count(*) FROM applications WHERE contact_id = :id
 ORDER BY many;

-- name: remove
DELETE FROM contacts WHERE id = :id;

-- name: duplicates
-- Contacts that may be duplicates of an older one, each with the strongest reason.
SELECT t.id, CASE WHEN t.by_email THEN (SELECT min(id) FROM contacts WHERE email = c.email)
                  WHEN t.by_phone THEN (SELECT min(id) FROM contacts WHERE folded_phone = c.folded_phone)
                  ELSE (SELECT min(id) FROM contacts WHERE folded_name = c.folded_name) END AS first_id,
       CASE WHEN t.by_email THEN 'email' WHEN t.by_phone THEN 'phone' ELSE 'name' END AS reason
  FROM contact_duplicates t
  LEFT JOIN contacts c ON c.id = t.id
 WHERE TRUE
   AND t.id IN (SELECT value FROM json_each(:ids))                                  -- when ids
   AND (SELECT updated_at FROM contacts WHERE id = t.id) >= :updated_since          -- when updated_since
 ORDER BY {sort} {order} NULLS LAST, t.id {order}  -- sort: id=t.id

-- name: wrong_duplicates
-- Contacts whose row in contact_duplicates is missing, too much or wrong. For `eventapi check`.
WITH found (id, by_email, by_phone, by_name) AS (
  SELECT id, max(reason = 1), max(reason = 2), max(reason = 3) FROM (
    SELECT c.id, 1 AS reason FROM (SELECT email, min(id) AS first_id FROM contacts WHERE email IS NOT NULL
                                    GROUP BY email HAVING count(*) > 1) shared
      JOIN contacts c ON c.email = shared.email AND c.id > shared.first_id
    UNION ALL
    SELECT c.id, 2 FROM (SELECT folded_phone, min(id) AS first_id FROM contacts WHERE folded_phone IS NOT NULL
                          GROUP BY folded_phone HAVING count(*) > 1) shared
      JOIN contacts c ON c.folded_phone = shared.folded_phone AND c.id > shared.first_id
    UNION ALL
    SELECT c.id, 3 FROM (SELECT folded_name, min(id) AS first_id FROM contacts WHERE folded_name IS NOT NULL
                          GROUP BY folded_name HAVING count(*) > 1) shared
      JOIN contacts c ON c.folded_name = shared.folded_name AND c.id > shared.first_id)
   GROUP BY id)
SELECT id FROM (SELECT * FROM (SELECT * FROM found EXCEPT SELECT * FROM contact_duplicates)
                 UNION SELECT * FROM (SELECT * FROM contact_duplicates EXCEPT SELECT * FROM found))
 GROUP BY id ORDER BY id;
