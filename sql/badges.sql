-- What is printed on badges. Cancelled participants have none.

-- columns: printed = p.id, p.role, p.status, p.badge_name, p.badge_number, c.company_name, c.first_name, c.last_name,
--   c.language, e.title AS event, e.venue, e.city, e.date_from, e.date_to, e.timezone, k.title AS category, k.color,
--   i.sha256 AS image

-- name: of
SELECT {printed}
  FROM participants p JOIN contacts c ON c.id = p.contact_id JOIN events e ON e.id = p.event_id
  LEFT JOIN categories k ON k.id = p.category_id
  LEFT JOIN documents i ON i.id = e.image_document_id
 WHERE p.id = :id;

-- name: chosen
-- Badges to print, a page at a time.
SELECT {printed}
  FROM participants p JOIN contacts c ON c.id = p.contact_id JOIN events e ON e.id = p.event_id
  LEFT JOIN categories k ON k.id = p.category_id
  LEFT JOIN documents i ON i.id = e.image_document_id
 WHERE p.status IN ('registered', 'confirmed')
   AND p.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND p.event_id = :event_id                          -- when event_id
   AND p.role = :role                                  -- when role
   AND p.is_confirmed = :confirmed                     -- when confirmed
 ORDER BY p.id LIMIT :limit OFFSET :offset;

-- name: count
-- Number of badges with the filters of `chosen`.
SELECT count(*)
  FROM participants p
 WHERE p.status IN ('registered', 'confirmed')
   AND p.id IN (SELECT value FROM json_each(:ids))     -- when ids
   AND p.event_id = :event_id                          -- when event_id
   AND p.role = :role                                  -- when role
   AND p.is_confirmed = :confirmed                     -- when confirmed
