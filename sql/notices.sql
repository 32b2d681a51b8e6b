-- Mails to the people of the office: who gets them, how many there were, and what the audit log says of the last days.

-- columns: person = a.id a.name a.email a.language a.role

-- name: person
-- A person with an account that is active.
SELECT {person} FROM admins a WHERE a.id = :id AND a.role IS NOT NULL AND a.is_active = 1;

-- name: owners
-- Active owners with an address, who have signed in.
SELECT {person} FROM admins a
 WHERE a.role = 'owner' AND a.is_active = 1 AND a.last_seen_at IS NOT NULL AND a.email IS NOT NULL
 ORDER BY a.id;

-- name: last_test
-- The last test mail of a person.
SELECT state, error, created_at, updated_at FROM mails
 WHERE entity_type = 'admin' AND entity_id = :id AND kind = 'mail_test' ORDER BY id DESC LIMIT 1;

-- name: sent_test
SELECT 1 FROM mails WHERE entity_type = 'admin' AND kind = 'mail_test' AND state = 'sent' LIMIT 1;
