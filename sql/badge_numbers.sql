-- Badge numbers: the one that a participant has, and its aliases.

-- name: holder
-- The participant with this badge number. replaced_at is NULL for a valid number.
SELECT id, NULL AS replaced_at FROM participants WHERE badge_number = :badge_number
 UNION ALL SELECT event_participant_id, replaced_at FROM badge_aliases WHERE badge_number = :badge_number;

-- name: retire_aliases
UPDATE badge_aliases SET replaced_at = :now, updated_at = :stamp WHERE event_participant_id = :id
  AND replaced_at IS NULL;

-- name: retire
INSERT INTO badge_aliases (badge_number, event_participant_id, replaced_at, created_at, updated_at)
SELECT badge_number, id, :now, :now, :stamp FROM participants WHERE id = :id;

-- name: renumber
UPDATE participants SET badge_number = :badge_number, updated_at = :stamp WHERE id = :id;
