-- Booth types.

-- columns: fields = booth_type_key booth_type_name description open_sides color price_model price tax_rate sort_order
--   exemption_reason usual_width usual_depth

-- name: get
SELECT t.id, {t.fields}, t.created_at, t.updated_at
  FROM booth_types t
 WHERE t.id = :id;

-- name: list
SELECT t.id, {t.fields}, t.created_at, t.updated_at
  FROM booth_types t
 WHERE TRUE
   AND t.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND likelihood(t.updated_at >= :updated_since, 0.0001)      -- when updated_since
   AND t.booth_type_key = :booth_type_key                      -- when booth_type_key
 ORDER BY {sort} {order}, t.id {order}  -- sort: id=t.id booth_type_name=fold(t.booth_type_name) sort_order=t.sort_order

-- name: key_taken
SELECT id FROM booth_types WHERE booth_type_key = :booth_type_key;

-- name: add
INSERT INTO booth_types ({fields}, created_at, updated_at) VALUES ({:fields}, :now, :stamp);

-- name: change
UPDATE booth_types SET {fields = :fields}, updated_at = :stamp WHERE id = :id;

-- name: booths
-- Booths of this type.
SELECT id FROM booths WHERE booth_type_id = :id ORDER BY id;

-- name: users
SELECT 'booth' AS one, 'booths' AS many, count(*) AS count FROM booths WHERE booth_type_id = :id
UNION ALL SELECT 'application', 'applications', count(*) FROM applications WHERE booth_type_id = :id;

-- name: remove
DELETE FROM booth_types WHERE id = :id;
