-- The order of mails, and limits of the mails that forms of the public pages cause: for a network, for a domain, for all.

-- Mails that the network of the form had in the hour before: of two mails with the same priority, the lower one leaves first.
ALTER TABLE mails ADD COLUMN turn INTEGER NOT NULL DEFAULT 0 CHECK (turn BETWEEN 0 AND 29);
CREATE INDEX mails_by_turn ON mails (priority, turn, next_at) WHERE state = 'queued';
-- As PRIORITIES in eventapi/domain/mail/queue.py. A link that the office has sent keeps 1.
UPDATE mails SET priority = 0
 WHERE kind IN ('application_confirmation', 'newsletter_confirmation') OR kind = 'link' AND admin_id IS NULL;
UPDATE mails SET priority = 2 WHERE kind IN ('invoice', 'invoice_reminder', 'dunning', 'todos');

ALTER TABLE application_drafts ADD COLUMN wide_network TEXT;       -- as network, of the /48 of an IPv6 address; NULL for IPv4
ALTER TABLE application_drafts ADD COLUMN domain_hash TEXT;        -- keyed, of a domain that has a limit; NULL once it is confirmed
ALTER TABLE application_drafts ADD COLUMN mail_at TEXT;            -- when its mail was queued; NULL while it waits, or without one
ALTER TABLE application_drafts ADD COLUMN mail_base_url TEXT;      -- base URL of its mail, while that waits for a limit; else NULL
DROP INDEX application_drafts_by_network;
CREATE INDEX application_drafts_by_network ON application_drafts (network, mail_at, wide_network) WHERE network IS NOT NULL;
CREATE INDEX application_drafts_by_wide_network ON application_drafts (wide_network, mail_at, network) WHERE network IS NOT NULL;
CREATE INDEX application_drafts_by_domain ON application_drafts (domain_hash, mail_at) WHERE domain_hash IS NOT NULL;
CREATE INDEX application_drafts_by_mail ON application_drafts (mail_at) WHERE mail_at IS NOT NULL;
CREATE INDEX application_drafts_waiting ON application_drafts (network, wide_network, domain_hash, mail_base_url) WHERE mail_base_url IS NOT NULL;

-- Domains of which an address was confirmed. The worker deletes a row after 30 days.
CREATE TABLE confirmed_domains (
  domain_hash   TEXT PRIMARY KEY,                                  -- as in application_drafts
  confirmed_at  TEXT NOT NULL                                      -- the last time
) STRICT;
CREATE INDEX confirmed_domains_by_age ON confirmed_domains (confirmed_at);

-- Earlier versions have postponed mails of networks that send many. Now they wait for the same limits as new ones.
UPDATE application_drafts SET mail_base_url = m.base_url
  FROM mails m
 WHERE m.entity_type = 'application_draft' AND m.entity_id = application_drafts.id AND m.state = 'queued'
   AND m.attempts = 0 AND m.next_at > m.created_at AND application_drafts.fields IS NOT NULL;
DELETE FROM mails
 WHERE entity_type = 'application_draft' AND state = 'queued' AND attempts = 0
   AND entity_id IN (SELECT id FROM application_drafts WHERE mail_base_url IS NOT NULL);

-- A mail that cannot be sent any more would fail, and the office would be told so.
DELETE FROM mails
 WHERE entity_type = 'application_draft' AND state = 'queued' AND entity_id NOT IN (SELECT id FROM application_drafts);
CREATE TRIGGER application_drafts_after_delete AFTER DELETE ON application_drafts BEGIN
  DELETE FROM mails WHERE entity_type = 'application_draft' AND entity_id = old.id AND state = 'queued';
END;
