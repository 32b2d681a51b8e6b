-- The application form of the public pages: its settings, drafts that wait for the confirmation of their address, and the
-- key of the tokens in forms. Mails may have no admin, because nobody of the staff causes a confirmation.

ALTER TABLE event_pages ADD COLUMN apply_is_open INTEGER NOT NULL DEFAULT 0 CHECK (apply_is_open IN (0, 1));
ALTER TABLE event_pages ADD COLUMN apply_capacity INTEGER;
ALTER TABLE event_pages ADD COLUMN apply_terms TEXT NOT NULL DEFAULT '{}';     -- JSON: language -> text or address

ALTER TABLE tenant ADD COLUMN form_key BLOB;
UPDATE tenant SET form_key = randomblob(32);

CREATE TABLE application_drafts (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id        INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  nonce           TEXT NOT NULL UNIQUE,            -- of the form: sent twice, it makes one draft
  fields          TEXT,                            -- JSON, as POST /applications takes it; NULL once it is confirmed
  email           TEXT COLLATE NOCASE,             -- NULL once it is confirmed
  network         TEXT,                            -- keyed hash of the network of the client; NULL once it is confirmed
  language        TEXT NOT NULL,
  application_id  INTEGER REFERENCES applications (id) ON DELETE CASCADE,      -- that it became
  confirmed_at    TEXT,
  created_at      TEXT NOT NULL
) STRICT;
CREATE INDEX application_drafts_by_event ON application_drafts (event_id);
CREATE INDEX application_drafts_by_application ON application_drafts (application_id);
CREATE INDEX application_drafts_by_age ON application_drafts (created_at);
CREATE INDEX application_drafts_by_network ON application_drafts (network, created_at) WHERE network IS NOT NULL;
CREATE INDEX application_drafts_by_email ON application_drafts (email, created_at) WHERE email IS NOT NULL;

-- Secrets of the links in mails. Only their hashes are stored.
CREATE TABLE link_secrets (
  secret_hash  TEXT PRIMARY KEY,
  draft_id     INTEGER NOT NULL REFERENCES application_drafts (id) ON DELETE CASCADE,
  created_at   TEXT NOT NULL
) STRICT;
CREATE INDEX link_secrets_by_draft ON link_secrets (draft_id);

DROP INDEX mails_due;
DROP INDEX mails_by_state;
DROP INDEX mails_by_attempt;
DROP INDEX mails_by_entity;
DROP INDEX mails_by_age;
ALTER TABLE mails RENAME TO old_mails;
CREATE TABLE mails (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL CHECK (kind IN ('newsletter_confirmation', 'invoice', 'invoice_reminder', 'dunning', 'application_confirmation')),
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
