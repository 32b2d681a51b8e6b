-- Mail: the queue of mails.

-- The text of a mail is made from its record when it is sent, so that an anonymisation has to erase it in one place
-- only.
CREATE TABLE mails (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL CHECK (kind IN ('newsletter_confirmation', 'invoice', 'invoice_reminder')),
  entity_type    TEXT NOT NULL,
  entity_id      INTEGER NOT NULL,
  admin_id       INTEGER NOT NULL REFERENCES admins (id),      -- the admin whose request queued the mail
  recipient      TEXT NOT NULL COLLATE NOCASE,
  subject        TEXT NOT NULL,
  base_url       TEXT NOT NULL,                    -- base URL of the links in the mail
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
CREATE INDEX mails_due ON mails (next_at, id) WHERE state = 'queued';
CREATE INDEX mails_by_state ON mails (state);
-- The worker limits the rate of attempts.
CREATE INDEX mails_by_attempt ON mails (taken_at);
CREATE INDEX mails_by_entity ON mails (entity_type, entity_id);
CREATE INDEX mails_by_age ON mails (updated_at);
