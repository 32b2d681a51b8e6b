-- Accounts: the people of the office sign in with a password or a mailed link. Nobody has an account after the upgrade: `role` is NULL.

ALTER TABLE admins ADD COLUMN role TEXT CHECK (role IN ('owner', 'office', 'finance', 'door', 'reader', 'custom'));  -- NULL: no account
ALTER TABLE admins ADD COLUMN scopes TEXT NOT NULL DEFAULT '';        -- separated by spaces, as those of API keys
ALTER TABLE admins ADD COLUMN language TEXT;
ALTER TABLE admins ADD COLUMN invited_at TEXT;
ALTER TABLE admins ADD COLUMN last_seen_at TEXT;                      -- NULL: the invitation was not accepted
ALTER TABLE admins ADD COLUMN password_hash TEXT;                     -- scrypt$14$8$5$SALT$HASH
ALTER TABLE admins ADD COLUMN totp_secret TEXT;                       -- base32
ALTER TABLE admins ADD COLUMN totp_step INTEGER NOT NULL DEFAULT 0;   -- of the last code that was taken
CREATE UNIQUE INDEX admins_by_address ON admins (email COLLATE NOCASE) WHERE role IS NOT NULL AND is_active = 1;

CREATE TABLE recovery_codes (
  admin_id   INTEGER NOT NULL REFERENCES admins (id),
  code_hash  TEXT NOT NULL,                                           -- SHA-256
  used_at    TEXT,
  PRIMARY KEY (admin_id, code_hash)
) STRICT, WITHOUT ROWID;

-- People who have shown their password or their link, and now have five minutes for the code of the second factor.
CREATE TABLE pending_codes (
  secret_hash  TEXT PRIMARY KEY,                                      -- SHA-256 of 192 random bits
  admin_id     INTEGER NOT NULL REFERENCES admins (id),
  stay         INTEGER NOT NULL CHECK (stay IN (0, 1)),               -- 1: on their own device
  way          TEXT NOT NULL CHECK (way IN ('password', 'mailed', 'shown')),
  scopes       TEXT,                                                  -- NULL: those of the admin
  next         TEXT NOT NULL,                                         -- page of the desk that follows
  tries        INTEGER NOT NULL DEFAULT 0,
  expires_at   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_codes_by_admin ON pending_codes (admin_id);
CREATE INDEX pending_codes_by_expiry ON pending_codes (expires_at);

-- Tries that count against a limit, kept for a day.
CREATE TABLE sign_in_tries (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT NOT NULL CHECK (kind IN ('password', 'code', 'recovery', 'key', 'mail', 'invitation', 'test')),
  who         TEXT NOT NULL,                                          -- keyed hash of the typed address, or id of the admin
  network     TEXT NOT NULL,                                          -- keyed hash of the IPv4 address, or of the /64
  is_known    INTEGER NOT NULL DEFAULT 0 CHECK (is_known IN (0, 1)),  -- 1: a browser in which the person had signed in before
  created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX sign_in_tries_by_who ON sign_in_tries (kind, who, created_at);
CREATE INDEX sign_in_tries_by_network ON sign_in_tries (kind, network, created_at);
CREATE INDEX sign_in_tries_by_age ON sign_in_tries (created_at);

ALTER TABLE link_requests ADD COLUMN purpose TEXT NOT NULL DEFAULT 'links' CHECK (purpose IN ('links', 'desk'));

-- Sessions and secrets belong to a person now, and no longer to a link of the kind admin.
ALTER TABLE sessions RENAME TO old_sessions;
DROP INDEX sessions_by_link;
DROP INDEX sessions_by_key;
DROP INDEX sessions_by_use;
CREATE TABLE sessions (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  session_hash  TEXT NOT NULL UNIQUE,
  link_id       INTEGER REFERENCES links (id) ON DELETE CASCADE,
  api_key_id    INTEGER REFERENCES api_keys (id),
  admin_id      INTEGER REFERENCES admins (id),
  scopes        TEXT,                                                 -- of a person; NULL: those of the admin now
  way           TEXT CHECK (way IN ('password', 'mailed', 'shown')),  -- of what opened it
  mailed_to     TEXT COLLATE NOCASE,
  own_device    INTEGER NOT NULL DEFAULT 0 CHECK (own_device IN (0, 1)),
  agent         TEXT,                                                 -- the browser, at most 200 characters
  created_at    TEXT NOT NULL,
  last_used_at  TEXT NOT NULL,
  ended_at      TEXT,
  CHECK ((link_id IS NOT NULL) + (api_key_id IS NOT NULL) + (admin_id IS NOT NULL) = 1)
) STRICT;
INSERT INTO sessions (id, session_hash, link_id, api_key_id, admin_id, scopes, way, mailed_to, own_device, created_at, last_used_at, ended_at)
SELECT s.id, s.session_hash, iif(l.kind = 'admin', NULL, s.link_id), s.api_key_id, l.admin_id,
       iif(l.kind = 'admin', (SELECT coalesce(group_concat(r.value, ' '), '') FROM json_each(l.rights) r), NULL),
       s.way, s.mailed_to, iif(l.kind = 'admin', 0, s.own_device), s.created_at, s.last_used_at,
       iif(l.kind = 'admin', coalesce(s.ended_at, l.revoked_at), s.ended_at)
  FROM old_sessions s LEFT JOIN links l ON l.id = s.link_id ORDER BY s.id;
DROP TABLE old_sessions;
CREATE INDEX sessions_by_link ON sessions (link_id);
CREATE INDEX sessions_by_key ON sessions (api_key_id);
CREATE INDEX sessions_by_admin ON sessions (admin_id);
CREATE INDEX sessions_by_use ON sessions (last_used_at);

ALTER TABLE link_secrets RENAME TO old_link_secrets;
DROP INDEX link_secrets_by_draft;
DROP INDEX link_secrets_by_link;
CREATE TABLE link_secrets (
  secret_hash  TEXT PRIMARY KEY,
  link_id      INTEGER REFERENCES links (id) ON DELETE CASCADE,
  draft_id     INTEGER REFERENCES application_drafts (id) ON DELETE CASCADE,
  admin_id     INTEGER REFERENCES admins (id),
  scopes       TEXT,                                                  -- of the session of a person; NULL: those of the admin
  way          TEXT NOT NULL CHECK (way IN ('mailed', 'shown')),
  mailed_to    TEXT COLLATE NOCASE,
  created_at   TEXT NOT NULL,
  expires_at   TEXT,                                                  -- NULL: with its draft or its link
  CHECK ((link_id IS NOT NULL) + (draft_id IS NOT NULL) + (admin_id IS NOT NULL) = 1)
) STRICT;
INSERT INTO link_secrets (secret_hash, link_id, draft_id, admin_id, scopes, way, mailed_to, created_at, expires_at)
SELECT s.secret_hash, iif(l.kind = 'admin', NULL, s.link_id), s.draft_id, l.admin_id,
       iif(l.kind = 'admin', (SELECT coalesce(group_concat(r.value, ' '), '') FROM json_each(l.rights) r), NULL),
       s.way, s.mailed_to, s.created_at, s.expires_at
  FROM old_link_secrets s LEFT JOIN links l ON l.id = s.link_id
 WHERE l.kind IS NULL OR l.kind != 'admin' OR l.revoked_at IS NULL;
DROP TABLE old_link_secrets;
CREATE INDEX link_secrets_by_draft ON link_secrets (draft_id);
CREATE INDEX link_secrets_by_link ON link_secrets (link_id);
CREATE INDEX link_secrets_by_admin ON link_secrets (admin_id);

DELETE FROM links WHERE kind = 'admin';
