-- Links with which people of the office sign in: who asks for one, and how many were mailed.

-- name: add_request
INSERT INTO link_requests (email_hash, base_url, purpose, created_at) VALUES (:email_hash, :base_url, 'desk', :now);

-- name: waiting_requests
SELECT id, email_hash FROM link_requests WHERE handled_at IS NULL AND purpose = 'desk' ORDER BY id LIMIT :size;

-- name: settle_request
UPDATE link_requests SET handled_at = :now WHERE id = :id;

-- name: accounts
-- All active accounts with an address.
SELECT id, email FROM admins WHERE role IS NOT NULL AND is_active = 1 AND email IS NOT NULL ORDER BY id;

-- name: links_since
-- Mails with a link that somebody has asked for, since a time.
SELECT count(*) FROM mails
 WHERE entity_type = 'admin' AND kind = 'sign_in' AND text = 'link' AND created_at > :since;
