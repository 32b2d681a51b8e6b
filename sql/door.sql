-- The page at the door: the roster of badges as its devices keep it, figures, and the search by name.

-- name: roster
SELECT door_salt, revision FROM check_in_rosters WHERE event_id = :event_id;

-- name: set_salt
-- Another device may have caused a new salt meanwhile. Then that one stays.
UPDATE check_in_rosters SET door_salt = :salt WHERE event_id = :event_id AND door_salt IS :old;

-- name: colours
-- The colours of the event's categories; the oldest category comes first.
SELECT lower(k.color) AS color FROM category_events e JOIN categories k ON k.id = e.category_id
 WHERE e.event_id = :event_id AND k.color IS NOT NULL GROUP BY lower(k.color) ORDER BY min(k.id) LIMIT 7;

-- name: colours_of_categories
-- The colours that entries have. The revision of the roster does not change with them.
SELECT id, lower(color) AS color FROM categories WHERE color IS NOT NULL ORDER BY id;

-- name: badges
SELECT p.badge_number, p.status, p.role, lower(k.color) AS color
  FROM participants p LEFT JOIN categories k ON k.id = p.category_id
 WHERE p.event_id = :event_id;

-- name: aliases
-- Further badge numbers of the participants. There are few of them, so they are read before the participants.
SELECT a.badge_number, CASE WHEN a.replaced_at IS NULL THEN p.status
  ELSE 'replaced' END AS status, p.role, lower(k.color) AS color
  FROM badge_aliases a CROSS JOIN participants p ON p.id = a.event_participant_id LEFT
  JOIN categories k ON k.id = p.category_id
 WHERE p.event_id = :event_id AND a.id > 0;

-- name: changed_badges
SELECT p.badge_number, p.status, p.role, lower(k.color) AS color
  FROM participants p LEFT JOIN categories k ON k.id = p.category_id
 WHERE +p.event_id = :event_id AND p.updated_at >= :since;

-- name: changed_aliases
SELECT a.badge_number, CASE WHEN a.replaced_at IS NULL THEN p.status
  ELSE 'replaced' END AS status, p.role, lower(k.color) AS color
  FROM badge_aliases a CROSS JOIN participants p ON p.id = a.event_participant_id LEFT
  JOIN categories k ON k.id = p.category_id
 WHERE p.event_id = :event_id AND a.id > 0 AND max(a.updated_at, p.updated_at) >= :since;

-- name: event
SELECT id, event_key, title, timezone, day_ends_at FROM events WHERE id = :id;

-- name: present
-- Whoever is inside checked in during the current day, which ends at day_end.
SELECT coalesce(sum(check_ins - ends), 0) FROM check_in_counts WHERE event_id = :event_id AND latest_end_at = :day_end;

-- name: search
SELECT p.badge_number, p.badge_name, p.role, p.status,
       trim(coalesce(c.first_name, '') || ' ' || coalesce(c.last_name, '')) AS name, c.company_name AS company,
       k.title AS category
  FROM participants_search s CROSS JOIN participants p ON p.id = s.rowid JOIN contacts c ON c.id = p.contact_id
  LEFT JOIN categories k ON k.id = p.category_id
 WHERE s.participants_search MATCH :search AND p.event_id = :event_id
 ORDER BY s.rowid LIMIT :most;
