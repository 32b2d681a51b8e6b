-- The newsletter's subscribers with the proof of their consent, and the mails that are and were to be sent.

-- The secret of the addresses in mails. It is part of the database, so that links still open after a restore.
CREATE TABLE newsletter_secret (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  secret  BLOB NOT NULL
) STRICT;
INSERT INTO newsletter_secret (id, secret) VALUES (1, randomblob(32));

CREATE TABLE newsletter_subscribers (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  email            TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name             TEXT COLLATE NOCASE,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'unsubscribed')),
  round            INTEGER NOT NULL DEFAULT 0,     -- one more with each unsubscribing: links that confirmed before do so no more
  asked_at         TEXT,                           -- when the last confirmation mail may go out
  confirmed_at     TEXT,
  unsubscribed_at  TEXT,
  mail_error       TEXT,                           -- why the last mail to the address was refused for good
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX newsletter_subscribers_by_name ON newsletter_subscribers (name);
CREATE INDEX newsletter_subscribers_by_created ON newsletter_subscribers (created_at);
CREATE INDEX newsletter_subscribers_by_confirmed ON newsletter_subscribers (confirmed_at);
CREATE INDEX newsletter_subscribers_by_updated ON newsletter_subscribers (updated_at);
CREATE INDEX newsletter_subscribers_by_status ON newsletter_subscribers (status);

CREATE VIRTUAL TABLE newsletter_search USING fts5 (
  email, name, content = 'newsletter_subscribers', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
CREATE TRIGGER newsletter_search_insert AFTER INSERT ON newsletter_subscribers BEGIN
  INSERT INTO newsletter_search (rowid, email, name) VALUES (NEW.id, NEW.email, NEW.name);
END;
CREATE TRIGGER newsletter_search_delete AFTER DELETE ON newsletter_subscribers BEGIN
  INSERT INTO newsletter_search (newsletter_search, rowid, email, name) VALUES ('delete', OLD.id, OLD.email, OLD.name);
END;
CREATE TRIGGER newsletter_search_update AFTER UPDATE OF email, name ON newsletter_subscribers BEGIN
  INSERT INTO newsletter_search (newsletter_search, rowid, email, name) VALUES ('delete', OLD.id, OLD.email, OLD.name);
  INSERT INTO newsletter_search (rowid, email, name) VALUES (NEW.id, NEW.email, NEW.name);
END;

-- What proves a consent, or its end: who said it when, from where, and to which words. Only ever added to.
CREATE TABLE newsletter_consents (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  subscriber_id  INTEGER NOT NULL REFERENCES newsletter_subscribers (id) ON DELETE CASCADE,
  action         TEXT NOT NULL CHECK (action IN ('asked', 'confirmed', 'imported', 'unsubscribed')),
  at             TEXT NOT NULL,
  consent_text   TEXT,                             -- the words that were agreed to
  source         TEXT NOT NULL,                    -- mail, api, or where an imported consent comes from
  ip_address     TEXT,
  user_agent     TEXT,
  created_at     TEXT NOT NULL
) STRICT;
CREATE INDEX newsletter_consents_by_subscriber ON newsletter_consents (subscriber_id);

-- A mail is made from the record when it is sent, so that anonymising has one place to go to.
CREATE TABLE mails (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL CHECK (kind IN ('newsletter_confirmation', 'invoice', 'invoice_reminder')),
  entity_type    TEXT NOT NULL,
  entity_id      INTEGER NOT NULL,
  admin_id       INTEGER NOT NULL REFERENCES admins (id),      -- who asked for it
  recipient      TEXT NOT NULL COLLATE NOCASE,
  subject        TEXT NOT NULL,
  base_url       TEXT NOT NULL,                    -- where its links lead
  state          TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'uncertain')),
  attempts       INTEGER NOT NULL DEFAULT 0,
  next_at        TEXT,                             -- of a queued one: not before
  lease          TEXT,                             -- of one on its way: who sends it, and until when that is believed
  lease_ends_at  TEXT,
  message_id     TEXT NOT NULL UNIQUE,
  error          TEXT,
  taken_at       TEXT,                             -- the last attempt
  created_at     TEXT NOT NULL,
  updated_at     TEXT NOT NULL
) STRICT;
CREATE INDEX mails_due ON mails (next_at, id) WHERE state = 'queued';
CREATE INDEX mails_unsettled ON mails (state, lease_ends_at) WHERE state IN ('sending', 'uncertain');
CREATE INDEX mails_by_state ON mails (state);
CREATE INDEX mails_by_attempt ON mails (taken_at);
CREATE INDEX mails_by_entity ON mails (entity_type, entity_id);
CREATE INDEX mails_by_age ON mails (updated_at);
