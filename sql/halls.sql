-- What the drawing of a plan shows.

-- name: plan
SELECT p.id, p.plan_name AS name, p.area_name, p.width, p.height, p.objects, p.updated_at, e.title AS event, e.city,
       e.date_from, e.date_to, e.timezone
  FROM plans p JOIN events e ON e.id = p.event_id
 WHERE p.id = :id;

-- name: booths
-- Booths of a plan. updated_at is the later one of booth and reservation.
SELECT b.id, b.booth_number, b.booth_name, b.width, b.depth, b.pos_x, b.pos_y, b.rotation, b.status, b.held_until,
       b.blocked_reason, EXISTS (SELECT 1 FROM booth_reservations w WHERE w.booth_id = b.id
         AND w.status = 'waitlisted') AS is_awaited,
       b.price, r.final_price, t.booth_type_name AS type, t.color, r.status AS reservation, p.is_confirmed,
       p.id AS exhibitor_id, c.company_name, c.first_name, c.last_name,
       max(b.updated_at, ifnull(r.updated_at, '')) AS updated_at
  FROM booths b
  LEFT JOIN booth_types t ON t.id = b.booth_type_id
  LEFT JOIN booth_reservations r ON r.booth_id = b.id AND r.status IN ('pending', 'confirmed')
  LEFT JOIN participants p ON p.id = r.event_participant_id
  LEFT JOIN contacts c ON c.id = p.contact_id
 WHERE b.plan_id = :id
 ORDER BY b.id;
