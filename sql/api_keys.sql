-- API keys, the admins they belong to, feature flags and the plan tier.

-- name: identify
-- The valid key with this hash, with what every request needs to know: admin, scopes, plan tier and disabled
-- features.
SELECT k.id, k.admin_id, a.name AS admin_name, k.scopes, k.last_used_at, t.tier, t.settings_revision,
       (SELECT group_concat(name, ' ') FROM flags WHERE enabled = 0) AS disabled_flags
  FROM api_keys k JOIN admins a ON a.id = k.admin_id JOIN tenant t
 WHERE k.key_hash = :key_hash AND k.revoked_at IS NULL AND a.is_active = 1
   AND (k.expires_at IS NULL OR k.expires_at > :now);

-- name: touch
UPDATE api_keys SET last_used_at = :now WHERE id = :id;

-- name: add
INSERT INTO api_keys (admin_id, name, key_hash, scopes, expires_at, created_at)
VALUES (:admin_id, :name, :key_hash, :scopes, :expires_at, :now);

-- name: list
SELECT k.id, k.name, k.admin_id, a.name AS admin_name, k.scopes, k.expires_at, k.revoked_at, k.last_used_at,
       k.created_at, a.is_active AS admin_is_active
  FROM api_keys k JOIN admins a ON a.id = k.admin_id ORDER BY k.id;

-- name: get
SELECT id, name, admin_id, scopes, expires_at, revoked_at FROM api_keys WHERE id = :id;

-- name: revoke
UPDATE api_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL;

-- name: move_webhooks
-- Assign the webhooks of a rotated key to the new key.
UPDATE webhooks SET api_key_id = :new_id WHERE api_key_id = :id;

-- name: expire
UPDATE api_keys SET expires_at = :expires_at WHERE id = :id;

-- name: add_admin
INSERT INTO admins (name, email, created_at, updated_at) VALUES (:name, :email, :now, :now);

-- name: first_admin
SELECT id FROM admins WHERE is_active = 1 ORDER BY id LIMIT 1;

-- name: admin
SELECT id, name, is_active FROM admins WHERE id = :id;

-- name: flags
SELECT name, enabled FROM flags ORDER BY name;

-- name: set_flag
UPDATE flags SET enabled = :enabled WHERE name = :name;

-- name: tier
SELECT tier FROM tenant;

-- name: set_tier
UPDATE tenant SET tier = :tier;
