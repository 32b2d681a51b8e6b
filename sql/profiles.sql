-- How participants are shown on the public pages of their events.

-- columns: fields = is_listed locked display_name texts products website email phone links logo_document_id

-- name: get
-- A participant without a row has the defaults of the table.
SELECT p.id AS participant_id, f.is_listed, ifnull(f.locked, 0) AS locked, f.display_name,
       ifnull(f.texts, '{}') AS texts, ifnull(f.products, '[]') AS products, f.website, f.email, f.phone,
       ifnull(f.links, '[]') AS links,
       CASE WHEN d.sha256 IS NOT NULL
            THEN json_object('document_id', d.id, 'content_type', d.content_type, 'size', d.size, 'width', d.width,
            'height', d.height,
                             'sha256', d.sha256) END AS logo, f.created_at, f.updated_at
  FROM participants p LEFT JOIN profiles f ON f.participant_id = p.id LEFT JOIN documents d ON d.id = f.logo_document_id
 WHERE p.id = :id;

-- name: add
INSERT INTO profiles (participant_id, {fields}, created_at, updated_at) VALUES (:id, {:fields}, :now, :stamp)
    ON CONFLICT (participant_id) DO UPDATE SET {fields = :fields}, updated_at = :stamp;

-- Erasing the data of a contact, `id`.

-- name: drop_of_contact
DELETE FROM profiles WHERE participant_id IN (SELECT id FROM participants WHERE contact_id = :id);
