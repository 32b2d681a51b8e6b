-- Newsletter: subscribers, with the proof of their consent.

-- One row: the secret that signs the links in mails. It is part of the database, so that links still work after a
-- restore.
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
  round            INTEGER NOT NULL DEFAULT 0,     -- + 1 with each unsubscription: older confirmation links expire
  asked_at         TEXT,                           -- the earliest time at which the last confirmation mail is sent
  confirmed_at     TEXT,
  unsubscribed_at  TEXT,
  mail_error       TEXT,                           -- why the last mail to the address was permanently refused
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;
CREATE INDEX newsletter_subscribers_by_name ON newsletter_subscribers (name);
CREATE INDEX newsletter_subscribers_by_created ON newsletter_subscribers (created_at);
CREATE INDEX newsletter_subscribers_by_confirmed ON newsletter_subscribers (confirmed_at);
CREATE INDEX newsletter_subscribers_by_updated ON newsletter_subscribers (updated_at);
CREATE INDEX newsletter_subscribers_by_status ON newsletter_subscribers (status);

CREATE VIRTUAL TABLE newsletter_search USING fts5 (
  email, name, content = 'newsletter_subscribers', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
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

-- The proof of each consent and of its end: who gave it, when, from where, and to which text. Rows are never changed.
CREATE TABLE newsletter_consents (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  subscriber_id  INTEGER NOT NULL REFERENCES newsletter_subscribers (id) ON DELETE CASCADE,
  action         TEXT NOT NULL CHECK (action IN ('asked', 'confirmed', 'imported', 'unsubscribed')),
  at             TEXT NOT NULL,
  consent_text   TEXT,                             -- the text that the subscriber agreed to
  source         TEXT NOT NULL,                    -- mail, api, or the origin of an imported consent
  ip_address     TEXT,
  user_agent     TEXT,
  created_at     TEXT NOT NULL
) STRICT;
CREATE INDEX newsletter_consents_by_subscriber ON newsletter_consents (subscriber_id);
