-- Services.

-- columns: fields = service_key service_name description short_description unit unit_label base_price tax_rate min_quantity
--   max_quantity quantity_step requires_specification specification_label specification_placeholder lead_time_days
--   image_filename is_active sort_order exemption_reason place_of_supply
-- columns: texts = service_name short_description description

-- name: get
SELECT s.id, s.category_id, k.category_key, k.category_name, {s.fields},
       (SELECT json_group_array(json(o.offer)) FROM (
         SELECT json_object('event_id', x.event_id, 'event_key', e.event_key, 'base_price', x.base_price,
                'early_bird_price', x.early_bird_price, 'early_bird_until', x.early_bird_until, 'order_deadline',
                x.order_deadline, 'stock', x.stock, 'ordered', x.ordered, 'is_active', x.is_active) AS offer
           FROM service_events x JOIN events e ON e.id = x.event_id WHERE x.service_id = s.id
           ORDER BY x.event_id) o) AS events,
       s.created_at, s.updated_at
  FROM services s LEFT JOIN service_categories k ON k.id = s.category_id
 WHERE s.id = :id;

-- name: list
SELECT s.id, s.category_id, k.category_key, k.category_name, {s.fields},
       s.created_at, s.updated_at
  FROM services s
  LEFT JOIN service_categories k ON k.id = s.category_id
 WHERE TRUE
   AND s.id IN (SELECT value FROM json_each(:ids))                                             -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)                                      -- when updated_since
   AND s.category_id = :category_id                                                            -- when category_id
   AND s.is_active = :is_active                                                                -- when is_active
   AND s.service_key = :service_key                                                            -- when service_key
   AND s.id IN (SELECT x.service_id FROM service_events x WHERE x.event_id = :event_id AND x.is_active = 1)  -- when event_id
   AND s.id IN (SELECT rowid FROM services_search WHERE services_search MATCH :search)         -- when search
 ORDER BY {sort} {order}, s.id {order}  -- sort: id=s.id service_name=s.service_name_folded sort_order=s.sort_order created_at=s.id

-- name: categories_of
SELECT s.id AS service_id, k.id, k.category_key, k.category_name, k.sort_order
  FROM services s JOIN service_categories k ON k.id = s.category_id
 WHERE s.id IN (SELECT value FROM json_each(:ids));

-- name: key_taken
SELECT id FROM services WHERE service_key = :service_key;

-- name: add
INSERT INTO services (category_id, {fields}, {texts_folded}, created_at, updated_at)
VALUES (:category_id, {:fields}, {fold(:texts)}, :now, :stamp);

-- name: change
UPDATE services SET category_id = :category_id, {fields = :fields}, {texts_folded = fold(:texts)}, updated_at = :stamp
 WHERE id = :id;

-- name: users
-- Noun for the error text if order items refer to the service, which prevents its deletion.
SELECT 'order' AS one, 'orders' AS many, count(DISTINCT service_order_id) AS count FROM service_order_items
 WHERE service_id = :id;

-- name: remove
DELETE FROM services WHERE id = :id;

-- Removing the offers of an event before it is deleted.

-- name: at_event
SELECT service_id FROM service_events WHERE event_id = :event_id ORDER BY service_id;

-- name: delete_offer
DELETE FROM service_events WHERE service_id = :id AND event_id = :event_id;

-- name: touch
UPDATE services SET updated_at = :stamp WHERE id = :id;
