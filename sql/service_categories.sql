-- Service categories.

-- columns: fields = category_key category_name sort_order

-- name: get
SELECT k.id, {k.fields}, k.created_at, k.updated_at FROM service_categories k WHERE k.id = :id;

-- name: list
SELECT k.id, {k.fields}, k.created_at, k.updated_at
  FROM service_categories k
 WHERE TRUE
   AND k.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(k.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND k.category_key = :category_key                               -- when category_key
 ORDER BY {sort} {order}, k.id {order}  -- sort: id=k.id category_name=fold(k.category_name) sort_order=k.sort_order created_at=k.id

-- name: key_taken
SELECT id FROM service_categories WHERE category_key = :category_key;

-- name: add
INSERT INTO service_categories ({fields}, created_at, updated_at) VALUES ({:fields}, :now, :stamp);

-- name: change
UPDATE service_categories SET {fields = :fields}, updated_at = :stamp WHERE id = :id;

-- name: users
SELECT 'service' AS one, 'services' AS many, count(*) AS count FROM services WHERE category_id = :id;

-- name: remove
DELETE FROM service_categories WHERE id = :id;
