-- Document templates.

-- name: get
SELECT c.id, c.key, c.name, c.category_id, k.key AS category_key, c.body, c.is_contract, c.created_at, c.updated_at
  FROM document_templates c
  LEFT JOIN document_categories k ON k.id = c.category_id
 WHERE c.id = :id;

-- name: list
SELECT c.id, c.key, c.name, c.category_id, k.key AS category_key, c.body, c.is_contract, c.created_at, c.updated_at
  FROM document_templates c
  LEFT JOIN document_categories k ON k.id = c.category_id
 WHERE TRUE
   AND c.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(c.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND c.key = :key                                                 -- when key
   AND c.category_id = :category_id                                         -- when category_id
   AND c.is_contract = :is_contract                                 -- when is_contract
 ORDER BY {sort} {order}, c.id {order}  -- sort: id=c.id key=fold(c.key) name=fold(c.name) created_at=c.id

-- name: key_taken
SELECT id FROM document_templates WHERE key = :key;

-- name: add
INSERT INTO document_templates (key, name, category_id, body, is_contract, created_at, updated_at)
  VALUES (:key, :name, :category_id, :body, :is_contract, :now, :stamp);

-- name: change
UPDATE document_templates SET key = :key, name = :name, category_id = :category_id, body = :body,
  is_contract = :is_contract, updated_at = :stamp WHERE id = :id;

-- name: users
SELECT 'document' AS one, 'documents' AS many, count(*) AS count FROM documents WHERE template_id = :id
 UNION ALL SELECT 'category that uses it by default', 'categories that use it by default',
   count(*) FROM document_categories WHERE default_template_id = :id
 ORDER BY many;

-- name: remove
DELETE FROM document_templates WHERE id = :id;
