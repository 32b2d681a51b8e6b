-- Notices to the people of the office, test mails, and what the audit log says of the last days.

-- columns: person = a.id a.name a.email a.language a.role

-- name: person
-- A person with an account that is active.
SELECT {person} FROM admins a WHERE a.id = :id AND a.role IS NOT NULL AND a.is_active = 1;

-- name: owners
-- Active owners with an address, who have signed in.
SELECT {person} FROM admins a
 WHERE a.role = 'owner' AND a.is_active = 1 AND a.last_seen_at IS NOT NULL AND a.email IS NOT NULL
 ORDER BY a.id;

-- name: told_since
-- How often a person was told of the same thing since :since.
SELECT count(*) FROM mails
 WHERE entity_type = 'admin' AND entity_id = :id AND kind = 'notice' AND text = :notice AND created_at > :since;

-- name: changes_of_bank
-- Audit entries of options, with their texts before and after.
SELECT l.id, l.created_at, l.admin_id, l.admin_name, l.api_key_id, l.request_id, l.entity_title,
       (SELECT value FROM json_each(l.old_values)) AS old_text, (SELECT value FROM json_each(l.new_values)) AS new_text
  FROM audit_log l
 WHERE l.entity_type = 'setting' AND l.entity_id = 1 AND l.action = 'updated' AND l.created_at > :since
   AND l.entity_title IN (SELECT value FROM json_each(:names))
 ORDER BY l.id;

-- name: changes_of_people
-- Audit entries of invitations, and of changes of rights. An account that was opened has an invitation.
SELECT l.id, l.created_at, l.action, l.admin_id, l.admin_name, l.api_key_id, a.id AS person_id, a.name AS person,
       a.role, l.old_values, l.new_values
  FROM admins a CROSS JOIN audit_log l ON l.entity_type = 'admin' AND l.entity_id = a.id
 WHERE a.role IS NOT NULL AND l.created_at > :since
   AND (l.action = 'invited' OR l.action = 'updated'
         AND (json_type(l.old_values, '$.role') = 'text' OR json_type(l.new_values, '$.is_active') IS NOT NULL
           OR json_type(l.old_values, '$.role') IS NULL AND json_type(l.new_values, '$.scopes') IS NOT NULL))
 ORDER BY l.id;

-- name: last_test
-- The last test mail of a person.
SELECT state, error, created_at, updated_at FROM mails
 WHERE entity_type = 'admin' AND entity_id = :id AND kind = 'mail_test' ORDER BY id DESC LIMIT 1;

-- name: sent_test
SELECT 1 FROM mails WHERE entity_type = 'admin' AND kind = 'mail_test' AND state = 'sent' LIMIT 1;
