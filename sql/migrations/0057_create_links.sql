-- Links, with which people act without an API key, and the sessions that they open. Only hashes of secrets are stored.

CREATE TABLE links (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  ref             TEXT NOT NULL UNIQUE,            -- eight letters in the addresses of its pages; it opens nothing
  kind            TEXT NOT NULL CHECK (kind IN ('participant', 'application', 'door', 'admin')),
  event_id        INTEGER REFERENCES events (id) ON DELETE CASCADE,
  participant_id  INTEGER REFERENCES participants (id) ON DELETE CASCADE,
  application_id  INTEGER REFERENCES applications (id) ON DELETE CASCADE,
  admin_id        INTEGER REFERENCES admins (id),
  name            TEXT,
  email           TEXT COLLATE NOCASE,
  email_hash      TEXT,                            -- keyed; by it the worker finds the links of an address
  language        TEXT,
  rights          TEXT NOT NULL DEFAULT '[]',      -- JSON; scopes if kind is admin
  station         TEXT,
  devices         INTEGER,
  expires_at      TEXT,                            -- NULL: as the rule of the kind says
  revoked_at      TEXT,
  last_used_at    TEXT,
  mailed_at       TEXT,
  created_by      INTEGER REFERENCES admins (id),
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL,
  CHECK ((event_id IS NULL) = (kind = 'admin')),
  CHECK ((participant_id IS NOT NULL) = (kind = 'participant')),
  CHECK ((application_id IS NOT NULL) = (kind = 'application')),
  CHECK ((admin_id IS NOT NULL) = (kind = 'admin'))
) STRICT;
CREATE INDEX links_by_event ON links (event_id);
CREATE INDEX links_by_participant ON links (participant_id);
CREATE INDEX links_by_application ON links (application_id);
CREATE INDEX links_by_admin ON links (admin_id);
CREATE INDEX links_by_creator ON links (created_by);
CREATE INDEX links_by_address ON links (email_hash) WHERE email_hash IS NOT NULL;
CREATE INDEX links_by_revocation ON links (revoked_at) WHERE email IS NOT NULL;
CREATE INDEX links_by_expiry ON links (expires_at) WHERE email IS NOT NULL;
-- One live link for each person and record.
CREATE UNIQUE INDEX links_of_person ON links (kind, coalesce(participant_id, application_id), email)
 WHERE revoked_at IS NULL AND email IS NOT NULL AND kind IN ('participant', 'application');

ALTER TABLE link_secrets RENAME TO old_link_secrets;
DROP INDEX link_secrets_by_draft;
CREATE TABLE link_secrets (
  secret_hash  TEXT PRIMARY KEY,
  link_id      INTEGER REFERENCES links (id) ON DELETE CASCADE,
  draft_id     INTEGER REFERENCES application_drafts (id) ON DELETE CASCADE,
  way          TEXT NOT NULL CHECK (way IN ('mailed', 'shown')),
  mailed_to    TEXT COLLATE NOCASE,
  created_at   TEXT NOT NULL,
  expires_at   TEXT,                               -- NULL: with its draft or its link
  CHECK ((link_id IS NULL) != (draft_id IS NULL))
) STRICT;
INSERT INTO link_secrets (secret_hash, draft_id, way, created_at)
SELECT secret_hash, draft_id, 'mailed', created_at FROM old_link_secrets;
DROP TABLE old_link_secrets;
CREATE INDEX link_secrets_by_draft ON link_secrets (draft_id);
CREATE INDEX link_secrets_by_link ON link_secrets (link_id);

-- Requests for a new link. Only a keyed hash of the address is kept, for a day.
CREATE TABLE link_requests (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  email_hash  TEXT NOT NULL,
  base_url    TEXT NOT NULL,
  handled_at  TEXT,
  created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX link_requests_by_age ON link_requests (created_at);
CREATE INDEX link_requests_by_address ON link_requests (email_hash, created_at);
CREATE INDEX link_requests_waiting ON link_requests (id) WHERE handled_at IS NULL;

CREATE TABLE sessions (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  session_hash  TEXT NOT NULL UNIQUE,
  link_id       INTEGER REFERENCES links (id) ON DELETE CASCADE,
  api_key_id    INTEGER REFERENCES api_keys (id),
  way           TEXT CHECK (way IN ('mailed', 'shown')),       -- of the secret that opened it
  mailed_to     TEXT COLLATE NOCASE,
  own_device    INTEGER NOT NULL DEFAULT 0 CHECK (own_device IN (0, 1)),
  created_at    TEXT NOT NULL,
  last_used_at  TEXT NOT NULL,
  ended_at      TEXT,
  CHECK ((link_id IS NULL) != (api_key_id IS NULL))
) STRICT;
CREATE INDEX sessions_by_link ON sessions (link_id);
CREATE INDEX sessions_by_key ON sessions (api_key_id);
CREATE INDEX sessions_by_use ON sessions (last_used_at);

-- Forms that were sent from a session: the same form again gets the same redirection. Kept for a day.
CREATE TABLE sent_forms (
  owner        TEXT NOT NULL,                      -- `link 12`, or `key 3` at the desk
  form_id      TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,                      -- hash of path and body
  location     TEXT NOT NULL,
  created_at   TEXT NOT NULL,
  PRIMARY KEY (owner, form_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_forms_by_age ON sent_forms (created_at);

INSERT INTO flags (name) VALUES ('door'), ('desk');

-- A key with all scopes gets the new one.
UPDATE api_keys SET scopes = scopes || ' links'
 WHERE ' ' || scopes || ' ' LIKE '% events %' AND ' ' || scopes || ' ' LIKE '% contacts %' AND ' ' || scopes || ' ' LIKE '% participants %'
   AND ' ' || scopes || ' ' LIKE '% applications %' AND ' ' || scopes || ' ' LIKE '% categories %' AND ' ' || scopes || ' ' LIKE '% invoices %'
   AND ' ' || scopes || ' ' LIKE '% payments %' AND ' ' || scopes || ' ' LIKE '% booths %' AND ' ' || scopes || ' ' LIKE '% plans %'
   AND ' ' || scopes || ' ' LIKE '% services %' AND ' ' || scopes || ' ' LIKE '% service_orders %' AND ' ' || scopes || ' ' LIKE '% documents %'
   AND ' ' || scopes || ' ' LIKE '% submissions %' AND ' ' || scopes || ' ' LIKE '% tasks %' AND ' ' || scopes || ' ' LIKE '% checkins %'
   AND ' ' || scopes || ' ' LIKE '% schedules %' AND ' ' || scopes || ' ' LIKE '% calendar-feed %' AND ' ' || scopes || ' ' LIKE '% custom_fields %'
   AND ' ' || scopes || ' ' LIKE '% newsletter %' AND ' ' || scopes || ' ' LIKE '% webhooks %' AND ' ' || scopes || ' ' LIKE '% reports %'
   AND ' ' || scopes || ' ' LIKE '% audit %';

DROP INDEX mails_due;
DROP INDEX mails_by_state;
DROP INDEX mails_by_attempt;
DROP INDEX mails_by_entity;
DROP INDEX mails_by_age;
ALTER TABLE mails RENAME TO old_mails;
CREATE TABLE mails (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL CHECK (kind IN ('newsletter_confirmation', 'invoice', 'invoice_reminder', 'dunning',
                   'application_confirmation', 'application_decision', 'link', 'booth_offer', 'todos', 'badge')),
  entity_type    TEXT NOT NULL,
  entity_id      INTEGER NOT NULL,
  admin_id       INTEGER REFERENCES admins (id),   -- the admin whose request queued the mail; NULL without one
  recipient      TEXT NOT NULL COLLATE NOCASE,
  subject        TEXT NOT NULL,
  base_url       TEXT NOT NULL,                    -- base URL of the links in the mail
  language       TEXT,                             -- that the request has named; NULL otherwise
  text           TEXT,                             -- that the request has named; NULL otherwise
  state          TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'uncertain')),
  attempts       INTEGER NOT NULL DEFAULT 0,
  next_at        TEXT,                             -- a queued mail is not sent before this time
  lease          TEXT,                             -- token of the worker that is sending it now
  message_id     TEXT NOT NULL UNIQUE,
  error          TEXT,
  taken_at       TEXT,                             -- time of the last attempt
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL
) STRICT;
INSERT INTO mails (id, kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, text, state,
  attempts, next_at, lease, message_id, error, taken_at, created_at, updated_at)
SELECT id, kind, entity_type, entity_id, admin_id, recipient, subject, base_url, language, text, state, attempts,
       next_at, lease, message_id, error, taken_at, created_at, updated_at FROM old_mails;
-- No id is given out again, because dunnings refer to mails that may be deleted.
DELETE FROM sqlite_sequence WHERE name = 'mails';
UPDATE sqlite_sequence SET name = 'mails' WHERE name = 'old_mails';
DROP TABLE old_mails;
CREATE INDEX mails_due ON mails (next_at, id) WHERE state = 'queued';
CREATE INDEX mails_by_state ON mails (state);
CREATE INDEX mails_by_attempt ON mails (taken_at);
CREATE INDEX mails_by_entity ON mails (entity_type, entity_id);
CREATE INDEX mails_by_age ON mails (updated_at);
