-- Reading service orders.

-- columns: shown = event_participant_id status currency subtotal tax_total total notes submitted_at confirmed_at
--   completed_at cancelled_at cancellation_reason created_at updated_at

-- name: get
SELECT o.id, o.order_number, o.event_id, e.event_key, {o.shown},
       (SELECT json_group_array(json(l.line)) FROM (
         SELECT json_object('id', i.id, 'position', i.position, 'service_id', i.service_id, 'service_key',
                s.service_key, 'service_name', i.service_name, 'unit', i.unit, 'quantity', i.quantity, 'unit_price',
                i.unit_price, 'net', i.net, 'tax_rate', i.tax_rate, 'specification', i.specification, 'booth_id',
                i.booth_id, 'status', i.status, 'completed_at', i.completed_at, 'cancelled_at', i.cancelled_at) AS line
           FROM service_order_items i JOIN services s ON s.id = i.service_id
          WHERE i.service_order_id = o.id ORDER BY i.position) l) AS items
  FROM service_orders o JOIN events e ON e.id = o.event_id
 WHERE o.id = :id;

-- name: list
SELECT o.id, o.order_number, o.event_id, (SELECT e.event_key FROM events e WHERE e.id = o.event_id) AS event_key,
       {o.shown}
  FROM service_orders o
 WHERE TRUE
   AND o.id IN (SELECT value FROM json_each(:ids))                  -- when ids
   AND likelihood(o.updated_at >= :updated_since, 0.0001)           -- when updated_since
   AND o.event_id = :event_id                                       -- when event_id
   AND o.event_participant_id = :event_participant_id               -- when event_participant_id
   AND o.status = :status                                           -- when status
   AND o.order_number = :order_number                               -- when order_number
   AND o.id IN (SELECT rowid FROM service_orders_search WHERE service_orders_search MATCH :search)  -- when search
   AND o.id IN (SELECT rowid FROM service_orders_search WHERE service_orders_search MATCH :words UNION ALL SELECT x.id FROM contacts_search CROSS JOIN participants p ON p.contact_id = contacts_search.rowid CROSS JOIN service_orders x ON x.event_participant_id = p.id WHERE contacts_search MATCH :names)  -- when names
 ORDER BY {sort} {order} NULLS LAST, o.id {order}  -- sort: id=o.id order_number=o.order_number total=o.total status=o.status submitted_at=o.submitted_at created_at=o.id

-- name: items_of
SELECT i.service_order_id, i.id, i.position, i.service_id, s.service_key, i.service_name, i.unit, i.quantity,
       i.unit_price, i.net, i.tax_rate, i.specification, i.booth_id, i.status, i.completed_at, i.cancelled_at
  FROM service_order_items i JOIN services s ON s.id = i.service_id
 WHERE i.service_order_id IN (SELECT value FROM json_each(:ids))
 ORDER BY i.service_order_id, i.position;

-- name: participants_of
SELECT o.id AS service_order_id, p.id, p.contact_id, c.customer_number, p.role, p.status, c.company_name, c.first_name,
       c.last_name, c.email, c.phone
  FROM service_orders o JOIN participants p ON p.id = o.event_participant_id JOIN contacts c ON c.id = p.contact_id
 WHERE o.id IN (SELECT value FROM json_each(:ids));

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: blank
UPDATE service_orders SET notes = NULL, cancellation_reason = NULL, updated_at = :stamp
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'service_order')
   AND (notes IS NOT NULL OR cancellation_reason IS NOT NULL);

-- name: blank_specifications
UPDATE service_order_items SET specification = NULL
 WHERE service_order_id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'service_order')
   AND specification IS NOT NULL;
