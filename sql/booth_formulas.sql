-- Booth formulas.

-- columns: fields = name expression description result_type

-- name: get
SELECT f.id, {f.fields}, f.created_at, f.updated_at FROM booth_formulas f WHERE f.id = :id;

-- name: list
SELECT f.id, {f.fields}, f.created_at, f.updated_at
  FROM booth_formulas f
 WHERE TRUE
   AND f.id IN (SELECT value FROM json_each(:ids))             -- when ids
   AND likelihood(f.updated_at >= :updated_since, 0.0001)      -- when updated_since
   AND f.name = :name                                          -- when name
   AND f.result_type = :result_type                            -- when result_type
 ORDER BY {sort} {order}, f.id {order}  -- sort: id=f.id name=fold(f.name)

-- name: name_taken
SELECT id FROM booth_formulas WHERE name = :name;

-- name: add
INSERT INTO booth_formulas ({fields}, created_at, updated_at) VALUES ({:fields}, :now, :stamp);

-- name: change
UPDATE booth_formulas SET {fields = :fields}, updated_at = :stamp WHERE id = :id;

-- name: booths
-- Booths that use the formula.
SELECT id FROM booths WHERE formula_id = :id ORDER BY id;

-- name: users
SELECT 'booth' AS one, 'booths' AS many, count(*) AS count FROM booths WHERE formula_id = :id;

-- name: remove
DELETE FROM booth_formulas WHERE id = :id;
