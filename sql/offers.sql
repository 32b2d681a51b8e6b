-- Offers: the terms of services at events, and the stock.

-- name: of_services
SELECT x.service_id, x.event_id, e.event_key, x.base_price, x.early_bird_price, x.early_bird_until, x.order_deadline,
       x.stock, x.ordered, x.is_active
  FROM service_events x JOIN events e ON e.id = x.event_id
 WHERE x.service_id IN (SELECT value FROM json_each(:ids))
 ORDER BY x.service_id, x.event_id;

-- name: at_event
-- Offers at an event, with the fields of the service that an order needs.
SELECT s.id AS service_id, s.service_key, s.service_name, s.unit,
       CASE WHEN s.exemption_reason IS NULL THEN s.tax_rate ELSE 0 END AS tax_rate, s.min_quantity, s.max_quantity,
       s.quantity_step, s.requires_specification, s.lead_time_days, coalesce(x.base_price, s.base_price) AS base_price,
       x.early_bird_price, x.early_bird_until, x.order_deadline, x.stock, x.ordered, s.is_active
         AND x.is_active AS is_active, e.event_key, e.date_from,
       e.timezone
  FROM service_events x JOIN services s ON s.id = x.service_id JOIN events e ON e.id = x.event_id
 WHERE x.event_id = :event_id AND x.service_id IN (SELECT value FROM json_each(:ids));

-- name: put
INSERT INTO service_events (service_id, event_id, base_price, early_bird_price, early_bird_until, order_deadline, stock,
  is_active)
VALUES (:service_id, :event_id, :base_price, :early_bird_price, :early_bird_until, :order_deadline, :stock, :is_active)
    ON CONFLICT DO UPDATE SET base_price = excluded.base_price, early_bird_price = excluded.early_bird_price,
       early_bird_until = excluded.early_bird_until, order_deadline = excluded.order_deadline, stock = excluded.stock,
       is_active = excluded.is_active;

-- name: remove
DELETE FROM service_events WHERE service_id = :service_id AND event_id = :event_id;

-- name: take
-- Take units from stock. Changes no row if too few are left.
UPDATE service_events SET ordered = ordered + :quantity
 WHERE service_id = :service_id AND event_id = :event_id AND (stock IS NULL OR ordered + :quantity <= stock);

-- name: return_to_stock
UPDATE service_events SET ordered = ordered - :quantity WHERE service_id = :service_id AND event_id = :event_id;
