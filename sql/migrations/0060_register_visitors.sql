-- Categories that admit visitors by themselves, the form with which visitors register, questions that applicants answer,
-- and the organiser's own texts of mails.

ALTER TABLE categories ADD COLUMN approval TEXT NOT NULL DEFAULT 'manual' CHECK (approval IN ('manual', 'automatic'));
ALTER TABLE categories ADD COLUMN role TEXT NOT NULL DEFAULT 'exhibitor'           -- of the participants that approval makes
  CHECK (role IN ('exhibitor', 'co_exhibitor', 'sponsor', 'speaker', 'visitor', 'press', 'staff'));
ALTER TABLE categories ADD COLUMN capacity INTEGER;                                -- participants of an event; NULL: no limit

ALTER TABLE applications ADD COLUMN language TEXT;
ALTER TABLE applications ADD COLUMN email_confirmed_at TEXT;
ALTER TABLE applications ADD COLUMN answer TEXT;
ALTER TABLE applications ADD COLUMN answered_at TEXT;

ALTER TABLE event_pages ADD COLUMN show_prices INTEGER NOT NULL DEFAULT 0 CHECK (show_prices IN (0, 1));
ALTER TABLE event_pages ADD COLUMN visit_is_open INTEGER NOT NULL DEFAULT 0 CHECK (visit_is_open IN (0, 1));
ALTER TABLE event_pages ADD COLUMN visit_until TEXT;                               -- date or timestamp; NULL: the end of the event
ALTER TABLE event_pages ADD COLUMN visit_fields TEXT NOT NULL DEFAULT '[]';        -- JSON: keys of custom fields of applications
ALTER TABLE event_pages ADD COLUMN apply_file_type TEXT;                           -- key of a submission type; NULL: no files
ALTER TABLE event_pages ADD COLUMN mail_texts TEXT NOT NULL DEFAULT '{}';          -- JSON: name of a mail -> language -> text

ALTER TABLE application_drafts ADD COLUMN form TEXT NOT NULL DEFAULT 'apply' CHECK (form IN ('apply', 'visit'));
ALTER TABLE application_drafts ADD COLUMN email_hash TEXT;                         -- keyed, of the address without +tag
CREATE INDEX application_drafts_by_address ON application_drafts (email_hash, created_at) WHERE email_hash IS NOT NULL;
