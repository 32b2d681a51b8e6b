-- Document categories.

-- columns: fields = key name default_template_id

-- name: get
SELECT c.id, {c.fields}, t.key AS default_template_key, c.created_at, c.updated_at
  FROM document_categories c
  LEFT JOIN document_templates t ON t.id = c.default_template_id
 WHERE c.id = :id;

-- name: list
SELECT c.id, {c.fields}, t.key AS default_template_key, c.created_at, c.updated_at
  FROM document_categories c
  LEFT JOIN document_templates t ON t.id = c.default_template_id
 WHERE TRUE
   AND c.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(c.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND c.key = :key                                                 -- when key
   AND c.default_template_id = :default_template_id                                         -- when default_template_id
 ORDER BY {sort} {order}, c.id {order}  -- sort: id=c.id key=fold(c.key) name=fold(c.name) created_at=c.id

-- name: key_taken
SELECT id FROM document_categories WHERE key = :key;

-- name: add
INSERT INTO document_categories ({fields}, created_at, updated_at) VALUES ({:fields}, :now, :stamp);

-- name: change
UPDATE document_categories SET {fields = :fields}, updated_at = :stamp WHERE id = :id;

-- name: users
SELECT 'document' AS one, 'documents' AS many, count(*) AS count FROM documents WHERE category_id = :id
 UNION ALL SELECT 'template', 'templates', count(*) FROM document_templates WHERE category_id = :id
 ORDER BY many;

-- name: remove
DELETE FROM document_categories WHERE id = :id;
