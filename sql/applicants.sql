-- What applicants see of their application.

-- name: categories
SELECT k.title FROM application_categories x JOIN categories k ON k.id = x.category_id WHERE x.application_id = :id
 ORDER BY k.sort_order, k.id;

-- name: fields
-- The custom fields that applicants fill in, with their labels in the language.
SELECT ifnull(d.field_labels ->> ('$.' || :language), d.field_label) AS label, v.value FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
 WHERE v.entity_type = 'application' AND v.entity_id = :id AND d.applicant_visibility = 'editable'
 ORDER BY d.display_order, d.id;

-- name: booth_type
SELECT booth_type_name FROM booth_types WHERE id = :id;

-- name: files
-- The files that the applicant has added. Those of the office have a document number.
SELECT id, filename, size, created_at FROM documents
 WHERE entity_type = 'application' AND entity_id = :id AND document_number IS NULL AND filename IS NOT NULL ORDER BY id;

-- name: file_type
-- The submission type whose rules hold for the files of applicants.
SELECT t.title, t.allowed_extensions AS extensions, t.max_size_mb FROM event_pages p
  JOIN submission_types t ON t.event_id = p.event_id AND t.key = p.apply_file_type
 WHERE p.event_id = :event_id AND t.input = 'file';
