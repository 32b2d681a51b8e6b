-- Writing service orders.

-- name: participant
SELECT p.id, p.event_id, p.status, p.contact_id, c.anonymized_at FROM participants p
  JOIN contacts c ON c.id = p.contact_id
 WHERE p.id = :id;

-- name: taxes_of_services
SELECT id, place_of_supply, exemption_reason FROM services WHERE id IN (SELECT value FROM json_each(:ids));

-- name: booths_held
-- Booths that the participant has reserved at the event.
SELECT booth_id FROM booth_reservations
 WHERE event_participant_id = :id AND event_id = :event_id
   AND (status = 'confirmed' OR status = 'pending' AND expires_at > :now);

-- name: add
INSERT INTO service_orders (event_id, event_participant_id, status, currency, subtotal, tax_total, total, notes,
  created_at, updated_at)
VALUES (:event_id, :event_participant_id, 'draft', :currency, :subtotal, :tax_total, :total, :notes, :now, :stamp);

-- name: change
UPDATE service_orders SET event_id = :event_id, event_participant_id = :event_participant_id, currency = :currency,
  subtotal = :subtotal, tax_total = :tax_total, total = :total, notes = :notes, updated_at = :stamp
 WHERE id = :id;

-- name: clear_items
DELETE FROM service_order_items WHERE service_order_id = :id;

-- name: add_item
INSERT INTO service_order_items (service_order_id, position, service_id, booth_id, service_name, unit, quantity,
  unit_price, net, tax_rate, specification, status)
VALUES (:service_order_id, :position, :service_id, :booth_id, :service_name, :unit, :quantity, :unit_price, :net,
  :tax_rate, :specification, 'pending');

-- name: freeze_item
-- Fix the price and the texts of an item on submission.
UPDATE service_order_items SET service_name = :service_name, unit = :unit, unit_price = :unit_price, net = :net,
  tax_rate = :tax_rate
 WHERE service_order_id = :service_order_id AND position = :position;

-- name: submit
UPDATE service_orders SET status = 'submitted', order_number = :order_number, currency = :currency,
  subtotal = :subtotal, tax_total = :tax_total, total = :total, submitted_at = :now, updated_at = :stamp
 WHERE id = :id;

-- name: confirm
UPDATE service_orders SET status = 'confirmed', confirmed_at = :now, updated_at = :stamp WHERE id = :id;

-- name: move_item
UPDATE service_order_items SET status = :status, completed_at = CASE :status WHEN 'completed' THEN :now END,
  cancelled_at = CASE :status WHEN 'cancelled' THEN :now END
 WHERE id = :id;

-- name: cancel_items
UPDATE service_order_items SET status = 'cancelled', completed_at = NULL, cancelled_at = :now
 WHERE service_order_id = :id AND status <> 'cancelled';

-- name: unconfirmed
SELECT id FROM service_orders WHERE event_participant_id = :event_participant_id AND status IN ('draft', 'submitted')
 ORDER BY id;

-- name: store_status
-- Set status, totals and the times that go with the status.
UPDATE service_orders SET status = :status, subtotal = :subtotal, tax_total = :tax_total, total = :total,
  completed_at = CASE :status WHEN 'completed' THEN :now END, cancelled_at = CASE :status
    WHEN 'cancelled' THEN :now END,
  cancellation_reason = :cancellation_reason, updated_at = :stamp
 WHERE id = :id;

-- name: remove
DELETE FROM service_orders WHERE id = :id;

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: to_hand_over
SELECT id FROM service_orders WHERE event_participant_id = :id ORDER BY id;

-- name: hand_over
UPDATE service_orders SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;
