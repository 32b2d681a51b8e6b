-- Check-ins: visits, as they are read. `+` keeps SQLite from using the index on ends_at: most visits have ended, so
-- walking the list in the requested order finds them sooner.

-- columns: shown = k.id, k.event_id, e.event_key, e.title AS event_title, k.event_participant_id, p.contact_id,
--   c.customer_number, c.company_name, c.first_name, c.last_name, p.role, p.badge_name, g.id AS category_id,
--   g.category_key, g.title AS category_title, k.check_in_type, k.badge_number, k.station, k.checked_in_at,
--   k.ends_at, k.closed_by, a.name AS checked_in_by, k.notes, k.client_ref, k.created_at, k.updated_at

-- name: get
SELECT {shown}
  FROM check_ins k JOIN events e ON e.id = k.event_id JOIN participants p ON p.id = k.event_participant_id
  JOIN contacts c ON c.id = p.contact_id LEFT JOIN categories g ON g.id = p.category_id
  LEFT JOIN admins a ON a.id = k.admin_id
 WHERE k.id = :id;

-- name: list
SELECT {shown}
  FROM check_ins k
  LEFT JOIN events e ON e.id = k.event_id
  LEFT JOIN participants p ON p.id = k.event_participant_id
  LEFT JOIN contacts c ON c.id = p.contact_id
  LEFT JOIN categories g ON g.id = p.category_id
  LEFT JOIN admins a ON a.id = k.admin_id
 WHERE TRUE
   AND k.id IN (SELECT value FROM json_each(:ids))          -- when ids
   AND likelihood(k.updated_at >= :updated_since, 0.0001)   -- when updated_since
   AND k.event_id = :event_id                               -- when event_id
   AND k.event_participant_id = :event_participant_id       -- when event_participant_id
   AND k.station = :station                                 -- when station
   AND k.day = :date                                        -- when date
   AND likelihood(k.ends_at > :now, 0.001)                  -- when present
   AND +k.ends_at <= :now                                   -- when absent
 ORDER BY {sort} {order}, k.id {order}  -- sort: id=k.id checked_in_at=k.checked_in_at

-- name: refusals
SELECT s.id, s.event_id, e.event_key, s.event_participant_id, s.badge_number, s.action, s.check_in_type, s.station,
       s.scanned_at, s.client_ref, s.code, s.check_in_id, a.name AS scanned_by, s.notes, s.created_at, s.updated_at
  FROM check_in_scans s
  LEFT JOIN events e ON e.id = s.event_id
  LEFT JOIN admins a ON a.id = s.admin_id
 WHERE s.code IS NOT NULL
   AND s.id IN (SELECT value FROM json_each(:ids))          -- when ids
   AND likelihood(s.updated_at >= :updated_since, 0.0001)   -- when updated_since
   AND s.event_id = :event_id                               -- when event_id
   AND s.event_participant_id = :event_participant_id       -- when event_participant_id
   AND s.badge_number = :badge_number                       -- when badge_number
   AND s.station = :station                                 -- when station
   AND s.day = :date                                        -- when date
   AND s.code = :code                                       -- when code
 ORDER BY {sort} {order}, s.id {order}  -- sort: id=s.id scanned_at=s.scanned_at

-- name: stations
-- Whoever is inside checked in during the current day, which ends at day_end.
SELECT station, sum(CASE WHEN latest_end_at = :day_end THEN check_ins - ends ELSE 0 END) AS present,
  sum(check_ins) AS check_ins
  FROM check_in_counts
 WHERE event_id = :event_id
   AND day = :date                                          -- when date
 GROUP BY station ORDER BY station;

-- name: hours
SELECT hour, sum(check_ins) AS check_ins, sum(check_outs) AS check_outs
  FROM check_in_counts
 WHERE event_id = :event_id
   AND day = :date                                          -- when date
 GROUP BY hour HAVING sum(check_ins) > 0 OR sum(check_outs) > 0 ORDER BY hour;

-- name: visitors
SELECT visitors FROM check_in_visitors WHERE event_id = :event_id AND day = :day;

-- name: roster
SELECT salt, revision FROM check_in_rosters WHERE event_id = :event_id;

-- name: aliases
-- Further badge numbers of the participants.
SELECT a.id, a.badge_number, CASE WHEN a.replaced_at IS NULL THEN p.status ELSE 'replaced' END AS status
  FROM badge_aliases a CROSS JOIN participants p ON p.id = a.event_participant_id
 WHERE p.event_id = :event_id AND a.id > :last
   AND max(a.updated_at, p.updated_at) >= :updated_since    -- when updated_since
 ORDER BY a.id LIMIT :limit;

-- name: badges
SELECT id, badge_number, status FROM participants
 WHERE event_id = :event_id AND id > :last
   AND +updated_at >= :updated_since                        -- when updated_since
 ORDER BY id LIMIT :limit;

-- name: correct
UPDATE check_ins SET station = :station, notes = :notes, updated_at = :stamp WHERE id = :id;

-- Erasing the data of a contact, `id`. `pairs` is a JSON list of [entity_type, entity_id] of its records.

-- name: blank
UPDATE check_ins SET notes = NULL, updated_at = :stamp
 WHERE id IN (SELECT value ->> 1 FROM json_each(:pairs) WHERE value ->> 0 = 'check_in') AND notes IS NOT NULL;

-- name: blank_scans
UPDATE check_in_scans SET notes = NULL, updated_at = :stamp
 WHERE event_participant_id IN (SELECT id FROM participants WHERE contact_id = :id) AND notes IS NOT NULL;
