-- Sessions, which a link, a person of the office or an API key opens in a browser.

-- name: add
INSERT INTO sessions (session_hash, link_id, api_key_id, admin_id, scopes, way, mailed_to, own_device, agent, created_at,
  last_used_at)
VALUES (:session_hash, :link_id, :api_key_id, :admin_id, :scopes, :way, :mailed_to, :own_device, :agent, :now, :now);

-- name: find
-- A session with its admin, who has it or the API key of it, and with what it may do at this moment.
SELECT s.id, s.link_id, s.api_key_id, s.way, s.mailed_to, s.own_device, s.created_at, s.last_used_at, s.ended_at,
       t.tier, t.settings_revision, (SELECT group_concat(name, ' ') FROM flags WHERE enabled = 0) AS disabled_flags,
       k.name AS key_name, coalesce(k.scopes, s.scopes, a.scopes) AS scopes,
       a.id AS admin_id, a.name AS admin_name, a.language AS admin_language,
       s.link_id IS NOT NULL OR a.is_active = 1 AND (k.id IS NULL OR k.revoked_at IS NULL
         AND (k.expires_at IS NULL OR k.expires_at > :now)) AS key_is_valid
  FROM sessions s JOIN tenant t LEFT JOIN api_keys k ON k.id = s.api_key_id
  LEFT JOIN admins a ON a.id = coalesce(k.admin_id, s.admin_id)
 WHERE s.session_hash = :session_hash;

-- name: touch
UPDATE sessions SET last_used_at = :now WHERE id = :id;

-- name: end
UPDATE sessions SET ended_at = :now WHERE id = :id AND ended_at IS NULL;

-- name: end_all
UPDATE sessions SET ended_at = :now WHERE link_id = :link_id AND ended_at IS NULL;

-- name: known_device
-- Whether a session of the link was opened before.
SELECT 1 FROM sessions WHERE link_id = :link_id LIMIT 1;

-- name: at_doors
-- Open sessions of doors, whose devices have not been ended.
SELECT s.id, s.link_id, l.station, e.title AS event_title, s.created_at, s.last_used_at
  FROM links l JOIN sessions s ON s.link_id = l.id JOIN events e ON e.id = l.event_id
 WHERE l.kind = 'door' AND s.ended_at IS NULL
   AND l.id = :link_id                                              -- when link_id
 ORDER BY s.id;

-- name: of_link
-- The open sessions of a link, with what sessions.is_open reads of each. No API key can end them.
SELECT id, way, mailed_to, own_device, created_at, last_used_at, ended_at, 1 AS key_is_valid FROM sessions
 WHERE link_id = :link_id AND ended_at IS NULL ORDER BY id;

-- name: drop_old
-- Sessions that ended some time ago, or that nobody has used, or of the desk that began, longer ago than any session lasts. A
-- device of a door that was ended is told so when it comes back, also after weeks.
DELETE FROM sessions WHERE id IN (
  SELECT id FROM sessions WHERE ended_at < :ended
    AND NOT EXISTS (SELECT 1 FROM links l WHERE l.id = link_id AND l.kind = 'door')
                             OR last_used_at < :unused
                             OR link_id IS NULL AND created_at < iif(own_device = 1, :begun, :begun_elsewhere) LIMIT :size);

-- name: sent_form
SELECT fingerprint, location FROM sent_forms WHERE owner = :owner AND form_id = :form_id;

-- name: keep_form
INSERT INTO sent_forms (owner, form_id, fingerprint, location, created_at)
  VALUES (:owner, :form_id, :fingerprint, :location, :now);

-- name: drop_forms
DELETE FROM sent_forms
 WHERE (owner, form_id) IN (SELECT owner, form_id FROM sent_forms WHERE created_at < :before LIMIT :size);

-- name: at_desk
-- Sessions of the desk that nobody has ended, with the person.
SELECT s.id, s.api_key_id, a.id AS admin_id, a.name AS admin_name,
       CASE WHEN s.api_key_id IS NOT NULL THEN 'key' WHEN s.way = 'password' THEN 'password' ELSE 'link' END AS opened_by,
       s.way, s.own_device, s.agent, s.created_at, s.last_used_at, s.ended_at,
       a.is_active = 1 AND (k.id IS NULL OR k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now))
         AS key_is_valid
  FROM sessions s LEFT JOIN api_keys k ON k.id = s.api_key_id
  JOIN admins a ON a.id = coalesce(k.admin_id, s.admin_id)
 WHERE s.id IN (SELECT id FROM sessions WHERE api_key_id > 0 UNION SELECT id FROM sessions WHERE admin_id > 0)
   AND a.id = :admin_id                                             -- when admin_id
   AND s.ended_at IS NULL ORDER BY s.id;

-- name: end_of_admin
-- All sessions of an admin at the desk, also those of its API keys.
UPDATE sessions SET ended_at = :now
 WHERE id IN (SELECT id FROM sessions WHERE admin_id = :admin_id
               UNION SELECT s.id FROM api_keys k JOIN sessions s ON s.api_key_id = k.id WHERE k.admin_id = :admin_id)
   AND ended_at IS NULL;
