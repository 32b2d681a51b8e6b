-- The sample show.

-- name: has_records
SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM contacts);

-- name: badges
SELECT badge_number FROM participants
 WHERE event_id = :event_id AND cancelled_at IS NULL ORDER BY id;

-- name: cancelled
SELECT badge_number FROM participants WHERE event_id = :event_id AND cancelled_at IS NOT NULL ORDER BY id;

-- name: expired_holds
SELECT id FROM booth_reservations WHERE status = 'pending' AND expires_at <= :now ORDER BY expires_at;

-- name: large_cache
-- 64 MB of pages stay in memory during the transaction.
PRAGMA cache_size = -65536;
