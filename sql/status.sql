-- What the state of an installation needs of the database.

-- name: first_change
SELECT created_at FROM audit_log ORDER BY id LIMIT 1;

-- name: unsent_mails
SELECT count(*) FROM mails WHERE state IN ('failed', 'uncertain');
