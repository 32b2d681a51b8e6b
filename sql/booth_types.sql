-- Booth types.

-- name: get
SELECT t.id, t.booth_type_key, t.booth_type_name, t.description, t.open_sides, t.color, t.price_model, t.price, t.tax_rate, t.sort_order,
       t.created_at, t.updated_at
  FROM booth_types t
 WHERE t.id = :id;

-- name: list
SELECT t.id, t.booth_type_key, t.booth_type_name, t.description, t.open_sides, t.color, t.price_model, t.price, t.tax_rate, t.sort_order,
       t.created_at, t.updated_at
  FROM booth_types t
 WHERE TRUE
   AND t.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND likelihood(t.updated_at >= :updated_since, 0.0001)      -- when updated_since
   AND t.booth_type_key = :booth_type_key                      -- when booth_type_key
 ORDER BY {sort} {order}, t.id {order}  -- sort: id=t.id booth_type_name=fold(t.booth_type_name) sort_order=t.sort_order

-- name: key_taken
SELECT id FROM booth_types WHERE booth_type_key = :booth_type_key;

-- name: add
INSERT INTO booth_types (booth_type_key, booth_type_name, description, open_sides, color, price_model, price, tax_rate, sort_order,
  created_at, updated_at)
VALUES (:booth_type_key, :booth_type_name, :description, :open_sides, :color, :price_model, :price, :tax_rate, :sort_order, :now, :stamp);

-- name: change
UPDATE booth_types SET booth_type_key = :booth_type_key, booth_type_name = :booth_type_name, description = :description,
  open_sides = :open_sides, color = :color, price_model = :price_model, price = :price, tax_rate = :tax_rate, sort_order = :sort_order,
  updated_at = :stamp
 WHERE id = :id;

-- name: booths
-- Booths of this type.
SELECT id FROM booths WHERE booth_type_id = :id ORDER BY id;

-- name: remove
DELETE FROM booth_types WHERE id = :id;
