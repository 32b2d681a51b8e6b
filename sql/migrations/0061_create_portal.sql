-- The exhibitor's own page: its settings, the choice of a booth, badges of staff, and the evidence of binding steps.

ALTER TABLE event_pages ADD COLUMN my_is_open INTEGER NOT NULL DEFAULT 0 CHECK (my_is_open IN (0, 1));
ALTER TABLE event_pages ADD COLUMN my_rights TEXT NOT NULL        -- JSON: rights that links of participants may have
  DEFAULT '["profile","submissions","booth","orders","contract","invoices","badges"]';
ALTER TABLE event_pages ADD COLUMN booth_from TEXT;               -- as sent: a date or a timestamp; NULL: exhibitors choose no booth
ALTER TABLE event_pages ADD COLUMN booth_until TEXT;
ALTER TABLE event_pages ADD COLUMN booth_types TEXT NOT NULL DEFAULT '[]';   -- JSON: keys of booth types; none: all
ALTER TABLE event_pages ADD COLUMN booth_confirm TEXT NOT NULL DEFAULT 'office' CHECK (booth_confirm IN ('office', 'self'));
ALTER TABLE event_pages ADD COLUMN hold_days INTEGER NOT NULL DEFAULT 7 CHECK (hold_days BETWEEN 1 AND 30);
ALTER TABLE event_pages ADD COLUMN badges_free INTEGER NOT NULL DEFAULT 2 CHECK (badges_free BETWEEN 0 AND 100);
ALTER TABLE event_pages ADD COLUMN badge_service_id INTEGER REFERENCES services (id) ON DELETE SET NULL;
CREATE INDEX event_pages_by_badge_service ON event_pages (badge_service_id) WHERE badge_service_id IS NOT NULL;

-- When the badge of somebody at a booth was downloaded, and when it got another name after that.
ALTER TABLE participants ADD COLUMN badge_issued_at TEXT;
ALTER TABLE participants ADD COLUMN badge_renamed_at TEXT;

-- The time in which a participant may hold a booth by its page.
CREATE TABLE booth_choices (
  participant_id  INTEGER PRIMARY KEY REFERENCES participants (id) ON DELETE CASCADE,
  ends_at         TEXT NOT NULL,
  given_back      INTEGER NOT NULL DEFAULT 0      -- holds that were given back late
) STRICT;

CREATE INDEX links_by_change ON links (updated_at);
CREATE INDEX links_by_email ON links (email);
CREATE INDEX links_by_kind ON links (kind);
CREATE INDEX links_by_state ON links ((revoked_at IS NOT NULL));

-- What somebody has bindingly done, and what was shown before. The step stays when its link ends, so link_id is no reference.
CREATE TABLE binding_steps (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_type   TEXT NOT NULL,
  entity_id     INTEGER NOT NULL,
  link_id       INTEGER,                         -- NULL over the API
  way           TEXT NOT NULL CHECK (way IN ('mailed', 'shown', 'office')),
  mailed_to     TEXT,
  address       TEXT,
  agent         TEXT,
  shown_sha256  TEXT NOT NULL,
  created_at    TEXT NOT NULL
) STRICT;
CREATE INDEX binding_steps_by_entity ON binding_steps (entity_type, entity_id);
