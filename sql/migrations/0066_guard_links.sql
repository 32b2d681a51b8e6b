-- Links lead no further than to whom they were given: which application has made a participation, when an address was
-- changed and by whom, and which addresses the office has closed. The rules are in eventapi/domain/access/reach.py.

-- The application whose approval has made the participation. application_id may have been set later, so it proves nothing.
ALTER TABLE participants ADD COLUMN made_by INTEGER REFERENCES applications (id) ON DELETE SET NULL;
CREATE INDEX participants_by_maker ON participants (made_by) WHERE made_by IS NOT NULL;
UPDATE participants SET made_by = application_id
 WHERE application_id IS NOT NULL
   AND EXISTS (SELECT 1 FROM applications a JOIN contacts c ON c.id = participants.contact_id AND c.email = a.email
                WHERE a.id = participants.application_id AND a.decided_at = participants.created_at);

ALTER TABLE applications ADD COLUMN email_changed_at TEXT;            -- when somebody changed the address over the API

-- 1: approving did not give a badge, or another address has taken it away. What the applicant lacks now, application_gaps knows.
ALTER TABLE applications ADD COLUMN may_lack_badge INTEGER NOT NULL DEFAULT 0 CHECK (may_lack_badge IN (0, 1));
CREATE INDEX applications_without_badge ON applications (id) WHERE may_lack_badge = 1;

ALTER TABLE contacts ADD COLUMN email_changed_at TEXT;
ALTER TABLE contacts ADD COLUMN email_before TEXT;                    -- JSON: the addresses before, for 30 days after the last change
-- When the address was changed without the scope `participants`. NULL: the last change had it, or there was none.
ALTER TABLE contacts ADD COLUMN email_unproven_at TEXT;
CREATE INDEX contacts_by_former_address ON contacts (email_changed_at) WHERE email_before IS NOT NULL;

-- Why a link was revoked. undo and inviter are for links that people make for others.
ALTER TABLE links ADD COLUMN ended_by TEXT CHECK (ended_by IN ('office', 'merge', 'address', 'undo', 'inviter'));
-- 1: the office has revoked the link, so its address gets no other one for this record until the office makes one.
ALTER TABLE links ADD COLUMN closes_address INTEGER NOT NULL DEFAULT 0 CHECK (closes_address IN (0, 1));
UPDATE links SET ended_by = 'office' WHERE revoked_at IS NOT NULL;
UPDATE links SET closes_address = 1
 WHERE revoked_at IS NOT NULL AND email_hash IS NOT NULL AND kind IN ('participant', 'application')
   AND NOT EXISTS (SELECT 1 FROM links k WHERE k.kind = links.kind AND k.revoked_at IS NULL AND k.email_hash = links.email_hash
                      AND coalesce(k.participant_id, k.application_id) = coalesce(links.participant_id, links.application_id));
CREATE INDEX links_that_close ON links (email_hash) WHERE closes_address = 1;
SELECT note(count(*) || ' revoked links were erased by an earlier version, with the hash of their address: such an address may get a new link.')
  FROM links WHERE revoked_at IS NOT NULL AND email_hash IS NULL AND kind IN ('participant', 'application') HAVING count(*) > 0;

-- What approved applicants do not reach by their application, so that the office has to send a link: the page of an exhibitor that
-- has no link yet, or a badge. Who was revoked lacks nothing.
CREATE VIEW application_gaps AS
SELECT a.id AS application_id, p.event_id, p.id AS participant_id, 'page' AS lacks
  FROM event_pages g JOIN participants p ON p.event_id = g.event_id AND p.role IN ('exhibitor', 'co_exhibitor', 'sponsor')
  JOIN applications a ON a.contact_id = p.contact_id JOIN application_events x ON x.application_id = a.id AND x.event_id = p.event_id
  JOIN contacts c ON c.id = p.contact_id LEFT JOIN applications m ON m.id = p.made_by
 WHERE g.my_is_open = 1 AND p.status <> 'cancelled' AND a.status = 'approved'
   AND NOT EXISTS (SELECT 1 FROM links l WHERE l.participant_id = p.id AND (l.revoked_at IS NULL OR l.closes_address = 1 AND l.email = a.email))
   AND NOT ifnull(a.email = c.email AND a.email_changed_at IS NULL AND (m.id = a.id OR m.email = a.email AND m.email_changed_at IS NULL), 0)
UNION ALL
SELECT a.id, p.event_id, p.id, 'badge'
  FROM applications a JOIN application_events x ON x.application_id = a.id
  JOIN participants p ON p.contact_id = a.contact_id AND p.event_id = x.event_id AND p.status <> 'cancelled'
  JOIN contacts c ON c.id = p.contact_id
 WHERE a.may_lack_badge = 1 AND a.status = 'approved'
   AND p.role = (SELECT k.role FROM application_categories y JOIN categories k ON k.id = y.category_id WHERE y.application_id = a.id
                  ORDER BY k.sort_order, k.id LIMIT 1)
   AND NOT ifnull(p.made_by = a.id AND (a.email_changed_at IS NULL OR a.email_changed_at < p.created_at), 0)
   AND NOT ifnull(a.email = c.email AND a.email_confirmed_at IS NOT NULL
                  AND (c.email_unproven_at IS NULL OR c.email_unproven_at < p.created_at), 0)
   AND NOT EXISTS (SELECT 1 FROM links l, json_each(l.rights) r
                    WHERE l.application_id = a.id AND l.event_id = p.event_id AND l.revoked_at IS NULL AND r.value = 'badges')
   AND NOT EXISTS (SELECT 1 FROM links l WHERE l.application_id = a.id AND l.closes_address = 1 AND l.email = a.email);

-- Mails of any kind: a test compares the kinds with the functions that write them.
DROP INDEX mails_due;
DROP INDEX mails_by_state;
DROP INDEX mails_by_attempt;
DROP INDEX mails_by_entity;
DROP INDEX mails_by_age;
ALTER TABLE mails RENAME TO old_mails;
CREATE TABLE mails (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL,
  priority       INTEGER NOT NULL DEFAULT 1,       -- of two mails that are due, the one with the lower number leaves first
  entity_type    TEXT NOT NULL,
  entity_id      INTEGER NOT NULL,
  admin_id       INTEGER REFERENCES admins (id),   -- the admin whose request queued the mail; NULL without one
  recipient      TEXT NOT NULL COLLATE NOCASE,
  subject        TEXT NOT NULL,
  base_url       TEXT NOT NULL,                    -- base URL of the links in the mail
  language       TEXT,                             -- that the request has named; NULL otherwise
  text           TEXT,                             -- that the request has named; NULL otherwise
  details        TEXT,                             -- JSON: what the mail says beside its record; NULL otherwise
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
