-- Admission: scans of badges, and the visits that result from them.

-- name: event
SELECT id, event_key, timezone, day_ends_at, created_at, date_from_at FROM events WHERE id = :id;

-- name: open_at
-- Events that are open at a time. Two rows are enough to see that there is more than one.
SELECT id FROM events WHERE over_at >= :at AND date_from_at <= :at ORDER BY id LIMIT 2;

-- name: just_over
-- Events that ended less than two days before a time: the last night of some may not be over.
SELECT id, over_at, timezone, day_ends_at FROM events WHERE over_at < :at AND over_at > :since ORDER BY id;

-- name: participant
SELECT p.id, p.event_id, e.event_key, p.cancelled_at FROM participants p JOIN events e ON e.id = p.event_id
 WHERE p.id = :id;

-- name: by_ref
-- The scan that was stored with this client_ref.
SELECT * FROM check_in_scans WHERE client_ref = :client_ref;

-- name: scan
SELECT * FROM check_in_scans WHERE id = :id;

-- name: scans
-- Scans of a participant in a period, without those that can never be part of a visit. Scans before `since` are read
-- only if they opened or closed a visit: the others no longer change anything.
SELECT s.* FROM check_in_scans s
 WHERE s.event_participant_id = :event_participant_id AND s.scanned_at >= :begins AND s.scanned_at < :ends
   AND s.taken_back_at IS NULL
   AND coalesce(s.code, '') NOT IN ('unknown_badge', 'wrong_event', 'badge_replaced', 'participant_cancelled')
   AND (s.scanned_at >= :since OR s.effect IN ('opened', 'closed'))
 ORDER BY s.id;

-- name: visit_before
-- The last visit of a participant that began between the beginning of a day and a scan.
SELECT id FROM check_ins WHERE event_participant_id = :event_participant_id AND checked_in_at >= :begins
  AND checked_in_at <= :scanned_at
 ORDER BY checked_in_at DESC, id DESC LIMIT 1;

-- name: times_of_scans
-- When a participant was scanned, with what determines the days of the event.
SELECT DISTINCT s.scanned_at, e.day_ends_at, e.timezone FROM check_in_scans s JOIN events e ON e.id = s.event_id
 WHERE s.event_participant_id = :event_participant_id ORDER BY s.scanned_at;

-- name: visits
SELECT id, checked_in_at, ends_at, closed_by FROM check_ins
 WHERE event_participant_id = :event_participant_id AND checked_in_at >= :begins AND checked_in_at < :ends
 ORDER BY checked_in_at, id;

-- name: add_scan
INSERT INTO check_in_scans (event_id, event_participant_id, day, action, check_in_type, badge_number, station, notes,
  client_ref, scanned_at, is_live, force, code, admin_id, created_at, updated_at)
VALUES (:event_id, :event_participant_id, :day, :action, :check_in_type, :badge_number, :station, :notes, :client_ref,
  :scanned_at, :is_live, :force, :code, :admin_id, :now, :stamp)
RETURNING *;

-- name: judge
-- Store the result of a scan.
UPDATE check_in_scans SET effect = :effect, code = :code, check_in_id = :check_in_id, first_effect = :first_effect,
  updated_at = :stamp
 WHERE id = :id;

-- name: open
INSERT INTO check_ins (event_id, event_participant_id, day, check_in_type, badge_number, station, notes, client_ref,
  checked_in_at, ends_at, latest_end_at, closed_by, admin_id, created_at, updated_at)
VALUES (:event_id, :event_participant_id, :day, :check_in_type, :badge_number, :station, :notes, :client_ref,
  :scanned_at, :ends_at, :latest_end_at, :closed_by, :admin_id, :now, :stamp);

-- name: close
-- Set the end of a visit.
UPDATE check_ins SET ends_at = :ends_at, closed_by = :closed_by, updated_at = :stamp WHERE id = :id;

-- name: reopen
-- Let another scan be the one that opened the visit.
UPDATE check_ins SET day = :day, check_in_type = :check_in_type, badge_number = :badge_number, station = :station,
  notes = :notes, client_ref = :client_ref, checked_in_at = :scanned_at, ends_at = :ends_at, closed_by = :closed_by,
  admin_id = :admin_id, updated_at = :stamp
 WHERE id = :id;

-- name: remove
DELETE FROM check_ins WHERE id = :id;

-- name: take_back
-- Mark the scans of a visit as taken back. They stay stored, so that the same client_ref is not accepted again.
UPDATE check_in_scans SET taken_back_at = :now, check_in_id = NULL, updated_at = :stamp
 WHERE event_participant_id = :event_participant_id AND scanned_at >= :begins AND scanned_at < :ends
   AND check_in_id = :id;

-- name: day_of
-- What determines the day of a visit.
SELECT k.event_participant_id, k.checked_in_at, e.day_ends_at, e.timezone FROM check_ins k
  JOIN events e ON e.id = k.event_id WHERE k.id = :id;

-- name: visit_count
SELECT count(*) FROM check_ins WHERE event_id = :event_id;

-- name: wrong_counts
-- Counters of visits by hour and station that differ from the visits themselves. For `eventapi check`.
WITH counted (event_id, day, station, hour, latest_end_at, check_ins, check_outs, ends) AS (
  SELECT event_id, day, station, hour, latest_end_at, sum(i), sum(o), sum(e) FROM (
    SELECT event_id, day, coalesce(station, '') AS station, substr(checked_in_at, 1, 13) || ':00:00Z' AS hour,
           latest_end_at, 1 AS i, 0 AS o, 0 AS e
      FROM check_ins
     UNION ALL SELECT event_id, day, coalesce(station, ''), substr(ends_at, 1, 13) || ':00:00Z', latest_end_at, 0,
       closed_by = 'check_out', 1
      FROM check_ins WHERE closed_by IS NOT NULL)
   GROUP BY event_id, day, station, hour, latest_end_at),
kept AS (SELECT * FROM check_in_counts WHERE check_ins <> 0 OR check_outs <> 0 OR ends <> 0)
SELECT e.event_key, w.day, w.hour, w.station
  FROM (SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
    UNION SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted)) w
  JOIN events e ON e.id = w.event_id
 GROUP BY w.event_id, w.day, w.hour, w.station;

-- name: wrong_visitors
-- Counters of visitors by day, and of all days (day ''), that differ from the visits. For `eventapi check`.
WITH counted (event_id, day, visitors) AS (
  SELECT event_id, day, count(DISTINCT event_participant_id) FROM check_ins GROUP BY event_id, day
   UNION ALL SELECT event_id, '', count(DISTINCT event_participant_id) FROM check_ins GROUP BY event_id)
SELECT e.event_key, coalesce(nullif(w.day, ''), 'all days') AS day, w.visitors AS stored,
  coalesce(c.visitors, 0) AS computed
  FROM check_in_visitors w JOIN events e ON e.id = w.event_id LEFT JOIN counted c ON c.event_id = w.event_id
  AND c.day = w.day
 WHERE w.visitors <> coalesce(c.visitors, 0)
 ORDER BY e.event_key, w.day;

-- Merging: what the participant `id` hands over to the participant `participant_id`.

-- name: visits_of_participant
SELECT id FROM check_ins WHERE event_participant_id = :id ORDER BY id;

-- name: hand_over_visit
UPDATE check_ins SET event_participant_id = :participant_id, updated_at = :stamp WHERE id = :id;

-- name: hand_over_scans
UPDATE check_in_scans SET event_participant_id = :participant_id WHERE event_participant_id = :id;
