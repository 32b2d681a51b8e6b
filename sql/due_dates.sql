-- The fields of an event on which a relative due date depends.

-- name: event
SELECT id, date_from, date_to, application_deadline, timezone FROM events WHERE id = :id;
