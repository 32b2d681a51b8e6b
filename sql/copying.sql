-- What is copied along with an event.

-- name: plans
SELECT id, plan_key, plan_name, description, area_name, width, height, background_image, grid_size, scale_factor,
       objects, is_active, sort_order
  FROM plans WHERE event_id = :event_id ORDER BY id;

-- name: booths
-- Booths of a plan. Blocked ones stay blocked, all others are available in the copy.
SELECT id, booth_type_id, formula_id, booth_number, booth_name, description, width, depth, pos_x, pos_y, rotation,
  fixed_price, tax_rate,
       CASE status WHEN 'blocked' THEN 'blocked' ELSE 'available' END AS status, blocked_reason, amenities, notes
  FROM booths WHERE plan_id = :plan_id ORDER BY id;

-- name: offers
SELECT service_id, base_price, early_bird_price, early_bird_until, order_deadline, stock, is_active
  FROM service_events WHERE event_id = :event_id ORDER BY service_id;

-- name: categories
SELECT category_id FROM category_events WHERE event_id = :event_id ORDER BY category_id;

-- name: add_category
INSERT INTO category_events (category_id, event_id) VALUES (:category_id, :event_id);

-- name: touch_category
UPDATE categories SET updated_at = :stamp WHERE id = :id;
