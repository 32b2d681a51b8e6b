-- Booths. The participant that holds a booth and its waiting list come from the reservations.

-- columns: fields = plan_id booth_type_id formula_id booth_number booth_name description width depth pos_x pos_y rotation
--   fixed_price tax_rate blocked_reason amenities notes

-- name: get
SELECT b.id, b.plan_id, p.plan_name, b.event_id, e.event_key, e.title AS event_title, b.booth_type_id, t.booth_type_key,
       t.booth_type_name, t.color, b.booth_number, b.booth_name, b.description, b.width, b.depth, b.area, b.pos_x,
       b.pos_y, b.rotation, b.formula_id, b.fixed_price, b.tax_rate,
       CASE WHEN t.exemption_reason IS NULL THEN t.tax_rate ELSE 0 END AS type_tax_rate, b.price,
       b.price_breakdown, b.status, b.held_until,
       EXISTS (SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted') AS is_awaited,
       r.event_participant_id, b.blocked_reason, b.amenities, b.notes,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'booth' AND v.entity_id = b.id ORDER BY d.display_order, d.id)) AS custom_fields,
       b.created_at, b.updated_at,
       t.open_sides, t.price_model, t.price AS type_price, f.name AS formula_name, f.expression, f.result_type,
       e.date_from, e.date_to, e.timezone
  FROM booths b JOIN plans p ON p.id = b.plan_id JOIN events e ON e.id = b.event_id
  LEFT JOIN booth_types t ON t.id = b.booth_type_id
  LEFT JOIN booth_formulas f ON f.id = b.formula_id
  LEFT JOIN booth_reservations r ON r.booth_id = b.id AND r.status IN ('pending', 'confirmed')
 WHERE b.id = :id;

-- name: some
-- The columns of `get` for several booths.
SELECT b.id, b.plan_id, p.plan_name, b.event_id, e.event_key, e.title AS event_title, b.booth_type_id, t.booth_type_key,
       t.booth_type_name, t.color, b.booth_number, b.booth_name, b.description, b.width, b.depth, b.area, b.pos_x,
       b.pos_y, b.rotation, b.formula_id, b.fixed_price, b.tax_rate,
       CASE WHEN t.exemption_reason IS NULL THEN t.tax_rate ELSE 0 END AS type_tax_rate, b.price,
       b.price_breakdown, b.status, b.held_until,
       EXISTS (SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted') AS is_awaited,
       r.event_participant_id, b.blocked_reason, b.amenities, b.notes,
       (SELECT json_group_object(field_key, json(value)) FROM (SELECT d.field_key, v.value
          FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.field_id
         WHERE v.entity_type = 'booth' AND v.entity_id = b.id ORDER BY d.display_order, d.id)) AS custom_fields,
       b.created_at, b.updated_at,
       t.open_sides, t.price_model, t.price AS type_price, f.name AS formula_name, f.expression, f.result_type,
       e.date_from, e.date_to, e.timezone
  FROM booths b JOIN plans p ON p.id = b.plan_id JOIN events e ON e.id = b.event_id
  LEFT JOIN booth_types t ON t.id = b.booth_type_id
  LEFT JOIN booth_formulas f ON f.id = b.formula_id
  LEFT JOIN booth_reservations r ON r.booth_id = b.id AND r.status IN ('pending', 'confirmed')
 WHERE b.id IN (SELECT value FROM json_each(:ids))
 ORDER BY b.id;

-- name: list
SELECT b.id, b.plan_id, p.plan_name, b.event_id, e.event_key, e.title AS event_title, b.booth_type_id, t.booth_type_key,
       t.booth_type_name, t.color, b.booth_number, b.booth_name, b.description, b.width, b.depth, b.area, b.pos_x,
       b.pos_y, b.rotation, b.formula_id, b.fixed_price, b.tax_rate,
       CASE WHEN t.exemption_reason IS NULL THEN t.tax_rate ELSE 0 END AS type_tax_rate, b.price,
       b.price_breakdown, b.status, b.held_until,
       EXISTS (SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted') AS is_awaited,
       r.event_participant_id, b.blocked_reason, b.amenities, b.notes, b.created_at, b.updated_at
  FROM booths b
  LEFT JOIN plans p ON p.id = b.plan_id
  LEFT JOIN events e ON e.id = b.event_id
  LEFT JOIN booth_types t ON t.id = b.booth_type_id
  LEFT JOIN booth_reservations r ON r.booth_id = b.id AND r.status IN ('pending', 'confirmed')
 WHERE TRUE
   AND b.id IN (SELECT value FROM json_each(:ids))                                                          -- when ids
   AND likelihood(b.updated_at >= :updated_since, 0.0001)                                                   -- when updated_since
   AND b.event_id = :event_id                                                                               -- when event_id
   AND b.plan_id = :plan_id                                                                                 -- when plan_id
   AND b.booth_type_id = :booth_type_id                                                                     -- when booth_type_id
   AND b.booth_number_natural = natural_key(:booth_number) AND b.booth_number = :booth_number                   -- when booth_number
   AND b.area >= :min_area                                                                                  -- when min_area
   AND b.area <= :max_area                                                                                  -- when max_area
   AND b.price <= :max_price                                                                                -- when max_price
   AND b.status = :status                                                                                   -- when status
   AND b.status IN ('available', 'reserved')                                                                -- when free
   AND (b.status = 'available' OR b.held_until <= :now AND NOT EXISTS (                                     -- when free
        SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted'))            -- when free
   AND b.status = 'reserved' AND (b.held_until IS NULL OR b.held_until > :now OR EXISTS (                   -- when held
        SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id AND w.status = 'waitlisted'))            -- when held
   AND b.id IN (SELECT t.entity_id FROM json_each(:cf_terms) f CROSS JOIN custom_field_terms t                -- when cf_terms
        ON t.field_id = f.value ->> 0 AND t.term = f.value ->> 1                                            -- when cf_terms
        GROUP BY t.entity_id HAVING count(*) = json_array_length(:cf_terms))                                -- when cf_terms
 ORDER BY {sort} {order} NULLS LAST, b.id {order}  -- sort: id=b.id booth_number=b.booth_number_natural area=b.area price=b.price status=b.status

-- name: exhibitors_of
-- The exhibitors of booths, with the state of the reservation.
SELECT r.booth_id, r.event_participant_id AS participant_id, c.company_name, c.first_name, c.last_name, r.status,
       r.expires_at
  FROM booth_reservations r JOIN participants p ON p.id = r.event_participant_id JOIN contacts c ON c.id = p.contact_id
 WHERE r.booth_id IN (SELECT value FROM json_each(:ids)) AND r.status IN ('pending', 'confirmed');

-- name: number_taken
SELECT id FROM booths WHERE event_id = :event_id AND booth_number = :booth_number;

-- name: last_number
-- The highest number after the letter `area`. Only numbers of up to 9 digits count.
SELECT max(CAST(substr(booth_number, length(:area) + 1) AS INTEGER)) FROM booths
 WHERE event_id = :event_id AND booth_number >= :area AND booth_number < :area || ':'
   AND length(booth_number) BETWEEN length(:area) + 1 AND length(:area) + 9
   AND substr(booth_number, length(:area) + 1) NOT GLOB '*[^0-9]*';

-- name: totals
SELECT coalesce(sum(area), 0) AS area FROM booths WHERE id IN (SELECT value FROM json_each(:ids));

-- name: add
INSERT INTO booths (event_id, status, {fields}, booth_number_natural, created_at, updated_at)
VALUES (:event_id, :status, {:fields}, natural_key(:booth_number), :now, :stamp);

-- name: change
UPDATE booths SET event_id = :event_id, status = :status, {fields = :fields},
  booth_number_natural = natural_key(:booth_number), updated_at = :stamp
 WHERE id = :id;

-- name: set_price
UPDATE booths SET price = :price, price_breakdown = :price_breakdown, updated_at = :stamp WHERE id = :id;

-- name: set_status
UPDATE booths SET status = :status, held_until = :held_until, updated_at = :stamp WHERE id = :id;

-- name: plan
SELECT p.id, p.event_id, p.area_name FROM plans p WHERE p.id = :id;

-- name: users
SELECT 'reservation' AS one, 'reservations' AS many, count(*) AS count FROM booth_reservations WHERE booth_id = :id
 UNION ALL SELECT 'order item', 'order items', count(*) FROM service_order_items WHERE booth_id = :id
 ORDER BY many;

-- name: category_price
SELECT base_price FROM categories WHERE id = :id;

-- name: remove
DELETE FROM booths WHERE id = :id;
