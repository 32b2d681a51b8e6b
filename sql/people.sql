-- People of the office: admins with their accounts, rights, sessions and secrets.

-- columns: shown = a.id a.name a.email a.role a.scopes a.language a.is_active a.invited_at a.last_seen_at a.password_hash a.totp_secret a.created_at

-- name: get
SELECT {shown} FROM admins a WHERE a.id = :id;

-- name: every
SELECT {shown} FROM admins a ORDER BY a.id;

-- name: owners
-- Owners that can sign in: an invitation that nobody has accepted makes none.
SELECT {shown} FROM admins a WHERE a.role = 'owner' AND a.is_active = 1 AND a.last_seen_at IS NOT NULL ORDER BY a.id;

-- name: has_owner
SELECT 1 FROM admins WHERE role = 'owner' AND is_active = 1 LIMIT 1;

-- name: accounts
SELECT {shown} FROM admins a WHERE a.email IS NOT NULL AND a.role IS NOT NULL AND a.is_active = 1 ORDER BY a.id;

-- name: add
INSERT INTO admins (name, email, role, scopes, language, invited_at, created_at, updated_at)
VALUES (:name, :email, :role, :scopes, :language, :now, :now, :stamp);

-- name: open_account
-- Of an admin without an account: nobody has signed in with its rights yet.
UPDATE admins SET email = :email, role = :role, scopes = :scopes, invited_at = :now, last_seen_at = NULL, updated_at = :stamp
 WHERE id = :id;

-- name: record_invitation
UPDATE admins SET invited_at = :now, updated_at = :stamp WHERE id = :id;

-- name: change_rights
UPDATE admins SET role = :role, scopes = :scopes, updated_at = :stamp WHERE id = :id;

-- name: rename
UPDATE admins SET name = :name, updated_at = :stamp WHERE id = :id;

-- name: change_email
UPDATE admins SET email = :email, updated_at = :stamp WHERE id = :id;

-- name: set_language
UPDATE admins SET language = :language, updated_at = :stamp WHERE id = :id;

-- name: set_active
UPDATE admins SET is_active = :is_active, updated_at = :stamp WHERE id = :id;

-- name: record_sign_in
UPDATE admins SET last_seen_at = :now WHERE id = :id AND role IS NOT NULL;

-- name: forget_password
UPDATE admins SET password_hash = NULL, updated_at = :stamp WHERE id = :id;

-- name: forget_factor
-- The last step that was taken stays, so that no code is taken twice.
UPDATE admins SET totp_secret = NULL, updated_at = :stamp WHERE id = :id;

-- name: drop_recovery_codes
DELETE FROM recovery_codes WHERE admin_id = :id;

-- name: drop_pending_codes
DELETE FROM pending_codes WHERE admin_id = :id;

-- name: drop_secrets
DELETE FROM link_secrets WHERE admin_id = :id;

-- name: drop_own_secrets
-- Those that open a session with rights of its own, and those that somebody else has seen.
DELETE FROM link_secrets WHERE admin_id = :id AND (scopes IS NOT NULL OR way = 'shown');

-- name: forget_invitation
-- Nobody has accepted it.
UPDATE admins SET invited_at = NULL, updated_at = :stamp WHERE id = :id AND last_seen_at IS NULL;

-- name: end_own_rights
-- Sessions with rights of their own.
UPDATE sessions SET ended_at = :now WHERE admin_id = :id AND scopes IS NOT NULL AND ended_at IS NULL;

-- name: scopes_of_keys
-- Of the API keys of an admin that work.
SELECT scopes FROM api_keys
 WHERE admin_id = :id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) ORDER BY id;

-- After a restore: nobody at the desk is signed in, and no link of a person opens.

-- name: end_all_sessions
UPDATE sessions SET ended_at = :now
 WHERE id IN (SELECT id FROM sessions WHERE api_key_id > 0 UNION SELECT id FROM sessions WHERE admin_id > 0) AND ended_at IS NULL;

-- name: drop_all_secrets
DELETE FROM link_secrets WHERE admin_id > 0;

-- name: drop_all_pending_codes
DELETE FROM pending_codes;
