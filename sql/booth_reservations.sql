-- Booth reservations. Status and expiry are returned as stored; the caller decides whether a hold has run out.

-- columns: fields = booth_id booth_number event_participant_id status reserved_at expires_at confirmed_at cancelled_at
--   cancellation_reason final_price is_negotiated tax_rate price_breakdown notes
-- columns: new = fields without booth_number cancelled_at cancellation_reason
-- columns: mail = id event_id event_participant_id status booth_id booth_number final_price tax_rate
-- columns: changing = fields without booth_number event_participant_id

-- name: get
SELECT r.id, r.event_id, e.event_key, {r.fields}, r.created_by, r.created_at, r.updated_at
  FROM booth_reservations r JOIN events e ON e.id = r.event_id
 WHERE r.id = :id;

-- name: list
SELECT r.id, r.event_id, (SELECT e.event_key FROM events e WHERE e.id = r.event_id) AS event_key, {r.fields},
  r.created_by, r.created_at, r.updated_at
  FROM booth_reservations r
 WHERE TRUE
   AND r.id IN (SELECT value FROM json_each(:ids))                      -- when ids
   AND likelihood(r.updated_at >= :updated_since, 0.0001)               -- when updated_since
   AND r.event_id = :event_id                                           -- when event_id
   AND r.booth_id = :booth_id                                           -- when booth_id
   AND r.event_participant_id = :event_participant_id                   -- when event_participant_id
   AND r.status = :status                                               -- when status
   AND r.status = 'pending' AND r.expires_at > :now                     -- when pending
   AND r.id IN (SELECT id FROM booth_reservations WHERE status = 'expired' UNION ALL             -- when expired
                SELECT id FROM booth_reservations WHERE status = 'pending' AND expires_at <= :now)       -- when expired
 ORDER BY {sort} {order} NULLS LAST, r.id {order}  -- sort: id=r.id booth_number=r.booth_number_natural status=r.status created_at=r.id reserved_at=r.reserved_at final_price=r.final_price

-- name: booths_of
SELECT r.id AS reservation_id, b.id, b.booth_number, b.booth_name, b.plan_id, p.plan_name, t.booth_type_name, b.width,
  b.depth, b.area
  FROM booth_reservations r JOIN booths b ON b.id = r.booth_id JOIN plans p ON p.id = b.plan_id
  LEFT JOIN booth_types t ON t.id = b.booth_type_id
 WHERE r.id IN (SELECT value FROM json_each(:ids));

-- name: participants_of
SELECT r.id AS reservation_id, p.id, p.contact_id, c.customer_number, c.company_name, c.first_name, c.last_name, p.role,
  p.status
  FROM booth_reservations r JOIN participants p ON p.id = r.event_participant_id JOIN contacts c ON c.id = p.contact_id
 WHERE r.id IN (SELECT value FROM json_each(:ids));

-- name: mailed
-- What the mail about a booth says, and to whom it goes.
SELECT {r.mail}, b.width, b.depth, n.plan_key, e.title, e.event_key, c.email, c.first_name, c.last_name, c.language,
       c.anonymized_at
  FROM booth_reservations r JOIN events e ON e.id = r.event_id JOIN booths b ON b.id = r.booth_id
  JOIN plans n ON n.id = b.plan_id JOIN participants p ON p.id = r.event_participant_id
  JOIN contacts c ON c.id = p.contact_id
 WHERE r.id = :id;

-- name: mailed_of_participant
-- The same of the first booth that a participant has bought.
SELECT {r.mail}, b.width, b.depth, n.plan_key, e.title, e.event_key, c.email, c.first_name, c.last_name, c.language,
       c.anonymized_at
  FROM booth_reservations r JOIN events e ON e.id = r.event_id JOIN booths b ON b.id = r.booth_id
  JOIN plans n ON n.id = b.plan_id JOIN participants p ON p.id = r.event_participant_id
  JOIN contacts c ON c.id = p.contact_id
 WHERE r.event_participant_id = :event_participant_id AND r.status = 'confirmed'
 ORDER BY r.id LIMIT 1;

-- Reservations that prevent another one. `reach` is the sum of width and depth of the booth.

-- name: live
-- The reservation that holds or has bought the booth.
SELECT id, booth_id, booth_number, event_participant_id, status, expires_at FROM booth_reservations
 WHERE booth_id = :booth_id AND status IN ('pending', 'confirmed');

-- name: live_nearby
-- Held or sold booths that are near enough to overlap, whatever their rotation.
SELECT b.width, b.depth, b.pos_x, b.pos_y, b.rotation, r.id, r.booth_id, r.booth_number, r.event_participant_id,
  r.status, r.expires_at
  FROM booths b JOIN booth_reservations r ON r.booth_id = b.id AND r.status IN ('pending', 'confirmed')
 WHERE b.plan_id = :plan_id AND b.id <> :booth_id
   AND abs(2 * b.pos_x + b.width - :middle_x) < b.width + b.depth + :reach
   AND abs(2 * b.pos_y + b.depth - :middle_y) < b.width + b.depth + :reach
 ORDER BY r.id;

-- name: waiting_nearby
-- Booths with a waiting list that are near enough to overlap, whatever their rotation.
SELECT b.id, b.width, b.depth, b.pos_x, b.pos_y, b.rotation
  FROM booths b
 WHERE b.plan_id = :plan_id AND b.id <> :booth_id
   AND abs(2 * b.pos_x + b.width - :middle_x) < b.width + b.depth + :reach
   AND abs(2 * b.pos_y + b.depth - :middle_y) < b.width + b.depth + :reach
   AND EXISTS (SELECT 1 FROM booth_reservations r WHERE r.booth_id = b.id AND r.status = 'waitlisted')
 ORDER BY b.id;

-- The waiting list and the end of holds.

-- name: first_waiting
-- The first reservation on the waiting list.
SELECT id FROM booth_reservations WHERE booth_id = :booth_id AND status = 'waitlisted' ORDER BY id LIMIT 1;

-- name: on_waiting_list
-- The participant's place on the waiting list.
SELECT id FROM booth_reservations
 WHERE booth_id = :booth_id AND event_participant_id = :event_participant_id AND status = 'waitlisted';

-- name: due
-- Holds that have run out, the oldest first.
SELECT id FROM booth_reservations WHERE status = 'pending' AND expires_at <= :now ORDER BY expires_at LIMIT :limit;

-- name: of_participant
-- Open reservations of a participant. Places on waiting lists come first: they are cancelled before a booth becomes
-- available, so that it is not offered to the same participant.
SELECT id FROM booth_reservations
 WHERE event_participant_id = :event_participant_id AND status IN ('waitlisted', 'pending', 'confirmed')
 ORDER BY status = 'waitlisted' DESC, id;

-- Changes.

-- name: add
INSERT INTO booth_reservations (event_id, {new}, created_by, created_at, updated_at)
VALUES (:event_id, {:new}, :created_by, :now, :stamp);

-- name: change
UPDATE booth_reservations SET {changing = :changing}, updated_at = :stamp WHERE id = :id;

-- name: remember_booth
-- Keep which booth a reservation had, and at which price, before it moves.
UPDATE booth_reservations
   SET moved_from = json_insert(coalesce(moved_from, '[]'), '$[#]', json_array(booth_id, final_price, tax_rate))
 WHERE id = :id;

-- name: park
-- Let go of the booth for a moment, within a transaction: two reservations cannot have it at once.
UPDATE booth_reservations SET status = 'cancelled' WHERE id = :id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: blank
UPDATE booth_reservations SET notes = NULL, cancellation_reason = NULL, updated_at = :stamp
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'booth_reservation')
   AND (notes IS NOT NULL OR cancellation_reason IS NOT NULL);

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: to_hand_over
-- Reservations of the duplicate's participant. is_second_place: the other participant already holds the booth or is
-- on its waiting list.
SELECT r.id, r.status = 'waitlisted' AND EXISTS (SELECT 1 FROM booth_reservations k
         WHERE k.booth_id = r.booth_id AND k.event_participant_id = :participant_id
           AND k.status IN ('waitlisted', 'pending', 'confirmed')) AS is_second_place
  FROM booth_reservations r WHERE r.event_participant_id = :id ORDER BY r.id;

-- name: hand_over
UPDATE booth_reservations SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;
