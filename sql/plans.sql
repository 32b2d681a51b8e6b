-- Plans.

-- columns: fields = plan_key plan_name description area_name width height background_image grid_size scale_factor
-- columns: names = plan_name plan_key area_name

-- name: get
SELECT p.id, p.event_id, e.event_key, e.title AS event_title, {p.fields}, p.objects, p.is_active, p.sort_order,
  p.created_at, p.updated_at
  FROM plans p JOIN events e ON e.id = p.event_id
 WHERE p.id = :id;

-- name: list
SELECT p.id, p.event_id, e.event_key, e.title AS event_title, {p.fields}, p.is_active, p.sort_order, p.created_at,
  p.updated_at
  FROM plans p
  LEFT JOIN events e ON e.id = p.event_id
 WHERE TRUE
   AND p.id IN (SELECT value FROM json_each(:ids))               -- when ids
   AND likelihood(p.updated_at >= :updated_since, 0.0001)        -- when updated_since
   AND p.event_id = :event_id                                    -- when event_id
   AND p.is_active = :is_active                                  -- when is_active
 ORDER BY {sort} {order} NULLS LAST, p.id {order}  -- sort: id=p.id plan_name=p.plan_name_natural plan_key=p.plan_key_natural area_name=p.area_name_natural sort_order=p.sort_order created_at=p.id updated_at=p.updated_at

-- name: objects_of
SELECT id, objects FROM plans WHERE id IN (SELECT value FROM json_each(:ids));

-- name: booth_counts_of
SELECT plan_id AS id, count(*) AS booth_count FROM booths WHERE plan_id IN (SELECT value FROM json_each(:ids))
 GROUP BY plan_id;

-- name: booths_of
SELECT id FROM booths WHERE plan_id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: of_event
SELECT id FROM plans WHERE event_id = :event_id ORDER BY id;

-- name: outlines
-- Size and position of the booths, for the checks of the plan.
SELECT id, booth_number, width, depth, pos_x, pos_y, rotation FROM booths WHERE plan_id = :id
 ORDER BY booth_number_natural, id;

-- name: has_booths
SELECT EXISTS (SELECT 1 FROM booths WHERE plan_id = :id);

-- name: key_taken
SELECT id FROM plans WHERE event_id = :event_id AND plan_key = :plan_key;

-- name: add
INSERT INTO plans (event_id, {fields}, objects, is_active, sort_order, {names_natural}, created_at, updated_at)
VALUES (:event_id, {:fields}, :objects, :is_active, :sort_order, {natural_key(:names)}, :now, :stamp);

-- name: change
UPDATE plans SET event_id = :event_id, {fields = :fields}, objects = :objects, is_active = :is_active,
  sort_order = :sort_order, {names_natural = natural_key(:names)}, updated_at = :stamp
 WHERE id = :id;

-- name: users
-- What prevents the plan from being deleted, as nouns for the error text.
SELECT 'booth reservation' AS one, 'booth reservations' AS many, count(*) AS count FROM booths b
  JOIN booth_reservations r ON r.booth_id = b.id WHERE b.plan_id = :id
 UNION ALL SELECT 'service order item', 'service order items', count(*) FROM booths b
   JOIN service_order_items i ON i.booth_id = b.id WHERE b.plan_id = :id
 ORDER BY many;

-- name: remove_booths
DELETE FROM booths WHERE plan_id = :id;

-- name: remove
DELETE FROM plans WHERE id = :id;
