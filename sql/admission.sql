-- Admission: scans, and the visits that follow from them.

-- name: event
SELECT id, event_key, timezone, created_at, date_from_at FROM events WHERE id = :id;

-- name: open_at
SELECT id FROM events WHERE over_at >= :at AND date_from_at <= :at ORDER BY id LIMIT 2;

-- name: participant
SELECT p.id, p.event_id, e.event_key, p.status, p.badge_number FROM participants p JOIN events e ON e.id = p.event_id WHERE p.id = :id;

-- name: holder
SELECT id FROM participants WHERE badge_number = :badge_number;

-- name: by_ref
SELECT * FROM check_in_scans WHERE client_ref = :client_ref;

-- name: scan
SELECT * FROM check_in_scans WHERE id = :id;

-- name: scans_of_day
SELECT s.*, e.timezone FROM check_in_scans s JOIN events e ON e.id = s.event_id
 WHERE s.event_participant_id = :event_participant_id AND s.day = :day AND s.taken_back_at IS NULL
   AND coalesce(s.code, '') NOT IN ('unknown_badge', 'wrong_event', 'participant_cancelled')
 ORDER BY s.id;

-- name: visits_of_day
SELECT id, checked_in_at, ends_at, closed_by FROM check_ins
 WHERE event_participant_id = :event_participant_id AND day = :day ORDER BY checked_in_at, id;

-- name: add_scan
INSERT INTO check_in_scans (event_id, event_participant_id, day, action, check_in_type, badge_number, station, notes, client_ref,
  scanned_at, is_live, force, code, admin_id, created_at, updated_at)
VALUES (:event_id, :event_participant_id, :day, :action, :check_in_type, :badge_number, :station, :notes, :client_ref, :scanned_at,
  :is_live, :force, :code, :admin_id, :now, :now)
RETURNING *;

-- name: judge
UPDATE check_in_scans SET effect = :effect, code = :code, check_in_id = :check_in_id, updated_at = :now WHERE id = :id;

-- name: open
INSERT INTO check_ins (event_id, event_participant_id, day, check_in_type, badge_number, station, notes, client_ref, checked_in_at,
  ends_at, closed_by, admin_id, created_at, updated_at)
VALUES (:event_id, :event_participant_id, :day, :check_in_type, :badge_number, :station, :notes, :client_ref, :scanned_at, :ends_at,
  :closed_by, :admin_id, :now, :now);

-- name: close
UPDATE check_ins SET ends_at = :ends_at, closed_by = :closed_by, updated_at = :now WHERE id = :id;

-- name: reopen
UPDATE check_ins SET check_in_type = :check_in_type, badge_number = :badge_number, station = :station, notes = :notes,
  client_ref = :client_ref, checked_in_at = :scanned_at, ends_at = :ends_at, closed_by = :closed_by, admin_id = :admin_id,
  updated_at = :now
 WHERE id = :id;

-- name: remove
DELETE FROM check_ins WHERE id = :id;

-- name: take_back
UPDATE check_in_scans SET taken_back_at = :now, check_in_id = NULL, updated_at = :now
 WHERE event_participant_id = :event_participant_id AND day = :day AND check_in_id = :id;

-- name: day_of
SELECT day, event_participant_id FROM check_ins WHERE id = :id;

-- name: has_visits
SELECT 1 FROM check_ins WHERE event_id = :event_id LIMIT 1;
