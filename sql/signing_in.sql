-- Signing in to the desk: passwords, second factors, and people who have to show a code yet.

-- columns: person = id name email language role password_hash totp_secret last_seen_at

-- name: by_address
-- The person whose account has this address. Only active ones sign in.
SELECT {a.person} FROM admins a WHERE a.email = :email COLLATE NOCASE AND a.role IS NOT NULL AND a.is_active = 1;

-- name: active
-- An admin who is active, also one without an account: a link of the command line lets it in.
SELECT {a.person} FROM admins a WHERE a.id = :id AND a.is_active = 1;

-- name: is_own
-- Whether a session is of a person, with the rights of that person.
SELECT 1 FROM sessions WHERE id = :id AND admin_id IS NOT NULL AND scopes IS NULL AND ended_at IS NULL;

-- name: renew_password
-- The same password with the parameters of today.
UPDATE admins SET password_hash = :password_hash WHERE id = :id AND password_hash = :old_hash;

-- name: set_password
UPDATE admins SET password_hash = :password_hash, updated_at = :stamp WHERE id = :id AND password_hash IS :old_hash;

-- name: set_factor
-- The code that confirms a second factor is used up with it.
UPDATE admins SET totp_secret = :secret, totp_step = :step, updated_at = :stamp
 WHERE id = :id AND totp_secret IS NULL AND totp_step < :step;

-- name: remove_factor
-- The step of the last code stays, so that no code is taken twice.
UPDATE admins SET totp_secret = NULL, updated_at = :stamp WHERE id = :id;

-- name: take_step
-- Use up the code of a step and those of all before. No row: one of them was used already.
UPDATE admins SET totp_step = :step WHERE id = :id AND totp_secret = :secret AND totp_step < :step;

-- Recovery codes

-- name: add_recovery_code
INSERT INTO recovery_codes (admin_id, code_hash) VALUES (:admin_id, :code_hash);

-- name: drop_recovery_codes
DELETE FROM recovery_codes WHERE admin_id = :admin_id;

-- name: take_recovery_code
UPDATE recovery_codes SET used_at = :now WHERE admin_id = :admin_id AND code_hash = :code_hash AND used_at IS NULL;

-- name: recovery_codes_left
SELECT count(*) FROM recovery_codes WHERE admin_id = :admin_id AND used_at IS NULL;

-- People who have shown their password or their link

-- name: add_pending
INSERT INTO pending_codes (secret_hash, admin_id, stay, way, scopes, next, expires_at)
VALUES (:secret_hash, :admin_id, :stay, :way, :scopes, :next, :expires_at);

-- name: pending
SELECT secret_hash, admin_id, stay, way, scopes, next, tries FROM pending_codes
 WHERE secret_hash = :secret_hash AND expires_at > :now;

-- name: count_pending
UPDATE pending_codes SET tries = tries + 1 WHERE secret_hash = :secret_hash;

-- name: drop_pending
DELETE FROM pending_codes WHERE secret_hash = :secret_hash;

-- name: drop_pending_of_admin
DELETE FROM pending_codes WHERE admin_id = :admin_id;

-- name: drop_old_pending
DELETE FROM pending_codes WHERE secret_hash IN (SELECT secret_hash FROM pending_codes WHERE expires_at < :now LIMIT :size);

-- name: was_refused
-- Whether it was journalled since a time that a limit stopped somebody who wanted to sign in as this admin.
SELECT 1 FROM audit_log WHERE entity_type = 'admin' AND entity_id = :id AND action = 'sign_in_refused' AND created_at > :since
 LIMIT 1;
