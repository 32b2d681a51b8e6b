-- What a due date that hangs on an event depends on.

-- name: event
SELECT id, date_from, date_to, application_deadline, timezone FROM events WHERE id = :id;
